//! Generated programs, the same in each run: on the interpreter, and some on each board of the oracle.

use crate::{board::missing, compiler::binary, tool};
use clef_descriptors::Machine;
use clef_oracle::{
    compiled::{BOARDS, Board, Compiler, MACHINE},
    generate::Purpose,
    run::{Plan, run},
};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

/// The seed of the programs.
const SEED: u64 = 1;

/// The number of programs on each board.
const COUNT: u64 = 60;

/// The number of programs per image.
const BATCH: u64 = 30;

/// A trial for each board of the oracle, and one for the machine that runs Core.
pub(crate) fn trials(machines: &[Machine]) -> Vec<Trial> {
    let on = |(place, board): (u64, Board)| {
        let machine = machines.iter().find(|machine| machine.board.value.name == board.inherits);
        let trial = Trial::test(format!("oracle::{}", board.name), move || compare(board, place * COUNT));
        match machine.and_then(|machine| missing(&machine.board.value)) {
            Some(emulator) => tool::ignored(trial, &emulator),
            None => trial,
        }
    };
    (0..).zip(BOARDS.into_iter().chain([MACHINE])).map(on).collect()
}

fn compare(board: Board, first: u64) -> Result<(), Failed> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle").join(board.name);
    let compiler = Compiler::new(binary()?, &directory)?;
    let plan = Plan {
        seed: SEED,
        first,
        count: COUNT,
        batch: BATCH,
        boards: vec![board],
        levels: Vec::new(),
        level_count: 1,
        jobs: 1,
        judged: false,
        purpose: Purpose::Compare,
    };
    let summary = run(&plan, &compiler, |_| ())?;
    match summary.findings.first() {
        None => Ok(()),
        Some(finding) => {
            let index = finding.index().unwrap_or(0);
            let again = format!("cargo xtask oracle --seed {SEED} --batch {BATCH} --first {index} --count 1");
            Err(format!("program {index} differs: {}\n{again} --minimise", finding.difference).into())
        }
    }
}
