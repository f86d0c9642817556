//! The log has defmt's format: its own tools, as published on crates.io, read the output of programs.
//!
//! `cargo xtask decoders` installs them. Without them the trials are ignored.

use crate::{
    compiler::{Call, call, clefc_in},
    tool,
};
use libtest_mimic::{Failed, Trial};
use probe_sim::{Options, Simulator};
use std::{fs, process::Command, time::Duration};
use tempfile::TempDir;

/// A program that logs values of every kind with an encoding of its own.
const PROGRAM: &str = "\
[<EntryPoint>]
let main argv =
    let reading, state = -3, \"high\"
    Log.trace \"begun\"
    Log.info $\"reading {reading} is {state}, {reading = 3}, {0x2aL:x4}, {'é'}, {2.5}, {(1, Some 2)}\"
    Log.error $\"{{{reading + 20}}}\"
    7
";

/// The expected output of the tools with `FORMAT`.
const LINES: [&str; 3] = [
    "TRACE main.clef:4 begun",
    "INFO main.clef:5 reading -3 is high, False, 002a, é, 2.5, (1, Some 2)",
    "ERROR main.clef:6 {17}",
];

/// A level, a location, and a message.
const FORMAT: &str = "{L} {f}:{l} {s}";

/// The time limit of a run.
const LONGEST: Duration = Duration::from_secs(60);

/// A trial for each tool.
pub(crate) fn trials() -> Vec<Trial> {
    let of = |name: &str, tools: &[&str], trial: fn() -> Result<(), Failed>| {
        let trial = Trial::test(format!("decoders::{name}"), trial);
        match tools.iter().find(|tool| tool::find(tool).is_none()) {
            Some(missing) => tool::ignored(trial, missing),
            None => trial,
        }
    };
    vec![of("defmt_print", &["defmt-print"], defmt_print), of("probe_rs", &["probe-rs", "qemu-system-arm"], probe_rs)]
}

/// `defmt-print` reads the log file of a process.
fn defmt_print() -> Result<(), Failed> {
    let directory = workshop(&["--board", "host-linux"])?;
    let script = format!("./main.elf 191>frames; defmt-print -e main.elf --log-format '{FORMAT}' < frames");
    let shown = call(Command::new("bash").args(["-c", &script]).current_dir(directory.path()), b"", LONGEST)?;
    expect_lines(&shown)
}

/// `probe-rs run` programs an image, runs it, and reads its log by RTT.
fn probe_rs() -> Result<(), Failed> {
    let directory = workshop(&["--board", "rtt.yaml"])?;
    let simulator = Simulator::start(&Options::microbit())?;
    let mut command = Command::new("probe-rs");
    command.args(["run", "--chip", "nRF51822_xxAA", "--protocol", "swd", "--verify", "--log-format", FORMAT]);
    command.args(["--probe", &simulator.selector(), "main.elf"]).current_dir(directory.path());
    let shown = call(&mut command, b"", LONGEST)?;
    expect_lines(&shown)?;
    // It prints the status, and fails if the status is not zero.
    let said = format!("{}{}", String::from_utf8_lossy(&shown.output), shown.errors);
    if said.contains("exit code 7") { Ok(()) } else { Err(said.into()) }
}

/// A directory with the program, compiled.
fn workshop(board: &[&str]) -> Result<TempDir, Failed> {
    let directory = tempfile::tempdir()?;
    let rtt = "inherits: microbit\ndescription: micro:bit with RTT\nconsole: { kind: rtt }\n";
    fs::write(directory.path().join("rtt.yaml"), rtt)?;
    fs::write(directory.path().join("main.clef"), PROGRAM)?;
    let compiled = clefc_in(directory.path(), &[board, &["-o", "main.elf", "main.clef"]].concat(), b"")?;
    if compiled.status == Some(0) { Ok(directory) } else { Err(compiled.errors.into()) }
}

/// Asserts that all lines were shown, in order; the tools align them by spaces.
fn expect_lines(shown: &Call) -> Result<(), Failed> {
    let output = String::from_utf8_lossy(&shown.output);
    let aligned = output.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let found: Vec<String> = aligned.filter(|line| line.contains("main.clef:")).collect();
    let is_right =
        found.len() == LINES.len() && found.iter().zip(LINES).all(|(line, expected)| line.ends_with(expected));
    if is_right { Ok(()) } else { Err(format!("{output}\n{}", shown.errors).into()) }
}
