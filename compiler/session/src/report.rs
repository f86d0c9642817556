//! What a session reports before its result is known.
//!
//! The errors of a step are its result, not a report.

use clef_base::{Diagnostic, SourceMap};
use clef_image::MemoryTable;

/// A report.
#[derive(Clone, Copy)]
pub enum Report<'a> {
    /// Warnings.
    Diagnostics(&'a [Diagnostic]),
    /// The memory of the board, and what an image that does not fit takes of it.
    Memory(&'a MemoryTable),
}

/// Receives reports, with the source files that they point into.
pub(crate) type Sink = dyn Fn(&SourceMap, Report<'_>);
