//! The converter and the PWM slices of RP2040 and RP2350 (RP2040 data sheet, 4.9, 4.5, 2.15 and 2.18; RP2350 data sheet, 12.4, 12.5, 8.1
//! and 8.6).
//!
//! The converter needs its clock of 48 MHz, from a phase-locked loop that has been configured before it is turned on. The digital part of
//! an input is off. Devices that are held in reset ignore writes.

use super::{Analog, Pulse, Registers, voltage};
use crate::{
    clocks::Shared,
    devices::written,
    memory::Ram,
    wiring::{Pin, Voltages},
};

pub(crate) struct RaspberryPi {
    chip: Chip,
    /// The frequency of the core after the start, in whose cycles time is.
    core: u64,
    shared: Shared,
    voltages: Voltages,
    registers: Registers,
    /// When the loop has locked.
    locks: Option<u64>,
    /// When the converter is ready, if it is on, and its last value.
    ready: Option<u64>,
    value: u32,
}

/// The differences between the chips.
struct Chip {
    resets: u32,
    /// The bits in RESETS: the loop, the timers, the pins and the pads.
    loop_reset: u32,
    timer_reset: u32,
    pins_reset: u32,
    pads_reset: u32,
    pins: u32,
    pads: u32,
    pad: u32,
    loop_base: u32,
    clock: u32,
    adc: u32,
    pwm: u32,
}

impl RaspberryPi {
    pub(crate) fn rp2040(core: u64, shared: &Shared, voltages: Voltages) -> RaspberryPi {
        RaspberryPi::new(
            core,
            shared,
            voltages,
            Chip {
                resets: 0x4000_c000,
                loop_reset: 13,
                timer_reset: 14,
                pins_reset: 5,
                pads_reset: 8,
                pins: 0x4001_4000,
                pads: 0x4001_c000,
                pad: 0x56,
                loop_base: 0x4002_c000,
                clock: 0x4000_8060,
                adc: 0x4004_c000,
                pwm: 0x4005_0000,
            },
        )
    }

    pub(crate) fn rp2350(core: u64, shared: &Shared, voltages: Voltages) -> RaspberryPi {
        RaspberryPi::new(
            core,
            shared,
            voltages,
            Chip {
                resets: 0x4002_0000,
                loop_reset: 15,
                timer_reset: 16,
                pins_reset: 6,
                pads_reset: 9,
                pins: 0x4002_8000,
                pads: 0x4003_8000,
                pad: 0x116,
                loop_base: 0x4005_8000,
                clock: 0x4001_006c,
                adc: 0x400a_0000,
                pwm: 0x400a_8000,
            },
        )
    }

    fn new(core: u64, shared: &Shared, voltages: Voltages, chip: Chip) -> RaspberryPi {
        let (shared, registers) = (shared.clone(), Registers::default());
        RaspberryPi { chip, core, shared, voltages, registers, locks: None, ready: None, value: 0 }
    }

    fn is_held(&self, bit: u32) -> bool {
        self.registers.get_or(self.chip.resets, u32::MAX) >> bit & 1 == 1
    }

    fn pad(&self, number: u32) -> u32 {
        self.registers.get_or(self.chip.pads + 4 + number * 4, self.chip.pad)
    }

    fn function(&self, number: u32) -> u32 {
        self.registers.get_or(self.chip.pins + 4 + number * 8, 0x1f) & 0x1f
    }

    /// The frequency of the converter's clock, in hertz.
    fn clock(&self, now: u64) -> u64 {
        let of = |offset| self.registers.get(self.chip.loop_base + offset);
        let (first, second) = (of(0xc) >> 16 & 7, of(0xc) >> 12 & 7);
        let is_running = self.locks.is_some_and(|locks| locks <= now) && of(4) & 0x29 == 0 && of(0) & 0x3f == 1;
        let oscillator = 12_000_000 * u64::from(of(8));
        let is_allowed = (750_000_000..=1_600_000_000).contains(&oscillator);
        let is_enabled = self.registers.get(self.chip.clock) & 0x8e0 == 0x800;
        match is_running && is_allowed && is_enabled && first * second > 0 {
            true => oscillator / u64::from(first * second),
            false => 0,
        }
    }

