//! The replacement for probes in builds without support for them.

use crate::{
    Console,
    failure::Failure,
    model::{Afterwards, Chip, Debugged, Ending, Permission, ProbeInformation, Progress, Run, Segment},
};
use std::io::{Read, Write};

/// A connection of a probe to a chip; there is none.
pub enum Connection {}

impl Chip {
    /// Whether the chip name is known.
    pub fn check(&self) -> Result<(), Failure> {
        Err(Failure::Unsupported)
    }
}

/// All probes connected by USB; `None` without support for them.
pub fn list() -> Option<Vec<ProbeInformation>> {
    None
}

impl Connection {
    /// Fails.
    pub fn open(_: Option<&str>, _: &Chip, _: Permission) -> Result<Connection, Failure> {
        Err(Failure::Unsupported)
    }

    /// Erases, programs and verifies.
    pub fn flash(&mut self, _: &[Segment], _: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
        match *self {}
    }

    /// Erases the whole flash.
    pub fn erase(&mut self, _: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
        match *self {}
    }

    /// Whether the flash contains an image.
    pub fn holds(&mut self, _: &[Segment]) -> Result<bool, Failure> {
        match *self {}
    }

    /// Resets the chip, and lets it run.
    pub fn reset(&mut self) -> Result<(), Failure> {
        match *self {}
    }

    /// Runs the program in flash.
    pub fn run(&mut self, _: &Run, _: &mut dyn Console) -> Result<Ending, Failure> {
        match *self {}
    }

    /// Serves GDB.
    pub fn debug(&mut self, _: Debugged, _: impl Read + Write, _: &mut dyn Console) -> Result<Afterwards, Failure> {
        match *self {}
    }

    /// Ends the connection.
    pub fn close(self, _: Afterwards) -> Result<(), Failure> {
        match self {}
    }
}
