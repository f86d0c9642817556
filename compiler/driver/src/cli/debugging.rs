//! `clefc gdb`.

use super::{CodeOptions, ProgramChoice};
use clap::Args;
use std::ffi::OsString;

/// `clefc gdb`.
#[derive(Args, Debug)]
#[command(after_help = "\
The program is compiled with line tables, and without optimisation unless `-O` is given. Here it is started by GDB; in an
emulator it waits at its first instruction. With `--break` it runs on to the first of these places.

Examples:
  clefc gdb --board microbit blinky.clef
  clefc gdb --break blinky.clef:12 --board mps2-an386 blinky.clef
  clefc gdb --break main.clef:3 main.clef -- -batch -ex backtrace")]
pub struct Gdb {
    /// The program
    #[command(flatten)]
    pub program: ProgramChoice,

    /// How the code is made
    #[command(flatten)]
    pub code: CodeOptions,

    /// Stops the program there: a line of a source file, or what else GDB takes; may be repeated
    #[arg(long = "break", value_name = "FILE:LINE")]
    pub breakpoints: Vec<String>,

    /// Arguments for GDB, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}
