//! The clocks and timers of chips. Registers of other devices read as zero, and ignore writes.

mod kinetis;
mod mps2;
mod nordic;
mod raspberry_pi;
mod stellaris;
mod stm32;

pub(crate) use kinetis::Kinetis;
pub(crate) use mps2::Mps2;
pub(crate) use nordic::Nordic;
pub(crate) use raspberry_pi::{RaspberryPi, written};
pub(crate) use stellaris::Stellaris;
pub(crate) use stm32::Stm32;

use crate::{analog::Pulse, clocks::Misuse, memory::Ram, wiring::Pin};

/// The devices of a chip. Time is in cycles of the core.
pub(crate) trait Device {
    /// Reads a register; nothing if the address is not a device's.
    fn read(&mut self, address: u32, now: u64) -> Option<u32>;
    /// Writes a register.
    fn write(&mut self, address: u32, value: u32, now: u64) -> Option<()>;
    /// Reads a register of eight bits; nothing if it is none.
    fn read_byte(&mut self, _: u32, _: u64) -> Option<u32> {
        None
    }
    /// Writes a register of eight bits.
    fn write_byte(&mut self, _: u32, _: u8, _: u64) -> Option<()> {
        None
    }
    /// Whether a pin is high, if the model can tell.
    fn level(&self, _: Pin) -> Option<bool> {
        None
    }
    /// The pulses at a pin that are made of other devices' tasks.
    fn pulse(&self, _: Pin) -> Option<Pulse> {
        None
    }
    /// The changes of such a pin: when, and to what level.
    fn edges(&self, _: Pin) -> &[(u64, bool)] {
        &[]
    }
    /// Advances what accesses memory by itself to a time.
    fn access(&mut self, _: u64, _: &mut Ram<'_>) {}
    /// The interrupt lines that are asserted, each a bit by its number.
    fn lines(&mut self, now: u64) -> u128;
    /// The next time at which a line may become asserted.
    fn due(&self) -> Option<u64>;
    /// What the program has done that the manual forbids.
    fn misuse(&self) -> Option<Misuse> {
        None
    }
}

/// Whether an address belongs to a device.
fn is_device(address: u32) -> bool {
    (0x4000_0000..0x6000_0000).contains(&address) || (0xd000_0000..0xd001_0000).contains(&address)
}
