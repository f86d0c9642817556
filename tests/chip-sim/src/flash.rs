//! Pages of flash that programs erase and write, whose power may fail in between (nRF51 Reference Manual, 6; nRF52833 and nRF9160 Product
//! Specifications, "NVMC"; PM0075; RM0090, 3; LM3S6965 data sheet, chapter 7).
//!
//! Writing clears bits only; what the controller does not allow has no effect. An operation during which power fails has changed some
//! of the bits.

use crate::bus::{Chip, Part, Rated};

/// When power fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Never.
    None,
    /// In the operation after this number of others.
    After(u32),
    /// When a page is erased.
    AtErase,
}

/// The pages and their controller.
#[derive(Clone, Debug)]
pub struct Flash {
    controller: Controller,
    origin: u32,
    page: u32,
    bytes: Vec<u8>,
    failure: Failure,
    has_failed: bool,
    busy_until: u64,
    /// The control register, and what else the controller knows.
    control: u32,
    keys: u32,
    address: u32,
    data: u32,
    /// The number of cycles in a microsecond, less one.
    cycles: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Controller {
    Nordic,
    Nrf91,
    Stm32F1,
    Stm32F4,
    Lm3s6965,
}

/// The bits of control registers: writing, erasing a page, starting that, and the lock.
const PROGRAM: u32 = 1;
const ERASE: u32 = 2;
const START_F1: u32 = 1 << 6;
const LOCK_F1: u32 = 1 << 7;
const START_F4: u32 = 1 << 16;
const LOCK_F4: u32 = 1 << 31;
/// The keys that open the lock, in this order.
const KEYS: [u32; 2] = [0x4567_0123, 0xcdef_89ab];

/// The bits of the control register of LM3S that start an operation, its key, and the number of cycles that it takes for a microsecond after a
/// reset, less one.
const WRITE_LM3S: u32 = 1;
const ERASE_LM3S: u32 = 2;
const KEY_LM3S: u32 = 0xa442;
const CYCLES_LM3S: u32 = 0x31;

/// The time that an operation takes, in cycles; the real ones only take longer.
const DURATION: u64 = 200;

impl Flash {
    /// Erased pages of a chip, if its flash is modelled.
    pub fn new(part: Part, origin: u32, page: u32, pages: u32) -> Option<Flash> {
        let (controller, control) = match part {
            Part::Nrf51 | Part::Nrf52 => (Controller::Nordic, 0),
            Part::Nrf91 => (Controller::Nrf91, 0),
            Part::Stm32(Rated { chip, .. }) => match chip {
                Chip::F103 => (Controller::Stm32F1, LOCK_F1),
                Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => (Controller::Stm32F4, LOCK_F4),
                Chip::L552 => return None,
            },
            Part::Lm3s6965 => (Controller::Lm3s6965, 0),
            Part::Rp2040(_) | Part::Rp2350(_) | Part::Kl25 | Part::Bare(_) => return None,
        };
        Some(Flash {
            controller,
            origin,
            page,
            bytes: vec![0xff; (page * pages) as usize],
            failure: Failure::None,
            has_failed: false,
            busy_until: 0,
            control,
            keys: 0,
            address: 0,
            data: 0,
            cycles: CYCLES_LM3S,
        })
    }

