//! The module `Device`, with the registers of a board's chip.
//!
//! It is large, so it is a part of the library of programs that name it only.

use crate::{Source, needed::words};
use clef_descriptors::Board;
use std::path::Path;

/// The name of the module.
const MODULE: &str = "Device";

/// The source with the registers of a board's chip, if they come with the compiler. It follows all others, of which it uses `Register`.
pub fn registers(board: &Board) -> Option<Source> {
    let text = clef_registers::module(board.registers?.chip())?;
    Some(Source::new("library/device.clef", text))
}

/// Whether a program names the module, and does not declare a module of this name itself: the path and the text of each of its files.
pub fn names_registers<'a>(mut program: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> bool {
    program.clone().any(|(_, text)| words(text).any(|word| word == MODULE))
        && !program.any(|(path, text)| is_module(path) || text.lines().any(declares))
}

/// Whether a file without a header is the module, by its name.
fn is_module(path: &str) -> bool {
    Path::new(path).file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(MODULE))
}

/// Whether a line declares the module for other files.
fn declares(line: &str) -> bool {
    let mut words = line.strip_prefix("module ").into_iter().flat_map(words);
    words.find(|word| !["internal", "public", "rec"].contains(word)) == Some(MODULE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_name_it() {
        let names = |texts: &[&str]| names_registers(texts.iter().map(|text| ("main.clef", *text)));
        assert!(names(&["open Device"]) && names(&["let a = 1", "f Device.UART0.config"]));
        assert!(!names(&["let devices = Devices.all"]) && !names(&[]));
        for declaration in ["module Device", "module Device // own", "module internal Device", "module Device ="] {
            assert!(!names(&[&format!("{declaration}\n\nlet a = 1"), "open Device"]), "{declaration}");
        }
        assert!(names(&["module Devices\n", "open Device"]));
        assert!(!names_registers([("a/device.clef", "let a = 1"), ("main.clef", "open Device")].into_iter()));
    }
}
