//! Time on the chips of all shipped Cortex-M boards: the programs of `chips/` and of `clefc new` run on models of the
//! chips' registers, which have what no emulator has: a chip without system timer, a system timer that stops while the
//! processor sleeps, counters that count only with their clocks (`chip_sim`).
//!
//! The images are those of the boards except for the target: all are compiled for Armv6-M, whose instructions the
//! models support and all Cortex-M processors have. In addition to the shipped boards there are some with timers that
//! none of them has.
//!
//! - `// prints: text` is a line of the output, in order.
//! - `// takes: 2000` is the time on the chip in milliseconds, at least, and at most one percent more; or cycles, as in
//!   `// takes: 10000 * 250 cycles`.
//! - `// asleep: 95` is the minimum percentage of that time in which the processor sleeps.
//! - `// resets: 570 800` is the time in milliseconds after which the watchdog resets the chip, at least and at most. It excludes
//!   boards of chips without models.
//! - `// timers: wide` excludes boards whose timer interrupts so often that long sleeps take too many instructions: the
//!   processor's timer, and timers of 16 bits.

use crate::{ROOT, board::LEVELS, compiler::clefc_in, directives, files, stem};
use chip_sim::{Chip, Ending, Mps2Image, Outcome, Part, Rated};
use clef_base::SourceMap;
use clef_descriptors::{Boot, Gpio, Resolver, Timer};
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};
use tempfile::TempDir;

/// Boards that are not shipped: each with the board it inherits from, and its timer.
const OTHERS: [(&str, &str, &str); 8] = [
    ("microbit-rtc", "microbit", "{ kind: nrf-rtc, base: 0x4000B000, source: rc }"),
    ("microbit-timer1", "microbit", "{ kind: nrf-timer, base: 0x40009000, bits: 16 }"),
    ("nrf52840-rtc", "nrf52840-dk", "{ kind: nrf-rtc, base: 0x40024000, source: crystal }"),
    ("nrf9160-rtc", "nrf9160-dk", "{ kind: nrf-rtc, base: 0x50015000, source: crystal }"),
    ("stm32f4-tim2", "nucleo-f446re", "{ kind: stm32, base: 0x40000000, enable: 0x40023840, bit: 0, interrupt: 28 }"),
    (
        "stm32f4-tim3",
        "nucleo-f446re",
        "{ kind: stm32, base: 0x40000400, enable: 0x40023840, bit: 1, interrupt: 29, bits: 16 }",
    ),
    (
        "stm32f4-tim5",
        "stm32f4-discovery",
        "{ kind: stm32, base: 0x40000C00, enable: 0x40023840, bit: 3, interrupt: 50 }",
    ),
    ("stm32l5-tim2", "nucleo-l552ze-q", "{ kind: stm32, base: 0x40000000, enable: 0x40021058, bit: 0, interrupt: 45 }"),
];

/// An upper bound of the instructions of every program.
pub(crate) const INSTRUCTIONS: u64 = 200_000_000;

/// A board, its chip, and its descriptor for Armv6-M.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) part: Part,
    pub(crate) descriptor: String,
    /// Whether the timer belongs to the chip and has more than 16 bits.
    is_wide: bool,
    /// Whether the board has a watchdog that programs use.
    has_watchdog: bool,
    /// The first address of the pages for settings, their size and their number.
    pub(crate) settings: Option<(u32, u32, u32)>,
}

impl Model {
    /// The same chip on a board whose descriptor has more lines.
    pub(crate) fn with(&self, lines: &str) -> Model {
        Model { descriptor: format!("{}{lines}", self.descriptor), ..self.clone() }
    }
}

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let models = models()?;
    let mut trials = Vec::new();
    for (index, path) in files("chips", "clef")?.into_iter().enumerate() {
        let source = fs::read_to_string(&path)?;
        let wide = directives(&source, "timers").iter().any(|timers| timers == "wide");
        let resets = !directives(&source, "resets").is_empty();
        let is_reset = |model: &Model| model.has_watchdog && !matches!(model.part, Part::Mps2(..));
        let fits = |model: &Model| (model.is_wide || !wide) && (is_reset(model) || !resets);
        for (turn, model) in models.iter().enumerate().filter(|(_, model)| fits(model)) {
            let (path, model) = (path.clone(), model.clone());
            let level = LEVELS[(index + turn) % LEVELS.len()];
            let name = format!("chips::{}::{}-O{level}", stem(&path), model.name);
            trials.push(Trial::test(name, move || check(&path, &model, level)));
        }
    }
    for model in models.iter().filter(|model| !OTHERS.iter().any(|(name, ..)| *name == model.name)) {
        let (name, new) = (format!("chips::new::{}", model.name), model.clone());
        trials.push(Trial::test(name, move || check_new(&new)));
    }
    trials.push(Trial::test("chips::without_timer", hangs_without_timer));
    Ok(trials)
}

