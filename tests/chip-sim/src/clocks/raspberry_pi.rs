//! The clocks of RP2040 and RP2350 (RP2040 data sheet, 2.14 to 2.18; RP2350 data sheet, 7.5 and 8): the crystal oscillator, the loop of the
//! system, CLK_REF, CLK_SYS and CLK_PERI. The crystal has 12 MHz. A loop is configured before it is turned on, and its dividers are on when it
//! is stable.

use super::{Clocks, Frequencies, Misuse, Shared, later};
use std::collections::BTreeMap;

/// The addresses of a chip, the bit of the loop in RESETS, and the highest frequency of its core.
struct Chip {
    oscillator: u32,
    clocks: u32,
    resets: u32,
    loop_reset: u32,
    system_loop: u32,
    highest: u64,
}

pub(crate) struct RaspberryPi {
    chip: Chip,
    rated: u64,
    shared: Shared,
    registers: BTreeMap<u32, u32>,
    /// When the crystal is stable, and when the loop is.
    stable: Option<u64>,
    locked: Option<u64>,
}

const CRYSTAL: u64 = 12_000_000;
/// The ring oscillator, about.
const RING: u64 = 6_500_000;

impl RaspberryPi {
    pub(crate) fn rp2040(rated: u64, shared: Shared) -> RaspberryPi {
        let chip = Chip {
            oscillator: 0x4002_4000,
            clocks: 0x4000_8000,
            resets: 0x4000_c000,
            loop_reset: 12,
            system_loop: 0x4002_8000,
            highest: 133_000_000,
        };
        RaspberryPi::new(chip, rated, shared)
    }

    pub(crate) fn rp2350(rated: u64, shared: Shared) -> RaspberryPi {
        let chip = Chip {
            oscillator: 0x4004_8000,
            clocks: 0x4001_0000,
            resets: 0x4002_0000,
            loop_reset: 14,
            system_loop: 0x4005_0000,
            highest: 150_000_000,
        };
        RaspberryPi::new(chip, rated, shared)
    }

    fn new(chip: Chip, rated: u64, shared: Shared) -> RaspberryPi {
        shared.set(Frequencies::all(RING));
        let of_loop = |offset| chip.system_loop + offset;
        // All is held in reset, the loop and its dividers are off, and CLK_SYS has the ring oscillator as auxiliary clock, as boot code may
        // leave it.
        let reset = [
            (chip.resets, u32::MAX),
            (chip.clocks + 0x3c, 0x41),
            (of_loop(0), 1),
            (of_loop(4), 0x2d),
            (of_loop(0xc), 0x7_7000),
        ];
        RaspberryPi { registers: BTreeMap::from(reset), chip, rated, shared, stable: None, locked: None }
    }

    fn get(&self, register: u32) -> u32 {
        self.registers.get(&register).copied().unwrap_or_default()
    }

    fn of_loop(&self, offset: u32) -> u32 {
        self.get(self.chip.system_loop + offset)
    }

    fn is_held(&self) -> bool {
        self.get(self.chip.resets) >> self.chip.loop_reset & 1 == 1
    }

    fn oscillator_of_loop(&self) -> u64 {
        CRYSTAL / u64::from(self.of_loop(0) & 0x3f).max(1) * u64::from(self.of_loop(8) & 0xfff)
    }

    /// What the loop delivers, if it is stable and its dividers are on.
    fn delivered(&self, now: u64) -> Option<u64> {
        let dividers = self.of_loop(0xc);
        let by = u64::from((dividers >> 16 & 7) * (dividers >> 12 & 7));
        let is_on = self.locked.is_some_and(|locked| locked <= now) && self.of_loop(4) & 0x29 == 0;
        (is_on && by > 0).then(|| self.oscillator_of_loop() / by)
    }

