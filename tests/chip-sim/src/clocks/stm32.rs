//! The clocks of STM32F1, F2, F4 and L5 (registers: the crates `stm32f1`, `stm32f2`, `stm32f4` and `stm32l5`; limits: data sheets, "General
//! operating conditions"). The crystal has the frequency of the board's.

use super::{Clocks, Frequencies, Misuse, Shared, later};
use crate::Chip;
use std::collections::BTreeMap;

/// What differs between the families.
struct Family {
    control: u32,
    configuration: u32,
    /// The settings of the loop; those of an F1 are in the configuration.
    settings: u32,
    flash: u32,
    /// The gate of the registers of power.
    gates: u32,
    /// The oscillator after a reset, and the bit that tells that the core uses the loop.
    internal: u64,
    selected: u32,
    /// The first bits of the prescalers of the buses.
    prescalers: [u32; 2],
}

const F1: Family = Family {
    control: 0x4002_1000,
    configuration: 0x4002_1004,
    settings: 0x4002_1004,
    flash: 0x4002_2000,
    gates: 0x4002_101c,
    internal: 8_000_000,
    selected: 2,
    prescalers: [8, 11],
};

const F4: Family = Family {
    control: 0x4002_3800,
    configuration: 0x4002_3808,
    settings: 0x4002_3804,
    flash: 0x4002_3c00,
    gates: 0x4002_3840,
    internal: 16_000_000,
    selected: 2,
    prescalers: [10, 13],
};

const L5: Family = Family {
    control: 0x4002_1000,
    configuration: 0x4002_1008,
    settings: 0x4002_100c,
    flash: 0x4002_2000,
    gates: 0x4002_1058,
    internal: 4_000_000,
    selected: 3,
    prescalers: [8, 11],
};

/// The registers of power: the control, the state of an F4, and that of an L5.
const POWER: u32 = 0x4000_7000;
const POWER_STATE: u32 = 0x4000_7004;
const POWER_STATE_OF_L5: u32 = 0x4000_7014;

const CRYSTAL_ON: u32 = 1 << 16;
const LOOP_ON: u32 = 1 << 24;

pub(crate) struct Stm32 {
    chip: Chip,
    family: Family,
    crystal: u64,
    rated: u64,
    shared: Shared,
    registers: BTreeMap<u32, u32>,
    /// When the crystal and the loop are stable, and when the supply has the last setting.
    crystal_stable: Option<u64>,
    locked: Option<u64>,
    supplied: u64,
}

impl Stm32 {
    pub(crate) fn new(chip: Chip, crystal: u64, rated: u64, shared: Shared) -> Stm32 {
        let (family, reset) = match chip {
            Chip::F103 => (F1, [(F1.control, 0x83), (F1.flash, 0x30), (POWER, 0)]),
            Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => (
                F4,
                [
                    (F4.control, 0x83),
                    (F4.settings, 0x2400_3010),
                    (POWER, if chip == Chip::F411 { 0x8000 } else { 0xc000 }),
                ],
            ),
            Chip::L552 => (L5, [(L5.control, 0x63), (L5.settings, 0x1000), (POWER, 0x400)]),
        };
        shared.set(Frequencies::all(family.internal));
        let registers = BTreeMap::from(reset);
        Stm32 { chip, family, crystal, rated, shared, registers, crystal_stable: None, locked: None, supplied: 0 }
    }

    fn get(&self, register: u32) -> u32 {
        self.registers.get(&register).copied().unwrap_or_default()
    }

