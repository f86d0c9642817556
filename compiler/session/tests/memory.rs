//! Programs that are held in memory: checked, with their diagnostics as values, and compiled.

use clef_base::{Diagnostic, Severity, codes};
use clef_image::bound::Bound;
use clef_session::{
    Session,
    emit::Emit,
    job::{Job, Purpose},
    machine::{self, MachineChoice},
    options::{CodeChoice, DenyChoice, SessionOptions, WarningChoice},
    pipeline,
    products::{Compilation, Product},
    program::Program,
    report::Report,
};
use std::{cell::RefCell, rc::Rc};

const BOARD: &str = "lm3s6965evb";

/// A module, and a program that uses it.
const SQUARES: [(&str, &str); 2] = [
    ("squares.clef", "module Squares\n\nlet square n = n * n\n"),
    ("main.clef", "let numbers = [| 1; 2; 3 |]\nfor n in numbers do\n    printfn $\"{Squares.square n}\"\n"),
];

/// A program with a warning.
const UNUSED: [(&str, &str); 1] =
    [("main.clef", "let f (x: int) =\n    match x with\n    | _ -> 1\n    | 2 -> 3\nprintfn $\"{f 1}\"\n")];

/// A session whose reports are an error.
fn silent(options: SessionOptions) -> Session {
    Session::new(options, |_, _| panic!("the session reports to its sink"))
}

fn choice() -> MachineChoice {
    MachineChoice { board: Some(BOARD.to_owned()), ..MachineChoice::default() }
}

fn check(session: &mut Session, files: &[(&str, &str)]) -> Result<(), Vec<Diagnostic>> {
    let program = Program::in_memory(session, files.iter().copied());
    let machine = machine::resolve(session, &choice(), None)?;
    pipeline::check(session, &program.files, &machine)
}

fn compile(session: &mut Session, files: &[(&str, &str)]) -> Result<Compilation, Vec<Diagnostic>> {
    let program = Program::in_memory(session, files.iter().copied());
    let machine = machine::resolve(session, &choice(), None)?;
    let job = Job::of(session, &program, machine, &CodeChoice::default(), Purpose::Run)?;
    pipeline::compile(session, &job, &[Emit::Core, Emit::Elf])
}

#[test]
fn a_sound_program_has_no_diagnostics() {
    let (checked, diagnostics) = silent(SessionOptions::default()).collect(|session| check(session, &SQUARES));
    assert!(checked.is_some());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

#[test]
fn errors_are_values_with_their_places() {
    let mut session = silent(SessionOptions::default());
    let [squares, _] = SQUARES;
    let files = [squares, ("main.clef", "printfn $\"{Squares.squre 2}\"\nlet x: string = 1\n")];
    let (checked, diagnostics) = session.collect(|session| check(session, &files));
    assert!(checked.is_none());
    let found: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.primary.as_ref().map(|label| session.sources.place(label.span));
            (diagnostic.severity, diagnostic.code.0, place.unwrap_or_default())
        })
        .collect();
    let error = |code, place: &str| (Severity::Error, code, place.to_owned());
    assert_eq!(found, [error("E0301", "main.clef:1:20"), error("E0401", "main.clef:2:17")]);
}

#[test]
fn warnings_go_to_the_sink_or_are_collected() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&seen);
    let mut session = Session::new(SessionOptions::default(), move |_, report| match report {
        Report::Diagnostics(diagnostics) => sink.borrow_mut().extend(diagnostics.iter().map(|found| found.code)),
        Report::Memory(_) => {}
    });
    check(&mut session, &UNUSED).expect("warnings are no errors");
    assert_eq!(seen.take(), [codes::UNREACHED_ARM]);

    let (checked, diagnostics) = session.collect(|session| check(session, &UNUSED));
    assert!(checked.is_some() && seen.borrow().is_empty());
    assert!(diagnostics.iter().all(|found| found.severity == Severity::Warning) && diagnostics.len() == 1);
}

#[test]
fn denied_warnings_are_errors_and_allowed_ones_are_dropped() {
    let all = WarningChoice::All;
    let deny = SessionOptions { deny: vec![DenyChoice::Warning(all)], ..SessionOptions::default() };
    let (checked, diagnostics) = silent(deny).collect(|session| check(session, &UNUSED));
    assert!(checked.is_none());
    assert!(diagnostics.iter().all(|found| found.severity == Severity::Error) && diagnostics.len() == 1);

    let allow = SessionOptions { allow: vec![all], ..SessionOptions::default() };
    check(&mut silent(allow), &UNUSED).expect("warnings are dropped");
}

#[test]
fn a_program_is_compiled_to_an_image_in_memory() {
    let compilation = compile(&mut silent(SessionOptions::default()), &SQUARES).expect("the program is sound");
    let [(Emit::Core, Product::Text(core)), (Emit::Elf, Product::Bytes(image))] = compilation.products.as_slice()
    else {
        panic!("both products are made, in the order of the pipeline")
    };
    assert!(core.contains("Squares.square") || core.contains("numbers"), "{core}");
    assert!(image.starts_with(b"\x7fELF"));
    assert!(compilation.memory.is_some());
    let bounds = compilation.bounds.expect("an image has bounds");
    assert!(matches!(bounds.stack, Bound::Bytes { bytes, limit, .. } if bytes <= limit));
}
