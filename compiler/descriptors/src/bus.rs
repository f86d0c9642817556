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
        /// The pins that a port of the Cortex-M System Design Kit connects to it; without them its lines are its own.
        #[serde(flatten)]
        pins: Option<I2cPins>,
    },
    /// An I2C controller of Stellaris LM3S microcontrollers.
    Stellaris {
        /// Which of the two it is, from 0.
        number: u32,
        /// The clock that it divides for the rate.
        clock: Hertz,
    },
    /// Nordic's controller without DMA of nRF51 and nRF52, TWI.
    Nrf {
        /// Its first register.
        base: Address,
        /// Its pins.
        #[serde(flatten)]
        pins: I2cPins,
    },
    /// Nordic's controller with DMA of nRF91, TWIM.
    NrfDma {
        /// Its first register.
        base: Address,
        /// Its pins.
        #[serde(flatten)]
        pins: I2cPins,
    },
    /// An I2C controller of STMicroelectronics' STM32.
    Stm32(Stm32Bus<I2cPins>),
    /// A controller of Raspberry Pi's RP2040; its pins determine which of the two it is.
    Rp2040(RpBus<I2cPins>),
    /// The same for the RP2350.
    Rp2350(RpBus<I2cPins>),
    /// A controller of NXP's KL25; its pins determine which of the two it is.
    Kl25 {
        /// The clock that it divides for the rate: that of the bus.
        clock: Hertz,
        /// Its pins.
        #[serde(flatten)]
        pins: I2cPins,
    },
}

/// A controller of a bus of an STM32, its clock and its pins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Stm32Bus<Pins> {
    /// Its register layout.
    pub model: Stm32BusModel,
    /// Its first register.
    pub base: Address,
    /// The clock that it divides for the rate.
    pub clock: Hertz,
    /// The register that enables its clock.
    pub enable: Address,
    /// Its bit in that register.
    pub bit: u32,
    /// Its pins.
    #[serde(flatten)]
    pub pins: Pins,
    /// The number of the alternate function that connects its pins; an STM32F1 has none.
    pub function: u32,
}

/// The register layouts of controllers of buses of STM32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stm32BusModel {
    /// That of STM32F2 and STM32F4, at pins of `stm32f1`: SPI has a word for each byte, I2C a flag for each step of a transfer.
    F1,
    /// The same: STM32F2 and STM32F4.
    F4,
    /// STM32L4, STM32L5 and most later ones: SPI has bytes in a FIFO, I2C a number of bytes for each part of a transfer.
    L5,
}

/// A controller of a bus of an RP2040 or RP2350.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RpBus<Pins> {
    /// The clock that it divides for the rate.
    pub clock: Hertz,
    /// Its pins.
    #[serde(flatten)]
    pub pins: Pins,
}

impl Stm32Bus<I2cPins> {
    /// The lowest frequency of its clock with which it works: half a period of 100 kHz has ten cycles (RM0008, 26.6.2; RM0090, 27.6.2;
    /// RM0438, "I2C clock requirements").
    pub const SLOWEST: Hertz = Hertz(2_000_000);
}

impl RpBus<I2cPins> {
    /// The controller of the pins, if both belong to the same: pins with even numbers are for data, those with odd ones for the clock; two
    /// pins of one controller follow two of the other (RP2040 data sheet, 2.19.2; RP2350 data sheet, 9.4).
    pub fn number(&self) -> Option<u32> {
        let I2cPins { scl, sda } = self.pins;
        let of = |pin: Pin| pin.number / 2 % 2;
        (sda.number % 2 == 0 && scl.number % 2 == 1 && of(scl) == of(sda)).then(|| of(scl))
    }
}

/// A pair of pins of a controller of a KL25, as the clock and the data, with its number and the number of the pins' function.
type Kl25Pins = (I2cPins, u32, u32);

/// The pairs of a KL25 (data sheet KL25P80M48SF0, "KL25 Signal Multiplexing and Pin Assignments").
const KL25_PINS: [Kl25Pins; 8] = [
    of_kl25(A, [3, 4], 1, 2),
    of_kl25(B, [0, 1], 0, 2),
    of_kl25(B, [2, 3], 0, 2),
    of_kl25(C, [1, 2], 1, 2),
    of_kl25(C, [8, 9], 0, 2),
    of_kl25(C, [10, 11], 1, 2),
    of_kl25(E, [1, 0], 1, 6),
    of_kl25(E, [24, 25], 0, 5),
];

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const E: u32 = 4;

