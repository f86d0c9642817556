//! Source files on the machine that runs Core: it evacuates wherever possible, and fails if freed memory is used, so
//! that it shows errors that an image survives by chance.

use crate::{
    batch::File,
    compiled::OnBoard,
    reference::{DEPTH, End, Ran, Streams, front_end, panic_message},
};
use clef_base::SourceMap;
use clef_interpret::{Limits, machine};
use clef_lower::lower;
use clef_optimise::{Level, simplify};
use clef_psg::Psg;
use clef_storage::{
    place::{FrameLimits, place},
    region::infer,
};
use clef_types::TargetFacts;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Compiles source files to Core with its storage, and runs that; the fuel is in steps of the machine.
pub(crate) fn run(files: &[File], word_bits: u32, level: &str, fuel: u64) -> OnBoard {
    let facts = TargetFacts { word_bits };
    let (psg, diagnostics, sources) = front_end(files, facts);
    let Some(psg) = psg else { return broken(format!("{} diagnostics", diagnostics.len())) };
    match catch_unwind(AssertUnwindSafe(|| on_core(&psg, &sources, facts, level, fuel))) {
        Ok(Some(ran)) => OnBoard { ran, broken: false, errors: String::new() },
        Ok(None) => broken("it cannot be lowered".to_owned()),
        Err(panic) => broken(panic_message(&*panic)),
    }
}

/// The outcome of the program as Core with its storage; nothing if it is too large.
fn on_core(psg: &Psg, sources: &SourceMap, facts: TargetFacts, level: &str, fuel: u64) -> Option<Ran> {
    let level = match level {
        "0" => Level::Debug,
        "s" | "z" => Level::Size,
        _ => Level::Speed,
    };
    let mut program = simplify(lower(psg, facts, clef_lower::Names::Needed).ok()?, level);
    place(&mut program, FrameLimits::default());
    infer(&mut program);
    let mut streams = Streams::default();
    let outcome = machine::run(&program, psg, facts, streams.console(), Limits { fuel, depth: DEPTH });
    Some(streams.ran(outcome, sources))
}

fn broken(errors: String) -> OnBoard {
    OnBoard { ran: Ran { output: String::new(), log: String::new(), end: End::Never }, broken: true, errors }
}
