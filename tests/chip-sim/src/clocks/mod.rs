//! The control of the clocks of a chip: oscillators, phase-locked loops, and what the core and the buses have as clock.
//!
//! What the manuals forbid ends the program ([`crate::Ending::Clock`]): a core that uses what is not stable, that is too fast for the wait
//! states of its flash or for its supply, a bus that is too fast, and settings of a loop that change while it runs. The frequencies that
//! follow from the registers are those of timers, pulses and serial lines ([`Shared`]).

mod kinetis;
mod raspberry_pi;
mod stellaris;
mod stm32;

pub(crate) use kinetis::Kinetis;
pub(crate) use raspberry_pi::RaspberryPi;
pub(crate) use stellaris::Stellaris;
pub(crate) use stm32::Stm32;

use std::{cell::Cell, rc::Rc};

/// Why a chip does not work any more.
pub(crate) type Misuse = &'static str;

/// The control of the clocks. Time is in cycles of the core at its final frequency.
pub(crate) trait Clocks {
    /// Reads a register, if it is one of its own.
    fn read(&mut self, address: u32, now: u64) -> Option<u32>;
    /// Sees a write of any register.
    fn write(&mut self, address: u32, value: u32, now: u64) -> Result<(), Misuse>;
    /// Reads a register of a byte, if it is one of its own.
    fn read_byte(&mut self, _: u32, _: u64) -> Option<u8> {
        None
    }
    /// Writes a register of a byte, if it is one of its own.
    fn write_byte(&mut self, _: u32, _: u8, _: u64) -> Option<Result<(), Misuse>> {
        None
    }
}

/// Nothing to control.
impl Clocks for () {
    fn read(&mut self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, _: u32, _: u32, _: u64) -> Result<(), Misuse> {
        Ok(())
    }
}

/// The frequencies in hertz that the registers make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frequencies {
    pub(crate) core: u64,
    /// The two buses of an STM32; for serial devices of an RP2040 or RP2350 both are that of CLK_PERI. A KL25 has one bus.
    pub(crate) buses: [u64; 2],
    /// The timers at these buses; of a KL25, serial lines and pulses.
    pub(crate) timers: [u64; 2],
    /// The output of the main loop for random numbers, on an STM32F2 or F4; zero if the loop is off.
    pub(crate) random: u64,
}

/// The frequencies, which devices share.
pub(crate) type Shared = Rc<Cell<Frequencies>>;

impl Frequencies {
    /// The same for all.
    pub(crate) fn all(core: u64) -> Frequencies {
        Frequencies { core, buses: [core; 2], timers: [core; 2], random: 0 }
    }
}

/// A time after a number of microseconds, where the core has a final frequency.
fn later(now: u64, microseconds: u64, core: u64) -> u64 {
    now + core * microseconds / 1_000_000
}
