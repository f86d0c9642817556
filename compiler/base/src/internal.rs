//! Bugs of the compiler itself: never to be taken for an error of the user's program.

use crate::Span;

/// A broken invariant, with the phase that found it. [`bug`] panics with one; the driver reports it as an internal error.
#[derive(Clone, Debug)]
pub struct Bug {
    /// The phase that found it, for example `lower`.
    pub phase: &'static str,
    /// The place in the user's program that was being handled.
    pub span: Option<Span>,
    /// What was expected to hold.
    pub message: String,
}

/// Stops the compiler: an invariant that the phases before should have established does not hold.
#[track_caller]
pub fn bug(phase: &'static str, span: impl Into<Option<Span>>, message: impl Into<String>) -> ! {
    std::panic::panic_any(Bug { phase, span: span.into(), message: message.into() })
}
