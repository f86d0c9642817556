//! What DMA reaches: devices with their requests, RAM, and flash to read from.

use super::unit::Unit;
use crate::{
    dma::{Request, System},
    memory::Ram,
};

pub(super) struct Reach<'u, 'r, 'm> {
    pub(super) units: &'u mut [Unit],
    pub(super) memory: &'r mut Ram<'m>,
    pub(super) now: u64,
}

impl Reach<'_, '_, '_> {
    fn unit(&mut self, address: u32) -> Option<&mut Unit> {
        self.units.iter_mut().find(|unit| unit.has(address))
    }
}

impl System for Reach<'_, '_, '_> {
    fn is_requested(&self, (base, direction): Request) -> bool {
        let unit = self.units.iter().find(|unit| unit.base == base);
        unit.is_some_and(|unit| unit.is_awake && unit.port.requests(direction))
    }

    fn read(&mut self, address: u32, size: usize) -> Option<u32> {
        let now = self.now;
        match self.unit(address) {
            Some(unit) => Some(unit.read_for_dma(address, size, now)),
            None => self.memory.read(address, size),
        }
    }

    fn write(&mut self, address: u32, size: usize, value: u32) -> Option<()> {
        let now = self.now;
        match self.unit(address) {
            Some(unit) => {
                unit.write(address, size, value, now);
                Some(())
            }
            None => self.memory.write(address, size, value),
        }
    }
}
