//! The choice of a probe, and how it is used.

use clap::ValueEnum;
use std::path::PathBuf;

/// The choice of a probe, and a description of the chip.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Probe {
    /// The string that selects a probe; nothing if there is only one.
    pub selector: Option<String>,
    /// A file that describes chips which the probe library does not know.
    pub chip_description: Option<PathBuf>,
    /// What happens to the program when the user interrupts its run.
    pub on_interrupt: OnInterrupt,
}

/// What happens to a program when the user interrupts its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum OnInterrupt {
    /// Halts it until the next reset
    #[default]
    Halt,
    /// Keeps it running
    Run,
}
