//! A source file on the reference interpreter.

use crate::batch::File;
use clef_base::{
    Diagnostic, SourceMap,
    diagnostic::{Severity, has_errors},
    internal::Bug,
    render::{Colour, render},
};
use clef_check::{Library, Owner, Unit};
use clef_interpret::{Console, Limits, Outcome, run};
use clef_psg::Psg;
use clef_syntax::ast::Ast;
use clef_types::TargetFacts;
use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::LazyLock,
};

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With a status.
    Status(i32),
    /// With a trap, and its report.
    Trap(String),
    /// It exceeded its step limit.
    Never,
    /// With a broken invariant of the interpreter.
    Broken(String),
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// Its standard output.
    pub output: String,
    /// Its log, by lines.
    pub log: String,
    /// How it ended.
    pub end: End,
}

/// Why a source text was rejected.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The code of the first error.
    pub code: &'static str,
    /// The location of the first error: the index of the file, from 0, and the line, from 1.
    pub place: Option<(usize, usize)>,
    /// The rendered errors.
    pub rendered: String,
}

/// The maximum nesting of evaluation: functions of the prelude nest some thousand calls, and the stack of a run is
/// reserved at once.
pub(crate) const DEPTH: usize = 16_000;

/// The library's files, which come first in a source map, and their content.
struct LibraryFiles {
    sources: SourceMap,
    trees: Vec<Ast>,
}

static FILES: LazyLock<LibraryFiles> = LazyLock::new(|| {
    let mut sources = SourceMap::default();
    let files: Vec<_> = clef_library::SOURCES.iter().map(|(name, text)| sources.add(*name, *text)).collect();
    let trees = files.into_iter().map(|file| clef_syntax::parse(&sources, file).0).collect();
    LibraryFiles { sources, trees }
});

static UNITS: LazyLock<Vec<Unit<'static>>> =
    LazyLock::new(|| FILES.trees.iter().map(|ast| Unit { ast, owner: Owner::Library }).collect());

/// The library, checked for both word sizes.
static LIBRARIES: LazyLock<[(u32, Library); 2]> = LazyLock::new(|| {
    [32, 64].map(|word_bits| {
        let library = Library::check(&UNITS, &FILES.sources, TargetFacts { word_bits });
        (word_bits, library.expect("the library has files"))
    })
});

/// The checked library for a word size.
fn library(facts: TargetFacts) -> &'static Library {
    let [(first, narrow), (_, wide)] = &*LIBRARIES;
    if *first == facts.word_bits { narrow } else { wide }
}

/// Checks the library and source files, including escapes; also returns the sources.
pub(crate) fn front_end(files: &[File], facts: TargetFacts) -> (Option<Psg>, Vec<Diagnostic>, SourceMap) {
    let mut sources = FILES.sources.clone();
    let mut diagnostics = Vec::new();
    let mut trees = Vec::new();
    for file in files {
        let file = sources.add(&file.name, &file.text);
        let (tree, found) = clef_syntax::parse(&sources, file);
        trees.push(tree);
        diagnostics.extend(found);
    }
    let units: Vec<Unit<'_>> = trees.iter().map(|ast| Unit { ast, owner: Owner::Project(0) }).collect();
    let (psg, found) = library(facts).with_program(&units, &sources);
    diagnostics.extend(found);
    if let Some(psg) = psg.as_ref().filter(|_| !has_errors(&diagnostics)) {
        diagnostics.extend(clef_analysis::escape::check(psg));
    }
    (psg, diagnostics, sources)
}

/// Checks source files.
pub(crate) fn check(files: &[File], word_bits: u32) -> Result<(), Rejected> {
    let (psg, diagnostics, sources) = front_end(files, TargetFacts { word_bits });
    match psg {
        Some(_) if !has_errors(&diagnostics) => Ok(()),
        Some(_) | None => Err(rejected(&sources, &diagnostics)),
    }
}

/// Checks and runs source files, evaluating at most `fuel` expressions.
pub fn interpret(files: &[File], word_bits: u32, fuel: u64) -> Result<Ran, Rejected> {
    let facts = TargetFacts { word_bits };
    let (psg, diagnostics, sources) = front_end(files, facts);
    let psg = match psg {
        Some(psg) if !has_errors(&diagnostics) => psg,
        Some(_) | None => return Err(rejected(&sources, &diagnostics)),
    };
    Ok(ran(&psg, &sources, facts, fuel))
}

/// Runs a checked program, evaluating at most `fuel` expressions.
pub(crate) fn ran(psg: &Psg, sources: &SourceMap, facts: TargetFacts, fuel: u64) -> Ran {
    let mut streams = Streams::default();
    let limits = Limits { fuel, depth: DEPTH };
    match catch_unwind(AssertUnwindSafe(|| run(psg, facts, streams.console(), limits))) {
        Ok(outcome) => streams.ran(outcome, sources),
        Err(payload) => {
            Ran { end: End::Broken(panic_message(&*payload)), ..streams.ran(Ok(Outcome::OutOfFuel), sources) }
        }
    }
}

/// The message of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    if let Some(bug) = panic.downcast_ref::<Bug>() {
        return format!("{}: {}", bug.phase, bug.message);
    }
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// The output of a run; it has no input.
#[derive(Default)]
pub(crate) struct Streams {
    input: &'static [u8],
    output: Vec<u8>,
    errors: Vec<u8>,
    log: Vec<u8>,
}

impl Streams {
    /// The console of the run.
    pub(crate) fn console(&mut self) -> Console<'_> {
        let Streams { input, output, errors, log } = self;
        Console { arguments: &[], input, output, errors, log }
    }

    /// The outcome of the run.
    pub(crate) fn ran(self, outcome: io::Result<Outcome>, sources: &SourceMap) -> Ran {
        let end = match outcome {
            Ok(Outcome::Finished { status }) => End::Status(status),
            Ok(Outcome::Trapped(trap)) => End::Trap(trap.report(sources)),
            Ok(Outcome::OutOfFuel) | Err(_) => End::Never,
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { output: text(&self.output), log: logged(&text(&self.log)), end }
    }
}

/// The lines of a text that belong to the log, which begin with a level.
pub(crate) fn logged(text: &str) -> String {
    const LEVELS: [&str; 5] = ["TRACE ", "DEBUG ", "INFO  ", "WARN  ", "ERROR "];
    let is_logged = |line: &&str| LEVELS.iter().any(|level| line.starts_with(level));
    text.lines().filter(is_logged).map(|line| format!("{line}\n")).collect()
}

fn rejected(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Rejected {
    let errors: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    let first = errors.first();
    let label = first.and_then(|first| first.primary.as_ref());
    let place = label.map(|label| {
        let file = (label.span.file.0 as usize).saturating_sub(clef_library::SOURCES.len());
        (file, sources.line_column(label.span).line as usize)
    });
    Rejected {
        code: first.map_or("", |first| first.code.0),
        place,
        rendered: errors.iter().map(|error| render(sources, error, Colour::Plain)).collect(),
    }
}
