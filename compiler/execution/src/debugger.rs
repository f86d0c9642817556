//! GDB, which owns the terminal, and does not outlive us.

use crate::{
    hardware::interrupt,
    log::LogReader,
    process::{mortal, spawn},
};
use clef_base::{Diagnostic, codes};
use clef_host::cleanup::Guarded;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::{
    ffi::OsString,
    io,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::ExitStatus,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The polling interval for the end of GDB.
const TURN: Duration = Duration::from_millis(5);

/// How long to wait for the rest of the log when GDB has ended. A program that it has detached from may log on.
const REST: Duration = Duration::from_millis(200);

/// What shells add to the number of the signal that ended a program.
const SIGNALLED: u8 = 128;

/// A running GDB.
pub struct Debugger {
    child: Guarded,
    /// The initial terminal settings, if there is one: GDB does not restore them if it is killed.
    terminal: Option<Termios>,
    /// The reader of the log, if GDB starts the program.
    log: Option<JoinHandle<()>>,
}

impl Debugger {
    /// Starts GDB. From now on the terminal's interrupts are GDB's, and a request to end us ends GDB first.
    pub fn start(program: &Path, arguments: &[OsString], log: Option<LogReader>) -> Result<Debugger, Diagnostic> {
        interrupt::leave();
        let terminal = tcgetattr(io::stdin()).ok();
        // If we are killed, it ends as if its terminal were closed.
        let mut command = mortal(program, "HUP");
        command.args(arguments);
        let (child, log) = spawn(command, false, Vec::new(), log).map_err(|error| broken(&error))?;
        Ok(Debugger { child, terminal, log })
    }

    /// Whether it has ended, or must be ended.
    pub(crate) fn is_over(&mut self) -> Result<bool, Diagnostic> {
        Ok(self.status()?.is_some() || interrupt::termination().is_some())
    }

    /// Waits for its end; returns its status, or that of our own end.
    pub fn finish(mut self) -> Result<u8, Diagnostic> {
        loop {
            if let Some(signal) = interrupt::termination() {
                // Nobody needs what it would say about a program that is gone.
                drop(self.child);
                restore(self.terminal);
                return Ok(SIGNALLED + signal);
            }
            if let Some(status) = self.status()? {
                rest(self.log.as_ref());
                if status.signal().is_some() {
                    restore(self.terminal);
                }
                return ended(status);
            }
            thread::sleep(TURN);
        }
    }

    fn status(&mut self) -> Result<Option<ExitStatus>, Diagnostic> {
        self.child.child.try_wait().map_err(|error| broken(&error))
    }
}

/// Waits for the rest of the log.
fn rest(log: Option<&JoinHandle<()>>) {
    let start = Instant::now();
    while log.is_some_and(|log| !log.is_finished()) && start.elapsed() < REST {
        thread::sleep(TURN);
    }
}

/// Restores the terminal settings; errors are ignored, since the terminal may be gone.
fn restore(terminal: Option<Termios>) {
    let _ = terminal.map(|terminal| tcsetattr(io::stdin(), OptionalActions::Now, &terminal));
}

/// The exit status for a GDB that has ended.
fn ended(status: ExitStatus) -> Result<u8, Diagnostic> {
    match (status.code().and_then(|code| u8::try_from(code).ok()), status.signal()) {
        (Some(code), _) => Ok(code),
        (None, signal) => {
            let signal = signal.map_or_else(|| "an unknown signal".to_owned(), |signal| format!("signal {signal}"));
            Err(Diagnostic::general(codes::RUN_BROKE_OFF, format!("GDB was terminated by {signal}")))
        }
    }
}

fn broken(error: &io::Error) -> Diagnostic {
    Diagnostic::general(codes::RUN_BROKE_OFF, format!("cannot run GDB: {error}"))
}
