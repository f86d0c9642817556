//! From syntax trees to the program semantic graph: names, types and captures in one pass, then matches.
//!
//! In: the files of the library and of the program, in order. Out: a [`Psg`] that satisfies every invariant of its module,
//! or errors; warnings in both cases.
//!
//! - `state`: the parts of the checker's state, which do not know the checker.
//! - `checker`: the checker, and what every construct uses.
//! - `declarations`, `types`, `patterns`, `expressions`: a file for each construct.
//! - `names`, `inference`: what names mean, and the types of bindings and operands.
//! - `finish`: what remains when all files are checked.
//! - [`index`]: what editors ask about a program, with errors or without.
//! - [`entries`]: programs that grow by entries, for interactive use.
//!
//! Checking knows neither Core nor a target; of the latter it takes only [`TargetFacts`].

mod checker;
mod declarations;
pub mod entries;
mod expressions;
mod finish;
pub mod index;
mod inference;
mod names;
mod patterns;
mod state;
mod types;

use checker::Checker;
use clef_base::{Diagnostic, SourceMap, Symbol};
use clef_psg::Psg;
use clef_scopes::Meaning;
pub use clef_scopes::builtin_facts::ATTRIBUTES;
pub use clef_scopes::{Entity, Owner, Use};
use clef_types::TargetFacts;
use index::Index;
use state::Input;
pub use state::Unit;

/// Checks a program: the units of the library first, then those of the program in order. Returns the graph unless a
/// diagnostic is an error, or was one when the program was parsed.
pub fn check(units: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts) -> (Option<Psg>, Vec<Diagnostic>) {
    let Some(first) = units.first() else { return (Some(Psg::default()), Vec::new()) };
    let mut checker = Checker::new(first.ast, sources, facts, false);
    checker.units(units);
    checker.finish()
}

/// Checks a program that runs its tests in place of its entry point.
pub fn check_tests(units: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts) -> (Option<Psg>, Vec<Diagnostic>) {
    let Some(first) = units.first() else { return (Some(Psg::default()), Vec::new()) };
    let mut checker = Checker::new(first.ast, sources, facts, true);
    checker.units(units);
    checker.run_tests();
    checker.finish()
}

/// The library, checked once for many programs.
#[derive(Clone)]
pub struct Library(Checker<'static>);

impl Library {
    /// Checks the units of the library; `None` without units.
    pub fn check(units: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts) -> Option<Library> {
        Library::checked(units, sources, facts, false)
    }

    /// Does the same for editors: programs that are checked with it have an [`Index`].
    pub fn indexed(units: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts) -> Option<Library> {
        Library::checked(units, sources, facts, true)
    }

    fn checked(units: &[Unit<'_>], sources: &SourceMap, facts: TargetFacts, recorded: bool) -> Option<Library> {
        let mut checker = Checker::new(units.first()?.ast, sources, facts, false);
        checker.recording.on = recorded;
        checker.units(units);
        checker.record_variables();
        Some(Library(checker.with_input(Input::nothing(facts))))
    }

    /// Returns what [`check`] would for the units of the library and then a program. `sources` starts with the files of the
    /// library, followed by those of the program.
    pub fn with_program(&self, units: &[Unit<'_>], sources: &SourceMap) -> (Option<Psg>, Vec<Diagnostic>) {
        let mut checker = self.clone().0.with_input(Input { sources, ..self.0.input });
        checker.units(units);
        checker.finish()
    }

    /// The names of the types that are in scope at the start of every program.
    pub fn types_in_scope(&self) -> impl Iterator<Item = Symbol> {
        self.0.names.types.names().map(|(name, _)| name)
    }

    /// The names of the values that are in scope at the start of every program, without cases of unions and enums.
    pub fn values_in_scope(&self) -> impl Iterator<Item = Symbol> {
        let values = self.0.names.values.names();
        values
            .filter(|(_, entry)| !matches!(entry.meaning, Meaning::Case(_) | Meaning::EnumValue(..)))
            .map(|(name, _)| name)
    }

    /// Checks a program, which runs its tests if `runs_tests`, and keeps all that is known about it, also if it has errors.
    /// The library must be [`indexed`](Library::indexed). Where a name is `watch`, the index has what it could be.
    pub fn index(
        &self,
        units: &[Unit<'_>],
        sources: &SourceMap,
        (runs_tests, watch): (bool, Option<Symbol>),
    ) -> (Index, Vec<Diagnostic>) {
        let mut checker = self.clone().0.with_input(Input { sources, runs_tests, ..self.0.input });
        checker.recording.watch = watch;
        checker.units(units);
        if runs_tests {
            checker.run_tests();
        }
        checker.record_variables();
        let diagnostics = checker.complete();
        (Index::of(checker, &diagnostics), diagnostics)
    }
}
