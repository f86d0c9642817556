//! `clefc check`: reports what is wrong, and makes nothing.

use crate::{
    cli::Check,
    commands::{Outcome, machine},
    pipeline,
    session::Session,
    source_files,
};

/// Runs the pipeline as far as it can find errors in the program.
pub(crate) fn check(session: &mut Session, check: &Check) -> Outcome {
    let machine = machine::resolve(session, &check.machine)?;
    let files = source_files::read_all(&mut session.sources, &check.files)?;
    pipeline::check(session, &files, &machine)?;
    Ok(0)
}
