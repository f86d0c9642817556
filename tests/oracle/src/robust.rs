//! Properties that must hold for any text: it is read without a panic, in bounded time, and deterministically; and its
//! diagnostics point into it.

use crate::{
    batch::File,
    reference::{front_end, ran},
};
use clef_base::{
    Diagnostic, SourceMap, Span,
    diagnostic::has_errors,
    render::{Colour, render},
};
use clef_descriptors::{Request, Resolver};
use clef_lower::lower;
use clef_optimise::{Level, simplify};
use clef_storage::{
    place::{FrameLimits, place},
    region::infer,
};
use clef_syntax::{dump::dump, print::print};
use clef_types::TargetFacts;
use std::{io, path::Path};

/// The number of expressions that a program of unknown origin may evaluate.
const FUEL: u64 = 20_000;

/// Parses a text: diagnostics can be shown, and the tree printed; the result parses to the same tree if there was no
/// error.
pub fn parse(text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.clef", text);
    let (ast, diagnostics) = clef_syntax::parse(&sources, file);
    show(&sources, &diagnostics);
    let (listing, printed) = (dump(&ast), print(&ast));
    if !has_errors(&diagnostics) {
        let again = sources.add("printed.clef", printed);
        let (ast, _) = clef_syntax::parse(&sources, again);
        assert_eq!(listing, dump(&ast), "the printed program must have the same meaning");
    }
}

/// Reads a text as a program: all its diagnostics can be shown, and if it has no errors, it is lowered and runs.
pub fn program(text: &str) {
    let facts = TargetFacts { word_bits: 32 };
    let files = [File::new("fuzz.clef", text)];
    let (psg, diagnostics, sources) = front_end(&files, facts);
    show(&sources, &diagnostics);
    let (_, again, _) = front_end(&files, facts);
    assert_eq!(diagnostics, again, "diagnostics must depend on the source text only");
    let Some(psg) = psg.filter(|_| !has_errors(&diagnostics)) else { return };
    if let Ok(lowered) = lower(&psg, facts, clef_lower::Names::Needed) {
        for level in [Level::Debug, Level::Speed, Level::Size] {
            let mut program = simplify(lowered.clone(), level);
            place(&mut program, FrameLimits::default());
            infer(&mut program);
        }
        ran(&psg, &sources, facts, FUEL);
    }
}

/// Reads a text as a project file with this name: it is complete, or its diagnostics can be shown.
pub fn project(name: &str, text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let mut found = Vec::new();
    match clef_project::read(&sources, file, Path::new(name), &mut found) {
        Ok(project) => assert!(!project.name.is_empty() && !project.sources.is_empty(), "the project is complete"),
        Err(errors) => {
            assert!(!errors.is_empty(), "an error must be reported");
            found.extend(errors);
        }
    }
    show(&sources, &found);
}

/// Reads a text as the descriptor of a board: it is complete, or its diagnostics can be shown.
pub fn board(text: &str) {
    descriptor(text, Request::Board("./fuzz.yaml"));
}

/// The same for a target.
pub fn target(text: &str) {
    descriptor(text, Request::Target("./fuzz.yaml"));
}

fn descriptor(text: &str, request: Request<'_>) {
    let mut sources = SourceMap::default();
    let read = |path: &Path| match path.ends_with("fuzz.yaml") {
        true => Ok(text.to_owned()),
        false => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    if let Err(diagnostics) = Resolver::new(&mut sources, &read).machine(request) {
        assert!(!diagnostics.is_empty(), "an error must be reported");
        show(&sources, &diagnostics);
    }
}

/// Checks that diagnostics point into texts, at character boundaries, and can be shown.
fn show(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let labels = diagnostic.primary.iter().chain(&diagnostic.secondary).map(|label| label.span);
        let edits = diagnostic.proposals.iter().filter_map(|proposal| proposal.replacement.as_ref());
        for span in labels.chain(edits.map(|(span, _)| *span)) {
            assert!(is_place(sources, span), "`{}` is about {span:?}", diagnostic.message);
        }
        render(sources, diagnostic, Colour::Plain);
    }
}

/// Whether a span begins and ends at character boundaries of its file.
fn is_place(sources: &SourceMap, span: Span) -> bool {
    sources.file(span.file).text.get(span.start as usize..span.end as usize).is_some()
}
