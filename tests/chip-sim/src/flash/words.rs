//! Controllers that let programs write words of flash themselves (nRF51 Reference Manual, 6; nRF52833 and nRF9160 Product Specifications,
//! "NVMC"; PM0075; RM0090, 3; RM0438, 6).
//!
//! Writing clears bits only; what the controller does not allow has no effect.

use super::pages::Pages;

/// A controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    kind: Kind,
    /// The control register, and what else the controller knows.
    control: u32,
    keys: u32,
    address: u32,
    /// The first half of a double word.
    half: Option<(u32, u32)>,
    /// The flag of a double word with an error that cannot be corrected.
    is_wrong: bool,
}

/// The kinds of controllers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Nordic,
    Nrf91,
    Stm32F1,
    Stm32F4,
    Stm32L5,
}

/// The bits of control registers: writing, erasing a page, starting that, and the lock.
const PROGRAM: u32 = 1;
const ERASE: u32 = 2;
const START_F1: u32 = 1 << 6;
const LOCK_F1: u32 = 1 << 7;
const START: u32 = 1 << 16;
const LOCK: u32 = 1 << 31;
/// The bit of the second bank.
const BANK_L5: u32 = 1 << 11;
/// The keys that open the lock, in this order.
const KEYS: [u32; 2] = [0x4567_0123, 0xcdef_89ab];

/// The option DBANK, and the size of flash in kibibytes.
const OPTIONS_L5: u32 = 1 << 22;
const SIZE_L5: u32 = 512;

impl Words {
    /// The controller after a reset.
    pub(super) fn new(kind: Kind) -> Words {
        let control = match kind {
            Kind::Nordic | Kind::Nrf91 => 0,
            Kind::Stm32F1 => LOCK_F1,
            Kind::Stm32F4 | Kind::Stm32L5 => LOCK,
        };
        Words { kind, control, keys: 0, address: 0, half: None, is_wrong: false }
    }

    pub(super) fn restarted(self) -> Words {
        Words::new(self.kind)
    }

    /// Sees that something is read. Flash of an STM32L5 has a code for each double word, which finds errors.
    pub(super) fn sees_read(&mut self, pages: &Pages, address: u32) {
        self.is_wrong |= self.kind == Kind::Stm32L5 && pages.is_torn(address);
    }

    /// Whether an error is flagged, which interrupts the processor.
    pub(super) fn is_wrong(&self) -> bool {
        self.is_wrong
    }

    /// Writes to a page, if the address is in one.
    pub(super) fn write(&mut self, pages: &mut Pages, address: u32, size: usize, value: u32, now: u64) -> Option<()> {
        let present = pages.read(address, size)?;
        if (self.kind, self.control, size, value) == (Kind::Nrf91, ERASE, 4, u32::MAX) {
            // Only a write to the first word of a page erases it.
            if address.is_multiple_of(pages.page()) {
                pages.erase(address, now);
            }
            return Some(());
        }
        let is_allowed = self.control & (PROGRAM | ERASE) == PROGRAM && address.is_multiple_of(size as u32);
        let is_allowed = is_allowed
            && match self.kind {
                Kind::Nordic | Kind::Nrf91 => size == 4,
                // Only what is erased is written.
                Kind::Stm32F1 => size == 2 && self.control & LOCK_F1 == 0 && present == 0xffff,
                Kind::Stm32F4 => size == 4 && self.control & LOCK == 0 && self.control >> 8 & 3 == 2,
                Kind::Stm32L5 => size == 4 && self.control & LOCK == 0,
            };
        if !is_allowed {
            return Some(());
        }
        if self.kind == Kind::Stm32L5 {
            return self.write_half(pages, address, value, now);
        }
        pages.program(address, &value.to_le_bytes()[..size], now)
    }

