//! GDB on a chip: the probe executes the requests of its remote protocol, and the console of the running program is
//! served as in any other run.
//!
//! In: a connection whose flash contains the program, a line to GDB, and a [`Console`]. Out: what happens to the
//! processor. `debuggee.rs` executes the requests of GDB, `target.rs` implements the traits of gdbstub,
//! `architecture.rs` describes the processor and `memory.rs` its memory; this module transfers the bytes.

mod architecture;
mod debuggee;
mod memory;
mod target;
mod watchpoints;

use crate::{
    Console,
    connection::Connection,
    failure::{Doing, Failure},
    model::{Afterwards, Debugged},
};
use debuggee::{Debuggee, Look, Stop};
use gdbstub::{
    common::Signal,
    conn,
    stub::{DisconnectReason, GdbStub, GdbStubError, SingleThreadStopReason, state_machine::GdbStubStateMachine},
};
use std::{
    io::{self, ErrorKind, Read, Write},
    time::{Duration, Instant},
};
use watchpoints::Watchpoint;

/// The packet `OK`.
const DONE: &[u8] = b"$OK#9a";

/// The interval at which GDB is polled while a program keeps its console busy.
const BUSY: Duration = Duration::from_millis(20);

impl Connection {
    /// Halts the program at its start or where it is, and serves GDB until it disconnects, the program exits, or the
    /// user interrupts. Reads from the line must return [`ErrorKind::WouldBlock`] or [`ErrorKind::TimedOut`] after a
    /// few milliseconds without data.
    pub fn debug(
        &mut self,
        debugged: Debugged,
        line: impl Read + Write,
        console: &mut dyn Console,
    ) -> Result<Afterwards, Failure> {
        if !self.session.target().default_core().core_type.is_cortex_m() {
            let causes = vec![format!("the processor of a `{}` is not a Cortex-M", self.chip)];
            return Err(Failure::Broken { doing: Doing::Running, causes });
        }
        self.work(Doing::Running, |session| {
            let mut debuggee = Debuggee::new(session.core(0)?, debugged, console)?;
            debuggee.begin()?;
            let left = serve(&mut debuggee, Line { stream: line, unsent: Vec::new() });
            let cleared = debuggee.end();
            let afterwards = left?;
            cleared.map(|()| afterwards)
        })
    }
}

/// The line to GDB. Data is sent as whole packets.
struct Line<S> {
    stream: S,
    unsent: Vec<u8>,
}

impl<S: Read + Write> conn::Connection for Line<S> {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.unsent.push(byte);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.unsent)?;
        self.unsent.clear();
        self.stream.flush()
    }
}

impl<S: Read + Write> Line<S> {
    /// The next byte from GDB; `None` if none has arrived.
    fn receive(&mut self) -> io::Result<Option<u8>> {
        conn::Connection::flush(self)?;
        let mut byte = [0];
        match self.stream.read(&mut byte) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(Some(byte[0])),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Why the session with GDB ended.
enum Broken {
    /// The probe or the chip failed.
    Chip(probe_rs::Error),
    /// GDB has disconnected, sent invalid data, or must disconnect.
    Line,
}

impl From<probe_rs::Error> for Broken {
    fn from(error: probe_rs::Error) -> Broken {
        Broken::Chip(error)
    }
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Broken {
        Broken::Line
    }
}

impl From<GdbStubError<probe_rs::Error, io::Error>> for Broken {
    fn from(error: GdbStubError<probe_rs::Error, io::Error>) -> Broken {
        error.into_target_error().map_or(Broken::Line, Broken::Chip)
    }
}

/// Serves GDB until it disconnects. If the line breaks, the program does not keep running.
fn serve<S: Read + Write>(debuggee: &mut Debuggee<'_, '_>, line: Line<S>) -> Result<Afterwards, probe_rs::Error> {
    match talk(debuggee, line) {
        Ok(DisconnectReason::TargetExited(_) | DisconnectReason::Disconnect) => Ok(Afterwards::Running),
        Ok(DisconnectReason::TargetTerminated(_) | DisconnectReason::Kill) | Err(Broken::Line) => {
            Ok(Afterwards::Halted)
        }
        Err(Broken::Chip(error)) => Err(error),
    }
}

fn talk<S: Read + Write>(debuggee: &mut Debuggee<'_, '_>, line: Line<S>) -> Result<DisconnectReason, Broken> {
    let mut gdb = GdbStub::new(line).run_state_machine(debuggee)?;
    loop {
        if debuggee.is_interrupted() {
            return Err(Broken::Line);
        }
        gdb = match gdb {
            GdbStubStateMachine::Idle(mut idle) => match idle.borrow_conn().receive()? {
                Some(byte) => idle.incoming_data(debuggee, byte)?,
                None => idle.into(),
            },
            GdbStubStateMachine::Running(mut running) => match watched(debuggee)? {
                Some(stop) => running.report_stop(debuggee, reason(stop))?,
                None => match running.borrow_conn().receive()? {
                    Some(byte) => running.incoming_data(debuggee, byte)?,
                    None => running.into(),
                },
            },
            GdbStubStateMachine::CtrlCInterrupt(interrupted) => {
                debuggee.interrupt()?;
                interrupted.interrupt_handled(debuggee, Some(reason(Stop::Interrupted)))?
            }
            GdbStubStateMachine::Disconnected(mut gone) => {
                let reason = gone.get_reason();
                if let DisconnectReason::Kill = reason {
                    // GDB waits for an answer, and gdbstub sends none.
                    let line = gone.borrow_conn();
                    line.unsent.extend_from_slice(DONE);
                    conn::Connection::flush(line)?;
                    return Ok(reason);
                }
                if let DisconnectReason::Disconnect = reason {
                    debuggee.resume()?;
                }
                return Ok(reason);
            }
        };
    }
}

/// Serves a running program while it makes requests and GDB does not have to wait for long.
fn watched(debuggee: &mut Debuggee<'_, '_>) -> Result<Option<Stop>, probe_rs::Error> {
    let start = Instant::now();
    loop {
        match debuggee.look()? {
            Look::Stopped(stop) => return Ok(Some(stop)),
            Look::Served if start.elapsed() < BUSY => {}
            Look::Served | Look::Nothing => return Ok(None),
        }
    }
}

fn reason(stop: Stop) -> SingleThreadStopReason<u32> {
    match stop {
        Stop::Watched(Watchpoint { kind, address, .. }) => {
            SingleThreadStopReason::Watch { tid: (), kind, addr: address }
        }
        Stop::Trap => SingleThreadStopReason::Signal(Signal::SIGTRAP),
        Stop::Stepped => SingleThreadStopReason::DoneStep,
        Stop::Interrupted => SingleThreadStopReason::Signal(Signal::SIGINT),
        Stop::LockedUp => SingleThreadStopReason::Signal(Signal::SIGSEGV),
        Stop::Exited(status) => SingleThreadStopReason::Exited(status),
    }
}
