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

/// A step that the boot code executes before the program starts: an access to a register, of 32 bits if nothing else is said.
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
    /// Waits until all given bits are clear.
    AwaitClear {
        /// The register.
        address: Address,
        /// The bits, at least one.
        bits: u32,
    },
    /// Skips the next steps if the register reads as zero, which it does in an emulator that lacks it.
    Expect {
        /// The register.
        address: Address,
        /// The number of those steps, each of which is one access.
        steps: u32,
    },
    /// Writes a value to a register of a byte.
    WriteByte {
        /// The register.
        address: Address,
        /// The value.
        value: u8,
    },
    /// Waits until all given bits of a register of a byte are set.
    AwaitByte {
        /// The register.
        address: Address,
        /// The bits, at least one.
        bits: u8,
    },
    /// Waits until all given bits of a register of a byte are clear.
    AwaitByteClear {
        /// The register.
        address: Address,
        /// The bits, at least one.
        bits: u8,
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

    /// Whether it accesses a register of a byte.
    pub fn is_of_a_byte(&self) -> bool {
        match self {
            StartStep::WriteByte { .. } | StartStep::AwaitByte { .. } | StartStep::AwaitByteClear { .. } => true,
            StartStep::Write { .. }
            | StartStep::Set { .. }
            | StartStep::Clear { .. }
            | StartStep::Await { .. }
            | StartStep::AwaitClear { .. }
            | StartStep::Expect { .. }
            | StartStep::Trim { .. } => false,
        }
    }

    /// The register, or the table.
    pub fn address(&self) -> Address {
        match *self {
            StartStep::Write { address, .. }
            | StartStep::Set { address, .. }
            | StartStep::Clear { address, .. }
            | StartStep::Await { address, .. }
            | StartStep::AwaitClear { address, .. }
            | StartStep::Expect { address, .. }
            | StartStep::WriteByte { address, .. }
            | StartStep::AwaitByte { address, .. }
            | StartStep::AwaitByteClear { address, .. }
            | StartStep::Trim { address } => address,
        }
    }

    /// The step as entries of the table that the boot code executes (`start_board` of the runtime). An entry has the address of the register,
    /// whose two low bits select the operation, and a value. The operations that set, clear and await have a value; without one they are
    /// others, and the first word of a second entry is their operand. That of a step with a byte is zero, and the second word has the operation,
    /// the place of the byte in the word of the address, and the value.
    pub fn entries(&self) -> Vec<[u64; 2]> {
        let (set, clear, wait) = (1, 2, 3);
        let byte = |address: Address, operation: u64, value: u8| {
            vec![[address.0 & !3 | set, 0], [0, operation << 16 | (address.0 & 3) << 8 | u64::from(value)]]
        };
        match *self {
            StartStep::Write { address, value } => vec![[address.0, value.into()]],
            StartStep::Set { address, bits } => vec![[address.0 | set, bits.into()]],
            StartStep::Clear { address, bits } => vec![[address.0 | clear, bits.into()]],
            StartStep::Await { address, bits } => vec![[address.0 | wait, bits.into()]],
            StartStep::AwaitClear { address, bits } => vec![[address.0 | set, 0], [bits.into(), 0]],
            StartStep::Expect { address, steps } => vec![[address.0 | clear, 0], [steps.into(), 0]],
            StartStep::Trim { address } => vec![[address.0 | wait, 0]],
            StartStep::WriteByte { address, value } => byte(address, 0, value),
            StartStep::AwaitByte { address, bits } => byte(address, 1, bits),
            StartStep::AwaitByteClear { address, bits } => byte(address, 2, bits),
        }
    }

    /// Its bit among the operations that the boot code of an image has only if it needs them.
    pub fn operation(&self) -> u32 {
        match self {
            StartStep::Write { .. } | StartStep::Set { .. } | StartStep::Await { .. } => 0,
            StartStep::Clear { .. } => 1,
            StartStep::AwaitClear { .. } => 2,
            StartStep::Expect { .. } => 4,
            StartStep::Trim { .. } => 8,
            StartStep::WriteByte { .. } | StartStep::AwaitByte { .. } | StartStep::AwaitByteClear { .. } => 16,
        }
    }
}

/// The properties of UF2 files for a chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Uf2 {
    /// The number of the chip family, from Microsoft's list (`uf2families.json`).
    pub family: u32,
}
