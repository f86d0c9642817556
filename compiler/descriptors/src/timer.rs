//! The timer of a Cortex-M board: it provides the time, or interrupts the program periodically.

use crate::{Address, Hertz};
use serde::Serialize;

/// The kinds of timers of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Timer {
    /// The processor's own system timer, which counts at the frequency of the core. On some chips it stops while the
    /// processor sleeps.
    Systick,
    /// A real-time counter of nRF51, nRF52 or nRF91: 32768 Hz, 24 bits.
    NrfRtc {
        /// Its first register.
        base: Address,
        /// The source of its clock.
        source: LowFrequencySource,
    },
    /// A timer of nRF51, nRF52 or nRF91, which counts microseconds.
    NrfTimer {
        /// Its first register.
        base: Address,
        /// Its width in bits.
        bits: u32,
    },
    /// The timer of the RP2040, which counts microseconds.
    Rp2040 {
        /// The frequency of the reference clock, from which its microseconds are derived.
        clock: Hertz,
    },
    /// The first timer of the RP2350, which counts microseconds.
    Rp2350 {
        /// The frequency of the reference clock, from which its microseconds are derived.
        clock: Hertz,
    },
    /// A general-purpose timer of an STM32, which counts microseconds.
    Stm32(Stm32Timer),
}

/// The source of the 32768 Hz clock of nRF51, nRF52 and nRF91.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LowFrequencySource {
    /// An oscillator of the chip.
    Rc,
    /// A crystal.
    Crystal,
    /// The clock of the processor; an nRF91 has no such source.
    Synthesized,
}

/// A general-purpose timer of an STM32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Stm32Timer {
    /// Its first register.
    pub base: Address,
    /// The clock that it divides to count microseconds.
    pub clock: Hertz,
    /// The register that enables its clock.
    pub enable: Address,
    /// Its bit in that register.
    pub bit: u32,
    /// The number of its interrupt.
    pub interrupt: u32,
    /// Its width in bits.
    pub bits: u32,
}

impl Timer {
    /// Its name in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Timer::Systick => "systick",
            Timer::NrfRtc { .. } => "nrf-rtc",
            Timer::NrfTimer { .. } => "nrf-timer",
            Timer::Rp2040 { .. } => "rp2040",
            Timer::Rp2350 { .. } => "rp2350",
            Timer::Stm32(_) => "stm32",
        }
    }

    /// The number of its interrupt; the system timer has none. On Nordic's chips it is the number of the device, which
    /// is part of its address (nRF51 Reference Manual, 9 "Peripheral interface"; nRF52840 Product Specification, 6.1).
    pub fn interrupt(&self) -> Option<u32> {
        match *self {
            Timer::Systick => None,
            Timer::NrfRtc { base, .. } | Timer::NrfTimer { base, .. } => Some((base.0 >> 12) as u32 & 0x3f),
            Timer::Rp2040 { .. } | Timer::Rp2350 { .. } => Some(0),
            Timer::Stm32(timer) => Some(timer.interrupt),
        }
    }

    /// Whether it is one of an nRF91, in the secure world.
    pub fn is_nrf91(&self) -> bool {
        const SECURE: Address = Address(0x5000_0000);
        matches!(*self, Timer::NrfRtc { base, .. } | Timer::NrfTimer { base, .. } if base >= SECURE)
    }

    /// The highest address in the descriptor.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Timer::NrfRtc { base, .. } | Timer::NrfTimer { base, .. } => Some(base),
            Timer::Stm32(timer) => Some(timer.base.max(timer.enable)),
            Timer::Systick | Timer::Rp2040 { .. } | Timer::Rp2350 { .. } => None,
        }
    }
}
