//! What LLVM reports while it works on a context: errors, and the requested frame sizes.

use std::{
    cell::RefCell,
    ffi::{CStr, c_void},
    marker::PhantomData,
};

use inkwell::{
    context::Context,
    llvm_sys::{
        LLVMDiagnosticSeverity,
        core::{
            LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
        },
        prelude::LLVMDiagnosticInfoRef,
    },
};

use super::Frame;
use crate::Fault;

type Reports = RefCell<Vec<(LLVMDiagnosticSeverity, String)>>;

/// Collects the diagnostics of a context for as long as it lives.
pub(super) struct Diagnostics<'c> {
    context: &'c Context,
    reports: *mut Reports,
    owns: PhantomData<Reports>,
}

extern "C" fn handle(diagnostic: LLVMDiagnosticInfoRef, reports: *mut c_void) {
    // SAFETY: `reports` is what `attach` returned, which lives until the handler is detached; LLVM owns the diagnostic
    // during the call, and we dispose of its description.
    unsafe {
        let text = LLVMGetDiagInfoDescription(diagnostic);
        let report = (LLVMGetDiagInfoSeverity(diagnostic), CStr::from_ptr(text).to_string_lossy().into_owned());
        LLVMDisposeMessage(text);
        (*reports.cast::<Reports>()).borrow_mut().push(report);
    }
}

impl<'c> Diagnostics<'c> {
    pub(super) fn attach(context: &'c Context) -> Self {
        let reports = Box::into_raw(Box::<Reports>::default());
        // SAFETY: the context lives, and `drop` detaches the handler before the reports go.
        unsafe { LLVMContextSetDiagnosticHandler(context.raw(), Some(handle), reports.cast()) };
        Diagnostics { context, reports, owns: PhantomData }
    }

    fn reports(&self) -> &Reports {
        // SAFETY: made by `attach`, freed by `drop`, and only ever borrowed through the cell.
        unsafe { &*self.reports }
    }

    /// The errors so far, if there are any.
    pub(super) fn errors(&self) -> Result<(), Vec<Fault>> {
        let reports = self.reports().borrow();
        let errors = reports.iter().filter(|(severity, _)| *severity == LLVMDiagnosticSeverity::LLVMDSError);
        let errors: Vec<_> = errors.map(|(_, message)| Fault::new(message.as_str())).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The frames so far, by name.
    pub(super) fn frames(&self) -> Vec<Frame> {
        let mut frames: Vec<_> = self.reports().borrow().iter().filter_map(|(_, message)| frame(message)).collect();
        frames.sort();
        frames
    }
}

impl Drop for Diagnostics<'_> {
    fn drop(&mut self) {
        // SAFETY: the context lives; once no handler is attached, nothing else refers to the reports.
        unsafe {
            LLVMContextSetDiagnosticHandler(self.context.raw(), None, std::ptr::null_mut());
            drop(Box::from_raw(self.reports));
        }
    }
}

/// Reads `file:1:2: stack frame size (16) exceeds limit (0) in function 'name'`.
fn frame(message: &str) -> Option<Frame> {
    let (_, size) = message.split_once("stack frame size (")?;
    let (bytes, rest) = size.split_once(')')?;
    let (_, function) = rest.split_once("in function '")?;
    Some(Frame { function: function.strip_suffix('\'')?.to_owned(), bytes: bytes.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::{Frame, frame};

    #[test]
    fn a_frame_is_read_from_its_report() {
        let message = "a.clef:1:1: stack frame size (24) exceeds limit (0) in function 'main'";
        assert_eq!(frame(message), Some(Frame { function: "main".to_owned(), bytes: 24 }));
        assert_eq!(frame("something else"), None);
    }
}
