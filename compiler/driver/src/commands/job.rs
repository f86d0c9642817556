//! The job that a command compiles.

use crate::cli::{CodeOptions, MachineOptions};
use clef_base::Diagnostic;
use clef_session::{
    Session,
    job::{Job, Purpose},
    machine,
    program::Program,
};

/// The name of a program and its board, for the heading of a page.
pub(crate) fn title(program: &Program, job: &Job) -> String {
    let name = program.product.file_name().unwrap_or_default().to_string_lossy();
    format!("{name} on {}", job.machine.board.value.name)
}

/// The job of compiling a program for the requested machine.
pub(crate) fn job(
    session: &mut Session,
    program: &Program,
    machine: &MachineOptions,
    code: &CodeOptions,
) -> Result<Job, Vec<Diagnostic>> {
    let machine = machine::resolve(session, &machine.choice(), program.machine.as_ref())?;
    Job::of(session, program, machine, &code.choice(), Purpose::Run)
}
