//! What a run carries from start to end: the source files, and how diagnostics are shown.

use crate::{cli::ColourChoice, image::MemoryTable, source_files::read_descriptor};
use clef_base::{Diagnostic, Severity, SourceMap, render};
use clef_target::Resolver;
use std::{
    env,
    io::{self, IsTerminal, Write},
};

/// More diagnostics than anybody reads at once.
const MOST_SHOWN: usize = 100;

/// The state of one run.
pub struct Session {
    /// All files that were read.
    pub sources: SourceMap,
    colour: render::Colour,
    /// What the compiler is doing, for reports of its own bugs.
    pub phase: &'static str,
}

impl Session {
    /// A run that has read nothing yet.
    pub fn new(choice: ColourChoice) -> Session {
        let colour = match choice {
            ColourChoice::Always => render::Colour::Ansi,
            ColourChoice::Never => render::Colour::Plain,
            ColourChoice::Auto if on_terminal() && !no_colour() => render::Colour::Ansi,
            ColourChoice::Auto => render::Colour::Plain,
        };
        Session { sources: SourceMap::default(), colour, phase: "start" }
    }

    /// Shows diagnostics on standard error; of very many, the first.
    pub fn report(&self, diagnostics: &[Diagnostic]) {
        let shown = &diagnostics[..diagnostics.len().min(MOST_SHOWN)];
        let texts = shown.iter().map(|diagnostic| render::render(&self.sources, diagnostic, self.colour));
        say(&texts.collect::<Vec<_>>().join("\n"));
        if diagnostics.len() > shown.len() {
            say(&format!("\n{} more are not shown\n", diagnostics.len() - shown.len()));
        }
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        if errors > 1 {
            self.progress(&format!("{errors} errors"));
        }
    }

    /// Shows what an image takes of the board's memory.
    pub fn table(&self, memory: &MemoryTable) {
        say(&memory.to_string());
    }

    /// A line about what is going on, for people only.
    pub fn progress(&self, line: &str) {
        if on_terminal() {
            say(&format!("{line}\n"));
        }
    }

    /// Finds targets and boards; the user's own are read from files.
    pub fn resolver(&mut self) -> Resolver<'_> {
        Resolver::new(&mut self.sources, &read_descriptor)
    }
}

/// Writes to standard error. Where that is closed there is nobody to tell.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn on_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether the user wants no colour anywhere: <https://no-color.org>.
fn no_colour() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
