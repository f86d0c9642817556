//! Clocks, TIMER and RTC of the nRF51 and nRF52 (nRF51 Reference Manual, 13, 18 and 19; nRF52840 Product Specification,
//! 5.4, 6.22 and 6.30), and their pins with their edges, serial line and buses, each in a file of its own.
//!
//! A TIMER requests its clock itself. An RTC counts while the low-frequency clock runs, accepts a prescaler only while
//! it is stopped, and misses a compare value that is less than two ticks ahead.

mod gpio;
mod gpiote;
mod spi;
mod twi;
mod uart;

use super::{Device, is_device};
use crate::{
    counter::Counter,
    wiring::{Pin, Wiring},
};
use gpio::Gpio;
use gpiote::Gpiote;
use spi::Spi;
use twi::Twi;
use uart::Uart;

pub(crate) struct Nordic {
    timers: Vec<Timer>,
    low: Low,
    gpio: Gpio,
    gpiote: Gpiote,
    uart: Uart,
    twi: Twi,
    spi: Spi,
}

/// The pin with a number in a register; nothing where it says that no pin is connected.
fn pin(number: u32) -> Option<Pin> {
    (number < 64).then_some((number / 32, number % 32))
}

/// The low-frequency clock: a task starts it, and it runs after a delay.
#[derive(Default)]
struct Low {
    source: u32,
    runs_from: Option<u64>,
}

/// A TIMER or an RTC; both have tasks, events and comparators at the same offsets.
struct Timer {
    base: u32,
    is_rtc: bool,
    /// Its largest width: 16 or 32 bits.
    largest: u32,
    counter: Counter,
    /// Started, though it may not count yet.
    wanted: bool,
    bit_mode: u32,
    prescaler: u32,
    compared: bool,
    shortcuts: u32,
    enabled: u32,
    compares: [u32; 4],
}

const RTC_BITS: u32 = 24;
const START_LOW: u32 = 0x4000_0008;
const LOW_STARTED: u32 = 0x4000_0104;
const LOW_STATE: u32 = 0x4000_0418;
const LOW_SOURCE: u32 = 0x4000_0518;

impl Nordic {
    pub(crate) fn new(core: u64, is_nrf51: bool, wiring: &Wiring) -> Nordic {
        let timer = |base, largest| Timer {
            base,
            is_rtc: false,
            largest,
            // After reset the prescaler is 4 and the timer has 16 bits.
            counter: Counter::new(core, 1_000_000, 16, 1),
            wanted: false,
            bit_mode: 0,
            prescaler: 4,
            compared: false,
            shortcuts: 0,
            enabled: 0,
            compares: [0; 4],
        };
        let rtc = |base| Timer {
            is_rtc: true,
            prescaler: 0,
            counter: Counter::new(core, 32_768, RTC_BITS, 2),
            ..timer(base, RTC_BITS)
        };
        let small = if is_nrf51 { 16 } else { 32 };
        let mut timers = vec![timer(0x4000_8000, 32), timer(0x4000_9000, small), timer(0x4000_a000, small)];
        timers.extend([rtc(0x4000_b000), rtc(0x4001_1000)]);
        if !is_nrf51 {
            timers.extend([timer(0x4001_a000, 32), timer(0x4001_b000, 32), rtc(0x4002_4000)]);
        }
        Nordic {
            timers,
            low: Low::default(),
            gpio: Gpio::new(wiring.levels.clone()),
            gpiote: Gpiote::new(is_nrf51),
            uart: Uart::new(core, wiring.line.clone()),
            twi: Twi::new(core, wiring.i2c.clone()),
            spi: Spi::new(core, wiring.spi.clone()),
        }
    }

    /// Advances the serial line and the buses to a time, and sees the edges of pins.
    fn advance(&mut self, now: u64) {
        self.gpiote.observe(&self.gpio);
        self.uart.advance(now);
        self.twi.advance(now);
        self.spi.advance(now, &self.gpio);
    }

    fn timer(&mut self, address: u32) -> Option<&mut Timer> {
        self.timers.iter_mut().find(|timer| timer.base == address & !0xfff)
    }
}