    /// Writes a double word that is erased, after both of its halves have come.
    fn write_half(&mut self, pages: &mut Pages, address: u32, value: u32, now: u64) -> Option<()> {
        if pages.is_busy(now) {
            return Some(());
        }
        match self.half.take() {
            Some((first, low)) if address == first + 4 => {
                let is_erased = [first, address].iter().all(|word| pages.read(*word, 4) == Some(u32::MAX));
                if is_erased && !pages.is_torn(first) {
                    let both = u64::from(value) << 32 | u64::from(low);
                    pages.program(first, &both.to_le_bytes(), now)?;
                }
            }
            _ if address.is_multiple_of(8) => self.half = Some((address, value)),
            _ => {}
        }
        Some(())
    }

    /// Reads a register.
    pub(super) fn register(&self, pages: &Pages, address: u32, now: u64) -> Option<u32> {
        let is_busy = u32::from(pages.is_busy(now));
        Some(match (self.kind, address) {
            (Kind::Nordic, 0x4001_e400) | (Kind::Nrf91, 0x5003_9400) => 1 - is_busy,
            (Kind::Nordic, 0x4001_e504)
            | (Kind::Nrf91, 0x5003_9504)
            | (Kind::Stm32F1, 0x4002_2010)
            | (Kind::Stm32F4, 0x4002_3c10)
            | (Kind::Stm32L5, 0x4002_2028) => self.control,
            (Kind::Stm32F1, 0x4002_200c) => is_busy,
            (Kind::Stm32F4, 0x4002_3c0c) | (Kind::Stm32L5, 0x4002_2020) => is_busy << 16,
            (Kind::Stm32L5, 0x4002_2030) => u32::from(self.is_wrong) << 31,
            (Kind::Stm32L5, 0x4002_2040) => OPTIONS_L5,
            (Kind::Stm32L5, 0x0bfa_05e0) => SIZE_L5,
            (Kind::Nordic | Kind::Nrf91 | Kind::Stm32F1 | Kind::Stm32F4 | Kind::Stm32L5, _) => return None,
        })
    }

    /// Sees a write of any register.
    pub(super) fn write_register(&mut self, pages: &mut Pages, address: u32, value: u32, now: u64) {
        match (self.kind, address) {
            (Kind::Nordic, 0x4001_e504) | (Kind::Nrf91, 0x5003_9504) => {
                self.control = value & (PROGRAM | ERASE);
            }
            (Kind::Nordic, 0x4001_e508) if self.control == ERASE => drop(pages.erase(value, now)),
            (Kind::Stm32F1, 0x4002_2004) | (Kind::Stm32F4, 0x4002_3c04) | (Kind::Stm32L5, 0x4002_2008) => {
                self.unlock(value);
            }
            (Kind::Stm32F1, 0x4002_2014) => self.address = value,
            (Kind::Stm32F1, 0x4002_2010) => {
                if self.change(value, LOCK_F1) && value & (ERASE | START_F1) == ERASE | START_F1 {
                    pages.erase(self.address, now);
                }
            }
            (Kind::Stm32F4, 0x4002_3c10) => {
                if self.change(value, LOCK) && value & (ERASE | START) == ERASE | START {
                    // The first sectors of 16 and 64 KiB are together as large as one of the others.
                    pages.erase(0x0800_0000 + ((value >> 3 & 0xf) - 4) * 0x2_0000, now);
                }
            }
            (Kind::Stm32L5, 0x4002_2028) if !pages.is_busy(now) => {
                self.half = None;
                if self.change(value, LOCK) && value & (ERASE | START) == ERASE | START {
                    let bank = if value & BANK_L5 == 0 { 0 } else { SIZE_L5 * 512 };
                    pages.erase(0x0800_0000 + bank + (value >> 3 & 0x7f) * 0x800, now);
                }
            }
            (Kind::Stm32L5, 0x4002_2030) => self.is_wrong &= value >> 31 == 0,
            (Kind::Nordic | Kind::Nrf91 | Kind::Stm32F1 | Kind::Stm32F4 | Kind::Stm32L5, _) => {}
        }
    }

    /// Opens the lock when both keys have come.
    fn unlock(&mut self, key: u32) {
        self.keys = if KEYS[self.keys as usize % 2] == key { self.keys + 1 } else { 0 };
        if self.keys == 2 {
            self.keys = 0;
            self.control &= !(LOCK_F1 | LOCK);
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
