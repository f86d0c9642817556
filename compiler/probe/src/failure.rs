//! What can go wrong with a probe or a chip, as data.
//!
//! What probe-rs reports is sorted by what the user can do about it (`report.rs`); the chain of causes comes along as text.

use crate::model::ProbeInformation;
use std::fmt;

/// What was being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// The connection from the probe to the chip was being made.
    Connecting,
    /// Flash was being prepared for programming.
    Preparing,
    /// Flash was being erased.
    Erasing,
    /// Flash was being programmed.
    Programming,
    /// What had been programmed was being compared.
    Verifying,
    /// What the chip holds was being compared with a program.
    Comparing,
    /// The chip was being reset.
    Resetting,
    /// The program was running.
    Running,
}

impl fmt::Display for Doing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Doing::Connecting => "connecting to the chip",
            Doing::Preparing => "preparing to program flash",
            Doing::Erasing => "erasing flash",
            Doing::Programming => "programming flash",
            Doing::Verifying => "verifying flash",
            Doing::Comparing => "comparing flash with the program",
            Doing::Resetting => "resetting the chip",
            Doing::Running => "running the program",
        })
    }
}

/// Why something could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// There is no support for probes: the feature `probe-rs` is off.
    Unsupported,
    /// No probe is connected.
    NoProbe,
    /// Several are, and none was chosen.
    SeveralProbes(Vec<ProbeInformation>),
    /// The text that chooses a probe has the wrong form.
    BadSelector {
        /// The text.
        selector: String,
    },
    /// The chosen probe is not there.
    ProbeNotFound {
        /// The text that chooses it.
        selector: String,
    },
    /// The user may not use the probe.
    NoPermission(ProbeInformation),
    /// The probe cannot be opened, or does not answer.
    Unopened {
        /// The text that chooses it.
        selector: String,
        /// Why, from the outermost cause to the innermost.
        causes: Vec<String>,
    },
    /// No chip has that name.
    UnknownChip {
        /// The name.
        name: String,
        /// Names that begin alike.
        similar: Vec<String>,
    },
    /// The description of chips cannot be used.
    BadDescription {
        /// Why.
        causes: Vec<String>,
    },
    /// The probe finds no chip.
    NoChip {
        /// Why.
        causes: Vec<String>,
    },
    /// The chip is another one.
    WrongChip {
        /// The name of the chip that was expected.
        chip: String,
        /// The processor that such a chip has.
        expected: String,
        /// The processor that was found.
        found: String,
    },
    /// The chip is protected against debuggers.
    Protected {
        /// The name of the chip.
        chip: String,
        /// Why.
        causes: Vec<String>,
    },
    /// The image is not made for the chip.
    UnfitImage {
        /// The name of the chip.
        chip: String,
        /// Why.
        causes: Vec<String>,
    },
    /// What was programmed reads back differently.
    Mismatch,
    /// The probe is gone.
    Lost {
        /// What was being done.
        doing: Doing,
        /// Why.
        causes: Vec<String>,
    },
    /// Anything else.
    Broken {
        /// What was being done.
        doing: Doing,
        /// Why.
        causes: Vec<String>,
    },
}
