//! Clocks, TIMER and RTC of the nRF51, nRF52 and nRF91 (nRF51 Reference Manual, 13, 18 and 19; nRF52840 Product Specification,
//! 5.4, 6.22 and 6.30; nRF9160 Product Specification, "CLOCK", "RTC" and "TIMER"), and their pins with their edges, serial line and buses,
//! each in a file of its own.
//!
//! After a reset all devices of an nRF91 belong to the secure world: an access at an address of the other one faults.
//!
//! A TIMER requests its clock itself. An RTC counts while the low-frequency clock runs, accepts a prescaler only while
//! it is stopped, and misses a compare value that is less than two ticks ahead.

mod gpio;
mod gpiote;
mod ppi;
mod spi;
mod spim;
mod twi;
mod twim;
mod uart;
mod uarte;

use super::{Device, is_device};
use crate::{
    analog::{Pulse, TRIMMED},
    clocks::Misuse,
    counter::Counter,
    memory::Ram,
    wiring::{Pin, Wiring},
};
use gpio::Gpio;
use gpiote::Gpiote;
use ppi::Ppi;
use spi::Spi;
use spim::Spim;
use std::ops::Range;
use twi::Twi;
use twim::Twim;
use uart::Uart;
use uarte::Uarte;

pub(crate) struct Nordic {
    chip: Chip,
    timers: Vec<Timer>,
    low: Low,
    gpio: Gpio,
    gpiote: Gpiote,
    /// What connects timers with pins, of an nRF51.
    ppi: Option<Ppi>,
    /// The SPI controller with DMA that boards use, if the chip has one, by its first register.
    spim: Option<(u32, Spim)>,
    /// The same for the I2C controller.
    twim: Option<(u32, Twim)>,
    serial: Serial,
    /// The buses without DMA.
    buses: Option<(Twi, Spi)>,
}

/// The serial line. One without DMA and one with it have the same registers, and a program enables one of them.
struct Serial {
    uart: Option<Uart>,
    uarte: Option<Uarte>,
    base: u32,
}

impl Serial {
    /// Whether the one with DMA is in use.
    fn is_direct(&self) -> bool {
        self.uart.is_none() || self.uarte.as_ref().is_some_and(Uarte::is_enabled)
    }

    fn advance(&mut self, now: u64) {
        if !self.is_direct()
            && let Some(uart) = &mut self.uart
        {
            uart.advance(now);
        }
    }

    fn access(&mut self, now: u64, gpio: &Gpio, ram: &mut Ram<'_>) {
        if self.is_direct()
            && let Some(uarte) = &mut self.uarte
        {
            uarte.advance(now, gpio, ram);
        }
    }

    fn read(&mut self, offset: u32) -> u32 {
        let is_direct = self.is_direct();
        match (&mut self.uart, &mut self.uarte) {
            (_, Some(uarte)) if is_direct => uarte.read(offset),
            (Some(uart), _) => uart.read(offset),
            (None, _) => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, now: u64) {
        if let Some(uart) = &mut self.uart {
            uart.write(offset, value, now);
        }
        if let Some(uarte) = &mut self.uarte {
            uarte.write(offset, value, now);
        }
    }

    fn interrupts(&self) -> bool {
        match self.is_direct() {
            true => self.uarte.as_ref().is_some_and(Uarte::interrupts),
            false => self.uart.as_ref().is_some_and(Uart::interrupts),
        }
    }

    fn due(&self) -> Option<u64> {
        match self.is_direct() {
            true => self.uarte.as_ref().and_then(Uarte::due),
            false => self.uart.as_ref().and_then(Uart::due),
        }
    }
}

/// Where a chip has its devices.
struct Chip {
    clock: u32,
    pins: u32,
    gpiote: u32,
    /// The timers, each with its width, and the real-time counters.
    timers: &'static [(u32, u32)],
    counters: &'static [u32],
    /// The addresses that only the non-secure world has.
    foreign: Range<u32>,
    /// The table of trimming values.
    trimming: Range<u32>,
}

const NRF51: Chip = Chip {
    clock: 0x4000_0000,
    pins: 0x5000_0000,
    gpiote: 0x4000_6000,
    timers: &[(0x4000_8000, 32), (0x4000_9000, 16), (0x4000_a000, 16)],
    counters: &[0x4000_b000, 0x4001_1000],
    foreign: 0..0,
    trimming: 0..0,
};

const NRF52: Chip = Chip {
    timers: &[(0x4000_8000, 32), (0x4000_9000, 32), (0x4000_a000, 32), (0x4001_a000, 32), (0x4001_b000, 32)],
    counters: &[0x4000_b000, 0x4001_1000, 0x4002_4000],
    ..NRF51
};

const NRF91: Chip = Chip {
    clock: 0x5000_5000,
    pins: 0x5084_2000,
    gpiote: 0x5000_d000,
    timers: &[(0x5000_f000, 32), (0x5001_0000, 32), (0x5001_1000, 32)],
    counters: &[0x5001_4000, 0x5001_5000],
    foreign: 0x4000_0000..0x5000_0000,
    trimming: 0x00ff_0300..0x00ff_0b00,
};

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
const START_LOW: u32 = 0x008;
const LOW_STARTED: u32 = 0x104;
const LOW_STATE: u32 = 0x418;
const LOW_SOURCE: u32 = 0x518;

impl Nordic {
    pub(crate) fn nrf51(core: u64, wiring: &Wiring) -> Nordic {
        let uart = Some(Uart::new(core, wiring.line.clone()));
        let serial = Serial { uart, uarte: None, base: 0x4000_2000 };
        let chip = Nordic::new(core, NRF51, Gpiote::new(0x1f, 4), serial, wiring);
        Nordic { buses: Some(Nordic::buses(core, wiring)), ppi: Some(Ppi::new()), ..chip }
    }

