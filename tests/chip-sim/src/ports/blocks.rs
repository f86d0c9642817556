//! The DMA controllers of a chip, and the accesses of their registers.

use super::gates::Gate;
use crate::{clocks::Misuse, devices::written, dma};

/// Registers of DMA controllers, with what enables them.
pub(super) struct Block {
    pub(super) base: u32,
    pub(super) size: u32,
    pub(super) gate: Gate,
    pub(super) is_awake: bool,
}

/// The DMA controllers of a chip.
pub(super) struct Dma {
    pub(super) blocks: Vec<Block>,
    pub(super) controller: Box<dyn dma::Controller>,
    pub(super) has_aliases: bool,
    /// What the program has done that the manual forbids.
    pub(super) misuse: Option<Misuse>,
}

impl Dma {
    /// None.
    pub(super) fn absent() -> Dma {
        Dma { blocks: Vec::new(), controller: Box::new(()), has_aliases: false, misuse: None }
    }

    /// The block of an address, if it is awake, and the offset there.
    pub(super) fn find(&self, address: u32) -> Option<(usize, u32)> {
        let index = self.blocks.iter().position(|block| address.wrapping_sub(block.base) < block.size)?;
        Some((index, address - self.blocks[index].base))
    }

    pub(super) fn read(&self, (block, offset): (usize, u32)) -> u32 {
        let offset = if self.has_aliases { offset & 0xfff } else { offset };
        if self.blocks[block].is_awake { self.controller.read(block, offset) } else { 0 }
    }

    pub(super) fn write(&mut self, (block, offset): (usize, u32), value: u32) {
        if !self.blocks[block].is_awake {
            self.misuse = self.misuse.or(Some("a register of DMA is written without its clock, or in reset"));
            return;
        }
        if self.has_aliases {
            let register = offset & 0xfff;
            let value = written(self.controller.read(block, register), offset, value);
            self.controller.write(block, register, value);
        } else {
            self.controller.write(block, offset, value);
        }
    }
}
