//! A port of the Cortex-M System Design Kit (Cortex-M System Design Kit Technical Reference Manual, Arm DDI 0479, "AHB GPIO").

use crate::wiring::Pin;
use std::collections::BTreeMap;

pub(super) struct Port {
    pins: u32,
    data: u32,
    outputs: u32,
    alternate: u32,
    /// INTEN, INTTYPE, INTPOL and INTSTATUS.
    enabled: u32,
    by_edge: u32,
    rising: u32,
    seen: u32,
    /// The inputs at the last look.
    inputs: u32,
}

impl Port {
    /// A port with a number of pins.
    pub(super) fn new(count: u32) -> Port {
        let pins = (1 << count) - 1;
        Port { pins, data: 0, outputs: 0, alternate: 0, enabled: 0, by_edge: 0, rising: 0, seen: 0, inputs: 0 }
    }

    /// Whether a pin is high: as an output, or as something drives it.
    pub(super) fn level(&self, pin: Pin, levels: &BTreeMap<Pin, bool>) -> bool {
        let is = |register: u32| register >> pin.1 & 1 == 1;
        if is(self.outputs) && !is(self.alternate) {
            return is(self.data);
        }
        levels.get(&pin).copied().unwrap_or(false)
    }

    /// Looks at the pins, for what the port watches: of edges that are not enabled it remembers nothing.
    pub(super) fn observe(&mut self, index: u32, levels: &BTreeMap<Pin, bool>) {
        let is_high = |number: &u32| self.level((index, *number), levels);
        let inputs = (0..16).filter(is_high).fold(0, |bits, number| bits | 1 << number) & self.pins;
        let (risen, fallen) = (inputs & !self.inputs, self.inputs & !inputs);
        let edges = (risen & self.rising | fallen & !self.rising) & self.by_edge;
        let levels = !(inputs ^ self.rising) & !self.by_edge;
        self.seen |= (edges | levels) & self.enabled;
        self.inputs = inputs;
    }

    pub(super) fn interrupts(&self) -> bool {
        self.seen != 0
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            0x00 => self.inputs,
            0x04 => self.data,
            0x10 | 0x14 => self.outputs,
            0x18 | 0x1c => self.alternate,
            0x20 | 0x24 => self.enabled,
            0x28 | 0x2c => self.by_edge,
            0x30 | 0x34 => self.rising,
            0x38 => self.seen,
            // Bits 2 to 9 of the address choose the pins of a byte.
            0x400..=0x7ff => self.inputs & offset >> 2 & 0xff,
            0x800..=0xbff => self.inputs & (offset >> 2 & 0xff) << 8,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32) {
        let value = value & self.pins;
        match offset {
            0x00 | 0x04 => self.data = value,
            0x10 => self.outputs |= value,
            0x14 => self.outputs &= !value,
            0x18 => self.alternate |= value,
            0x1c => self.alternate &= !value,
            0x20 => self.enabled |= value,
            0x24 => self.enabled &= !value,
            0x28 => self.by_edge |= value,
            0x2c => self.by_edge &= !value,
            0x30 => self.rising |= value,
            0x34 => self.rising &= !value,
            0x38 => self.seen &= !value,
            0x400..=0x7ff => self.write_masked(offset >> 2 & 0xff, value),
            0x800..=0xbff => self.write_masked((offset >> 2 & 0xff) << 8, value),
            _ => {}
        }
    }

    fn write_masked(&mut self, mask: u32, value: u32) {
        self.data = self.data & !mask | value & mask;
    }
}
