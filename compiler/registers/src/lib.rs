//! The registers of the chips of shipped boards.
//!
//! In: the name of a chip. Out: the text of the Clef module `Device` with its registers, as `clefc svd` writes it from the description of
//! the chip's manufacturer in CMSIS-SVD. The descriptions are in `chips`, unchanged; `LICENSE-CHIPS` has their licences.

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// The module of a chip, which takes up to 3 MB; nothing for a chip whose description does not come with the compiler.
pub fn module(chip: &str) -> Option<String> {
    let (_, deflated) = CHIPS.iter().find(|(name, _)| *name == chip)?;
    let text = miniz_oxide::inflate::decompress_to_vec(deflated).ok()?;
    String::from_utf8(text).ok()
}

/// The names of the chips, in alphabetic order.
pub fn chips() -> impl Iterator<Item = &'static str> {
    CHIPS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chip_has_a_module() {
        assert_eq!(chips().count(), 7);
        for chip in chips() {
            let text = module(chip).expect("it is known");
            assert!(text.contains("\nmodule Device\n") && text.contains("\nmodule Interrupt =\n"), "{chip}");
        }
        assert_eq!(module("nrf52"), None);
    }
}
