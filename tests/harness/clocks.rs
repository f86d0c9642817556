//! The clocks of boards on models of chips: the core, the timers and the serial lines of each board have the frequencies that its
//! descriptor says, also with another one of the core. A descriptor that starts the clocks wrongly ends with the reason.

use crate::chips::{self, Model, compiled, workshop};
use chip_sim::{Ending, Outcome, Part, Rated, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::fs;

/// Boards with `clocks`, and another frequency of the core for some, in megahertz, at which time is kept.
const BOARDS: [(&str, Option<u64>); 12] = [
    ("black-pill-f411", Some(84)),
    ("blue-pill", Some(24)),
    ("frdm-kl25z", None),
    ("netduino2", None),
    ("netduinoplus2", Some(48)),
    ("nucleo-f446re", Some(168)),
    ("nucleo-l552ze-q", Some(80)),
    ("rpi-pico", Some(48)),
    ("rpi-pico-2", Some(96)),
    ("stm32f4-discovery", Some(84)),
    ("stm32f4-tim2", None),
    ("stm32l5-tim2", None),
];

/// Sends at two rates, with a time in between that is measured on the chip.
const PROGRAM: &str = "\
Uart.start Serial.main 115200
Uart.write Serial.main \"fast\"
Time.sleep 20
Uart.start Serial.main 9600
Uart.write Serial.main \"slow\"
Time.sleep 20
";

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let models = chips::models()?;
    let mut trials = Vec::new();
    for (index, (board, other)) in BOARDS.into_iter().enumerate() {
        let model = models.iter().find(|model| model.name == board).ok_or("a board with clocks is missing")?;
        let level = ["0", "2", "z"][index % 3];
        let rated = model.clone();
        trials.push(Trial::test(format!("clocks::rated::{board}-O{level}"), move || keeps_rates(&rated, level)));
        if let Some(megahertz) = other {
            let changed = with_core(model, megahertz);
            let name = format!("clocks::changed::{board}-{megahertz}-O{level}");
            trials.push(Trial::test(name, move || keeps_rates(&changed, level)));
        }
    }
    for (name, board, text, reason) in WRONG {
        let model = models.iter().find(|model| model.name == board).ok_or("a board with clocks is missing")?.clone();
        trials.push(Trial::test(format!("clocks::wrong::{name}"), move || is_misuse(&model, text, reason)));
    }
    Ok(trials)
}

/// The same board with another frequency of its core.
fn with_core(model: &Model, megahertz: u64) -> Model {
    let core = megahertz * 1_000_000;
    let part = match model.part {
        Part::Rp2040(_) => Part::Rp2040(core),
        Part::Rp2350(_) => Part::Rp2350(core),
        Part::Stm32(rated) => Part::Stm32(Rated { core, ..rated }),
        part @ (Part::Nrf51 | Part::Nrf52 | Part::Nrf91 | Part::Kl25 | Part::Lm3s6965 | Part::Mps2(..)) => part,
    };
    let mut changed = model.clone();
    changed.part = part;
    changed.descriptor.push_str(&format!("clocks: {{ core: {megahertz}M }}\n"));
    changed
}

/// The image of a program for the board.
fn image(model: &Model, level: &str, program: &str) -> Result<Vec<u8>, Failed> {
    let directory = workshop(model)?;
    fs::write(directory.path().join("program.clef"), program)?;
    compiled(directory.path(), level, "program.clef")
}

fn keeps_rates(model: &Model, level: &str) -> Result<(), Failed> {
    let wiring = Wiring::default();
    let mut chip = Session::start(&image(model, level, PROGRAM)?, model.part, &wiring, None)?;
    for (time, sent, wanted) in [(15, "fast", 115_200), (20, "slow", 9600)] {
        let ending = chip.run(time);
        let (found, rate) = (chip.received(), wiring.line.borrow().rate.unwrap_or_default());
        if found != sent || rate.abs_diff(wanted) * 50 > wanted {
            return Err(format!("{ending:?}: {found:?} at {rate} Bd in place of {wanted}").into());
        }
    }
    let ending = chip.run(3000);
    let (time, _) = chip.microseconds();
    let outcome = format!("{ending:?} after {time} us");
    // At the lower rate a byte takes a millisecond, and so does the idle line before the first one; two of four bytes go while it sleeps.
    if ending == Ending::Exit(0) && (40_000..44_000).contains(&time) { Ok(()) } else { Err(outcome.into()) }
}

