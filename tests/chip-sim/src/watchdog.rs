//! Watchdogs: they reset the chip unless the program feeds them in time.
//!
//! - Nordic's ignores its settings once it runs (nRF51 Reference Manual, 20; nRF52840 and nRF9160 Product
//!   Specifications, "WDT").
//! - The independent watchdog of STM32 accepts settings while they are unlocked and the last ones have arrived at its oscillator, which
//!   it starts itself (RM0008, 19; RM0090, 21; RM0438, "IWDG").
//! - That of KL25, COP, runs after a reset, and its settings can be written once (KL25 Sub-Family Reference Manual, 3.4.10 and 12.2).
//! - That of LM3S is locked, and resets the chip when it has counted to zero twice (LM3S6965 data sheet, chapter 10).
//! - That of Raspberry Pi's chips needs ticks, and resets what is selected (RP2040 datasheet, 2.13 and 4.7; RP2350 datasheet, 7.4 and 12.9).

/// The watchdog of a chip. Time is in cycles of the core.
pub(crate) trait Watchdog {
    /// Reads a register, if it is one of the watchdog that returns something.
    fn read(&self, address: u32, now: u64) -> Option<u32>;
    /// Sees a write of any register.
    fn write(&mut self, address: u32, value: u32, now: u64);
    /// The time at which it resets the chip, if nobody feeds it until then.
    fn resets(&self) -> Option<u64>;
}

/// No watchdog.
impl Watchdog for () {
    fn read(&self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, _: u32, _: u32, _: u64) {}

    fn resets(&self) -> Option<u64> {
        None
    }
}

/// The time after a number of counts.
fn after(now: u64, counts: u64, core: u64, frequency: u64) -> u64 {
    let cycles = u128::from(counts) * u128::from(core) / u128::from(frequency);
    now.saturating_add(u64::try_from(cycles).unwrap_or(u64::MAX))
}

pub(crate) struct Nordic {
    core: u64,
    base: u32,
    reload: u32,
    enabled: u32,
    due: Option<u64>,
}

impl Nordic {
    pub(crate) fn new(core: u64, base: u32) -> Nordic {
        Nordic { core, base, reload: u32::MAX, enabled: 1, due: None }
    }

    fn begin(&mut self, now: u64) {
        self.due = Some(after(now, u64::from(self.reload) + 1, self.core, 32_768));
    }
}

impl Watchdog for Nordic {
    fn read(&self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        match (address.wrapping_sub(self.base), self.due.is_some()) {
            (0x000, false) if value == 1 => self.begin(now),
            (0x504, false) => self.reload = value.max(15),
            (0x508, false) => self.enabled = value,
            (0x600, true) if value == 0x6e52_4635 && self.enabled & 1 == 1 => self.begin(now),
            _ => {}
        }
    }

    fn resets(&self) -> Option<u64> {
        self.due
    }
}

/// The watchdog of KL25.
pub(crate) struct Kinetis {
    core: u64,
    control: u32,
    is_written: bool,
    /// When its time has begun, and what has been written to feed it.
    begun: u64,
    fed: u32,
    /// When something else was written.
    failed: Option<u64>,
}

/// SIM_COPC and SIM_SRVCOP.
const COP: u32 = 0x4004_8100;
const SERVICE: u32 = 0x4004_8104;

impl Kinetis {
    pub(crate) fn new(core: u64) -> Kinetis {
        Kinetis { core, control: 3 << 2, is_written: false, begun: 0, fed: 0, failed: None }
    }
}

impl Watchdog for Kinetis {
    fn read(&self, address: u32, _: u64) -> Option<u32> {
        match address {
            COP => Some(self.control),
            SERVICE => Some(0),
            _ => None,
        }
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        match (address, self.fed, value) {
            (COP, ..) if !self.is_written => {
                (self.control, self.is_written, self.begun) = (value & 0xf, true, now);
            }
            (SERVICE, 0, 0x55) => self.fed = 0x55,
            (SERVICE, 0x55, 0xaa) => (self.fed, self.begun) = (0, now),
            (SERVICE, ..) if self.control >> 2 & 3 != 0 => self.failed = Some(now),
            _ => {}
        }
    }

    /// After 2^5, 2^8 or 2^10 cycles of an oscillator of 1 kHz.
    fn resets(&self) -> Option<u64> {
        let counts = [None, Some(1 << 5), Some(1 << 8), Some(1 << 10)][(self.control >> 2 & 3) as usize];
        self.failed.or(counts.map(|counts| after(self.begun, counts, self.core, 1000)))
    }
}

/// The watchdog of LM3S, which counts the clock of the core.
pub(crate) struct Stellaris {
    load: u32,
    control: u32,
    is_locked: bool,
    /// When it began to count from its load value, without an interrupt.
    begun: u64,
}

/// Its registers, and what unlocks them.
const ARM: u32 = 0x4000_0000;
const KEY: u32 = 0x1acc_e551;

impl Default for Stellaris {
    fn default() -> Stellaris {
        Stellaris { load: u32::MAX, control: 0, is_locked: false, begun: 0 }
    }
}