    pub(crate) fn nrf52(core: u64, wiring: &Wiring) -> Nordic {
        let uart = Some(Uart::new(core, wiring.line.clone()));
        let uarte = Some(Uarte::new(core, wiring.line.clone()));
        let serial = Serial { uart, uarte, base: 0x4000_2000 };
        let chip = Nordic::new(core, NRF52, Gpiote::new(0x3f, 8), serial, wiring);
        let spim = Some((0x4002_3000, Spim::new(core, wiring.spi.clone())));
        Nordic { buses: Some(Nordic::buses(core, wiring)), spim, ..chip }
    }

    pub(crate) fn nrf91(core: u64, wiring: &Wiring) -> Nordic {
        let uarte = Some(Uarte::new(core, wiring.line.clone()));
        let serial = Serial { uart: None, uarte, base: 0x5000_8000 };
        let chip = Nordic::new(core, NRF91, Gpiote::new(0x1f, 8), serial, wiring);
        let spim = Some((0x5000_b000, Spim::new(core, wiring.spi.clone())));
        Nordic { spim, twim: Some((0x5000_a000, Twim::new(core, wiring))), ..chip }
    }

    fn buses(core: u64, wiring: &Wiring) -> (Twi, Spi) {
        (Twi::new(core, wiring.i2c.clone()), Spi::new(core, wiring.spi.clone()))
    }

    fn new(core: u64, chip: Chip, gpiote: Gpiote, serial: Serial, wiring: &Wiring) -> Nordic {
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
        let timers = chip.timers.iter().map(|&(base, bits)| timer(base, bits));
        let timers = timers.chain(chip.counters.iter().map(|base| rtc(*base))).collect();
        let gpio = Gpio::new(chip.pins, wiring.levels.clone());
        let low = Low::default();
        Nordic { chip, timers, low, gpio, gpiote, ppi: None, spim: None, twim: None, serial, buses: None }
    }

    /// Advances the serial line, the buses and what timers do to a time, and sees the edges of pins.
    fn advance(&mut self, now: u64) {
        self.gpio.pulled = self.twim.as_ref().and_then(|(_, twim)| twim.pulled(now));
        if let Some(ppi) = &mut self.ppi {
            ppi.advance(now, &mut self.gpiote);
        }
        self.gpio.driven = self.gpiote.driven();
        self.gpiote.observe(&self.gpio);
        self.serial.advance(now);
        if let Some((twi, spi)) = &mut self.buses {
            twi.advance(now);
            spi.advance(now, &self.gpio);
        }
    }

    /// The table of trimming values has one.
    fn trimming(&self, address: u32) -> Option<u32> {
        self.chip.trimming.contains(&address).then(|| match address - self.chip.trimming.start {
            0 => TRIMMED.0,
            4 => TRIMMED.1,
            _ => u32::MAX,
        })
    }

    /// Reads a register of the serial line or of a bus.
    fn read_device(&mut self, address: u32, now: u64) -> Option<u32> {
        let (base, offset) = (address & !0xfff, address & 0xfff);
        if let Some((_, spim)) = self.spim.as_ref().filter(|(own, _)| *own == base) {
            return Some(spim.read(offset));
        }
        if let Some((_, twim)) = self.twim.as_ref().filter(|(own, _)| *own == base) {
            return Some(twim.read(offset));
        }
        if base == self.serial.base {
            return Some(self.serial.read(offset));
        }
        match &mut self.buses {
            Some((twi, _)) if base == twi::BASE => Some(twi.read(offset, now)),
            Some((_, spi)) if base == spi::BASE => Some(spi.read(offset)),
            Some(_) | None => None,
        }
    }

