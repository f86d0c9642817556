//! The clock generator of the KL25 (KL25 Sub-Family Reference Manual, chapter 24 and 12.2; limits: data sheet KL25P80M48SF0, "Device clock
//! specifications" and "MCG specifications"). The crystal has 8 MHz. Its registers have bytes, and words of them are not specified.

use super::{Clocks, Frequencies, Misuse, Shared, later};

const CRYSTAL: u64 = 8_000_000;
/// The frequency-locked loop after a reset.
const INTERNAL: u64 = 20_971_520;

/// The registers of the generator: C1 to C6 and S; SIM_CLKDIV1 and SIM_SOPT2.
const GENERATOR: u32 = 0x4006_4000;
const STATUS: u32 = 6;
const DIVIDERS: u32 = 0x4004_8044;
const SOURCES: u32 = 0x4004_8004;

pub(crate) struct Kinetis {
    rated: u64,
    shared: Shared,
    /// C1 to C6.
    control: [u8; 6],
    dividers: u32,
    /// Whether devices have half of the phase-locked loop.
    has_fast: bool,
    /// When the crystal is stable, and when the phase-locked loop is locked.
    crystal_stable: Option<u64>,
    locked: Option<u64>,
}

impl Kinetis {
    pub(crate) fn new(rated: u64, shared: Shared) -> Kinetis {
        let clocks = Kinetis {
            rated,
            shared,
            control: [0x04, 0x80, 0, 0, 0, 0],
            dividers: 0x0001_0000,
            has_fast: false,
            crystal_stable: None,
            locked: None,
        };
        clocks.publish(0);
        clocks
    }

    fn is_over(moment: Option<u64>, now: u64) -> bool {
        moment.is_some_and(|moment| moment <= now)
    }

    /// The source that is selected, as the status has it: a loop, the internal reference, or the crystal; the phase-locked loop is 3.
    fn selected(&self) -> u8 {
        match self.control[0] >> 6 {
            0 if self.control[5] >> 6 & 1 == 1 => 3,
            source => source & 3,
        }
    }

    /// The frequency of the phase-locked loop.
    fn fast(&self) -> u64 {
        CRYSTAL / (u64::from(self.control[4] & 0x1f) + 1) * (u64::from(self.control[5] & 0x1f) + 24)
    }

    fn output(&self, now: u64) -> u64 {
        match self.selected() {
            3 => self.fast(),
            2 if Kinetis::is_over(self.crystal_stable, now) => CRYSTAL,
            1 => 32_768,
            // Until the crystal is stable the core keeps the loop.
            _ => INTERNAL,
        }
    }

    fn core(&self, now: u64) -> u64 {
        self.output(now) / (u64::from(self.dividers >> 28) + 1)
    }

    fn publish(&self, now: u64) {
        let core = self.core(now);
        let bus = core / (u64::from(self.dividers >> 16 & 7) + 1);
        let of_devices = match self.has_fast {
            true if Kinetis::is_over(self.locked, now) => self.fast() / 2,
            true => 0,
            false if self.selected() == 3 => 0,
            false => INTERNAL,
        };
        let timers = [of_devices; 2];
        self.shared.set(Frequencies { core, buses: [bus; 2], timers, random: 0 });
    }

    /// What the data sheet forbids.
    fn check(&self, now: u64) -> Result<(), Misuse> {
        let core = self.core(now);
        if self.selected() == 3 && !Kinetis::is_over(self.locked, now) {
            return Err("the core uses a loop that is not stable");
        }
        if core > 48_000_000 {
            return Err("the core is too fast");
        }
        if core / (u64::from(self.dividers >> 16 & 7) + 1) > 24_000_000 {
            return Err("a bus is too fast");
        }
        Ok(())
    }

    fn write_control(&mut self, index: usize, value: u8, now: u64) -> Result<(), Misuse> {
        let before = std::mem::replace(&mut self.control[index], value);
        let is_on = |control: u8| control >> 6 & 1 == 1;
        match index {
            // The range of a crystal of 8 MHz is 1 or 2.
            1 if value & 4 != 0 && matches!(value >> 4 & 3, 1 | 2) && self.crystal_stable.is_none() => {
                self.crystal_stable = Some(later(now, 1000, self.rated));
            }
            4 | 5 if index == 4 && is_on(self.control[5]) || index == 5 && is_on(before) && value != before => {
                return Err("the settings of a loop change while it runs");
            }
            5 if is_on(value) && !is_on(before) => {
                let input = CRYSTAL / (u64::from(self.control[4] & 0x1f) + 1);
                if !Kinetis::is_over(self.crystal_stable, now) {
                    return Err("a loop uses a crystal that is not stable");
                }
                if !(2_000_000..=4_000_000).contains(&input) || !(48_000_000..=100_000_000).contains(&self.fast()) {
                    return Err("the frequencies of a loop are out of its limits");
                }
                self.locked = Some(later(now, 150, self.rated));
            }
            _ => {}
        }
        self.check(now)
    }

    fn status(&self, now: u64) -> u8 {
        let is_stable = Kinetis::is_over(self.crystal_stable, now);
        // What the crystal is selected for waits for it.
        let selected = if self.selected() == 2 && !is_stable { 0 } else { self.selected() };
        let is_internal = self.control[0] >> 2 & 1 == 1 || !is_stable;
        let locked = u8::from(Kinetis::is_over(self.locked, now));
        locked << 6
            | (self.control[5] >> 6 & 1) << 5
            | u8::from(is_internal) << 4
            | selected << 2
            | u8::from(is_stable) << 1
    }
}

impl Clocks for Kinetis {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        self.publish(now);
        (address == DIVIDERS).then_some(self.dividers)
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Result<(), Misuse> {
        match address {
            DIVIDERS => self.dividers = value & 0xf007_0000,
            SOURCES => self.has_fast = value >> 16 & 1 == 1,
            _ => {}
        }
        let checked = self.check(now);
        self.publish(now);
        checked
    }

    fn read_byte(&mut self, address: u32, now: u64) -> Option<u8> {
        let offset = address.wrapping_sub(GENERATOR);
        self.publish(now);
        if offset == STATUS {
            return Some(self.status(now));
        }
        self.control.get(offset as usize).copied()
    }

    fn write_byte(&mut self, address: u32, value: u8, now: u64) -> Option<Result<(), Misuse>> {
        let index = address.wrapping_sub(GENERATOR) as usize;
        (index < self.control.len()).then(|| {
            let checked = self.write_control(index, value, now);
            self.publish(now);
            checked
        })
    }
}
