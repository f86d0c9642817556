//! `clefc check`: reports what is wrong, and makes nothing.

use crate::{
    cli::Check,
    commands::{Outcome, machine},
    pipeline, program,
    session::Session,
};

/// Runs the pipeline as far as it can find errors in the program.
pub(crate) fn check(session: &mut Session, check: &Check) -> Outcome {
    let program = program::read(session, &check.files)?;
    let machine = machine::resolve(session, &check.machine, program.machine.as_ref())?;
    pipeline::check(session, &program.files, &machine)?;
    Ok(0)
}
