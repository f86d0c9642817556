//! Faults of a probe or a chip. A missing probe needs no simulation: nobody listens at its port.

use std::{fmt, str::FromStr};

/// A fault during one session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The chip is not the board's: its processor is a Cortex-M4.
    WrongChip,
    /// A bit of the flash does not keep its value.
    VerifyMismatch,
    /// The connection to the probe is lost while flash is erased and programmed.
    ConnectionLost,
    /// The processor locks up as soon as it runs code from flash.
    LockedUp,
    /// The debugger may not read the flash.
    ReadProtected,
    /// Each call of the flash algorithm is delayed by a fifth of a second.
    SlowFlash,
    /// The chip has no power: it does not respond.
    NoChip,
    /// Another program uses the probe: it ends the session at once.
    Busy,
}

impl Fault {
    /// All, with their names.
    pub const ALL: [(Fault, &'static str); 8] = [
        (Fault::WrongChip, "wrong-chip"),
        (Fault::VerifyMismatch, "verify-mismatch"),
        (Fault::ConnectionLost, "connection-lost"),
        (Fault::LockedUp, "locked-up"),
        (Fault::ReadProtected, "read-protected"),
        (Fault::SlowFlash, "slow-flash"),
        (Fault::NoChip, "no-chip"),
        (Fault::Busy, "busy"),
    ];
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Fault::ALL.iter().find(|(fault, _)| fault == self).map_or("", |(_, name)| name))
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Fault, String> {
        let names = || Fault::ALL.map(|(_, name)| name).join(", ");
        let found = Fault::ALL.iter().find(|(_, name)| *name == text);
        found.map(|(fault, _)| *fault).ok_or_else(|| format!("the faults are {}", names()))
    }
}
