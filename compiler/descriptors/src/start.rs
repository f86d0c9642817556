//! What precedes the program: a block for the chip's boot code, and steps that set up the board.

use crate::{Address, Bytes};
use serde::Serialize;

/// The block that the chip's own boot code expects in flash before it starts an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootBlock {
    /// RP2040: 256 bytes at the start of flash with code that enables execution from flash, and their checksum. The
    /// vector table follows (RP2040 data sheet, 2.8.1.3).
    Rp2040,
    /// RP2350: an image definition in the first 4 KiB of the image (RP2350 data sheet, 5.9.5).
    Rp2350,
    /// NXP's Kinetis: the flash configuration field of 16 bytes at 0x400, which locks the chip if it is wrong (KL25 Sub-Family Reference
    /// Manual, 27.3.1).
    Kinetis,
}

impl BootBlock {
    /// The offset of the vector table from the start of flash.
    pub fn before_vectors(self) -> Bytes {
        match self {
            BootBlock::Rp2040 => Bytes(256),
            BootBlock::Rp2350 | BootBlock::Kinetis => Bytes(0),
        }
    }
}

/// A step that the boot code executes before the program starts: an access to a 32-bit register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StartStep {
    /// Writes a value.
    Write {
        /// The register.
        address: Address,
        /// The value.
        value: u32,
    },
    /// Sets bits and leaves the others.
    Set {
        /// The register.
        address: Address,
        /// The bits.
        bits: u32,
    },
    /// Clears bits and leaves the others.
    Clear {
        /// The register.
        address: Address,
        /// The bits.
        bits: u32,
    },
    /// Waits until all given bits are set.
    Await {
        /// The register.
        address: Address,
        /// The bits, at least one.
        bits: u32,
    },
    /// Writes values to registers as a table says that the manufacturer has written: pairs of the address of a register and its value, up
    /// to the first address that is erased, at most [`StartStep::PAIRS`] of them.
    Trim {
        /// The table.
        address: Address,
    },
}

impl StartStep {
    /// The most pairs of a table: those of `TRIMCNF` (nRF9160 Product Specification, "FICR").
    pub const PAIRS: u32 = 256;

    /// The register, or the table.
    pub fn address(&self) -> Address {
        match *self {
            StartStep::Write { address, .. }
            | StartStep::Set { address, .. }
            | StartStep::Clear { address, .. }
            | StartStep::Await { address, .. }
            | StartStep::Trim { address } => address,
        }
    }
}

/// The properties of UF2 files for a chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Uf2 {
    /// The number of the chip family, from Microsoft's list (`uf2families.json`).
    pub family: u32,
}
