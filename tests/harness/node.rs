//! The example of a sensor node, `examples/sensor_node`: its tests pass, and its firmware runs on models of chips with a sensor, a display
//! and a serial line, through a session in which the sensor warms up and fails, power fails, and the program hangs. The node in C is in
//! the same session, with the same outcome. The firmware is built for every board that has the parts.
//!
//! `examples/sensor_node.out` is the outcome, and the README of the example has the sizes of both.

use crate::{
    ROOT,
    chips::{self, Model},
    compiler::{LONGEST, call, clefc, clefc_in},
    tool,
};
use chip_sim::{
    Ending, Flash, Session, Wiring,
    parts::{Bmp280, Ssd1306},
};
use clef_golden::{compare, compare_with_file};
use clef_oracle::foreign::of_llvm;
use defmt_decoder::{DecodeError, Table};
use goblin::elf::{Elf, section_header::SHF_ALLOC};
use libtest_mimic::{Failed, Trial};
use std::{
    cell::RefCell,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    rc::Rc,
};

const EXAMPLE: &str = "../examples/sensor_node";

/// The boards whose chips are modelled with their buses, each with the pins of the display: what selects it, and what is low for
/// commands.
const SIMULATED: [(&str, Pins); 4] = [
    ("microbit", [(0, 16), (0, 2)]),
    ("feather-nrf52840", [(1, 8), (0, 7)]),
    ("microbit-v2", [(1, 2), (0, 3)]),
    ("nrf52840-dk", [(1, 12), (1, 11)]),
];

/// The other boards that have the parts.
const OTHERS: [&str; 12] = [
    "black-pill-f411",
    "blue-pill",
    "frdm-kl25z",
    "lm3s6965evb",
    "netduino2",
    "netduinoplus2",
    "nrf9160-dk",
    "nucleo-f446re",
    "nucleo-l552ze-q",
    "rpi-pico",
    "rpi-pico-2",
    "stm32f4-discovery",
];

type Pins = [chip_sim::Pin; 2];

/// The trials.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = vec![Trial::test("node::tests", tests)];
    for model in chips::models()? {
        if let Some((name, pins)) = SIMULATED.iter().find(|(name, _)| *name == model.name) {
            trials.push(Trial::test(format!("node::runs::{name}"), move || in_clef(&model, *pins)));
        }
    }
    for board in OTHERS {
        trials.push(Trial::test(format!("node::builds::{board}"), move || build(board).map(|_| ())));
    }
    let missing = of_llvm("clang").is_none().then_some("clang of LLVM 22");
    for trial in [Trial::test("node::runs::c", in_c), Trial::test("node::sizes", sizes)] {
        trials.push(match missing {
            Some(missing) => tool::ignored(trial, missing),
            None => trial,
        });
    }
    Ok(trials)
}

/// The tests of what the node decides pass on this machine and in an emulator.
fn tests() -> Result<(), Failed> {
    let project = format!("{EXAMPLE}/node");
    let call = clefc(&["test", &project, "--board", "host-linux", "--board", "microbit"], b"")?;
    if call.status == Some(0) {
        Ok(())
    } else {
        Err(format!("{}{}", String::from_utf8_lossy(&call.output), call.errors).into())
    }
}

