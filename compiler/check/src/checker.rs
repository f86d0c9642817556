//! The checker: its state, and what every construct uses.
//!
//! The methods that check a construct are in the folder and the file of that construct. Each takes syntax and an
//! expectation, adds to the graph, and returns the node.

use crate::state::{Declared, Deferred, Expect, Frames, GraphBuilder, Input, Reports, Unit};
use clef_analysis::matches::Match;
use clef_base::{Diagnostic, Severity, SourceMap, Span};
use clef_infer::{Inference, Ty};
use clef_scopes::{Names, Owner, Recording, TypeScopes};
use clef_syntax::ast::Ast;
use clef_types::TargetFacts;

/// The state of one run of [`crate::check`].
#[derive(Clone)]
pub(crate) struct Checker<'a> {
    /// The files.
    pub(crate) input: Input<'a>,
    /// The graph so far.
    pub(crate) graph: GraphBuilder,
    /// What is known of type variables.
    pub(crate) inference: Inference,
    /// The names in scope.
    pub(crate) names: Names,
    /// The named type variables in scope.
    pub(crate) type_scopes: TypeScopes,
    /// The lambdas around the current expression.
    pub(crate) frames: Frames,
    /// What declarations mean.
    pub(crate) declared: Declared,
    /// The checks that wait until more types are known.
    pub(crate) deferred: Deferred,
    /// The diagnostics so far.
    pub(crate) reports: Reports,
    /// What names mean, for editors.
    pub(crate) recording: Recording,
}

impl<'a> Checker<'a> {
    /// A checker that has declared the functions of the language; `first` is the first file.
    pub(crate) fn new(first: &'a Ast, sources: &'a SourceMap, facts: TargetFacts, runs_tests: bool) -> Checker<'a> {
        Checker {
            input: Input { sources, facts, ast: first, library: false, later: &[], runs_tests },
            graph: GraphBuilder::default(),
            inference: Inference::default(),
            names: Names::default(),
            type_scopes: TypeScopes::default(),
            frames: Frames::default(),
            declared: Declared::default(),
            deferred: Deferred::default(),
            reports: Reports::default(),
            recording: Recording::default(),
        }
    }

    /// The same state for other files.
    pub(crate) fn with_input<'b>(self, input: Input<'b>) -> Checker<'b> {
        let Checker { input: _, graph, inference, names, type_scopes, frames, declared, deferred, reports, recording } =
            self;
        Checker { input, graph, inference, names, type_scopes, frames, declared, deferred, reports, recording }
    }

    /// Checks files in order; each sees those before it.
    pub(crate) fn units(&mut self, units: &'a [Unit<'a>]) {
        for (index, unit) in units.iter().enumerate() {
            self.input.ast = unit.ast;
            self.input.library = unit.owner == Owner::Library;
            self.names.owner = unit.owner;
            self.input.later = &units[index + 1..];
            self.find_collections();
            self.unit();
            if self.input.library {
                self.declared.library_types = self.graph.psg.declared_types.len() as u32;
            }
        }
    }

    /// Defers a match until all types are known.
    pub(crate) fn look_at_later(&mut self, pending: Match) {
        if !self.input.library {
            self.deferred.matches.push(pending);
        }
    }

    /// Adds a diagnostic; warnings about the library are dropped.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.input.library && diagnostic.severity == Severity::Warning {
            return;
        }
        self.reports.diagnostics.push(diagnostic);
    }

    /// Unifies the type of an expression with the expected one.
    pub(crate) fn expect(&mut self, span: Span, expect: &Expect, actual: &Ty) {
        if let Err(error) = self.inference.unify(&expect.ty, actual) {
            self.report_mismatch(span, expect, actual, &error);
        }
    }
}
