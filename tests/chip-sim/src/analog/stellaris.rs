//! The converter and the pulse-width modulator of the LM3S6965 (LM3S6965 data sheet, chapters 11 and 16, 5.5 and 8.5).
//!
//! Of the converter, the fourth sequencer is modelled, with one sample that the program starts. A sequencer that changes while it is enabled,
//! or does not end, never has a result here. The clock of the converter comes from the phase-locked loop.

use super::{Analog, Pulse, Registers, voltage};
use crate::{
    clocks::Shared,
    memory::Ram,
    wiring::{Pin, Voltages},
};

pub(crate) struct Stellaris {
    core: u64,
    shared: Shared,
    voltages: Voltages,
    registers: Registers,
    /// When a conversion ends, and its result.
    ends: Option<(u64, u32)>,
    /// Whether it has ended: the raw interrupt status, which the program clears.
    has_ended: bool,
    /// Whether the sequencer was changed while it was enabled.
    is_disturbed: bool,
}

const CONFIGURATION: u32 = 0x400f_e060;
const LOOP_OFF: u32 = 13;
const GATES: u32 = 0x400f_e100;
const GATE_OF_ADC: u32 = 16;
const GATE_OF_PWM: u32 = 20;

const ADC: u32 = 0x4003_8000;
/// The registers of the converter: enabled sequencers, raw status, what clears it, triggers, start, and of the fourth sequencer its input, its
/// control and its result.
const ENABLED: u32 = ADC;
const STATUS: u32 = ADC + 4;
const CLEAR: u32 = ADC + 0xc;
const TRIGGERS: u32 = ADC + 0x14;
const START: u32 = ADC + 0x28;
const INPUT: u32 = ADC + 0xa0;
const CONTROL: u32 = ADC + 0xa4;
const RESULT: u32 = ADC + 0xa8;
/// The bit of the fourth sequencer.
const FOURTH: u32 = 8;

/// The port that the inputs have instead of one of pins.
const INPUTS: u32 = 7;

const PWM: u32 = 0x4002_8000;
/// The pins of the outputs, in their order, each with the first register of its port.
const OUTPUTS: [(Pin, u32); 6] = [
    ((5, 0), 0x4002_5000),
    ((3, 1), 0x4000_7000),
    ((1, 0), 0x4000_5000),
    ((1, 1), 0x4000_5000),
    ((4, 0), 0x4002_4000),
    ((4, 1), 0x4002_4000),
];

impl Stellaris {
    pub(crate) fn new(core: u64, shared: &Shared, voltages: Voltages) -> Stellaris {
        Stellaris {
            core,
            shared: shared.clone(),
            voltages,
            registers: Registers::default(),
            ends: None,
            has_ended: false,
            is_disturbed: false,
        }
    }

    /// Begins a conversion, if the fourth sequencer has one sample that the program starts: the last one, of one input.
    fn begin(&mut self, now: u64) {
        let of = |register| self.registers.get(register);
        let has_clock = !self.registers.has((CONFIGURATION, LOOP_OFF)) && self.registers.get(CONFIGURATION) != 0;
        let is_simple = of(TRIGGERS) >> 12 & 0xf == 0 && of(CONTROL) & 0xb == 2;
        if has_clock && is_simple && !self.is_disturbed && of(ENABLED) & FOURTH != 0 {
            let reading = voltage(&self.voltages, (INPUTS, of(INPUT) & 3));
            // Ten bits, and 125,000 readings in a second.
            self.ends = Some((now + self.core / 125_000, (reading * 1023 + 2047) / 4095));
        }
    }

    fn advance(&mut self, now: u64) {
        if let Some((ends, result)) = self.ends
            && ends <= now
        {
            self.registers.set(RESULT, result);
            self.has_ended |= self.registers.get(CONTROL) & 4 != 0;
            self.ends = None;
        }
    }

    /// The divisor of the clock of pulses, for all generators.
    fn divisor(&self) -> u64 {
        let configuration = self.registers.get(CONFIGURATION);
        if configuration >> 20 & 1 == 1 { 2 << (configuration >> 17 & 7).min(5) } else { 1 }
    }

    /// The counts of a period in which an output is high, by what happens at the load value, at a match and at zero. Where two of them
    /// coincide, nothing happens at the match (16.5, "PWM Generator A Control").
    fn high(load: u32, compare: u32, [at_load, at_match, at_zero]: [u32; 3]) -> u32 {
        let matches = compare > 0 && compare < load;
        let compare = if matches { compare } else { 0 };
        // What happens, and the counts until something else does.
        let parts = [(at_load, load - compare), (if matches { at_match } else { 0 }, compare), (at_zero, 1)];
        let mut is_high = false;
        let mut period = || {
            let counts = parts.map(|(action, counts)| {
                is_high = match action {
                    0 => is_high,
                    1 => !is_high,
                    2 => false,
                    _ => true,
                };
                if is_high { counts } else { 0 }
            });
            counts.into_iter().sum()
        };
        // The second period begins as the first one has ended.
        let _: u32 = period();
        period()
    }
}

impl Analog for Stellaris {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let gate = match address & !0xfff {
            ADC => GATE_OF_ADC,
            PWM => GATE_OF_PWM,
            _ => return None,
        };
        if !self.registers.has((GATES, gate)) {
            return None;
        }
        self.advance(now);
        Some(match address {
            STATUS => u32::from(self.has_ended) << 3,
            address => self.registers.get(address),
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64, _: &mut Ram<'_>) {
        self.advance(now);
        match address {
            CLEAR if value & FOURTH != 0 => self.has_ended = false,
            START if value & FOURTH != 0 => self.begin(now),
            TRIGGERS | INPUT | CONTROL => {
                self.is_disturbed |= self.registers.get(ENABLED) & FOURTH != 0;
                self.registers.set(address, value);
            }
            // The results of a sequencer are read only.
            RESULT => {}
            address => self.registers.set(address, value),
        }
    }

    fn pulse(&self, pin: Pin) -> Option<Pulse> {
        let output = OUTPUTS.iter().position(|(known, _)| *known == pin)?;
        let port = OUTPUTS[output].1;
        let generator = PWM + 0x40 + 0x40 * (output as u32 / 2);
        let is_second = output as u32 % 2;
        let of = |offset| self.registers.get(generator + offset);
        let has = |register: u32, bit: u32| self.registers.has((register, bit));
        let is_connected = has(port + 0x420, pin.1) && has(port + 0x51c, pin.1) && !has(port + 0x50c, pin.1);
        // It counts down, and takes over new values at zero.
        let is_on = has(GATES, GATE_OF_PWM) && of(0) & 0x3b == 1 && has(PWM + 8, output as u32);
        let (load, compare, actions) = (of(0x10), of(0x18 + 4 * is_second), of(0x20 + 4 * is_second));
        let at_match = actions >> (if is_second == 1 { 10 } else { 6 }) & 3;
        let high = Stellaris::high(load, compare, [actions >> 2 & 3, at_match, actions & 3]);
        let clock = self.shared.get().core / self.divisor();
        (is_connected && is_on).then(|| Pulse::of(clock, u64::from(load) + 1, u64::from(high)))
    }
}
