//! The pins of I2C0 of RP2040 and RP2350: of each four the first is that of the data, and the second that of the clock (RP2040 data sheet,
//! 2.19.2; RP2350 data sheet, 9.4). A pin belongs to the controller by its function, with its input on and its pad not isolated.

use crate::wiring::Pin;

/// Where the registers are.
struct Layout {
    bank: u32,
    pads: u32,
    /// What a pad contains after a reset.
    pad: u32,
    /// The registers of SIO that make pins outputs and inputs.
    directions: [u32; 2],
}

pub(super) struct Pins {
    layout: Layout,
    functions: [u32; PINS],
    pads: [u32; PINS],
    outputs: u32,
}

const PINS: usize = 30;
const BY_PROGRAM: u32 = 5;
const BY_CONTROLLER: u32 = 3;

impl Pins {
    pub(super) fn rp2040() -> Pins {
        let directions = [0xd000_0024, 0xd000_0028];
        Pins::new(Layout { bank: 0x4001_4000, pads: 0x4001_c000, pad: 0x56, directions })
    }

    pub(super) fn rp2350() -> Pins {
        let directions = [0xd000_0038, 0xd000_0040];
        Pins::new(Layout { bank: 0x4002_8000, pads: 0x4003_8000, pad: 0x116, directions })
    }

    fn new(layout: Layout) -> Pins {
        let pads = [layout.pad; PINS];
        Pins { layout, functions: [31; PINS], pads, outputs: 0 }
    }

    /// The pins of the clock and the data that are connected.
    pub(super) fn connected(&self) -> Option<[Pin; 2]> {
        let is_shared = |number: usize| self.functions[number] == BY_CONTROLLER && self.pads[number] & 0x1c0 == 0x40;
        let find = |place: usize| (place..PINS).step_by(4).find(|number| is_shared(*number));
        Some([(0, find(1)? as u32), (0, find(0)? as u32)])
    }

    /// The pins that may be that of the data.
    pub(super) fn data() -> impl Iterator<Item = Pin> {
        (0..PINS as u32).step_by(4).map(|number| (0, number))
    }

    /// Sees a write of any register; whether the program has released the clock of the bus.
    pub(super) fn write(&mut self, address: u32, value: u32) -> bool {
        let place = |base: u32| address.checked_sub(base).map(|offset| offset as usize / 4);
        if let Some(place) = place(self.layout.bank)
            && place % 2 == 1
            && let Some(function) = self.functions.get_mut(place / 2)
        {
            *function = value & 0x1f;
        }
        let number = place(self.layout.pads).and_then(|place| place.checked_sub(1));
        if let Some(pad) = number.and_then(|number| self.pads.get_mut(number)) {
            *pad = value;
        }
        let [set, clear] = self.layout.directions;
        let before = self.outputs;
        if address == set {
            self.outputs |= value;
        }
        if address == clear {
            self.outputs &= !value;
        }
        let released = before & !self.outputs;
        (1..PINS).step_by(4).any(|number| self.functions[number] == BY_PROGRAM && released >> number & 1 == 1)
    }
}
