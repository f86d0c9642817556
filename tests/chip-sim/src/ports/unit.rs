//! A device with what enables it, and the accesses of its registers.

use super::gates::Gate;
use crate::{devices::written, port::Port};

/// A device with what enables it.
pub(super) struct Unit {
    /// Its first register, and the number of addresses.
    pub(super) base: u32,
    pub(super) size: u32,
    /// Its first interrupt.
    pub(super) interrupt: u32,
    pub(super) gate: Gate,
    pub(super) is_awake: bool,
    /// Whether each register has four addresses for writing, and a narrow write fills all of it (RP2040 data sheet, 2.1.2 and 2.1.4).
    pub(super) has_aliases: bool,
    pub(super) port: Box<dyn Port>,
}

impl Unit {
    pub(super) fn has(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.size
    }

    pub(super) fn read(&mut self, address: u32, size: usize, now: u64) -> u32 {
        self.access(address, size, |port, offset| port.read(offset, size, now))
    }

    /// Reads for DMA.
    pub(super) fn read_for_dma(&mut self, address: u32, size: usize, now: u64) -> u32 {
        self.access(address, size, |port, offset| port.read_for_dma(offset, size, now))
    }

    fn access(&mut self, address: u32, size: usize, read: impl FnOnce(&mut dyn Port, u32) -> u32) -> u32 {
        if !self.is_awake {
            return 0;
        }
        let offset = (address - self.base) & if self.has_aliases { 0xfff } else { u32::MAX };
        let word = read(&mut *self.port, offset & !3);
        word >> (offset % 4 * 8) & u32::MAX >> (32 - size * 8)
    }

    pub(super) fn write(&mut self, address: u32, size: usize, value: u32, now: u64) {
        if !self.is_awake {
            return;
        }
        let offset = address - self.base;
        if self.has_aliases {
            let (register, is_plain) = (offset & 0xffc, offset & 0x3000 == 0);
            let value = [0, value & 0xff, value & 0xffff, 0, value][size] * [0, 0x0101_0101, 0x0001_0001, 0, 1][size];
            let before = if is_plain { 0 } else { self.port.read(register, 4, now) };
            self.port.write(register, 4, written(before, address, value), now);
        } else {
            self.port.write(offset, size, value, now);
        }
        self.port.advance(now);
    }
}
