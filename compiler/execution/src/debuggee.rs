//! A program that waits for a debugger.

use crate::{
    fault::{FaultReader, Source},
    invocation::{Invocation, Used},
    log::{LogReader, LogView},
    process::{mortal, pass_on, spawn},
};
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Board, Run};
use clef_host::cleanup::Guarded;
use std::{
    path::Path,
    process::Stdio,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// What a debugger attaches to.
pub enum Debuggee {
    /// The image itself: the debugger starts it, and its log is read by this.
    Process(Option<LogReader>),
    /// An emulator that has not started the image yet, and that ends with this guard.
    Machine(Emulator),
}

/// An emulator, and the readers of its program's output and log.
pub struct Emulator {
    child: Option<Guarded>,
    readers: Vec<JoinHandle<()>>,
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // Ending the emulator ends the streams.
        drop(self.child.take());
        self.readers.drain(..).for_each(|reader| drop(reader.join()));
    }
}

/// How long to wait until an emulator listens.
const PATIENCE: Duration = Duration::from_secs(10);

/// Starts an image so that a debugger can connect at the socket. Shows its output and its log.
pub fn debuggee(
    image: &Path,
    board: &Board,
    socket: &Path,
    uses_uart: bool,
    log: Option<LogView>,
) -> Result<Debuggee, Diagnostic> {
    let unsuitable = |what: &str, help: &str| {
        let message = format!("programs on `{}` cannot be debugged: {what}", board.name);
        Err(Diagnostic::general(codes::NOT_RUNNABLE, message).help(help))
    };
    match &board.run {
        Run::Native => return Ok(Debuggee::Process(log.map(LogView::reader))),
        Run::Qemu(_) => {}
        Run::QemuUser(_) => return unsuitable("they run in QEMU user mode", "debug on a board, or on this machine"),
        Run::None => {
            let help = "add the line `chip: NAME` to its descriptor, with the name that debug probes use";
            return unsuitable("it has no emulator", help);
        }
    }
    let invocation = Invocation::of(image, board, &[], Used { uart: uses_uart, log: log.is_some(), status: false })?;
    let mut command = mortal(&invocation.program, "KILL");
    command.args(&invocation.arguments).arg("-S").arg("-gdb");
    command.arg(format!("unix:path={},server=on,wait=off", socket.display()));
    // Interrupts from the terminal are the debugger's.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let broken = |what: String| {
        Diagnostic::general(codes::RUN_BROKE_OFF, format!("cannot run `{}`: {what}", invocation.program.display()))
    };
    let (mut child, log) =
        spawn(command, true, Vec::new(), log.map(LogView::reader)).map_err(|error| broken(error.to_string()))?;
    let faults = || FaultReader::new(Source::File(image.to_owned()), board.boot);
    let mut readers = pass_on(&mut child.child, &faults);
    readers.extend(log);
    let start = Instant::now();
    while !socket.exists() {
        if let Ok(Some(status)) = child.child.try_wait() {
            return Err(broken(format!("it exited immediately, with {status}")));
        }
        if start.elapsed() > PATIENCE {
            return Err(broken("it does not listen for a debugger".to_owned()));
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(Debuggee::Machine(Emulator { child: Some(child), readers }))
}
