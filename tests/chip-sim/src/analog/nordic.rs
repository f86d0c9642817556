//! SAADC and PWM of nRF52833, nRF52840 and nRF9160 (their Product Specifications, "SAADC" and "PWM"). Both access RAM only.
//!
//! The converter takes a sample after it has been enabled and started, in this order. The pin of a PWM is selected while that is disabled,
//! and is an output before.

use super::{Analog, Pulse, Registers, voltage};
use crate::{
    memory::Ram,
    wiring::{Pin, Voltages},
};

pub(crate) struct Nordic {
    chip: Chip,
    voltages: Voltages,
    registers: Registers,
    /// When events of the converter come.
    events: Times,
    is_started: bool,
    timers: [Timer; 4],
}

/// When each of three events comes: it has started, has filled its buffer, has stopped.
#[derive(Default)]
struct Times([Option<u64>; 3]);

#[derive(Clone, Copy, Default)]
struct Timer {
    is_playing: bool,
    /// The width, with the bit that says where in the period the pulse is.
    width: u16,
    stops: Option<u64>,
}

/// What differs between the chips.
struct Chip {
    saadc: u32,
    pwm: [u32; 4],
    /// The pins of AIN0 to AIN7, of port 0.
    inputs: [u32; 8],
    /// The configurations of pins.
    pins: u32,
    /// The register of the converter that must have its trimming value, and that value.
    trimmed: Option<(u32, u32)>,
}

const NRF52: Chip = Chip {
    saadc: 0x4000_7000,
    pwm: [0x4001_c000, 0x4002_1000, 0x4002_2000, 0x4002_d000],
    inputs: [2, 3, 4, 5, 28, 29, 30, 31],
    pins: 0x5000_0700,
    trimmed: None,
};

const NRF91: Chip = Chip {
    saadc: 0x5000_e000,
    pwm: [0x5002_1000, 0x5002_2000, 0x5002_3000, 0x5002_4000],
    inputs: [13, 14, 15, 16, 17, 18, 19, 20],
    pins: 0x5084_2700,
    trimmed: Some(TRIMMED),
};

/// A register of the converter of an nRF91 and its trimming value, as the table of the chip has them in the model; a real one has others.
pub(crate) const TRIMMED: (u32, u32) = (0x5000_e640, 0x5a);

/// The tasks of the converter, and the events that follow them.
const TASKS: [u32; 3] = [0, 4, 8];
const EVENTS: [u32; 3] = [0x100, 0x104, 0x114];
impl Nordic {
    pub(crate) fn nrf52(voltages: Voltages) -> Nordic {
        Nordic::new(NRF52, voltages)
    }

    pub(crate) fn nrf91(voltages: Voltages) -> Nordic {
        Nordic::new(NRF91, voltages)
    }

    fn new(chip: Chip, voltages: Voltages) -> Nordic {
        Nordic {
            chip,
            voltages,
            registers: Registers::default(),
            events: Times::default(),
            is_started: false,
            timers: [Timer::default(); 4],
        }
    }

    fn is_on(&self) -> bool {
        self.registers.get(self.chip.saadc + 0x500) & 1 == 1
    }

    /// A sample of the selected input, by its gain, its reference and the resolution; the supply has 3 V.
    fn sample(&self) -> Option<u16> {
        let of = |offset| self.registers.get(self.chip.saadc + offset);
        if self.chip.trimmed.is_some_and(|(register, value)| self.registers.get(register) != value) {
            return None;
        }
        let input = self.chip.inputs.get((of(0x510) as usize).checked_sub(1)?)?;
        let config = of(0x518);
        let gain = [1.0 / 6.0, 0.2, 0.25, 1.0 / 3.0, 0.5, 1.0, 2.0, 4.0][(config >> 8 & 7) as usize];
        let reference = if config >> 12 & 1 == 1 { 0.75 } else { 0.6 };
        let bits = [8, 10, 12, 14][(self.registers.get_or(self.chip.saadc + 0x5f0, 1) & 3) as usize];
        let volts = f64::from(voltage(&self.voltages, (0, *input))) * 3.0 / 4095.0;
        let full = f64::from((1 << bits) - 1);
        Some((volts * gain / reference * full).round().min(full) as u16)
    }

