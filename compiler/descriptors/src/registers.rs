//! The registers of a board's chip.

use crate::{
    reader::{Report, Words},
    timer_schema::{Surroundings, invalid},
};
use clef_base::Span;
use serde::Serialize;

/// A chip whose registers programs use through the module `Device`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Registers {
    /// Nordic nRF51822 and its relatives.
    Nrf51,
    /// Nordic nRF52833.
    Nrf52833,
    /// Nordic nRF52840.
    Nrf52840,
    /// Nordic nRF9160.
    Nrf9160,
    /// NXP KL25Z4.
    Mkl25z4,
    /// Raspberry Pi RP2040.
    Rp2040,
    /// Raspberry Pi RP2350.
    Rp2350,
}

impl Registers {
    /// The word for it in descriptors, by which `clef_registers` knows it too.
    pub fn chip(self) -> &'static str {
        match self {
            Registers::Nrf51 => "nrf51",
            Registers::Nrf52833 => "nrf52833",
            Registers::Nrf52840 => "nrf52840",
            Registers::Nrf9160 => "nrf9160",
            Registers::Mkl25z4 => "mkl25z4",
            Registers::Rp2040 => "rp2040",
            Registers::Rp2350 => "rp2350",
        }
    }

    /// What the names of such chips begin with in probe-rs, in lower case.
    fn prefix(self) -> &'static str {
        match self {
            Registers::Rp2350 => "rp235",
            Registers::Nrf51
            | Registers::Nrf52833
            | Registers::Nrf52840
            | Registers::Nrf9160
            | Registers::Mkl25z4
            | Registers::Rp2040 => self.chip(),
        }
    }
}

/// What `registers` says: a chip, or none.
#[derive(Clone, Copy)]
pub(crate) struct Described(pub(crate) Option<Registers>);

impl Words for Described {
    const WHAT: &'static str = "a chip whose registers come with the compiler";
    const WORDS: &'static [(&'static str, Described)] = &[
        ("nrf51", Described(Some(Registers::Nrf51))),
        ("nrf52833", Described(Some(Registers::Nrf52833))),
        ("nrf52840", Described(Some(Registers::Nrf52840))),
        ("nrf9160", Described(Some(Registers::Nrf9160))),
        ("mkl25z4", Described(Some(Registers::Mkl25z4))),
        ("rp2040", Described(Some(Registers::Rp2040))),
        ("rp2350", Described(Some(Registers::Rp2350))),
        ("none", Described(None)),
    ];
}

/// The registers, if they are those of the board's chip. `place` is where they are specified, and `own` a place in the board's own file: a
/// board whose chip is another one than that of the board that it inherits from does not have the registers of that one.
pub(crate) fn fit_registers(
    registers: Option<Registers>,
    around: &Surroundings<'_>,
    [place, own]: [Span; 2],
    report: &mut Report,
) -> Option<Option<Registers>> {
    let (Some(found), Some(chip)) = (registers, around.chip) else { return Some(registers) };
    let fits = chip.to_ascii_lowercase().starts_with(found.prefix());
    if !fits && place.file != own.file {
        return Some(None);
    }
    if !fits {
        let message = format!("`registers` are those of another chip, `{}`, than `chip`, `{chip}`", found.chip());
        let help = "specify the board's own chip, or none: `registers: none`";
        report.push(invalid(message, place).help(help));
    }
    fits.then_some(registers)
}
