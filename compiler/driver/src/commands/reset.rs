//! `clefc reset`: resets a real board.

use crate::{
    cli::Reset,
    commands::{Outcome, built},
    terminal::Terminal,
};
use clef_execution::hardware::{Hardware, OnInterrupt};
use clef_probe::Permission;
use clef_session::{Session, machine};

/// Resets the board and lets it run.
pub(crate) fn reset(session: &mut Session, terminal: Terminal, reset: &Reset) -> Outcome {
    let board = machine::resolve(session, &reset.machine.choice(), None)?.board.value;
    session.enter("reset");
    let probe = built::probe(&reset.probe, OnInterrupt::Run);
    let _lock = built::lock(terminal, &probe)?;
    let mut hardware = Hardware::connect(&board, &probe, Permission::Keep)?;
    hardware.reset()?;
    hardware.release()?;
    Ok(0)
}
