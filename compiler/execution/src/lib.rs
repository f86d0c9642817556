//! Running an image: as a process of this machine, in an emulator, or on a real board.
//!
//! In: the path of an image, its board, and the program's input. Out: how it ended ([`Outcome`]), and its output if
//! that is captured. In all cases, the emulator ends as well, and the debug probe is released.

mod arguments;
mod backtrace;
mod debug_stub;
mod debuggee;
mod debugger;
pub mod fault;
mod foreign;
pub mod hardware;
mod invocation;
pub mod log;
mod outcome;
mod process;
mod verdict;

use crate::{
    fault::{FaultReader, Source},
    log::LogView,
};
pub use arguments::{no_entry as no_entry_for_arguments, refused as refused_arguments};
use clef_base::Diagnostic;
use clef_descriptors::{Board, Boot, Run};
use clef_host::user_files::UserFiles;
use debug_stub::Caught;
pub use debuggee::{Debuggee, Emulator, debuggee};
pub use debugger::Debugger;
pub use invocation::missing_emulator;
use invocation::{Invocation, Used};
pub use invocation::{emulator, find_program};
/// How GDB shows the values of Clef: a script in Python.
pub const PRINTERS: &str = include_str!("printers/clef.py");

pub use outcome::{Ending, Execution, Means, Outcome, Streams};
use std::path::Path;

/// Runs an image to its end.
pub fn execute(image: &Path, board: &Board, execution: &Execution<'_>) -> Result<Outcome, Diagnostic> {
    run(image, board, execution, None)
}

/// Runs an image that logs, and shows its messages.
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
    let reader = log.map(LogView::reader);
    let used = Used { uart: execution.uses_uart, log: reader.is_some(), status: true };
    foreign::check(image, board)?;
    let caught = match (&board.run, board.boot) {
        (Run::Qemu(_), Boot::CortexM) => Caught::prepare(image, board)?,
        (Run::Qemu(_) | Run::Native | Run::QemuUser(_) | Run::None, _) => None,
    };
    let started = caught.as_ref().map_or(image, Caught::path);
    let invocation = Invocation::of(started, board, execution.arguments, used)?;
    let faults = || FaultReader::new(Source::File(image.to_owned()), board.boot);
    let finished = process::run(&invocation, execution, reader, caught, &faults)?;
    Ok(verdict::outcome(&invocation, finished))
}

#[cfg(test)]
mod tests;
