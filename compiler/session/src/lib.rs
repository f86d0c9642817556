//! The compiler as a library, for the command line, the test runner and editors.
//!
//! In: source files or texts, and what is wanted of them. Out: products, and diagnostics as data. Nothing here writes
//! to a terminal: whoever makes a [`Session`] says where its reports go.
//!
//! A [`Session`] is the state of a run from start to end. [`program`] reads what a path names or takes texts,
//! [`machine`] finds the target and the board, and [`pipeline`] makes the products of a [`job`].
//!
//! An editor checks a program that is in memory, in a new session for each version of it:
//!
//! ```
//! use clef_session::{
//!     Session,
//!     machine::{self, MachineChoice},
//!     options::SessionOptions,
//!     pipeline,
//!     program::Program,
//! };
//!
//! let mut session = Session::new(SessionOptions::default(), |_, _| {});
//! let program = Program::in_memory(&mut session, [("main.clef", "printfn $\"{1 + answer}\"\n")]);
//! let (_, diagnostics) = session.collect(|session| {
//!     let choice = MachineChoice { board: Some("microbit".into()), ..MachineChoice::default() };
//!     let machine = machine::resolve(session, &choice, None)?;
//!     pipeline::check(session, &program.files, &machine)
//! });
//!
//! let [unknown] = diagnostics.as_slice() else { panic!("there is one error") };
//! assert_eq!(unknown.code.0, "E0301");
//! let place = unknown.primary.as_ref().map(|label| session.sources.place(label.span));
//! assert_eq!(place.as_deref(), Some("main.clef:1:16"));
//! ```

pub mod emit;
pub mod job;
pub mod library;
pub mod library_files;
pub mod machine;
pub mod options;
pub mod pipeline;
pub mod platform;
pub mod processor;
pub mod products;
pub mod program;
pub mod project;
pub mod report;
mod static_data;
mod storage_json;
pub mod timings;

use crate::{
    options::{DenyChoice, SessionOptions},
    report::{Report, Sink},
    timings::{Progress, Timings},
};
use clef_base::{Diagnostic, HashMap, Severity, SourceMap, diagnostic::has_errors};
use clef_descriptors::Resolver;
use clef_host::user_files::UserFiles;
use std::{
    cell::RefCell,
    io, mem,
    path::{Path, PathBuf},
    rc::Rc,
};

/// Reads a descriptor.
type ReadDescriptor = dyn Fn(&Path) -> io::Result<String>;

/// The state of one run.
pub struct Session {
    /// All files that were read.
    pub sources: SourceMap,
    options: SessionOptions,
    /// The current step of the compiler.
    pub(crate) progress: Progress,
    /// The files of the user that were read and written.
    pub files: Rc<UserFiles>,
    /// Reads descriptors as files of the user.
    descriptor: Box<ReadDescriptor>,
    sink: Box<Sink>,
}

impl Session {
    /// A new session, which sends its reports to `sink`.
    pub fn new(options: SessionOptions, sink: impl Fn(&SourceMap, Report<'_>) + 'static) -> Session {
        Session::with_unsaved(options, HashMap::default(), sink)
    }

    /// The same, but with texts that are read in place of the files with these canonical paths.
    pub fn with_unsaved(
        options: SessionOptions,
        unsaved: HashMap<PathBuf, String>,
        sink: impl Fn(&SourceMap, Report<'_>) + 'static,
    ) -> Session {
        let files = Rc::new(UserFiles::new(options.commands.clone()).with_unsaved(unsaved));
        let reader = Rc::clone(&files);
        let descriptor = Box::new(move |path: &Path| reader.descriptor(path));
        let progress = Progress::new(options.timings);
        Session { sources: SourceMap::default(), options, progress, files, descriptor, sink: Box::new(sink) }
    }

    /// Begins a step.
    pub fn enter(&mut self, phase: &'static str) {
        self.progress.enter(phase);
    }

    /// The current step, for reports of compiler bugs.
    pub fn phase(&self) -> &'static str {
        self.progress.phase
    }

    /// Ends the last step; returns the time of each, if they are measured.
    pub fn finish(&mut self) -> Option<&Timings> {
        self.enter("end");
        self.progress.timings.as_ref()
    }

    /// Runs `work`; returns its result, and all its diagnostics in place of sending them to the sink: warnings in the
    /// order in which they were found, and then the errors.
    pub fn collect<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, Vec<Diagnostic>>,
    ) -> (Option<T>, Vec<Diagnostic>) {
        let found = Rc::new(RefCell::new(Vec::new()));
        let collected = Rc::clone(&found);
        let collector = move |_: &SourceMap, report: Report<'_>| match report {
            Report::Diagnostics(diagnostics) => collected.borrow_mut().extend_from_slice(diagnostics),
            Report::Memory(_) => {}
        };
        let sink = mem::replace(&mut self.sink, Box::new(collector));
        let result = work(self);
        self.sink = sink;
        let mut found = found.take();
        match result {
            Ok(value) => (Some(value), found),
            Err(errors) => {
                found.extend(self.judged(errors));
                (None, found)
            }
        }
    }

    /// Returns errors, including denied warnings; reports other warnings.
    pub fn settle(&self, diagnostics: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
        let diagnostics = self.judged(diagnostics);
        if has_errors(&diagnostics) {
            return Err(diagnostics);
        }
        if !diagnostics.is_empty() {
            self.report(Report::Diagnostics(&diagnostics));
        }
        Ok(())
    }

    /// Drops allowed warnings, and makes denied ones errors.
    pub fn judged(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let is_warning = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Warning;
        diagnostics.retain(|diagnostic| {
            !is_warning(diagnostic) || !self.options.allow.iter().any(|choice| choice.holds(diagnostic.code))
        });
        for diagnostic in diagnostics.iter_mut().filter(|diagnostic| is_warning(diagnostic)) {
            if self.options.deny.iter().any(|choice| choice.holds(diagnostic.code)) {
                diagnostic.severity = Severity::Error;
            }
        }
        diagnostics
    }

    /// Whether programs whose memory use has no bound are rejected.
    pub fn denies_unbounded(&self) -> bool {
        self.options.deny.contains(&DenyChoice::Unbounded)
    }

    /// Sends a report to the sink.
    pub(crate) fn report(&self, report: Report<'_>) {
        (self.sink)(&self.sources, report);
    }

    /// A resolver of targets and boards; the user's own are read from files.
    pub fn resolver(&mut self) -> Resolver<'_> {
        Resolver::new(&mut self.sources, &*self.descriptor)
    }
}
