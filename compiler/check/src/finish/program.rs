//! The end of a run: deferred checks, then the analyses that need all types.
//!
//! In: a checker that has checked all files. Out: the graph with interned types, or errors; warnings in both cases. An
//! analysis runs only if nothing before it reported an error; matches are checked in each file without one.

use crate::checker::Checker;
use clef_analysis::{
    ffi_boundary,
    matches::{self, Spelling},
    sections,
    sequences::{self, Generator},
};
use clef_base::{
    Diagnostic, Severity,
    diagnostic::{has_errors, without_consequences},
};
use clef_psg::Psg;

impl Checker<'_> {
    /// Writes all types into the graph, then runs the analyses that depend on them.
    pub(crate) fn finish(mut self) -> (Option<Psg>, Vec<Diagnostic>) {
        let diagnostics = self.complete();
        let is_complete = self.reports.broken_files.is_empty() && !has_errors(&diagnostics);
        (is_complete.then_some(self.graph.psg), diagnostics)
    }

    /// Does the same, and keeps what is known. Without an error, the graph is that of the program.
    pub(crate) fn complete(&mut self) -> Vec<Diagnostic> {
        self.input.library = false;
        self.settle_products();
        self.report_enum_conversions();
        self.report_restricted();
        self.settle_conversions();
        let large = self.graph.intern_types(&mut self.inference);
        if let Some(node) = large.filter(|_| !self.has_errors()) {
            self.report_large(self.graph.span_of(node));
        }
        if !self.has_errors() {
            self.expand_zero_arrays();
            self.find_priorities();
            self.expand_handlers();
        }
        self.check_matches();
        if !self.has_errors() {
            self.analyse();
        }
        if !self.has_errors() {
            self.expand_sequences();
        }
        let found = std::mem::take(&mut self.reports.diagnostics);
        let is_rejection = |diagnostic: &Diagnostic| {
            let place = diagnostic.primary.as_ref().map(|label| label.span);
            place.is_some_and(|place| self.reports.rejected.contains(&place))
        };
        let (mut diagnostics, others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_rejection);
        let others = without_consequences(self.input.sources, &diagnostics, others);
        diagnostics.extend(others);
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|label| label.span));
        diagnostics
    }

    fn has_errors(&self) -> bool {
        !self.reports.broken_files.is_empty() || has_errors(&self.reports.diagnostics)
    }

    fn analyse(&mut self) {
        self.report_unused();
        self.report_unused_opens();
        self.reports.diagnostics.extend(ffi_boundary::check(&mut self.graph.psg));
        self.reports.diagnostics.extend(sections::check(&self.graph.psg));
    }

    /// Checks the matches of files without an error.
    fn check_matches(&mut self) {
        let qualifiers = std::mem::take(&mut self.deferred.qualifiers);
        let spelling = Spelling { qualifiers: &qualifiers, quoted: clef_syntax::print::quoted };
        let errors = self.reports.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let mut broken = self.reports.broken_files.clone();
        broken.extend(errors.filter_map(|error| error.primary.as_ref()).map(|label| label.span.file));
        let (has_errors, psg) = (self.has_errors(), &mut self.graph.psg);
        for pending in std::mem::take(&mut self.deferred.matches) {
            if !has_errors || !broken.contains(&pending.span.file) && matches::has_known_types(psg, &pending) {
                self.reports.diagnostics.extend(matches::check(psg, &pending, spelling));
            }
        }
    }

    /// Makes state machines of the sequences.
    fn expand_sequences(&mut self) {
        for (lambda, item) in std::mem::take(&mut self.deferred.generators) {
            let item = self.inference.finish(&item, &mut self.graph.psg.types);
            let generator = Generator { lambda, item };
            let diagnostics = sequences::expand(&mut self.graph.psg, &self.deferred.yields, generator);
            self.reports.diagnostics.extend(diagnostics);
        }
    }
}
