//! ADC1 and the timers TIM2 to TIM4 of STM32 (RM0008, 11 and 15; RM0090, 13 and 18; RM0438, 21 and "General-purpose timers").
//!
//! A device without its clock ignores writes and reads as zero. A converter takes a time to become stable: that of the F1 and the L5 is
//! calibrated meanwhile, and is wrong otherwise. A timer takes its period over at an update.

use super::{Analog, Pulse, Registers, voltage};
use crate::{
    clocks::Shared,
    memory::Ram,
    wiring::{Pin, Voltages},
};

pub(crate) struct Stm32 {
    chip: Chip,
    shared: Shared,
    /// The cycles of the core in a microsecond.
    microsecond: u64,
    voltages: Voltages,
    registers: Registers,
    /// When the converter is stable, if it is on.
    stable: Option<u64>,
    is_calibrated: bool,
    /// When a calibration, or a step before it, ends.
    calibrates: u64,
    /// The value of the last conversion, and when that ends.
    value: u32,
    converted: Option<u64>,
    /// The prescalers and the reload values that count.
    periods: [(u32, u32); 3],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chip {
    F1,
    F4,
    L5,
}

impl Stm32 {
    pub(crate) fn f1(core: u64, shared: &Shared, voltages: Voltages) -> Stm32 {
        Stm32::new(Chip::F1, core, shared, voltages)
    }

    pub(crate) fn f4(core: u64, shared: &Shared, voltages: Voltages) -> Stm32 {
        Stm32::new(Chip::F4, core, shared, voltages)
    }

    pub(crate) fn l5(core: u64, shared: &Shared, voltages: Voltages) -> Stm32 {
        Stm32::new(Chip::L5, core, shared, voltages)
    }

    fn new(chip: Chip, core: u64, shared: &Shared, voltages: Voltages) -> Stm32 {
        Stm32 {
            chip,
            shared: shared.clone(),
            microsecond: core / 1_000_000,
            voltages,
            registers: Registers::default(),
            stable: None,
            is_calibrated: chip == Chip::F4,
            calibrates: 0,
            value: 0,
            converted: None,
            periods: [(0, 0xffff); 3],
        }
    }

    /// The converter.
    fn adc(&self) -> u32 {
        match self.chip {
            Chip::F1 => 0x4001_2400,
            Chip::F4 => 0x4001_2000,
            Chip::L5 => 0x4202_8000,
        }
    }

    /// What enables the clock of the converter.
    fn adc_clock(&self) -> (u32, u32) {
        match self.chip {
            Chip::F1 => (0x4002_1018, 9),
            Chip::F4 => (0x4002_3844, 8),
            Chip::L5 => (0x4002_104c, 13),
        }
    }

    /// The first port, and what enables the clock of a port.
    fn port(&self, port: u32) -> (u32, (u32, u32)) {
        match self.chip {
            Chip::F1 => (0x4001_0800 + port * 0x400, (0x4002_1018, port + 2)),
            Chip::F4 => (0x4002_0000 + port * 0x400, (0x4002_3830, port)),
            Chip::L5 => (0x4202_0000 + port * 0x400, (0x4002_104c, port)),
        }
    }

    /// The register that enables the clocks of timers.
    fn timer_clocks(&self) -> u32 {
        match self.chip {
            Chip::F1 => 0x4002_101c,
            Chip::F4 => 0x4002_3840,
            Chip::L5 => 0x4002_1058,
        }
    }

    /// The four bits that configure a pin of an F1: its mode.
    fn nibble(&self, (port, number): Pin) -> u32 {
        let at = self.port(port).0 + number / 8 * 4;
        self.registers.get_or(at, 0x4444_4444) >> (number % 8 * 4) & 0xf
    }

    fn mode(&self, (port, number): Pin) -> u32 {
        self.registers.get(self.port(port).0) >> (number * 2) & 3
    }

    fn is_analog(&self, pin: Pin) -> bool {
        match self.chip {
            Chip::F1 => self.nibble(pin) == 0,
            Chip::F4 | Chip::L5 => self.mode(pin) == 3,
        }
    }

    /// The pin of a channel.
    fn pin_of(&self, channel: u32) -> Option<Pin> {
        match (self.chip, channel) {
            (Chip::L5, 1..=4) => Some((2, channel - 1)),
            (Chip::L5, 5..=12) => Some((0, channel - 5)),
            (Chip::L5, 13..=14) => Some((2, channel - 9)),
            (Chip::L5, 15..=16) => Some((1, channel - 15)),
            (Chip::F1 | Chip::F4, 0..=7) => Some((0, channel)),
            (Chip::F1 | Chip::F4, 8..=9) => Some((1, channel - 8)),
            (Chip::F1 | Chip::F4, 10..=15) => Some((2, channel - 10)),
            _ => None,
        }
    }

