//! Where tests run: this machine, an emulator, or a board at a probe.

use crate::Where;
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Board, Machine, Run};
use clef_execution::{
    Means,
    hardware::{self, Probe},
    missing_emulator,
};
use clef_session::{
    Session,
    machine::{self, MachineChoice},
    program::ProjectMachine,
};
use std::fs::File;

/// A place as the command line or a plan names it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlaceChoice {
    /// What reports call it; the board's name if nothing is said.
    pub name: Option<String>,
    /// The board: a name or the path of a descriptor; none for the project's, or this machine.
    pub board: Option<String>,
    /// How images get there, where that is said.
    pub way: Option<Where>,
    /// The debug probe that the board is connected to.
    pub probe: Option<Probe>,
}

/// A place that tests can run at.
#[derive(Clone, Debug)]
pub struct Place {
    /// What reports call it.
    pub(crate) name: String,
    /// What images are made for.
    pub machine: Machine,
    /// The debug probe that the board is connected to, if it is a real one.
    probe: Option<Probe>,
}

impl Place {
    /// The place that is meant, if images can run there. `project` is what the program is made for where nothing else is said.
    pub fn resolve(
        session: &mut Session,
        choice: &PlaceChoice,
        project: Option<&ProjectMachine>,
    ) -> Result<Place, Vec<Diagnostic>> {
        let here = choice.way == Some(Where::Host) && choice.board.is_none();
        let wanted = MachineChoice { target: None, board: choice.board.clone() };
        let machine = machine::resolve(session, &wanted, project.filter(|_| !here))?;
        let board = &machine.board.value;
        if let Some(way) = choice.way {
            check_way(way, &board.name, &board.run)?;
        }
        let is_thing = choice.way.is_none() && board.run == Run::None && board.chip.is_some();
        let probe = match choice.probe.clone() {
            Some(probe) => Some(probe),
            None if is_thing || choice.way == Some(Where::Probe) => Some(Probe::default()),
            None => None,
        };
        match &probe {
            Some(probe) => check_probe(choice.way, board, probe)?,
            None => missing_emulator(board).map_or(Ok(()), Err)?,
        }
        let name = choice.name.clone().unwrap_or_else(|| board.name.clone());
        Ok(Place { name, machine, probe })
    }

    /// On what images run here.
    pub fn means(&self) -> Means<'_> {
        self.probe.as_ref().map_or(Means::Here, Means::Probe)
    }

    /// Waits until nobody else uses the probe, whatever process that is; it is free again when the result is dropped.
    pub fn lock(&self) -> Result<Option<File>, Diagnostic> {
        self.probe.as_ref().map(|probe| hardware::lock(probe, |_| {})).transpose()
    }
}

/// Whether images for a board get there by a probe: it is not said otherwise, and the chip has a name.
fn check_probe(way: Option<Where>, board: &Board, probe: &Probe) -> Result<(), Diagnostic> {
    match way {
        Some(way @ (Where::Host | Where::Qemu)) => {
            let message = format!("`--on {}` uses no debug probe, and one is chosen", way.word());
            Err(Diagnostic::general(codes::UNFIT_OPTION, message).help("leave the probe out, or write `--on probe`"))
        }
        Some(Where::Probe) | None => hardware::check(board, probe),
    }
}

/// Whether images for a board can run in the way that was asked for.
fn check_way(way: Where, board: &str, run: &Run) -> Result<(), Diagnostic> {
    let (fits, wanted) = match (way, run) {
        (Where::Host, Run::Native)
        | (Where::Qemu, Run::Qemu(_) | Run::QemuUser(_))
        | (Where::Probe, Run::Qemu(_) | Run::None) => (true, ""),
        (Where::Host, Run::Qemu(_) | Run::QemuUser(_) | Run::None) => (false, "no board of this machine"),
        (Where::Qemu, Run::Native | Run::None) => (false, "no board that is emulated"),
        (Where::Probe, Run::Native | Run::QemuUser(_)) => (false, "no board that a probe is connected to"),
    };
    if fits {
        return Ok(());
    }
    let message = format!("`--on {}` does not fit the board `{board}`: it is {wanted}", way.word());
    Err(Diagnostic::general(codes::UNFIT_OPTION, message).help("leave `--on` out, or choose another board"))
}
