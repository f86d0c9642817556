//! The configuration of the pins of RP2040 and RP2350 (RP2040 data sheet, 2.19 and 2.3.1.7; RP2350 data sheet, 9 and 3.1.11). A pin belongs
//! to a device by its function, with its input on and its pad not isolated.

use super::{Connection, Pins};
use crate::{devices::written, wiring::Pin};

/// Where the registers are.
struct Layout {
    bank: u32,
    pads: u32,
    /// What a pad contains after a reset.
    pad: u32,
    /// The registers of SIO that set and clear levels, and make pins outputs and inputs.
    output: [u32; 4],
}

pub(crate) struct RaspberryPi {
    layout: Layout,
    functions: [u32; PINS],
    pads: [u32; PINS],
    levels: u32,
    outputs: u32,
}

/// The number of pins.
pub(crate) const PINS: usize = 30;
/// The function of a pin that SIO drives.
pub(crate) const BY_PROGRAM: u32 = 5;

impl RaspberryPi {
    pub(crate) fn rp2040() -> RaspberryPi {
        let output = [0xd000_0014, 0xd000_0018, 0xd000_0024, 0xd000_0028];
        RaspberryPi::new(Layout { bank: 0x4001_4000, pads: 0x4001_c000, pad: 0x56, output })
    }

    pub(crate) fn rp2350() -> RaspberryPi {
        let output = [0xd000_0018, 0xd000_0020, 0xd000_0038, 0xd000_0040];
        RaspberryPi::new(Layout { bank: 0x4002_8000, pads: 0x4003_8000, pad: 0x116, output })
    }

    fn new(layout: Layout) -> RaspberryPi {
        let pads = [layout.pad; PINS];
        RaspberryPi { layout, functions: [31; PINS], pads, levels: 0, outputs: 0 }
    }

    /// The pins that SIO makes outputs, each a bit by its number, and the function of a pin.
    pub(crate) fn outputs(&self) -> u32 {
        self.outputs
    }

    pub(crate) fn function(&self, number: usize) -> u32 {
        self.functions[number]
    }

    fn write_bank(&mut self, address: u32, value: u32) {
        let offset = (address & 0xfff) as usize;
        if offset % 8 == 4
            && let Some(function) = self.functions.get_mut(offset / 8)
        {
            *function = written(*function, address, value) & 0x1f;
        }
    }

    fn write_pads(&mut self, address: u32, value: u32) {
        let number = ((address & 0xfff) as usize / 4).checked_sub(1);
        if let Some(pad) = number.and_then(|number| self.pads.get_mut(number)) {
            *pad = written(*pad, address, value);
        }
    }
}

impl Pins for RaspberryPi {
    fn write(&mut self, address: u32, value: u32) {
        let [set, clear, connect, disconnect] = self.layout.output;
        match address {
            _ if address & !0x3fff == self.layout.bank => self.write_bank(address, value),
            _ if address & !0x3fff == self.layout.pads => self.write_pads(address, value),
            _ if address == set => self.levels |= value,
            _ if address == clear => self.levels &= !value,
            _ if address == connect => self.outputs |= value,
            _ if address == disconnect => self.outputs &= !value,
            _ => {}
        }
    }

    fn connection(&self, (_, number): Pin) -> Connection {
        let pad = self.pads.get(number as usize).copied().unwrap_or(0x100);
        // Isolated, the output off, the input on.
        match self.functions.get(number as usize).copied() {
            Some(BY_PROGRAM) if pad & 0x180 == 0 && self.outputs >> number & 1 == 1 => {
                Connection::Output(self.levels >> number & 1 == 1)
            }
            Some(BY_PROGRAM) => Connection::Input,
            Some(function) if pad & 0x1c0 == 0x40 => Connection::Device(function),
            Some(_) | None => Connection::Nothing,
        }
    }
}
