//! A program that grows by entries: expressions and declarations that are tried one after the other.
//!
//! In: a machine, and then the text of each entry. Out: checked entries, which are added to the program when they have run. A
//! diagnostic names the entry as its file.

use super::{
    board,
    front_end::{Library, define_names, facts, parse},
};
use crate::Session;
use clef_base::{
    Diagnostic,
    diagnostic::{has_errors, without_consequences},
    internal::bug,
};
use clef_check::{
    Owner, Unit,
    entries::{Checked, Entries},
};
use clef_descriptors::Machine;
use clef_types::TargetFacts;

/// A program so far.
pub struct Interactive {
    machine: Machine,
    library: Library,
    entries: Entries,
}

impl Interactive {
    /// A program without entries, for a machine.
    pub fn new(session: &mut Session, machine: Machine) -> Interactive {
        define_names(session, &machine);
        let library = Library::add(session, &machine, machine.board.value.registers.is_some());
        let (trees, _) = parse(session, library.files());
        session.enter("check");
        let units: Vec<Unit<'_>> = trees.iter().map(|ast| Unit { ast, owner: Owner::Library }).collect();
        let Some(entries) = Entries::new(&units, &session.sources, facts(&machine.target.value)) else {
            bug("check", None, "the library has no files")
        };
        Interactive { machine, library, entries }
    }

    /// What the interpreter must know of the machine.
    pub fn facts(&self) -> TargetFacts {
        facts(&self.machine.target.value)
    }

    /// Checks an entry. Reports warnings.
    pub fn check(&self, session: &mut Session, name: &str, text: String) -> Result<Checked, Vec<Diagnostic>> {
        let file = session.sources.add(name, text);
        let (trees, mut diagnostics) = parse(session, [file].into_iter());
        session.enter("check");
        let Some(ast) = trees.into_iter().next() else { bug("parse", None, "a file has no tree") };
        let (checked, found) = self.entries.check(ast, &session.sources);
        diagnostics.extend(without_consequences(&session.sources, &diagnostics, found));
        let checked = match checked {
            Some(checked) if !has_errors(&diagnostics) => checked,
            Some(_) | None => return Err(diagnostics),
        };
        session.enter("escape");
        let mut later = clef_analysis::escape::check(checked.psg());
        later.extend(board::check(checked.psg(), &self.machine.board.value, &self.library));
        let is_of_entry =
            |diagnostic: &Diagnostic| diagnostic.primary.as_ref().is_none_or(|label| label.span.file == file);
        diagnostics.extend(later.into_iter().filter(is_of_entry));
        session.settle(diagnostics)?;
        Ok(checked)
    }

    /// Adds an entry that has run.
    pub fn add(&mut self, entry: Checked) {
        self.entries.add(entry);
    }

    /// Adds an entry that did not run to its end: its names stay what they were.
    pub fn add_unnamed(&mut self, entry: Checked) {
        self.entries.add_unnamed(entry);
    }
}
