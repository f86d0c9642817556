//! A port of the LM3S6965, a PL061 with control of its pads (LM3S6965 data sheet, chapter 8).

use crate::wiring::Pin;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Port {
    data: u32,
    direction: u32,
    /// GPIOIS, GPIOIBE, GPIOIEV and GPIOIM, and GPIORIS.
    is_level: u32,
    both: u32,
    rising: u32,
    mask: u32,
    seen: u32,
    /// GPIOAFSEL, GPIOODR, GPIOPUR, GPIOPDR and GPIODEN.
    function: u32,
    open_drain: u32,
    up: u32,
    down: u32,
    digital: u32,
    /// The inputs at the last look.
    inputs: u32,
}

/// The pins of a port.
const PINS: u32 = 8;

impl Port {
    /// Whether a pin is high: as an output, as something drives it, by its resistor, or by that of whatever is at it.
    pub(super) fn level(&self, pin: Pin, levels: &BTreeMap<Pin, bool>) -> bool {
        let is = |register: u32| register >> pin.1 & 1 == 1;
        let drives = is(self.digital) && is(self.direction) && !is(self.function);
        if drives && !(is(self.open_drain) && is(self.data)) {
            return is(self.data);
        }
        levels.get(&pin).copied().unwrap_or(is(self.up) || !is(self.down))
    }

    /// Looks at the pins, for edges that the port watches (8.2.2).
    pub(super) fn observe(&mut self, index: u32, levels: &BTreeMap<Pin, bool>) {
        let is_high = |number: &u32| self.digital >> number & 1 == 1 && self.level((index, *number), levels);
        let inputs = (0..PINS).filter(is_high).fold(0, |bits, number| bits | 1 << number);
        let (risen, fallen) = (inputs & !self.inputs, self.inputs & !inputs);
        let by_edge = (risen & (self.both | self.rising)) | (fallen & (self.both | !self.rising));
        // A level is seen as long as it lasts.
        let by_level = !(inputs ^ self.rising) & 0xff;
        self.seen = (self.seen | by_edge) & !self.is_level | by_level & self.is_level;
        self.inputs = inputs;
    }

    pub(super) fn interrupts(&self) -> bool {
        self.seen & self.mask != 0
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            // Bits 2 to 9 of the address choose the pins.
            0x000..=0x3ff => self.inputs & offset >> 2,
            0x400 => self.direction,
            0x404 => self.is_level,
            0x408 => self.both,
            0x40c => self.rising,
            0x410 => self.mask,
            0x414 => self.seen,
            0x418 => self.seen & self.mask,
            0x420 => self.function,
            0x50c => self.open_drain,
            0x510 => self.up,
            0x514 => self.down,
            0x51c => self.digital,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32) {
        let value = value & 0xff;
        match offset {
            0x000..=0x3ff => self.data = self.data & !(offset >> 2) | value & offset >> 2,
            0x400 => self.direction = value,
            0x404 => self.is_level = value,
            0x408 => self.both = value,
            0x40c => self.rising = value,
            0x410 => self.mask = value,
            0x41c => self.seen &= !value,
            0x420 => self.function = value,
            0x50c => self.open_drain = value,
            // Each resistor excludes the other one.
            0x510 => (self.up, self.down) = (value, self.down & !value),
            0x514 => (self.up, self.down) = (self.up & !value, value),
            0x51c => self.digital = value,
            _ => {}
        }
    }
}
