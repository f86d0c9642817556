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
    /// The register that enables the clocks of TIM2 to TIM5: bits 0 to 3 of `APB1ENR`.
    enable: u32,
    enabled: u32,
    timers: Vec<Timer>,
    pins: Option<Pins>,
}

struct Timer {
    base: u32,
    interrupt: u32,
    bit: u32,
    counter: Counter,
    prescaler: u32,
    reload: u32,
    flags: u32,
    interrupts: u32,
    compare: u32,
}

impl Stm32 {
    /// Without timers.
    pub(crate) fn f1(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32 {
        Stm32 { pins: Some(Pins::f1(wiring.levels.clone())), ..Stm32::new(core, shared, 0x4002_101c, &[]) }
    }

    pub(crate) fn f4(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32 {
        let timers = [(0x4000_0000, 28, 32), (0x4000_0400, 29, 16), (0x4000_0800, 30, 16), (0x4000_0c00, 50, 32)];
        Stm32 { pins: Some(Pins::f4(wiring.levels.clone())), ..Stm32::new(core, shared, 0x4002_3840, &timers) }
    }

    pub(crate) fn l5(core: u64, shared: &Shared, wiring: &Wiring) -> Stm32 {
        let timers = [(0x4000_0000, 45, 32), (0x4000_0400, 46, 16), (0x4000_0800, 47, 16), (0x4000_0c00, 48, 32)];
        Stm32 { pins: Some(Pins::l5(wiring.levels.clone())), ..Stm32::new(core, shared, 0x4002_1058, &timers) }
    }

    fn new(core: u64, shared: &Shared, enable: u32, timers: &[(u32, u32, u32)]) -> Stm32 {
        let timers = timers.iter().zip(0..).map(|(&(base, interrupt, bits), bit)| Timer {
            base,
            interrupt,
            bit,
            counter: Counter::new(core, core, bits, 1),
            prescaler: 0,
            reload: u32::MAX,
            flags: 0,
            interrupts: 0,
            compare: 0,
        });
        Stm32 { shared: shared.clone(), enable, enabled: 0, timers: timers.collect(), pins: None }
    }

    fn timer(&mut self, address: u32) -> Option<&mut Timer> {
        let enabled = self.enabled;
        self.timers.iter_mut().find(|timer| timer.base == address & !0x3ff && enabled >> timer.bit & 1 == 1)
    }
}

impl Device for Stm32 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if address == self.enable {
            return Some(self.enabled);
        }
        if let Some(value) = self.pins.as_mut().and_then(|pins| pins.read(address)) {
            return Some(value);
        }
        let Some(timer) = self.timer(address) else { return is_device(address).then_some(0) };
        Some(match address & 0x3ff {
            0x00 => u32::from(timer.counter.is_running()),
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
        if address == self.enable {
            self.enabled = value;
            return Some(());
        }
        if self.pins.as_mut().and_then(|pins| pins.write(address, value)).is_some() {
            return Some(());
        }
        let clock = self.shared.get().timers[0];
        let Some(timer) = self.timer(address) else { return is_device(address).then_some(()) };
        match address & 0x3ff {
            0x00 if value & 1 == 1 => timer.counter.start(now),
            0x00 => timer.counter.stop(now),
            0x0c => timer.interrupts = value,
            // Writing zero clears a flag.
            0x10 => timer.flags &= value,
            0x14 if value & 1 == 1 => {
                timer.counter.frequency = clock / (u64::from(timer.prescaler) + 1);
                timer.counter.clear(now);
                timer.flags |= 1;
            }
            0x28 => timer.prescaler = value & 0xffff,
            // The drivers let it count over its full range, which is the only reload value that is modelled.
            0x2c => timer.reload = value,
            0x34 => {
                timer.compare = value;
                timer.counter.compare(now, value);
            }
            _ => {}
        }
        Some(())
    }

    fn lines(&mut self, now: u64) -> u64 {
        let mut lines = self.pins.as_mut().map_or(0, Pins::lines);
        for timer in &mut self.timers {
            timer.flags |= u32::from(timer.counter.has_matched(now)) << 1;
            if timer.flags & timer.interrupts != 0 {
                lines |= 1 << timer.interrupt;
            }
        }
        lines
    }

    fn due(&self) -> Option<u64> {
        let enabled = self.timers.iter().filter(|timer| timer.interrupts & 2 != 0);
        enabled.filter_map(|timer| timer.counter.due()).min()
    }
}
