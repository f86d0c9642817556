//! The controller of the flash of KL25, FTFA (KL25 Sub-Family Reference Manual, 17.2.3 and 27): commands, while which nothing is read from
//! the only bank, unless the processor waits for their end (ESFC).
//!
//! - An access before the end of a command in another way ends the program, as does a read of what a cache may have kept.
//! - A command without what it needs sets an error, which keeps further commands from starting.

use super::pages::Pages;

/// The registers, and the control of the memory's cache.
const STATUS: u32 = 0x4002_0000;
const COMMAND: u32 = 0x4002_0004;
const DATA: u32 = 0x4002_0008;
const PLATFORM: u32 = 0xf000_300c;

/// The bits of the status: no command runs, and errors.
const COMPLETE: u8 = 0x80;
const ACCESS_ERROR: u8 = 0x20;
const ERRORS: u8 = 0x70;

/// The bits of the control: empties the cache, does not read ahead, and lets the processor wait.
const EMPTIES: u32 = 1 << 10;
const STALLS: u32 = 1 << 16;

/// The commands that the model knows.
const PROGRAM: u32 = 6;
const ERASE: u32 = 9;

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Kinetis {
    errors: u8,
    command: u32,
    data: u32,
    platform: u32,
    /// Whether the cache may have what was in flash before.
    is_stale: bool,
}

impl Kinetis {
    pub(super) fn read_byte(&self, pages: &Pages, address: u32, now: u64) -> Option<u8> {
        let complete = if pages.is_busy(now) { 0 } else { COMPLETE };
        (address == STATUS).then_some(self.errors | complete)
    }

    pub(super) fn write_byte(&mut self, pages: &mut Pages, address: u32, value: u8, now: u64) -> Option<()> {
        if address != STATUS {
            return None;
        }
        self.errors &= !(value & ERRORS);
        if value & COMPLETE != 0 && self.errors == 0 && !pages.is_busy(now) {
            self.perform(pages, now);
        }
        Some(())
    }

    fn perform(&mut self, pages: &mut Pages, now: u64) {
        let address = self.command & 0xff_ffff;
        let done = match self.command >> 24 {
            PROGRAM if address.is_multiple_of(4) => pages.program(address, &self.data.to_le_bytes(), now),
            ERASE if address.is_multiple_of(4) => pages.erase(address, now),
            _ => None,
        };
        match done {
            Some(()) => self.is_stale = true,
            None => self.errors |= ACCESS_ERROR,
        }
    }

    pub(super) fn register(&self, address: u32) -> Option<u32> {
        match address {
            COMMAND => Some(self.command),
            DATA => Some(self.data),
            PLATFORM => Some(self.platform),
            _ => None,
        }
    }

    /// Writes a register; nothing if it is none of these.
    pub(super) fn write_register(&mut self, pages: &Pages, address: u32, value: u32, now: u64) -> Option<()> {
        match address {
            // They cannot be written while a command runs.
            COMMAND | DATA if pages.is_busy(now) => {}
            COMMAND => self.command = value,
            DATA => self.data = value,
            PLATFORM => {
                self.platform = value & !EMPTIES;
                self.is_stale &= value & EMPTIES == 0;
            }
            _ => return None,
        }
        Some(())
    }

    /// Reads flash: the end of the command for which the processor waits, or why it cannot.
    pub(super) fn reads(&self, pages: &Pages, address: u32, now: u64) -> Result<Option<u64>, &'static str> {
        if pages.is_busy(now) {
            return if self.platform & STALLS != 0 {
                Ok(Some(pages.busy_until()))
            } else {
                Err("flash is read while a command runs")
            };
        }
        if self.is_stale && pages.read(address, 1).is_some() {
            return Err("flash is read from the cache, which has what was there before");
        }
        Ok(None)
    }
}
