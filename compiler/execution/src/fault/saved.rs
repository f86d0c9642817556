//! Decodes the reports of faults and traps in a log that was saved, or that arrives through a pipe.
//!
//! In: an image, and the log of its program. Out: the log, with the numbers of reports replaced by text, as [`FaultReader`]
//! does it.
//!
//! - A terminal program may have written the time before each line, and may have broken long lines: lines of numbers that
//!   continue those of a report are a part of it.
//! - Numbers that cannot be of a program with this image stay, and a note follows them: their stack has other bounds, or a return
//!   address is none. Only where the log itself was cut may words of the stack be missing.
//!
//! [`FaultReader`]: super::FaultReader

use super::{Numbers, decoded, fault_text, reader::Awaited, trap, trap_start, trap_text};
use crate::backtrace::{Backtrace, Machine};
use clef_base::{Diagnostic, codes};
use clef_descriptors::Boot;
use goblin::elf::header::{EM_AARCH64, EM_ARM, EM_X86_64};

/// Decodes a log as it arrives.
#[derive(Debug)]
pub struct SavedLog {
    image: Vec<u8>,
    boot: Boot,
    machine: Machine,
    /// The current line, or what has arrived of it.
    line: Vec<u8>,
    /// Its number, from one.
    number: usize,
    /// How much of it was passed on.
    shown: usize,
    /// What it has, by the lines before it, if it has the numbers of a fault or a trap.
    awaited: Option<Awaited>,
    /// A report whose numbers may go on in the current line.
    begun: Option<Begun>,
    /// The lines of the reports of other programs.
    others: Vec<usize>,
}

/// A report whose last numbers may be missing.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Begun {
    kind: Awaited,
    /// Its numbers, without what precedes them in the line.
    text: String,
    /// Its lines as they are in the log.
    lines: Vec<u8>,
    /// The number of the first.
    number: usize,
}

/// What the numbers of a report are.
enum Meaning {
    /// Text in place of the numbers, and whether these are all of the report.
    Report(String, bool),
    /// The beginning of a report.
    Beginning,
    /// Those of another program.
    Other,
    /// None of a report.
    None,
}

/// What follows the numbers of another program.
const NOTE: &str = "  (these numbers are not of a program with this image)\n";

/// The functions that start the program of an image, on the processors where only they do, and how they do it.
const STARTS: [(&str, Option<u16>, Boot); 4] = [
    ("_start", Some(EM_ARM), Boot::CortexM),
    ("clef_aarch64_main", Some(EM_AARCH64), Boot::Aarch64),
    ("clef_pvh_main", Some(EM_X86_64), Boot::Pvh),
    ("clef_linux_main", None, Boot::Linux),
];

/// The symbol at the end of the stack of every program.
const STACK_TOP: &str = "__clef_stack_top";

impl SavedLog {
    /// A decoder for the logs of an image's program. `name` is what messages call the image.
    pub fn new(image: Vec<u8>, name: &str) -> Result<SavedLog, Diagnostic> {
        let (boot, machine) = kind(&image, name)?;
        let (line, others) = (Vec::new(), Vec::new());
        Ok(SavedLog { image, boot, machine, line, number: 1, shown: 0, awaited: None, begun: None, others })
    }

