//! The diagnostics so far, and what suppresses consequential ones.

use clef_base::{Diagnostic, FileId, HashSet, Span, Symbol};
use clef_psg::VariableId;

/// The diagnostics of one run.
#[derive(Clone, Default)]
pub(crate) struct Reports {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The files in which the parser has reported errors: what is unknown to it has any type.
    pub(crate) broken_files: HashSet<FileId>,
    /// A type declaration was erroneous, and may have had the fields that are not found.
    pub(crate) broken_types: bool,
    /// A module that is opened is unknown, and may have had the names that are not found.
    pub(crate) unknown_open: bool,
    /// The modules that the board does not have, which were reported.
    pub(crate) absent_modules: HashSet<Symbol>,
    /// The declarations that Clef does not have: names of theirs are unknown.
    pub(crate) rejected: Vec<Span>,
    /// The functions named `mut` that were reported, since a mutable variable was meant.
    pub(crate) taken_for_mutable: HashSet<VariableId>,
}