const fn of_kl25(port: u32, [scl, sda]: [u32; 2], number: u32, function: u32) -> Kl25Pins {
    (I2cPins { scl: Pin { port, number: scl }, sda: Pin { port, number: sda } }, number, function)
}

impl I2cPins {
    /// The controller of a KL25 that the pins belong to, if both belong to one.
    pub fn of_kl25(&self) -> Option<u32> {
        let of = |is_it: fn(&Kl25Pins, &I2cPins) -> bool| KL25_PINS.iter().find(|known| is_it(known, self));
        let (_, scl, _) = of(|(known, ..), own| known.scl == own.scl)?;
        let (_, sda, _) = of(|(known, ..), own| known.sda == own.sda)?;
        (scl == sda).then_some(*scl)
    }

    /// The functions with which a KL25 connects the clock and the data.
    pub fn functions_of_kl25(&self) -> Option<[u32; 2]> {
        let (.., scl) = KL25_PINS.iter().find(|(known, ..)| known.scl == self.scl)?;
        let (.., sda) = KL25_PINS.iter().find(|(known, ..)| known.sda == self.sda)?;
        Some([*scl, *sda])
    }
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
            I2c::Nrf { .. } => "nrf",
            I2c::NrfDma { .. } => "nrf-dma",
            I2c::Stm32(_) => "stm32",
            I2c::Rp2040(_) => "rp2040",
            I2c::Rp2350(_) => "rp2350",
            I2c::Kl25 { .. } => "kl25",
        }
    }

    /// Its first register, if it is a device of its own.
    pub fn base(&self) -> Option<Address> {
        let numbered = |i2c: RpBus<I2cPins>, first: u64, distance: u64| {
            // The schema has accepted the pins.
            Some(Address(first + distance * u64::from(i2c.number().unwrap_or(0))))
        };
        match *self {
            I2c::Gpio(_) => None,
            I2c::Sbcon { base, .. }
            | I2c::Nrf { base, .. }
            | I2c::NrfDma { base, .. }
            | I2c::Stm32(Stm32Bus { base, .. }) => Some(base),
            // RP2040 data sheet, 2.2.4; RP2350 data sheet, 2.2.4.
            I2c::Rp2040(i2c) => numbered(i2c, 0x4004_4000, 0x4000),
            I2c::Rp2350(i2c) => numbered(i2c, 0x4009_0000, 0x8000),
            // LM3S6965 data sheet, 15.5.
            I2c::Stellaris { number, .. } => Some(Address(0x4002_0000 + 0x1000 * u64::from(number))),
            // KL25 Sub-Family Reference Manual, 38.3. The schema has accepted the pins.
            I2c::Kl25 { pins, .. } => Some(Address(0x4006_6000 + 0x1000 * u64::from(pins.of_kl25().unwrap_or(0)))),
        }
    }

    /// The keys of its pins in descriptors, with the pins.
    pub fn pins(&self) -> Vec<(&'static str, Pin)> {
        let I2cPins { scl, sda } = match self {
            I2c::Gpio(pins)
            | I2c::Nrf { pins, .. }
            | I2c::NrfDma { pins, .. }
            | I2c::Kl25 { pins, .. }
            | I2c::Stm32(Stm32Bus { pins, .. })
            | I2c::Rp2040(RpBus { pins, .. })
            | I2c::Rp2350(RpBus { pins, .. })
            | I2c::Sbcon { pins: Some(pins), .. } => *pins,
            I2c::Sbcon { pins: None, .. } | I2c::Stellaris { .. } => return Vec::new(),
        };
        vec![("scl", scl), ("sda", sda)]
    }

    /// The clock that it divides for the rate, if it is in the descriptor.
    pub fn clock(&self) -> Option<Hertz> {
        match *self {
            I2c::Stellaris { clock, .. }
            | I2c::Kl25 { clock, .. }
            | I2c::Stm32(Stm32Bus { clock, .. })
            | I2c::Rp2040(RpBus { clock, .. })
            | I2c::Rp2350(RpBus { clock, .. }) => Some(clock),
            I2c::Gpio(_) | I2c::Sbcon { .. } | I2c::Nrf { .. } | I2c::NrfDma { .. } => None,
        }
    }

    /// The highest address in the descriptor.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            I2c::Stm32(Stm32Bus { base, enable, .. }) => Some(base.max(enable)),
            I2c::Gpio(_)
            | I2c::Sbcon { .. }
            | I2c::Stellaris { .. }
            | I2c::Nrf { .. }
            | I2c::NrfDma { .. }
            | I2c::Rp2040(_)
            | I2c::Rp2350(_)
            | I2c::Kl25 { .. } => self.base(),
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
        /// The pins that a port of the Cortex-M System Design Kit connects to it; without them its lines are its own.
        #[serde(flatten)]
        pins: Option<SpiPins>,
    },
    /// The SPI controller of Stellaris LM3S microcontrollers, a PL022 with fixed pins.
    Stellaris {
        /// The clock that it divides for the rate.
        clock: Hertz,
    },
    /// Nordic's controller without DMA of nRF51 and nRF52.
    Nrf {
        /// Its first register.
        base: Address,
        /// Its pins.
        #[serde(flatten)]
        pins: SpiPins,
    },
    /// Nordic's controller with DMA of nRF52 and nRF91.
    NrfDma {
        /// Its first register.
        base: Address,
        /// Its pins.
        #[serde(flatten)]
        pins: SpiPins,
    },
    /// An SPI controller of STMicroelectronics' STM32.
    Stm32(Stm32Bus<SpiPins>),
    /// A controller of Raspberry Pi's RP2040, a PL022; its pins determine which of the two it is.
    Rp2040(RpBus<SpiPins>),
    /// The same for the RP2350.
    Rp2350(RpBus<SpiPins>),
}

