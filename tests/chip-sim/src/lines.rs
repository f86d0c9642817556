//! What the serial lines of STM32, RP2040 and RP2350 send, and at what rate, by the clocks of the chip (RM0008, 27; RM0090, 30; RM0438,
//! "Low-power universal asynchronous receiver transmitter"; RP2040 data sheet, 4.2; RP2350 data sheet, 12.1). There is always space to send.

use crate::{Chip, Part, Rated, clocks::Shared, wiring::SerialLine};
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

/// The registers of a device that sends.
#[derive(Clone, Copy)]
enum Kind {
    /// A USART with one register for data: F1, F2 and F4.
    Usart,
    /// A low-power UART with the registers of later ones.
    LowPower,
    /// A PL011.
    Pl011,
}

/// The serial lines of a chip.
pub(crate) struct Lines {
    /// The first register of each, its kind, and the bus that it is at.
    devices: &'static [(u32, Kind, usize)],
    shared: Shared,
    line: Rc<RefCell<SerialLine>>,
    registers: BTreeMap<u32, u32>,
}

impl Lines {
    pub(crate) fn new(part: Part, shared: Shared, line: Rc<RefCell<SerialLine>>) -> Lines {
        let devices: &[(u32, Kind, usize)] = match part {
            Part::Rp2040(_) => &[(0x4003_4000, Kind::Pl011, 0), (0x4003_8000, Kind::Pl011, 0)],
            Part::Rp2350(_) => &[(0x4007_0000, Kind::Pl011, 0), (0x4007_8000, Kind::Pl011, 0)],
            Part::Stm32(Rated { chip, .. }) => match chip {
                Chip::F103 => &[(0x4001_3800, Kind::Usart, 1), (0x4000_4400, Kind::Usart, 0)],
                Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => {
                    &[(0x4001_1000, Kind::Usart, 1), (0x4000_4400, Kind::Usart, 0), (0x4001_1400, Kind::Usart, 1)]
                }
                Chip::L552 => &[(0x4000_8000, Kind::LowPower, 0)],
            },
            Part::Nrf51 | Part::Nrf52 | Part::Nrf91 | Part::Kl25 | Part::Bare(_) => &[],
        };
        Lines { devices, shared, line, registers: BTreeMap::new() }
    }

    fn device(&self, address: u32) -> Option<(u32, Kind, usize)> {
        self.devices.iter().copied().find(|(base, ..)| (*base..*base + 0x400).contains(&address))
    }

    /// Reads a register, if it is one of theirs.
    pub(crate) fn read(&self, address: u32) -> Option<u32> {
        let (base, kind, _) = self.device(address)?;
        Some(match (kind, address - base) {
            // There is space, and all is sent.
            (Kind::Usart, 0x00) | (Kind::LowPower, 0x1c) => 0xc0,
            (Kind::Pl011, 0x18) => 0x90,
            _ => self.registers.get(&address).copied().unwrap_or_default(),
        })
    }

    /// Sees a write of any register.
    pub(crate) fn write(&mut self, address: u32, value: u32) {
        let Some((base, kind, bus)) = self.device(address) else { return };
        self.registers.insert(address, value);
        let of = |offset| self.registers.get(&(base + offset)).copied().unwrap_or_default();
        let clock = self.shared.get().buses[bus];
        let (data, is_on, rate) = match kind {
            Kind::Usart => (0x04, of(0x0c) & 0x2008 == 0x2008, clock / u64::from((of(0x08) & 0xffff).max(16))),
            Kind::LowPower => {
                const PRESCALERS: [u64; 12] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];
                let clock = clock / PRESCALERS[(of(0x2c) & 0xf).min(11) as usize];
                // Twenty bits, and not fewer than 0x300.
                let divisor = u64::from(of(0x0c) & 0xf_ffff).max(0x300);
                (0x28, of(0x00) & 9 == 9, clock * 256 / divisor)
            }
            Kind::Pl011 => {
                (0x00, of(0x30) & 0x101 == 0x101, clock * 4 / u64::from((of(0x24) << 6 | of(0x28) & 0x3f).max(64)))
            }
        };
        if address == base + data && is_on {
            let mut line = self.line.borrow_mut();
            line.sent.push(value as u8);
            line.rate = Some(rate);
        }
    }
}
