//! What shows where a program is: `clefc gdb` and `clefc decode`.

use super::{CodeOptions, ProbeChoice, ProgramChoice};
use clap::Args;
use std::{ffi::OsString, path::PathBuf};

/// `clefc gdb`.
#[derive(Args, Debug)]
#[command(after_help = "\
The program is compiled with line tables, and without optimisation unless `-O` is given. On this machine GDB starts it; in an
emulator and on a real board it waits at its first instruction. With `--break` it continues to the first of the breakpoints.

On a real board the image is programmed first. The chip has only a few breakpoints and watchpoints in hardware. `load` is not
supported, since flash is programmed before GDB starts. The program's output is shown; its input is empty. `monitor reset`
restarts the program. After `quit` and `detach` it keeps running; after `kill` and `disconnect`, and if a signal ends GDB or
clefc, it stays halted.

With `--attach` nothing is programmed or reset: GDB stops the running program. The image (`.elf`) that was programmed may be
passed in place of source files.

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

    /// Code generation
    #[command(flatten)]
    pub code: CodeOptions,

    /// The probe
    #[command(flatten)]
    pub probe: ProbeChoice,

    /// Stops the running program on a real board, without programming or resetting it
    #[arg(long)]
    pub attach: bool,

    /// A breakpoint: a line of a source file, or any other location for GDB; may be repeated
    #[arg(long = "break", value_name = "FILE:LINE")]
    pub breakpoints: Vec<String>,

    /// Arguments for GDB, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

/// `clefc decode`.
#[derive(Args, Debug)]
#[command(after_help = "\
An image that reports its traps itself, as on a serial line, prints a line of numbers: `stack:` after a trap, `fault:` after a fault of
the processor. In their place the calls are shown that led there, with the registers after a fault. Everything else is passed on at
once. A terminal program may have put the time before each line, and may have broken long lines.

The image is the ELF file of the program on the board, best compiled with `-g`, without which there are no places in the source.

Examples:
  clefc --board ./pico.yaml -g --emit elf,uf2 hello.clef   the image, and the file for the board
  clefc decode hello.elf log.txt
  clefc decode hello.elf < log.txt
  cat /dev/ttyACM0 | clefc decode hello.elf                as it arrives")]
pub struct Decode {
    /// The image of the program (.elf)
    #[arg(value_name = "IMAGE")]
    pub image: PathBuf,

    /// The log: a file, a device, or `-` for standard input [default: standard input]
    #[arg(value_name = "LOG")]
    pub log: Option<PathBuf>,
}
