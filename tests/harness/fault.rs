//! Processor faults, decoded: each program of `faults/` ends with a trap, and the output of `clefc run` contains the
//! text of the comments for its board:
//!
//! `// on mps2-an386: CFSR 0x00008200`

use crate::{
    board::{LEVELS, TIMEOUT, missing},
    compiler::clefc,
    stem, tool,
};
use clef_descriptors::Machine;
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};

/// The trials of a program, on the boards that it names and at all levels.
pub(crate) fn trials(path: &Path, boards: &[Machine]) -> Result<Vec<Trial>, Failed> {
    let (name, source) = (stem(path), fs::read_to_string(path)?);
    let mut trials = Vec::new();
    let mut said = 0;
    for machine in boards {
        let board = &machine.board.value;
        let start = format!("// on {}: ", board.name);
        let expected: Vec<String> =
            source.lines().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect();
        said += expected.len();
        for level in LEVELS.iter().filter(|_| !expected.is_empty()) {
            let (name, board_name, expected) = (name.clone(), board.name.clone(), expected.clone());
            let title = format!("faults::{name}::{board_name}-O{level}");
            let trial = Trial::test(title, move || run(&name, &board_name, level, &expected));
            trials.push(match missing(board) {
                Some(emulator) => tool::ignored(trial, &emulator),
                None => trial,
            });
        }
    }
    match source.lines().filter(|line| line.starts_with("// on ")).count() == said {
        true => Ok(trials),
        false => Err(format!("{name}: a comment names a board on which no program runs").into()),
    }
}

fn run(name: &str, board: &str, level: &str, expected: &[String]) -> Result<(), Failed> {
    let (file, level) = (format!("faults/{name}.clef"), format!("-O{level}"));
    let call = clefc(&["run", "--board", board, &level, "--timeout", TIMEOUT, &file], b"")?;
    // If there is one wire, it carries both streams.
    let shown = format!("{}{}", String::from_utf8_lossy(&call.output), call.errors);
    let missing: Vec<&String> = expected.iter().filter(|text| !shown.contains(text.as_str())).collect();
    if call.status != Some(clef_interpret::TRAP_STATUS) || !missing.is_empty() {
        return Err(format!("status {:?}, without {missing:?}:\n{shown}", call.status).into());
    }
    Ok(())
}
