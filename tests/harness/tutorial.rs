//! The tutorial `docs/sensor-node.md`, followed in an empty directory as a reader follows it. Its blocks are marked
//! - `LANGUAGE,file=PATH`: the file is written;
//! - `sh`: the commands are run, and succeed. After `sh,fails` the last one fails. Those of `sh,board` are for a real board, and run on
//!   a simulated one; one with `sh,board,fails` does both;
//! - `output`: what the commands of the block before have printed. Times may differ, and so may the order of the tests;
//! - `text,session`: a session of the image that was built last, on a model of the micro:bit's chip with the sensor. Lines after `--` say
//!   what happens to the board, those after `>` are sent to it, and the others are what it logs and sends.
//!
//! After each section the source files must be formatted. `UPDATE=1` rewrites the outputs and what the board has sent.

use crate::{
    ROOT,
    chips::{self, Model},
    compiler::{LONGEST, binary, call, clefc},
    node::logged,
    phase::{blocks, sections},
    tool,
};
use chip_sim::{Ending, Flash, Session, Wiring, parts::Bmp280};
use clef_golden::compare_with_file;
use defmt_decoder::Table;
use libtest_mimic::{Failed, Trial};
use probe_sim::{Options, Simulator};
use regex::Regex;
use std::{
    cell::RefCell,
    fmt::Write as _,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    rc::Rc,
};

const DOCUMENT: &str = "../docs/sensor-node.md";

/// What its commands need.
const TOOLS: [&str; 2] = ["qemu-system-arm", "gdb-multiarch"];

/// The probe of a micro:bit, in place of which commands use the simulated one.
const PROBE: &str = "0d28:0204";

/// The trials.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = Trial::test("tutorial::sensor_node", || {
        let path = Path::new(ROOT).join(DOCUMENT);
        Ok(compare_with_file(&path, &followed(&fs::read_to_string(&path)?)?)?)
    });
    vec![match TOOLS.into_iter().find(|name| tool::find(name).is_none()) {
        Some(missing) => tool::ignored(trial, missing),
        None => trial,
    }]
}

/// The document with what its commands and sessions have led to.
fn followed(document: &str) -> Result<String, Failed> {
    let home = tempfile::tempdir()?;
    let mut reader = Reader::new(home.path())?;
    let mut text = String::new();
    for section in sections(document) {
        let heading = section.lines().next().unwrap_or_default();
        let mut rest = section;
        for block in blocks(section) {
            let opening = format!("```{}\n", block.mark);
            let (before, after) = rest.split_once(&opening).ok_or("a fence has spaces at its end")?;
            let new = reader.follow(block.mark, &block.text);
            let new = new.map_err(|failed| format!("{heading}: {}", failed.message().unwrap_or_default()))?;
            let _ = write!(text, "{before}{opening}{new}");
            rest = after.strip_prefix(&block.text).ok_or("a block does not follow its fence")?;
        }
        text.push_str(rest);
        reader.check_format().map_err(|failed| format!("{heading}: {}", failed.message().unwrap_or_default()))?;
    }
    Ok(text)
}

/// Who follows the document.
struct Reader {
    home: PathBuf,
    /// Where commands run and files are.
    directory: PathBuf,
    /// What the last commands have printed.
    printed: String,
    /// The board, once it was needed.
    board: Option<Simulator>,
}

impl Reader {
    /// A reader who has `clefc` on the path, and its source at home.
    fn new(home: &Path) -> Result<Reader, Failed> {
        fs::create_dir(home.join("bin"))?;
        symlink(fs::canonicalize(binary()?)?, home.join("bin/clefc"))?;
        symlink(fs::canonicalize(Path::new(ROOT).join(".."))?, home.join("clefc"))?;
        let directory = home.join("work");
        fs::create_dir(&directory)?;
        Ok(Reader { home: home.to_owned(), directory, printed: String::new(), board: None })
    }

    /// Does what a block says, and returns its text as it should be.
    fn follow(&mut self, mark: &str, text: &str) -> Result<String, Failed> {
        let (kind, details) = mark.split_once(',').unwrap_or((mark, ""));
        match (kind, details) {
            ("sh", "") => self.run(text, false)?,
            ("sh", "fails") => self.run(text, true)?,
            ("sh", "board") => self.run_on_board(text, false)?,
            ("sh", "board,fails") => self.run_on_board(text, true)?,
            ("output", "") if comparable(text)? == comparable(&self.printed)? => {}
            ("output", "") => return Ok(self.printed.clone()),
            ("text", "session") => return self.session(text),
            (_, details) => match details.strip_prefix("file=") {
                Some(path) => self.write(path, text)?,
                None => return Err(format!("unknown mark `{mark}`").into()),
            },
        }
        Ok(text.to_owned())
    }

