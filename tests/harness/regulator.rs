//! A closed loop on models of chips: the example `examples/regulator.clef` keeps a voltage at its set point, which follows the duty of the
//! pulses as a capacitor that they charge over a resistor.

use crate::{
    ROOT, analog,
    chips::{self, Model},
};
use chip_sim::{Ending, Pin, Session};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

/// The boards with a converter and timers for pulses, each with the pins of the sensor and of the actuator.
const BOARDS: [(&str, Pin, Pin); 16] = [
    ("black-pill-f411", (0, 1), (1, 8)),
    ("blue-pill", (0, 1), (1, 8)),
    ("feather-nrf52840", (0, 4), (1, 8)),
    ("frdm-kl25z", (1, 0), (0, 12)),
    ("lm3s6965evb", (7, 0), (1, 0)),
    ("microbit", (0, 3), (0, 2)),
    ("microbit-v2", (0, 2), (0, 3)),
    ("netduino2", (0, 1), (1, 8)),
    ("netduinoplus2", (0, 1), (1, 8)),
    ("nrf52840-dk", (0, 3), (1, 4)),
    ("nrf9160-dk", (0, 14), (0, 10)),
    ("nucleo-f446re", (0, 1), (1, 8)),
    ("nucleo-l552ze-q", (0, 1), (1, 8)),
    ("rpi-pico", (0, 26), (0, 15)),
    ("rpi-pico-2", (0, 26), (0, 15)),
    ("stm32f4-discovery", (0, 1), (1, 8)),
];

/// The trials: one for each board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    for (index, model) in chips::models()?.into_iter().enumerate() {
        if let Some((name, sensor, actuator)) = BOARDS.into_iter().find(|(name, ..)| *name == model.name) {
            let level = ["0", "2", "z"][index % 3];
            let trial = move || settles(&model, level, sensor, actuator);
            trials.push(Trial::test(format!("regulator::{name}-O{level}"), trial));
        }
    }
    match trials.len() == BOARDS.len() {
        true => Ok(trials),
        false => Err("a board with analog inputs and pulse-width outputs is missing".into()),
    }
}

/// The set point of the example, and how far the voltage may be from it in the end, in 4095ths of the supply.
const TARGET: u64 = 1638;
const TOLERANCE: u64 = 33;

/// The most that the voltage may be after the output was at its limit for long.
const OVERSHOOT: u64 = TARGET * 115 / 100;

/// The time constant, and the time after which the voltage changes in a step, in milliseconds.
const CONSTANT: u64 = 200;
const STEP: u64 = 5;

/// A chip, and what is between its pins.
struct Plant {
    chip: Session,
    sensor: Pin,
    actuator: Pin,
    /// In thousandths of what the converter reads.
    voltage: u64,
}

impl Plant {
    /// Runs it for a second, with a load that leaves this percentage of the voltage; the highest one meanwhile.
    fn run(&mut self, load: u64) -> Result<u64, Failed> {
        let mut highest = 0;
        for _ in 0..1000 / STEP {
            let ending = self.chip.run(STEP);
            if ending != Ending::Running {
                return Err(format!("{ending:?}\n{}", self.chip.output()).into());
            }
            let duty = self.chip.pulse(self.actuator).map_or(0, |pulse| pulse.duty);
            let settled = duty * 4095 * load / 100;
            self.voltage = (self.voltage * (CONSTANT - STEP) + settled * STEP) / CONSTANT;
            let voltage = self.voltage / 1000;
            highest = highest.max(voltage);
            self.chip.set_voltage(self.sensor, u32::try_from(voltage)?);
        }
        Ok(highest)
    }

    /// The same; the voltage is at the set point at the end.
    fn settle(&mut self, load: u64) -> Result<u64, Failed> {
        let highest = self.run(load)?;
        let voltage = self.voltage / 1000;
        match voltage.abs_diff(TARGET) <= TOLERANCE {
            true => Ok(highest),
            false => Err(format!("{voltage} in place of {TARGET} at {load} %\n{}", self.chip.output()).into()),
        }
    }
}

/// The voltage comes to its set point from zero, under a load, and after a second in which a short circuit has kept it at zero.
fn settles(model: &Model, level: &str, sensor: Pin, actuator: Pin) -> Result<(), Failed> {
    let program = Path::new(ROOT).join("../examples/regulator.clef");
    let chip = analog::start(model, level, &program.to_string_lossy())?;
    let mut plant = Plant { chip, sensor, actuator, voltage: 0 };
    plant.settle(100)?;
    plant.settle(70)?;
    plant.run(0)?;
    let duty = plant.chip.pulse(actuator).map(|pulse| pulse.duty);
    if duty != Some(1000) {
        return Err(format!("a duty of {duty:?} at a short circuit").into());
    }
    let highest = plant.settle(100)?;
    match highest <= OVERSHOOT {
        true => Ok(()),
        false => Err(format!("up to {highest} after a short circuit").into()),
    }
}
