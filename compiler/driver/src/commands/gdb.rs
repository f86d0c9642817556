//! `clefc gdb`: the program under GDB, on this machine, in an emulator, or on a real board.

use crate::{
    cli::{Gdb, LogFormat, Optimisation},
    commands::{Outcome, built, job::job},
    emit::Emit,
    execution::{Debuggee, Means, debuggee, find_program},
    hardware::{self, OnInterrupt},
    log::LogView,
    output::{self, Mode},
    pipeline::{self, Product},
    program,
    session::Session,
};
use clef_base::{Diagnostic, codes, internal::bug};
use clef_target::Board;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// The debuggers that know all processors; the last one may know only this machine's.
const DEBUGGERS: [&str; 3] = ["gdb-multiarch", "arm-none-eabi-gdb", "gdb"];

/// Some probes are slow.
const PATIENCE: &str = "set remotetimeout 60";

/// Compiles with line tables, starts what runs the image, and hands the terminal to GDB; its status becomes ours.
pub(crate) fn gdb(session: &mut Session, gdb: &Gdb) -> Outcome {
    let program = program::read(session, &gdb.program.files)?;
    let mut job = job(session, &program, &gdb.program.machine, &gdb.code)?;
    job.debug = true;
    job.optimisation = gdb.code.optimisation.unwrap_or(Optimisation::None);
    let compilation = pipeline::compile(session, &job, &[Emit::Elf])?;
    let Some((Emit::Elf, Product::Bytes(image))) = compilation.products.into_iter().next_back() else {
        bug("gdb", None, "the pipeline made no image")
    };
    session.phase = "gdb";
    let board = &job.machine.board.value;
    let probe = built::probe(&gdb.probe, OnInterrupt::default());
    let means = if built::is_on_hardware(&gdb.probe, board) { Means::Probe(&probe) } else { Means::Here };
    if means == Means::Here {
        built::refuse_options_of_probes(&gdb.probe, None)?;
    }
    let Gdb { breakpoints, arguments, .. } = gdb;
    let uses_uart = compilation.uses_uart;
    under_debugger(session, &Debugged { image, board, uses_uart, means, breakpoints, arguments })
}

/// A program that is debugged.
pub(crate) struct Debugged<'a> {
    /// Its image.
    pub(crate) image: Vec<u8>,
    /// What it runs on.
    pub(crate) board: &'a Board,
    /// Whether it talks over the board's serial line.
    pub(crate) uses_uart: bool,
    /// How it gets there.
    pub(crate) means: Means<'a>,
    /// Places where it stops.
    pub(crate) breakpoints: &'a [String],
    /// Arguments for GDB.
    pub(crate) arguments: &'a [OsString],
}

/// Starts what runs an image, and hands the terminal to GDB; its status becomes ours.
pub(crate) fn under_debugger(session: &Session, debugged: &Debugged<'_>) -> Outcome {
    let debugger = debugger()?;
    let directory = tempfile::Builder::new().prefix("clefc-gdb-").tempdir().map_err(|error| {
        Diagnostic::general(codes::UNWRITABLE_FILE, format!("cannot make a temporary directory: {error}"))
    })?;
    let path = directory.path().join("program");
    output::write_file(&path, &debugged.image, Mode::Executable)?;
    let socket = directory.path().join("gdb");
    let mut command = Command::new(&debugger);
    command.arg("-q");
    let status = match debugged.means {
        Means::Here => {
            // What runs the image ends with this guard.
            let debuggee = debuggee(&path, debugged.board, &socket, debugged.uses_uart)?;
            let remote = if let Debuggee::Machine(_) = debuggee { Some(socket.as_path()) } else { None };
            command.args(orders(debugged.breakpoints, remote)).args(debugged.arguments).arg(&path);
            hardware::leave_interrupts();
            command.status().map_err(|error| {
                Diagnostic::general(codes::RUN_BROKE_OFF, format!("cannot run `{}`: {error}", debugger.display()))
            })?
        }
        Means::Probe(probe) => {
            command.args(["-iex", PATIENCE]).args(orders(debugged.breakpoints, Some(&socket)));
            command.args(debugged.arguments).arg(&path);
            let log = LogView::of(&debugged.image, LogFormat::Human, session.colour())?;
            let ended = hardware::debug(&debugged.image, (debugged.board, probe), log.as_ref(), &socket, &mut command)?;
            let Some(status) = ended else { return Ok(hardware::INTERRUPTED) };
            status
        }
    };
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(crate::USER_ERROR))
}

/// What GDB does before it asks for more; `remote` is the socket behind which the program waits, unless GDB starts it.
fn orders(breakpoints: &[String], remote: Option<&Path>) -> Vec<String> {
    let mut orders = Vec::new();
    if let Some(socket) = remote {
        orders.push(format!("target remote {}", socket.display()));
    }
    orders.extend(breakpoints.iter().map(|place| format!("break {place}")));
    if !breakpoints.is_empty() {
        orders.push(if remote.is_some() { "continue" } else { "run" }.to_owned());
    }
    orders.into_iter().flat_map(|order| ["-ex".to_owned(), order]).collect()
}

/// GDB, where it is installed.
pub(crate) fn debugger() -> Result<PathBuf, Diagnostic> {
    DEBUGGERS.iter().find_map(|name| find_program(name)).ok_or_else(|| {
        Diagnostic::general(codes::EMULATOR_MISSING, "cannot find GDB: there is no `gdb-multiarch` or `gdb`")
            .help("install it: `apt install gdb-multiarch`")
    })
}
