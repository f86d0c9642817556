//! The I2C and SPI buses of a board.

use crate::{Address, Hertz, Pin};
use serde::Serialize;

/// An I2C bus of a board, of which the chip is the controller, and which programs use through `I2c`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum I2c {
    /// Two pins of the chip, in software.
    Gpio(I2cPins),
    /// Two lines that a register sets, clears and reads: the serial bus interface of Arm's boards.
    Sbcon {
        /// Its first register.
        base: Address,
    },
    /// An I2C controller of Stellaris LM3S microcontrollers.
    Stellaris {
        /// Which of the two it is, from 0.
        number: u32,
        /// The clock that it divides for the rate.
        clock: Hertz,
    },
}

/// The pins of an I2C bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct I2cPins {
    /// That of the clock.
    pub scl: Pin,
    /// That of the data.
    pub sda: Pin,
}

impl I2c {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            I2c::Gpio(_) => "gpio",
            I2c::Sbcon { .. } => "sbcon",
            I2c::Stellaris { .. } => "stellaris",
        }
    }

    /// Its first register, if it is a device of its own.
    pub fn base(&self) -> Option<Address> {
        match *self {
            I2c::Gpio(_) => None,
            I2c::Sbcon { base } => Some(base),
            // LM3S6965 data sheet, 15.5.
            I2c::Stellaris { number, .. } => Some(Address(0x4002_0000 + 0x1000 * u64::from(number))),
        }
    }

    /// The keys of its pins in descriptors, with the pins.
    pub fn pins(&self) -> Vec<(&'static str, Pin)> {
        match self {
            I2c::Gpio(I2cPins { scl, sda }) => vec![("scl", *scl), ("sda", *sda)],
            I2c::Sbcon { .. } | I2c::Stellaris { .. } => Vec::new(),
        }
    }

    /// The clock that it divides for the rate, if it is in the descriptor.
    pub fn clock(&self) -> Option<Hertz> {
        match *self {
            I2c::Stellaris { clock, .. } => Some(clock),
            I2c::Gpio(_) | I2c::Sbcon { .. } => None,
        }
    }
}

/// An SPI bus of a board, of which the chip is the controller, and which programs use through `Spi`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Spi {
    /// Three pins of the chip, in software.
    Gpio(SpiPins),
    /// An Arm PrimeCell PL022.
    Pl022 {
        /// Its first register.
        base: Address,
        /// The clock that it divides for the rate.
        clock: Hertz,
    },
    /// The SPI controller of Stellaris LM3S microcontrollers, a PL022 with fixed pins.
    Stellaris {
        /// The clock that it divides for the rate.
        clock: Hertz,
    },
}

/// The pins of an SPI bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct SpiPins {
    /// That of the clock.
    pub sck: Pin,
    /// That on which the chip sends.
    pub mosi: Pin,
    /// That on which the chip receives.
    pub miso: Pin,
}

impl Spi {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Spi::Gpio(_) => "gpio",
            Spi::Pl022 { .. } => "pl022",
            Spi::Stellaris { .. } => "stellaris",
        }
    }

    /// Its first register, if it is a device of its own.
    pub fn base(&self) -> Option<Address> {
        match *self {
            Spi::Gpio(_) => None,
            Spi::Pl022 { base, .. } => Some(base),
            // LM3S6965 data sheet, 14.5.
            Spi::Stellaris { .. } => Some(Address(0x4000_8000)),
        }
    }

    /// The keys of its pins in descriptors, with the pins.
    pub fn pins(&self) -> Vec<(&'static str, Pin)> {
        match self {
            Spi::Gpio(SpiPins { sck, mosi, miso }) => vec![("sck", *sck), ("mosi", *mosi), ("miso", *miso)],
            Spi::Pl022 { .. } | Spi::Stellaris { .. } => Vec::new(),
        }
    }

    /// The clock that it divides for the rate, if it is in the descriptor.
    pub fn clock(&self) -> Option<Hertz> {
        match *self {
            Spi::Pl022 { clock, .. } | Spi::Stellaris { clock } => Some(clock),
            Spi::Gpio(_) => None,
        }
    }
}
