//! Items of the start that are not worth a function.
//!
//! In: an optimised program, whose module-level items are functions that are never inlined, so that compile time is linear in
//! their number. Out: the same program, in which items of a few instructions without a frame are in their caller.

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::{Linkage, Module as LlvmModule},
    targets::TargetMachine,
    values::{CallSiteValue, FunctionValue, InstructionOpcode},
};

use super::{attributes::has_several_uses, conventions::calls, passes};
use crate::Fault;

/// The function that calls the items in their order.
const MAIN: &str = "clef_main";

/// The start of the names of items.
const ITEM: &[u8] = b"clef.start.item";

/// The most instructions of an item that is inlined.
const MOST_INSTRUCTIONS: usize = 16;

/// The most items that are inlined, so that their caller stays small.
const MOST_ITEMS: usize = 64;

/// Inlines small items.
pub(super) fn inline(context: &Context, program: &LlvmModule<'_>, target: &TargetMachine) -> Result<(), Fault> {
    let kind = Attribute::get_named_enum_kind_id;
    let inlined = context.create_enum_attribute(kind("alwaysinline"), 0);
    let main = program.get_function(MAIN);
    let known = main.into_iter().flat_map(calls).filter_map(|call| Some((call, call.get_called_fn_value()?)));
    let small: Vec<(CallSiteValue<'_>, FunctionValue<'_>)> =
        known.filter(|(_, item)| is_small(*item)).take(MOST_ITEMS).collect();
    for (call, item) in &small {
        call.remove_enum_attribute(AttributeLoc::Function, kind("noinline"));
        item.remove_enum_attribute(AttributeLoc::Function, kind("noinline"));
        item.add_attribute(AttributeLoc::Function, inlined);
    }
    if small.is_empty() { Ok(()) } else { passes::run(program, "always-inline", target) }
}

/// Whether a function is an item that one place calls, of a few instructions and without variables in its frame.
fn is_small(item: FunctionValue<'_>) -> bool {
    let is_item = item.get_name().to_bytes().starts_with(ITEM);
    let is_local = item.count_basic_blocks() > 0 && item.get_linkage() == Linkage::Internal && !has_several_uses(item);
    let mut instructions = item.get_basic_block_iter().flat_map(|block| block.get_instructions());
    let is_plain =
        |count: usize, opcode: InstructionOpcode| count < MOST_INSTRUCTIONS && opcode != InstructionOpcode::Alloca;
    let mut count = 0;
    is_item
        && is_local
        && instructions.all(|instruction| {
            count += 1;
            is_plain(count - 1, instruction.get_opcode())
        })
}
