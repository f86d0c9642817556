//! Output of a program on its way, in which the numbers of a fault become its report.

use super::report;
use clef_descriptors::Boot;
use std::{path::PathBuf, sync::Arc};

/// Where the image of a program is.
#[derive(Clone, Debug)]
pub enum Source {
    /// In a file that outlives the run.
    File(PathBuf),
    /// Here.
    Bytes(Arc<[u8]>),
    /// Nobody knows: functions have no names.
    Unknown,
}

/// Passes on what a program writes. Only a line that may be the numbers of a fault is held back until it is complete.
#[derive(Debug)]
pub struct FaultReader {
    source: Source,
    boot: Boot,
    /// The beginning of the current line, or what is held back of it.
    line: Vec<u8>,
    /// Whether the line before was the report of a fault.
    is_awaited: bool,
}

const TRAPS: [&[u8]; 2] = [b"trap: processor fault", b"trap: stack overflow"];
const NUMBERS: &[u8] = b"fault:";

/// More numbers than there are have this many bytes.
const LONGEST_LINE: usize = 4096;

impl FaultReader {
    pub(crate) fn new(source: Source, boot: Boot) -> FaultReader {
        FaultReader { source, boot, line: Vec::new(), is_awaited: false }
    }

    /// What is to be shown once these bytes have come.
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
                // What was held back turned out to be something else.
                match was_held {
                    true => shown.extend_from_slice(&self.line),
                    false => shown.push(*byte),
                }
            }
        }
        shown
    }

    /// What is to be shown when nothing more comes.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let mut shown = Vec::new();
        if self.is_held() {
            shown = self.decoded().unwrap_or_else(|| self.line.clone());
        }
        self.line.clear();
        shown
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

    /// The report of the numbers in the line.
    fn decoded(&self) -> Option<Vec<u8>> {
        let text = str::from_utf8(self.line.strip_prefix(NUMBERS)?).ok()?.trim_end();
        let image = match &self.source {
            Source::File(path) => std::fs::read(path).ok(),
            Source::Bytes(bytes) => Some(bytes.to_vec()),
            Source::Unknown => None,
        };
        report(text, self.boot, image.as_deref()).map(String::into_bytes)
    }
}
