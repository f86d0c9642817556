//! GDB on a real board: it is started when the program is in flash, and communicates with us over a socket.

use super::{Console, Hardware, Image, Probe, diagnostic, interrupt};
use crate::{debugger::Debugger, fault::FaultReader, log::LogView};
use clef_base::{Diagnostic, codes};
use clef_descriptors::Board;
use clef_probe::{Afterwards, Begin, Debugged, Permission};
use std::{
    ffi::OsString,
    io::{self, ErrorKind},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    thread,
    time::Duration,
};

/// How long to wait for GDB and for the program, alternately.
const TURN: Duration = Duration::from_millis(2);

/// A program to debug on a real board.
pub struct DebuggedBoard<'a> {
    /// Its image.
    pub image: &'a [u8],
    /// The board.
    pub board: &'a Board,
    /// The probe that the board is connected to.
    pub probe: &'a Probe,
    /// Whether it is programmed and starts again, or is running already.
    pub begin: Begin,
    /// How its log is shown, if it has one.
    pub log: Option<&'a LogView>,
}

/// Programs an image into the board's flash, or checks that it is there; starts GDB, and serves it at the socket. The
/// result is GDB's status, with what happened to the program; GDB does not outlive us. There is none if the user
/// interrupted the preparation.
pub fn debug(
    debugged: &DebuggedBoard<'_>,
    socket: &Path,
    debugger: &Path,
    arguments: &[OsString],
) -> Result<Option<(u8, Afterwards)>, Diagnostic> {
    let DebuggedBoard { image, board, probe, begin, log } = *debugged;
    let image = Image::read(image)?;
    let mut hardware = Hardware::connect(board, probe, Permission::Keep)?;
    match begin {
        Begin::Reset => hardware.flash(&image)?,
        Begin::Here => hardware.check_program(&image)?,
    }
    let unreached = match begin {
        Begin::Reset => Afterwards::Halted,
        Begin::Here => Afterwards::Running,
    };
    if interrupt::has_come() {
        hardware.connection.close(unreached).map_err(|failure| diagnostic(&failure, board))?;
        return Ok(None);
    }
    let broken = |error: io::Error| Diagnostic::general(codes::RUN_BROKE_OFF, format!("cannot run GDB: {error}"));
    let listener = UnixListener::bind(socket).map_err(broken)?;
    let mut debugger = Debugger::start(debugger, arguments, None)?;
    let afterwards = match accepted(&listener, &mut debugger)? {
        Some(stream) => {
            // There is only one connection.
            drop(listener);
            let mut viewer = log.map(LogView::viewer);
            let mut show = |bytes: &[u8]| viewer.iter_mut().for_each(|viewer| viewer.show(bytes));
            let debugged = Debugged { begin, rtt: image.rtt, ready: image.ready };
            let faults = || FaultReader::new(image.file.clone(), board.boot);
            let mut console = Console::under_debugger([faults(), faults()], &mut show);
            hardware.connection.debug(debugged, stream, &mut console)
        }
        None => Ok(unreached),
    };
    let closed = afterwards.and_then(|afterwards| hardware.connection.close(afterwards).map(|()| afterwards));
    // GDB may have more to do, or to show.
    let status = debugger.finish();
    let afterwards = closed.map_err(|failure| diagnostic(&failure, board))?;
    Ok(Some((status?, afterwards)))
}

/// The connection to GDB; none if GDB ended before it connected.
fn accepted(listener: &UnixListener, debugger: &mut Debugger) -> Result<Option<UnixStream>, Diagnostic> {
    let broken = |error: io::Error| Diagnostic::general(codes::RUN_BROKE_OFF, format!("cannot talk to GDB: {error}"));
    listener.set_nonblocking(true).map_err(broken)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).map_err(broken)?;
                stream.set_read_timeout(Some(TURN)).map_err(broken)?;
                return Ok(Some(stream));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(broken(error)),
        }
        if debugger.is_over()? {
            return Ok(None);
        }
        thread::sleep(TURN);
    }
}
