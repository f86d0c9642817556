//! Where tests run: on this machine, in an emulator, or on a board with a probe.

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
    /// Its name in reports; the board's name if unset.
    pub name: Option<String>,
    /// The board: a name or the path of a descriptor; if unset, the project's, or this machine.
    pub board: Option<String>,
    /// How images run there, if set.
    pub way: Option<Where>,
    /// The debug probe that the board is connected to.
    pub probe: Option<Probe>,
}

/// A place where tests can run.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its name in reports.
    pub(crate) name: String,
    /// The machine to compile images for.
    pub machine: Machine,
    /// The debug probe that the board is connected to, if it is a real board.
    probe: Option<Probe>,
}

impl Place {
    /// Resolves a place, if images can run there. `project` is the program's machine, used by default.
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

    /// What images run on here.
    pub fn means(&self) -> Means<'_> {
        self.probe.as_ref().map_or(Means::Here, Means::Probe)
    }

    /// Waits until no other process uses the probe, and locks it until the result is dropped.
    pub fn lock(&self) -> Result<Option<File>, Diagnostic> {
        self.probe.as_ref().map(|probe| hardware::lock(probe, |_| {})).transpose()
    }
}

/// Whether images for a board run by a probe: no other way is set, and the chip has a name.
fn check_probe(way: Option<Where>, board: &Board, probe: &Probe) -> Result<(), Diagnostic> {
    match way {
        Some(way @ (Where::Host | Where::Qemu)) => {
            let message = format!("`--on {}` does not use a debug probe, but one is selected", way.word());
            Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message).help("remove the probe, or use `--on probe`"))
        }
        Some(Where::Probe) | None => hardware::check(board, probe),
    }
}

/// Checks that images for a board can run in the requested way.
fn check_way(way: Where, board: &str, run: &Run) -> Result<(), Diagnostic> {
    let (fits, wanted) = match (way, run) {
        (Where::Host, Run::Native)
        | (Where::Qemu, Run::Qemu(_) | Run::QemuUser(_))
        | (Where::Probe, Run::Qemu(_) | Run::None) => (true, ""),
        (Where::Host, Run::Qemu(_) | Run::QemuUser(_) | Run::None) => (false, "not a board of this machine"),
        (Where::Qemu, Run::Native | Run::None) => (false, "not a board with an emulator"),
        (Where::Probe, Run::Native | Run::QemuUser(_)) => (false, "not a board with a debug probe"),
    };
    if fits {
        return Ok(());
    }
    let message = format!("`--on {}` does not match the board `{board}`: it is {wanted}", way.word());
    Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message).help("remove `--on`, or choose another board"))
}