    fn write(&self, path: &str, text: &str) -> Result<(), Failed> {
        let path = self.directory.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&self.directory))?;
        Ok(fs::write(path, text)?)
    }

    fn run_on_board(&mut self, commands: &str, fails: bool) -> Result<(), Failed> {
        let board = match self.board.take() {
            Some(board) => board,
            None => Simulator::start(&Options::microbit())?,
        };
        let probe = self.board.insert(board).selector();
        let with_probe = commands.lines().map(|command| match command.contains(PROBE) {
            true => format!("{}\n", command.replace(PROBE, &probe)),
            false => format!("{command} --probe {probe}\n"),
        });
        self.run(&with_probe.collect::<String>(), fails)
    }

    /// Runs commands, of which the last one fails if that is expected.
    fn run(&mut self, commands: &str, fails: bool) -> Result<(), Failed> {
        self.printed.clear();
        let mut commands = commands.lines().peekable();
        while let Some(command) = commands.next() {
            if let Some(directory) = command.strip_prefix("cd ") {
                self.directory.push(directory);
                continue;
            }
            let path = std::env::var("PATH").unwrap_or_default();
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(&self.directory);
            shell.env("PATH", format!("{}:{path}", self.home.join("bin").display())).env("HOME", &self.home);
            let ended = call(&mut shell, b"", LONGEST)?;
            let printed = String::from_utf8_lossy(&ended.output);
            let should_fail = fails && commands.peek().is_none();
            if (ended.status != Some(0)) != should_fail {
                return Err(format!("`{command}` ended with {:?}:\n{printed}", ended.status).into());
            }
            self.printed += &printed;
        }
        Ok(())
    }

    /// The source files of the project, once there is one, are formatted.
    fn check_format(&self) -> Result<(), Failed> {
        if !self.directory.join("clef.toml").exists() {
            return Ok(());
        }
        let directory = self.directory.to_string_lossy();
        let ended = clefc(&["fmt", "--check", &directory], b"")?;
        let differences = String::from_utf8_lossy(&ended.output);
        if ended.status == Some(0) { Ok(()) } else { Err(format!("{differences}{}", ended.errors).into()) }
    }

    /// Runs the image of the project through a session.
    fn session(&self, text: &str) -> Result<String, Failed> {
        let project = self.directory.file_name().unwrap_or_default();
        let image = fs::read(self.directory.join(project).with_extension("elf"));
        let image = image.map_err(|error| format!("there is no image: {error}"))?;
        let mut bench = Bench::start(&image)?;
        for line in text.lines() {
            if let Some(happens) = line.strip_prefix("-- ") {
                let _ = writeln!(bench.transcript, "{line}");
                bench = bench.happens(happens)?;
            } else if let Some(sent) = line.strip_prefix("> ") {
                let _ = writeln!(bench.transcript, "{line}");
                bench.chip.send(&format!("{sent}\n"));
                bench.run(100)?;
            }
        }
        bench.rests()?;
        Ok(bench.transcript)
    }
}

/// An output without durations and times of messages, and with tests in the order of their names.
fn comparable(output: &str) -> Result<String, Failed> {
    let time = Regex::new(r"(?m) +\d+\.\d+ s\b|^ *\d+\.\d{6} ").map_err(|error| error.to_string())?;
    let output = time.replace_all(output, " TIME");
    let mut lines: Vec<&str> = output.lines().collect();
    for tests in lines.chunk_by_mut(|one, other| is_passed(one) && is_passed(other)) {
        tests.sort_unstable();
    }
    Ok(lines.join("\n"))
}

fn is_passed(line: &str) -> bool {
    line.trim_start().starts_with("PASS ")
}

/// A board with a sensor, and a transcript of what it has done.
struct Bench {
    chip: Session,
    sensor: Rc<RefCell<Bmp280>>,
    table: Table,
    transcript: String,
}

impl Bench {
    fn start(image: &[u8]) -> Result<Bench, Failed> {
        let models = chips::models()?;
        let model = models.iter().find(|model| model.name == "microbit").ok_or("a shipped board is missing")?;
        let Model { part, settings, .. } = *model;
        let (origin, page, pages) = settings.ok_or("the board has pages for settings")?;
        let sensor = Rc::new(RefCell::new(Bmp280::default()));
        let wiring = Wiring { i2c: vec![sensor.clone()], ..Wiring::default() };
        let chip = Session::start(image, part, &wiring, Flash::new(part, origin, page, pages))?;
        let table = Table::parse(image).map_err(|error| error.to_string())?.ok_or("the firmware does not log")?;
        Ok(Bench { chip, sensor, table, transcript: String::new() })
    }

    /// What happens to the board: `2 s at 21.5 degrees`, `2 s without a sensor`, or `power off and on`.
    fn happens(mut self, what: &str) -> Result<Bench, Failed> {
        if what == "power off and on" {
            return Ok(Bench { chip: self.chip.reset()?, ..self });
        }
        let (seconds, rest) = what.split_once(" s ").ok_or_else(|| format!("unknown event `{what}`"))?;
        let degrees = rest.strip_prefix("at ").and_then(|rest| rest.strip_suffix(" degrees"));
        match degrees {
            Some(degrees) => {
                let mut sensor = self.sensor.borrow_mut();
                if !sensor.is_connected {
                    *sensor = Bmp280::default();
                }
                sensor.set(degrees.parse()?, 101_325.0);
            }
            None if rest == "without a sensor" => self.sensor.borrow_mut().is_connected = false,
            None => return Err(format!("unknown event `{what}`").into()),
        }
        self.run(seconds.parse::<u64>()? * 1000)?;
        Ok(self)
    }

    /// Lets time go on, and adds what the board has sent and logged.
    fn run(&mut self, milliseconds: u64) -> Result<(), Failed> {
        let ending = self.chip.run(milliseconds);
        let log = logged(&self.table, &self.chip.log())?;
        for message in &log {
            let (level, text) = message.split_once(' ').unwrap_or_default();
            let _ = writeln!(self.transcript, "{:<5} {text}", level.to_uppercase());
        }
        self.transcript += &self.chip.received();
        if ending == Ending::Running {
            Ok(())
        } else {
            Err(format!("it has ended: {ending:?}\n{}", self.transcript).into())
        }
    }

    /// The processor sleeps most of the time.
    fn rests(&self) -> Result<(), Failed> {
        let (passed, asleep) = self.chip.microseconds();
        if asleep * 100 >= passed * 95 { Ok(()) } else { Err(format!("it sleeps {asleep} of {passed} us").into()) }
    }
}
