//! The registers that enable the clocks of devices and hold them in reset.

use crate::devices::written;
use std::collections::BTreeMap;

/// What enables a device: the bit of its clock, if it has one, and the bit that holds it in reset, if there is one.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    pub(super) clock: Option<(u32, u32)>,
    pub(super) reset: Option<(u32, u32)>,
}

/// The registers of all gates of a chip.
pub(super) struct Gates {
    registers: BTreeMap<u32, u32>,
    /// Whether each register has four addresses for writing.
    has_aliases: bool,
}

impl Gates {
    /// After a reset of an RP2040 or RP2350 all devices are held in reset.
    pub(super) fn new(gates: impl Iterator<Item = Gate>, has_aliases: bool) -> Gates {
        let after_reset = if has_aliases { u32::MAX } else { 0 };
        let bits = gates.flat_map(|gate| [gate.clock, gate.reset]).flatten();
        Gates { registers: bits.map(|(register, _)| (register, after_reset)).collect(), has_aliases }
    }

    /// Reads one of the registers, where no other model does.
    pub(super) fn read(&self, address: u32) -> Option<u32> {
        self.registers.get(&address).copied().filter(|_| !self.has_aliases)
    }

    /// Sees a write of any register; whether it was one of these.
    pub(super) fn write(&mut self, address: u32, value: u32) -> bool {
        let register = if self.has_aliases { address & !0x3000 } else { address };
        let Some(bits) = self.registers.get_mut(&register) else { return false };
        *bits = if self.has_aliases { written(*bits, address, value) } else { value };
        true
    }

    fn is_set(&self, (register, bit): (u32, u32)) -> bool {
        self.registers.get(&register).is_some_and(|bits| bits >> bit & 1 == 1)
    }

    /// Whether a device is held in reset.
    pub(super) fn is_held(&self, gate: Gate) -> bool {
        gate.reset.is_some_and(|bit| self.is_set(bit))
    }

    /// Whether a device has its clock, and is not held in reset.
    pub(super) fn is_open(&self, gate: Gate) -> bool {
        gate.clock.is_none_or(|bit| self.is_set(bit)) && !self.is_held(gate)
    }
}
