//! Boot steps that a program does not need.
//!
//! In: an optimised program with the runtime, for Cortex-M. Out: the same without the initialisation of variables if it
//! has none, and without that of the FPU if it uses no FPU registers. What the boot code still calls once is inlined into
//! it, where no prologue can use the FPU before it is enabled.

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::{Linkage, Module as LlvmModule},
    targets::TargetMachine,
    types::{AnyType as _, AnyTypeEnum},
    values::{FunctionValue, GlobalValue, InstructionOpcode, InstructionValue},
};

use super::{
    Level, Machine, attributes::has_several_uses, calls::address_is_taken, conventions::calls, passes,
    processors::Processors, stack_arguments::instruction_of,
};
use crate::Fault;

/// The function that the processor enters after reset.
const START: &str = "_start";

/// The runtime's functions that initialise the variables and the FPU.
const MEMORY: &str = "clef_initialise_memory";
const FPU: &str = "clef_enable_fpu";

/// Removes the steps that a program does not need, and inlines the rest.
pub(super) fn reduce(
    context: &Context,
    program: &LlvmModule<'_>,
    machine: &Machine,
    target: &TargetMachine,
    level: Level,
) -> Result<(), Fault> {
    if !has_variables(program) {
        remove(program, MEMORY);
    }
    if !uses_fpu(program, machine) {
        remove(program, FPU);
    }
    let may_inline = level != Level::O0 && machine.is_cortex_m() && program.get_function(FPU).is_none();
    if may_inline && inline_into_start(context, program) {
        passes::run(program, "always-inline", target)?;
    }
    Ok(())
}

/// Removes a step and its calls.
fn remove(program: &LlvmModule<'_>, name: &str) {
    let Some(step) = program.get_function(name).filter(|step| !address_is_taken(*step)) else { return };
    let all: Vec<_> = program.get_functions().flat_map(calls).collect();
    for call in all.into_iter().filter(|call| call.get_called_fn_value() == Some(step)) {
        instruction_of(call).erase_from_basic_block();
    }
    // SAFETY: nothing uses it any more.
    unsafe { step.delete() };
}

/// Marks what only the start calls to be inlined there; returns whether there is something.
fn inline_into_start(context: &Context, program: &LlvmModule<'_>) -> bool {
    let is_local = |callee: &FunctionValue<'_>| {
        callee.count_basic_blocks() > 0 && callee.get_linkage() == Linkage::Internal && !has_several_uses(*callee)
    };
    let kind = Attribute::get_named_enum_kind_id;
    let inlined = context.create_enum_attribute(kind("alwaysinline"), 0);
    let start = program.get_function(START);
    let known = start.into_iter().flat_map(calls).filter_map(|call| Some((call, call.get_called_fn_value()?)));
    let known: Vec<_> = known.filter(|(_, callee)| is_local(callee)).collect();
    for (call, callee) in &known {
        call.remove_enum_attribute(AttributeLoc::Function, kind("noinline"));
        callee.remove_enum_attribute(AttributeLoc::Function, kind("noinline"));
        callee.add_attribute(AttributeLoc::Function, inlined);
    }
    !known.is_empty()
}

fn has_variables(program: &LlvmModule<'_>) -> bool {
    // Appending globals are lists for LLVM.
    let is_variable = |global: &GlobalValue<'_>| {
        !global.is_constant() && !global.is_declaration() && global.get_linkage() != Linkage::Appending
    };
    program.get_globals().any(|global| is_variable(&global))
}

/// Whether a program uses registers of the FPU: an instruction, a parameter or a stored constant is of a floating-point
/// type, from which all other uses of such values follow; or the processor copies memory by vectors.
fn uses_fpu(program: &LlvmModule<'_>, machine: &Machine) -> bool {
    let has_vectors = |known: Processors| known.has_features(&machine.cpu, &machine.features, "+mve");
    if program.get_function(FPU).is_some() && Processors::of(&machine.triple).is_some_and(has_vectors) {
        return true;
    }
    let in_function = |function: FunctionValue<'_>| {
        let is_parameter = function.count_basic_blocks() > 0
            && function.get_param_iter().any(|parameter| is_float(parameter.get_type().as_any_type_enum()));
        let instructions = || function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        is_parameter || instructions().any(|instruction| is_float(instruction.get_type()) || stores_float(instruction))
    };
    program.get_functions().any(in_function)
}

fn stores_float(instruction: InstructionValue<'_>) -> bool {
    let stored = (instruction.get_opcode() == InstructionOpcode::Store).then(|| instruction.get_operand(0)?.value());
    stored.flatten().is_some_and(|value| is_float(value.get_type().as_any_type_enum()))
}

fn is_float(ty: AnyTypeEnum<'_>) -> bool {
    match ty {
        AnyTypeEnum::FloatType(_) | AnyTypeEnum::VectorType(_) | AnyTypeEnum::ScalableVectorType(_) => true,
        AnyTypeEnum::StructType(ty) => ty.get_field_types_iter().any(|field| is_float(field.as_any_type_enum())),
        AnyTypeEnum::ArrayType(ty) => is_float(ty.get_element_type().as_any_type_enum()),
        AnyTypeEnum::FunctionType(_)
        | AnyTypeEnum::IntType(_)
        | AnyTypeEnum::PointerType(_)
        | AnyTypeEnum::VoidType(_) => false,
    }
}
