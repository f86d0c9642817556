//! The cores of microcontrollers: the code they run, and their number of interrupts.

use crate::Board;
use target_lexicon::{Architecture, ArmArchitecture};

/// An architecture of Cortex-M.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Core {
    /// Cortex-M0, M0+.
    Armv6M,
    /// Cortex-M3.
    Armv7M,
    /// Cortex-M4, M7.
    Armv7EM,
    /// Cortex-M23.
    Armv8MBaseline,
    /// Cortex-M33 and later.
    Armv8MMainline,
}

/// The cores by the architectures of triples.
const ARCHITECTURES: [(ArmArchitecture, Core); 5] = [
    (ArmArchitecture::Thumbv6m, Core::Armv6M),
    (ArmArchitecture::Thumbv7m, Core::Armv7M),
    (ArmArchitecture::Thumbv7em, Core::Armv7EM),
    (ArmArchitecture::Thumbv8mBase, Core::Armv8MBaseline),
    (ArmArchitecture::Thumbv8mMain, Core::Armv8MMainline),
];

/// The cores of chips, by prefixes of their names; other chips are unknown.
const CORES: &[(&str, Core)] = &[
    ("lm3s", Core::Armv7M),
    ("nrf51", Core::Armv6M),
    ("nrf52", Core::Armv7EM),
    ("nrf91", Core::Armv8MMainline),
    ("rp2040", Core::Armv6M),
    ("rp23", Core::Armv8MMainline),
    ("stm32f0", Core::Armv6M),
    ("stm32f1", Core::Armv7M),
    ("stm32f2", Core::Armv7M),
    ("stm32f3", Core::Armv7EM),
    ("stm32f4", Core::Armv7EM),
    ("stm32f7", Core::Armv7EM),
    ("stm32g0", Core::Armv6M),
    ("stm32g4", Core::Armv7EM),
    ("stm32h5", Core::Armv8MMainline),
    ("stm32h7", Core::Armv7EM),
    ("stm32l0", Core::Armv6M),
    ("stm32l1", Core::Armv7M),
    ("stm32l4", Core::Armv7EM),
    ("stm32l5", Core::Armv8MMainline),
    ("stm32u5", Core::Armv8MMainline),
];

impl Core {
    /// The chip of a board and its core, if they are known.
    pub(crate) fn of_chip(board: &Board) -> Option<(&str, Core)> {
        let chip = board.chip.as_deref()?;
        let name = chip.to_ascii_lowercase();
        CORES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, core)| (chip, *core))
    }

    /// The core that a triple's architecture is for.
    pub(crate) fn of_architecture(architecture: Architecture) -> Option<Core> {
        let Architecture::Arm(architecture) = architecture else { return None };
        ARCHITECTURES.iter().find(|(known, _)| *known == architecture).map(|(_, core)| *core)
    }

    /// Arm's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Core::Armv6M => "Armv6-M",
            Core::Armv7M => "Armv7-M",
            Core::Armv7EM => "Armv7E-M",
            Core::Armv8MBaseline => "Armv8-M Baseline",
            Core::Armv8MMainline => "Armv8-M Mainline",
        }
    }

    /// Whether it runs programs for another core. The stack protection of Armv7-M is not available on Armv8-M.
    pub(crate) fn runs(self, other: Core) -> bool {
        self == other
            || other == Core::Armv6M
            || (self, other) == (Core::Armv7EM, Core::Armv7M)
            || (self, other) == (Core::Armv8MMainline, Core::Armv8MBaseline)
    }

    /// The maximum number of device interrupts (Cortex-M0, M4 and M33 Technical Reference Manuals, "Nested Vectored
    /// Interrupt Controller").
    pub(crate) fn most_vectors(self) -> u32 {
        match self {
            Core::Armv6M => 32,
            Core::Armv7M | Core::Armv7EM => 240,
            Core::Armv8MBaseline | Core::Armv8MMainline => 480,
        }
    }
}
