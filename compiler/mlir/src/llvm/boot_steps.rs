//! Boot steps that a program does not need.
//!
//! In: an optimised program with the runtime. Out: the same without the initialisation of variables if it has none, and
//! without that of the FPU if it computes with no floating-point values.

use inkwell::{
    module::{Linkage, Module as LlvmModule},
    types::{AnyType as _, AnyTypeEnum},
    values::{FunctionValue, GlobalValue, InstructionOpcode, InstructionValue},
};

use super::{calls::address_is_taken, conventions::calls, stack_arguments::instruction_of};

/// A step: the runtime's function, and whether the program needs it.
type Step = (&'static str, fn(&LlvmModule<'_>) -> bool);

const STEPS: [Step; 2] = [("clef_initialise_memory", has_variables), ("clef_enable_fpu", has_floats)];

/// Removes the steps that a program does not need.
pub(super) fn drop_unneeded(program: &LlvmModule<'_>) {
    for (name, is_needed) in STEPS {
        match program.get_function(name) {
            Some(step) if !is_needed(program) && !address_is_taken(step) => remove(program, step),
            Some(_) | None => {}
        }
    }
}

fn remove(program: &LlvmModule<'_>, step: FunctionValue<'_>) {
    let all: Vec<_> = program.get_functions().flat_map(calls).collect();
    let is_call = |callee| callee == Some(step);
    for call in all.into_iter().filter(|call| is_call(call.get_called_fn_value())) {
        instruction_of(call).erase_from_basic_block();
    }
    // SAFETY: nothing uses it any more.
    unsafe { step.delete() };
}

fn has_variables(program: &LlvmModule<'_>) -> bool {
    // Appending globals are lists for LLVM.
    let is_variable = |global: &GlobalValue<'_>| {
        !global.is_constant() && !global.is_declaration() && global.get_linkage() != Linkage::Appending
    };
    program.get_globals().any(|global| is_variable(&global))
}

/// Whether an instruction, a parameter or a stored constant is of a floating-point type; all other uses of such values
/// follow from these.
fn has_floats(program: &LlvmModule<'_>) -> bool {
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
