//! An image to run: newly compiled, or finished before.

use crate::{
    cli::{CodeOptions, ProbeChoice, ProgramChoice},
    commands::{Outcome, job::job},
    terminal::Terminal,
};
use clef_base::{Diagnostic, codes, internal::bug};
use clef_descriptors::{Board, Run};
use clef_execution::{
    Ending,
    hardware::{self, INTERRUPTED, OnInterrupt, Probe},
};
use clef_image::bound::Bounds;
use clef_session::{
    Session,
    emit::Emit,
    machine,
    options::DebugInfo,
    pipeline,
    products::{Compilation, Product},
    program,
};
use std::{fs::File, path::Path};

/// An image and its properties.
pub(crate) struct Built {
    /// The ELF file.
    pub(crate) image: Vec<u8>,
    /// The board that it is for.
    pub(crate) board: Board,
    /// The bounds of its memory use, if it prints peak use on exit.
    pub(crate) bounds: Option<Bounds>,
    /// The bound of its stack use, if known.
    pub(crate) need: Option<u64>,
    /// Whether it uses the board's serial line.
    pub(crate) uses_uart: bool,
    /// Whether it has an entry point, which receives the arguments; a finished image may have one.
    pub(crate) has_entry: bool,
}

/// Compiles a program, with debug information, which a backtrace shows and the program's memory does not hold.
pub(crate) fn compiled(
    session: &mut Session,
    program: &ProgramChoice,
    code: &CodeOptions,
) -> Result<Built, Vec<Diagnostic>> {
    let read = program::read(session, &program.files)?;
    let mut job = job(session, &read, &program.machine, code)?;
    job.debug = job.debug.max(DebugInfo::Places);
    let Compilation { mut products, bounds, uses_uart, has_entry, .. } =
        pipeline::compile(session, &job, &[Emit::Elf])?;
    let (Some((Emit::Elf, Product::Bytes(image))), Some(bounds)) = (products.pop(), bounds) else {
        bug("run", None, "the pipeline produced no image")
    };
    let need = bounds.stack.bytes();
    let bounds = job.statistics.then_some(bounds);
    Ok(Built { image, board: job.machine.board.value, bounds, need, uses_uart, has_entry })
}

/// Compiles a program, or reads its finished image.
pub(crate) fn compiled_or_finished(
    session: &mut Session,
    program: &ProgramChoice,
    code: &CodeOptions,
) -> Result<Built, Vec<Diagnostic>> {
    match hardware::is_image(&program.files) {
        Some(path) => finished(session, path, program, code),
        None => compiled(session, program, code),
    }
}

/// Reads a finished image, and checks that it is for the board.
pub(crate) fn finished(
    session: &mut Session,
    path: &Path,
    program: &ProgramChoice,
    code: &CodeOptions,
) -> Result<Built, Vec<Diagnostic>> {
    if *code != CodeOptions::default() {
        let message = format!("compiler options have no effect on the finished image `{}`", path.display());
        return Err(vec![
            Diagnostic::general(codes::UNSUITABLE_OPTION, message)
                .help("remove them, or pass the program's source files"),
        ]);
    }
    let machine = machine::resolve(session, &program.machine.choice(), None)?;
    let image = session.files.bytes(path)?;
    let findings = clef_image::check(&image, &machine.target.value, &machine.board.value);
    session.settle(findings.into_iter().map(|finding| of_another(finding, path, &machine.board.value)).collect())?;
    Ok(Built { image, board: machine.board.value, bounds: None, need: None, uses_uart: false, has_entry: true })
}

/// What is wrong with a finished image: it is for another board, or has changed since `clefc` wrote it.
fn of_another(finding: Diagnostic, path: &Path, board: &Board) -> Diagnostic {
    let (path, board) = (path.display(), &board.name);
    let help = match finding.code == codes::MALFORMED_IMAGE {
        true => "pass an ELF file as `clefc` has written it, or the program's source files".to_owned(),
        false => format!("select the board of `{path}` with `--board`, or compile the program for `{board}`"),
    };
    Diagnostic { proposals: Vec::new(), ..finding }.help(help)
}

/// The probe that the command line selects.
pub(crate) fn probe(choice: &ProbeChoice, on_interrupt: OnInterrupt) -> Probe {
    Probe { selector: choice.probe.clone(), chip_description: choice.chip_description.clone(), on_interrupt }
}

/// Waits until no other `clefc` uses a probe, and locks it until the result is dropped.
pub(crate) fn lock(terminal: Terminal, probe: &Probe) -> Result<File, Diagnostic> {
    hardware::lock(probe, |device| {
        terminal.progress(&format!("waiting for another `clefc` that uses the debug probe `{device}`"))
    })
}

/// Whether a probe is used: if one is selected, or if the board cannot be emulated.
pub(crate) fn is_on_hardware(choice: &ProbeChoice, board: &Board) -> bool {
    choice.probe.is_some() || board.run == Run::None && board.chip.is_some()
}

/// Rejects probe options, which have no effect, if no probe is used.
pub(crate) fn refuse_options_of_probes(
    choice: &ProbeChoice,
    on_interrupt: Option<OnInterrupt>,
) -> Result<(), Diagnostic> {
    let option = match (&choice.chip_description, on_interrupt) {
        (Some(_), _) => "--chip-description",
        (None, Some(_)) => "--on-interrupt",
        (None, None) => return Ok(()),
    };
    let message = format!("`{option}` only has an effect on a real board");
    Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message)
        .help("select a debug probe with `--probe`, or remove it"))
}

/// Converts the end of a run to our exit status, which is the program's. `need` is the bound of its stack, if known.
pub(crate) fn ended(terminal: Terminal, outcome: clef_execution::Outcome, board: &Board, need: Option<u64>) -> Outcome {
    match (&outcome.ending, outcome.ending.diagnostic(board, need)) {
        (Ending::Status(status), _) => Ok(*status),
        (Ending::Interrupted { is_halted }, _) => {
            let state = if *is_halted { "is halted" } else { "keeps running" };
            terminal.progress(&format!("interrupted; the program on `{}` {state}", board.name));
            Ok(INTERRUPTED)
        }
        (Ending::TimedOut(_) | Ending::LockedUp { .. } | Ending::Died { .. }, diagnostic) => {
            Err(diagnostic.into_iter().collect())
        }
    }
}
