//! The failures of a probe or a chip, as data.
//!
//! The errors of probe-rs are sorted by what the user can do about them (`report.rs`); causes are kept as text.

use crate::model::ProbeInformation;
use std::fmt;

/// The operation that was in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// Connecting the probe to the chip.
    Connecting,
    /// Preparing flash for programming.
    Preparing,
    /// Erasing flash.
    Erasing,
    /// Programming flash.
    Programming,
    /// Comparing the flash with what was programmed.
    Verifying,
    /// Comparing the content of the chip with a program.
    Comparing,
    /// Resetting the chip.
    Resetting,
    /// Running the program.
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

/// Why an operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// There is no support for probes: the feature `probe-rs` is off.
    Unsupported,
    /// No probe is connected.
    NoProbe,
    /// Several probes are connected, and none was selected.
    SeveralProbes(Vec<ProbeInformation>),
    /// The probe selector is malformed.
    BadSelector {
        /// The selector.
        selector: String,
    },
    /// The selected probe is not connected.
    ProbeNotFound {
        /// The selector.
        selector: String,
    },
    /// The user has no permission to use the probe.
    NoPermission(ProbeInformation),
    /// The probe cannot be opened, or does not answer.
    Unopened {
        /// The selector.
        selector: String,
        /// The causes, from the outermost to the innermost.
        causes: Vec<String>,
    },
    /// The chip name is unknown.
    UnknownChip {
        /// The name.
        name: String,
        /// Names with a common prefix.
        similar: Vec<String>,
    },
    /// The description of chips is invalid.
    BadDescription {
        /// The causes.
        causes: Vec<String>,
    },
    /// The probe finds no chip.
    NoChip {
        /// The causes.
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
        /// The causes.
        causes: Vec<String>,
    },
    /// The image is not made for the chip.
    UnsuitableImage {
        /// The name of the chip.
        chip: String,
        /// The causes.
        causes: Vec<String>,
    },
    /// The flash reads back differently from what was programmed.
    Mismatch,
    /// The probe was disconnected.
    Lost {
        /// The operation that was in progress.
        doing: Doing,
        /// The causes.
        causes: Vec<String>,
    },
    /// Any other failure.
    Broken {
        /// The operation that was in progress.
        doing: Doing,
        /// The causes.
        causes: Vec<String>,
    },
}
