//! Attributes of functions and flags of the module that neither MLIR nor the runtime's compiler can provide.

use inkwell::{
    AddressSpace,
    attributes::{Attribute, AttributeLoc},
    basic_block::BasicBlock,
    context::Context,
    llvm_sys::core::{LLVMSetIsInBounds, LLVMSetPrefixData},
    module::{FlagBehavior, Linkage, Module as LlvmModule},
    values::{AsValueRef as _, BasicValue as _, CallSiteValue, FunctionValue, InstructionOpcode},
};

use super::{Level, Machine, machine::InstructionSet, translate::Arity};

/// Stores the arity of functions before their code.
pub(super) fn prefix_arities(context: &Context, program: &LlvmModule<'_>, arities: &[Arity]) {
    for (name, arity) in arities {
        if let Some(function) = program.get_function(name).filter(|function| function.count_basic_blocks() > 0) {
            let arity = context.i32_type().const_int((*arity).into(), false);
            // SAFETY: function and constant live in the same context, and the function has a body.
            unsafe { LLVMSetPrefixData(function.as_value_ref(), arity.as_value_ref()) };
        }
    }
}

/// Marks every address computed in the program as within the object it is computed from, as the builder promises.
pub(super) fn addresses_in_bounds(program: &LlvmModule<'_>) {
    let blocks = bodies(program).flat_map(|function| function.get_basic_blocks());
    for instruction in blocks.flat_map(|block| block.get_instructions()) {
        if instruction.get_opcode() == InstructionOpcode::GetElementPtr {
            // SAFETY: the instruction computes an address.
            unsafe { LLVMSetIsInBounds(instruction.as_value_ref(), 1) };
        }
    }
}

/// Keeps globals that nothing refers to.
pub(super) fn keep<'c>(context: &'c Context, program: &LlvmModule<'c>, used: &[String]) {
    let found = used.iter().filter_map(|name| program.get_global(name));
    let addresses: Vec<_> = found.map(|global| global.as_pointer_value()).collect();
    if !addresses.is_empty() {
        let list = context.ptr_type(AddressSpace::default()).const_array(&addresses);
        let global = program.add_global(list.get_type(), None, "llvm.used");
        global.set_linkage(Linkage::Appending);
        global.set_section(Some("llvm.metadata"));
        global.set_initializer(&list);
    }
}

/// Puts each function that has no section into one of its own.
pub(super) fn separate(program: &LlvmModule<'_>) {
    for function in program.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        if function.get_section().is_none() {
            let name = function.get_name().to_string_lossy();
            function.set_section(Some(&format!(".text.{name}")));
        }
    }
}

/// Requests DWARF 4, which the readers of deferred log formats understand.
pub(super) fn dwarf_version<'c>(context: &'c Context, program: &LlvmModule<'c>) {
    let version = context.i32_type().const_int(4, false);
    program.add_basic_value_flag("Dwarf Version", FlagBehavior::Warning, version);
}