impl RpBus<SpiPins> {
    /// The controller of the pins, if all belong to the same: of each four pins the first receives, the third is the clock, and the fourth
    /// sends; eight pins of one controller follow eight of the other (RP2040 data sheet, 2.19.2; RP2350 data sheet, 9.4).
    pub fn number(&self) -> Option<u32> {
        let SpiPins { sck, mosi, miso } = self.pins;
        let of = |pin: Pin| pin.number / 8 % 2;
        let have_their_functions = miso.number % 4 == 0 && sck.number % 4 == 2 && mosi.number % 4 == 3;
        (have_their_functions && of(sck) == of(mosi) && of(sck) == of(miso)).then(|| of(sck))
    }
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
            Spi::Nrf { .. } => "nrf",
            Spi::NrfDma { .. } => "nrf-dma",
            Spi::Stm32(_) => "stm32",
            Spi::Rp2040(_) => "rp2040",
            Spi::Rp2350(_) => "rp2350",
        }
    }

    /// Its first register, if it is a device of its own.
    pub fn base(&self) -> Option<Address> {
        let numbered = |spi: RpBus<SpiPins>, first: u64, distance: u64| {
            // The schema has accepted the pins.
            Some(Address(first + distance * u64::from(spi.number().unwrap_or(0))))
        };
        match *self {
            Spi::Gpio(_) => None,
            Spi::Pl022 { base, .. }
            | Spi::Nrf { base, .. }
            | Spi::NrfDma { base, .. }
            | Spi::Stm32(Stm32Bus { base, .. }) => Some(base),
            // RP2040 data sheet, 2.2.4; RP2350 data sheet, 2.2.4.
            Spi::Rp2040(spi) => numbered(spi, 0x4003_c000, 0x4000),
            Spi::Rp2350(spi) => numbered(spi, 0x4008_0000, 0x8000),
            // LM3S6965 data sheet, 14.5.
            Spi::Stellaris { .. } => Some(Address(0x4000_8000)),
        }
    }

    /// The keys of its pins in descriptors, with the pins.
    pub fn pins(&self) -> Vec<(&'static str, Pin)> {
        let SpiPins { sck, mosi, miso } = match self {
            Spi::Gpio(pins)
            | Spi::Nrf { pins, .. }
            | Spi::NrfDma { pins, .. }
            | Spi::Stm32(Stm32Bus { pins, .. })
            | Spi::Rp2040(RpBus { pins, .. })
            | Spi::Rp2350(RpBus { pins, .. })
            | Spi::Pl022 { pins: Some(pins), .. } => *pins,
            Spi::Pl022 { pins: None, .. } | Spi::Stellaris { .. } => return Vec::new(),
        };
        vec![("sck", sck), ("mosi", mosi), ("miso", miso)]
    }

    /// The clock that it divides for the rate, if it is in the descriptor.
    pub fn clock(&self) -> Option<Hertz> {
        match *self {
            Spi::Pl022 { clock, .. }
            | Spi::Stellaris { clock }
            | Spi::Stm32(Stm32Bus { clock, .. })
            | Spi::Rp2040(RpBus { clock, .. })
            | Spi::Rp2350(RpBus { clock, .. }) => Some(clock),
            Spi::Gpio(_) | Spi::Nrf { .. } | Spi::NrfDma { .. } => None,
        }
    }

    /// Whether it transfers arrays by itself, while the program does something else.
    pub fn has_dma(&self) -> bool {
        matches!(self, Spi::NrfDma { .. })
    }

    /// The number of its interrupt, if the library handles it. On Nordic's chips it is a part of the address (nRF52840 Product Specification,
    /// 6.1).
    pub fn interrupt(&self) -> Option<u32> {
        let Spi::NrfDma { base, .. } = self else { return None };
        Some((base.0 >> 12) as u32 & 0x3f)
    }

    /// The highest address in the descriptor.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Spi::Stm32(Stm32Bus { base, enable, .. }) => Some(base.max(enable)),
            Spi::Gpio(_)
            | Spi::Pl022 { .. }
            | Spi::Stellaris { .. }
            | Spi::Nrf { .. }
            | Spi::NrfDma { .. }
            | Spi::Rp2040(_)
            | Spi::Rp2350(_) => self.base(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_choose_the_i2c_controller() {
        let number = |scl, sda| {
            let pin = |number| Pin { port: 0, number };
            RpBus { clock: Hertz(12_000_000), pins: I2cPins { scl: pin(scl), sda: pin(sda) } }.number()
        };
        for (scl, sda, expected) in [(1, 0, 0), (5, 4, 0), (5, 20, 0), (3, 2, 1), (27, 26, 1), (7, 14, 1)] {
            assert_eq!(number(scl, sda), Some(expected), "GP{scl}, GP{sda}");
        }
        for (scl, sda) in [(4, 5), (5, 6), (3, 4), (4, 8), (5, 1)] {
            assert_eq!(number(scl, sda), None, "GP{scl}, GP{sda}");
        }
    }

    #[test]
    fn pins_choose_the_i2c_controller_of_a_kl25() {
        let pins = |scl: (u32, u32), sda: (u32, u32)| {
            let pin = |(port, number)| Pin { port, number };
            I2cPins { scl: pin(scl), sda: pin(sda) }
        };
        for (scl, sda, number, functions) in [
            ((E, 24), (E, 25), 0, [5, 5]),
            ((E, 1), (E, 0), 1, [6, 6]),
            ((B, 0), (C, 9), 0, [2, 2]),
            ((C, 10), (E, 0), 1, [2, 6]),
            ((A, 3), (A, 4), 1, [2, 2]),
        ] {
            let pins = pins(scl, sda);
            assert_eq!((pins.of_kl25(), pins.functions_of_kl25()), (Some(number), Some(functions)), "{pins:?}");
        }
        for (scl, sda) in [((E, 25), (E, 24)), ((E, 24), (E, 0)), ((B, 0), (C, 2)), ((A, 1), (A, 2))] {
            assert_eq!(pins(scl, sda).of_kl25(), None, "{scl:?}, {sda:?}");
        }
    }

    #[test]
    fn pins_choose_the_spi_controller() {
        let number = |sck, mosi, miso| {
            let pin = |number| Pin { port: 0, number };
            let pins = SpiPins { sck: pin(sck), mosi: pin(mosi), miso: pin(miso) };
            RpBus { clock: Hertz(12_000_000), pins }.number()
        };
        for (sck, mosi, miso, expected) in
            [(2, 3, 0, 0), (18, 19, 16, 0), (22, 7, 4, 0), (10, 11, 8, 1), (26, 27, 28, 1)]
        {
            assert_eq!(number(sck, mosi, miso), Some(expected), "GP{sck}, GP{mosi}, GP{miso}");
        }
        for (sck, mosi, miso) in [(3, 2, 0), (2, 11, 0), (2, 3, 8), (2, 3, 1)] {
            assert_eq!(number(sck, mosi, miso), None, "GP{sck}, GP{mosi}, GP{miso}");
        }
    }
}
