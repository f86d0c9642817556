//! `clefc gdb`.

use super::{CodeOptions, ProbeChoice, ProgramChoice};
use clap::Args;
use std::ffi::OsString;

/// `clefc gdb`.
#[derive(Args, Debug)]
#[command(after_help = "\
The program is compiled with line tables, and without optimisation unless `-O` is given. Here it is started by GDB; in an
emulator and on a real board it waits at its first instruction. With `--break` it runs on to the first of these places.

On a real board the image is programmed first. Breakpoints and watchpoints are the chip's own, and few; `load` is
refused: flash is programmed before GDB starts. The program's output is shown, and its input is empty. `monitor reset` lets
it begin anew. After `quit` and `detach` it runs on; it is left halted after `kill` and `disconnect`, and when GDB or clefc is
ended by a signal.

With `--attach` nothing is programmed or reset: GDB stops what runs on the board where it is. In place of source files the
image (`.elf`) may be given that was programmed.

Examples:
  clefc gdb --board microbit blinky.clef
  clefc gdb --break blinky.clef:12 --board mps2-an386 blinky.clef
  clefc gdb --board microbit --probe 0d28:0204 blinky.clef
  clefc gdb --board microbit --attach blinky.elf
  clefc gdb --break main.clef:3 main.clef -- -batch -ex backtrace")]
pub struct Gdb {
    /// The program
    #[command(flatten)]
    pub program: ProgramChoice,

    /// How the code is made
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,

    /// Stops what runs on a real board where it is; it is neither programmed nor reset
    #[arg(long)]
    pub attach: bool,

    /// Stops the program there: a line of a source file, or what else GDB takes; may be repeated
    #[arg(long = "break", value_name = "FILE:LINE")]
    pub breakpoints: Vec<String>,

    /// Arguments for GDB, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}
