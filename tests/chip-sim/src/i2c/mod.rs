//! Controllers of the I2C buses of STM32, RP2040, RP2350 and MPS2 boards, each with the clocks, the pins and the order of accesses that its manual
//! demands.
//!
//! What a manual forbids ends the program ([`crate::Ending::Bus`]): pins that are not connected, settings that do not fit the clock, a byte
//! that is written or read before its time, and what would damage a transfer. Without its clock a controller ignores writes, and reads as
//! zero.

mod designware;
mod rp_pins;
mod sbcon;
mod stm32_pins;
mod stm32_v1;
mod stm32_v2;
mod wires;

pub(crate) use designware::DesignWare;
pub(crate) use sbcon::Sbcon;
pub(crate) use stm32_v1::Stm32V1;
pub(crate) use stm32_v2::Stm32V2;
pub(crate) use wires::{Device, Wires};

use crate::clocks::Misuse;

/// The controller of the I2C bus of a chip. Time is in cycles of the core.
pub(crate) trait Controller {
    /// Reads a register, if it is one of its own.
    fn read(&mut self, address: u32, now: u64) -> Option<u32>;
    /// Sees a write of any register.
    fn write(&mut self, address: u32, value: u32, now: u64);
    /// What the program has done that the manual forbids.
    fn misuse(&self) -> Option<Misuse>;
}

/// None.
impl Controller for () {
    fn read(&mut self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, _: u32, _: u32, _: u64) {}

    fn misuse(&self) -> Option<Misuse> {
        None
    }
}
