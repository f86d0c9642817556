//! What the user sees on standard error: diagnostics and other reports, as text or as JSON.
//!
//! In: data from the libraries. Out: text. Nothing else in this crate chooses between text and JSON, or colours.

use crate::{
    cli::{ColourChoice, DiagnosticOptions, MessageFormat},
    messages,
};
use clef_base::{
    Diagnostic, Severity, SourceMap,
    render::{self, Colour},
};
use clef_host::say;
use clef_image::{MemoryTable, bound::Bounds};
use clef_session::{report::Report, timings::Timings};
use std::{
    env,
    io::{self, IsTerminal},
};

/// The most diagnostics that are shown.
const MAX_SHOWN: usize = 100;

/// Standard error, and how it is written to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    colour: Colour,
    format: MessageFormat,
}

impl Terminal {
    /// Standard error, as the command line wants it.
    pub(crate) fn new(options: &DiagnosticOptions) -> Terminal {
        let colour = match options.color {
            ColourChoice::Always => Colour::Ansi,
            ColourChoice::Never => Colour::Plain,
            ColourChoice::Auto if is_terminal() && !no_colour() => Colour::Ansi,
            ColourChoice::Auto => Colour::Plain,
        };
        Terminal { colour, format: options.message_format }
    }

    /// Whether output is coloured.
    pub(crate) fn colour(self) -> Colour {
        self.colour
    }

    /// Shows what a session reports.
    pub(crate) fn report(self, sources: &SourceMap, report: Report<'_>) {
        match report {
            Report::Diagnostics(diagnostics) => self.diagnostics(sources, diagnostics),
            Report::Memory(memory) => self.memory(memory),
        }
    }

    /// Shows diagnostics; if there are very many, only the first.
    pub(crate) fn diagnostics(self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        if self.is_json() {
            diagnostics.iter().for_each(|diagnostic| say(&messages::diagnostic(sources, diagnostic)));
            return;
        }
        let shown = &diagnostics[..diagnostics.len().min(MAX_SHOWN)];
        let texts = shown.iter().map(|diagnostic| render::render(sources, diagnostic, self.colour));
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
    pub(crate) fn memory(self, memory: &MemoryTable) {
        let text = memory.to_string();
        say(&if self.is_json() { messages::memory(text) } else { text });
    }

    /// Shows the upper bounds of an image's memory use.
    pub(crate) fn bounds(self, sources: &SourceMap, bounds: &Bounds) {
        let text = bounds.text(sources);
        say(&if self.is_json() { messages::bounds(bounds, text) } else { text });
    }

    /// Shows the time of each step.
    pub(crate) fn timings(self, timings: &Timings) {
        say(&if self.is_json() { messages::timings(timings) } else { timings.to_string() });
    }

    /// Reports a compiler bug.
    pub(crate) fn internal_error(self, message: &str) {
        say(&if self.is_json() { messages::internal_error(message) } else { message.to_owned() });
    }

    /// Shows a line of progress, for people only.
    pub(crate) fn progress(self, line: &str) {
        if is_terminal() && !self.is_json() {
            say(&format!("{line}\n"));
        }
    }

    /// Shows a line about the command itself, for people.
    pub(crate) fn status(self, line: &str) {
        if !self.is_json() {
            say(&format!("[{line}]\n"));
        }
    }

    /// Clears the terminal, if it is one.
    pub(crate) fn clear(self) {
        if is_terminal() && io::stdout().is_terminal() && !self.is_json() {
            say("\u{1b}[2J\u{1b}[H");
        }
    }

    fn is_json(self) -> bool {
        self.format == MessageFormat::Json
    }
}

fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether the user wants no colour anywhere: <https://no-color.org>.
fn no_colour() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
