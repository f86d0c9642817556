//! `clefc gdb`: GDB stops at a line of a Clef program, on every family, and the program continues to its end. Simulated
//! real boards have a separate file.

mod editor;
mod probe;
mod values;

use probe::Bench;

use crate::{
    ROOT,
    board::missing,
    compiler::{LONGEST, binary, call, clefc},
    tool,
};
use clef_descriptors::{Machine, Run};
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path, process::Command};

/// A program whose line 2 runs three times.
const PROGRAM: &str = "\
let square x =
    let result = x * x
    result

let mutable sum = 0
for i in 1 .. 3 do
    sum <- sum + square i
printfn \"sum %d\" sum
Log.info $\"that is {sum}\"
";

/// GDB's commands after it has stopped at a line: it runs the program to its end.
const TO_THE_END: [&str; 8] = ["--", "-batch", "-ex", "backtrace 1", "-ex", "delete", "-ex", "continue"];

/// The trials; those for boards that lack something are ignored.
pub(crate) fn trials(boards: &[Machine]) -> Vec<Trial> {
    let trial = |machine: &Machine| {
        let board = &machine.board.value;
        let name = board.name.clone();
        let trial = match &board.run {
            Run::Native | Run::Qemu(_) => Trial::test(format!("gdb::{name}"), move || stops(&name)),
            Run::QemuUser(_) => Trial::test(format!("gdb::refused::{name}"), move || refused(&name)),
            Run::None => Trial::test(format!("gdb::missing::{name}"), move || without_probe(&name)),
        };
        match missing(board).or_else(debugger) {
            Some(missing) => tool::ignored(trial, &missing),
            None => trial,
        }
    };
    let others = [("fault", explained as fn() -> Result<(), Failed>), ("start", stops_at_start)];
    let others = others.map(|(name, run)| {
        let trial = Trial::test(format!("gdb::{name}"), run);
        match debugger() {
            Some(missing) => tool::ignored(trial, &missing),
            None => trial,
        }
    });
    let whole = WHOLE.map(|board| {
        let trial = Trial::test(format!("gdb::whole::{board}"), move || whole(board));
        let machine = boards.iter().map(|machine| &machine.board.value).find(|found| found.name == board);
        match machine.and_then(missing).or_else(debugger) {
            Some(missing) => tool::ignored(trial, &missing),
            None => trial,
        }
    });
    boards
        .iter()
        .map(trial)
        .chain(others)
        .chain(whole)
        .chain(probe::trials())
        .chain(values::trials())
        .chain(editor::trials())
        .collect()
}

/// The debugger, if it is missing.
fn debugger() -> Option<String> {
    tool::find("gdb-multiarch").is_none().then(|| "gdb-multiarch".to_owned())
}

fn stops(board: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("squares.clef"), PROGRAM)?;
    let arguments = [&["gdb", "--board", board, "--break", "squares.clef:2", "squares.clef"][..], &TO_THE_END].concat();
    // When the emulator exits, GDB may or may not treat that as an error.
    let (_, said) = said_in(directory.path(), &arguments)?;
    holds(
        &said,
        &["Breakpoint 1, ", "at squares.clef:2", "let result = x * x", "sum 14", "INFO  squares.clef:9  that is 14"],
    )
}

/// Without a breakpoint, a program on this machine stops at its first instruction too.
fn stops_at_start() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("squares.clef"), PROGRAM)?;
    let arguments = ["gdb", "squares.clef", "--", "-batch", "-ex", "backtrace", "-ex", "continue"];
    let (_, said) = said_in(directory.path(), &arguments)?;
    holds(&said, &["#0  ", "_start", "sum 14"])
}

/// The boards on which an optimised program is interrupted.
const WHOLE: [&str; 4] = ["host-linux", "mps2-an386", "qemu-virt-aarch64", "qemu-q35"];

/// The calls of an optimised program, whose inlined functions are among them, end where the image starts.
fn whole(board: &str) -> Result<(), Failed> {
    let file = "debugger/inlined.clef";
    let gdb = ["--", "-batch", "-ex", "backtrace"];
    let arguments = [&["gdb", "--board", board, "-O2", "--break", "inlined.clef:20", file][..], &gdb].concat();
    let (_, said) = said_in(Path::new(ROOT), &arguments)?;
    holds(&said, &["Inlined.total.look (", "Inlined.through<int> (", "Inlined.total.fun (", "Inlined.each ("])?;
    match said.lines().rfind(|line| line.starts_with('#')) {
        Some(last) if last.ends_with("_start ()") => Ok(()),
        other => Err(format!("the last call is {other:?}:\n{said}").into()),
    }
}

/// A fault of the program is explained as without GDB.
fn explained() -> Result<(), Failed> {
    let file = "faults/address.clef";
    let arguments = ["gdb", "--board", "mps2-an386", file, "--", "-batch", "-ex", "continue"];
    let (_, said) = said_in(Path::new(ROOT), &arguments)?;
    holds(
        &said,
        &[
            "an address without memory was accessed (PRECISERR), at address 0xc0000000",
            "CFSR 0x00008200",
            "Address.poke (address=3221225472)",
        ],
    )
}

/// The status, and the output of the program and of `clefc`, then that of GDB. GDB writes to a file: in one stream its
/// messages would divide lines of the program.
fn said_in(directory: &Path, arguments: &[&str]) -> Result<(Option<i32>, String), Failed> {
    let file = tempfile::NamedTempFile::new()?;
    let name = format!("set logging file {}", file.path().display());
    let redirection = ["-iex", &name, "-iex", "set logging redirect on", "-iex", "set logging enabled on"];
    let own = arguments.iter().position(|&argument| argument == "--").ok_or("no arguments for GDB")? + 1;
    let mut command = Command::new(binary()?);
    command.arg("--color=never").args([&arguments[..own], &redirection, &arguments[own..]].concat());
    // GDB reads the sources of the library there.
    let cache = tempfile::Builder::new().prefix("user cache").tempdir()?;
    command.current_dir(directory).env("XDG_CACHE_HOME", cache.path());
    let call = call(&mut command, b"", LONGEST)?;
    let said = [&*String::from_utf8_lossy(&call.output), &call.errors, &fs::read_to_string(file.path())?].concat();
    Ok((call.status, said))
}

fn holds(said: &str, parts: &[&str]) -> Result<(), Failed> {
    match parts.iter().find(|part| !said.contains(**part)) {
        Some(part) => Err(format!("{part:?} is missing in\n{said}").into()),
        None => Ok(()),
    }
}

/// A board that cannot be emulated is searched for at a probe.
fn without_probe(board: &str) -> Result<(), Failed> {
    let selector = "1d50:6018:127.0.0.1:1";
    let call = clefc(&["gdb", "--board", board, "--probe", selector, "../examples/hello.clef"], b"")?;
    if call.status == Some(125) && call.errors.contains("E0940") { Ok(()) } else { Err(call.errors.into()) }
}

fn refused(board: &str) -> Result<(), Failed> {
    let call = clefc(&["gdb", "--board", board, "../examples/hello.clef"], b"")?;
    let is_told = call.errors.contains("E0931") && call.errors.contains("cannot be debugged");
    if call.status == Some(1) && is_told { Ok(()) } else { Err(call.errors.into()) }
}
