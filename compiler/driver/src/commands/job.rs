//! What a command is to compile.

use crate::{
    cli::{CodeOptions, MachineChoice},
    commands::machine,
    link,
    pipeline::{Job, Purpose},
    program::Program,
    session::Session,
};
use clef_base::Diagnostic;

/// The job of compiling a program for the machine that was asked for.
pub(crate) fn job(
    session: &mut Session,
    program: &Program,
    machine: &MachineChoice,
    code: &CodeOptions,
) -> Result<Job, Vec<Diagnostic>> {
    let machine = machine::resolve(session, machine, program.machine.as_ref())?;
    let link = link::read_inputs(&session.files, &program.link, &code.link, &machine.target.value)?;
    Ok(Job {
        files: program.files.clone(),
        machine,
        optimisation: code.optimisation.or(program.optimisation).unwrap_or_default(),
        debug: code.debug,
        statistics: code.stats,
        log_level: code.log_level.or(program.log_level),
        link,
        purpose: Purpose::Run,
    })
}
