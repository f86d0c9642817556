//! GDB at a real board: it is started when the program is in flash, and talks to us over a socket of its own.

use super::{Console, Hardware, Image, Probe, diagnostic, interrupt};
use crate::{execution::Guarded, log::LogView};
use clef_base::{Diagnostic, codes};
use clef_probe::{Afterwards, Debugged, Permission};
use clef_target::Board;
use std::{
    io::{self, ErrorKind},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    process::{Command, ExitStatus},
    thread,
    time::Duration,
};

/// How long GDB and the program are waited for in turn.
const TURN: Duration = Duration::from_millis(2);

/// Programs an image into the board's flash, starts GDB, and serves it at the socket. GDB's status is the result; it does not
/// outlive us. There is none if the user interrupted what came before.
pub(crate) fn debug(
    image: &[u8],
    (board, probe): (&Board, &Probe),
    log: Option<&LogView>,
    socket: &Path,
    debugger: &mut Command,
) -> Result<Option<ExitStatus>, Diagnostic> {
    let image = Image::read(image)?;
    let mut hardware = Hardware::connect(board, probe, Permission::Keep)?;
    hardware.flash(&image)?;
    if interrupt::has_come() {
        hardware.release()?;
        return Ok(None);
    }
    let broken = |error: io::Error| Diagnostic::general(codes::RUN_BROKE_OFF, format!("cannot run GDB: {error}"));
    let listener = UnixListener::bind(socket).map_err(broken)?;
    interrupt::leave();
    let mut child = Guarded(debugger.spawn().map_err(broken)?);
    let afterwards = match accepted(&listener, &mut child).map_err(broken)? {
        Some(stream) => {
            // One connection is all there is.
            drop(listener);
            let mut viewer = log.map(LogView::viewer);
            let mut show = |bytes: &[u8]| viewer.iter_mut().for_each(|viewer| viewer.show(bytes));
            let debugged = Debugged { rtt: image.rtt, ready: image.ready };
            let mut console = Console::under_debugger(&mut show);
            hardware.connection.debug(debugged, stream, &mut console)
        }
        None => Ok(Afterwards::Halted),
    };
    let closed = afterwards.and_then(|afterwards| hardware.connection.close(afterwards));
    // GDB may have more to do, or to show.
    let status = child.0.wait().map_err(broken)?;
    closed.map_err(|failure| diagnostic(&failure, board))?;
    Ok(Some(status))
}

/// The line to GDB; none if it ended before it asked for one.
fn accepted(listener: &UnixListener, child: &mut Guarded) -> io::Result<Option<UnixStream>> {
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(Some(TURN))?;
                return Ok(Some(stream));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if child.0.try_wait()?.is_some() {
            return Ok(None);
        }
        thread::sleep(TURN);
    }
}
