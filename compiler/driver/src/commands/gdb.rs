//! `clefc gdb`: the program under GDB, on this machine or in an emulator.

use crate::{
    cli::{Gdb, Optimisation},
    commands::{Outcome, job::job},
    emit::Emit,
    execution::{Debuggee, debuggee, find_program},
    output::{self, Mode},
    pipeline::{self, Product},
    program,
    session::Session,
};
use clef_base::{Diagnostic, codes, internal::bug};
use clef_target::Board;
use signal_hook::{consts::SIGINT, flag};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
};

/// The debuggers that know all processors; the last one may know only this machine's.
const DEBUGGERS: [&str; 3] = ["gdb-multiarch", "arm-none-eabi-gdb", "gdb"];

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
    let Gdb { breakpoints, arguments, .. } = gdb;
    under_debugger(&Debugged { image, board, uses_uart: compilation.uses_uart, breakpoints, arguments })
}

/// A program that is debugged.
pub(crate) struct Debugged<'a> {
    /// Its image.
    pub(crate) image: Vec<u8>,
    /// What it runs on.
    pub(crate) board: &'a Board,
    /// Whether it talks over the board's serial line.
    pub(crate) uses_uart: bool,
    /// Places where it stops.
    pub(crate) breakpoints: &'a [String],
    /// Arguments for GDB.
    pub(crate) arguments: &'a [OsString],
}

/// Starts what runs an image, and hands the terminal to GDB; its status becomes ours.
pub(crate) fn under_debugger(debugged: &Debugged<'_>) -> Outcome {
    let debugger = debugger()?;
    let directory = tempfile::Builder::new().prefix("clefc-gdb-").tempdir().map_err(|error| {
        Diagnostic::general(codes::UNWRITABLE_FILE, format!("cannot make a temporary directory: {error}"))
    })?;
    let path = directory.path().join("program");
    output::write_file(&path, &debugged.image, Mode::Executable)?;
    let socket = directory.path().join("gdb");
    // What runs the image ends with this guard.
    let debuggee = debuggee(&path, debugged.board, &socket, debugged.uses_uart)?;
    let mut command = Command::new(&debugger);
    command.arg("-q").args(orders(debugged.breakpoints, &debuggee, &socket)).args(debugged.arguments).arg(&path);
    // An interrupt is for the program that is debugged; GDB sees to it.
    let _ = flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
    let status = command.status().map_err(|error| {
        Diagnostic::general(codes::RUN_BROKE_OFF, format!("cannot run `{}`: {error}", debugger.display()))
    })?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(crate::USER_ERROR))
}

/// What GDB does before it asks for more.
fn orders(breakpoints: &[String], debuggee: &Debuggee, socket: &Path) -> Vec<String> {
    let mut orders = Vec::new();
    if let Debuggee::Machine(_) = debuggee {
        orders.push(format!("target remote {}", socket.display()));
    }
    orders.extend(breakpoints.iter().map(|place| format!("break {place}")));
    if !breakpoints.is_empty() {
        orders.push(if let Debuggee::Machine(_) = debuggee { "continue" } else { "run" }.to_owned());
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
