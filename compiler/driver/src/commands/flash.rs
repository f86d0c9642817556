//! `clefc flash`: compiles, and programs the image into the flash of a real board.

use crate::{
    cli::Flash,
    commands::{
        Outcome,
        built::{self, Built},
    },
    terminal::Terminal,
};
use clef_execution::hardware::{self, Hardware, Image, OnInterrupt};
use clef_host::output;
use clef_probe::Permission;
use clef_session::Session;

/// Programs and verifies; then starts the program, without a debugger.
pub(crate) fn flash(session: &mut Session, terminal: Terminal, flash: &Flash) -> Outcome {
    let Built { image, board, bounds, .. } = built::compiled_or_finished(session, &flash.program, &flash.code)?;
    bounds.iter().for_each(|bounds| terminal.bounds(&session.sources, bounds));
    session.enter("flash");
    let image = Image::read(&image)?;
    let probe = built::probe(&flash.probe, OnInterrupt::Run);
    let _lock = built::lock(terminal, &probe)?;
    let mut hardware = Hardware::connect(&board, &probe, Permission::Keep)?;
    hardware.flash(&image)?;
    hardware.reset()?;
    hardware.release()?;
    output::print(&format!("{} bytes programmed into `{}` and verified\n", image.bytes(), board.name))?;
    Ok(if hardware::is_interrupted() { hardware::INTERRUPTED } else { 0 })
}