    /// The same pages after a reset of the chip, with another failure.
    pub fn restarted(self, failure: Failure) -> Flash {
        let control = match self.controller {
            Controller::Nordic | Controller::Nrf91 | Controller::Lm3s6965 => 0,
            Controller::Stm32F1 => LOCK_F1,
            Controller::Stm32F4 => LOCK_F4,
        };
        Flash {
            failure,
            has_failed: false,
            busy_until: 0,
            control,
            keys: 0,
            address: 0,
            data: 0,
            cycles: CYCLES_LM3S,
            ..self
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    fn offset(&self, address: u32, size: usize) -> Option<usize> {
        let offset = address.checked_sub(self.origin)? as usize;
        (offset + size <= self.bytes.len()).then_some(offset)
    }

    pub(crate) fn read(&self, address: u32, size: usize) -> Option<u32> {
        let offset = self.offset(address, size)?;
        Some(self.bytes[offset..offset + size].iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    /// Writes to a page, if the address is in one.
    pub(crate) fn write(&mut self, address: u32, size: usize, value: u32, now: u64) -> Option<()> {
        let offset = self.offset(address, size)?;
        let present = self.read(address, size)?;
        if (self.controller, self.control, size, value) == (Controller::Nrf91, ERASE, 4, u32::MAX) {
            // Only a write to the first word of a page erases it.
            if address.is_multiple_of(self.page) {
                self.erase(address, now);
            }
            return Some(());
        }
        let is_allowed = self.control & (PROGRAM | ERASE) == PROGRAM && address.is_multiple_of(size as u32);
        let is_allowed = is_allowed
            && match self.controller {
                Controller::Nordic | Controller::Nrf91 => size == 4,
                // Only what is erased is written.
                Controller::Stm32F1 => size == 2 && self.control & LOCK_F1 == 0 && present == 0xffff,
                Controller::Stm32F4 => size == 4 && self.control & LOCK_F4 == 0 && self.control >> 8 & 3 == 2,
                // Its controller writes.
                Controller::Lm3s6965 => false,
            };
        if is_allowed {
            self.program(offset, size, value, now);
        }
        Some(())
    }

    /// Clears bits, so that bytes have a value.
    fn program(&mut self, offset: usize, size: usize, value: u32, now: u64) {
        if !self.begins(now, false) {
            return;
        }
        let kept = if self.has_failed { 0x5a5a_a5a5 } else { 0 };
        let bytes = value.to_le_bytes().into_iter().zip(u32::to_le_bytes(kept));
        for (byte, (value, kept)) in self.bytes[offset..offset + size].iter_mut().zip(bytes) {
            *byte &= value | kept;
        }
    }

    /// Starts an operation of LM3S, if the controller knows how long a microsecond is. A word that is not erased has an unpredictable value
    /// when it is written.
    fn operate(&mut self, operation: u32, now: u64) {
        if u64::from(self.cycles) + 1 != Part::Lm3s6965.frequency() / 1_000_000 {
            return;
        }
        let offset = self.offset(self.address & !3, 4);
        match (operation, offset) {
            (ERASE_LM3S, _) => self.erase(self.address, now),
            (WRITE_LM3S, Some(offset)) => {
                let is_erased = self.read(self.address & !3, 4) == Some(u32::MAX);
                self.program(offset, 4, if is_erased { self.data } else { 0x1234_5678 }, now);
            }
            _ => {}
        }
        self.control = operation;
    }

    /// Whether an operation takes place, and whether power fails in it.
    fn begins(&mut self, now: u64, erases: bool) -> bool {
        if now < self.busy_until {
            return false;
        }
        self.busy_until = now + DURATION;
        match &mut self.failure {
            Failure::None => {}
            Failure::After(0) => self.has_failed = true,
            Failure::After(left) => *left -= 1,
            Failure::AtErase => self.has_failed = erases,
        }
        true
    }

    fn erase(&mut self, address: u32, now: u64) {
        let Some(offset) = self.offset(address & !(self.page - 1), self.page as usize) else { return };
        if !self.begins(now, true) {
            return;
        }
        let page = &mut self.bytes[offset..offset + self.page as usize];
        if self.has_failed {
            page.iter_mut().enumerate().for_each(|(index, byte)| *byte |= if index % 3 == 0 { 0xff } else { 0x3c });
        } else {
            page.fill(0xff);
        }
    }

    /// Reads a register of the controller.
    pub(crate) fn register(&self, address: u32, now: u64) -> Option<u32> {
        let is_busy = u32::from(now < self.busy_until);
        Some(match (self.controller, address) {
            (Controller::Nordic, 0x4001_e400) | (Controller::Nrf91, 0x5003_9400) => 1 - is_busy,
            (Controller::Nordic, 0x4001_e504)
            | (Controller::Nrf91, 0x5003_9504)
            | (Controller::Stm32F1, 0x4002_2010)
            | (Controller::Stm32F4, 0x4002_3c10) => self.control,
            (Controller::Stm32F1, 0x4002_200c) => is_busy,
            (Controller::Stm32F4, 0x4002_3c0c) => is_busy << 16,
            (Controller::Lm3s6965, 0x400f_d000) => self.address,
            (Controller::Lm3s6965, 0x400f_d004) => self.data,
            (Controller::Lm3s6965, 0x400f_d008) => self.control * is_busy,
            (Controller::Lm3s6965, 0x400f_e140) => self.cycles,
            (
                Controller::Nordic
                | Controller::Nrf91
                | Controller::Stm32F1
                | Controller::Stm32F4
                | Controller::Lm3s6965,
                _,
            ) => return None,
        })
    }

    /// Sees a write of any register.
    pub(crate) fn write_register(&mut self, address: u32, value: u32, now: u64) {
        match (self.controller, address) {
            (Controller::Nordic, 0x4001_e504) | (Controller::Nrf91, 0x5003_9504) => {
                self.control = value & (PROGRAM | ERASE);
            }
            (Controller::Nordic, 0x4001_e508) if self.control == ERASE => self.erase(value, now),
            (Controller::Stm32F1, 0x4002_2004) | (Controller::Stm32F4, 0x4002_3c04) => self.unlock(value),
            (Controller::Stm32F1, 0x4002_2014) => self.address = value,
            (Controller::Stm32F1, 0x4002_2010) => {
                if self.change(value, LOCK_F1) && value & (ERASE | START_F1) == ERASE | START_F1 {
                    self.erase(self.address, now);
                }
            }
            (Controller::Stm32F4, 0x4002_3c10) => {
                if self.change(value, LOCK_F4) && value & (ERASE | START_F4) == ERASE | START_F4 {
                    // The first sectors of 16 and 64 KiB are together as large as one of the others.
                    self.erase(0x0800_0000 + ((value >> 3 & 0xf) - 4) * 0x2_0000, now);
                }
            }
            // While it is busy, they must not change.
            (Controller::Lm3s6965, _) if now < self.busy_until => {}
            (Controller::Lm3s6965, 0x400f_d000) => self.address = value,
            (Controller::Lm3s6965, 0x400f_d004) => self.data = value,
            (Controller::Lm3s6965, 0x400f_d008) if value >> 16 == KEY_LM3S => self.operate(value & 0xffff, now),
            (Controller::Lm3s6965, 0x400f_e140) => self.cycles = value & 0xff,
            (
                Controller::Nordic
                | Controller::Nrf91
                | Controller::Stm32F1
                | Controller::Stm32F4
                | Controller::Lm3s6965,
                _,
            ) => {}
        }
    }

    /// Opens the lock when both keys have come.
    fn unlock(&mut self, key: u32) {
        self.keys = if KEYS[self.keys as usize % 2] == key { self.keys + 1 } else { 0 };
        if self.keys == 2 {
            self.keys = 0;
            self.control &= !(LOCK_F1 | LOCK_F4);
        }
    }

    /// Writes the control register, unless it is locked.
    fn change(&mut self, value: u32, lock: u32) -> bool {
        let is_open = self.control & lock == 0;
        if is_open {
            self.control = value;
        }
        is_open
    }
}
