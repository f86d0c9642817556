//! Analog inputs and pulse-width outputs on models of chips: the example `examples/dimmer.clef` sets the pulses of a light by the voltage
//! at a pin. Other programs read several inputs, share timers and release them, and ask for what the chip does not have, which traps.

use crate::{
    ROOT,
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Part, Pin, Pulse, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};

/// The pins of a board.
#[derive(Clone, Copy)]
struct Pins {
    /// Those of the potentiometer and the light of the example.
    knob: Pin,
    light: Pin,
    /// A pin without an analog input, and one without a timer, if there is one.
    digital: Pin,
    timeless: Option<Pin>,
    /// Another input.
    other: Pin,
    /// Two outputs that have one frequency, if any have.
    pair: Option<(Pin, Pin)>,
    /// A further output.
    single: Pin,
}

/// Of an nRF, whose pins are all alike.
const fn nrf(knob: Pin, light: Pin) -> Pins {
    Pins { knob, light, digital: (0, 6), timeless: None, other: (0, 31), pair: None, single: (0, 12) }
}

/// Of an STM32.
const fn stm32(knob: Pin, light: Pin) -> Pins {
    let pair = Some(((1, 8), (1, 9)));
    Pins { knob, light, digital: (1, 9), timeless: Some((2, 13)), other: (1, 0), pair, single: (0, 7) }
}

/// Of an RP2040 or RP2350.
const RP: Pins = Pins {
    knob: (0, 26),
    light: (0, 25),
    digital: (0, 25),
    timeless: None,
    other: (0, 29),
    pair: Some(((0, 2), (0, 19))),
    single: (0, 5),
};

/// Of a KL25.
const KL25: Pins = Pins {
    knob: (1, 0),
    light: (1, 18),
    digital: (1, 18),
    timeless: Some((1, 8)),
    other: (3, 6),
    pair: Some(((2, 2), (3, 3))),
    single: (0, 12),
};

/// Of an LM3S6965, whose inputs are at no port of pins.
const LM3S: Pins = Pins {
    knob: (7, 0),
    light: (5, 0),
    digital: (1, 0),
    timeless: Some((0, 6)),
    other: (7, 3),
    pair: Some(((1, 0), (1, 1))),
    single: (4, 1),
};

/// The boards with both devices.
const BOARDS: [(&str, Pins); 15] = [
    ("black-pill-f411", stm32((0, 1), (0, 6))),
    ("blue-pill", stm32((0, 1), (0, 6))),
    ("feather-nrf52840", nrf((0, 4), (1, 15))),
    ("frdm-kl25z", KL25),
    ("lm3s6965evb", LM3S),
    ("microbit-v2", nrf((0, 2), (0, 21))),
    ("netduino2", stm32((0, 1), (0, 6))),
    ("netduinoplus2", stm32((0, 1), (0, 6))),
    ("nrf52840-dk", nrf((0, 3), (0, 13))),
    ("nrf9160-dk", Pins { other: (0, 20), ..nrf((0, 14), (0, 2)) }),
    ("nucleo-f446re", stm32((0, 0), (0, 5))),
    ("nucleo-l552ze-q", stm32((0, 3), (2, 7))),
    ("rpi-pico", RP),
    ("rpi-pico-2", RP),
    ("stm32f4-discovery", stm32((0, 1), (3, 12))),
];

/// The boards with a converter alone.
const CONVERTERS: [(&str, Pins); 1] = [("microbit", Pins { digital: (0, 13), other: (0, 27), ..nrf((0, 3), (0, 13)) })];