    /// The source, its input to the oscillator of the loop, and what that makes, for the core and for random numbers.
    fn main_loop(&self) -> [u64; 4] {
        let settings = u64::from(self.get(self.family.settings));
        let of = |uses_crystal: bool| if uses_crystal { self.crystal } else { self.family.internal };
        match self.chip {
            Chip::F103 => {
                let uses_crystal = settings >> 16 & 1 == 1;
                let input = if uses_crystal { self.crystal >> (settings >> 17 & 1) } else { self.family.internal / 2 };
                let core = input * ((settings >> 18 & 0xf) + 2).min(16);
                [input, core, core, 0]
            }
            Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => {
                let input = of(settings >> 22 & 1 == 1);
                let (m, n) = ((settings & 0x3f).max(1), settings >> 6 & 0x1ff);
                let fast = input * n / m;
                [input / m, fast, fast / (2 * ((settings >> 16 & 3) + 1)), fast / (settings >> 24 & 0xf).max(2)]
            }
            Chip::L552 => {
                let (m, n) = ((settings >> 4 & 0xf) + 1, settings >> 8 & 0x7f);
                let input = of(settings & 3 == 3);
                let fast = input * n / m;
                let is_delivered = u64::from(settings >> 24 & 1 == 1);
                [input / m, fast, fast / (2 * ((settings >> 25 & 3) + 1)) * is_delivered, 0]
            }
        }
    }

    /// Whether the loop has the crystal as source.
    fn uses_crystal(&self) -> bool {
        let settings = self.get(self.family.settings);
        match self.chip {
            Chip::F103 => settings >> 16 & 1 == 1,
            Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => settings >> 22 & 1 == 1,
            Chip::L552 => settings & 3 == 3,
        }
    }

    /// Whether the settings of the loop are in the limits of the chip.
    fn check_loop(&self, now: u64) -> Result<(), Misuse> {
        if self.uses_crystal() && self.crystal_stable.is_none_or(|stable| stable > now) {
            return Err("a loop is turned on without a stable crystal");
        }
        let mega = |range: std::ops::RangeInclusive<u64>, value: u64| {
            (range.start() * 1_000_000..=range.end() * 1_000_000).contains(&value)
        };
        let [input, fast, _, random] = self.main_loop();
        let fits = match self.chip {
            Chip::F103 => mega(1..=25, input) && mega(16..=72, fast),
            Chip::F205 => mega(1..=2, input) && mega(192..=432, fast),
            Chip::F405 | Chip::F411 | Chip::F446 => mega(1..=2, input) && mega(100..=432, fast),
            Chip::L552 => mega(4..=16, input) && mega(64..=344, fast),
        };
        match fits {
            true if random > 48_000_000 => Err("random numbers have too fast a clock"),
            true => Ok(()),
            false => Err("a loop is out of its range"),
        }
    }

    fn write_control(&mut self, before: u32, after: u32, now: u64) -> Result<(), Misuse> {
        if before & CRYSTAL_ON == 0 && after & CRYSTAL_ON != 0 {
            self.crystal_stable = Some(later(now, 500, self.rated));
        }
        if after & CRYSTAL_ON == 0 {
            self.crystal_stable = None;
        }
        if before & LOOP_ON == 0 && after & LOOP_ON != 0 {
            self.check_loop(now)?;
            self.locked = Some(later(now, 100, self.rated));
        }
        if after & LOOP_ON == 0 {
            self.locked = None;
        }
        Ok(())
    }

    /// The core of the chip now, before its prescaler.
    fn system(&self, now: u64) -> Result<u64, Misuse> {
        let is_stable = |stable: Option<u64>| stable.is_some_and(|stable| stable <= now);
        let selected = self.get(self.family.configuration) & 3;
        if selected == self.family.selected {
            return match is_stable(self.locked) {
                true => Ok(self.main_loop()[2]),
                false => Err("the core uses a loop that is not stable"),
            };
        }
        match selected {
            0 => Ok(self.family.internal),
            _ if selected + 1 == self.family.selected && is_stable(self.crystal_stable) => Ok(self.crystal),
            _ => Err("the core uses an oscillator that is not stable"),
        }
    }

