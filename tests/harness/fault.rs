//! Traps and processor faults, decoded: each program of `faults/` ends with a trap, and the output of `clefc run` has the
//! text of the comments for its board, and its list of calls, the innermost first; `…` means any further ones:
//!
//! `// on mps2-an386: CFSR 0x00008200`
//!
//! `// calls on mps2-an386: Calls.pick, Calls.twice …`

use crate::{
    board::{LEVELS, TIMEOUT, missing},
    compiler::clefc,
    stem, tool,
};
use clef_descriptors::Machine;
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};

/// What is expected on a board.
#[derive(Clone)]
struct Expected {
    board: String,
    /// Parts of the output.
    texts: Vec<String>,
    calls: Option<String>,
}

impl Expected {
    /// What the comments of a program say about a board, and how many there are.
    fn read(source: &str, board: &str) -> (Expected, usize) {
        let of = |start: String| source.lines().filter_map(move |line| line.strip_prefix(&start).map(str::to_owned));
        let texts: Vec<String> = of(format!("// on {board}: ")).collect();
        let calls = of(format!("// calls on {board}: ")).next_back();
        let count = texts.len() + usize::from(calls.is_some());
        (Expected { board: board.to_owned(), texts, calls }, count)
    }
}

/// The trials of a program, on the boards that it names and at all levels.
pub(crate) fn trials(path: &Path, boards: &[Machine]) -> Result<Vec<Trial>, Failed> {
    let (name, source) = (stem(path), fs::read_to_string(path)?);
    let mut trials = Vec::new();
    let mut said = 0;
    for machine in boards {
        let board = &machine.board.value;
        let (expected, count) = Expected::read(&source, &board.name);
        said += count;
        for level in LEVELS.iter().filter(|_| count > 0) {
            let (name, expected) = (name.clone(), expected.clone());
            let title = format!("faults::{name}::{}-O{level}", board.name);
            let trial = Trial::test(title, move || run(&name, level, &expected));
            trials.push(match missing(board) {
                Some(emulator) => tool::ignored(trial, &emulator),
                None => trial,
            });
        }
    }
    let is_expectation = |line: &&str| line.starts_with("// on ") || line.starts_with("// calls on ");
    match source.lines().filter(is_expectation).count() == said {
        true => Ok(trials),
        false => Err(format!("{name}: a comment names a board on which no program runs").into()),
    }
}

fn run(name: &str, level: &str, expected: &Expected) -> Result<(), Failed> {
    let (file, level) = (format!("faults/{name}.clef"), format!("-O{level}"));
    let call = clefc(&["run", "--board", &expected.board, &level, "--timeout", TIMEOUT, &file], b"")?;
    // If there is one wire, it carries both streams.
    let shown = format!("{}{}", String::from_utf8_lossy(&call.output), call.errors);
    let missing: Vec<&String> = expected.texts.iter().filter(|text| !shown.contains(text.as_str())).collect();
    if call.status != Some(clef_interpret::TRAP_STATUS) || !missing.is_empty() {
        return Err(format!("status {:?}, without {missing:?}:\n{shown}", call.status).into());
    }
    let calls = calls(&shown).join(", ");
    let is_right = |expected: &String| match expected.strip_suffix(" …") {
        Some(start) => calls == start || calls.starts_with(&format!("{start}, ")),
        None => calls == *expected,
    };
    match expected.calls.as_ref().is_none_or(is_right) {
        true => Ok(()),
        false => Err(format!("{expected:?} are not the calls:\n{shown}", expected = expected.calls).into()),
    }
}

/// The functions in the list of calls, the innermost first: `  3  Calls.pick  faults/calls.clef:4:9`.
fn calls(shown: &str) -> Vec<&str> {
    let call =
        |line: &&str| line.trim_start().split_once("  ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let lines = shown.lines().filter(|line| line.starts_with(' ')).filter(call);
    lines.filter_map(|line| line.trim_start().split("  ").nth(1)).map(str::trim).collect()
}
