//! The configuration of the pins of the headers of MPS2 boards, at ports of the Cortex-M System Design Kit (Cortex-M System Design Kit Technical
//! Reference Manual, Arm DDI 0479, "AHB GPIO"): a pin belongs to the program, or by its bit of ALTFUNCSET to a device.

use super::{Connection, Pins};
use crate::{bus::Mps2Image, wiring::Pin};

/// The function of pins that belong to a device.
pub(crate) const ALTERNATE: u32 = 1;

/// The index of the first port, after the lights and the buttons of the board.
pub(crate) const HEADERS: u32 = 2;

pub(crate) struct Mps2 {
    /// The first register of the first port.
    base: u32,
    ports: [Port; 4],
}

#[derive(Clone, Copy, Default)]
struct Port {
    data: u32,
    outputs: u32,
    alternate: u32,
}

impl Mps2 {
    pub(crate) fn new(image: Mps2Image) -> Mps2 {
        let base = match image {
            Mps2Image::An385 => 0x4001_0000,
            Mps2Image::An505 => 0x5010_0000,
        };
        Mps2 { base, ports: [Port::default(); 4] }
    }
}

impl Pins for Mps2 {
    fn write(&mut self, address: u32, value: u32) {
        let Some(offset) = address.checked_sub(self.base) else { return };
        let Some(port) = self.ports.get_mut((offset / 0x1000) as usize) else { return };
        let masked = |data: u32, mask: u32| data & !mask | value & mask;
        match offset & 0xfff {
            0x00 | 0x04 => port.data = value,
            0x10 => port.outputs |= value,
            0x14 => port.outputs &= !value,
            0x18 => port.alternate |= value,
            0x1c => port.alternate &= !value,
            // Bits 2 to 9 of the address choose the pins of a byte.
            offset @ 0x400..=0x7ff => port.data = masked(port.data, offset >> 2 & 0xff),
            offset @ 0x800..=0xbff => port.data = masked(port.data, (offset >> 2 & 0xff) << 8),
            _ => {}
        }
    }

    fn connection(&self, (index, number): Pin) -> Connection {
        let port = index.checked_sub(HEADERS).and_then(|index| self.ports.get(index as usize));
        let Some(port) = port else { return Connection::Nothing };
        let is = |register: u32| register >> number & 1 == 1;
        if is(port.alternate) {
            Connection::Device(ALTERNATE)
        } else if is(port.outputs) {
            Connection::Output(is(port.data))
        } else {
            Connection::Input
        }
    }
}