    fn frequencies(&self, now: u64) -> Result<Frequencies, Misuse> {
        let configuration = self.get(self.family.configuration);
        let core = self.system(now)? >> (configuration >> 4 & 0xf).saturating_sub(7);
        let shifts = self.family.prescalers.map(|first| (configuration >> first & 7).saturating_sub(3));
        let buses = shifts.map(|shift| core >> shift);
        let timers = shifts.map(|shift| core >> shift.saturating_sub(1));
        self.check_core(core, buses, now)?;
        let random = if self.get(self.family.control) & LOOP_ON != 0 { self.main_loop()[3] } else { 0 };
        Ok(Frequencies { core, buses, timers, random })
    }

    fn check_core(&self, core: u64, buses: [u64; 2], now: u64) -> Result<(), Misuse> {
        let mega = |megahertz: u64| megahertz * 1_000_000;
        let power = self.get(POWER);
        let is_supplied = self.supplied <= now;
        // The highest frequencies of the core and of the buses, and the frequency for each wait state.
        let (highest, limits, step) = match self.chip {
            Chip::F103 => (72, [36, 72], 24),
            Chip::F205 => (120, [30, 60], 30),
            Chip::F405 => (168, [42, 84], 30),
            Chip::F411 => (if power >> 14 & 3 == 3 { 100 } else { 84 }, [50, 100], 30),
            Chip::F446 => (if power >> 16 & 3 == 3 && is_supplied { 180 } else { 168 }, [45, 90], 30),
            Chip::L552 if power >> 9 & 3 == 0 && is_supplied => (110, [110, 110], 20),
            Chip::L552 => (26, [26, 26], 8),
        };
        if core > mega(highest) {
            return Err("the core is too fast for its supply, or for the chip");
        }
        if buses[0] > mega(limits[0]) || buses[1] > mega(limits[1]) {
            return Err("a bus is too fast");
        }
        let waits = u64::from(self.get(self.family.flash) & 7);
        if core > mega(step) * (waits + 1) {
            return Err("flash has too few wait states");
        }
        let before = self.shared.get().core;
        if self.chip == Chip::L552 && core > mega(80) && before < mega(40) {
            return Err("the core becomes too fast at once");
        }
        Ok(())
    }
}

impl Clocks for Stm32 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let is_stable = |stable: Option<u64>| u32::from(stable.is_some_and(|stable| stable <= now));
        let word = self.get(address);
        let has_power = self.get(self.family.gates) >> 28 & 1 == 1;
        if address == self.family.control {
            let ready = is_stable(self.crystal_stable) << 17 | is_stable(self.locked) << 25 | (word & 1) << 1;
            return Some(word & !0x0202_0002 | ready);
        }
        if address == self.family.configuration {
            return Some(word & !0xc | (word & 3) << 2);
        }
        if address == self.family.settings || address == self.family.flash {
            return Some(word);
        }
        match (address, self.chip) {
            (POWER, _) => Some(if has_power { word } else { 0 }),
            (POWER_STATE, Chip::F446) if has_power && self.supplied <= now => Some(self.get(POWER) & 0x3_0000),
            (POWER_STATE_OF_L5, Chip::L552) => Some(u32::from(has_power && self.supplied > now) << 10),
            _ => None,
        }
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Result<(), Misuse> {
        let Family { control, configuration, settings, flash, gates, .. } = self.family;
        if ![control, configuration, settings, flash, gates, POWER].contains(&address) {
            return Ok(());
        }
        let before = self.get(address);
        if address == POWER {
            if self.get(gates) >> 28 & 1 == 0 {
                return Ok(());
            }
            self.supplied = later(now, 50, self.rated);
        }
        let of_loop = if self.chip == Chip::F103 { 0x3f << 16 } else { u32::MAX };
        if address == settings && (before ^ value) & of_loop != 0 && self.get(control) & LOOP_ON != 0 {
            return Err("the settings of a loop change while it runs");
        }
        self.registers.insert(address, value);
        if address == control {
            self.write_control(before, value, now)?;
        }
        self.shared.set(self.frequencies(now)?);
        Ok(())
    }
}
