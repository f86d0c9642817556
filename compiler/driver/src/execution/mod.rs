//! Running an image: as a process of this machine, in an emulator, or on a real board.
//!
//! In: the path of an image, its board, and what the program is given. Out: how it ended ([`Outcome`]), and its output if
//! that was to be captured. However this ends, the emulator ends as well, and the debug probe is let go.

mod arguments;
mod debuggee;
mod debugger;
mod foreign;
mod invocation;
mod process;
mod verdict;

use crate::{
    fault::{FaultReader, Source},
    hardware,
    log::LogView,
    user_files::UserFiles,
};
pub(crate) use arguments::{no_entry as no_entry_for_arguments, refused as refused_arguments};
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Board, Bytes};
pub(crate) use debuggee::{Debuggee, debuggee};
pub(crate) use debugger::Debugger;
pub use invocation::missing_emulator;
use invocation::{Invocation, Used};
pub(crate) use invocation::{emulator, find_program};
use std::{ffi::OsString, io::PipeReader, path::Path, time::Duration};

/// What the program is given, and for how long.
#[derive(Clone, Debug)]
pub struct Execution<'a> {
    /// Arguments for the program.
    pub arguments: &'a [OsString],
    /// After this time the program is ended; `None` waits for ever.
    pub timeout: Option<Duration>,
    /// Where input comes from and output goes.
    pub streams: Streams,
    /// Whether the program talks over the board's serial line, which then shares its input and output.
    pub uses_uart: bool,
    /// On what it runs.
    pub means: Means<'a>,
}

/// On what a program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means<'a> {
    /// On this machine or in an emulator, as its board says.
    Here,
    /// On a real board, by a debug probe.
    Probe(&'a hardware::Probe),
}

/// Where input comes from and output goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Streams {
    /// To and from our own.
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
    /// It was ended because its time was over.
    TimedOut(Duration),
    /// The user interrupted it, on a real board.
    Interrupted {
        /// Whether the processor is halted; else the program runs on.
        is_halted: bool,
    },
    /// The core of the machine locked up: a fault while it handled a fault.
    LockedUp {
        /// What the emulator or the probe says.
        report: Vec<String>,
    },
    /// The emulator or the process died, or the processor halted.
    Died {
        /// Of what.
        reason: String,
        /// What the emulator or the probe says.
        report: Vec<String>,
    },
}

impl Ending {
    /// The diagnostic for an ending that is not the program's own. `need` is the bound of the program's stack, if it is known.
    pub fn diagnostic(&self, board: &Board, need: Option<u64>) -> Option<Diagnostic> {
        let stack = board.stack;
        let board = &board.name;
        let with_report = |diagnostic: Diagnostic, report: &[String]| {
            report.iter().fold(diagnostic, |diagnostic, line| diagnostic.note(line.as_str()))
        };
        match self {
            Ending::Status(_) | Ending::Interrupted { .. } => None,
            Ending::TimedOut(time) => {
                let message = format!("the program had not ended after {} s on `{board}`", time.as_secs_f64());
                Some(Diagnostic::general(codes::TIMED_OUT, message).help("give it more time by `--timeout SECONDS`"))
            }
            Ending::LockedUp { report } => {
                let message = format!("the processor of `{board}` locked up: a fault while handling a fault");
                let help = lockup_help(stack, need);
                Some(with_report(Diagnostic::general(codes::LOCKED_UP, message), report).help(help))
            }
            Ending::Died { reason, report } => {
                let message = format!("the run on `{board}` broke off: {reason}");
                Some(with_report(Diagnostic::general(codes::RUN_BROKE_OFF, message), report))
            }
        }
    }
}

/// What a Cortex-M stores on the stack when an exception begins, which a fault is.
const EXCEPTION_FRAME: Bytes = Bytes(32);

/// What to look for where a processor has locked up.
fn lockup_help(stack: Bytes, need: Option<u64>) -> String {
    match need {
        Some(need) if need > stack.0 => {
            format!("make the board's `stack` larger: it has {stack} bytes, and the program can need {need}")
        }
        _ if stack < EXCEPTION_FRAME => {
            format!("make the board's `stack` larger: it has {stack} bytes, and an exception stores {EXCEPTION_FRAME}")
        }
        _ => "look for memory in the board's descriptor that the machine does not have, or for code that writes to addresses of \
              its own choice"
            .to_owned(),
    }
}

/// Runs an image to its end.
pub fn execute(image: &Path, board: &Board, execution: &Execution<'_>) -> Result<Outcome, Diagnostic> {
    run(image, board, execution, None)
}

/// What reads the log of a program, until it ends.
type LogReader = Box<dyn FnOnce(PipeReader) + Send>;

/// Shows the log of a program.
fn log_reader(view: LogView) -> LogReader {
    Box::new(move |source| view.follow(source))
}

/// Runs an image whose program logs, and shows its messages.
pub fn execute_logging(
    image: &Path,
    board: &Board,
    execution: &Execution<'_>,
    view: LogView,
) -> Result<Outcome, Diagnostic> {
    run(image, board, execution, Some(view))
}

fn run(image: &Path, board: &Board, execution: &Execution<'_>, log: Option<LogView>) -> Result<Outcome, Diagnostic> {
    if let Means::Probe(probe) = execution.means {
        let image = UserFiles::default().bytes(image)?;
        let mut viewer = log.as_ref().map(LogView::viewer);
        let mut show = |bytes: &[u8]| viewer.iter_mut().for_each(|viewer| viewer.show(bytes));
        return hardware::execute(&image, board, execution, probe, &mut show);
    }
    let reader = log.map(log_reader);
    let used = Used { uart: execution.uses_uart, log: reader.is_some(), status: true };
    foreign::check(image, board)?;
    let invocation = Invocation::of(image, board, execution.arguments, used)?;
    let faults = || FaultReader::new(Source::File(image.to_owned()), board.boot);
    let finished = process::run(&invocation, execution, reader, &faults)?;
    Ok(verdict::outcome(&invocation, finished))
}

#[cfg(test)]
mod tests;
