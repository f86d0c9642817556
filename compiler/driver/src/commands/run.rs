//! `clefc run`: compiles, and runs the program.

use crate::{
    cli::Run,
    commands::{
        Outcome,
        built::{self, Built},
    },
    terminal::Terminal,
};
use clef_execution::{
    Execution, Means, Streams, execute, execute_logging, hardware, log::LogView, no_entry_for_arguments,
};
use clef_host::{
    cleanup::TemporaryDirectory,
    output::{self, Mode},
};
use clef_session::Session;

/// Compiles into a temporary file and runs that; the program's status becomes ours.
pub(crate) fn run(session: &mut Session, terminal: Terminal, run: &Run) -> Outcome {
    let built = match run.probe.probe {
        Some(_) => built::compiled_or_finished(session, &run.program, &run.code)?,
        None => built::compiled(session, &run.program, &run.code)?,
    };
    let Built { image, board, bounds, need, uses_uart, has_entry } = built;
    bounds.iter().for_each(|bounds| terminal.bounds(&session.sources, bounds));

    if !has_entry && !run.arguments.is_empty() {
        return Err(no_entry_for_arguments().into());
    }

    session.enter("run");
    let probe = built::probe(&run.probe, run.on_interrupt.unwrap_or_default());
    let means = if built::is_on_hardware(&run.probe, &board) { Means::Probe(&probe) } else { Means::Here };
    if let Means::Probe(_) = means {
        hardware::check_arguments(&board, &run.arguments)?;
    } else {
        built::refuse_options_of_probes(&run.probe, run.on_interrupt)?;
    }
    let _lock = if let Means::Probe(probe) = means { Some(built::lock(terminal, probe)?) } else { None };
    let directory = TemporaryDirectory::new("run")?;
    let path = directory.path().join("program");
    output::write_file(&path, &image, Mode::Executable)?;
    let streams = Streams::Inherited;
    let execution = Execution { arguments: &run.arguments, timeout: run.timeout, streams, uses_uart, means };
    let outcome = match LogView::of(&image, run.log, terminal.colour())? {
        Some(view) => execute_logging(&path, &board, &execution, view)?,
        None => execute(&path, &board, &execution)?,
    };
    built::ended(terminal, outcome, &board, need)
}
