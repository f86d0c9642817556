//! Errors of MLIR or LLVM, as data.

use std::fmt;

use melior::{diagnostic::Diagnostic, ir::Location};

/// A source place, as locations of generated code name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// Something that a verifier, a pass, the LLVM linker or the code generator rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// The place in the source that the code was generated for.
    pub place: Option<Place>,
    /// Notes attached to it.
    pub notes: Vec<String>,
}

impl Fault {
    /// A fault without a place.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Fault { message: message.into(), place: None, notes: Vec::new() }
    }

    /// A fault at the location of an operation.
    pub(crate) fn at(location: Location, message: impl Into<String>) -> Self {
        Fault { message: message.into(), place: place(location), notes: Vec::new() }
    }

    /// What MLIR reports.
    pub(crate) fn of(diagnostic: &Diagnostic) -> Self {
        let notes = (0..diagnostic.note_count())
            .filter_map(|index| diagnostic.note(index).ok())
            .map(|note| note.to_string())
            .collect();
        Fault { message: diagnostic.to_string(), place: place(diagnostic.location()), notes }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Place { file, line, column }) = &self.place {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        write!(f, "{}", self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n  note: {note}"))
    }
}

impl std::error::Error for Fault {}

/// The source place of a location, also inside names, call sites and fused debug scopes.
pub(crate) fn place(location: Location) -> Option<Place> {
    if location.is_file_line_col_range() {
        let file = location.file_line_col_range_filename();
        Some(Place {
            file: file.as_string_ref().as_str().unwrap_or_default().to_owned(),
            line: location.file_line_col_range_start_line(),
            column: location.file_line_col_range_start_column(),
        })
    } else if location.is_fused() {
        (0..location.fused_num_locations()).find_map(|index| place(location.fused_location(index)))
    } else if location.is_name() {
        place(location.name_child_location())
    } else if location.is_call_site() {
        place(location.call_site_callee())
    } else {
        None
    }
}
