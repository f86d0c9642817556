//! Programs on the reference interpreter.

use crate::program::Program;
use clef_base::{
    Diagnostic, SourceMap,
    diagnostic::has_errors,
    render::{Colour, render},
};
use clef_check::{Owner, Unit, check};
use clef_golden::{compare, compare_with_file, is_updating};
use clef_interpret::{Console, Limits, Outcome, run};
use clef_psg::Psg;
use clef_syntax::ast::Ast;
use clef_types::TargetFacts;
use libtest_mimic::{Failed, Trial};

/// A trial for each word size; one for programs about constant stack, which take many iterations and no large numbers.
pub(crate) fn trials(program: &Program) -> Vec<Trial> {
    let sizes = if program.stack.is_some() { &[32][..] } else { &[32, 64] };
    let words = sizes.iter().copied().filter(|&bits| program.interpreted && program.fits_word(bits));
    words
        .map(|word_bits| {
            let program = program.clone();
            let name = format!("{}::interpreter-{word_bits}", program.name);
            Trial::test(name, move || interpret(&program, TargetFacts { word_bits }))
        })
        .collect()
}

fn interpret(program: &Program, facts: TargetFacts) -> Result<(), Failed> {
    let mut sources = SourceMap::default();
    let psg = front_end(program, &mut sources, facts)?;
    let (mut input, mut output, mut errors) = (&program.input[..], Vec::new(), Vec::new());
    let mut log = Vec::new();
    let console = Console {
        arguments: &program.arguments,
        input: &mut input,
        output: &mut output,
        errors: &mut errors,
        log: &mut log,
    };
    let outcome = run(&psg, facts, console, Limits::default())?;
    let output = String::from_utf8_lossy(&output);
    let usual = if program.stack.is_some() { 32 } else { 64 };
    if is_updating() && program.only_word.unwrap_or(usual) == facts.word_bits {
        compare_with_file(&program.output, &output)?;
    } else if !is_updating() {
        compare(&std::fs::read_to_string(&program.output)?, &output)?;
    }
    let log = String::from_utf8_lossy(&log);
    if is_updating() && !log.is_empty() {
        compare_with_file(&program.log(), &log)?;
    } else if !is_updating() && (program.log().exists() || !log.is_empty()) {
        compare(&std::fs::read_to_string(program.log())?, &log)?;
    }
    judge(program, &outcome, &sources)
}

fn judge(program: &Program, outcome: &Outcome, sources: &SourceMap) -> Result<(), Failed> {
    match (outcome, &program.trap) {
        (Outcome::Trapped(trap), Some(expected)) => {
            let report = trap.report(sources);
            if !program.is_expected_trap(&report) {
                return Err(format!("expected the trap `{expected}`, got `{report}`").into());
            }
        }
        (Outcome::Trapped(trap), None) => return Err(trap.report(sources).into()),
        (Outcome::OutOfFuel, _) => return Err("it did not end".into()),
        (Outcome::Finished { .. }, _) => {}
    }
    // An operating system keeps eight bits of it.
    match outcome.status().map(|status| status & 0xff) {
        Some(status) if status == program.status => Ok(()),
        status => Err(format!("expected status {}, got {status:?}", program.status).into()),
    }
}

/// Checks the library and the program.
fn front_end(program: &Program, sources: &mut SourceMap, facts: TargetFacts) -> Result<Psg, Failed> {
    let mut diagnostics = Vec::new();
    let mut asts: Vec<(Ast, Owner)> = Vec::new();
    let library = clef_library::SOURCES.iter().map(|(name, text)| (*name, *text, Owner::Library, &[][..]));
    let own = program.files.iter();
    let own = own.map(|file| (&*file.name, &*file.text, Owner::Project(file.project), &file.defines[..]));
    for (name, text, owner, defines) in library.chain(own) {
        let file = sources.add(name, text);
        sources.define_in(file, defines.iter().cloned());
        let (ast, found) = clef_syntax::parse(sources, file);
        diagnostics.extend(found);
        asts.push((ast, owner));
    }
    if has_errors(&diagnostics) {
        return Err(rendered(sources, &diagnostics));
    }
    let units: Vec<Unit<'_>> = asts.iter().map(|(ast, owner)| Unit { ast, owner: *owner }).collect();
    let (psg, found) = check(&units, sources, facts);
    psg.ok_or_else(|| rendered(sources, &found))
}

fn rendered(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Failed {
    diagnostics.iter().map(|diagnostic| render(sources, diagnostic, Colour::Plain)).collect::<String>().into()
}
