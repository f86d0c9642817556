//! ADC of nRF51 (nRF51 Series Reference Manual, chapter 31). Its pulses are those of its PPI (`devices/nordic/ppi.rs`).
//!
//! A conversion runs while the converter is enabled, and of one selected input.

use super::{Analog, Pulse, Registers, voltage};
use crate::{
    memory::Ram,
    wiring::{Pin, Voltages},
};

const ADC: u32 = 0x4000_7000;

/// The pins of AIN0 to AIN7 (nRF51822 Product Specification, "Pin assignments").
const INPUTS: [u32; 8] = [26, 27, 1, 2, 3, 4, 5, 6];

/// The cycles of the core that a conversion takes, by its bits: 8, 9 and 10 (nRF51822 Product Specification, "Analog to Digital Converter").
const CYCLES: [u64; 3] = [20 * 16, 36 * 16, 68 * 16];

pub(crate) struct Nrf51 {
    voltages: Voltages,
    registers: Registers,
    /// When the conversion ends, and its result.
    ends: Option<(u64, u32)>,
}

impl Nrf51 {
    pub(crate) fn new(voltages: Voltages) -> Nrf51 {
        Nrf51 { voltages, registers: Registers::default(), ends: None }
    }

    /// The time of a conversion by CONFIG, and its result; the supply has 3 V.
    fn converted(&self) -> Option<(u64, u32)> {
        let config = self.registers.get_or(ADC + 0x504, 0x18);
        let selected = config >> 8 & 0xff;
        let input = INPUTS.get(selected.trailing_zeros() as usize).filter(|_| selected.is_power_of_two())?;
        let gain = *[1.0, 2.0 / 3.0, 1.0 / 3.0].get((config >> 2 & 7) as usize)?;
        let reference = [1.2, 0.0, 1.5, 1.0][(config >> 5 & 3) as usize];
        let bits = (config & 3) as usize;
        let volts = f64::from(voltage(&self.voltages, (0, *input))) * 3.0 / 4095.0;
        let full = f64::from((1 << (8 + bits)) - 1);
        (reference > 0.0).then_some((*CYCLES.get(bits)?, (volts * gain / reference * full).round().min(full) as u32))
    }
}

impl Analog for Nrf51 {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        if address & !0xfff != ADC {
            return None;
        }
        let done = self.ends.filter(|(ends, _)| *ends <= now);
        Some(match address & 0xfff {
            0x100 => u32::from(done.is_some()),
            0x400 => u32::from(self.ends.is_some() && done.is_none()),
            0x508 => done.map_or(0, |(_, result)| result),
            _ => self.registers.get(address),
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64, _: &mut Ram<'_>) {
        match address.wrapping_sub(ADC) {
            0 if value == 1 && self.registers.get(ADC + 0x500) == 1 => {
                self.ends = self.converted().map(|(cycles, result)| (now + cycles, result));
            }
            4 | 0x100 if self.ends.is_some_and(|(ends, _)| address == ADC + 4 || ends <= now) => {
                // A task that stops it, or an event that is cleared, leaves the result.
                let result = self.ends.map_or(0, |(_, result)| result);
                self.registers.set(ADC + 0x508, result);
                self.ends = None;
            }
            _ => self.registers.set(address, value),
        }
    }

    fn pulse(&self, _: Pin) -> Option<Pulse> {
        None
    }
}
