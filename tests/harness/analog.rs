//! Analog inputs and pulse-width outputs on models of chips: the example `examples/dimmer.clef` sets the pulses of a light by the voltage
//! at a pin. Other programs read several inputs, share timers and release them, and ask for what the chip does not have, which traps. Of an
//! nRF51, whose pulses are toggled, all edges of outputs that change often are those of the duties, in their order.

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

/// Of a micro:bit.
const MICROBIT: Pins = Pins {
    knob: (0, 3),
    light: (0, 13),
    digital: (0, 13),
    timeless: None,
    other: (0, 27),
    pair: Some(((0, 2), (0, 1))),
    single: (0, 12),
};

/// The boards with both devices.
const BOARDS: [(&str, Pins); 16] = [
    ("black-pill-f411", stm32((0, 1), (0, 6))),
    ("blue-pill", stm32((0, 1), (0, 6))),
    ("feather-nrf52840", nrf((0, 4), (1, 15))),
    ("frdm-kl25z", KL25),
    ("lm3s6965evb", LM3S),
    ("microbit", MICROBIT),
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

/// The models whose pulses are toggled. The time of two of them is that of other timers.
const TOGGLED: [&str; 3] = ["microbit", "microbit-rtc", "microbit-timer1"];

/// A test of a board, at a level of optimisation.
type Test = fn(&Model, &str, Pins) -> Result<(), Failed>;

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    for (index, model) in chips::models()?.into_iter().enumerate() {
        let level = ["0", "2", "z"][index % 3];
        if let Some(name) = TOGGLED.into_iter().find(|name| *name == model.name) {
            let model = model.clone();
            let trial = move || changes(&model, level, MICROBIT);
            trials.push(Trial::test(format!("analog::changes::{name}-O{level}"), trial));
        }
        if model.name == TOGGLED[0] {
            let model = model.clone();
            trials.push(Trial::test(format!("analog::demands::{}", model.name), move || demands(&model)));
        }
        let Some((name, pins)) = BOARDS.into_iter().find(|(name, _)| *name == model.name) else { continue };
        let tests: [(&str, Test); 4] =
            [("inputs", inputs), ("refused", refused), ("dimmer", dimmer), ("outputs", outputs)];
        for (test, run) in tests {
            let model = model.clone();
            trials.push(Trial::test(format!("analog::{test}::{name}-O{level}"), move || run(&model, level, pins)));
        }
    }
    match trials.len() == 4 * BOARDS.len() + TOGGLED.len() + 1 {
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
        Part::Nrf52
        | Part::Nrf91
        | Part::Rp2040(_)
        | Part::Rp2350(_)
        | Part::Stm32(_)
        | Part::Kl25
        | Part::Mps2(..) => voltage,
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

/// Runs a program in steps of some milliseconds; in the middle of each an output has these pulses, or none.
fn expect(chip: &mut Session, length: u64, steps: &[Step<'_>]) -> Result<(), Failed> {
    let mut ending = chip.run(length / 2);
    for (index, step) in steps.iter().enumerate() {
        for (pin, wanted) in *step {
            let pulse = chip.pulse(*pin);
            let fits = wanted.map_or(pulse.is_none(), |(frequency, duty)| has(pulse, frequency, duty));
            if !fits {
                let output = chip.output();
                return Err(format!("step {index}: {pulse:?} at {pin:?} in place of {wanted:?}\n{output}").into());
            }
        }
        ending = chip.run(if index + 1 == steps.len() { END } else { length });
    }
    if ending == Ending::Exit(0) { Ok(()) } else { Err(format!("{ending:?}").into()) }
}

fn outputs(model: &Model, level: &str, pins: Pins) -> Result<(), Failed> {
    // The model of an nRF51 knows when changes come, which is at the end of a period.
    let length = if model.part == Part::Nrf51 { 100 } else { 10 };
    let mut chip = start_text(model, level, &SINGLE.replace("sleep 10", &format!("sleep {length}")), pins)?;
    let single = |wanted| [(pins.single, wanted)];
    let mut steps = vec![single(Some((50, 0))), single(Some((50, 333))), single(Some((50, 1000)))];
    // An nRF ends a period first.
    if !matches!(model.part, Part::Nrf52 | Part::Nrf91) {
        steps.extend([single(None), single(Some((20_000, 100))), single(Some((20_000, 0)))]);
    }
    let steps: Vec<Step<'_>> = steps.iter().map(|step| &step[..]).collect();
    expect(&mut chip, length, &steps)?;
    if model.part == Part::Lm3s6965 {
        let mut chip = start_text(model, level, SHORT, pins)?;
        let steps = [single(Some((12_500_000, 750))), single(Some((12_500_000, 250)))];
        expect(&mut chip, 10, &[&steps[0], &steps[1]])?;
    }
    let Some((first, second)) = pins.pair else { return Ok(()) };
    let mut chip = start_text(model, level, PAIR, pins)?;
    expect(
        &mut chip,
        10,
        &[
            &[(first, Some((1000, 500))), (second, Some((1000, 250)))],
            &[(first, None), (second, Some((1000, 250)))],
            &[(first, None), (second, Some((2000, 0)))],
        ],
    )
}

/// Changes two outputs often, while a handler of another timer delays the core.
const CHANGES: &str = "\
let duties = [| DUTIES |]
let mutable ticks = 0
let first, second = Pwm.start FIRST 10_000, Pwm.start SECOND 10_000
Timer.every 0 333 (fun () -> ticks <- ticks + 1)
for step in 0 .. 109 do
    Pwm.write first duties.[step % duties.Length]
    Time.sleepMicroseconds (step * 37 % 211)
    Pwm.write second duties.[(step + 4) % duties.Length]
    Time.sleepMicroseconds (step * 53 % 307)
Time.sleep 2
";

/// The duties, of which none is low after one that is high; the shortest pulse and the shortest gap are a count of the timer.
const DUTIES: [u64; 11] = [164, 65_372, 32_768, 0, 327, 65_536, 65_209, 0, 30_000, 65_536, 20_000];

/// The counts of a period, and the cycles of the core in a count.
const COUNTS: u64 = 400;
const CYCLES: u64 = 4;

/// The widths of pulses in counts, each with whether the output was low or high all the time before, from the duties in order.
fn widths(first: usize) -> Vec<(u64, bool)> {
    let mut is_held = true;
    let mut widths = Vec::new();
    for step in first..first + 110 {
        let width = (DUTIES[step % DUTIES.len()] * COUNTS) >> 16;
        let is_pulse = width > 0 && width < COUNTS;
        if is_pulse {
            widths.push((width, is_held));
        }
        is_held = !is_pulse;
    }
    widths
}

/// All edges of outputs are those of the duties: each period begins with a pulse, and no width comes that was not written. A period without a
/// pulse, or one that is high from its beginning to its end, comes only where the duty says so.
fn changes(model: &Model, level: &str, pins: Pins) -> Result<(), Failed> {
    let duties = DUTIES.map(|duty| duty.to_string()).join("; ");
    let mut chip = start_text(model, level, &CHANGES.replace("DUTIES", &duties), pins)?;
    let (ending, output) = (chip.run(END), chip.output());
    let (first, second) = pins.pair.unwrap_or_default();
    let start = chip.edges(first).first().map_or(0, |(time, _)| *time);
    for (pin, expected) in [(first, widths(0)), (second, widths(4))] {
        let mut expected = expected.into_iter().peekable();
        let mut last: Option<(u64, u64)> = None;
        for (time, is_high) in chip.edges(pin) {
            let (period, counts) = ((time - start) / CYCLES / COUNTS, (time - start) / CYCLES % COUNTS);
            let fits = if *is_high {
                (time - start) % (COUNTS * CYCLES) == 0
            } else {
                let next = expected.next_if(|(width, _)| *width == counts);
                let goes_on = last.is_some_and(|(before, width)| width == counts && period == before + 1);
                let follows = last.is_none_or(|(before, _)| period == before + 1);
                last = Some((period, counts));
                (time - start) % CYCLES == 0 && next.map_or(goes_on, |(_, is_held)| is_held || follows)
            };
            if !fits {
                return Err(format!("{ending:?}: edge to {is_high} at {counts} of period {period} of {pin:?}").into());
            }
        }
        if ending != Ending::Exit(0) || expected.next().is_some() {
            return Err(format!("{ending:?}: not all pulses have come at {pin:?}\n{output}").into());
        }
    }
    Ok(())
}

/// Toggles a pin of an nRF51 by registers, twice in each period.
const TOGGLES: &str = "\
let timer, pins, ppi = 0x4000A000un, 0x40006000un, 0x4001F000un
let connect (channel: int) (register: uint32) (task: uint32) =
    Mmio.write32 (ppi + 0x510un + unativeint (channel * 8)) (0x4000A140u + register * 4u)
    Mmio.write32 (ppi + 0x514un + unativeint (channel * 8)) task
Mmio.write32 (pins + 0x510un) 0x30C03u
connect 0 0u 0x40006000u
connect 1 1u 0x40006000u
Mmio.write32 (timer + 0x510un) 4u
Mmio.write32 (timer + 0x540un) 100u
Mmio.write32 (timer + 0x544un) 1u
Mmio.write32 (timer + 0x200un) 1u
Mmio.write32 (timer + 0xC0Cun) 1u
CHANGE
Mmio.write32 (ppi + 0x504un) 3u
Mmio.write32 timer 1u
Time.sleep 1
";

/// What the model of an nRF51 demands of pulses: each change of the program ends it, and without one it works.
fn demands(model: &Model) -> Result<(), Failed> {
    for (change, expected) in [
        ("", None),
        ("Mmio.write32 (timer + 0xC0Cun) 0u", Some("a timer does not act on pins while the core sleeps")),
        (
            "Mmio.write32 (pins + 0x510un) 0x130C03u",
            Some("the initial level of a task's pin depends on the revision of the chip"),
        ),
        ("Mmio.write32 (pins + 0x514un) 0x30C01u", Some("two channels of the GPIOTE have one pin")),
        ("connect 1 0u 0x40006000u", Some("a task comes twice at one time")),
        ("connect 1 1u 0x40000000u", Some("a channel of the PPI has another task than those of pins and groups")),
        (
            "\
connect 2 0u 0x4001F000u
Mmio.write32 (ppi + 0x800un) 2u
Mmio.write32 (ppi + 0x508un) 2u
Mmio.write32 (timer + 0x510un) 0u
Mmio.write32 (ppi + 0x504un) 4u",
            Some("an event of the PPI follows the one that enables its channel too closely"),
        ),
    ] {
        // The last one enables the second channel by an event.
        let text =
            if change.contains('\n') { TOGGLES.replace("0x504un) 3u", "0x504un) 1u") } else { TOGGLES.to_owned() };
        let mut chip = start_text(model, "2", &text.replace("CHANGE", change), MICROBIT)?;
        let ending = chip.run(END);
        if ending != expected.map_or(Ending::Exit(0), Ending::Bus) {
            return Err(format!("{change}: {ending:?} in place of {expected:?}\n{}", chip.output()).into());
        }
    }
    Ok(())
}

/// What an nRF51 has given away: a timer to `Timer`, or channels of its pins to edges; or a third output.
const TAKEN: [&str; 6] = [
    "Timer.every 1 1000 ignore\nignore (Pwm.start SINGLE 1000)",
    "ignore (Pwm.start SINGLE 1000)\nTimer.every 1 1000 ignore",
    "for number in 0 .. 3 do Gpio.onEdge (Gpio.pin 0 number) Gpio.Rising ignore\nignore (Pwm.start SINGLE 1000)",
    "ignore (Pwm.start SINGLE 1000)\nfor number in 0 .. 3 do Gpio.onEdge (Gpio.pin 0 number) Gpio.Rising ignore",
    "Gpio.onEdge SINGLE Gpio.Rising ignore\nignore (Pwm.start SINGLE 1000)",
    "for number in 0 .. 2 do ignore (Pwm.start (Gpio.pin 0 number) 1000)",
];

/// What a chip does not have, or has given away, stops the program.
fn refused(model: &Model, level: &str, pins: Pins) -> Result<(), Failed> {
    let mut programs = vec![
        "ignore (Adc.start DIGITAL)",
        "ignore (Pwm.start SINGLE 0)",
        "ignore (Pwm.start SINGLE 100_000_000)",
        "ignore (Pwm.start SINGLE 1000)\nignore (Pwm.start SINGLE 1000)",
        "Pwm.write (Pwm.start SINGLE 1000) (Pwm.maximum + 1)",
        "Pwm.write (Pwm.start SINGLE 1000) -1",
    ];
    if model.part == Part::Nrf51 {
        programs.extend(TAKEN);
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
    } else {
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
            | Part::Mps2(..) => matches!(ending, Ending::Fault(_)) && output.is_empty(),
        };
        if !fits {
            return Err(format!("{program}: {ending:?}\n{output}").into());
        }
    }
    Ok(())
}
