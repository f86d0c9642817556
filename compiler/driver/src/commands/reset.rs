//! `clefc reset`: a real board begins anew.

use crate::{
    cli::Reset,
    commands::{Outcome, built, machine},
    hardware::{Hardware, OnInterrupt},
    session::Session,
};
use clef_probe::Permission;

/// Resets the board and lets it run.
pub(crate) fn reset(session: &mut Session, reset: &Reset) -> Outcome {
    let board = machine::resolve(session, &reset.machine, None)?.board.value;
    session.phase = "reset";
    let mut hardware = Hardware::connect(&board, &built::probe(&reset.probe, OnInterrupt::Run), Permission::Keep)?;
    hardware.reset()?;
    hardware.release()?;
    Ok(0)
}
