//! `clefc run`: compiles, and runs the program.

use crate::{
    cli::Run,
    commands::{
        Outcome,
        built::{self, Built},
    },
    execution::{Execution, Means, Streams, execute, execute_logging},
    log::LogView,
    output::{self, Mode},
    session::Session,
};
use clef_base::{Diagnostic, codes};
use clef_target::{self as target, Board};

/// Compiles into a temporary file and runs that; the program's status becomes ours.
pub(crate) fn run(session: &mut Session, run: &Run) -> Outcome {
    let built = match run.probe.probe {
        Some(_) => built::compiled_or_finished(session, &run.program, &run.code)?,
        None => built::compiled(session, &run.program, &run.code)?,
    };
    let Built { image, board, bounds, uses_uart } = built;
    bounds.iter().for_each(|bounds| session.bounds(bounds));

    session.phase = "run";
    let probe = built::probe(&run.probe, run.on_interrupt.unwrap_or_default());
    let means = if is_on_hardware(run, &board) { Means::Probe(&probe) } else { Means::Here };
    if means == Means::Here {
        refuse_options_of_probes(run)?;
    }
    let directory = tempfile::Builder::new().prefix("clefc-run-").tempdir().map_err(|error| {
        Diagnostic::general(codes::UNWRITABLE_FILE, format!("cannot make a temporary directory: {error}"))
    })?;
    let path = directory.path().join("program");
    output::write_file(&path, &image, Mode::Executable)?;
    let streams = Streams::Inherited;
    let execution = Execution { arguments: &run.arguments, timeout: run.timeout, streams, uses_uart, means };
    let outcome = match LogView::of(&image, run.log, session.colour())? {
        Some(view) => execute_logging(&path, &board, &execution, view)?,
        None => execute(&path, &board, &execution)?,
    };
    built::ended(session, outcome, &board)
}

/// A probe is used if one is chosen, or if the board is there only as a thing.
fn is_on_hardware(run: &Run, board: &Board) -> bool {
    run.probe.probe.is_some() || board.run == target::Run::None && board.chip.is_some()
}

fn refuse_options_of_probes(run: &Run) -> Result<(), Diagnostic> {
    let option = match (&run.probe.chip_description, run.on_interrupt) {
        (Some(_), _) => "--chip-description",
        (None, Some(_)) => "--on-interrupt",
        (None, None) => return Ok(()),
    };
    let message = format!("`{option}` has no effect where the program does not run on a real board");
    Err(Diagnostic::general(codes::UNFIT_OPTION, message).help("choose a debug probe by `--probe`, or leave it out"))
}
