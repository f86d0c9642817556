//! Links the program and the runtime into one LLVM module.

use inkwell::{
    context::Context,
    llvm_sys::{linker::LLVMLinkModules2, prelude::LLVMModuleRef},
    memory_buffer::MemoryBuffer,
    module::Module as LlvmModule,
    targets::TargetMachine,
};
use std::ffi::{CString, c_char};

use super::{diagnostics::Diagnostics, passes::owned_message};
use crate::Fault;

/// Sets the machine's triple and data layout on a module.
pub(super) fn adopt(program: &LlvmModule<'_>, target: &TargetMachine) {
    program.set_triple(&target.get_triple());
    program.set_data_layout(&target.get_target_data().get_data_layout());
}

unsafe extern "C" {
    /// Links the runtime; the result is null, or a message that LLVM frees. See `link.cpp`.
    fn clef_llvm_link_runtime(
        program: LLVMModuleRef,
        bitcode: *const c_char,
        size: usize,
        roots: *const *const c_char,
        count: usize,
    ) -> *mut c_char;
}

/// Links what the program needs of the runtime's bitcode, and the symbols of `roots`. The runtime may have been compiled
/// for a compatible triple, such as one with another float ABI, as long as the types of its interface are the same.
pub(super) fn runtime(
    program: &LlvmModule<'_>,
    bitcode: &[u8],
    roots: &[&str],
    diagnostics: &Diagnostics<'_>,
) -> Result<(), Vec<Fault>> {
    let names: Result<Vec<CString>, _> = roots.iter().map(|root| CString::new(*root)).collect();
    let names = names.map_err(|error| vec![Fault::new(error.to_string())])?;
    let roots: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    // SAFETY: the module lives, and all pointers are valid during the call, with their lengths.
    let message = unsafe {
        let (bytes, size) = (bitcode.as_ptr().cast(), bitcode.len());
        clef_llvm_link_runtime(program.as_mut_ptr(), bytes, size, roots.as_ptr(), roots.len())
    };
    diagnostics.errors()?;
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: LLVM made the message, and it is freed once.
    let message = unsafe { owned_message(message) };
    Err(vec![Fault::new(format!("the runtime is unreadable: {message}"))])
}

/// Removes the assembly of the runtime, which is boot code and handlers of faults, with the lists of what it and boot
/// loaders refer to.
pub(super) fn remove_boot_code(program: &LlvmModule<'_>) {
    program.set_inline_assembly("");
    for list in ["llvm.compiler.used", "llvm.used"].into_iter().filter_map(|name| program.get_global(name)) {
        // SAFETY: nothing refers to the list, which is not used after this.
        unsafe { list.delete() };
    }
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