impl Watchdog for Stellaris {
    fn read(&self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        match (address.wrapping_sub(ARM), self.is_locked) {
            (0xc00, _) => self.is_locked = value != KEY,
            (0x000, false) => (self.load, self.begun) = (value, now),
            // The interrupt, with which it counts, cannot be disabled again.
            (0x008, false) => {
                self.begun = if self.control & 1 == 0 { now } else { self.begun };
                self.control = self.control & 1 | value & 3;
            }
            (0x00c, false) => self.begun = now,
            _ => {}
        }
    }

    fn resets(&self) -> Option<u64> {
        (self.control == 3).then(|| self.begun + 2 * (u64::from(self.load) + 1))
    }
}

pub(crate) struct Stm32 {
    core: u64,
    oscillator: u64,
    unlocked: bool,
    prescaler: u32,
    reload: u32,
    /// The time at which the last settings have arrived: of the prescaler, and of the reload value.
    arrives: [u64; 2],
    due: Option<u64>,
}

impl Stm32 {
    pub(crate) fn new(core: u64, oscillator: u64) -> Stm32 {
        Stm32 { core, oscillator, unlocked: false, prescaler: 0, reload: 0xfff, arrives: [0; 2], due: None }
    }

    fn begin(&mut self, now: u64) {
        let counts = u64::from(self.reload + 1) << (self.prescaler.min(6) + 2);
        self.due = Some(after(now, counts, self.core, self.oscillator));
    }

    /// Accepts a setting, unless the last one is on its way. Without the oscillator it never arrives.
    fn accepts(&mut self, index: usize, now: u64) -> bool {
        let accepts = self.unlocked && self.arrives[index] <= now;
        if accepts {
            self.arrives[index] = if self.due.is_some() { after(now, 5, self.core, self.oscillator) } else { u64::MAX };
        }
        accepts
    }
}

impl Watchdog for Stm32 {
    fn read(&self, address: u32, now: u64) -> Option<u32> {
        let busy = |index: usize| u32::from(self.arrives[index] > now) << index;
        (address == 0x4000_300c).then(|| busy(0) | busy(1))
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        match address {
            0x4000_3000 => {
                self.unlocked = value == 0x5555;
                match value {
                    0xcccc => self.begin(now),
                    0xaaaa if self.due.is_some() => self.begin(now),
                    _ => {}
                }
            }
            0x4000_3004 if self.accepts(0, now) => self.prescaler = value & 7,
            0x4000_3008 if self.accepts(1, now) => self.reload = value & 0xfff,
            _ => {}
        }
    }

    fn resets(&self) -> Option<u64> {
        self.due
    }
}

/// The crystal of RP2040 and RP2350.
const CRYSTAL: u64 = 12_000_000;

pub(crate) struct RaspberryPi {
    core: u64,
    chip: Chip,
    cycles: u32,
    ticking: bool,
    selected: u32,
    enabled: bool,
    load: u32,
    fed: u64,
}

/// The differences between the chips.
struct Chip {
    watchdog: u32,
    select: u32,
    /// The bits of the processors among what it may reset.
    processors: u32,
    cycles: u32,
    /// The register that enables ticks, and its bit.
    tick: (u32, u32),
    /// How much it counts in a tick.
    step: u64,
}

impl RaspberryPi {
    pub(crate) fn rp2040(core: u64) -> RaspberryPi {
        let tick = (0x4005_802c, 9);
        let (watchdog, select) = (0x4005_8000, 0x4001_0008);
        RaspberryPi::new(core, Chip { watchdog, select, processors: 3 << 15, cycles: tick.0, tick, step: 2 })
    }

    pub(crate) fn rp2350(core: u64) -> RaspberryPi {
        let (watchdog, select, cycles) = (0x400d_8000, 0x4001_8008, 0x4010_8034);
        RaspberryPi::new(core, Chip { watchdog, select, processors: 3 << 23, cycles, tick: (0x4010_8030, 0), step: 1 })
    }

    fn new(core: u64, chip: Chip) -> RaspberryPi {
        RaspberryPi { core, chip, cycles: 0, ticking: false, selected: 0, enabled: false, load: 0, fed: 0 }
    }
}

impl Watchdog for RaspberryPi {
    fn read(&self, _: u32, _: u64) -> Option<u32> {
        None
    }

    fn write(&mut self, address: u32, value: u32, now: u64) {
        if address == self.chip.cycles {
            self.cycles = value & 0x1ff;
        }
        if address == self.chip.tick.0 {
            self.ticking = value >> self.chip.tick.1 & 1 == 1;
        } else if address == self.chip.select {
            self.selected = value;
        } else if address == self.chip.watchdog {
            self.enabled = value >> 30 & 1 == 1;
        } else if address == self.chip.watchdog + 4 {
            (self.load, self.fed) = (value & 0xff_ffff, now);
        }
    }

    /// The ticks are divided from the crystal.
    fn resets(&self) -> Option<u64> {
        let counts = self.enabled && self.ticking && self.cycles > 0;
        let resets = counts && self.selected & self.chip.processors == self.chip.processors;
        let frequency = CRYSTAL / u64::from(self.cycles.max(1)) * self.chip.step;
        resets.then(|| after(self.fed, u64::from(self.load), self.core, frequency))
    }
}
