//! Links the program and the runtime into one LLVM module.

use inkwell::{
    context::Context, llvm_sys::linker::LLVMLinkModules2, memory_buffer::MemoryBuffer, module::Module as LlvmModule,
    targets::TargetMachine,
};

use super::diagnostics::Diagnostics;
use crate::Fault;

/// Sets the machine's triple and data layout on a module.
pub(super) fn adopt(program: &LlvmModule<'_>, target: &TargetMachine) {
    program.set_triple(&target.get_triple());
    program.set_data_layout(&target.get_target_data().get_data_layout());
}

/// Links the runtime's bitcode into the program. The runtime may have been compiled for a compatible triple, such as
/// one with another float ABI, as long as the types of its interface are the same.
pub(super) fn runtime<'c>(
    context: &'c Context,
    program: &LlvmModule<'c>,
    bitcode: &[u8],
    target: &TargetMachine,
    diagnostics: &Diagnostics<'_>,
) -> Result<(), Vec<Fault>> {
    let runtime = read(context, bitcode)
        .map_err(|message| vec![Fault::new(format!("the runtime's bitcode is unreadable: {message}"))])?;
    adopt(&runtime, target);
    join(program, runtime, diagnostics)
}

/// Links a part of a program, from its bitcode.
pub(super) fn add<'c>(
    context: &'c Context,
    program: &LlvmModule<'c>,
    bitcode: &[u8],
    diagnostics: &Diagnostics<'_>,
) -> Result<(), Vec<Fault>> {
    let part = read(context, bitcode).map_err(|message| vec![Fault::new(message)])?;
    join(program, part, diagnostics)
}

fn read<'c>(context: &'c Context, bitcode: &[u8]) -> Result<LlvmModule<'c>, String> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "part");
    LlvmModule::parse_bitcode_from_buffer(&buffer, context).map_err(|message| message.to_string())
}

/// Moves the content of a module into a program.
fn join<'c>(program: &LlvmModule<'c>, part: LlvmModule<'c>, diagnostics: &Diagnostics<'_>) -> Result<(), Vec<Fault>> {
    let source = part.as_mut_ptr();
    std::mem::forget(part);
    // SAFETY: both modules live in the same context; linking consumes the source, which is not used afterwards.
    let failed = unsafe { LLVMLinkModules2(program.as_mut_ptr(), source) } != 0;
    diagnostics.errors()?;
    if failed { Err(vec![Fault::new("a part cannot be linked to the program")]) } else { Ok(()) }
}
