//! Decodes the numbers of faults in the output of a program as it arrives.

use super::{
    report,
    stopped::{self, ReadMemory},
};
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
    /// Whether the previous line was a fault report.
    is_awaited: bool,
}

const TRAPS: [&[u8]; 2] = [b"trap: processor fault", b"trap: stack overflow"];
const NUMBERS: &[u8] = b"fault:";

/// An upper bound of the length of a line of numbers.
const LONGEST_LINE: usize = 4096;

impl FaultReader {
    pub(crate) fn new(source: Source, boot: Boot) -> FaultReader {
        FaultReader { source, boot, line: Vec::new(), is_awaited: false }
    }

    /// The output to show after these bytes.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
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
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let mut shown = Vec::new();
        if self.is_held() {
            shown = self.decoded().unwrap_or_else(|| self.line.clone());
        }
        self.line.clear();
        shown
    }

    /// The report on a processor that stopped at a trap; nothing if the image is not known.
    pub(crate) fn stopped(&self, stack_pointer: u64, read: &mut ReadMemory<'_>) -> Option<String> {
        stopped::report(&self.source.image()?, stack_pointer, read)
    }

    fn is_held(&self) -> bool {
        let common = self.line.len().min(NUMBERS.len());
        self.is_awaited && self.line.len() < LONGEST_LINE && self.line[..common] == NUMBERS[..common]
    }

    fn end_line(&mut self, was_held: bool, shown: &mut Vec<u8>) {
        match self.decoded().filter(|_| was_held) {
            Some(report) => shown.extend(report),
            None => {
                if was_held {
                    shown.extend_from_slice(&self.line);
                }
                shown.push(b'\n');
            }
        }
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        self.is_awaited = TRAPS.iter().any(|trap| line.ends_with(trap));
        self.line.clear();
    }

    /// The report for the numbers in the line.
    fn decoded(&self) -> Option<Vec<u8>> {
        let text = str::from_utf8(self.line.strip_prefix(NUMBERS)?).ok()?.trim_end();
        report(text, self.boot, self.source.image().as_deref()).map(String::into_bytes)
    }
}