/// What boards do wrongly: the name, the board, what the descriptor adds, and a part of the reason.
const WRONG: [(&str, &str, &str, &str); 8] = [
    (
        "crystal_of_a_loop_that_is_not_stable",
        "lm3s6965evb",
        "clocks: { kind: none }
clock: 50M
adc: { clock: 16M }
pwm: { clock: 50M }
timers: { clock: 50M }
watchdog: { clock: 50M }
uart: { clock: 50M }
uarts: { uart1: { clock: 50M }, uart2: { clock: 50M } }
i2c: { main: { clock: 50M } }
spi: { main: { clock: 50M } }
start:
  - { kind: clear, address: 0x400FE060, bits: 1 }
  - { kind: write, address: 0x400FE060, value: 0x1CE1B80 }
",
        "crystal that is not stable",
    ),
    (
        "loop_of_bytes_that_is_not_locked",
        "frdm-kl25z",
        "clocks: { kind: none }
clock: 48M
adc: { clock: 24M }
pwm: { clock: 48M }
timers: { clock: 24M }
uart: { clock: 48M }
i2c: { main: { clock: 24M } }
start:
  - { kind: write, address: 0x40048100, value: 0 }
  - { kind: write, address: 0x40048044, value: 0x10010000 }
  - { kind: write-byte, address: 0x40064001, value: 0x14 }
  - { kind: write-byte, address: 0x40064000, value: 0x98 }
  - { kind: await-byte, address: 0x40064006, bits: 2 }
  - { kind: await-byte-clear, address: 0x40064006, bits: 0x10 }
  - { kind: write-byte, address: 0x40064004, value: 1 }
  - { kind: write-byte, address: 0x40064005, value: 0x40 }
  - { kind: write-byte, address: 0x40064000, value: 0x18 }
",
        "loop that is not stable",
    ),
    (
        "unlocked_loop",
        "stm32f4-discovery",
        "clocks: { kind: none }
clock: 168M
adc: { clock: 84M }
pwm: { clock: 84M }
timers: { clock: 84M }
uart: { clock: 42M }
i2c: { main: { clock: 42M } }
spi: { main: { clock: 84M } }
start:
  - { kind: write, address: 0x40023C00, value: 5 }
  - { kind: write, address: 0x40023808, value: 0x9400 }
  - { kind: write, address: 0x40023804, value: 0x27002A08 }
  - { kind: set, address: 0x40023800, bits: 0x1000000 }
  - { kind: set, address: 0x40023808, bits: 2 }
",
        "loop that is not stable",
    ),
    (
        "few_wait_states",
        "stm32f4-discovery",
        "clocks: { kind: none }
clock: 168M
adc: { clock: 84M }
pwm: { clock: 84M }
timers: { clock: 84M }
uart: { clock: 42M }
i2c: { main: { clock: 42M } }
spi: { main: { clock: 84M } }
start:
  - { kind: write, address: 0x40023C00, value: 4 }
  - { kind: write, address: 0x40023808, value: 0x9400 }
  - { kind: write, address: 0x40023804, value: 0x27002A08 }
  - { kind: set, address: 0x40023800, bits: 0x1000000 }
  - { kind: await, address: 0x40023800, bits: 0x2000000 }
  - { kind: set, address: 0x40023808, bits: 2 }
",
        "wait states",
    ),
    (
        "fast_bus",
        "blue-pill",
        "clocks: { kind: none }
clock: 64M
adc: { clock: 64M }
pwm: { clock: 64M }
timers: { clock: 64M }
uart: { clock: 64M }
i2c: { main: { clock: 64M } }
spi: { main: { clock: 64M } }
start:
  - { kind: write, address: 0x40022000, value: 0x12 }
  - { kind: write, address: 0x40021004, value: 0x380000 }
  - { kind: set, address: 0x40021000, bits: 0x1000000 }
  - { kind: await, address: 0x40021000, bits: 0x2000000 }
  - { kind: set, address: 0x40021004, bits: 2 }
",
        "bus is too fast",
    ),
    (
        "without_over_drive",
        "nucleo-f446re",
        "clocks: { kind: none }
clock: 180M
adc: { clock: 90M }
pwm: { clock: 90M }
timers: { clock: 90M }
uart: { clock: 45M }
i2c: { main: { clock: 45M } }
spi: { main: { clock: 90M } }
start:
  - { kind: write, address: 0x40023C00, value: 5 }
  - { kind: write, address: 0x40023808, value: 0x9400 }
  - { kind: write, address: 0x40023804, value: 0x28002D08 }
  - { kind: set, address: 0x40023800, bits: 0x1000000 }
  - { kind: await, address: 0x40023800, bits: 0x2000000 }
  - { kind: set, address: 0x40023808, bits: 2 }
",
        "supply",
    ),
    (
        "unstable_crystal",
        "rpi-pico",
        "clocks: { kind: none }
clock: 12M
time: { clock: 12M }
watchdog: { clock: 12M }
rng: { clock: 12M }
adc: { clock: 12M }
pwm: { clock: 12M }
timers: { clock: 12M }
uart: { clock: 12M }
i2c: { main: { clock: 12M } }
spi: { main: { clock: 12M } }
start:
  - { kind: write, address: 0x4002400C, value: 282 }
  - { kind: write, address: 0x40024000, value: 0xFABAA0 }
  - { kind: write, address: 0x40008030, value: 2 }
",
        "crystal that is not stable",
    ),
    (
        "another_frequency",
        "blue-pill",
        "clocks: { kind: none }
clock: 72M
adc: { clock: 72M }
pwm: { clock: 72M }
timers: { clock: 72M }
uart: { clock: 72M }
i2c: { main: { clock: 72M } }
spi: { main: { clock: 72M } }
",
        "takes",
    ),
];

/// The program ends with the reason, or takes too long where the clock is only another one.
fn is_misuse(model: &Model, text: &str, reason: &str) -> Result<(), Failed> {
    let mut wrong = model.clone();
    wrong.descriptor.push_str(text);
    let image = image(&wrong, "2", "Time.sleep 20\nprintfn \"awake\"\n")?;
    let outcome: Outcome = chip_sim::run(&image, model.part, 50_000_000)?;
    let fits = match outcome.ending {
        Ending::Clock(found) => found.contains(reason),
        Ending::Exit(0) => reason == "takes" && outcome.microseconds > 100_000,
        Ending::Exit(_)
        | Ending::Asleep
        | Ending::Fault(_)
        | Ending::Reset
        | Ending::Bus(_)
        | Ending::PowerLost
        | Ending::Running => false,
    };
    if fits { Ok(()) } else { Err(format!("{outcome:?} in place of {reason}").into()) }
}
