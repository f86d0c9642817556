//! A batch on a board: compiled and run by `clefc run`.

use crate::{
    batch::Batch,
    foreign, machine,
    process::call,
    reference::{End, Ran, logged},
    tree::Surroundings,
};
use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// A board of the oracle, with a name and what its descriptor adds to the shipped one, from which it inherits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// Its name.
    pub name: &'static str,
    /// The name of the shipped board.
    pub inherits: &'static str,
    /// The word size in bits.
    pub word_bits: u32,
    /// The target, which need not be that of the shipped board.
    target: &'static str,
    /// Memory for many programs, all of whose allocations are kept until the end.
    memory: &'static str,
}

/// The memory of the Cortex-M4, most of which programs use for regions. As on all these boards, a region is evacuated
/// whenever it has grown by a page: otherwise regions of programs that run for longer grow further before.
const MEGABYTES: &str = "stack: 256K\nregion_pool: { size: 3M, page: 1K, growth: 1K }\n";

/// The boards: a process of this machine, a Cortex-M4 with its own code and with that of a Cortex-M0, which has fewer
/// registers and no tail calls with stack arguments, and a 64-bit Arm core in QEMU.
pub const BOARDS: [Board; 4] = [
    Board {
        name: "host-linux",
        inherits: "host-linux",
        word_bits: 64,
        target: "x86_64-linux",
        memory: "region_pool: { growth: 512 }\n",
    },
    Board { name: "mps2-an386", inherits: "mps2-an386", word_bits: 32, target: "thumbv7em-hf", memory: MEGABYTES },
    Board { name: "thumbv6m", inherits: "mps2-an386", word_bits: 32, target: "thumbv6m", memory: MEGABYTES },
    Board {
        name: "qemu-virt-aarch64",
        inherits: "qemu-virt-aarch64",
        word_bits: 64,
        target: "aarch64-none",
        memory: "stack: 1M\nregion_pool: { growth: 512 }\n",
    },
];

/// The machine that runs Core, in place of a board: no image is made.
pub const MACHINE: Board = Board { name: "machine", inherits: "", word_bits: 64, target: "", memory: "" };

/// The maximum number of steps of a batch on the machine.
const STEPS: u64 = 200_000_000;

/// The optimisation levels, which alternate over batches.
pub const LEVELS: [&str; 6] = ["0", "1", "2", "3", "s", "z"];

/// The time limit of an image in seconds.
const RUN_SECONDS: &str = "60";

/// The time limit of a compilation and run; beyond it, something hangs.
const LONGEST: Duration = Duration::from_secs(600);

/// The compiler, and a directory for its input.
#[derive(Clone, Debug)]
pub struct Compiler {
    binary: PathBuf,
    directory: PathBuf,
}

/// The input of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input {
    /// Its standard input.
    pub text: &'static str,
    /// Whether it prints peak region and stack use on exit.
    pub statistics: bool,
}

/// The result of a batch on a board.
#[derive(Clone, Debug)]
pub struct OnBoard {
    /// The outcome of the run.
    pub ran: Ran,
    /// Whether the compiler itself failed, so that nothing ran.
    pub broken: bool,
    /// Standard error: diagnostics and trap reports.
    pub errors: String,
}

impl Compiler {
    /// The compiler at a path, and the directory for its files.
    pub fn new(binary: &Path, directory: &Path) -> io::Result<Compiler> {
        std::fs::create_dir_all(directory)?;
        let compiler = Compiler { binary: std::path::absolute(binary)?, directory: directory.to_owned() };
        for board in BOARDS {
            let Board { name, inherits, target, memory, .. } = board;
            let text =
                format!("inherits: {inherits}\ndescription: {name} with more memory\ntarget: {target}\n{memory}");
            std::fs::write(directory.join(descriptor(board)), text)?;
        }
        Ok(compiler)
    }

    /// The directory of its files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The same compiler with a subdirectory, for parallel runs.
    pub fn of_worker(&self, worker: usize) -> io::Result<Compiler> {
        Compiler::new(&self.binary, &self.directory.join(format!("worker{worker}")))
    }

    /// Compiles a batch for a board and runs it.
    pub fn run(&self, batch: &Batch, board: Board, level: &str, input: Input) -> io::Result<OnBoard> {
        if board == MACHINE {
            return Ok(machine::run(&batch.files, board.word_bits, level, STEPS));
        }
        let compiled = batch.write(&self.directory)?;
        let level = format!("-O{level}");
        let mut command = Command::new(&self.binary);
        command.current_dir(&self.directory);
        command.args(["--color=never", "run", "--board", &descriptor(board), &level, "--timeout", RUN_SECONDS]);
        if input.statistics {
            command.arg("--stats");
        }
        match batch.surroundings() {
            Surroundings::Log => drop(command.args(["--log", "plain"])),
            Surroundings::Native => drop(command.arg("--link").arg(self.foreign(board)?)),
            Surroundings::Plain | Surroundings::Files | Surroundings::Interrupts => {}
        }
        command.arg(&compiled);
        let done = call(&mut command, input.text.as_bytes(), LONGEST)?;
        let output = String::from_utf8_lossy(&done.output).into_owned();
        let report = report(&done.errors);
        let end = match (report, done.status) {
            (Some(report), _) => End::Trap(report.to_owned()),
            (None, Some(status)) => End::Status(status),
            (None, None) => End::Never,
        };
        let failed = end != End::Status(0) && report.is_none();
        let broken = failed && output.is_empty() && done.errors.contains("error");
        let log = if batch.surroundings() == Surroundings::Log { logged(&done.errors) } else { String::new() };
        Ok(OnBoard { ran: Ran { output, log, end }, broken, errors: done.errors })
    }

    /// The name of the object of foreign functions that programs call, compiled on first use.
    fn foreign(&self, board: Board) -> io::Result<String> {
        let name = format!("{}.o", board.name);
        let object = self.directory.join(&name);
        if !object.exists() {
            let source = self.directory.join("foreign.c");
            std::fs::write(&source, foreign::SOURCE)?;
            foreign::compile(&source, &foreign::target(board.target)?, &object)?;
        }
        Ok(name)
    }
}

/// The report of a trap: from the last line that begins like one to the list of calls or the end, since a message may have
/// several lines.
fn report(errors: &str) -> Option<&str> {
    let start = errors.rfind("\ntrap: ").map(|before| before + 1).or(errors.starts_with("trap: ").then_some(0))?;
    let report = errors[start..].split("\n  0  ").next()?;
    Some(report.trim_end())
}

fn descriptor(board: Board) -> String {
    format!("{}.yaml", board.name)
}

#[cfg(test)]
mod tests {
    use super::report;

    #[test]
    fn a_report_may_have_several_lines() {
        assert_eq!(report("warning: a\ntrap: b\nc at d:1:2\n"), Some("trap: b\nc at d:1:2"));
        assert_eq!(report("trap: b at d:1:2\n"), Some("trap: b at d:1:2"));
        assert_eq!(report("trap: b at d:1:2\n  0  F.f  d:1:2\n"), Some("trap: b at d:1:2"));
        assert_eq!(report("error: trap: b\n"), None);
    }
}
