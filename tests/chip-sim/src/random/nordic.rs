//! The generator of nRF51 and nRF52 (nRF51 Series Reference Manual, chapter 21; nRF52833 Product Specification, "RNG").
//!
//! It makes a byte in about 677 us with bias correction, and 167 us without, and goes on until it is stopped.

use super::{Generator, Noise};

pub(crate) struct Nordic {
    core: u64,
    noise: Noise,
    is_balanced: bool,
    /// When the next byte is ready, if it runs.
    ready: Option<u64>,
    has_byte: bool,
    byte: u32,
}

const BASE: u32 = 0x4000_d000;

impl Nordic {
    pub(crate) fn new(core: u64, is_silent: bool) -> Nordic {
        Nordic { core, noise: Noise::new(is_silent), is_balanced: false, ready: None, has_byte: false, byte: 0 }
    }

    fn next(&self, now: u64) -> u64 {
        now + self.core * if self.is_balanced { 677 } else { 167 } / 1_000_000
    }
}

impl Generator for Nordic {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if !self.noise.is_silent && self.ready.is_some_and(|ready| ready <= now) {
            self.has_byte = true;
            // Without correction there are more ones.
            self.byte = (self.noise.word() | if self.is_balanced { 0 } else { self.noise.word() }) & 0xff;
            self.ready = Some(self.next(now));
        }
        match address.checked_sub(BASE)? {
            0x100 => Some(u32::from(self.has_byte)),
            0x504 => Some(u32::from(self.is_balanced)),
            0x508 => Some(self.byte),
            _ => None,
        }
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        match address.wrapping_sub(BASE) {
            0x000 if value == 1 => self.ready = Some(self.next(now)),
            0x004 if value == 1 => self.ready = None,
            0x100 => self.has_byte = value == 1,
            0x504 => self.is_balanced = value & 1 == 1,
            _ => {}
        }
    }
}
