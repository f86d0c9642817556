//! DMA controllers of STM32, RP2040 and RP2350: they move data between devices and memory as the devices request it, without the core.
//!
//! - In: what the program writes to their registers, and the requests of devices.
//! - Out: accesses of memory and of devices, and interrupt lines.
//!
//! A requested transfer takes no time of its own, so that a transfer has the pace of the device. What a manual forbids ends the program
//! ([`crate::Ending::Bus`]): settings that change while a channel is enabled, flags of the last transfer where they must be cleared, a count
//! of zero, requests that a channel does not have, memory that the controller does not reach, and registers without their clock. So does what is
//! not modelled.

mod channels;
mod raspberry_pi;
mod streams;

pub(crate) use channels::Channels;
pub(crate) use raspberry_pi::RaspberryPi;
pub(crate) use streams::Streams;

use crate::clocks::Misuse;

/// What a device requests: that a byte to send is written, or that a received one is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Sends,
    Receives,
}

/// A request: the first register of the device, and the direction.
pub(crate) type Request = (u32, Direction);

/// The number of addresses of a device: the registers that a request may be for.
const DEVICE: u32 = 0x400;

/// What a DMA controller reaches.
pub(crate) trait System {
    /// Whether a device requests something.
    fn is_requested(&self, request: Request) -> bool;
    /// Reads from a device, from RAM or from flash; nothing if there is none.
    fn read(&mut self, address: u32, size: usize) -> Option<u32>;
    /// Writes to a device or to RAM; nothing if there is none.
    fn write(&mut self, address: u32, size: usize, value: u32) -> Option<()>;
}

/// The DMA controllers of a chip, whose registers are in some blocks.
pub(crate) trait Controller {
    /// Reads a register of a block.
    fn read(&self, block: usize, offset: u32) -> u32;
    /// Writes a register of a block.
    fn write(&mut self, block: usize, offset: u32, value: u32);
    /// Sets the registers of a block to what they are after a reset.
    fn reset(&mut self, block: usize);
    /// Does what is requested; whether that was something.
    fn step(&mut self, system: &mut dyn System) -> bool;
    /// Whether a transfer is to be done.
    fn is_active(&self) -> bool;
    /// The interrupt lines that are asserted, each a bit by its number.
    fn lines(&self) -> u128;
    /// What the program has done that the manual forbids.
    fn misuse(&self) -> Option<Misuse>;
}

/// None.
impl Controller for () {
    fn read(&self, _: usize, _: u32) -> u32 {
        0
    }

    fn write(&mut self, _: usize, _: u32, _: u32) {}

    fn reset(&mut self, _: usize) {}

    fn step(&mut self, _: &mut dyn System) -> bool {
        false
    }

    fn is_active(&self) -> bool {
        false
    }

    fn lines(&self) -> u128 {
        0
    }

    fn misuse(&self) -> Option<Misuse> {
        None
    }
}

/// One side of a transfer: the next address, the bytes of an access, and what is added to the address after it.
#[derive(Clone, Copy, Default)]
struct Side {
    address: u32,
    size: u32,
    step: u32,
}

impl Side {
    /// The size is an exponent of two, at most two.
    fn new(address: u32, exponent: u32, is_incremented: bool) -> Result<Side, Misuse> {
        let size = match exponent & 3 {
            3 => return Err("an access of DMA has no size"),
            exponent => 1 << exponent,
        };
        if !address.is_multiple_of(size) {
            return Err("an address of DMA is not a multiple of the size of its accesses");
        }
        Ok(Side { address, size, step: if is_incremented { size } else { 0 } })
    }

    fn advance(&mut self) {
        self.address = self.address.wrapping_add(self.step);
    }
}

/// Moves one item; a narrower destination gets its low bits.
fn transfer(system: &mut dyn System, source: &mut Side, destination: &mut Side) -> Result<(), Misuse> {
    let value = system.read(source.address, source.size as usize).ok_or("DMA reads what it does not reach")?;
    let value = value & u32::MAX >> (32 - destination.size * 8);
    let written = system.write(destination.address, destination.size as usize, value);
    written.ok_or("DMA writes what it does not reach")?;
    source.advance();
    destination.advance();
    Ok(())
}

/// The request among some that is for a register, in a direction.
fn request_for(requests: impl Iterator<Item = Request>, address: u32, direction: Direction) -> Result<Request, Misuse> {
    let mut fitting = requests.filter(|(base, of)| address.wrapping_sub(*base) < DEVICE && *of == direction);
    fitting.next().ok_or("a channel of DMA does not have the requests of its device")
}