    /// Whether the clock of the converter is in its limits (data sheets, "ADC characteristics"): of an F1 at most 14 MHz, of an F2 and F4 at
    /// most 30 MHz, and half of the core's clock of an L5 at most 80 MHz.
    fn is_slow_enough(&self) -> bool {
        let bus = self.shared.get().buses[1];
        match self.chip {
            Chip::F1 => bus / (u64::from(self.registers.get(0x4002_1004) >> 14 & 3) * 2 + 2) <= 14_000_000,
            Chip::F4 => bus / (u64::from(self.registers.get(0x4001_2304) >> 16 & 3) * 2 + 2) <= 30_000_000,
            Chip::L5 => bus / 2 <= 80_000_000,
        }
    }

    fn convert(&mut self, channel: u32, now: u64) {
        let is_stable = self.stable.is_some_and(|stable| stable <= now) && self.calibrates <= now;
        let is_ready = is_stable && self.is_slow_enough();
        let Some(pin) = self.pin_of(channel).filter(|pin| is_ready && self.is_analog(*pin)) else { return };
        let error = if self.is_calibrated { 0 } else { 60 };
        self.value = (voltage(&self.voltages, pin) + error).min(4095);
        self.converted = Some(now + 20 * self.microsecond);
    }

    fn write_control(&mut self, before: u32, value: u32, now: u64) {
        match self.chip {
            Chip::L5 => self.write_control_of_l5(before, value, now),
            Chip::F1 | Chip::F4 => {
                if value & 1 == 0 {
                    self.stable = None;
                } else if before & 1 == 0 {
                    self.stable = Some(now + self.microsecond * if self.chip == Chip::F1 { 1 } else { 3 });
                    self.is_calibrated = self.chip == Chip::F4;
                }
                let is_stable = self.stable.is_some_and(|stable| stable <= now);
                if self.chip == Chip::F1 && value & 0xc != 0 && is_stable && before & 1 == 1 {
                    self.is_calibrated = value & 4 != 0;
                    self.calibrates = now + 10 * self.microsecond;
                }
                let starts = match self.chip {
                    Chip::F1 => value & 0x5e_0001 == 0x5e_0001,
                    Chip::F4 | Chip::L5 => value & 0x4000_0001 == 0x4000_0001,
                };
                if starts && before & 1 == 1 {
                    self.convert(self.registers.get(self.adc() + 0x34) & 0x1f, now);
                }
            }
        }
    }

    /// Deep power down is left first, then the regulator is on for 20 us, then the converter is calibrated, and then enabled.
    fn write_control_of_l5(&mut self, before: u32, value: u32, now: u64) {
        let has_regulator = value >> 28 & 3 == 1;
        if has_regulator && before >> 28 & 3 == 0 {
            self.calibrates = now + 20 * self.microsecond;
        }
        let is_ready = has_regulator && before >> 28 & 3 == 1 && self.calibrates <= now;
        if is_ready && value >> 31 == 1 && before & 1 == 0 {
            self.calibrates = now + 60 * self.microsecond;
            self.is_calibrated = true;
        } else if is_ready && value & 1 == 1 && self.stable.is_none() {
            self.stable = Some(now + 2 * self.microsecond);
        } else if value & 2 == 2 || !has_regulator {
            self.stable = None;
            self.is_calibrated &= has_regulator;
        }
        if value & 4 == 4 && before & 1 == 1 {
            self.convert(self.registers.get(self.adc() + 0x30) >> 6 & 0x1f, now);
        }
    }

    /// What reading the control register returns: the bits that are set until something is done are clear then.
    fn control(&self, now: u64) -> u32 {
        let register = self.adc() + 8;
        let control = self.registers.get_or(register, if self.chip == Chip::L5 { 0x2000_0000 } else { 0 });
        let is_busy = self.calibrates > now;
        match self.chip {
            Chip::F1 => control & !0x40_0000 & if is_busy { u32::MAX } else { !0xc },
            Chip::F4 => control & !0x4000_0000,
            Chip::L5 => {
                let on = u32::from(self.stable.is_some());
                control & 0x7000_0000 | on | if is_busy { control & 0x8000_0000 } else { 0 }
            }
        }
    }

    /// The registers of the converter; nothing for those without an effect on reading.
    fn read_adc(&mut self, offset: u32, now: u64) -> u32 {
        if !self.registers.has(self.adc_clock()) {
            return 0;
        }
        let has_converted = self.converted.is_some_and(|converted| converted <= now);
        let status = if self.chip == Chip::L5 {
            let is_ready = self.stable.is_some_and(|stable| stable <= now);
            u32::from(is_ready) | u32::from(has_converted) << 2
        } else {
            u32::from(has_converted) << 1
        };
        match offset {
            0x00 => status,
            0x08 => self.control(now),
            0x40 if self.chip == Chip::L5 && has_converted => self.result(),
            0x4c if self.chip != Chip::L5 && has_converted => self.result(),
            _ => self.registers.get(self.adc() + offset),
        }
    }

    /// The value, whose flag is cleared by reading it.
    fn result(&mut self) -> u32 {
        self.converted = None;
        self.value
    }