/// The model of a chip, whose core has this frequency after the start. A crystal is that of the board with the chip.
fn part_of(chip: &str, core: u64) -> Option<Part> {
    let stm32 = |chip: Chip, crystal: u64| Part::Stm32(Rated { chip, crystal: crystal * 1_000_000, core });
    let known = [
        ("nRF51", Part::Nrf51),
        ("nRF52", Part::Nrf52),
        ("nRF91", Part::Nrf91),
        ("RP2040", Part::Rp2040(core)),
        ("RP235", Part::Rp2350(core)),
        // Its system timer counts in sleep, and it has no other one here (RM0008, 5.3.2).
        ("STM32F103", stm32(Chip::F103, 8)),
        ("STM32F205", stm32(Chip::F205, 25)),
        ("STM32F405", stm32(Chip::F405, 25)),
        ("STM32F407", stm32(Chip::F405, 8)),
        ("STM32F411", stm32(Chip::F411, 25)),
        ("STM32F446", stm32(Chip::F446, 8)),
        ("STM32L552", stm32(Chip::L552, 8)),
    ];
    known.into_iter().find(|(name, _)| chip.starts_with(name)).map(|(_, part)| part)
}

/// The model of an MPS2 board with this frequency, if pins are those of one.
fn mps2_of(gpio: Gpio, clock: u64) -> Option<Part> {
    let Gpio::Mps2 { expansion, .. } = gpio else { return None };
    let image = if expansion.base.0 >= 0x5000_0000 { Mps2Image::An505 } else { Mps2Image::An385 };
    Some(Part::Mps2(image, clock))
}

/// The shipped boards that boot as a Cortex-M, and the others.
pub(crate) fn models() -> Result<Vec<Model>, Failed> {
    let mut sources = SourceMap::default();
    let boards = Resolver::new(&mut sources, &|path| fs::read_to_string(path)).shipped_boards();
    let boards = boards.map_err(|wrong| Failed::from(format!("{wrong:?}")))?;
    let mut models = Vec::new();
    for board in boards.into_iter().filter(|board| board.boot == Boot::CortexM) {
        let clock = board.clock.map_or(0, |clock| clock.0);
        let chip = board.chip.as_deref().unwrap_or_default();
        let part = part_of(chip, clock);
        // probe-rs does not know the chips of these boards.
        let of = |gpio: Gpio, part: Part| (board.gpio == Some(gpio)).then_some(part);
        let part = part.or(of(Gpio::Kl25, Part::Kl25)).or(of(Gpio::Stellaris, Part::Lm3s6965));
        let part = match part.or(board.gpio.and_then(|gpio| mps2_of(gpio, clock))) {
            Some(part) if part.frequency() == clock => part,
            Some(_) => return Err(format!("the model of {} has another clock", board.name).into()),
            None => return Err(format!("no model of the chip of {}", board.name).into()),
        };
        let end = board.flash().map_or(0, |flash| flash.end().0);
        let number = |number: u64| u32::try_from(number).unwrap_or_default();
        let settings = board.settings.map(|found| (number(end - found.size().0), number(found.page.0), found.pages));
        let has_watchdog = board.watchdog.is_some();
        let is_counter = board.time != Timer::Systick;
        let of = |name: &str, time: Option<&str>| {
            let is_wide = time.map_or(is_counter, |time| !time.contains("bits: 16"));
            let time = time.map(|time| format!("time: {time}\n")).unwrap_or_default();
            // The board has more interrupts than an Armv6-M, so the descriptor names a chip whose core has as many.
            let chip = if matches!(part, Part::Mps2(..)) {
                "chip: STM32F407VG\n"
            } else if part == Part::Lm3s6965 {
                "chip: LM3S6965\n"
            } else {
                ""
            };
            // A program that ends tells its status.
            let console = if part == Part::Kl25 { "console: { kind: rtt }\nexit: { kind: semihosting }\n" } else { "" };
            let descriptor = format!(
                "inherits: {}\ndescription: The same for Armv6-M\ntarget: thumbv6m\n{chip}{console}{time}",
                board.name
            );
            Model { name: name.to_owned(), part, descriptor, is_wide, has_watchdog, settings }
        };
        models.push(of(&board.name, None));
        let others = OTHERS.iter().filter(|(_, parent, _)| *parent == board.name);
        models.extend(others.map(|(name, _, time)| of(name, Some(time))));
    }
    Ok(models)
}

/// A directory with the board's descriptor.
pub(crate) fn workshop(model: &Model) -> Result<TempDir, Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    Ok(directory)
}

