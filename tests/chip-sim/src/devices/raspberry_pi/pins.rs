//! Pins of RP2040 and RP2350, and their edges (RP2040 data sheet, 2.3.1.7 and 2.19; RP2350 data sheet, 3.1.11 and chapter 9). A pin has the level
//! that something drives it to, or else that of its output, or of its resistor. The program sees it while the input of its pad is on and the
//! pad not isolated. IO_BANK0 and PADS_BANK0 ignore writes while they are held in reset. An edge is remembered whether it interrupts or not.

use crate::wiring::Levels;

/// The differences between the chips.
struct Layout {
    /// The bits of IO_BANK0 and PADS_BANK0 in RESETS.
    resets: [u32; 2],
    bank: u32,
    pads: u32,
    /// What a pad contains after a reset.
    pad: u32,
    /// The offsets of INTR, PROC0_INTE and PROC0_INTS in IO_BANK0.
    seen: u32,
    enabled: u32,
    pending: u32,
    interrupt: u32,
    /// The registers of SIO that set and clear levels and outputs.
    output: [u32; 4],
}

pub(super) struct Pins {
    layout: Layout,
    levels: Levels,
    functions: [u32; PINS],
    pads: [u32; PINS],
    out: u32,
    outputs: u32,
    /// The levels as the edges see them, the edges that have come, and those that interrupt: bit 0 of each falling, bit 1 rising.
    before: u32,
    edges: [u32; PINS],
    enabled: [u32; PINS],
}

const PINS: usize = 30;
const INPUT: u32 = 0xd000_0004;
/// The function of a pin that SIO drives.
const BY_PROGRAM: u32 = 5;

impl Pins {
    pub(super) fn rp2040(levels: Levels) -> Pins {
        let layout = Layout {
            resets: [5, 8],
            bank: 0x4001_4000,
            pads: 0x4001_c000,
            pad: 0x56,
            seen: 0xf0,
            enabled: 0x100,
            pending: 0x120,
            interrupt: 13,
            output: [0xd000_0014, 0xd000_0018, 0xd000_0024, 0xd000_0028],
        };
        Pins::new(layout, levels)
    }

    pub(super) fn rp2350(levels: Levels) -> Pins {
        let layout = Layout {
            resets: [6, 9],
            bank: 0x4002_8000,
            pads: 0x4003_8000,
            pad: 0x116,
            seen: 0x230,
            enabled: 0x248,
            pending: 0x278,
            interrupt: 21,
            output: [0xd000_0018, 0xd000_0020, 0xd000_0038, 0xd000_0040],
        };
        Pins::new(layout, levels)
    }

    fn new(layout: Layout, levels: Levels) -> Pins {
        let pads = [layout.pad; PINS];
        Pins {
            layout,
            levels,
            functions: [31; PINS],
            pads,
            out: 0,
            outputs: 0,
            before: 0,
            edges: [0; PINS],
            enabled: [0; PINS],
        }
    }

    /// What the program sees of a pin.
    fn is_high(&self, number: usize) -> bool {
        let (pad, port) = (self.pads[number], number as u32);
        let is_visible = pad & 0x140 == 0x40;
        let is_output = self.outputs >> number & 1 == 1 && self.functions[number] == BY_PROGRAM && pad & 0x80 == 0;
        let own = if is_output { self.out >> number & 1 == 1 } else { pad & 8 != 0 };
        is_visible && self.levels.borrow().get(&(0, port)).copied().unwrap_or(own)
    }

    fn bits(&self) -> u32 {
        (0..PINS).filter(|number| self.is_high(*number)).fold(0, |bits, number| bits | 1 << number)
    }

    /// Compares the levels with those before.
    fn observe(&mut self, reset: u32) {
        let now = self.bits();
        if reset >> self.layout.resets[0] & 1 == 0 {
            for number in 0..PINS {
                let (fallen, risen) = (self.before & !now, now & !self.before);
                self.edges[number] |= fallen >> number & 1 | (risen >> number & 1) << 1;
            }
        }
        self.before = now;
    }

    /// Four bits for each of eight pins: of which the upper two are edges.
    fn eight(&self, register: u32, of: impl Fn(usize) -> u32) -> u32 {
        let first = register as usize * 8;
        (first..PINS.min(first + 8)).fold(0, |word, number| word | of(number) << 2 << (number % 8 * 4))
    }

    pub(super) fn lines(&mut self, reset: u32) -> u128 {
        self.observe(reset);
        let is_asserted = (0..PINS).any(|number| self.edges[number] & self.enabled[number] != 0);
        u128::from(is_asserted) << self.layout.interrupt
    }

    pub(super) fn read(&mut self, address: u32, reset: u32) -> Option<u32> {
        self.observe(reset);
        if address == INPUT {
            return Some(self.bits());
        }
        let offset = address.checked_sub(self.layout.bank).filter(|_| reset >> self.layout.resets[0] & 1 == 0)?;
        let of = |first: u32| offset.checked_sub(first).filter(|rest| *rest < 16).map(|rest| rest / 4);
        let seen = of(self.layout.seen).map(|register| self.eight(register, |number| self.edges[number]));
        let enabled = || of(self.layout.enabled).map(|register| self.eight(register, |number| self.enabled[number]));
        let both = |number: usize| self.edges[number] & self.enabled[number];
        let pending = || of(self.layout.pending).map(|register| self.eight(register, both));
        seen.or_else(enabled).or_else(pending)
    }

    pub(super) fn write(&mut self, address: u32, value: u32, reset: u32) {
        self.observe(reset);
        let [set, clear, connect, disconnect] = self.layout.output;
        match address {
            _ if address == set => self.out |= value,
            _ if address == clear => self.out &= !value,
            _ if address == connect => self.outputs |= value,
            _ if address == disconnect => self.outputs &= !value,
            _ => {}
        }
        let place =
            |base: u32, bit: u32| address.checked_sub(base).filter(|offset| *offset < 0x1000 && reset >> bit & 1 == 0);
        if let Some(offset) = place(self.layout.pads, self.layout.resets[1]) {
            let number = (offset as usize / 4).checked_sub(1);
            if let Some(pad) = number.and_then(|number| self.pads.get_mut(number)) {
                *pad = value;
            }
        }
        if let Some(offset) = place(self.layout.bank, self.layout.resets[0]) {
            self.write_bank(offset, value);
        }
        self.observe(reset);
    }

    fn write_bank(&mut self, offset: u32, value: u32) {
        if offset < 8 * PINS as u32 {
            if offset % 8 == 4 {
                self.functions[offset as usize / 8] = value & 0x1f;
            }
            return;
        }
        let of = |first: u32| offset.checked_sub(first).filter(|rest| *rest < 16).map(|rest| rest as usize / 4 * 8);
        let bits = |number: usize| value >> (number % 8 * 4) >> 2 & 3;
        if let Some(first) = of(self.layout.seen) {
            // Writing one clears an edge.
            (first..PINS.min(first + 8)).for_each(|number| self.edges[number] &= !bits(number));
        }
        if let Some(first) = of(self.layout.enabled) {
            (first..PINS.min(first + 8)).for_each(|number| self.enabled[number] = bits(number));
        }
    }
}