/// Compiles the firmware, whose stack and regions must have bounds.
fn build(board: &str) -> Result<Vec<u8>, Failed> {
    let directory = tempfile::tempdir()?;
    let firmware = Path::new(ROOT).join(EXAMPLE).join("firmware");
    let firmware = firmware.to_string_lossy();
    let arguments = ["--board", board, "--deny", "unbounded", "-o", "node.elf", &firmware];
    let call = clefc_in(directory.path(), &arguments, b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    Ok(fs::read(directory.path().join("node.elf"))?)
}

/// The path of the descriptor of the firmware's own board.
fn own_board() -> PathBuf {
    Path::new(ROOT).join(EXAMPLE).join("firmware/microbit.yaml")
}

fn in_clef(model: &Model, pins: Pins) -> Result<(), Failed> {
    // The name of a board decides about the pins.
    let directory = tempfile::tempdir()?;
    let descriptor = directory.path().join(format!("{}.yaml", model.name));
    fs::write(&descriptor, format!("{}log: {{ kind: rtt, buffer: 512 }}\n", model.descriptor))?;
    let image = build(&descriptor.to_string_lossy())?;
    let table = Table::parse(&image).map_err(|error| error.to_string())?.ok_or("the firmware does not log")?;
    let outcome = session(&image, model, pins, &|bytes| logged(&table, bytes))?;
    Ok(compare_with_file(&Path::new(ROOT).join("examples/sensor_node.out"), &outcome)?)
}

/// The messages of a log.
pub(crate) fn logged(table: &Table, bytes: &[u8]) -> Result<Vec<String>, Failed> {
    let mut decoder = table.new_stream_decoder();
    decoder.received(bytes);
    let mut messages = Vec::new();
    loop {
        match decoder.decode() {
            Ok(frame) => {
                let level = frame.level().map_or("", |level| level.as_str());
                messages.push(format!("{level} {}", frame.display_message()));
            }
            Err(DecodeError::UnexpectedEof) => return Ok(messages),
            Err(DecodeError::Malformed) => return Err("the log is damaged".into()),
        }
    }
}

/// A node on its chip, and the story of what it has done.
struct Bench<'a> {
    chip: Session,
    sensor: Rc<RefCell<Bmp280>>,
    display: Rc<RefCell<Ssd1306>>,
    font: Vec<u16>,
    logged: &'a Logged<'a>,
    story: String,
}

/// Reads a log.
type Logged<'a> = dyn Fn(&[u8]) -> Result<Vec<String>, Failed> + 'a;

/// Runs a node through the session, and returns the story.
fn session(image: &[u8], model: &Model, [select, command]: Pins, logged: &Logged<'_>) -> Result<String, Failed> {
    let sensor = Rc::new(RefCell::new(Bmp280::default()));
    let display = Rc::new(RefCell::new(Ssd1306::new(command)));
    let wiring = Wiring { i2c: vec![sensor.clone()], spi: vec![(select, display.clone())], ..Wiring::default() };
    let (origin, page, pages) = model.settings.ok_or("the board has pages for settings")?;
    let chip = Session::start(image, model.part, &wiring, Flash::new(model.part, origin, page, pages))?;
    let mut bench = Bench { chip, sensor, display, font: font()?, logged, story: String::new() };
    bench.surround("a day in spring", 21.5, 100_653.0);
    bench.run(2550)?;
    bench.look();
    bench.tell(&["show", "help", ""])?;
    bench.tell(&["sho", "set", "set height 3", "set low", "set low 1e3", "set low -4100", "save now"])?;
    bench.tell(&["set high 2500", "set interval 500", "set smoothing 0", "save"])?;
    bench.surround("the sun shines on it", 27.25, 100_600.0);
    bench.run(2000)?;
    bench.look();
    bench.surround("a cloud", 24.75, 100_600.0);
    bench.run(2000)?;
    bench.surround("night", -3.25, 101_325.0);
    bench.run(2000)?;
    bench.look();
    bench.note("the sensor is unplugged");
    bench.sensor.borrow_mut().is_connected = false;
    bench.run(2000)?;
    bench.look();
    bench.note("the sensor is plugged in");
    *bench.sensor.borrow_mut() = Bmp280::default();
    bench.surround("noon", 20.0, 101_000.0);
    bench.run(1500)?;
    bench.rests()?;
    bench.note("power fails and comes back");
    let mut bench = bench.restart()?;
    bench.run(1550)?;
    bench.tell(&["show"])?;
    bench.tell(&["reset", "show", "hang"])?;
    let ending = bench.chip.run(2500);
    if ending != Ending::Reset {
        return Err(format!("the watchdog does not reset it: {ending:?}\n{}", bench.story).into());
    }
    bench.gather()?;
    bench.note("the watchdog resets it");
    let mut bench = bench.restart()?;
    bench.run(50)?;
    bench.tell(&["show"])?;
    Ok(bench.story)
}

