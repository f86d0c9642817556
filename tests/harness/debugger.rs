//! `clefc gdb`: GDB stops at a line of a Clef program, on every family and on a real board that is simulated, and the program
//! goes on to its end.

use crate::{
    board::missing,
    compiler::{clefc, clefc_in},
    tool,
};
use clef_target::{Machine, Run};
use libtest_mimic::{Failed, Trial};
use probe_sim::{Options, Simulator};
use std::{fs, path::Path};

/// A program of which line 2 is run three times.
const PROGRAM: &str = "\
let square x =
    let result = x * x
    result

let mutable sum = 0
for i in 1 .. 3 do
    sum <- sum + square i
printfn \"sum %d\" sum
";

/// A program that ends with a status.
const FAILING: &str = "\
[<EntryPoint>]
let main argv =
    Console.writeln \"begun\"
    7
";

/// A program that does not end by itself.
const ENDLESS: &str = "\
let rec turn count =
    if count = 1 then Console.writeln \"begun\"
    turn (count + 1)

turn 0
";

/// A micro:bit whose console is RTT.
const RTT_BOARD: &str = "inherits: microbit\ndescription: micro:bit with RTT\nconsole: { kind: rtt }\n";

/// What GDB does once it has stopped at a line: it runs the program to its end.
const TO_THE_END: [&str; 8] = ["--", "-batch", "-ex", "backtrace 1", "-ex", "delete", "-ex", "continue"];

/// The trials; those for whose board something is missing are ignored.
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
    boards.iter().map(trial).chain(probe_trials()).collect()
}

/// The trials at a simulated probe.
fn probe_trials() -> Vec<Trial> {
    let trials = vec![
        Trial::test("gdb::probe::stops", stops_at_probe),
        Trial::test("gdb::probe::ends", ends_at_probe),
        Trial::test("gdb::probe::steps", steps_at_probe),
        Trial::test("gdb::probe::interrupted", interrupted_at_probe),
    ];
    let emulator = || tool::find("qemu-system-arm").is_none().then(|| "qemu-system-arm".to_owned());
    match debugger().or_else(emulator) {
        Some(missing) => trials.into_iter().map(|trial| tool::ignored(trial, &missing)).collect(),
        None => trials,
    }
}

/// The debugger, if it is missing.
fn debugger() -> Option<String> {
    tool::find("gdb-multiarch").is_none().then(|| "gdb-multiarch".to_owned())
}

fn stops(board: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("squares.clef"), PROGRAM)?;
    let arguments = [&["gdb", "--board", board, "--break", "squares.clef:2", "squares.clef"][..], &TO_THE_END].concat();
    // When the emulator has gone, GDB may or may not take that for an error.
    let (_, said) = said_in(directory.path(), &arguments)?;
    holds(&said, &["Breakpoint 1, ", "at squares.clef:2", "let result = x * x", "sum 14"])
}

/// The status, and what GDB and the program say.
fn said_in(directory: &Path, arguments: &[&str]) -> Result<(Option<i32>, String), Failed> {
    let call = clefc_in(directory, arguments, b"")?;
    Ok((call.status, String::from_utf8_lossy(&call.output).into_owned() + &call.errors))
}

fn holds(said: &str, parts: &[&str]) -> Result<(), Failed> {
    match parts.iter().find(|part| !said.contains(**part)) {
        Some(part) => Err(format!("{part:?} is missing in\n{said}").into()),
        None => Ok(()),
    }
}

/// What is said about a program on a board at a simulated probe; it is started by a breakpoint, and GDB gets these arguments.
fn at_probe(board: &str, program: &str, breakpoint: &str, arguments: &[&str]) -> Result<String, Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("squares.clef"), program)?;
    fs::write(directory.path().join("rtt.yaml"), RTT_BOARD)?;
    let selector = simulator.selector();
    let call = ["gdb", "--board", board, "--probe", &selector, "--break", breakpoint, "squares.clef"];
    match said_in(directory.path(), &[&call[..], arguments].concat())? {
        (Some(0), said) => Ok(said),
        (status, said) => Err(format!("status {status:?}\n{said}").into()),
    }
}

/// By semihosting and by RTT.
fn stops_at_probe() -> Result<(), Failed> {
    for board in ["microbit", "./rtt.yaml"] {
        let said = at_probe(board, PROGRAM, "squares.clef:2", &TO_THE_END)?;
        let exit = "[Inferior 1 (process 1) exited normally]";
        holds(&said, &["Breakpoint 1, ", "at squares.clef:2", "let result = x * x", "sum 14", exit])?;
    }
    Ok(())
}

fn ends_at_probe() -> Result<(), Failed> {
    for board in ["microbit", "./rtt.yaml"] {
        let said = at_probe(board, FAILING, "squares.clef:3", &TO_THE_END)?;
        holds(&said, &["at squares.clef:3", "begun", "exited with code 07]"])?;
    }
    Ok(())
}

/// Lines and instructions are stepped, across calls of semihosting too; the chip is reset; what cannot be done is refused.
fn steps_at_probe() -> Result<(), Failed> {
    let orders = ["next", "monitor reset", "set {int}0 = 5", "delete", "stepi 50", "continue"];
    let orders = orders.iter().flat_map(|order| ["-ex", *order]);
    let arguments: Vec<&str> = ["--", "-batch"].into_iter().chain(orders).collect();
    let said = at_probe("microbit", PROGRAM, "squares.clef:2", &arguments)?;
    holds(&said, &["\n6\tfor i in", "halted at its beginning", "Cannot access memory at address 0x0", "sum 14"])
}

/// Control C stops a program that does not end.
fn interrupted_at_probe() -> Result<(), Failed> {
    let later = "python import os, signal, threading; \
                 threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()";
    let arguments = ["--", "-batch", "-ex", "delete", "-ex", later, "-ex", "continue"];
    let said = at_probe("microbit", ENDLESS, "squares.clef:5", &arguments)?;
    holds(&said, &["received signal SIGINT", "squares.clef"])
}

/// A board that is there only as a thing is looked for at a probe.
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
