//! LLVM's passes, with workarounds for what LLVM 22.1.8 gets wrong in them; see `passes.cpp`.

use inkwell::{
    llvm_sys::{core::LLVMDisposeMessage, prelude::LLVMModuleRef, target_machine::LLVMTargetMachineRef},
    module::Module as LlvmModule,
    targets::TargetMachine,
};
use std::ffi::{CStr, CString, c_char};

use crate::Fault;

unsafe extern "C" {
    /// Runs a pipeline; the result is null, or a message that LLVM frees.
    fn clef_llvm_run_passes(module: LLVMModuleRef, passes: *const c_char, machine: LLVMTargetMachineRef)
    -> *mut c_char;
}

/// Runs a pipeline, written as `opt` reads it.
pub(super) fn run(program: &LlvmModule<'_>, passes: &str, machine: &TargetMachine) -> Result<(), Fault> {
    let passes = CString::new(passes).map_err(|error| Fault::new(error.to_string()))?;
    // SAFETY: module and machine live, and the string ends with a zero.
    let message = unsafe { clef_llvm_run_passes(program.as_mut_ptr(), passes.as_ptr(), machine.as_mut_ptr()) };
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: LLVM made the message, and it is freed once.
    Err(Fault::new(unsafe { owned_message(message) }))
}

/// The text of a message.
///
/// # Safety
/// LLVM made the message, which ends with a zero, and nothing uses it afterwards.
pub(super) unsafe fn owned_message(message: *mut c_char) -> String {
    // SAFETY: see above.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
