//! `clefc gdb`: the program under GDB, on this machine, in an emulator, or on a real board.

use crate::{
    cli::Gdb,
    commands::{
        Outcome,
        built::{self, Built},
        job::job,
    },
    terminal::Terminal,
};
use clef_base::{Diagnostic, codes, internal::bug};
use clef_descriptors::Board;
use clef_execution::{
    Debuggee, Debugger, Means, PRINTERS, debuggee, fault, find_program,
    hardware::{self, DebuggedBoard, OnInterrupt},
    log::{LogFormat, LogView},
};
use clef_host::{
    cleanup::TemporaryDirectory,
    output::{self, Mode},
};
use clef_probe::{Afterwards, Begin};
use clef_session::{
    Session,
    emit::Emit,
    library_files,
    options::{DebugInfo, Optimisation},
    pipeline,
    products::Product,
    program,
};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The names of GDB. The first two support all processors; the last may support only this machine's.
const DEBUGGERS: [&str; 3] = ["gdb-multiarch", "arm-none-eabi-gdb", "gdb"];

/// How the name of the compiler begins in debug information.
const PRODUCER: &str = "\0clefc ";

/// The name of the file with the registers of a chip, which is larger than the rest of the library.
const REGISTERS: &str = "\0device.clef\0";

/// A longer timeout, since some probes are slow.
const PATIENCE: &str = "set remotetimeout 60";

/// Compiles with debug information, or takes a finished image; starts it, and passes the terminal to GDB, whose status
/// becomes ours.
pub(crate) fn gdb(session: &mut Session, terminal: Terminal, gdb: &Gdb) -> Outcome {
    let Built { image, board, uses_uart, .. } = match hardware::is_image(&gdb.program.files) {
        Some(path) => built::finished(session, path, &gdb.program, &gdb.code)?,
        None => compiled(session, gdb)?,
    };
    session.enter("gdb");
    let probe = built::probe(&gdb.probe, OnInterrupt::default());
    let means = if built::is_on_hardware(&gdb.probe, &board) { Means::Probe(&probe) } else { Means::Here };
    if means == Means::Here {
        built::refuse_options_of_probes(&gdb.probe, None)?;
    }
    if means == Means::Here && gdb.attach {
        let message = "`--attach` requires a program that already runs on a real board";
        return Err(vec![
            Diagnostic::general(codes::UNSUITABLE_OPTION, message)
                .help("select a debug probe with `--probe`, or remove it"),
        ]);
    }
    let _lock = if let Means::Probe(probe) = means { Some(built::lock(terminal, probe)?) } else { None };
    let begin = if gdb.attach { Begin::Here } else { Begin::Reset };
    let Gdb { breakpoints, arguments, .. } = gdb;
    under_debugger(terminal, &Debugged { image, board: &board, uses_uart, means, begin, breakpoints, arguments })
}

/// Compiles a program with debug information, so that all variables are shown unless another level is requested.
fn compiled(session: &mut Session, gdb: &Gdb) -> Result<Built, Vec<Diagnostic>> {
    let program = program::read(session, &gdb.program.files)?;
    let mut job = job(session, &program, &gdb.program.machine, &gdb.code)?;
    job.debug = DebugInfo::Variables;
    job.optimisation = gdb.code.optimisation.unwrap_or(Optimisation::Debugging);
    let compilation = pipeline::compile(session, &job, &[Emit::Elf])?;
    let Some((Emit::Elf, Product::Bytes(image))) = compilation.products.into_iter().next_back() else {
        bug("gdb", None, "the pipeline produced no image")
    };
    Ok(Built {
        image,
        board: job.machine.board.value,
        bounds: None,
        need: None,
        uses_uart: compilation.uses_uart,
        has_entry: compilation.has_entry,
    })
}

/// A program to debug.
pub(crate) struct Debugged<'a> {
    /// Its image.
    pub(crate) image: Vec<u8>,
    /// What it runs on.
    pub(crate) board: &'a Board,
    /// Whether it uses the board's serial line.
    pub(crate) uses_uart: bool,
    /// How it is run.
    pub(crate) means: Means<'a>,
    /// Whether to program and start it, or to attach to it.
    pub(crate) begin: Begin,
    /// The locations of breakpoints.
    pub(crate) breakpoints: &'a [String],
    /// Arguments for GDB.
    pub(crate) arguments: &'a [OsString],
}