/// A test of a board, at a level of optimisation.
type Test = fn(&Model, &str, Pins) -> Result<(), Failed>;

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    for (index, model) in chips::models()?.into_iter().enumerate() {
        let of = |boards: &[(&'static str, Pins)]| boards.iter().find(|(name, _)| *name == model.name).copied();
        let Some((name, pins)) = of(&BOARDS).or_else(|| of(&CONVERTERS)) else { continue };
        let level = ["0", "2", "z"][index % 3];
        let tests: [(&str, Test); 4] =
            [("inputs", inputs), ("refused", refused), ("dimmer", dimmer), ("outputs", outputs)];
        let count = if of(&CONVERTERS).is_some() { 2 } else { 4 };
        for (test, run) in tests.into_iter().take(count) {
            let model = model.clone();
            trials.push(Trial::test(format!("analog::{test}::{name}-O{level}"), move || run(&model, level, pins)));
        }
    }
    match trials.len() == 4 * BOARDS.len() + 2 * CONVERTERS.len() {
        true => Ok(trials),
        false => Err("a board with analog inputs is missing".into()),
    }
}

/// Compiles a program for the board of a model, and starts it.
pub(crate) fn start(model: &Model, level: &str, program: &str) -> Result<Session, Failed> {
    // The name of a board decides about the pins.
    let directory = tempfile::tempdir()?;
    let descriptor = format!("{}.yaml", model.name);
    fs::write(directory.path().join(&descriptor), &model.descriptor)?;
    let arguments = ["--board", &descriptor, &format!("-O{level}"), "-o", "image.elf", program];
    let call = clefc_in(directory.path(), &arguments, b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    Ok(Session::start(&image, model.part, &Wiring::default(), None)?)
}

/// The same for a text, in which `KNOB` and the like are pins.
fn start_text(model: &Model, level: &str, text: &str, pins: Pins) -> Result<Session, Failed> {
    let pair = pins.pair.unwrap_or_default();
    let of = |pin: Pin| format!("(Gpio.pin {} {})", pin.0, pin.1);
    let named = [
        ("KNOB", pins.knob),
        ("DIGITAL", pins.digital),
        ("TIMELESS", pins.timeless.unwrap_or_default()),
        ("OTHER", pins.other),
        ("FIRST", pair.0),
        ("SECOND", pair.1),
        ("SINGLE", pins.single),
    ];
    let text = named.into_iter().fold(text.to_owned(), |text, (name, pin)| text.replace(name, &of(pin)));
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("analog.clef");
    fs::write(&path, text)?;
    start(model, level, &path.to_string_lossy())
}

/// Whether a pin has pulses of about this frequency, and this duty in thousandths.
fn has(pulse: Option<Pulse>, frequency: u64, duty: u64) -> bool {
    let near = |value: u64, wanted: u64, tolerance: u64| value.abs_diff(wanted) <= tolerance;
    pulse.is_some_and(|pulse| near(pulse.frequency, frequency, frequency / 100) && near(pulse.duty, duty, 2))
}

/// The light follows the potentiometer, and the processor sleeps.
fn dimmer(model: &Model, level: &str, pins: Pins) -> Result<(), Failed> {
    let program = Path::new(ROOT).join("../examples/dimmer.clef");
    let mut chip = start(model, level, &program.to_string_lossy())?;
    for (voltage, duty) in [(0, 0), (2048, 250), (4095, 1000), (1000, 59), (0, 0)] {
        chip.set_voltage(pins.knob, voltage);
        let ending = chip.run(60);
        let pulse = chip.pulse(pins.light);
        if ending != Ending::Running || !has(pulse, 1000, duty) {
            return Err(format!("{ending:?} at {voltage}: {pulse:?} in place of {duty}\n{}", chip.output()).into());
        }
    }
    let (time, asleep) = chip.microseconds();
    // On chips without another timer, that of the processor wakes the program often, which takes long at 4 MHz without optimisation.
    let least = if level == "0" { 10 } else { 40 };
    if asleep * 100 / time < least {
        return Err(format!("it sleeps only {asleep} of {time} us").into());
    }
    Ok(())
}

/// More than the milliseconds in which a program ends that waits for its output to be read.
const END: u64 = 3000;

/// Reads two inputs, and turns the converter off in between.
const INPUTS: &str = "\
let first, second = Adc.start KNOB, Adc.start OTHER
let show () = printfn \"%d %d\" (Adc.read first) (Adc.read second)
show ()
Time.sleep 20
show ()
Adc.stop ()
Adc.stop ()
Time.sleep 20
show ()
";

fn inputs(model: &Model, level: &str, pins: Pins) -> Result<(), Failed> {
    let mut chip = start_text(model, level, INPUTS, pins)?;
    let steps = [(0, 4095), (2047, 1), (4095, 3000)];
    let mut ending = Ending::Running;
    for ((first, second), time) in steps.into_iter().zip([15, 15, END]) {
        chip.set_voltage(pins.knob, first);
        chip.set_voltage(pins.other, second);
        ending = chip.run(time);
    }
    let output = chip.output();
    // The converters of an nRF51 and an LM3S have ten bits, the upper two of which are repeated.
    let read = |voltage: u32| match model.part {
        Part::Nrf51 | Part::Lm3s6965 => {
            let bits = (voltage * 1023 + 2047) / 4095;
            bits << 2 | bits >> 8
        }
        Part::Nrf52 | Part::Nrf91 | Part::Rp2040(_) | Part::Rp2350(_) | Part::Stm32(_) | Part::Kl25 | Part::Bare(_) => {
            voltage
        }
    };
    let line = |(first, second): &(u32, u32)| format!("{} {}\n", read(*first), read(*second));
    let expected: String = steps.iter().map(line).collect();
    if ending == Ending::Exit(0) && output == expected {
        return Ok(());
    }
    Err(format!("{ending:?}:\n{output}").into())
}

/// Sets the duty of an output, from none to all of the period, at a low and at a high frequency, and ends the pulses.
const SINGLE: &str = "\
let slow = Pwm.start SINGLE 50
Time.sleep 10
Pwm.write slow (Pwm.maximum / 3)
Time.sleep 10
Pwm.write slow Pwm.maximum
Time.sleep 10
Pwm.stop slow
Time.sleep 10
let fast = Pwm.start SINGLE 20_000
Pwm.write fast 6554
Time.sleep 10
Pwm.write fast 0
Time.sleep 10
";

/// The shortest period of an LM3S, of four counts: what happens at a match in the last one is ignored.
const SHORT: &str = "\
let fast = Pwm.start SINGLE 12_500_000
Pwm.write fast (Pwm.maximum / 4 * 3)
Time.sleep 10
Pwm.write fast (Pwm.maximum / 4)
Time.sleep 10
";

/// Two outputs of a timer: when the first one ends, the other one goes on, and when both have ended, the frequency can be another one.
const PAIR: &str = "\
let first = Pwm.start FIRST 1000
let second = Pwm.start SECOND 1000
Pwm.write second 16384
Pwm.write first 32768
Time.sleep 10
Pwm.stop first
Time.sleep 10
Pwm.stop second
let other = Pwm.start SECOND 2000
Time.sleep 10
";

/// What pins do at one time: a frequency in hertz and a duty in thousandths, or no pulses.
type Step<'a> = &'a [(Pin, Option<(u64, u64)>)];

/// Runs a program in steps of ten milliseconds; each time an output has these pulses, or none.
fn expect(chip: &mut Session, steps: &[Step<'_>]) -> Result<(), Failed> {
    let mut ending = chip.run(5);
    for (index, step) in steps.iter().enumerate() {
        for (pin, wanted) in *step {
            let pulse = chip.pulse(*pin);
            let fits = wanted.map_or(pulse.is_none(), |(frequency, duty)| has(pulse, frequency, duty));
            if !fits {
                let output = chip.output();
                return Err(format!("step {index}: {pulse:?} at {pin:?} in place of {wanted:?}\n{output}").into());
            }
        }
        ending = chip.run(if index + 1 == steps.len() { END } else { 10 });
    }
    if ending == Ending::Exit(0) { Ok(()) } else { Err(format!("{ending:?}").into()) }
}

fn outputs(model: &Model, level: &str, pins: Pins) -> Result<(), Failed> {
    let mut chip = start_text(model, level, SINGLE, pins)?;
    let single = |wanted| [(pins.single, wanted)];
    let mut steps = vec![single(Some((50, 0))), single(Some((50, 333))), single(Some((50, 1000)))];
    // An nRF ends a period first.
    if !matches!(model.part, Part::Nrf52 | Part::Nrf91) {
        steps.extend([single(None), single(Some((20_000, 100))), single(Some((20_000, 0)))]);
    }
    let steps: Vec<Step<'_>> = steps.iter().map(|step| &step[..]).collect();
    expect(&mut chip, &steps)?;
    if model.part == Part::Lm3s6965 {
        let mut chip = start_text(model, level, SHORT, pins)?;
        let steps = [single(Some((12_500_000, 750))), single(Some((12_500_000, 250)))];
        expect(&mut chip, &[&steps[0], &steps[1]])?;
    }
    let Some((first, second)) = pins.pair else { return Ok(()) };
    let mut chip = start_text(model, level, PAIR, pins)?;
    expect(
        &mut chip,
        &[
            &[(first, Some((1000, 500))), (second, Some((1000, 250)))],
            &[(first, None), (second, Some((1000, 250)))],
            &[(first, None), (second, Some((2000, 0)))],
        ],
    )
}

/// What a chip does not have, or has given away, stops the program.
fn refused(model: &Model, level: &str, pins: Pins) -> Result<(), Failed> {
    let mut programs = vec!["ignore (Adc.start DIGITAL)"];
    let has_pulses = !matches!(model.part, Part::Nrf51);
    if has_pulses {
        programs.extend([
            "ignore (Pwm.start SINGLE 0)",
            "ignore (Pwm.start SINGLE 100_000_000)",
            "ignore (Pwm.start SINGLE 1000)\nignore (Pwm.start SINGLE 1000)",
            "Pwm.write (Pwm.start SINGLE 1000) (Pwm.maximum + 1)",
            "Pwm.write (Pwm.start SINGLE 1000) -1",
        ]);
    }
    if model.part == Part::Lm3s6965 {
        // Its outputs count one clock, which is not divided enough then.
        programs.push("ignore (Pwm.start FIRST 20000)\nignore (Pwm.start SINGLE 50)");
        programs.push("Gpio.output (Gpio.pin 7 0)");
    }
    if pins.timeless.is_some() {
        programs.push("ignore (Pwm.start TIMELESS 1000)");
    }
    if pins.pair.is_some() {
        programs.push("ignore (Pwm.start FIRST 1000)\nignore (Pwm.start SECOND 999)");
    } else if has_pulses {
        programs.push("for number in 0 .. 4 do ignore (Pwm.start (Gpio.pin 0 number) 1000)");
    }
    for program in programs {
        let mut chip = start_text(model, level, &format!("{program}\nprintfn \"accepted\"\n"), pins)?;
        let (ending, output) = (chip.run(100), chip.output());
        // On a chip that a probe does not know, the program itself prints what has stopped it.
        let fits = match model.part {
            Part::Kl25 => ending == Ending::Exit(101) && output.starts_with("trap: "),
            Part::Nrf51
            | Part::Nrf52
            | Part::Nrf91
            | Part::Rp2040(_)
            | Part::Rp2350(_)
            | Part::Stm32(_)
            | Part::Lm3s6965
            | Part::Bare(_) => matches!(ending, Ending::Fault(_)) && output.is_empty(),
        };
        if !fits {
            return Err(format!("{program}: {ending:?}\n{output}").into());
        }
    }
    Ok(())
}