    /// A write to a register of the loop, which had another content.
    fn write_loop(&mut self, offset: u32, before: u32, now: u64) -> Result<(), Misuse> {
        let (is_on, was_on) = (self.of_loop(4) & 0x21 == 0, offset != 4 || before & 0x21 == 0);
        if matches!(offset, 0 | 8) && is_on && before != self.of_loop(offset) {
            return Err("the settings of a loop change while it runs");
        }
        if offset != 4 {
            return Ok(());
        }
        if !is_on {
            self.locked = None;
        } else if !was_on {
            if self.stable.is_none_or(|stable| stable > now) {
                return Err("a loop is turned on without a stable crystal");
            }
            if !(750_000_000..=1_600_000_000).contains(&self.oscillator_of_loop()) {
                return Err("the oscillator of a loop is out of its range");
            }
            self.locked = Some(later(now, 100, self.rated));
        }
        if self.of_loop(4) & 8 == 0 && before & 8 != 0 && self.locked.is_none_or(|locked| locked > now) {
            return Err("the dividers of a loop are turned on before it is stable");
        }
        Ok(())
    }

    /// The frequencies that follow from the selections.
    fn frequencies(&self, now: u64) -> Result<Frequencies, Misuse> {
        let of = |offset| self.get(self.chip.clocks + offset);
        let has_crystal = self.stable.is_some_and(|stable| stable <= now);
        let reference = match of(0x30) & 3 {
            2 if has_crystal => CRYSTAL,
            2 => return Err("the reference clock uses a crystal that is not stable"),
            _ => RING,
        };
        let core = match (of(0x3c) & 1, of(0x3c) >> 5 & 7) {
            (0, _) => reference,
            (_, 2) => RING,
            (_, 0) => self.delivered(now).ok_or("the core uses a loop that is not stable")?,
            _ => return Err("the core uses a source that is not modelled"),
        };
        if core > self.chip.highest {
            return Err("the core is too fast");
        }
        let serial = match of(0x48) >> 5 & 7 {
            _ if of(0x48) >> 11 & 1 == 0 => 0,
            0 => core,
            4 if has_crystal => CRYSTAL,
            _ => return Err("the serial devices use a source that is not modelled"),
        };
        Ok(Frequencies { buses: [serial; 2], ..Frequencies::all(core) })
    }
}

impl Clocks for RaspberryPi {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let chip = &self.chip;
        let has_crystal = self.stable.is_some_and(|stable| stable <= now);
        match address {
            _ if address == chip.oscillator + 4 => Some(u32::from(has_crystal) << 31),
            _ if address == chip.clocks + 0x30 || address == chip.clocks + 0x3c || address == chip.clocks + 0x48 => {
                Some(self.get(address))
            }
            _ if address == chip.clocks + 0x38 => Some(1 << (self.get(chip.clocks + 0x30) & 3)),
            _ if address == chip.clocks + 0x44 => Some(1 << (self.get(chip.clocks + 0x3c) & 1)),
            _ if address & !0xfff == chip.system_loop => {
                let is_locked = self.locked.is_some_and(|locked| locked <= now);
                let status = if address == chip.system_loop { u32::from(is_locked) << 31 } else { 0 };
                Some(if self.is_held() { 0 } else { self.get(address) | status })
            }
            _ => None,
        }
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Result<(), Misuse> {
        // Each register has four addresses for writing (RP2040 data sheet, 2.1.2).
        let register = address & !0x3000;
        let is_own = [self.chip.oscillator, self.chip.clocks, self.chip.resets, self.chip.system_loop];
        if !is_own.contains(&(register & !0xfff)) {
            return Ok(());
        }
        if register & !0xfff == self.chip.system_loop && self.is_held() {
            return Ok(());
        }
        let before = self.get(register);
        let after = match address >> 12 & 3 {
            0 => value,
            1 => before ^ value,
            2 => before | value,
            _ => before & !value,
        };
        self.registers.insert(register, after);
        let is_selection = register == self.chip.clocks + 0x3c;
        if is_selection && (before ^ after) & 0xe0 != 0 && (before | after) & 1 == 1 {
            return Err("an auxiliary clock changes while it is used");
        }
        if register == self.chip.oscillator && after >> 12 & 0xfff == 0xfab && self.stable.is_none() {
            let cycles = u64::from(self.get(self.chip.oscillator + 0xc)) * 256;
            self.stable = Some(later(now, cycles * 1_000_000 / CRYSTAL, self.rated));
        }
        if register & !0xfff == self.chip.system_loop {
            self.write_loop(register & 0xfff, before, now)?;
        }
        if register == self.chip.resets && self.is_held() {
            self.locked = None;
        }
        self.shared.set(self.frequencies(now)?);
        Ok(())
    }
}