/// Starts an image, and passes the terminal to GDB; returns GDB's status.
pub(crate) fn under_debugger(terminal: Terminal, debugged: &Debugged<'_>) -> Outcome {
    let debugger = debugger()?;
    let directory = TemporaryDirectory::new("gdb")?;
    let path = directory.path().join("program");
    output::write_file(&path, &debugged.image, Mode::Executable)?;
    let socket = directory.path().join("gdb");
    let script = match fault::gdb::commands(&debugged.image) {
        Some(commands) => {
            let script = directory.path().join("traps");
            output::write_file(&script, commands.as_bytes(), Mode::Plain)?;
            Some(script)
        }
        None => None,
    };
    let printers = directory.path().join("clef.py");
    output::write_file(&printers, PRINTERS.as_bytes(), Mode::Plain)?;
    let library = library(terminal, debugged);
    let setup = Setup { image: &path, printers: &printers, script: script.as_deref(), library: library.as_deref() };
    let log = LogView::of(&debugged.image, LogFormat::Human, terminal.colour())?;
    match debugged.means {
        Means::Here => {
            // Dropping its guard ends the machine.
            let (_machine, remote, log) = match debuggee(&path, debugged.board, &socket, debugged.uses_uart, log)? {
                Debuggee::Machine(machine) => (Some(machine), Some(socket.as_path()), None),
                Debuggee::Process(log) => (None, None, log),
            };
            Ok(Debugger::start(&debugger, &arguments(debugged, remote, &setup), log)?.finish()?)
        }
        Means::Probe(probe) => {
            let (image, board, begin) = (&debugged.image, debugged.board, debugged.begin);
            let on_board = DebuggedBoard { image, board, probe, begin, log: log.as_ref() };
            let arguments = arguments(debugged, Some(&socket), &setup);
            let ended = hardware::debug(&on_board, &socket, &debugger, &arguments)?;
            let Some((status, afterwards)) = ended else { return Ok(hardware::INTERRUPTED) };
            if afterwards == Afterwards::Halted {
                terminal.progress(&format!("the program on `{}` is halted, until the next reset", board.name));
            }
            Ok(status)
        }
    }
}

/// The folder with the sources of the library, if it is the one that the image was compiled with.
fn library(terminal: Terminal, debugged: &Debugged<'_>) -> Option<PathBuf> {
    let Debugged { image, board, .. } = debugged;
    let has = |text: &str| image.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    if !has(&library_files::producer(&board.target, board)) {
        if has(PRODUCER) {
            terminal.progress("the source of the library is not shown: another clefc compiled the program");
        }
        return None;
    }
    let sources = library_files::sources(&board.target, board, has(REGISTERS));
    let folder = library_files::folder(&sources);
    match library_files::write(&folder, &sources) {
        Ok(()) => Some(folder),
        Err(error) => {
            let folder = folder.display();
            terminal.progress(&format!("the source of the library is not shown: cannot write to `{folder}`: {error}"));
            None
        }
    }
}

/// The files that GDB reads.
struct Setup<'a> {
    image: &'a Path,
    /// How values are shown.
    printers: &'a Path,
    /// What reports traps, if the image does not.
    script: Option<&'a Path>,
    /// The folder of the library's sources, if they are shown.
    library: Option<&'a Path>,
}

/// The arguments for GDB.
fn arguments(debugged: &Debugged<'_>, remote: Option<&Path>, setup: &Setup<'_>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["-q".into()];
    if let Means::Probe(_) = debugged.means {
        arguments.extend(["-iex", PATIENCE].map(OsString::from));
    }
    arguments.extend(orders(debugged.breakpoints, remote, setup).into_iter().map(OsString::from));
    arguments.extend_from_slice(debugged.arguments);
    arguments.push(setup.image.into());
    arguments
}

/// GDB's initial commands; `remote` is the socket of the waiting program, unless GDB starts it.
fn orders(breakpoints: &[String], remote: Option<&Path>, setup: &Setup<'_>) -> Vec<String> {
    let mut orders = vec![format!("source {}", setup.printers.display())];
    // The sources of the program come first. What separates words for GDB is escaped.
    let directories = |folder: &Path| {
        let folder = format!(":{}", folder.display());
        let all = format!("gdb.parameter('directories') + {folder:?}");
        format!(r#"python import re; gdb.execute('set directories ' + re.sub(r'([\s\\"\x27])', r'\\\1', {all}))"#)
    };
    orders.extend(setup.library.map(directories));
    if let Some(socket) = remote {
        orders.push(format!("target remote {}", socket.display()));
    }
    orders.extend(breakpoints.iter().map(|place| format!("break {place}")));
    orders.extend(setup.script.map(|script| format!("source {}", script.display())));
    // Without breakpoints the program stops at its first instruction.
    let order = match (remote, breakpoints) {
        (Some(_), []) => None,
        (Some(_), _) => Some("continue"),
        (None, []) => Some("starti"),
        (None, _) => Some("run"),
    };
    orders.extend(order.map(str::to_owned));
    orders.into_iter().flat_map(|order| ["-ex".to_owned(), order]).collect()
}

/// The installed GDB.
pub(crate) fn debugger() -> Result<PathBuf, Diagnostic> {
    DEBUGGERS.iter().find_map(|name| find_program(name)).ok_or_else(|| {
        Diagnostic::general(codes::EMULATOR_MISSING, "cannot find GDB: neither `gdb-multiarch` nor `gdb` is installed")
            .help("install it: `apt install gdb-multiarch`")
    })
}
