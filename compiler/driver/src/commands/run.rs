//! `clefc run`: compiles, and runs the program.

use crate::{
    bound::Bounds,
    cli::Run,
    commands::{Outcome, job::job},
    emit::Emit,
    execution::{Ending, Execution, Streams, execute},
    output::{self, Mode},
    pipeline::{self, Compilation, Job, Product},
    program,
    session::Session,
};
use clef_base::{Diagnostic, codes, internal::bug};

/// Compiles into a temporary file and runs that; the program's status becomes ours.
pub(crate) fn run(session: &mut Session, run: &Run) -> Outcome {
    let program = program::read(session, &run.program.files)?;
    let job = job(session, &program, &run.program.machine, &run.code)?;
    let (image, bounds, uses_uart) = image(session, &job)?;
    if job.statistics {
        session.bounds(&bounds);
    }

    session.phase = "run";
    let directory = tempfile::Builder::new().prefix("clefc-run-").tempdir().map_err(|error| {
        Diagnostic::general(codes::UNWRITABLE_FILE, format!("cannot make a temporary directory: {error}"))
    })?;
    let path = directory.path().join("program");
    output::write_file(&path, &image, Mode::Executable)?;
    let board = &job.machine.board.value;
    let streams = Streams::Inherited;
    let execution = Execution { arguments: &run.arguments, timeout: run.timeout, streams, uses_uart };
    let ending = execute(&path, board, &execution)?.ending;
    match (&ending, ending.diagnostic(board)) {
        (Ending::Status(status), _) => Ok(*status),
        (Ending::TimedOut(_) | Ending::LockedUp { .. } | Ending::Died { .. }, diagnostic) => {
            Err(diagnostic.into_iter().collect())
        }
    }
}

/// The linked image of a job, how much memory it can need, and whether it talks over the board's serial line.
fn image(session: &mut Session, job: &Job) -> Result<(Vec<u8>, Bounds, bool), Vec<Diagnostic>> {
    let Compilation { mut products, bounds, uses_uart, .. } = pipeline::compile(session, job, &[Emit::Elf])?;
    match (products.pop(), bounds) {
        (Some((Emit::Elf, Product::Bytes(bytes))), Some(bounds)) => Ok((bytes, bounds, uses_uart)),
        (Some(_) | None, _) => bug("run", None, "the pipeline made no image"),
    }
}
