//! Compilation sessions, for programs that call the compiler: the command line and the test runner.
//!
//! A [`Session`] is the state of a run from start to end: the source files, and how diagnostics are shown. [`program`]
//! reads what a path names, [`machine`] finds the target and the board, and [`pipeline`] makes the products of a
//! [`job`].

pub mod emit;
pub mod job;
pub mod machine;
pub mod messages;
pub mod options;
pub mod pipeline;
pub mod platform;
pub mod processor;
pub mod products;
pub mod program;
pub mod project;
mod static_data;
mod storage_json;
mod timings;

use crate::{
    options::{ColourChoice, DenyChoice, MessageFormat, Reporting},
    timings::Progress,
};
use clef_base::{Diagnostic, Severity, SourceMap, diagnostic::has_errors, render};
use clef_descriptors::Resolver;
use clef_host::{say, user_files::UserFiles};
use clef_image::{MemoryTable, bound::Bounds};
use std::{
    env,
    io::{self, IsTerminal},
    path::Path,
    rc::Rc,
};

/// The most diagnostics that are shown.
const MOST_SHOWN: usize = 100;

/// Reads a descriptor.
type ReadDescriptor = dyn Fn(&Path) -> io::Result<String>;

/// The state of one run.
pub struct Session {
    /// All files that were read.
    pub sources: SourceMap,
    colour: render::Colour,
    options: Reporting,
    /// The current step of the compiler.
    pub(crate) progress: Progress,
    /// The files of the user that were read and written.
    pub files: Rc<UserFiles>,
    /// Reads descriptors as files of the user.
    descriptor: Box<ReadDescriptor>,
}

impl Session {
    /// A new session.
    pub fn new(options: &Reporting) -> Session {
        Session::with_commands(options, Vec::new())
    }

    /// A new session for a command line with these commands, which are suggested if a source file does not exist.
    pub fn with_commands(options: &Reporting, commands: Vec<String>) -> Session {
        let colour = match options.colour {
            ColourChoice::Always => render::Colour::Ansi,
            ColourChoice::Never => render::Colour::Plain,
            ColourChoice::Auto if on_terminal() && !no_colour() => render::Colour::Ansi,
            ColourChoice::Auto => render::Colour::Plain,
        };
        let files = Rc::new(UserFiles::new(commands));
        let reader = Rc::clone(&files);
        let descriptor = Box::new(move |path: &Path| reader.descriptor(path));
        let progress = Progress::new(options.timings);
        Session { sources: SourceMap::default(), colour, options: options.clone(), progress, files, descriptor }
    }

    /// Begins a step.
    pub fn enter(&mut self, phase: &'static str) {
        self.progress.enter(phase);
    }

    /// The current step, for reports of compiler bugs.
    pub fn phase(&self) -> &'static str {
        self.progress.phase
    }

    /// Shows the time of each step, if requested.
    pub fn finish(&mut self) {
        self.enter("end");
        if let Some(timings) = &self.progress.timings {
            say(&if self.is_json() { messages::timings(timings) } else { timings.to_string() });
        }
    }

    /// Returns errors, including denied warnings; shows other warnings.
    pub fn settle(&self, diagnostics: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
        let diagnostics = self.judged(diagnostics);
        if has_errors(&diagnostics) {
            return Err(diagnostics);
        }
        self.report(diagnostics);
        Ok(())
    }

    /// Drops allowed warnings, and makes denied ones errors.
    fn judged(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
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

    /// Shows diagnostics on standard error; if there are very many, only the first.
    pub fn report(&self, diagnostics: Vec<Diagnostic>) {
        let diagnostics = self.judged(diagnostics);
        if self.is_json() {
            diagnostics.iter().for_each(|diagnostic| say(&messages::diagnostic(&self.sources, diagnostic)));
            return;
        }
        let shown = &diagnostics[..diagnostics.len().min(MOST_SHOWN)];
        let texts = shown.iter().map(|diagnostic| render::render(&self.sources, diagnostic, self.colour));
        say(&texts.collect::<Vec<_>>().join("\n"));
        if diagnostics.len() > shown.len() {
            say(&format!("\n{} more not shown\n", diagnostics.len() - shown.len()));
        }
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        if errors > 1 {
            self.progress(&format!("{errors} errors"));
        }
    }

    /// Shows the memory that an image takes on the board.
    pub fn table(&self, memory: &MemoryTable) {
        say(&if self.is_json() { messages::memory(memory.to_string()) } else { memory.to_string() });
    }

    /// Shows the upper bounds of an image's memory use.
    pub fn bounds(&self, bounds: &Bounds) {
        let text = bounds.text(&self.sources);
        say(&if self.is_json() { messages::bounds(bounds, text) } else { text });
    }

    /// Reports a compiler bug.
    pub fn internal_error(&self, message: &str) {
        say(&if self.is_json() { messages::internal_error(message) } else { message.to_owned() });
    }

    /// Whether output is coloured.
    pub fn is_coloured(&self) -> bool {
        self.colour == render::Colour::Ansi
    }

    fn is_json(&self) -> bool {
        self.options.format == MessageFormat::Json
    }

    /// Whether standard error supports colour.
    pub fn colour(&self) -> render::Colour {
        self.colour
    }

    /// Shows a line of progress, for people only.
    pub fn progress(&self, line: &str) {
        if on_terminal() && !self.is_json() {
            say(&format!("{line}\n"));
        }
    }

    /// A resolver of targets and boards; the user's own are read from files.
    pub fn resolver(&mut self) -> Resolver<'_> {
        Resolver::new(&mut self.sources, &*self.descriptor)
    }
}

fn on_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether the user wants no colour anywhere: <https://no-color.org>.
fn no_colour() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
