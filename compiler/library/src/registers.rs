//! The module `Device`, with the registers of a board's chip.
//!
//! It is large, so it is a part of the library of programs that name it only.

use crate::{Source, needed::words};
use clef_descriptors::Board;

/// The name of the module.
const MODULE: &str = "Device";

/// The source with the registers of a board's chip, if they come with the compiler. It follows all others, of which it uses `Register`.
pub fn registers(board: &Board) -> Option<Source> {
    let text = clef_registers::module(board.registers?.chip())?;
    Some(Source::new("library/device.clef", text))
}

/// Whether a program with these texts names the module, and does not declare a module of this name itself.
pub fn names_registers<'a>(mut program: impl Iterator<Item = &'a str> + Clone) -> bool {
    let declares =
        |text: &str| text.lines().any(|line| line.strip_prefix("module ").is_some_and(|name| name.trim() == MODULE));
    program.clone().any(|text| words(text).any(|word| word == MODULE)) && !program.any(declares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_name_it() {
        let names = |texts: &[&str]| names_registers(texts.iter().copied());
        assert!(names(&["open Device"]) && names(&["let a = 1", "f Device.UART0.config"]));
        assert!(!names(&["let devices = Devices.all"]) && !names(&[]));
        assert!(!names(&["module Device\n\nlet a = 1", "open Device"]));
    }
}