impl Device for Nordic {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let started = u32::from(self.low.runs_from.is_some_and(|from| from <= now));
        match address {
            LOW_STARTED => return Some(started),
            LOW_STATE => return Some(started << 16 | self.low.source),
            LOW_SOURCE => return Some(self.low.source),
            _ => {}
        }
        self.advance(now);
        match address & !0xfff {
            uart::BASE => return Some(self.uart.read(address & 0xfff)),
            twi::BASE => return Some(self.twi.read(address & 0xfff, now)),
            spi::BASE => return Some(self.spi.read(address & 0xfff)),
            gpiote::BASE => return Some(self.gpiote.read(address & 0xfff)),
            _ => {}
        }
        if let Some(pins) = self.gpio.read(address) {
            return Some(pins);
        }
        let Some(timer) = self.timer(address) else { return is_device(address).then_some(0) };
        Some(match address & 0xfff {
            0x140 => u32::from(timer.compared),
            0x200 => timer.shortcuts,
            0x304 | 0x308 => timer.enabled,
            0x504 if timer.is_rtc => timer.counter.value(now),
            0x508 if !timer.is_rtc => timer.bit_mode,
            0x508 | 0x510 => timer.prescaler,
            offset @ (0x540 | 0x544 | 0x548 | 0x54c) => timer.compares[(offset - 0x540) as usize / 4],
            _ => 0,
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64) -> Option<()> {
        match address {
            // The source is chosen before the clock is started.
            LOW_SOURCE if self.low.runs_from.is_none() => self.low.source = value & 3,
            START_LOW if value == 1 && self.low.runs_from.is_none() => {
                // An oscillator takes a while, about 0.6 ms for the internal one.
                self.low.runs_from = Some(now + 10_000);
                for timer in self.timers.iter_mut().filter(|timer| timer.is_rtc && timer.wanted) {
                    timer.counter.start(now + 10_000);
                }
            }
            _ => {}
        }
        self.advance(now);
        match address & !0xfff {
            uart::BASE => self.uart.write(address & 0xfff, value, now),
            twi::BASE => self.twi.write(address & 0xfff, value, now, &self.gpio),
            spi::BASE => self.spi.write(address & 0xfff, value, now, &self.gpio),
            gpiote::BASE => self.gpiote.write(address & 0xfff, value, &self.gpio),
            _ => {
                self.gpio.write(address, value);
            }
        }
        let low = self.low.runs_from;
        let Some(timer) = self.timer(address) else { return is_device(address).then_some(()) };
        timer.write(address & 0xfff, value, now, low);
        Some(())
    }

    fn lines(&mut self, now: u64) -> u64 {
        self.advance(now);
        let mut lines = if self.uart.interrupts() { 1 << (uart::BASE >> 12 & 0x3f) } else { 0 };
        lines |= u64::from(self.gpiote.interrupts()) << (gpiote::BASE >> 12 & 0x3f);
        for timer in &mut self.timers {
            // The event stays until it is cleared.
            let moment = timer.counter.due();
            if timer.counter.has_matched(now) {
                timer.compared = true;
                // COMPARE0_CLEAR
                if let Some(moment) = moment.filter(|_| !timer.is_rtc && timer.shortcuts & 1 == 1) {
                    timer.counter.clear(moment);
                }
            }
            if timer.compared && timer.enabled & 1 << 16 != 0 {
                lines |= 1 << (timer.base >> 12 & 0x3f);
            }
        }
        lines
    }

    fn due(&self) -> Option<u64> {
        let enabled = self.timers.iter().filter(|timer| timer.enabled & 1 << 16 != 0);
        enabled.filter_map(|timer| timer.counter.due()).chain(self.uart.due()).min()
    }
}

impl Timer {
    fn write(&mut self, offset: u32, value: u32, now: u64, low: Option<u64>) {
        match offset {
            0x000 if value == 1 => {
                self.wanted = true;
                match (self.is_rtc, low) {
                    (false, _) => self.counter.start(now),
                    (true, Some(from)) => self.counter.start(from.max(now)),
                    (true, None) => {}
                }
            }
            0x004 if value == 1 => {
                self.wanted = false;
                self.counter.stop(now);
            }
            0x008 if self.is_rtc && value == 1 => self.counter.clear(now),
            0x00c if !self.is_rtc && value == 1 => self.counter.clear(now),
            0x040 | 0x044 | 0x048 | 0x04c if !self.is_rtc && value == 1 => {
                let index = (offset - 0x040) as usize / 4;
                self.compares[index] = self.counter.value(now);
                if index == 0 {
                    self.counter.compare(now, self.compares[0]);
                }
            }
            0x140 if value == 0 => self.compared = false,
            0x200 => self.shortcuts = value,
            0x304 => self.enabled |= value,
            0x308 => self.enabled &= !value,
            // Mode, width and prescaler can only be set while the timer is stopped.
            0x508 if !self.is_rtc && !self.wanted => {
                self.bit_mode = value & 3;
                let bits = [16, 8, 24, 32][self.bit_mode as usize];
                if bits <= self.largest {
                    self.counter.bits = bits;
                }
            }
            0x508 if self.is_rtc && !self.wanted => {
                self.prescaler = value & 0xfff;
                self.counter.frequency = 32_768 / (u64::from(self.prescaler) + 1);
            }
            0x510 if !self.is_rtc && !self.wanted => {
                self.prescaler = value & 0xf;
                self.counter.frequency = 16_000_000 >> self.prescaler;
            }
            0x540 | 0x544 | 0x548 | 0x54c => {
                let index = (offset - 0x540) as usize / 4;
                self.compares[index] = value & (u64::MAX >> (64 - self.counter.bits)) as u32;
                if index == 0 {
                    self.counter.compare(now, self.compares[0]);
                }
            }
            _ => {}
        }
    }
}
