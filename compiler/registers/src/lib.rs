//! The registers of the chips of shipped boards.
//!
//! In: the name of a chip. Out: the text of the Clef module `Device` with its registers, as `clefc svd` writes it from the description of
//! the chip in CMSIS-SVD. The descriptions are in `chips`, by manufacturer; `LICENSE-CHIPS` has their licences.

use std::{io::Read as _, ops::Range};

/// A chip whose description comes with the compiler.
struct Chip {
    name: &'static str,
    /// The modules of the manufacturer's chips, compressed.
    modules: &'static [u8],
    /// Where the module of the chip is among them, in bytes.
    text: Range<usize>,
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// The module of a chip, which takes up to 3 MB; nothing for a chip whose description does not come with the compiler.
pub fn module(chip: &str) -> Option<String> {
    let chip = CHIPS.iter().find(|other| other.name == chip)?;
    let mut modules = ruzstd::decoding::StreamingDecoder::new(chip.modules).ok()?;
    let mut text = vec![0; chip.text.end];
    modules.read_exact(&mut text).ok()?;
    text.drain(..chip.text.start);
    String::from_utf8(text).ok()
}

/// The names of the chips, those of a manufacturer in alphabetic order.
pub fn chips() -> impl Iterator<Item = &'static str> {
    CHIPS.iter().map(|chip| chip.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chip_has_a_module() {
        assert_eq!(chips().count(), 17);
        for chip in chips() {
            let text = module(chip).expect("it is known");
            assert!(text.starts_with("/// ") && text.contains("\nmodule Device\n"), "{chip}");
            assert_eq!(text.matches("\nmodule Interrupt =\n").count(), 1, "{chip}");
        }
        assert_eq!(module("nrf52"), None);
    }
}