impl Bench<'_> {
    fn note(&mut self, what: &str) {
        let _ = writeln!(self.story, "-- {what}");
    }

    fn surround(&mut self, name: &str, celsius: f64, pascals: f64) {
        self.note(name);
        self.sensor.borrow_mut().set(celsius, pascals);
    }

    /// Lets time go on.
    fn run(&mut self, milliseconds: u64) -> Result<(), Failed> {
        // A debug probe reads the log now and then.
        for passed in (0..milliseconds).step_by(500) {
            let ending = self.chip.run((milliseconds - passed).min(500));
            self.gather()?;
            if ending != Ending::Running {
                return Err(format!("it has ended: {ending:?}\n{}", self.story).into());
            }
        }
        Ok(())
    }

    /// Adds what it has sent and logged.
    fn gather(&mut self) -> Result<(), Failed> {
        for line in self.chip.received().lines() {
            let _ = writeln!(self.story, "{line}");
        }
        for message in (self.logged)(&self.chip.log())? {
            let _ = writeln!(self.story, "log: {message}");
        }
        Ok(())
    }

    /// Sends lines to the shell, one after another.
    fn tell(&mut self, lines: &[&str]) -> Result<(), Failed> {
        for line in lines {
            let _ = writeln!(self.story, "> {line}");
            self.chip.send(&format!("{line}\n"));
            self.run(20)?;
        }
        Ok(())
    }

    /// Adds the lines of the display.
    fn look(&mut self) {
        let display = self.display.clone();
        let display = display.borrow();
        for y in (0..64).step_by(8) {
            let line: String = (0..32).map(|column| self.character(&display, column * 4, y)).collect();
            if !line.trim_end().is_empty() {
                let _ = writeln!(self.story, "display: {}", line.trim_end());
            }
        }
    }

    /// The character in a cell of the display.
    fn character(&self, display: &Ssd1306, x: usize, y: usize) -> char {
        let column =
            |index: usize| (0..5).fold(0, |bits, row| bits | u16::from(display.is_bright(x + index, y + row)) << row);
        let glyph = (0..3).fold(0, |glyph, index| glyph | column(index) << (5 * index));
        let found = self.font.iter().position(|known| *known == glyph);
        found.map_or('\u{fffd}', |index| char::from(b' ' + index as u8))
    }

    /// The processor sleeps most of the time.
    fn rests(&self) -> Result<(), Failed> {
        let (passed, asleep) = self.chip.microseconds();
        if asleep * 100 >= passed * 95 { Ok(()) } else { Err(format!("it sleeps {asleep} of {passed} us").into()) }
    }

    fn restart(self) -> Result<Self, Failed> {
        Ok(Bench { chip: self.chip.reset()?, ..self })
    }
}

/// The glyphs of the display's driver.
fn font() -> Result<Vec<u16>, Failed> {
    let source = fs::read_to_string(Path::new(ROOT).join("../examples/drivers/ssd1306/font.clef"))?;
    let glyph = regex::Regex::new("0x([0-9A-F]{4})us[; \n]").map_err(|error| error.to_string())?;
    let glyphs = glyph.captures_iter(&source).map(|found| u16::from_str_radix(&found[1], 16));
    let glyphs = glyphs.collect::<Result<Vec<u16>, _>>()?;
    if glyphs.len() < 64 { Err("the font has 64 glyphs".into()) } else { Ok(glyphs) }
}

/// Compiles the node in C as its Makefile does.
fn build_c() -> Result<Vec<u8>, Failed> {
    let directory = tempfile::tempdir()?;
    let source = Path::new(ROOT).join(EXAMPLE).join("c");
    let mut command = Command::new("make");
    command.arg("-C").arg(&source).arg(format!("BUILD={}", directory.path().display()));
    command.arg(format!("CC={}", of_llvm("clang").ok_or("clang is missing")?.display()));
    command.arg(format!(
        "LD={}",
        of_llvm("ld.lld").or_else(|| tool::find("ld.lld-22")).ok_or("lld is missing")?.display()
    ));
    command.arg(format!("LIBRARY={}", routines()?.display()));
    let made = call(&mut command, b"", LONGEST)?;
    if made.status != Some(0) {
        return Err(format!("{}{}", String::from_utf8_lossy(&made.output), made.errors).into());
    }
    Ok(fs::read(directory.path().join("node.elf"))?)
}

