//! From the checked graph to Core with its storage.

use super::front_end::{facts, own_files};
use crate::{Session, options::Optimisation, program::ProgramFile};
use clef_base::Diagnostic;
use clef_core::Program;
use clef_descriptors::{Board, Boot, Machine};
use clef_lower::Names;
use clef_psg::{Psg, Variable};
use clef_storage::place::FrameLimits;
use clef_types::interrupt_symbol;

/// Lowers a checked graph to Core, with the captures that scopes require.
fn translated(
    session: &mut Session,
    psg: &Psg,
    files: &[ProgramFile],
    machine: &Machine,
    names: Names,
) -> Result<Program, Vec<Diagnostic>> {
    session.enter("lower");
    let program = clef_lower::translate(psg, facts(&machine.target.value), names)?;
    let (own, board) = (own_files(files), &machine.board.value);
    let is_own = |file| own.contains(&file);
    let (interrupt, keeps_time) = (board.timer_interrupt(), board.boot == Boot::CortexM);
    session.settle(clef_storage::timer::check(&program, interrupt, keeps_time, &is_own))?;
    Ok(program)
}

/// Lowers a checked graph to Core.
pub(super) fn lowered(
    session: &mut Session,
    psg: &Psg,
    files: &[ProgramFile],
    machine: &Machine,
    names: Names,
) -> Result<Program, Vec<Diagnostic>> {
    let mut program = translated(session, psg, files, machine, names)?;
    session.enter("minimise");
    clef_lower::minimise(&mut program, names);
    Ok(program)
}

/// The steps after the graph that find errors in programs. Interrupt handlers and memory that has a place are checked in programs at the
/// default optimisation level.
pub(super) fn checked(
    session: &mut Session,
    psg: &Psg,
    files: &[ProgramFile],
    machine: &Machine,
) -> Result<(), Vec<Diagnostic>> {
    let names = Names::Needed;
    let has_handlers = psg.exports.iter().any(|export| interrupt_symbol::interrupt(export.symbol).is_some());
    let is_placed = |variable: &Variable| variable.marks.section.is_some() || variable.marks.align.is_some();
    if has_handlers || psg.variables.values().any(is_placed) {
        let program = lowered(session, psg, files, machine, names)?;
        placed(session, program, files, machine, Optimisation::Default)?;
    } else {
        translated(session, psg, files, machine, names)?;
    }
    Ok(())
}

/// Simplifies Core, and assigns storage and regions.
pub(super) fn placed(
    session: &mut Session,
    mut program: Program,
    files: &[ProgramFile],
    machine: &Machine,
    optimisation: Optimisation,
) -> Result<Program, Vec<Diagnostic>> {
    session.enter("simplify");
    clef_optimise::substitute(&mut program);
    session.settle(clef_storage::placement::attach(&mut program))?;
    let mut program = clef_optimise::simplify(program, optimisation.simplification());
    session.enter("place");
    let board: &Board = &machine.board.value;
    clef_codegen::keep_reusable(&mut program, &machine.target.value, board.region_pool.page);
    clef_storage::place::place(&mut program, FrameLimits::of_stack(board.stack));
    session.enter("region");
    clef_storage::region::infer(&mut program);
    session.enter("interrupt");
    session.settle(clef_storage::placement::check(&program))?;
    let own = own_files(files);
    session.settle(clef_storage::interrupt::check(&mut program, &|file| own.contains(&file)))?;
    Ok(program)
}
