//! Random numbers on models of chips, whose noise fails now and then: the program `run/rng.clef` prints what it does in an emulator. Without
//! any noise it stops.

use crate::{
    ROOT,
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Part, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};

/// The boards with `Rng`.
const BOARDS: [&str; 10] = [
    "feather-nrf52840",
    "microbit",
    "microbit-v2",
    "netduino2",
    "netduinoplus2",
    "nrf52840-dk",
    "nucleo-l552ze-q",
    "rpi-pico",
    "rpi-pico-2",
    "stm32f4-discovery",
];

/// The trials: two for each board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    for (index, model) in chips::models()?.into_iter().enumerate() {
        let Some(name) = BOARDS.into_iter().find(|name| *name == model.name) else { continue };
        let level = ["0", "2", "z"][index % 3];
        let of_numbers = model.clone();
        trials.push(Trial::test(format!("random::numbers::{name}-O{level}"), move || numbers(&of_numbers, level)));
        trials.push(Trial::test(format!("random::silence::{name}-O{level}"), move || silence(&model, level)));
    }
    match trials.len() == 2 * BOARDS.len() {
        true => Ok(trials),
        false => Err("a board with random numbers is missing".into()),
    }
}

/// Compiles the program for the board of a model, and starts it.
fn start(model: &Model, level: &str, is_silent: bool) -> Result<Session, Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    let program = Path::new(ROOT).join("run/rng.clef");
    let level = format!("-O{level}");
    let arguments = ["--board", "board.yaml", &level, "-o", "image.elf", &program.to_string_lossy()];
    let call = clefc_in(directory.path(), &arguments, b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    Ok(Session::start(&image, model.part, &Wiring { is_silent, ..Wiring::default() }, None)?)
}

/// The numbers differ, and no failure is seen.
fn numbers(model: &Model, level: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, false)?;
    let ending = chip.run(5000);
    let output = chip.output();
    if ending == Ending::Exit(0) && output == fs::read_to_string(Path::new(ROOT).join("run/rng.out"))? {
        return Ok(());
    }
    Err(format!("{ending:?}:\n{output}").into())
}

/// The program stops, or waits: an nRF does not tell that it has no noise.
fn silence(model: &Model, level: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, true)?;
    let ending = chip.run(5000);
    let output = chip.output();
    let fits = match model.part {
        Part::Nrf51 | Part::Nrf52 => ending == Ending::Running,
        Part::Nrf91
        | Part::Rp2040(_)
        | Part::Rp2350(_)
        | Part::Stm32(_)
        | Part::Kl25
        | Part::Lm3s6965
        | Part::Mps2(..) => {
            matches!(ending, Ending::Fault(_))
        }
    };
    if fits && output.is_empty() {
        return Ok(());
    }
    Err(format!("{ending:?}:\n{output}").into())
}
