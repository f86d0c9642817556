//! `clefc check`: reports diagnostics, and produces nothing.

use crate::{cli::Check, commands::Outcome};
use clef_base::{Diagnostic, codes};
use clef_session::{Session, machine, pipeline, program};

/// Runs the pipeline as far as it can find errors in the program.
pub(crate) fn check(session: &mut Session, check: &Check) -> Outcome {
    if session.denies_unbounded() {
        return Err(vec![
            Diagnostic::general(codes::UNSUITABLE_OPTION, "`--deny unbounded` has no effect with `clefc check`")
                .help("compile the program: only images have bounds"),
        ]);
    }
    let program = program::read(session, &check.program.files)?;
    let machine = machine::resolve(session, &check.program.machine.choice(), program.machine.as_ref())?;
    pipeline::check(session, &program.files, &machine)?;
    Ok(0)
}
