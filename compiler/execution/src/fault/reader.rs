//! Decodes the numbers of faults and traps in the output of a program as it arrives.

use super::{calls, report, stopped};
use crate::backtrace::ReadMemory;
use clef_descriptors::Boot;
use std::{path::PathBuf, sync::Arc};

/// Where the image of a program is.
#[derive(Clone, Debug)]
pub enum Source {
    /// In a file that outlives the run.
    File(PathBuf),
    /// Here.
    Bytes(Arc<[u8]>),
    /// Unknown: functions have no names.
    Unknown,
}

impl Source {
    /// The image, if it is known and can be read.
    fn image(&self) -> Option<Vec<u8>> {
        match self {
            Source::File(path) => std::fs::read(path).ok(),
            Source::Bytes(bytes) => Some(bytes.to_vec()),
            Source::Unknown => None,
        }
    }
}

/// Passes on a program's output. Only a line that may be the numbers of a fault is held back until it is complete.
#[derive(Debug)]
pub struct FaultReader {
    source: Source,
    boot: Boot,
    /// The start of the current line, or the part that is held back.
    line: Vec<u8>,
    /// What this line begins with, by the lines before it, if it is the numbers of a fault or a trap.
    awaited: Option<Awaited>,
}

/// The numbers that a line begins with, by the lines before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Awaited {
    /// Those of a fault.
    Fault,
    /// Those of a trap.
    Trap,
}

/// What the first line of the report of a fault ends with.
const FAULTS: [&[u8]; 2] = [b"trap: processor fault", b"trap: stack overflow"];

/// What the report of a trap begins with.
const TRAP: &[u8] = b"trap: ";

impl Awaited {
    /// What precedes the numbers.
    pub(super) fn start(self) -> &'static str {
        match self {
            Awaited::Fault => "fault:",
            Awaited::Trap => "stack:",
        }
    }

    /// What is awaited after a line without numbers. `before` is what was awaited in it.
    pub(super) fn after(line: &[u8], before: Option<Awaited>) -> Option<Awaited> {
        // Output of the program may precede a report in the same line, and the message of a trap may have several lines.
        if FAULTS.iter().any(|fault| line.ends_with(fault)) {
            Some(Awaited::Fault)
        } else if line.windows(TRAP.len()).any(|part| part == TRAP) {
            Some(Awaited::Trap)
        } else {
            before.filter(|before| *before == Awaited::Trap)
        }
    }
}

/// An upper bound of the length of a line of numbers: 256 words of the stack and 40 others, each of 16 digits.
const LONGEST_LINE: usize = 300 * 17;

impl FaultReader {
    /// A reader for the program of an image that starts in this way.
    pub fn new(source: Source, boot: Boot) -> FaultReader {
        FaultReader { source, boot, line: Vec::new(), awaited: None }
    }

    /// The output to show after these bytes.
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut shown = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let was_held = self.is_held();
            if *byte == b'\n' {
                self.end_line(was_held, &mut shown);
                continue;
            }
            if self.line.len() < LONGEST_LINE {
                self.line.push(*byte);
            }
            if !self.is_held() {
                // What was held back is something else.
                match was_held {
                    true => shown.extend_from_slice(&self.line),
                    false => shown.push(*byte),
                }
            }
        }
        shown
    }

    /// The output to show at the end.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut shown = Vec::new();
        if self.is_held() {
            shown = self.decoded().unwrap_or_else(|| self.line.clone());
        }
        self.line.clear();
        shown
    }

    /// The report on a processor that stopped at a trap; nothing if the image is not known.
    pub(crate) fn stopped(&self, registers: &[u64; 16], read: &mut ReadMemory<'_>) -> Option<String> {
        stopped::report(&self.source.image()?, registers, read)
    }

    fn is_held(&self) -> bool {
        let start = |awaited: Awaited| {
            let start = awaited.start().as_bytes();
            let common = self.line.len().min(start.len());
            self.line.len() < LONGEST_LINE && self.line[..common] == start[..common]
        };
        self.awaited.is_some_and(start)
    }

    fn end_line(&mut self, was_held: bool, shown: &mut Vec<u8>) {
        let decoded = self.decoded().filter(|_| was_held);
        let is_decoded = decoded.is_some();
        match decoded {
            Some(report) => shown.extend(report),
            None => {
                if was_held {
                    shown.extend_from_slice(&self.line);
                }
                shown.push(b'\n');
            }
        }
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        self.awaited = Awaited::after(line, self.awaited.filter(|_| !is_decoded));
        self.line.clear();
    }

    /// The report for the numbers in the line.
    fn decoded(&self) -> Option<Vec<u8>> {
        let awaited = self.awaited?;
        let text = str::from_utf8(self.line.strip_prefix(awaited.start().as_bytes())?).ok()?.trim_end();
        let image = self.source.image();
        let report = match awaited {
            Awaited::Fault => report(text, self.boot, image.as_deref()),
            Awaited::Trap => calls(text, image.as_deref()),
        };
        report.map(String::into_bytes)
    }
}