    /// Writes a register of the serial line or of a bus; whether it is one.
    fn write_device(&mut self, address: u32, value: u32, now: u64) -> bool {
        let (base, offset) = (address & !0xfff, address & 0xfff);
        if let Some((_, spim)) = self.spim.as_mut().filter(|(own, _)| *own == base) {
            spim.write(offset, value);
            return true;
        }
        if let Some((_, twim)) = self.twim.as_mut().filter(|(own, _)| *own == base) {
            twim.write(offset, value, now);
            return true;
        }
        if base == self.serial.base {
            self.serial.write(offset, value, now);
            return true;
        }
        match &mut self.buses {
            Some((twi, _)) if base == twi::BASE => twi.write(offset, value, now, &self.gpio),
            Some((_, spi)) if base == spi::BASE => spi.write(offset, value, now, &self.gpio),
            Some(_) | None => return false,
        }
        true
    }

    /// Writes a register of the pins, if it is one. The program may raise the clock of a bus by its pin.
    fn write_pins(&mut self, address: u32, value: u32) {
        let clock = self.twim.as_ref().and_then(|(_, twim)| twim.lines()[0]);
        let is_raised = |gpio: &Gpio| clock.is_some_and(|clock| gpio.is_output(clock) && gpio.level(clock));
        let before = is_raised(&self.gpio);
        self.gpio.write(address, value);
        if let Some((_, twim)) = self.twim.as_ref().filter(|_| !before && is_raised(&self.gpio)) {
            twim.pulse();
        }
    }

    fn timer(&mut self, address: u32) -> Option<&mut Timer> {
        self.timers.iter_mut().find(|timer| timer.base == address & !0xfff)
    }
}

impl Device for Nordic {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if let Some(word) = self.trimming(address) {
            return Some(word);
        }
        if self.chip.foreign.contains(&address) {
            return None;
        }
        let started = u32::from(self.low.runs_from.is_some_and(|from| from <= now));
        match address.wrapping_sub(self.chip.clock) {
            LOW_STARTED => return Some(started),
            LOW_STATE => return Some(started << 16 | self.low.source),
            LOW_SOURCE => return Some(self.low.source),
            _ => {}
        }
        self.advance(now);
        if address & !0xfff == self.chip.gpiote {
            return Some(self.gpiote.read(address & 0xfff));
        }
        if let Some(ppi) = self.ppi.as_ref().filter(|_| address & !0xfff == ppi::BASE) {
            return Some(ppi.read(address & 0xfff));
        }
        if let Some(word) = self.read_device(address, now).or_else(|| self.gpio.read(address)) {
            return Some(word);
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
        if self.chip.foreign.contains(&address) {
            return None;
        }
        match address.wrapping_sub(self.chip.clock) {
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
        if let Some(ppi) = &mut self.ppi {
            ppi.write(address, value, now);
        }
        if address & !0xfff == self.chip.gpiote {
            self.gpiote.write(address & 0xfff, value, now, &self.gpio);
        } else if !self.write_device(address, value, now) {
            self.write_pins(address, value);
        }
        let low = self.low.runs_from;
        let Some(timer) = self.timer(address) else { return is_device(address).then_some(()) };
        timer.write(address & 0xfff, value, now, low);
        Some(())
    }

    fn access(&mut self, now: u64, ram: &mut Ram<'_>) {
        self.serial.access(now, &self.gpio, ram);
        if let Some((_, spim)) = &mut self.spim {
            spim.advance(now, &self.gpio, ram);
        }
        if let Some((_, twim)) = &mut self.twim {
            twim.advance(now, &self.gpio, ram);
        }
    }

    fn lines(&mut self, now: u64) -> u128 {
        self.advance(now);
        let mut lines = u128::from(self.serial.interrupts()) << (self.serial.base >> 12 & 0x3f);
        if let Some((base, spim)) = &self.spim {
            lines |= u128::from(spim.interrupts()) << (base >> 12 & 0x3f);
        }
        lines |= u128::from(self.gpiote.interrupts()) << (self.chip.gpiote >> 12 & 0x3f);
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
        let of_line = self.serial.due();
        let of_bus = self.spim.as_ref().and_then(|(_, spim)| spim.due());
        enabled.filter_map(|timer| timer.counter.due()).chain(of_line).chain(of_bus).min()
    }

    fn pulse(&self, pin: Pin) -> Option<Pulse> {
        self.ppi.as_ref()?.pulse(pin, &self.gpiote)
    }

    fn edges(&self, pin: Pin) -> &[(u64, bool)] {
        self.gpiote.edges(pin)
    }

    fn misuse(&self) -> Option<Misuse> {
        let of_line = self.serial.uarte.as_ref().and_then(Uarte::misuse);
        let of_pins = self.ppi.as_ref().and_then(Ppi::misuse).or(self.gpiote.misuse());
        of_line.or(self.twim.as_ref().and_then(|(_, twim)| twim.misuse())).or(of_pins)
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
