//! Tail calls that optimisation moved away from their return.
//!
//! In: an optimised program. Out: each call of the tail-call convention that is marked as a tail call, and whose result
//! only passes through joins to a return, is directly before a return of its own. The code generators take constant
//! stack for such calls alone: they look through one join, and inlining makes several.
//!
//! The mark on a call only means that it uses nothing of its caller's frame: LLVM marks many calls that other
//! instructions follow. [`leaves_frame`] says which calls are jumps.

use inkwell::{
    basic_block::BasicBlock,
    builder::{Builder, BuilderError},
    context::Context,
    llvm_sys::LLVMTailCallKind,
    llvm_sys::core::{LLVMGetPoison, LLVMReplaceAllUsesWith, LLVMTypeOf},
    module::Module as LlvmModule,
    values::{
        AsValueRef as _, BasicValue as _, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
        InstructionValue, PhiValue,
    },
};

/// LLVM's number of `tailcc`.
pub(super) const TAILCC: u32 = 18;
/// The number of joins that are looked through.
const MAX_JOINS: usize = 64;

/// Puts returns after tail calls.
pub(super) fn restore<'c>(context: &'c Context, program: &LlvmModule<'c>) -> Result<(), BuilderError> {
    let builder = context.create_builder();
    for function in program.get_functions().filter(|function| function.get_call_conventions() == TAILCC) {
        restore_in(&builder, function)?;
    }
    Ok(())
}

fn restore_in<'c>(builder: &Builder<'c>, function: FunctionValue<'c>) -> Result<(), BuilderError> {
    for block in function.get_basic_blocks() {
        let Some(jump) = block.get_terminator() else { continue };
        let Some(call) = before_lifetimes(jump) else { continue };
        let Some(join) = only_successor(jump).filter(|_| is_tail_call(call)) else { continue };
        let Some(returns) = returned(call, block, join) else { continue };
        leave(builder, block, join)?;
        jump.erase_from_basic_block();
        builder.position_at_end(block);
        match returns {
            Returned::Nothing => builder.build_return(None)?,
            Returned::Result(value) => builder.build_return(Some(&value))?,
        };
    }
    Ok(())
}

/// Whether the code generators make a jump of a call, on machines that can: the call and its function have the
/// tail-call convention, the call is marked, and nothing is between it and the return of its result.
pub(super) fn leaves_frame(instruction: InstructionValue<'_>) -> bool {
    let caller = instruction.get_parent().and_then(BasicBlock::get_parent);
    let convention_is_kept = caller.is_some_and(|caller| caller.get_call_conventions() == TAILCC);
    is_tail_call(instruction) && convention_is_kept && is_returned(instruction)
}

/// Whether a return of nothing, or of the call's result, follows a call.
fn is_returned(call: InstructionValue<'_>) -> bool {
    let mut after = call.get_next_instruction();
    while let Some(instruction) = after.filter(|&instruction| ends_lifetime(instruction)) {
        after = instruction.get_next_instruction();
    }
    let Some(end) = after.filter(|end| end.get_opcode() == InstructionOpcode::Return) else { return false };
    let value = end.get_operand(0).and_then(|operand| operand.value());
    value.is_none_or(|value| value.as_value_ref() == call.as_value_ref())
}

fn is_tail_call(instruction: InstructionValue<'_>) -> bool {
    let Ok(call) = CallSiteValue::try_from(instruction) else { return false };
    let kind = call.get_tail_call_kind();
    let tail = matches!(kind, LLVMTailCallKind::LLVMTailCallKindTail | LLVMTailCallKind::LLVMTailCallKindMustTail);
    tail && call.get_call_convention() == TAILCC
}

