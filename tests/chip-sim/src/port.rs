//! A device with a bus or a serial line, as `ports` has it, and what it gets to know.

use crate::{
    clocks::{Misuse, Shared},
    dma::Direction,
    pins,
    wiring::Wiring,
};

/// A device with a bus or a line. Time is in cycles of the core.
pub(crate) trait Port {
    /// Reads a register with a number of bytes.
    fn read(&mut self, offset: u32, size: usize, now: u64) -> u32;
    /// Reads a register for DMA.
    fn read_for_dma(&mut self, offset: u32, size: usize, now: u64) -> u32 {
        self.read(offset, size, now)
    }
    /// Writes a register with a number of bytes.
    fn write(&mut self, offset: u32, size: usize, value: u32, now: u64);
    /// The fewest bytes with which the core accesses a register.
    fn narrowest(&self) -> usize {
        1
    }
    /// Ends what has ended until a time.
    fn advance(&mut self, now: u64);
    /// The next time at which something ends.
    fn due(&self) -> Option<u64>;
    /// Whether it requests DMA in a direction.
    fn requests(&self, direction: Direction) -> bool;
    /// Whether it asserts an interrupt.
    fn interrupts(&self) -> bool;
    /// The interrupts that it asserts, each a bit, from its first one on.
    fn lines(&self) -> u128 {
        u128::from(self.interrupts())
    }
    /// Whether it may assert it without a further access.
    fn is_listening(&self) -> bool;
    /// Whether it receives from the serial line.
    fn reception(&self) -> Reception {
        Reception::Off
    }
    /// Goes back to what it is after a reset.
    fn reset(&mut self);
    /// What the program has done that the manual forbids.
    fn misuse(&self) -> Option<Misuse>;
}

/// What a device receives from the serial line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reception {
    /// It does not listen, or it has no line.
    Off,
    /// It listens.
    Waits,
    /// A byte is on its way.
    Runs,
}

/// What the devices of a chip share, for their creation.
pub(crate) struct Environment<'w> {
    /// The frequency of the core after the start, and those that the clocks make.
    pub(crate) core: u64,
    pub(crate) shared: Shared,
    pub(crate) pins: pins::Shared,
    pub(crate) wiring: &'w Wiring,
}
