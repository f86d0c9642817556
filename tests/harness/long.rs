//! Programs that run forever take constant memory: peak region use does not grow with the number of iterations.
//!
//! Each program of `long/` has its number of iterations as a literal, [`MANY`]. It runs for few iterations and then for
//! more, on the interpreter and on boards. `ITERATIONS=10000000` sets the number, uses more boards, and shows the memory
//! use: `cargo xtask soak`. The boards evacuate a region whenever it has grown by a page: otherwise regions of programs
//! that run for longer grow further before, up to a limit.

use crate::{
    ROOT,
    board::{LEVELS, missing, used, within_bounds},
    compiler::{binary, call},
    stem, tool,
};
use clef_descriptors::Machine;
use clef_oracle::{
    batch::File,
    reference::{End, interpret},
};
use libtest_mimic::{Failed, Trial};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// The number of iterations in the programs.
const MANY: &str = "10_000_000";

/// The number of iterations after which memory has its final size.
const FEW: u64 = 3_000;

/// The number of iterations that verifies this.
const MORE: u64 = 12_000;

/// A machine with ample and one with little memory; with `ITERATIONS`, also one in between.
const BOARDS: [&str; 2] = ["host-linux", "microbit"];
const BOARDS_OF_MANY_ITERATIONS: [&str; 3] = ["host-linux", "mps2-an386", "microbit"];

/// The trials of a program.
pub(crate) fn trials(index: usize, path: &Path, machines: &[Machine]) -> Result<Vec<Trial>, Failed> {
    let iterations = match std::env::var("ITERATIONS") {
        Ok(iterations) => {
            Some(iterations.parse::<u64>().map_err(|_| format!("ITERATIONS is a number, not `{iterations}`"))?)
        }
        Err(_) => None,
    };
    let boards = if iterations.is_some() { &BOARDS_OF_MANY_ITERATIONS[..] } else { &BOARDS };
    let mut trials = Vec::new();
    for (place, machine) in machines.iter().enumerate() {
        let board = machine.board.value.name.clone();
        if !boards.contains(&&*board) {
            continue;
        }
        // Long measurements use the default level.
        let level = if iterations.is_some() { "2" } else { LEVELS[(index + place) % LEVELS.len()] };
        let word_bits = machine.target.value.pointer_bits.bits();
        let name = format!("long::{}::{board}-O{level}", stem(path));
        let page = machine.board.value.region_pool.page.0;
        let program = Program { path: path.to_owned(), board, page, level, word_bits };
        let trial = Trial::test(name, move || program.take_constant_memory(iterations));
        trials.push(match missing(&machine.board.value) {
            Some(emulator) => tool::ignored(trial, &emulator),
            None => trial,
        });
    }
    Ok(trials)
}

/// A program on a board.
struct Program {
    path: PathBuf,
    board: String,
    /// The bytes of its pages.
    page: u64,
    level: &'static str,
    word_bits: u32,
}

impl Program {
    fn take_constant_memory(&self, iterations: Option<u64>) -> Result<(), Failed> {
        let text = fs::read_to_string(&self.path)?;
        if text.matches(MANY).count() != 1 {
            return Err(format!("the program contains `{MANY}` once").into());
        }
        let (few, output) = self.run(&text, FEW)?;
        let name = stem(&self.path);
        let expected = interpret(&[File::new(&name, with(&text, FEW))], self.word_bits, u64::MAX);
        let expected = expected.map_err(|rejected| rejected.rendered)?;
        if expected.end != End::Status(0) || expected.output != output {
            return Err(format!("the interpreter prints {expected:?}, the board {output}").into());
        }
        let start = Instant::now();
        let (more, _) = self.run(&text, iterations.unwrap_or(MORE))?;
        if let Some(iterations) = iterations {
            let (board, took) = (&self.board, start.elapsed().as_secs_f64());
            println!("{name} on {board}: {more} bytes of regions at most, in {iterations} iterations, {took:.1} s");
        }
        match more <= few {
            true => Ok(()),
            false => Err(format!("{few} bytes of regions after {FEW} iterations, and {more} after more").into()),
        }
    }

    /// Runs the program for this many iterations; returns the bytes that regions took, and the output.
    fn run(&self, text: &str, iterations: u64) -> Result<(u64, String), Failed> {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("long");
        fs::create_dir_all(&directory)?;
        let file = directory.join(format!("{}-{}-{iterations}.clef", stem(&self.path), self.board));
        fs::write(&file, with(text, iterations))?;
        let board = file.with_extension("yaml");
        fs::write(&board, format!("inherits: {}\nregion_pool: {{ growth: {} }}\n", self.board, self.page))?;
        let mut command = Command::new(binary()?);
        command.current_dir(ROOT).args(["run", "--color=never", "--stats", "--board"]).arg(board);
        let longest = 60 + iterations / 10_000;
        command.args([&format!("-O{}", self.level), "--timeout", &longest.to_string()]).arg(&file);
        let call = call(&mut command, b"", Duration::from_secs(longest + 60))?;
        within_bounds(&call.errors, &[])?;
        match (call.status, used(&call.errors, "regions")) {
            (Some(0), Some(bytes)) => Ok((bytes, String::from_utf8_lossy(&call.output).into_owned())),
            (status, _) => Err(format!("{iterations} iterations end with {status:?}:\n{}", call.errors).into()),
        }
    }
}

/// The program with another number of iterations.
fn with(text: &str, iterations: u64) -> String {
    text.replace(MANY, &iterations.to_string())
}
