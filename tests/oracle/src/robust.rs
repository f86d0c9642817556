//! What must hold for any text at all: it is read without a panic, in bounded time.

use crate::reference::{front_end, interpret};
use clef_base::{
    SourceMap,
    diagnostic::has_errors,
    render::{Colour, render},
};
use clef_sema::{
    Facts,
    lower::lower,
    place::place,
    simplify::{Level, simplify},
};
use clef_target::{Request, Resolver};
use std::{io, path::Path};

/// Expressions that a program of unknown origin may evaluate.
const FUEL: u64 = 20_000;

/// Reads a text as a program: all its diagnostics can be shown, and if it has no errors, it is lowered and runs.
pub fn program(text: &str) {
    let facts = Facts { word_bits: 32 };
    let mut sources = SourceMap::default();
    let (psg, diagnostics) = front_end("fuzz.clef", text, facts, &mut sources);
    for diagnostic in &diagnostics {
        render(&sources, diagnostic, Colour::Plain);
    }
    let Some(psg) = psg.filter(|_| !has_errors(&diagnostics)) else { return };
    if let Ok(lowered) = lower(&psg, facts) {
        for level in [Level::Debug, Level::Speed, Level::Size] {
            place(&mut simplify(lowered.clone(), level));
        }
        let _ = interpret("fuzz.clef", text, facts.word_bits, FUEL);
    }
}

/// Reads a text as the descriptor of a board: it is complete, or its diagnostics can be shown.
pub fn board(text: &str) {
    descriptor(text, Request::Board("./fuzz.yaml"));
}

/// The same of a target.
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
        for diagnostic in &diagnostics {
            render(&sources, diagnostic, Colour::Plain);
        }
    }
}