    fn write_converter(&mut self, value: u32, now: u64) {
        let is_on = self.registers.get(self.chip.adc) & 1 == 1;
        if self.clock(now) != 48_000_000 || value & 1 == 0 {
            self.ready = None;
        } else if !is_on {
            self.ready = Some(now + self.core / 1_000_000);
        } else if value & 4 == 4 && self.ready.is_some_and(|ready| ready <= now) {
            let number = 26 + (value >> 12 & 7);
            // Output off, input off, no pull resistors, and not isolated.
            let is_analog = self.pad(number) & 0x1cc == 0x80;
            self.value = if is_analog { voltage(&self.voltages, (0, number)) } else { 0 };
            self.ready = Some(now + self.core * 2 / 1_000_000);
        }
    }
}

impl Analog for RaspberryPi {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let chip = &self.chip;
        if address == chip.loop_base {
            return Some(self.registers.get(address) | u32::from(self.locks.is_some_and(|locks| locks <= now)) << 31);
        }
        if address == chip.adc {
            let is_ready = self.ready.is_some_and(|ready| ready <= now);
            return Some(self.registers.get(address) & !4 | u32::from(is_ready) << 8);
        }
        if address == chip.adc + 4 {
            return Some(self.value);
        }
        let number_of = |first: u32, size: u32| {
            let offset = address.checked_sub(first)?;
            (offset / size < 30 && offset.is_multiple_of(size)).then_some(offset / size)
        };
        if let Some(number) = number_of(chip.pads + 4, 4) {
            return Some(if self.is_held(chip.pads_reset) { 0 } else { self.pad(number) });
        }
        if let Some(number) = number_of(chip.pins + 4, 8) {
            return Some(if self.is_held(chip.pins_reset) { 0 } else { self.function(number) });
        }
        let is_timer = (chip.pwm..chip.pwm + 8 * 0x14).contains(&address);
        is_timer.then(|| if self.is_held(chip.timer_reset) { 0 } else { self.registers.get(address) })
    }

    fn write(&mut self, address: u32, value: u32, now: u64, _: &mut Ram<'_>) {
        let chip = &self.chip;
        let held = [
            (chip.pads, chip.pads_reset),
            (chip.pins, chip.pins_reset),
            (chip.loop_base, chip.loop_reset),
            (chip.adc, 0),
            (chip.pwm, chip.timer_reset),
        ];
        if held.into_iter().any(|(base, bit)| address & !0x3fff == base && self.is_held(bit)) {
            return;
        }
        let (loop_base, adc, resets) = (chip.loop_base, chip.adc, chip.resets);
        let (address, value) = match address & !0x3000 == resets {
            true => (resets, written(self.registers.get_or(resets, u32::MAX), address, value)),
            false => (address, value),
        };
        if address == loop_base + 4 {
            // It is configured before it is turned on.
            let is_configured = self.registers.get(loop_base + 8) > 0;
            self.locks = (value & 0x21 == 0 && is_configured).then(|| self.locks.unwrap_or(now + self.core / 10_000));
        }
        if address == adc {
            self.write_converter(value, now);
        }
        self.registers.set(address, value);
        if address == resets && self.is_held(0) {
            self.registers.set(adc, 0);
            self.ready = None;
        }
        if address == resets && self.is_held(self.chip.loop_reset) {
            self.locks = None;
        }
    }

    fn pulse(&self, (_, number): Pin) -> Option<Pulse> {
        let base = self.chip.pwm + (number >> 1 & 7) * 0x14;
        let of = |offset| self.registers.get(base + offset);
        let is_connected = self.function(number) == 4 && self.pad(number) & 0x180 == 0;
        let divider = u64::from(of(4) >> 4 & 0xff);
        let high = of(0xc) >> (number % 2 * 16) & 0xffff;
        let is_on = is_connected && of(0) & 1 == 1 && divider > 0;
        is_on.then(|| Pulse::of(self.shared.get().core / divider, u64::from(of(0x10)) + 1, u64::from(high)))
    }
}
