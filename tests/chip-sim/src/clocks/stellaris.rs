//! The clocks of the LM3S6965 (LM3S6965 data sheet, 5.2.4, 5.3 and 5.5; limits: "Electrical characteristics"). The crystal has 8 MHz, and the
//! loop has 400 MHz, of which half is divided for the core.

use super::{Clocks, Frequencies, Misuse, Shared, later};

const CRYSTAL: u64 = 8_000_000;
const INTERNAL: u64 = 12_000_000;
const FAST: u64 = 200_000_000;

/// RCC, the raw interrupt status, and what clears it.
const CONFIGURATION: u32 = 0x400f_e060;
const STATUS: u32 = 0x400f_e050;
const CLEAR: u32 = 0x400f_e058;
const LOCKED: u32 = 1 << 6;

/// The content of RCC after a reset, and its bits: the oscillator of the crystal is off, the loop is not used, and it is off.
const RESET: u32 = 0x078e_3ad1;
const CRYSTAL_OFF: u32 = 1;
const BYPASS: u32 = 1 << 11;
const LOOP_OFF: u32 = 1 << 13;
/// The code of the crystal, and the source: the crystal is 0.
const CODE: u32 = 0xf << 6;
const CODE_OF_CRYSTAL: u32 = 0xe << 6;
const SOURCE: u32 = 3 << 4;

pub(crate) struct Stellaris {
    rated: u64,
    shared: Shared,
    configuration: u32,
    /// When the crystal is stable, and when the loop is locked.
    stable: Option<u64>,
    locked: Option<u64>,
    /// Whether the loop had locked before its status was cleared.
    is_cleared: bool,
}

impl Stellaris {
    pub(crate) fn new(rated: u64, shared: Shared) -> Stellaris {
        let clocks = Stellaris { rated, shared, configuration: RESET, stable: None, locked: None, is_cleared: false };
        clocks.publish();
        clocks
    }

    fn is_over(moment: Option<u64>, now: u64) -> bool {
        moment.is_some_and(|moment| moment <= now)
    }

    fn core(&self) -> u64 {
        let configuration = self.configuration;
        let source = match configuration >> 4 & 3 {
            _ if configuration & BYPASS == 0 => FAST,
            0 => CRYSTAL,
            1 => INTERNAL,
            2 => INTERNAL / 4,
            _ => 32_768,
        };
        let is_divided = configuration >> 22 & 1 == 1;
        if is_divided { source / (u64::from(configuration >> 23 & 0xf) + 1) } else { source }
    }

    fn publish(&self) {
        self.shared.set(Frequencies::all(self.core()));
    }

    /// What the data sheet forbids.
    fn check(&self, now: u64) -> Result<(), Misuse> {
        let uses_loop = self.configuration & BYPASS == 0;
        let uses_crystal = self.configuration & SOURCE == 0;
        if uses_loop && !Stellaris::is_over(self.locked, now) {
            return Err("the core uses a loop that is not stable");
        }
        if !uses_loop && uses_crystal && !Stellaris::is_over(self.stable, now) {
            return Err("the core uses a crystal that is not stable");
        }
        if self.core() > 50_000_000 {
            return Err("the core is too fast");
        }
        Ok(())
    }

    fn configure(&mut self, value: u32, now: u64) -> Result<(), Misuse> {
        let before = std::mem::replace(&mut self.configuration, value);
        if value & CRYSTAL_OFF != 0 {
            self.stable = None;
        } else if self.stable.is_none() {
            // The longest settling time of the main oscillator.
            self.stable = Some(later(now, 20_000, self.rated));
        }
        let is_on = value & LOOP_OFF == 0;
        if is_on && before & (LOOP_OFF | CODE | SOURCE) != value & (LOOP_OFF | CODE | SOURCE) {
            if value & SOURCE != 0 || value & CODE != CODE_OF_CRYSTAL || !Stellaris::is_over(self.stable, now) {
                return Err("a loop uses a crystal that is not stable");
            }
            self.locked = Some(later(now, 500, self.rated));
            self.is_cleared = false;
        } else if !is_on {
            self.locked = None;
        }
        self.check(now)
    }
}

impl Clocks for Stellaris {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        match address {
            CONFIGURATION => Some(self.configuration),
            STATUS if Stellaris::is_over(self.locked, now) && !self.is_cleared => Some(LOCKED),
            STATUS => Some(0),
            _ => None,
        }
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Result<(), Misuse> {
        let checked = match address {
            CONFIGURATION => self.configure(value, now),
            CLEAR if value & LOCKED != 0 => {
                self.is_cleared |= Stellaris::is_over(self.locked, now);
                Ok(())
            }
            _ => Ok(()),
        };
        self.publish();
        checked
    }
}
