//! The controller of the flash of LM3S6965, which writes words and erases pages (LM3S6965 data sheet, chapter 7).
//!
//! Writing clears bits only. What comes without the key, while an operation takes place, or before the controller knows how long a microsecond
//! is, has no effect.

use super::pages::Pages;
use crate::bus::Part;

/// The registers: address, data, control, and the number of cycles in a microsecond, less one.
const ADDRESS: u32 = 0x400f_d000;
const DATA: u32 = 0x400f_d004;
const CONTROL: u32 = 0x400f_d008;
const CYCLES: u32 = 0x400f_e140;

/// The bits of the control that start an operation, and its key.
const WRITE: u32 = 1;
const ERASE: u32 = 2;
const KEY: u32 = 0xa442;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stellaris {
    address: u32,
    data: u32,
    control: u32,
    cycles: u32,
}

impl Default for Stellaris {
    /// The controller after a reset.
    fn default() -> Stellaris {
        Stellaris { address: 0, data: 0, control: 0, cycles: 0x31 }
    }
}

impl Stellaris {
    /// Reads a register.
    pub(super) fn register(&self, pages: &Pages, address: u32, now: u64) -> Option<u32> {
        Some(match address {
            ADDRESS => self.address,
            DATA => self.data,
            CONTROL => self.control * u32::from(pages.is_busy(now)),
            CYCLES => self.cycles,
            _ => return None,
        })
    }

    /// Sees a write of any register.
    pub(super) fn write_register(&mut self, pages: &mut Pages, address: u32, value: u32, now: u64) {
        match address {
            // While it is busy, they must not change.
            _ if pages.is_busy(now) => {}
            ADDRESS => self.address = value,
            DATA => self.data = value,
            CONTROL if value >> 16 == KEY => self.operate(pages, value & 0xffff, now),
            CYCLES => self.cycles = value & 0xff,
            _ => {}
        }
    }

    /// Starts an operation. A word that is not erased has an unpredictable value when it is written.
    fn operate(&mut self, pages: &mut Pages, operation: u32, now: u64) {
        if u64::from(self.cycles) + 1 != Part::Lm3s6965.frequency() / 1_000_000 {
            return;
        }
        let place = self.address & !3;
        let done = match operation {
            ERASE => pages.erase(self.address, now),
            WRITE => {
                let is_erased = pages.read(place, 4) == Some(u32::MAX);
                let word = if is_erased { self.data } else { 0x1234_5678 };
                pages.program(place, &word.to_le_bytes(), now)
            }
            _ => None,
        };
        if done.is_some() {
            self.control = operation;
        }
    }
}
