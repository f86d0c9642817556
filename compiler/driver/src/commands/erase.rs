//! `clefc erase`: erases the flash of a real board.

use crate::{
    cli::Erase,
    commands::{Outcome, built},
    terminal::Terminal,
};
use clef_execution::hardware::{self, Hardware, OnInterrupt};
use clef_probe::Permission;
use clef_session::{Session, machine};

/// Erases the whole chip, which unlocks it if it was protected.
pub(crate) fn erase(session: &mut Session, terminal: Terminal, erase: &Erase) -> Outcome {
    let board = machine::resolve(session, &erase.machine.choice(), None)?.board.value;
    session.enter("erase");
    let probe = built::probe(&erase.probe, OnInterrupt::Run);
    let _lock = built::lock(terminal, &probe)?;
    let mut hardware = Hardware::connect(&board, &probe, Permission::EraseAll)?;
    hardware.erase()?;
    // Stops the old program.
    hardware.reset()?;
    hardware.release()?;
    Ok(if hardware::is_interrupted() { hardware::INTERRUPTED } else { 0 })
}