/// The preceding instruction, skipping the ends of slots' lifetimes, which a return ends too.
fn before_lifetimes(instruction: InstructionValue<'_>) -> Option<InstructionValue<'_>> {
    let mut before = instruction.get_previous_instruction()?;
    while ends_lifetime(before) {
        before = before.get_previous_instruction()?;
    }
    Some(before)
}

fn ends_lifetime(instruction: InstructionValue<'_>) -> bool {
    let Ok(call) = CallSiteValue::try_from(instruction) else { return false };
    let name = call.get_called_fn_value().map(|function| function.get_name().to_bytes().to_vec());
    name.is_some_and(|name| name.starts_with(b"llvm.lifetime.end"))
}

/// Where an unconditional jump goes.
fn only_successor<'c>(jump: InstructionValue<'c>) -> Option<BasicBlock<'c>> {
    let jumps = jump.get_opcode() == InstructionOpcode::Br && jump.get_num_operands() == 1;
    jump.get_operand(0).filter(|_| jumps)?.block()
}

enum Returned<'c> {
    Nothing,
    Result(BasicValueEnum<'c>),
}

/// The value returned after a call, if it is the call's result, and nothing happens on the path from `block` through
/// `join`.
fn returned<'c>(call: InstructionValue<'c>, block: BasicBlock<'c>, join: BasicBlock<'c>) -> Option<Returned<'c>> {
    // For each block on the path, its predecessor.
    let mut way = vec![(join, block)];
    loop {
        let (here, _) = *way.last()?;
        let end = after_joins(here)?;
        if end.get_opcode() == InstructionOpcode::Return {
            let Some(value) = end.get_operand(0).and_then(|operand| operand.value()) else {
                return Some(Returned::Nothing);
            };
            let result = CallSiteValue::try_from(call).ok()?.try_as_basic_value().basic()?;
            return came_from(value, call, &way).then_some(Returned::Result(result));
        }
        way.push((only_successor(end).filter(|_| way.len() < MAX_JOINS)?, here));
    }
}

/// The terminator of a block that otherwise has only phis and ends of slots' lifetimes.
fn after_joins(block: BasicBlock<'_>) -> Option<InstructionValue<'_>> {
    let mut instruction = block.get_first_instruction()?;
    while instruction.get_opcode() == InstructionOpcode::Phi || ends_lifetime(instruction) {
        instruction = instruction.get_next_instruction()?;
    }
    (Some(instruction) == block.get_terminator()).then_some(instruction)
}

/// Whether a value at the end of a path is the result of the call at its start.
fn came_from(value: BasicValueEnum<'_>, call: InstructionValue<'_>, way: &[(BasicBlock<'_>, BasicBlock<'_>)]) -> bool {
    let mut value = value;
    for (here, before) in way.iter().rev() {
        let Some(instruction) = value.as_instruction_value() else { return false };
        if instruction.get_opcode() != InstructionOpcode::Phi || instruction.get_parent() != Some(*here) {
            continue;
        }
        let Ok(phi) = PhiValue::try_from(instruction) else { return false };
        let Some((incoming, _)) = phi.get_incomings().find(|(_, from)| from == before) else { return false };
        value = incoming;
    }
    value.as_value_ref() == call.as_value_ref()
}

/// Removes the incoming values of a block from a join.
fn leave<'c>(builder: &Builder<'c>, block: BasicBlock<'c>, join: BasicBlock<'c>) -> Result<(), BuilderError> {
    let mut next = join.get_first_instruction();
    while let Some(instruction) = next.filter(|instruction| instruction.get_opcode() == InstructionOpcode::Phi) {
        next = instruction.get_next_instruction();
        let Ok(old) = PhiValue::try_from(instruction) else { continue };
        let kept: Vec<_> = old.get_incomings().filter(|(_, from)| *from != block).collect();
        if kept.is_empty() {
            // The join is dead.
            // SAFETY: the value lives, and poison has its type.
            unsafe {
                let old = old.as_value_ref();
                LLVMReplaceAllUsesWith(old, LLVMGetPoison(LLVMTypeOf(old)));
            }
        } else {
            builder.position_before(&instruction);
            let new = builder.build_phi(old.as_basic_value().get_type(), "")?;
            for (value, from) in kept {
                new.add_incoming(&[(&value, from)]);
            }
            old.replace_all_uses_with(&new);
        }
        instruction.erase_from_basic_block();
    }
    Ok(())
}