    fn task(&mut self, task: usize, now: u64, ram: &mut Ram<'_>) {
        if !self.is_on() {
            return;
        }
        let ends = match task {
            0 => {
                self.is_started = true;
                now + 10
            }
            1 => {
                let Some(sample) = self.sample().filter(|_| self.is_started) else { return };
                if self.registers.get(self.chip.saadc + 0x630) == 0 {
                    return;
                }
                ram.set_half(self.registers.get(self.chip.saadc + 0x62c), sample);
                now + 12 * 64
            }
            _ => {
                self.is_started = false;
                now + 10
            }
        };
        self.events.0[task] = Some(ends);
    }

    fn write_timer(&mut self, index: usize, offset: u32, value: u32, now: u64, ram: &Ram<'_>) {
        let base = self.chip.pwm[index];
        let is_on = self.registers.get(base + 0x500) & 1 == 1;
        match offset {
            0x004 if value == 1 && self.timers[index].is_playing => {
                let counts = u64::from(self.registers.get(base + 0x508)) << self.registers.get(base + 0x50c);
                self.timers[index].stops = Some(now + counts * 4);
            }
            0x008 if value == 1 && is_on && self.registers.get(base + 0x524) > 0 => {
                if let Some(width) = ram.half(self.registers.get(base + 0x520)) {
                    self.timers[index] = Timer { is_playing: true, width, stops: None };
                }
            }
            0x104 if value == 0 => self.timers[index].stops = None,
            0x560 if is_on => {}
            0x500 => {
                self.timers[index].is_playing &= value & 1 == 1;
                self.registers.set(base + offset, value);
            }
            _ => self.registers.set(base + offset, value),
        }
    }
}

impl Analog for Nordic {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let offset = address & 0xfff;
        if address & !0xfff == self.chip.saadc {
            let event = EVENTS.iter().position(|event| *event == offset);
            return Some(match event {
                Some(event) => u32::from(self.events.0[event].is_some_and(|comes| comes <= now)),
                None => self.registers.get(address),
            });
        }
        let index = self.chip.pwm.iter().position(|base| *base == address & !0xfff)?;
        if offset == 0x104 {
            let timer = &mut self.timers[index];
            let has_stopped = timer.stops.is_some_and(|stops| stops <= now);
            timer.is_playing &= !has_stopped;
            return Some(u32::from(has_stopped));
        }
        Some(self.registers.get_or(address, if offset == 0x560 { u32::MAX } else { 0 }))
    }

    fn write(&mut self, address: u32, value: u32, now: u64, ram: &mut Ram<'_>) {
        let offset = address & 0xfff;
        if address & !0xfff == self.chip.saadc {
            if let Some(task) = TASKS.iter().position(|task| *task == offset) {
                self.task(task, now, ram);
            } else if let Some(event) = EVENTS.iter().position(|event| *event == offset) {
                self.events.0[event] = None;
            } else {
                self.registers.set(address, value);
            }
        } else if let Some(index) = self.chip.pwm.iter().position(|base| *base == address & !0xfff) {
            self.write_timer(index, offset, value, now, ram);
        } else {
            self.registers.set(address, value);
        }
    }

    fn pulse(&self, (port, number): Pin) -> Option<Pulse> {
        let is_output = self.registers.get(self.chip.pins + port * 0x300 + number * 4) & 1 == 1;
        let (index, base) = self.chip.pwm.iter().enumerate().find(|(index, base)| {
            let is_on = self.registers.get(**base + 0x500) & 1 == 1;
            let has_pin = self.registers.get_or(**base + 0x560, u32::MAX) == port * 32 + number;
            is_output && is_on && has_pin && self.timers[*index].is_playing
        })?;
        let (top, prescaler) = (self.registers.get(base + 0x508), self.registers.get(base + 0x50c));
        let width = self.timers[index].width;
        let low = u64::from(width & 0x7fff).min(u64::from(top));
        let high = if width >> 15 == 1 { low } else { u64::from(top) - low };
        (3..0x8000).contains(&top).then(|| Pulse::of(16_000_000 >> prescaler, u64::from(top), high))
    }
}