    /// The timer and its register of an address, if its clock is on.
    fn timer(&self, address: u32) -> Option<(usize, u32)> {
        let index = address.checked_sub(0x4000_0000)? / 0x400;
        let is_timer = index < 3 && self.registers.has((self.timer_clocks(), index));
        is_timer.then_some((index as usize, address & 0x3ff))
    }

    /// The timer and the channel of a pin (data sheets, "Alternate function mapping" and "Pin definitions").
    fn channel_of(&self, pin: Pin) -> Option<(u32, u32)> {
        let usual = match pin {
            (0, 0..=3) => (0, pin.1),
            (0, 6..=7) => (1, pin.1 - 6),
            (1, 0..=1) => (1, pin.1 + 2),
            (1, 6..=9) => (2, pin.1 - 6),
            _ if self.chip == Chip::F1 => return None,
            (0, 5 | 15) => (0, 0),
            (1, 3) => (0, 1),
            (1, 10..=11) => (0, pin.1 - 8),
            (1, 4..=5) => (1, pin.1 - 4),
            (2, 6..=9) => (1, pin.1 - 6),
            (3, 12..=15) => (2, pin.1 - 12),
            _ => return None,
        };
        Some(usual)
    }

    /// Whether a pin is connected to a timer.
    fn is_connected(&self, pin: Pin, timer: u32) -> bool {
        let (port, number) = pin;
        match self.chip {
            Chip::F1 => self.nibble(pin) & 0xc == 8 && self.nibble(pin) & 3 != 0,
            Chip::F4 | Chip::L5 => {
                let functions = self.registers.get(self.port(port).0 + 0x20 + number / 8 * 4);
                let function = functions >> (number % 8 * 4) & 0xf;
                self.mode(pin) == 2 && function == if timer == 0 { 1 } else { 2 }
            }
        }
    }

    /// The port and the register of an address that configures pins.
    fn port_register(&self, address: u32) -> Option<(u32, u32)> {
        let offset = address.checked_sub(self.port(0).0)?;
        let configures = match self.chip {
            Chip::F1 => offset % 0x400 <= 4,
            Chip::F4 | Chip::L5 => matches!(offset % 0x400, 0x00 | 0x04 | 0x0c | 0x20 | 0x24),
        };
        (offset / 0x400 < 9 && configures).then_some((offset / 0x400, offset % 0x400))
    }
}

impl Analog for Stm32 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if self.chip == Chip::L5 && address == 0x4002_104c {
            return Some(self.registers.get(address));
        }
        if address & !0x3ff == self.adc() & !0x3ff {
            return Some(self.read_adc(address & 0x3ff, now));
        }
        if let Some((port, _)) = self.port_register(address) {
            let has_clock = self.registers.has(self.port(port).1);
            let reset = if self.chip == Chip::F1 { 0x4444_4444 } else { 0 };
            return Some(if has_clock { self.registers.get_or(address, reset) } else { 0 });
        }
        let (_, register) = self.timer(address)?;
        let reset = if register == 0x2c { 0xffff } else { 0 };
        matches!(register, 0x18 | 0x1c | 0x20 | 0x28 | 0x2c | 0x34..=0x40)
            .then(|| self.registers.get_or(address, reset))
    }

    fn write(&mut self, address: u32, value: u32, now: u64, _: &mut Ram<'_>) {
        if address & !0x3ff == self.adc() & !0x3ff {
            if !self.registers.has(self.adc_clock()) {
                return;
            }
            if address == self.adc() + 8 {
                let before = self.control(now);
                self.write_control(before, value, now);
            }
            self.registers.set(address, value);
            return;
        }
        if let Some((port, _)) = self.port_register(address) {
            if self.registers.has(self.port(port).1) {
                self.registers.set(address, value);
            }
            return;
        }
        let is_timer = (0x4000_0000..0x4000_0c00).contains(&address);
        let timer = self.timer(address);
        if is_timer && timer.is_none() {
            return;
        }
        if let Some((index, 0x14)) = timer
            && value & 1 == 1
        {
            let base = address & !0x3ff;
            self.periods[index] = (self.registers.get(base + 0x28), self.registers.get_or(base + 0x2c, 0xffff));
        }
        self.registers.set(address, value);
    }

    fn pulse(&self, pin: Pin) -> Option<Pulse> {
        let (timer, channel) = self.channel_of(pin)?;
        let base = 0x4000_0000 + timer * 0x400;
        let of = |offset| self.registers.get(base + offset);
        let mode = of(0x18 + channel / 2 * 4) >> (channel % 2 * 8) & 0xff;
        let is_on = of(0x00) & 1 == 1 && of(0x20) >> (channel * 4) & 1 == 1 && mode >> 4 & 7 == 6;
        let (prescaler, reload) = self.periods[timer as usize];
        let clock = self.shared.get().timers[0] / (u64::from(prescaler) + 1);
        let high = u64::from(of(0x34 + channel * 4));
        (is_on && self.is_connected(pin, timer)).then(|| Pulse::of(clock, u64::from(reload) + 1, high))
    }
}
