//! Small programs and their results in the checker, as documents: principal types, captures, graphs, diagnostics.
//!
//! A document is a sequence of cases: `=====`, the source, `-----`, the expected output. With `UPDATE=1` in the environment
//! the documents are rewritten.

#![allow(clippy::disallowed_methods, reason = "a test reads programs, and writes its documents when it is asked to")]

#[path = "check_support/verify.rs"]
mod verify;

use clef_base::{Diagnostic, Severity, SourceMap, render};
use clef_check::{Owner, Unit, check};
use clef_psg::{
    Psg, Scope,
    print::{captures::captures_text, psg::psg_text, types::type_text},
};
use clef_types::TargetFacts;
use std::{fmt::Write, path::Path};

/// A substitute for the library.
const PRELUDE: &str = "\
type option<'a> =
    | None
    | Some of 'a
let ignore (_: 'a) : unit = ()
let fst ((first, _): 'a * 'b) : 'a = first
[<Intrinsic(\"fail\")>]
let failwith (message: string) : 'a = intrinsic
[<Intrinsic(\"console_write\")>]
let print (text: string) : unit = intrinsic
[<AutoOpen>]
module Prelude =
    type list<'a> =
        | ``[]``
        | ``::`` of 'a * list<'a>
module Console =
    [<Intrinsic(\"console_error\")>]
    let error (text: string) : unit = intrinsic
    let writeln (text: string) : unit = print text
module String =
    [<Intrinsic(\"string_length\")>]
    let length (text: string) : int = intrinsic
";

/// A checked program.
struct Checked {
    sources: SourceMap,
    psg: Option<Psg>,
    diagnostics: Vec<Diagnostic>,
}

impl Checked {
    fn new(source: &str, word_bits: u32) -> Checked {
        let mut sources = SourceMap::default();
        let library = sources.add("prelude.clef", PRELUDE);
        let file = sources.add("a.clef", source);
        let (prelude, mut diagnostics) = clef_syntax::parse(&sources, library);
        let (ast, found) = clef_syntax::parse(&sources, file);
        diagnostics.extend(found);
        let units = [Unit { ast: &prelude, owner: Owner::Library }, Unit { ast: &ast, owner: Owner::Project(0) }];
        let (psg, found) = check(&units, &sources, TargetFacts { word_bits });
        diagnostics.extend(found);
        let broken = psg.as_ref().map(|psg| verify::verify(psg, &sources)).unwrap_or_default();
        assert!(broken.is_empty(), "{source}\n{}", broken.join("\n"));
        Checked { sources, psg, diagnostics }
    }

    fn diagnostics(&self) -> String {
        let render = |diagnostic| render::render(&self.sources, diagnostic, render::Colour::Plain);
        self.diagnostics.iter().map(render).collect()
    }

    /// The output of `show` for the graph; the diagnostics, if there is no graph.
    fn show(&self, show: impl Fn(&Psg, &SourceMap) -> String) -> String {
        match &self.psg {
            Some(psg) => show(psg, &self.sources),
            None => self.diagnostics(),
        }
    }
}

/// The types of the program's module-level names.
fn types(psg: &Psg, _: &SourceMap) -> String {
    let mut text = String::new();
    for variable in psg.variables.values().filter(|variable| variable.scope == Scope::Module && !variable.marks.library)
    {
        let _ = writeln!(text, "{} : {}", variable.name, type_text(psg, variable.ty));
    }
    text
}

fn document(name: &str, make: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check").join(name).with_extension("txt");
    clef_golden::assert(clef_golden::compare_document(&path, make));
}

#[test]
fn principal_types() {
    document("types", |source| Checked::new(source, 32).show(types));
}

#[test]
fn captures() {
    document("captures", |source| Checked::new(source, 32).show(captures_text));
}

#[test]
fn graphs() {
    document("psg", |source| Checked::new(source, 32).show(|psg, _| psg_text(psg)));
}

#[test]
fn names() {
    document("names", |source| Checked::new(source, 32).diagnostics());
}

#[test]
fn type_errors() {
    document("errors", |source| Checked::new(source, 32).diagnostics());
}

#[test]
fn matches() {
    document("matches", |source| Checked::new(source, 32).diagnostics());
}

#[test]
fn foreign() {
    document("foreign", |source| Checked::new(source, 32).diagnostics());
}

#[test]
fn refused() {
    document("refused", |source| Checked::new(source, 32).diagnostics());
}

/// Checks a program with the whole library, and verifies the graph; returns the diagnostics.
fn with_library(program: Option<(&str, &str)>, word_bits: u32) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let mut files: Vec<_> =
        clef_library::SOURCES.iter().map(|(name, text)| (sources.add(*name, *text), Owner::Library)).collect();
    files.extend(program.map(|(name, text)| (sources.add(name, text), Owner::Project(0))));
    let parsed: Vec<_> = files.iter().map(|(file, owner)| (clef_syntax::parse(&sources, *file), *owner)).collect();
    let units: Vec<_> = parsed.iter().map(|((ast, _), owner)| Unit { ast, owner: *owner }).collect();
    let (psg, found) = check(&units, &sources, TargetFacts { word_bits });
    let broken = psg.map(|psg| verify::verify(&psg, &sources)).unwrap_or_default();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let diagnostics = parsed.iter().flat_map(|((_, diagnostics), _)| diagnostics).chain(&found).cloned().collect();
    (sources, diagnostics)
}

#[test]
fn the_library_has_no_mistakes() {
    for word_bits in [32, 64] {
        let (sources, found) = with_library(None, word_bits);
        let text: String = found.iter().map(|one| render::render(&sources, one, render::Colour::Plain)).collect();
        assert!(text.is_empty(), "{text}");
    }
}

#[test]
fn the_invariants_hold_of_all_programs() {
    for directory in ["tests/run", "examples"] {
        let directory = format!("{}/../../{directory}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(&directory).expect("the repository has programs") {
            let path = entry.expect("an entry can be read").path();
            if path.extension().is_some_and(|extension| extension == "clef") {
                let text = std::fs::read_to_string(&path).expect("a program can be read");
                // These modules exist for boards only.
                let of_boards = [
                    "Gpio.",
                    "Uart.",
                    "I2c.",
                    "Spi.",
                    "Watchdog.",
                    "Settings.",
                    "Flash.",
                    "Rng.",
                    "Adc.",
                    "Pwm.",
                    "Device.",
                    "Timer.",
                ];
                if of_boards.iter().any(|module| text.contains(module)) {
                    continue;
                }
                let (sources, found) = with_library(Some((&path.to_string_lossy(), &text)), 64);
                let errors: String = (found.iter().filter(|one| one.severity == Severity::Error))
                    .map(|one| render::render(&sources, one, render::Colour::Plain))
                    .collect();
                assert!(errors.is_empty(), "{errors}");
            }
        }
    }
}

#[test]
fn the_word_decides_the_range_of_int() {
    let source = "let a = 3000000000\nlet b = 0xFFFFFFFF\n";
    assert!(Checked::new(source, 64).psg.is_some());
    let narrow = Checked::new(source, 32);
    assert_eq!(narrow.diagnostics.len(), 1, "{}", narrow.diagnostics());
    assert!(narrow.psg.is_none());
}

#[test]
fn a_long_chain_of_statements_is_no_problem() {
    let mut source = String::from("let f x =\n");
    for index in 0..2000 {
        let _ = writeln!(source, "    let y{index} = x + {index}\n    ignore y{index}");
    }
    source.push_str("    x\n");
    let run = move || assert!(Checked::new(&source, 32).psg.is_some());
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run).expect("a thread starts");
    thread.join().expect("the checker does not overflow");
}