    /// The text to show after these bytes.
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            self.line.push(*byte);
            if *byte == b'\n' {
                self.end_line(&mut out);
                (self.number, self.shown) = (self.number + 1, 0);
                self.line.clear();
            }
        }
        if self.awaited.is_none() && self.begun.is_none() {
            out.extend_from_slice(&self.line[self.shown..]);
            self.shown = self.line.len();
        }
        out
    }

    /// The text to show at the end.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let is_cut = !self.line.is_empty();
        if is_cut {
            self.end_line(&mut out);
        }
        self.end_report(is_cut, &mut out);
        (self.line, self.shown) = (Vec::new(), 0);
        out
    }

    /// The lines of the log, counted from one, with numbers that are not of a program with this image.
    pub fn others(&self) -> &[usize] {
        &self.others
    }

    fn end_line(&mut self, out: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(&self.line).trim_end().to_owned();
        if self.begun.is_some() {
            if continues(&text) {
                self.continue_report(&text, out);
                return;
            }
            self.end_report(false, out);
        }
        let numbers = self.awaited.and_then(|kind| Some((kind, text.rsplit_once(kind.start())?.1)));
        let is_report = match numbers {
            Some((kind, numbers)) => self.begin_report(kind, numbers, out),
            None => false,
        };
        if !is_report {
            out.extend_from_slice(&self.line[self.shown..]);
            self.awaited = Awaited::after(text.as_bytes(), self.awaited);
        }
    }

    /// Begins a report with the numbers of a line, if they are those of one.
    fn begin_report(&mut self, kind: Awaited, numbers: &str, out: &mut Vec<u8>) -> bool {
        let begun = Begun { kind, text: numbers.to_owned(), lines: self.line.clone(), number: self.number };
        if let Meaning::None = self.meaning(&begun) {
            return false;
        }
        self.awaited = None;
        self.begun = Some(begun);
        self.continue_report("", out);
        true
    }

    /// Adds the numbers of a line to a report, which ends if these are all.
    fn continue_report(&mut self, numbers: &str, out: &mut Vec<u8>) {
        let Some(mut begun) = self.begun.take() else { return };
        if !numbers.is_empty() {
            begun.text.push_str(numbers);
            begun.lines.extend_from_slice(&self.line);
        }
        let is_whole = match self.meaning(&begun) {
            Meaning::Report(_, is_whole) => is_whole,
            Meaning::Beginning | Meaning::Other | Meaning::None => false,
        };
        self.begun = Some(begun);
        if is_whole {
            self.end_report(false, out);
        }
    }

    /// Shows the report that has begun; where the log was cut, its end may be missing.
    fn end_report(&mut self, is_cut: bool, out: &mut Vec<u8>) {
        let Some(begun) = self.begun.take() else { return };
        match self.meaning(&begun) {
            Meaning::Report(text, is_whole) if is_whole || is_cut => out.extend_from_slice(text.as_bytes()),
            Meaning::Report(..) | Meaning::Other => {
                out.extend_from_slice(begun.lines.trim_ascii_end());
                out.extend_from_slice(b"\n");
                out.extend_from_slice(NOTE.as_bytes());
                self.others.push(begun.number);
            }
            Meaning::Beginning | Meaning::None => out.extend_from_slice(&begun.lines),
        }
    }

    fn meaning(&self, begun: &Begun) -> Meaning {
        let Some(numbers) = Numbers::read(&separated(&begun.text, 2 * self.machine.word())) else {
            return Meaning::None;
        };
        let Some(backtrace) = Backtrace::of(&self.image) else { return Meaning::Other };
        match begun.kind {
            Awaited::Trap => self.meaning_of_trap(&numbers, &backtrace),
            Awaited::Fault => match decoded(&numbers, self.boot) {
                Some(fault) => {
                    let start = backtrace.reported(fault.stack_pointer);
                    self.checked(start, &numbers, &backtrace, fault_text(&fault, &numbers, Some(&backtrace)))
                }
                None if begun.text.contains('/') => Meaning::Other,
                None => Meaning::Beginning,
            },
        }
    }

    fn meaning_of_trap(&self, numbers: &Numbers, backtrace: &Backtrace<'_>) -> Meaning {
        let Some(start) = trap_start(numbers) else { return Meaning::None };
        let Some(returns) = trap::returns(self.machine, &numbers.stack) else { return Meaning::Beginning };
        match trap_text(numbers, backtrace).filter(|_| backtrace.is_return_address(returns)) {
            Some(text) => self.checked(start, numbers, backtrace, text),
            None => Meaning::Other,
        }
    }

    /// The text of a report, if the image has the stack, which begins at an address.
    fn checked(&self, start: u64, numbers: &Numbers, backtrace: &Backtrace<'_>, text: String) -> Meaning {
        let (stack, words) = (backtrace.stack(), numbers.stack.len());
        let end = start.saturating_add((words * self.machine.word()) as u64);
        match stack.contains(&start) && end <= stack.end {
            true => Meaning::Report(text, end == stack.end || words >= self.most_words()),
            false => Meaning::Other,
        }
    }

    /// The most words of the stack in a report (`interface::fault` of the runtime).
    fn most_words(&self) -> usize {
        match self.boot {
            Boot::CortexM | Boot::Linux => 128,
            Boot::Aarch64 | Boot::Pvh => 256,
        }
    }
}

/// How the program of an image starts, and its processor.
fn kind(image: &[u8], name: &str) -> Result<(Boot, Machine), Diagnostic> {
    let Ok(elf) = clef_image::parse(image) else {
        let message = format!("`{name}` is no ELF file");
        return Err(Diagnostic::general(codes::MALFORMED_IMAGE, message)
            .help("pass the ELF file of the program; `--emit elf,uf2` writes it with the file for the board"));
    };
    let is_there = |name: &str| elf.syms.iter().any(|symbol| elf.strtab.get_at(symbol.st_name) == Some(name));
    let machine = elf.header.e_machine;
    let starts = |(symbol, of, _): &&(&str, Option<u16>, Boot)| of.is_none_or(|of| of == machine) && is_there(symbol);
    let boot = STARTS.iter().find(starts).map(|(_, _, boot)| *boot);
    boot.filter(|_| is_there(STACK_TOP)).zip(Machine::of(machine)).ok_or_else(|| {
        let message = format!("`{name}` is no image of `clefc`, or has no symbols any more");
        Diagnostic::general(codes::MALFORMED_IMAGE, message)
            .help("pass the ELF file as `clefc` has written it, before `strip`")
    })
}

/// Whether a line has nothing but numbers.
fn continues(line: &str) -> bool {
    let is_of_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f' | b' ' | b';' | b'/');
    !line.is_empty() && line.bytes().all(is_of_number)
}

/// Numbers with blanks between them, where the end of a broken line has lost its own.
fn separated(text: &str, digits: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut count = 0;
    for c in text.chars() {
        count = if c.is_ascii_hexdigit() { count + 1 } else { 0 };
        if count > digits {
            out.push(' ');
            count = 1;
        }
        out.push(c);
    }
    out
}