/// Compiles for the board, and runs on its model.
fn run(directory: &Path, model: &Model, level: &str, program: &str) -> Result<Outcome, Failed> {
    Ok(chip_sim::run(&compiled(directory, level, program)?, model.part, INSTRUCTIONS)?)
}

/// Compiles for the board.
pub(crate) fn compiled(directory: &Path, level: &str, program: &str) -> Result<Vec<u8>, Failed> {
    let level = format!("-O{level}");
    let call = clefc_in(directory, &["--board", "board.yaml", &level, "-o", "image.elf", program], b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    Ok(fs::read(directory.join("image.elf"))?)
}

fn check(path: &Path, model: &Model, level: &str) -> Result<(), Failed> {
    let source = fs::read_to_string(path)?;
    let directory = workshop(model)?;
    let program = Path::new(ROOT).join(path);
    let outcome = run(directory.path(), model, level, &program.to_string_lossy())?;
    let lines: Vec<String> = directives(&source, "prints");
    let text = || {
        format!(
            "{:?} after {} us, {} asleep:\n{}",
            outcome.ending, outcome.microseconds, outcome.asleep, outcome.output
        )
    };
    let resets = directives(&source, "resets").pop();
    let ending = if resets.is_some() { Ending::Reset } else { Ending::Exit(0) };
    if outcome.ending != ending || !outcome.output.lines().eq(lines.iter().map(String::as_str)) {
        return Err(text().into());
    }
    if let Some(takes) = directives(&source, "takes").pop() {
        let least = microseconds(&takes, model.part)?;
        if !(least..=least + least / 100 + 500).contains(&outcome.microseconds) {
            return Err(format!("it takes {takes}; {}", text()).into());
        }
    }
    if let Some(resets) = resets {
        let (least, most) = resets.split_once(' ').ok_or("a reset has a least and a most time")?;
        if !(least.parse::<u64>()? * 1000..=most.parse::<u64>()? * 1000).contains(&outcome.microseconds) {
            return Err(format!("it is reset after {resets} ms; {}", text()).into());
        }
    }
    if let Some(asleep) = directives(&source, "asleep").pop() {
        let least: u64 = asleep.parse()?;
        if outcome.asleep * 100 < outcome.microseconds * least {
            return Err(format!("it sleeps too little; {}", text()).into());
        }
    }
    Ok(())
}

/// The time in a directive: milliseconds, or a product of two numbers of cycles.
fn microseconds(takes: &str, part: Part) -> Result<u64, Failed> {
    let Some(cycles) = takes.strip_suffix(" cycles") else { return Ok(takes.parse::<u64>()? * 1000) };
    let (period, count) = cycles.split_once(" * ").ok_or("a number of cycles is a product")?;
    Ok(period.parse::<u64>()? * count.parse::<u64>()? * 1_000_000 / part.frequency())
}

/// The program of `clefc new` blinks to its end.
fn check_new(model: &Model) -> Result<(), Failed> {
    let directory = workshop(model)?;
    let new = clefc_in(directory.path(), &["new", "blinky", "--board", "board.yaml"], b"")?;
    if new.status != Some(0) {
        return Err(new.errors.into());
    }
    let outcome = run(directory.path(), model, "z", "blinky")?;
    let steps = outcome.output.lines().filter(|line| line.starts_with("step ")).count();
    // Six iterations, two of which are long.
    let takes = 1_400_000..1_450_000;
    if outcome.ending == Ending::Exit(0) && steps == 6 && takes.contains(&outcome.microseconds) {
        return Ok(());
    }
    Err(format!("{outcome:?}").into())
}

/// A program that uses the system timer never wakes on a chip without one, or on which it stops: so a test of a board
/// can fail.
fn hangs_without_timer() -> Result<(), Failed> {
    let models = models()?;
    let model = models.iter().find(|model| model.name == "mps2-an385").ok_or("a shipped board is missing")?;
    let directory = workshop(model)?;
    fs::write(directory.path().join("sleep.clef"), "Time.sleep 5\nprintfn \"awake\"\n")?;
    for (part, expected) in [
        (model.part, Ending::Exit(0)),
        (Part::Nrf51, Ending::Asleep),
        (Part::Nrf52, Ending::Asleep),
        (Part::Stm32(Rated { chip: Chip::F405, crystal: 8_000_000, core: 16_000_000 }), Ending::Exit(0)),
    ] {
        let outcome = run(directory.path(), &Model { part, ..model.clone() }, "2", "sleep.clef")?;
        if outcome.ending != expected {
            return Err(format!("{part:?}: {outcome:?}").into());
        }
    }
    Ok(())
}