/// The routines for divisions and long products: those of Rust for the target, from which the runtime takes them too.
fn routines() -> Result<PathBuf, Failed> {
    let told = call(Command::new("rustc").args(["--print", "sysroot"]).current_dir(ROOT), b"", LONGEST)?;
    let sysroot = String::from_utf8_lossy(&told.output).trim().to_owned();
    let libraries = Path::new(&sysroot).join("lib/rustlib/thumbv6m-none-eabi/lib");
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libcompiler_builtins-") && name.ends_with(".rlib")
    };
    crate::entries(&libraries)?.into_iter().find(is_wanted).ok_or_else(|| "the Rust target thumbv6m is missing".into())
}

fn in_c() -> Result<(), Failed> {
    let image = build_c()?;
    let elf = Elf::parse(&image)?;
    let named =
        |wanted| elf.section_headers.iter().find(|section| elf.shdr_strtab.get_at(section.sh_name) == Some(wanted));
    let section = named(".log").and_then(goblin::elf::SectionHeader::file_range).ok_or("there are no formats")?;
    let formats = image.get(section).ok_or("the formats are not in the file")?;
    let models = chips::models()?;
    let model = models.iter().find(|model| model.name == "microbit").ok_or("a shipped board is missing")?;
    let outcome = session(&image, model, SIMULATED[0].1, &|bytes| logged_in_c(formats, bytes))?;
    Ok(compare(&fs::read_to_string(Path::new(ROOT).join("examples/sensor_node.out"))?, &outcome)?)
}

/// The messages of the log of the node in C: each is the offset of its format in 16 bits, and the values of its `%d` in 32 bits.
fn logged_in_c(formats: &[u8], mut bytes: &[u8]) -> Result<Vec<String>, Failed> {
    let mut messages = Vec::new();
    while let Some((offset, rest)) = bytes.split_first_chunk() {
        bytes = rest;
        let format = formats.get(usize::from(u16::from_le_bytes(*offset))..).ok_or("there is no such format")?;
        let format = format.split(|byte| *byte == 0).next().unwrap_or_default();
        let mut message = String::from_utf8_lossy(format).into_owned();
        while message.contains("%d") {
            let (value, rest) = bytes.split_first_chunk().ok_or("a value is missing")?;
            bytes = rest;
            message = message.replacen("%d", &i32::from_le_bytes(*value).to_string(), 1);
        }
        messages.push(message);
    }
    Ok(messages)
}

/// The bytes of flash and of static RAM that an image takes.
fn size(image: &[u8]) -> Result<[u64; 2], Failed> {
    let elf = Elf::parse(image)?;
    let mut sizes = [0, 0];
    for section in elf.section_headers.iter().filter(|section| section.sh_flags & u64::from(SHF_ALLOC) != 0) {
        match elf.shdr_strtab.get_at(section.sh_name) {
            Some(".vectors" | ".text" | ".rodata") => sizes[0] += section.sh_size,
            Some(".bss") => sizes[1] += section.sh_size,
            Some(".data") => sizes = sizes.map(|size| size + section.sh_size),
            Some(".stack" | ".pool") => {}
            other => return Err(format!("an image has the section {other:?}").into()),
        }
    }
    Ok(sizes)
}

/// The README has the sizes of both.
fn sizes() -> Result<(), Failed> {
    let [clef, c] = [size(&build(&own_board().to_string_lossy())?)?, size(&build_c()?)?];
    let path = Path::new(ROOT).join(EXAMPLE).join("README.md");
    let text = fs::read_to_string(&path)?;
    let row = |name: &str, sizes: [u64; 2]| format!("| {name} | {} | {} |\n", sizes[0], sizes[1]);
    let table = format!("{HEAD}{}{}", row("Clef, `clefc -O z`", clef), row("C, `clang -Oz`", c));
    let (before, rest) = text.split_once(HEAD).ok_or("the README has no table")?;
    let after = rest.find("\n\n").map_or("", |end| &rest[end + 1..]);
    Ok(compare_with_file(&path, &format!("{before}{table}{after}"))?)
}

/// The head of the table of sizes.
const HEAD: &str = "| The node in | Flash | Static RAM |\n| --- | ---: | ---: |\n";
