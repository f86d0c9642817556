//! ADC0 and the timers TPM0 to TPM2 of KL25 (KL25 Sub-Family Reference Manual, 28, 31 and 12.2; data sheet KL25P80M48SF0).
//!
//! A device without its clock does not answer. The converter is wrong until it has been calibrated, at 4 MHz at most and with averages of 32
//! readings, and until the gains have been set that follow from it; the first calibration fails. A timer counts the loop that the board uses.

use super::{Analog, Pulse, Registers, voltage};
use crate::{
    clocks::Shared,
    memory::Ram,
    wiring::{Pin, Voltages},
};

pub(crate) struct Kinetis {
    core: u64,
    shared: Shared,
    voltages: Voltages,
    registers: Registers,
    /// When a calibration ends, and a conversion.
    calibrates: Option<u64>,
    converts: Option<u64>,
    calibrations: u32,
    has_failed: bool,
    value: u32,
}

const SOURCES: u32 = 0x4004_8004;
const GATES: u32 = 0x4004_803c;
const PORTS: u32 = 0x4004_9000;
const ADC: u32 = 0x4003_b000;
const TIMERS: u32 = 0x4003_8000;
/// The registers of the result of a calibration: six for the plus side, and six for the minus side.
const RESULTS: [u32; 2] = [0x38, 0x58];

/// The pins of channels: those from 32 on are the second ones of a number.
const INPUTS: [(u32, Pin); 16] = [
    (0, (4, 20)),
    (3, (4, 22)),
    (4, (4, 21)),
    (7, (4, 23)),
    (8, (1, 0)),
    (9, (1, 1)),
    (11, (2, 2)),
    (12, (1, 2)),
    (13, (1, 3)),
    (14, (2, 0)),
    (15, (2, 1)),
    (23, (4, 30)),
    (36, (4, 29)),
    (37, (3, 1)),
    (38, (3, 5)),
    (39, (3, 6)),
];

/// Some pins of timers, each with its function, its timer and its channel.
const OUTPUTS: [(Pin, u32, u32, u32); 5] =
    [((1, 18), 3, 2, 0), ((2, 2), 4, 0, 1), ((3, 3), 4, 0, 3), ((0, 12), 3, 1, 0), ((3, 1), 4, 0, 1)];

impl Kinetis {
    pub(crate) fn new(core: u64, shared: &Shared, voltages: Voltages) -> Kinetis {
        Kinetis {
            core,
            shared: shared.clone(),
            voltages,
            registers: Registers::default(),
            calibrates: None,
            converts: None,
            calibrations: 0,
            has_failed: false,
            value: 0,
        }
    }

    fn adc(&self, offset: u32) -> u32 {
        self.registers.get(ADC + offset)
    }

    /// The clock of the converter.
    fn clock(&self) -> u64 {
        let bus = self.shared.get().buses[0];
        // The bus, or half of it.
        let input = match self.adc(8) & 3 {
            0 => bus,
            1 => bus / 2,
            _ => 0,
        };
        input >> (self.adc(8) >> 5 & 3)
    }

    /// The function of a pin.
    fn function(&self, (port, number): Pin) -> u32 {
        self.registers.get(PORTS + port * 0x1000 + number * 4) >> 8 & 7
    }

    fn calibrate(&mut self, now: u64) {
        let is_allowed = (1..=4_000_000).contains(&self.clock()) && self.adc(0x24) & 7 == 7;
        self.calibrations += 1;
        self.has_failed = !is_allowed || self.calibrations == 1;
        self.calibrates = Some(now + 10_000);
        for (side, first) in RESULTS.into_iter().enumerate() {
            for index in 0..6 {
                self.registers.set(ADC + first + index * 4, 0x200 >> index | side as u32);
            }
        }
    }

    /// The gain that follows from the results of a side.
    fn gain(&self, first: u32) -> u32 {
        ((0..6).map(|index| self.adc(first + index * 4)).sum::<u32>() / 2) | 0x8000
    }

    fn convert(&mut self, now: u64) {
        // Twelve bits of one input, which the program starts, and one reading.
        let is_simple = self.adc(0) & 0x20 == 0 && self.adc(8) >> 2 & 3 == 1 && self.adc(0x20) & 0x40 == 0;
        let is_calibrated = self.adc(0x2c) == self.gain(RESULTS[0]) && self.adc(0x30) == self.gain(RESULTS[1]);
        let is_calibrated = is_calibrated && self.calibrations > 0 && !self.has_failed;
        let number = self.adc(0) & 0x1f;
        let channel = number | if (4..8).contains(&number) { (self.adc(0xc) >> 4 & 1) << 5 } else { 0 };
        let pin = INPUTS.iter().find(|(known, _)| *known == channel).map(|(_, pin)| *pin);
        let reading = pin.filter(|pin| self.function(*pin) == 0).map_or(0, |pin| voltage(&self.voltages, pin));
        self.value = if is_calibrated { reading } else { reading / 2 + 100 };
        self.converts = (is_simple && (1..=18_000_000).contains(&self.clock()) && number != 0x1f)
            .then_some(now + 44 * self.core / self.clock().max(1));
    }
}

impl Analog for Kinetis {
    fn read(&mut self, address: u32, now: u64) -> Option<u32> {
        let page = address & !0xfff;
        let gate = match page {
            ADC => 27,
            TIMERS | 0x4003_9000 | 0x4003_a000 => 24 + (page - TIMERS) / 0x1000,
            _ => return None,
        };
        if self.registers.get(GATES) >> gate & 1 == 0 {
            return None;
        }
        if page != ADC {
            return Some(self.registers.get(address));
        }
        let is_calibrating = self.calibrates.is_some_and(|end| now < end);
        Some(match address - ADC {
            0x00 => self.adc(0) & 0x7f | u32::from(self.converts.is_some_and(|end| end <= now)) << 7,
            0x10 => {
                self.converts = None;
                self.value
            }
            0x24 => self.adc(0x24) & 0xf | u32::from(is_calibrating) << 7 | u32::from(self.has_failed) << 6,
            offset => self.adc(offset),
        })
    }

    fn write(&mut self, address: u32, value: u32, now: u64, _: &mut Ram<'_>) {
        self.registers.set(address, value);
        if self.registers.get(GATES) >> 27 & 1 == 0 {
            return;
        }
        match address.wrapping_sub(ADC) {
            0x00 => self.convert(now),
            0x24 if value & 0x80 != 0 => self.calibrate(now),
            _ => {}
        }
    }

    fn pulse(&self, pin: Pin) -> Option<Pulse> {
        let (_, function, timer, channel) = OUTPUTS.into_iter().find(|(known, ..)| *known == pin)?;
        let base = TIMERS + timer * 0x1000;
        let (control, mode) = (self.registers.get(base), self.registers.get(base + 0xc + channel * 8));
        let has_clock = self.registers.get(GATES) >> (24 + timer) & 1 == 1
            && self.registers.get(SOURCES) & 0x300_0000 == 0x100_0000;
        // Edge-aligned pulses that begin high.
        let is_on = has_clock && self.function(pin) == function && control & 0x38 == 8 && mode & 0x3c == 0x28;
        let high = self.registers.get(base + 0x10 + channel * 8);
        let period = u64::from(self.registers.get(base + 8)) + 1;
        is_on.then(|| Pulse::of(self.shared.get().timers[0] >> (control & 7), period, u64::from(high)))
    }
}
