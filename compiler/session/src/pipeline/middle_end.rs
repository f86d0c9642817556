//! From the checked graph to Core with its storage.

use super::front_end::{facts, own_files};
use crate::{Session, options::Optimisation, program::ProgramFile};
use clef_base::Diagnostic;
use clef_core::Program;
use clef_descriptors::{Board, Boot, Machine};
use clef_lower::Names;
use clef_psg::Psg;
use clef_storage::place::FrameLimits;

/// Lowers a checked graph to Core.
pub(super) fn lowered(
    session: &mut Session,
    psg: &Psg,
    files: &[ProgramFile],
    machine: &Machine,
    names: Names,
) -> Result<Program, Vec<Diagnostic>> {
    session.enter("lower");
    let program = clef_lower::lower(psg, facts(&machine.target.value), names)?;
    let (own, board) = (own_files(files), &machine.board.value);
    let is_own = |file| own.contains(&file);
    let (interrupt, keeps_time) = (board.timer_interrupt(), board.boot == Boot::CortexM);
    session.settle(clef_storage::timer::check(&program, interrupt, keeps_time, &is_own))?;
    Ok(program)
}

/// Simplifies Core, and assigns storage and regions.
pub(super) fn placed(
    session: &mut Session,
    program: Program,
    machine: &Machine,
    optimisation: Optimisation,
) -> Result<Program, Vec<Diagnostic>> {
    session.enter("simplify");
    let mut program = clef_optimise::simplify(program, optimisation.simplification());
    session.enter("place");
    let board: &Board = &machine.board.value;
    clef_codegen::keep_reusable(&mut program, &machine.target.value, board.region_pool.page);
    clef_storage::place::place(&mut program, FrameLimits::of_stack(board.stack));
    session.enter("region");
    clef_storage::region::infer(&mut program);
    session.enter("interrupt");
    session.settle(clef_storage::interrupt::check(&mut program))?;
    Ok(program)
}
