//! `clefc gdb`: GDB stops at a line of a Clef program, on every family, and the program goes on to its end.

use crate::{
    board::missing,
    compiler::{clefc, clefc_in},
    tool,
};
use clef_target::{Machine, Run};
use libtest_mimic::{Failed, Trial};
use std::fs;

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

/// The trials; those for whose board something is missing are ignored.
pub(crate) fn trials(boards: &[Machine]) -> Vec<Trial> {
    let trial = |machine: &Machine| {
        let board = &machine.board.value;
        let name = board.name.clone();
        let trial = match &board.run {
            Run::Native | Run::Qemu(_) => Trial::test(format!("gdb::{name}"), move || stops(&name)),
            Run::QemuUser(_) | Run::None => Trial::test(format!("gdb::refused::{name}"), move || refused(&name)),
        };
        let debugger = if tool::find("gdb-multiarch").is_none() { Some("gdb-multiarch".to_owned()) } else { None };
        match missing(board).or(debugger) {
            Some(missing) => tool::ignored(trial, &missing),
            None => trial,
        }
    };
    boards.iter().map(trial).collect()
}

fn stops(board: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("squares.clef"), PROGRAM)?;
    let batch = ["--", "-batch", "-ex", "backtrace 1", "-ex", "delete", "-ex", "continue"];
    let arguments = [&["gdb", "--board", board, "--break", "squares.clef:2", "squares.clef"][..], &batch].concat();
    let call = clefc_in(directory.path(), &arguments, b"")?;
    let said = String::from_utf8_lossy(&call.output).into_owned() + &call.errors;
    for part in ["Breakpoint 1, ", "at squares.clef:2", "let result = x * x", "sum 14"] {
        if !said.contains(part) {
            return Err(format!("{part:?} is missing in\n{said}").into());
        }
    }
    Ok(())
}

fn refused(board: &str) -> Result<(), Failed> {
    let call = clefc(&["gdb", "--board", board, "../examples/hello.clef"], b"")?;
    let is_told = call.errors.contains("E0931") && call.errors.contains("cannot be debugged");
    if call.status == Some(1) && is_told { Ok(()) } else { Err(call.errors.into()) }
}
