//! Resets, ticks and timer of the RP2040 and the RP2350 (RP2040 datasheet, 2.14, 4.6 and 4.7; RP2350 datasheet, 7.5, 8.5 and 12.8), and pins
//! in a file of their own. The clocks are in `clocks`.
//!
//! A device that is held in reset ignores writes, and reads as zero. Without ticks the timer is stopped.

mod pins;

use super::{Device, is_device};
use crate::{counter::Counter, wiring::Wiring};
use pins::Pins;

pub(crate) struct RaspberryPi {
    chip: Chip,
    pins: Pins,
    /// The count, once for each alarm.
    alarms: [Counter; 4],
    core: u64,
    /// Devices that are held in reset.
    reset: u32,
    cycles: u32,
    ticking: bool,
    matched: u32,
    enabled: u32,
    /// Whether the crystal is on, and what the reference clock is.
    oscillator: bool,
    reference: u32,
}

/// The differences between the chips.
struct Chip {
    timer: u32,
    raw: u32,
    enable: u32,
    forced: u32,
    masked: u32,
    resets: u32,
    timer_reset: u32,
    cycles: u32,
    /// The register that enables ticks, and its bit: the same as that of the cycles on the RP2040.
    tick: (u32, u32),
    crystal: u32,
    clocks: u32,
}

/// The reference clock: the crystal.
const REFERENCE: u64 = 12_000_000;

impl RaspberryPi {
    pub(crate) fn rp2040(core: u64, wiring: &Wiring) -> RaspberryPi {
        RaspberryPi::new(
            core,
            Pins::rp2040(wiring.levels.clone()),
            true,
            Chip {
                timer: 0x4005_4000,
                raw: 0x34,
                enable: 0x38,
                forced: 0x3c,
                masked: 0x40,
                resets: 0x4000_c000,
                timer_reset: 1 << 21,
                cycles: 0x4005_802c,
                tick: (0x4005_802c, 9),
                crystal: 0x4002_4000,
                clocks: 0x4000_8000,
            },
        )
    }

    pub(crate) fn rp2350(core: u64, wiring: &Wiring) -> RaspberryPi {
        RaspberryPi::new(
            core,
            Pins::rp2350(wiring.levels.clone()),
            false,
            Chip {
                timer: 0x400b_0000,
                raw: 0x3c,
                enable: 0x40,
                forced: 0x44,
                masked: 0x48,
                resets: 0x4002_0000,
                timer_reset: 1 << 23,
                cycles: 0x4010_801c,
                tick: (0x4010_8018, 0),
                crystal: 0x4004_8000,
                clocks: 0x4001_0000,
            },
        )
    }

    fn new(core: u64, pins: Pins, ticking: bool, chip: Chip) -> RaspberryPi {
        RaspberryPi {
            chip,
            pins,
            alarms: std::array::from_fn(|_| Counter::new(core, 0, 32, 1)),
            core,
            reset: u32::MAX,
            cycles: 0,
            ticking,
            matched: 0,
            enabled: 0,
            oscillator: false,
            reference: 0,
        }
    }

    fn is_held(&self) -> bool {
        self.reset & self.chip.timer_reset != 0
    }

    /// Sets the timer's tick to this many cycles of the reference clock, if that is the crystal.
    fn tick(&mut self, now: u64) {
        let from_crystal = self.oscillator && self.reference & 3 == 2;
        let counts = self.ticking && self.cycles > 0 && from_crystal && !self.is_held();
        for alarm in &mut self.alarms {
            alarm.stop(now);
            if counts {
                alarm.frequency = REFERENCE / u64::from(self.cycles);
                alarm.start(now);
            }
        }
        debug_assert!(self.core > 0);
    }

    /// Reads a register of the timer.
    fn timer(&self, offset: u32, now: u64) -> u32 {
        match offset {
            // The high word does not change during a test.
            0x0c | 0x28 => self.alarms[0].value(now),
            0x20 => (0..4).filter(|alarm| self.alarms[*alarm].is_armed()).fold(0, |armed, alarm| armed | 1 << alarm),
            offset if offset == self.chip.raw => self.matched,
            offset if offset == self.chip.enable => self.enabled,
            offset if offset == self.chip.masked => self.matched & self.enabled,
            _ => 0,
        }
    }

    fn write_timer(&mut self, address: u32, value: u32, now: u64) {
        match address & 0xfff {
            // Writing an alarm arms it; writing its bit of ARMED disarms it.
            offset @ (0x10 | 0x14 | 0x18 | 0x1c) => self.alarms[(offset - 0x10) as usize / 4].compare(now, value),
            0x20 => {
                for (_, alarm) in self.alarms.iter_mut().enumerate().filter(|(number, _)| value >> number & 1 == 1) {
                    alarm.forget();
                }
            }
            offset if offset == self.chip.raw => self.matched &= !value,
            offset if offset == self.chip.enable => self.enabled = written(self.enabled, address, value) & 0xf,
            offset if offset == self.chip.forced => {}
            _ => {}
        }
    }
}

/// The value after a write: each register has four addresses for writing (RP2040 datasheet, 2.1.2).
pub(crate) fn written(before: u32, address: u32, value: u32) -> u32 {
    match address >> 12 & 3 {
        0 => value,
        1 => before ^ value,
        2 => before | value,
        _ => before & !value,
    }
}

impl Device for RaspberryPi {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if let Some(word) = self.pins.read(address, self.reset) {
            return Some(word);
        }
        let chip = &self.chip;
        if address & !0x3fff == chip.timer {
            return Some(if self.is_held() { 0 } else { self.timer(address & 0xfff, now) });
        }
        if address == chip.resets {
            return Some(self.reset);
        }
        if address == chip.resets + 8 {
            return Some(!self.reset);
        }
        if address == chip.cycles {
            return Some(self.cycles | u32::from(self.ticking && chip.tick.0 == chip.cycles) << 9);
        }
        is_device(address).then_some(0)
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Option<()> {
        self.pins.write(address, value, self.reset);
        if address & !0x3fff == self.chip.timer {
            if !self.is_held() {
                self.write_timer(address, value, now);
            }
            return Some(());
        }
        let plain = address & !0x3000;
        if plain == self.chip.resets {
            self.reset = written(self.reset, address, value);
        } else if plain == self.chip.crystal {
            self.oscillator = written(0, address, value) >> 12 & 0xfff == 0xfab;
        } else if plain == self.chip.clocks + 0x30 {
            self.reference = written(self.reference, address, value);
        } else {
            let (register, bit) = self.chip.tick;
            if plain == self.chip.cycles {
                self.cycles = value & 0x1ff;
            }
            if plain == register {
                self.ticking = value >> bit & 1 == 1;
            }
        }
        self.tick(now);
        is_device(address).then_some(())
    }

    fn lines(&mut self, now: u64) -> u128 {
        for (number, alarm) in self.alarms.iter_mut().enumerate() {
            if alarm.has_matched(now) {
                self.matched |= 1 << number;
                // An alarm fires once.
                alarm.forget();
            }
        }
        u128::from(self.matched & self.enabled) | self.pins.lines(self.reset)
    }

    fn due(&self) -> Option<u64> {
        let enabled = self.alarms.iter().enumerate().filter(|(number, _)| self.enabled >> number & 1 == 1);
        enabled.filter_map(|(_, alarm)| alarm.due()).min()
    }
}