/// Gives all functions with a body the same processor and features, since LLVM would not inline between them otherwise.
/// No function unwinds, and none keeps values below the stack pointer, where interrupts would overwrite them. The level
/// decides whether functions are compiled for size, those of the runtime too.
pub(super) fn unify(context: &Context, program: &LlvmModule<'_>, machine: &Machine, level: Level) {
    let ours = [
        Some(string(context, "target-cpu", &machine.cpu)),
        (!machine.features.is_empty()).then(|| string(context, "target-features", &machine.features)),
        Some(plain(context, "nounwind")),
        machine.interrupts_use_the_stack().then(|| plain(context, "noredzone")),
    ];
    let by_level: &[&str] = match level {
        Level::O0 | Level::Og | Level::O1 | Level::O2 | Level::O3 => &[],
        Level::Os => &["optsize"],
        Level::Oz => &["optsize", "minsize"],
    };
    for function in bodies(program) {
        for foreign in ["target-cpu", "target-features", "tune-cpu", "probe-stack", "frame-pointer"] {
            function.remove_string_attribute(AttributeLoc::Function, foreign);
        }
        function.remove_enum_attribute(AttributeLoc::Function, Attribute::get_named_enum_kind_id("uwtable"));
        for attribute in ours.into_iter().flatten() {
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        if matches!(level, Level::O2 | Level::O3) {
            function.remove_enum_attribute(AttributeLoc::Function, Attribute::get_named_enum_kind_id("optsize"));
        }
        if !has(function, "optnone") {
            for name in by_level {
                function.add_attribute(AttributeLoc::Function, plain(context, name));
            }
        }
    }
}

/// Lets debuggers and `clefc` find the callers of a trap: of functions that never return, LLVM would store no return
/// address, nor of those that end by calling one. The program's functions are those whose symbol has this prefix; those of
/// the runtime that lead to a trap are cold. For functions that are optimised completely.
pub(super) fn keep_return_addresses(program: &LlvmModule<'_>, prefix: &str) {
    let noreturn = Attribute::get_named_enum_kind_id("noreturn");
    let is_program = |function: &FunctionValue<'_>| function.get_name().to_bytes().starts_with(prefix.as_bytes());
    for function in bodies(program).filter(|function| is_program(function) || has(*function, "cold")) {
        function.remove_enum_attribute(AttributeLoc::Function, noreturn);
    }
}

/// The largest function, in instructions, that others are inlined into.
const LARGEST_CALLER: usize = 5_000;

/// Prevents inlining of functions with several calls into very large ones. LLVM limits the size of the callee, not of
/// the caller, and code generation takes quadratic time for some large functions.
pub(super) fn bound_inlining(context: &Context, program: &LlvmModule<'_>) {
    for function in bodies(program) {
        let instructions = || function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        if instructions().nth(LARGEST_CALLER).is_none() {
            continue;
        }
        for call in instructions().filter_map(|instruction| CallSiteValue::try_from(instruction).ok()) {
            if call.get_called_fn_value().is_some_and(has_several_uses) {
                call.add_attribute(AttributeLoc::Function, plain(context, "noinline"));
            }
        }
    }
}

pub(super) fn has_several_uses(function: FunctionValue<'_>) -> bool {
    let value = function.as_global_value().as_pointer_value();
    value.get_first_use().is_some_and(|first| first.get_next_use().is_some())
}

/// The longest block, in instructions, that the machine outliner searches for repeated sequences.
const LONGEST_OUTLINED: usize = 2_000;

/// Excludes functions with very long blocks from the machine outliner, whose time is quadratic in the length of a
/// block.
pub(super) fn bound_outlining(context: &Context, program: &LlvmModule<'_>) {
    for function in bodies(program) {
        let is_long = |block: &BasicBlock<'_>| block.get_instructions().nth(LONGEST_OUTLINED).is_some();
        if function.get_basic_blocks().iter().any(is_long) {
            function.add_attribute(AttributeLoc::Function, string(context, "nooutline", ""));
        }
    }
}

/// Copies values of several words word by word on x86-64. The code generator would copy two words by one vector, and the
/// processor cannot forward words that were just stored, such as a result in memory, to the load of a vector. For functions
/// that are optimised completely: those that have vectors keep them.
pub(super) fn copy_words(context: &Context, program: &LlvmModule<'_>, machine: &Machine) {
    if machine.instruction_set() == InstructionSet::X86_64 {
        for function in bodies(program) {
            function.add_attribute(AttributeLoc::Function, plain(context, "noimplicitfloat"));
        }
    }
}

/// Makes the code generator report every frame of more than zero bytes.
pub(super) fn report_frames(context: &Context, program: &LlvmModule<'_>) {
    for function in bodies(program) {
        function.add_attribute(AttributeLoc::Function, string(context, "warn-stack-size", "0"));
    }
}

fn bodies<'c>(program: &LlvmModule<'c>) -> impl Iterator<Item = FunctionValue<'c>> {
    program.get_functions().filter(|function| function.count_basic_blocks() > 0)
}

/// Whether a function has an attribute.
pub(super) fn has(function: FunctionValue<'_>, name: &str) -> bool {
    function.get_enum_attribute(AttributeLoc::Function, Attribute::get_named_enum_kind_id(name)).is_some()
}

fn plain(context: &Context, name: &str) -> Attribute {
    context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0)
}

fn string(context: &Context, name: &str, value: &str) -> Attribute {
    context.create_string_attribute(name, value)
}
