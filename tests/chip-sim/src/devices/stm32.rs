//! Clock gates and general-purpose timers of STM32 (RM0090, 7.3 and 18, and their like in RM0033; RM0438, 9.8 and
//! "General-purpose timers"), and pins in a file of their own.
//!
//! A timer without its clock ignores writes, and reads as zero. An update event loads the prescaler.

mod pins;

use super::{Device, is_device};
use crate::{clocks::Shared, counter::Counter, wiring::Wiring};
use pins::Pins;

pub(crate) struct Stm32 {
    shared: Shared,
    /// The register that enables the clocks of the timers: `APB1ENR`, or on an F1 `APB2ENR`; and the bus that it is of.
    enable: u32,
    bus: usize,
    enabled: u32,
    timers: Vec<Timer>,
    pins: Option<Pins>,
}

struct Timer {
    base: u32,
    interrupt: u32,
    bit: u32,
    counter: Counter,
    /// The same count, which is compared with the end of the period.
    period: Counter,
    control: u32,
    prescaler: u32,
    reload: u32,
    flags: u32,
    interrupts: u32,
    compare: u32,
}

impl Stm32 {
    /// With TIM1 (RM0008, chapter 14).
    pub(crate) fn f1(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32 {
        let timers = [(0x4001_2c00, 25, 16, 11)];
        let pins = Some(Pins::f1(wiring.levels.clone()));
        Stm32 { pins, bus: 1, ..Stm32::new(core, shared, 0x4002_1018, &timers) }
    }

    pub(crate) fn f4(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32 {
        let timers =
            [(0x4000_0000, 28, 32, 0), (0x4000_0400, 29, 16, 1), (0x4000_0800, 30, 16, 2), (0x4000_0c00, 50, 32, 3)];
        Stm32 { pins: Some(Pins::f4(wiring.levels.clone())), ..Stm32::new(core, shared, 0x4002_3840, &timers) }
    }

    pub(crate) fn l5(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32 {
        let timers = [
            (0x4000_0000, 45, 32, 0),
            (0x4000_0400, 46, 16, 1),
            (0x4000_0800, 47, 16, 2),
            (0x4000_0c00, 48, 32, 3),
            (0x4000_1000, 49, 16, 4),
            (0x4000_1400, 50, 16, 5),
        ];
        Stm32 { pins: Some(Pins::l5(wiring.levels.clone())), ..Stm32::new(core, shared, 0x4002_1058, &timers) }
    }

    fn new(core: u64, shared: &Shared, enable: u32, timers: &[(u32, u32, u32, u32)]) -> Stm32 {
        let timers = timers.iter().map(|&(base, interrupt, bits, bit)| Timer {
            base,
            interrupt,
            bit,
            counter: Counter::new(core, core, bits, 1),
            period: Counter::new(core, core, bits, 1),
            control: 0,
            prescaler: 0,
            reload: u32::MAX,
            flags: 0,
            interrupts: 0,
            compare: 0,
        });
        Stm32 { shared: shared.clone(), enable, bus: 0, enabled: 0, timers: timers.collect(), pins: None }
    }

    fn timer(&mut self, address: u32) -> Option<&mut Timer> {
        let enabled = self.enabled;
        self.timers.iter_mut().find(|timer| timer.base == address & !0x3ff && enabled >> timer.bit & 1 == 1)
    }
}

impl Device for Stm32 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if let Some(value) = self.pins.as_mut().and_then(|pins| pins.read(address)) {
            return Some(value);
        }
        if address == self.enable {
            return Some(self.enabled);
        }
        let Some(timer) = self.timer(address) else { return is_device(address).then_some(0) };
        Some(match address & 0x3ff {
            0x00 => timer.control,
            0x0c => timer.interrupts,
            0x10 => timer.flags,
            0x24 => timer.counter.value(now),
            0x28 => timer.prescaler,
            0x2c => timer.reload,
            0x34 => timer.compare,
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Option<()> {
        let has_pin = self.pins.as_mut().and_then(|pins| pins.write(address, value)).is_some();
        if address == self.enable {
            self.enabled = value;
            return Some(());
        }
        if has_pin {
            return Some(());
        }
        let clock = self.shared.get().timers[self.bus];
        let Some(timer) = self.timer(address) else { return is_device(address).then_some(()) };
        timer.write(address & 0x3ff, value, now, clock);
        Some(())
    }

    fn lines(&mut self, now: u64) -> u128 {
        let mut lines = self.pins.as_mut().map_or(0, Pins::lines);
        for timer in &mut self.timers {
            timer.flags |= u32::from(timer.counter.has_matched(now)) << 1;
            let end = timer.period.due();
            if timer.period.has_matched(now) {
                timer.flags |= 1;
                timer.clear(end.unwrap_or(now));
            }
            if timer.flags & timer.interrupts != 0 {
                lines |= 1 << timer.interrupt;
            }
        }
        lines
    }

    fn due(&self) -> Option<u64> {
        let compared =
            self.timers.iter().filter(|timer| timer.interrupts & 2 != 0).filter_map(|timer| timer.counter.due());
        let ended = self.timers.iter().filter(|timer| timer.interrupts & 1 != 0).filter_map(|timer| timer.period.due());
        compared.chain(ended).min()
    }
}

impl Timer {
    fn write(&mut self, offset: u32, value: u32, now: u64, clock: u64) {
        match offset {
            0x00 => {
                self.control = value;
                for counter in [&mut self.counter, &mut self.period] {
                    if value & 1 == 1 { counter.start(now) } else { counter.stop(now) }
                }
            }
            0x0c => self.interrupts = value,
            // Writing zero clears a flag.
            0x10 => self.flags &= value,
            0x14 if value & 1 == 1 => {
                for counter in [&mut self.counter, &mut self.period] {
                    counter.frequency = clock / (u64::from(self.prescaler) + 1);
                }
                self.clear(now);
                // Unless only an overflow is an update that interrupts (URS).
                self.flags |= u32::from(self.control & 4 == 0);
            }
            0x28 => self.prescaler = value & 0xffff,
            // The period of a timer that counts over its full range never ends in a test.
            0x2c => {
                self.reload = value;
                match value.checked_add(1) {
                    Some(end) => self.period.compare(now, end),
                    None => self.period.forget(),
                }
            }
            0x34 => {
                self.compare = value;
                self.counter.compare(now, value);
            }
            _ => {}
        }
    }

    fn clear(&mut self, moment: u64) {
        self.counter.clear(moment);
        self.period.clear(moment);
    }
}
