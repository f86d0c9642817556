//! The configuration of the pins of STM32F1, F2, F4 and L5 (RM0008, 9; RM0090, 8; RM0438, "General-purpose I/Os"). A port ignores writes
//! without its clock.

use super::{Connection, Pins};
use crate::wiring::Pin;
use std::collections::BTreeMap;

/// Where the registers are.
struct Layout {
    ports: u32,
    /// The offsets of the output, of what sets and clears it, and of what clears it.
    output: u32,
    change: u32,
    clear: Option<u32>,
    /// The register that enables the clocks of the ports, and the bit of the first one.
    clocks: (u32, u32),
    /// AFIO_MAPR of an F1, where four bits of a register configure a pin.
    map: Option<u32>,
}

pub(crate) struct Stm32 {
    layout: Layout,
    enabled: u32,
    registers: BTreeMap<u32, u32>,
}

const PORTS: u32 = 9;
/// The distance of ports.
const SIZE: u32 = 0x400;
/// The bit of the clock of AFIO, in the register of the clocks of ports.
const MAP_CLOCK: u32 = 1;

impl Stm32 {
    pub(crate) fn f1() -> Stm32 {
        Stm32::new(Layout {
            ports: 0x4001_0800,
            output: 0x0c,
            change: 0x10,
            clear: Some(0x14),
            clocks: (0x4002_1018, 2),
            map: Some(0x4001_0004),
        })
    }

    pub(crate) fn f4() -> Stm32 {
        Stm32::new(Layout {
            ports: 0x4002_0000,
            output: 0x14,
            change: 0x18,
            clear: None,
            clocks: (0x4002_3830, 0),
            map: None,
        })
    }

    pub(crate) fn l5() -> Stm32 {
        Stm32::new(Layout {
            ports: 0x4202_0000,
            output: 0x14,
            change: 0x18,
            clear: Some(0x28),
            clocks: (0x4002_104c, 0),
            map: None,
        })
    }

    fn new(layout: Layout) -> Stm32 {
        Stm32 { layout, enabled: 0, registers: BTreeMap::new() }
    }

    fn get(&self, port: u32, offset: u32) -> u32 {
        self.registers.get(&(self.layout.ports + port * SIZE + offset)).copied().unwrap_or_default()
    }

    /// The high outputs of a port, driven or not.
    pub(crate) fn outputs(&self, port: u32) -> u32 {
        self.get(port, self.layout.output)
    }

    /// RM0008, 9.2.1: the mode, and what it means for an input or an output.
    fn connection_of_f1(&self, port: u32, number: u32, is_high: bool) -> Connection {
        if is_of_jtag(port, number) && !frees_jtag(self.remapped()) {
            return Connection::Nothing;
        }
        let reset = 0x4444_4444;
        let register = self.layout.ports + port * SIZE + number / 8 * 4;
        let bits = self.registers.get(&register).copied().unwrap_or(reset) >> (number % 8 * 4) & 0xf;
        match (bits & 3, bits >> 2) {
            (0, 0 | 3) => Connection::Nothing,
            (0, _) => Connection::Input,
            (_, 0 | 1) => Connection::Output(is_high),
            (_, 2) => Connection::Device(0),
            _ => Connection::OpenDrain(0),
        }
    }

    /// Writes a register of a port.
    fn write_port(&mut self, port: u32, offset: u32, value: u32) {
        let Layout { output, change, clear, .. } = self.layout;
        let (low, high) = (value & 0xffff, value >> 16);
        let before = self.outputs(port);
        let (offset, value) = match offset {
            _ if offset == change => (output, before & !high | low),
            _ if Some(offset) == clear => (output, before & !low),
            _ => (offset, value),
        };
        self.registers.insert(self.layout.ports + port * SIZE + offset, value);
    }
}

/// Whether a pin of an F1 belongs to the JTAG debug port until AFIO_MAPR frees it: PA15, PB3 and PB4 (RM0008, 9.3.5).
pub(crate) fn is_of_jtag(port: u32, number: u32) -> bool {
    matches!((port, number), (0, 15) | (1, 3 | 4))
}

/// Whether this content of AFIO_MAPR frees them: the debug port has its two serial pins, or none (RM0008, 9.4.2).
pub(crate) fn frees_jtag(map: u32) -> bool {
    matches!(map >> 24 & 7, 2 | 4)
}

impl Pins for Stm32 {
    fn write(&mut self, address: u32, value: u32) {
        let (clocks, first) = self.layout.clocks;
        if address == clocks {
            self.enabled = value;
        } else if Some(address) == self.layout.map && self.enabled & MAP_CLOCK != 0 {
            self.registers.insert(address, value);
        } else if let Some(offset) = address.checked_sub(self.layout.ports) {
            let port = offset / SIZE;
            if port < PORTS && self.enabled >> (first + port) & 1 == 1 {
                self.write_port(port, offset % SIZE, value);
            }
        }
    }

    fn connection(&self, (port, number): Pin) -> Connection {
        let is_high = self.outputs(port) >> number & 1 == 1;
        if self.layout.map.is_some() {
            return self.connection_of_f1(port, number, is_high);
        }
        let function = self.get(port, 0x20 + number / 8 * 4) >> (number % 8 * 4) & 0xf;
        let is_open_drain = self.get(port, 4) >> number & 1 == 1;
        match self.get(port, 0) >> (number * 2) & 3 {
            0 => Connection::Input,
            1 => Connection::Output(is_high),
            2 if is_open_drain => Connection::OpenDrain(function),
            2 => Connection::Device(function),
            _ => Connection::Nothing,
        }
    }

    fn remapped(&self) -> u32 {
        self.layout.map.and_then(|map| self.registers.get(&map)).copied().unwrap_or_default()
    }
}
