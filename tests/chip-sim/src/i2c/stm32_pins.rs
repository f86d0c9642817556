//! The pins of I2C1 of STM32: PB6 or PB8 is the clock, PB7 or PB9 the data (RM0008, 9.1.11 and 9.3.9; data sheets of STM32F4 and L5,
//! "Alternate function mapping": 4). A pin belongs to the controller as an open drain only.

use crate::wiring::Pin;
use std::collections::BTreeMap;

/// Where the registers of port B are.
struct Layout {
    port: u32,
    /// The register that sets and clears outputs.
    change: u32,
    /// What enables the clock of the port.
    clock: (u32, u32),
    /// Whether four bits of a register configure a pin, as on an F1.
    is_f1: bool,
}

pub(super) struct Pins {
    layout: Layout,
    registers: BTreeMap<u32, u32>,
}

/// Those of the clock, and those of the data.
const CLOCKS: [u32; 2] = [6, 8];
const DATA: [u32; 2] = [7, 9];
const B: u32 = 1;

impl Pins {
    pub(super) fn f1() -> Pins {
        Pins::new(Layout { port: 0x4001_0c00, change: 0x10, clock: (0x4002_1018, 3), is_f1: true })
    }

    pub(super) fn f4() -> Pins {
        Pins::new(Layout { port: 0x4002_0400, change: 0x18, clock: (0x4002_3830, 1), is_f1: false })
    }

    pub(super) fn l5() -> Pins {
        Pins::new(Layout { port: 0x4202_0400, change: 0x18, clock: (0x4002_104c, 1), is_f1: false })
    }

    fn new(layout: Layout) -> Pins {
        Pins { layout, registers: BTreeMap::new() }
    }

    fn get(&self, address: u32) -> u32 {
        self.registers.get(&address).copied().unwrap_or_default()
    }

    fn of_port(&self, offset: u32) -> u32 {
        self.get(self.layout.port + offset)
    }

    /// The four bits of a pin that an F1 has: its mode and its speed.
    fn configuration(&self, number: u32) -> u32 {
        self.of_port(number / 8 * 4) >> (number % 8 * 4) & 0xf
    }

    fn mode(&self, number: u32) -> u32 {
        self.of_port(0) >> (number * 2) & 3
    }

    fn is_output(&self, number: u32) -> bool {
        if self.layout.is_f1 {
            let configuration = self.configuration(number);
            configuration & 3 != 0 && configuration & 8 == 0
        } else {
            self.mode(number) == 1
        }
    }

    /// Whether a pin is an open drain that the controller drives.
    fn is_shared(&self, number: u32) -> bool {
        if self.layout.is_f1 {
            let configuration = self.configuration(number);
            // They are not remapped.
            return configuration & 3 != 0 && configuration & 0xc == 0xc && number < 8;
        }
        let function = self.of_port(0x20 + number / 8 * 4) >> (number % 8 * 4) & 0xf;
        self.mode(number) == 2 && function == 4 && self.of_port(4) >> number & 1 == 1
    }

    /// The pins of the clock and the data that are connected.
    pub(super) fn connected(&self) -> Option<[Pin; 2]> {
        let find = |numbers: [u32; 2]| numbers.into_iter().find(|number| self.is_shared(*number));
        Some([(B, find(CLOCKS)?), (B, find(DATA)?)])
    }

    /// The pins that may be that of the data.
    pub(super) fn data() -> [Pin; 2] {
        DATA.map(|number| (B, number))
    }

    /// Sees a write of any register; whether the program has raised the clock of the bus.
    pub(super) fn write(&mut self, address: u32, value: u32) -> bool {
        let (clocks, bit) = self.layout.clock;
        if address == clocks {
            self.registers.insert(address, value);
            return false;
        }
        let offset = address.wrapping_sub(self.layout.port);
        if offset >= 0x400 || self.get(clocks) >> bit & 1 == 0 {
            return false;
        }
        if offset != self.layout.change {
            self.registers.insert(address, value);
            return false;
        }
        let before = self.get(address);
        let after = before & !(value >> 16) | value & 0xffff;
        self.registers.insert(address, after);
        CLOCKS.into_iter().any(|number| self.is_output(number) && (after & !before) >> number & 1 == 1)
    }
}
