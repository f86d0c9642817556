//! Bugs of the compiler itself, which must never be reported as errors of the user's program.

use crate::Span;

/// A broken invariant, with the phase that detected it. [`bug`] panics with it; the driver reports an internal error.
#[derive(Clone, Debug)]
pub struct Bug {
    /// The phase that detected it, for example `lower`.
    pub phase: &'static str,
    /// The location in the user's program that was being compiled.
    pub span: Option<Span>,
    /// The invariant.
    pub message: String,
}

/// Aborts the compiler: an invariant that earlier phases should have established does not hold.
#[track_caller]
pub fn bug(phase: &'static str, span: impl Into<Option<Span>>, message: impl Into<String>) -> ! {
    std::panic::panic_any(Bug { phase, span: span.into(), message: message.into() })
}
