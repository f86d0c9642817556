//! What comes before the program: a block for the boot code of the chip, and steps that set up the board.

use crate::{Address, Bytes};
use serde::Serialize;

/// What the chip's own boot code looks for in flash before it starts an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootBlock {
    /// RP2040: 256 bytes at the start of flash with code that lets the chip run from it, and their checksum. The vector table
    /// follows (RP2040 data sheet, 2.8.1.3).
    Rp2040,
    /// RP2350: an image definition in the first 4 KiB of the image (RP2350 data sheet, 5.9.5).
    Rp2350,
}

impl BootBlock {
    /// How far behind the start of flash the vector table lies.
    pub fn before_vectors(self) -> Bytes {
        match self {
            BootBlock::Rp2040 => Bytes(256),
            BootBlock::Rp2350 => Bytes(0),
        }
    }
}

/// A step that the boot code does before the program begins: an access to a register of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StartStep {
    /// Writes a value.
    Write {
        /// The register.
        address: Address,
        /// What is written.
        value: u32,
    },
    /// Makes bits one and leaves the others.
    Set {
        /// The register.
        address: Address,
        /// The bits.
        bits: u32,
    },
    /// Makes bits zero and leaves the others.
    Clear {
        /// The register.
        address: Address,
        /// The bits.
        bits: u32,
    },
    /// Waits until all of some bits are one.
    Await {
        /// The register.
        address: Address,
        /// The bits.
        bits: u32,
    },
}

impl StartStep {
    /// The register.
    pub fn address(&self) -> Address {
        match *self {
            StartStep::Write { address, .. }
            | StartStep::Set { address, .. }
            | StartStep::Clear { address, .. }
            | StartStep::Await { address, .. } => address,
        }
    }
}

/// What files in the format UF2 say of the chip that they are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Uf2 {
    /// The number of the family of chips, from Microsoft's list (`uf2families.json`).
    pub family: u32,
}
