//! The generator of STM32F2, F4 and L5 (RM0090, 24 and 7.3; RM0438, 9.8 and "True random number generator").
//!
//! It needs its gate and a clock of more than a 16th of that of the bus, from the phase-locked loop or from an oscillator of its own; else
//! it remembers a failure of the clock. It makes a number in 40 periods of that clock, an L5 in 412. The noise fails now and then: an F4
//! goes on after it was turned off and on, an L5 after its conditioning was reset. Some numbers are the same as those before.

use super::{Generator, Noise};
use crate::clocks::Shared;
use std::collections::BTreeMap;

pub(crate) struct Stm32 {
    core: u64,
    shared: Shared,
    chip: Chip,
    noise: Noise,
    registers: BTreeMap<u32, u32>,
    /// When the next number is ready, if it runs.
    ready: Option<u64>,
    /// The flags that stay until the program clears them, and whether the noise fails now.
    remembered: u32,
    has_failed: bool,
    count: u32,
    number: u32,
}

/// The differences between the chips.
struct Chip {
    base: u32,
    /// The register that enables its clock, and the bit.
    gate: (u32, u32),
    /// The periods of its clock that a number takes.
    periods: u64,
    is_l5: bool,
}

/// RCC_CRRCR and RCC_CCIPR1 of the L5.
const RECOVERY: u32 = 0x4002_1098;
const SELECTION: u32 = 0x4002_1088;

/// RNG_CR: whether it is on, and the reset of its conditioning. RNG_SR: the flags of failures now, and those that are remembered.
const ON: u32 = 1 << 2;
const CONDITIONING: u32 = 1 << 30;
const NO_CLOCK: u32 = 1 << 1;
const NO_NOISE: u32 = 1 << 2;
const REMEMBERED: u32 = 4;

impl Stm32 {
    pub(crate) fn f4(core: u64, shared: &Shared, is_silent: bool) -> Stm32 {
        let chip = Chip { base: 0x5006_0800, gate: (0x4002_3834, 6), periods: 40, is_l5: false };
        Stm32::new(core, shared, chip, is_silent)
    }

    pub(crate) fn l5(core: u64, shared: &Shared, is_silent: bool) -> Stm32 {
        let chip = Chip { base: 0x420c_0800, gate: (0x4002_104c, 18), periods: 412, is_l5: true };
        Stm32::new(core, shared, chip, is_silent)
    }

    fn new(core: u64, shared: &Shared, chip: Chip, is_silent: bool) -> Stm32 {
        let (shared, noise, registers) = (shared.clone(), Noise::new(is_silent), BTreeMap::new());
        Stm32 {
            core,
            shared,
            chip,
            noise,
            registers,
            ready: None,
            remembered: 0,
            has_failed: false,
            count: 0,
            number: 0,
        }
    }

    fn get(&self, address: u32) -> u32 {
        self.registers.get(&address).copied().unwrap_or_default()
    }

    /// Whether the program reaches its registers.
    fn has_gate(&self) -> bool {
        let (register, bit) = self.chip.gate;
        self.get(register) >> bit & 1 == 1
    }

    /// Its clock in hertz.
    fn clock(&self) -> u64 {
        if self.chip.is_l5 {
            let is_selected = self.get(SELECTION) >> 26 & 3 == 0;
            return if self.get(RECOVERY) & 1 == 1 && is_selected { 48_000_000 } else { 0 };
        }
        self.shared.get().random
    }

    /// Starts to make a number.
    fn begin(&mut self, now: u64) {
        let clock = self.clock();
        self.ready = None;
        if self.get(self.chip.base) & ON == 0 {
            return;
        }
        if clock <= self.core / 16 {
            self.remembered |= NO_CLOCK << REMEMBERED;
            return;
        }
        self.count += 1;
        if self.noise.is_silent || self.count.is_multiple_of(7) {
            self.has_failed = true;
            self.remembered |= NO_NOISE << REMEMBERED;
        }
        if !self.has_failed {
            self.ready = Some(now + self.core * self.chip.periods / clock);
        }
    }

    fn status(&self, now: u64) -> u32 {
        let is_slow = self.get(self.chip.base) & ON != 0 && self.clock() <= self.core / 16;
        let is_ready = self.ready.is_some_and(|ready| ready <= now);
        u32::from(is_ready)
            | if is_slow { NO_CLOCK } else { 0 }
            | if self.has_failed { NO_NOISE } else { 0 }
            | self.remembered
    }

    /// The number, once.
    fn take(&mut self, now: u64) -> u32 {
        if self.ready.is_none_or(|ready| ready > now) {
            return 0;
        }
        // Now and then it repeats one.
        if !self.count.is_multiple_of(5) {
            self.number = self.noise.word();
        }
        self.begin(now);
        self.number
    }

    /// A write to its control register, which had another content before.
    fn control(&mut self, before: u32, value: u32, now: u64) {
        let restarts = match self.chip.is_l5 {
            // The conditioning was held in reset, and is so no longer. Without a clock it stays so.
            true => before & CONDITIONING != 0 && value & CONDITIONING == 0 && self.clock() > 0,
            false => before & ON == 0 && value & ON != 0,
        };
        if restarts {
            self.has_failed = false;
        }
        if before & ON != value & ON || restarts {
            self.begin(now);
        }
    }
}

impl Generator for Stm32 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        match address {
            RECOVERY if self.chip.is_l5 => return Some(self.get(RECOVERY) & 1 | (self.get(RECOVERY) & 1) << 1),
            SELECTION if self.chip.is_l5 => return Some(self.get(SELECTION)),
            // Other devices have gates in the same register, which a driver must keep.
            _ if address == self.chip.gate.0 => return Some(self.get(address)),
            _ => {}
        }
        let offset = address.checked_sub(self.chip.base).filter(|offset| *offset < 0x400)?;
        if !self.has_gate() {
            return Some(0);
        }
        Some(match offset {
            0x00 => self.get(self.chip.base),
            0x04 => self.status(now),
            0x08 => self.take(now),
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        let is_own = (self.chip.base..self.chip.base + 0x400).contains(&address);
        if is_own && !self.has_gate() {
            return;
        }
        match address.wrapping_sub(self.chip.base) {
            0x00 => {
                let before = self.get(address);
                self.registers.insert(address, value);
                self.control(before, value, now);
            }
            // Writing zero clears a flag.
            0x04 => self.remembered &= value,
            _ => {
                self.registers.insert(address, value);
            }
        }
    }
}
