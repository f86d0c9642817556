//! The random bit of the ring oscillator of RP2040 (RP2040 data sheet, 2.17 and 2.15), and the TRNG of RP2350 (RP2350 data sheet, 12.12).
//!
//! A random bit is more often one than zero, and that of 5 us ago if it is read sooner. It is always one while the oscillator is off, or
//! while the core runs from it.
//!
//! The TRNG is held in reset until the program releases it. A collection takes the more cycles the larger the count of samples is; in some
//! its tests fail, and after that it collects nothing until it was reset.

use super::{Generator, Noise};
use crate::devices::written;

/// The ring oscillator.
pub(crate) struct Rp2040 {
    noise: Noise,
    core: u64,
    is_on: bool,
    /// CLK_REF_CTRL and CLK_SYS_CTRL.
    reference: u32,
    system: u32,
    /// The bit, and when it was read.
    bit: u32,
    read: Option<u64>,
}

const OSCILLATOR: u32 = 0x4006_0000;

impl Rp2040 {
    pub(crate) fn new(core: u64, is_silent: bool) -> Rp2040 {
        Rp2040 { noise: Noise::new(is_silent), core, is_on: true, reference: 0, system: 0, bit: 1, read: None }
    }

    fn bit(&mut self, now: u64) -> u32 {
        // The core runs from it as the reference clock, or as an auxiliary one.
        let is_own_clock = if self.system & 1 == 0 { self.reference & 3 == 0 } else { self.system >> 5 & 7 == 2 };
        if !self.is_on || is_own_clock || self.noise.is_silent {
            return 1;
        }
        let is_early = self.read.is_some_and(|read| now < read + self.core * 5 / 1_000_000);
        if !is_early {
            self.bit = u32::from(self.noise.word() % 10 < 7);
            self.read = Some(now);
        }
        self.bit
    }
}

impl Generator for Rp2040 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        match address.checked_sub(OSCILLATOR)? {
            0x18 => Some(u32::from(self.is_on) * (1 << 31 | 1 << 12)),
            0x1c => Some(self.bit(now)),
            _ => None,
        }
    }

    fn write(&mut self, address: u32, value: u32, _: u64) {
        match address {
            OSCILLATOR => self.is_on = value >> 12 == 0xfab,
            0x4000_8030 => self.reference = value,
            0x4000_803c => self.system = value,
            // Addresses that clear bits (2.1.2).
            0x4000_b03c => self.system &= !value,
            _ => {}
        }
    }
}

/// The TRNG.
pub(crate) struct Rp2350 {
    noise: Noise,
    is_held: bool,
    samples: u32,
    bypassed: u32,
    /// When a collection is complete, if there is one.
    ready: Option<u64>,
    /// Interrupts that the program has not cleared.
    flags: u32,
    count: u32,
    words: [u32; 6],
}

const TRNG: u32 = 0x400f_0000;
const VALID: u32 = 1;
const DEPENDENT: u32 = 2;

impl Rp2350 {
    pub(crate) fn new(is_silent: bool) -> Rp2350 {
        let noise = Noise::new(is_silent);
        let (samples, words) = (0xffff, [0; 6]);
        Rp2350 { noise, is_held: true, samples, bypassed: 0, ready: None, flags: 0, count: 0, words }
    }

    fn advance(&mut self, now: u64) {
        if self.ready.is_none_or(|ready| ready > now) {
            return;
        }
        self.ready = None;
        self.count += 1;
        if self.noise.is_silent || self.samples < 20 || self.bypassed != 0 || self.count.is_multiple_of(3) {
            self.flags |= DEPENDENT;
        } else {
            self.flags |= VALID;
            self.words = std::array::from_fn(|_| self.noise.word());
        }
    }
}

impl Generator for Rp2350 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let offset = address.checked_sub(TRNG).filter(|offset| *offset < 0x1000)?;
        if self.is_held {
            return Some(0);
        }
        self.advance(now);
        Some(match offset {
            0x104 => self.flags,
            0x110 => self.flags & VALID,
            0x114..0x12c => self.words[(offset - 0x114) as usize / 4],
            0x130 => self.samples,
            0x138 => self.bypassed,
            0x1b8 => u32::from(self.ready.is_some()),
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        if address & !0x3000 == 0x4002_0000 {
            self.is_held = written(u32::from(self.is_held) << 25, address, value) >> 25 & 1 == 1;
            if self.is_held {
                *self =
                    Rp2350 { is_held: true, count: self.count, noise: Noise { ..self.noise }, ..Rp2350::new(false) };
            }
        }
        let Some(offset) = address.checked_sub(TRNG).filter(|_| !self.is_held) else { return };
        self.advance(now);
        match offset {
            // A failed test stops it, and only a reset clears its flag.
            0x108 => self.flags &= !value | DEPENDENT,
            // Each of 192 bits takes four samples, on average.
            0x12c if value & 1 == 1 && self.flags & DEPENDENT == 0 => {
                self.ready = Some(now + 192 * 4 * u64::from(self.samples.max(1)));
            }
            0x12c => self.ready = None,
            0x130 => self.samples = value,
            0x138 => self.bypassed = value,
            0x140 if value & 1 == 1 => (self.ready, self.flags, self.samples) = (None, 0, 0xffff),
            _ => {}
        }
    }
}
