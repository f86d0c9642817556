//! `Timer` on models of chips: the program `run/timers.clef` prints what it does in emulators, and periods are exact, short and long ones.

use crate::{
    ROOT,
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};

/// The boards whose chips have models of these timers, each with their number.
const BOARDS: [(&str, usize); 15] = [
    ("black-pill-f411", 1),
    ("blue-pill", 1),
    ("feather-nrf52840", 4),
    ("frdm-kl25z", 1),
    ("microbit", 2),
    ("microbit-v2", 4),
    ("netduino2", 1),
    ("netduinoplus2", 1),
    ("nrf52840-dk", 4),
    ("nrf9160-dk", 2),
    ("nucleo-f446re", 1),
    ("nucleo-l552ze-q", 3),
    ("rpi-pico", 3),
    ("rpi-pico-2", 3),
    ("stm32f4-discovery", 1),
];

/// For each timer: a hundred short periods, ten long ones, and a moment, at most a tenth of a millisecond late.
const EXACT: &str = "\
let mutable count = 0
let measure (timer: int) (period: int) (times: int) : unit =
    count <- 0
    let start = Time.microseconds ()
    Timer.every timer period (fun () -> count <- count + 1)
    Interrupt.waitUntil (fun () -> count >= times)
    let late = Time.microseconds () - start - int64 (period * times)
    Timer.stop timer
    printfn \"%b\" (late > -30L && late < 100L)
let mutable ended = false
let once (timer: int) (time: int) : unit =
    ended <- false
    let start = Time.microseconds ()
    Timer.after timer time (fun () -> ended <- true)
    Interrupt.waitUntil (fun () -> ended)
    let late = Time.microseconds () - start - int64 time
    printfn \"%b\" (late > -30L && late < 100L)
for timer in 0 .. LAST do
    measure timer 200 100
    measure timer 99_999 3
    once timer 777_777
";

/// The trials: two or three for each board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    let mut found = 0;
    for (index, model) in chips::models()?.into_iter().enumerate() {
        let Some((name, count)) = BOARDS.into_iter().find(|(name, _)| *name == model.name) else { continue };
        found += 1;
        let level = ["0", "2", "z"][index % 3];
        let exact = model.clone();
        trials.push(Trial::test(format!("timers::exact::{name}-O{level}"), move || is_exact(&exact, level, count)));
        let refused = model.clone();
        trials.push(Trial::test(format!("timers::refused::{name}-O{level}"), move || refuses(&refused, level, count)));
        if count > 1 {
            trials.push(Trial::test(format!("timers::together::{name}-O{level}"), move || together(&model, level)));
        }
    }
    match found == BOARDS.len() {
        true => Ok(trials),
        false => Err("a board with timers is missing".into()),
    }
}

/// Compiles a program for the board of a model, and runs it.
fn run(model: &Model, level: &str, text: &str) -> Result<(Ending, String), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    fs::write(directory.path().join("program.clef"), text)?;
    let level = format!("-O{level}");
    let call = clefc_in(directory.path(), &["--board", "board.yaml", &level, "-o", "image.elf", "program.clef"], b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    let mut chip = Session::start(&image, model.part, &Wiring::default(), None)?;
    let ending = chip.run(20_000);
    Ok((ending, chip.output()))
}

fn is_exact(model: &Model, level: &str, count: usize) -> Result<(), Failed> {
    let (ending, output) = run(model, level, &EXACT.replace("LAST", &(count - 1).to_string()))?;
    match ending == Ending::Exit(0) && output == "true\n".repeat(3 * count) {
        true => Ok(()),
        false => Err(format!("{ending:?}:\n{output}").into()),
    }
}

fn together(model: &Model, level: &str) -> Result<(), Failed> {
    let file = |name: &str| fs::read_to_string(Path::new(ROOT).join("run").join(name));
    let (ending, output) = run(model, level, &file("timers.clef")?)?;
    match ending == Ending::Exit(0) && output == file("timers.out")? {
        true => Ok(()),
        false => Err(format!("{ending:?}:\n{output}").into()),
    }
}

/// A timer that the board does not have, and times that are too short or too long, trap.
fn refuses(model: &Model, level: &str, count: usize) -> Result<(), Failed> {
    for call in [&format!("Timer.every {count} 100 ignore"), "Timer.after -1 100 ignore", "Timer.every 0 1 ignore"] {
        let (ending, output) = run(model, level, &format!("printfn \"start\"\n{call}\nprintfn \"end\"\n"))?;
        // A board without a debug probe prints the text of the trap.
        let is_trap =
            matches!(ending, Ending::Fault(_)) || ending == Ending::Exit(101) && output.contains("\ntrap: the ");
        if !is_trap || !output.starts_with("start\n") || output.contains("end\n") {
            return Err(format!("{call}: {ending:?}:\n{output}").into());
        }
    }
    Ok(())
}
