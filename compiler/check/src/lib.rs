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
//!
//! Checking knows neither Core nor a target; of the latter it takes only [`TargetFacts`].

mod checker;
mod declarations;
mod expressions;
mod finish;
mod inference;
mod names;
mod patterns;
mod state;
mod types;

use checker::Checker;
use clef_base::{Diagnostic, SourceMap, Symbol};
use clef_psg::Psg;
use clef_types::TargetFacts;
use state::Meaning;
pub use state::{Owner, Unit};

/// Checks a program: the units of the library first, then those of the program in order. Returns the graph unless a
/// diagnostic is an error.
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
pub struct Library<'a>(Checker<'a>);

impl<'a> Library<'a> {
    /// Checks the units of the library; `None` without units.
    pub fn check(units: &'a [Unit<'a>], sources: &'a SourceMap, facts: TargetFacts) -> Option<Library<'a>> {
        let mut checker = Checker::new(units.first()?.ast, sources, facts, false);
        checker.units(units);
        Some(Library(checker))
    }

    /// Returns what [`check`] would for the units of the library and then a program. `sources` starts with the files of the
    /// library, followed by those of the program.
    pub fn with_program<'b>(&self, units: &'b [Unit<'b>], sources: &'b SourceMap) -> (Option<Psg>, Vec<Diagnostic>)
    where
        'a: 'b,
    {
        let mut checker: Checker<'b> = self.0.clone();
        checker.input.sources = sources;
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
}
