//! Analog inputs and pulse-width outputs of chips, each with the clocks, the pins and the order of accesses that the manuals demand. What
//! they forbid has no effect here: a converter without its clock is never ready, and a pin that is not connected has no pulses.
//!
//! Each model keeps what is written to the registers that it is interested in, also those of clocks and pins.

mod kinetis;
mod nordic;
mod nrf51;
mod raspberry_pi;
mod stellaris;
mod stm32;

pub(crate) use kinetis::Kinetis;
pub(crate) use nordic::{Nordic, TRIMMED};
pub(crate) use nrf51::Nrf51;
pub(crate) use raspberry_pi::RaspberryPi;
pub(crate) use stellaris::Stellaris;
pub(crate) use stm32::Stm32;

use crate::{
    memory::Ram,
    wiring::{Pin, Voltages},
};
use std::collections::BTreeMap;

/// What a pin does that a timer drives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pulse {
    /// Its frequency in hertz.
    pub frequency: u64,
    /// The thousandths of a period in which it is high.
    pub duty: u64,
}

impl Pulse {
    /// Pulses of some counts in a period of others.
    pub(crate) fn of(clock: u64, period: u64, high: u64) -> Pulse {
        Pulse { frequency: clock / period.max(1), duty: high.min(period) * 1000 / period.max(1) }
    }
}

/// The converter and the timers of a chip. Time is in cycles of the core.
pub(crate) trait Analog {
    /// Reads a register, if it is one of theirs.
    fn read(&mut self, address: u32, now: u64) -> Option<u32>;
    /// Sees a write of any register.
    fn write(&mut self, address: u32, value: u32, now: u64, ram: &mut Ram<'_>);
    /// The pulses at a pin.
    fn pulse(&self, pin: Pin) -> Option<Pulse>;
}

/// None.
impl Analog for () {
    fn read(&mut self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, _: u32, _: u32, _: u64, _: &mut Ram<'_>) {}

    fn pulse(&self, _: Pin) -> Option<Pulse> {
        None
    }
}

/// What was written to registers.
#[derive(Default)]
struct Registers(BTreeMap<u32, u32>);

impl Registers {
    fn get(&self, address: u32) -> u32 {
        self.get_or(address, 0)
    }

    /// The content, or that after a reset.
    fn get_or(&self, address: u32, reset: u32) -> u32 {
        self.0.get(&address).copied().unwrap_or(reset)
    }

    fn has(&self, (address, bit): (u32, u32)) -> bool {
        self.get(address) >> bit & 1 == 1
    }

    fn set(&mut self, address: u32, value: u32) {
        self.0.insert(address, value);
    }
}

/// The voltage at a pin in 4095ths of the supply.
fn voltage(voltages: &Voltages, pin: Pin) -> u32 {
    voltages.borrow().get(&pin).copied().unwrap_or_default().min(4095)
}
