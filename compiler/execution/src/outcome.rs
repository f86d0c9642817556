//! The input and the outcome of a run.

use crate::hardware::choice::Probe;
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Board, Bytes};
use std::{ffi::OsString, time::Duration};

/// The input of a run, and its time limit.
#[derive(Clone, Debug)]
pub struct Execution<'a> {
    /// Arguments for the program.
    pub arguments: &'a [OsString],
    /// The time limit after which the program is ended; `None` for no limit.
    pub timeout: Option<Duration>,
    /// Where input comes from and output goes.
    pub streams: Streams,
    /// Whether the program uses the board's serial line, which then shares its input and output.
    pub uses_uart: bool,
    /// What it runs on.
    pub means: Means<'a>,
}

/// What a program runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means<'a> {
    /// On this machine or in an emulator, as its board says.
    Here,
    /// On a real board, by a debug probe.
    Probe(&'a Probe),
}

/// Where input comes from and output goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Streams {
    /// Our own.
    Inherited,
    /// The given input; output is captured.
    Captured {
        /// What the program reads.
        input: Vec<u8>,
    },
}

/// How a run ended, with the output if it was captured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What the program wrote to standard output; empty unless captured.
    pub output: Vec<u8>,
    /// What the program wrote to standard error; empty unless captured.
    pub errors: Vec<u8>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The program ended by itself.
    Status(u8),
    /// It was ended because it exceeded its time limit.
    TimedOut(Duration),
    /// The user interrupted it, on a real board.
    Interrupted {
        /// Whether the processor is halted; otherwise the program keeps running.
        is_halted: bool,
    },
    /// The core of the machine locked up: a fault while it handled a fault.
    LockedUp {
        /// The messages of the emulator or the probe.
        report: Vec<String>,
    },
    /// The emulator or the process died, or the processor halted.
    Died {
        /// The cause.
        reason: String,
        /// The messages of the emulator or the probe.
        report: Vec<String>,
    },
}

impl Ending {
    /// The diagnostic for an ending that is not the program's own. `need` is the bound of the program's stack, if
    /// known.
    pub fn diagnostic(&self, board: &Board, need: Option<u64>) -> Option<Diagnostic> {
        let stack = board.stack;
        let board = &board.name;
        let with_report = |diagnostic: Diagnostic, report: &[String]| {
            report.iter().fold(diagnostic, |diagnostic, line| diagnostic.note(line.as_str()))
        };
        match self {
            Ending::Status(_) | Ending::Interrupted { .. } => None,
            Ending::TimedOut(time) => {
                let message = format!("the program did not end within {} s on `{board}`", time.as_secs_f64());
                Some(Diagnostic::general(codes::TIMED_OUT, message).help("increase the limit with `--timeout SECONDS`"))
            }
            Ending::LockedUp { report } => {
                let message = format!("the processor of `{board}` locked up: a fault while handling a fault");
                let help = lockup_help(stack, need);
                Some(with_report(Diagnostic::general(codes::LOCKED_UP, message), report).help(help))
            }
            Ending::Died { reason, report } => {
                let message = format!("the run on `{board}` ended abnormally: {reason}");
                Some(with_report(Diagnostic::general(codes::RUN_BROKE_OFF, message), report))
            }
        }
    }
}

/// The size of a Cortex-M exception frame, which a fault pushes.
const EXCEPTION_FRAME: Bytes = Bytes(32);

/// What to check if a processor has locked up.
fn lockup_help(stack: Bytes, need: Option<u64>) -> String {
    match need {
        Some(need) if need > stack.0 => {
            format!("increase the board's `stack`: it has {stack} bytes, but the program may need {need}")
        }
        _ if stack < EXCEPTION_FRAME => {
            format!("increase the board's `stack`: it has {stack} bytes, but an exception pushes {EXCEPTION_FRAME}")
        }
        _ => "check the memory map in the board's descriptor, and code that writes to arbitrary addresses".to_owned(),
    }
}
