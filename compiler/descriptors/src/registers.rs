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
    /// ST STM32F103.
    Stm32f103,
    /// ST STM32F205.
    Stm32f205,
    /// ST STM32F405.
    Stm32f405,
    /// ST STM32F407.
    Stm32f407,
    /// ST STM32F411.
    Stm32f411,
    /// ST STM32F446.
    Stm32f446,
    /// ST STM32L552.
    Stm32l552,
    /// TI's (Luminary's) LM3S6965.
    Lm3s6965,
    /// The AN385, AN386 and AN500 images for Arm's MPS2+.
    Mps2,
    /// The AN505 image for Arm's MPS2+, in the secure state.
    Mps2An505,
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
            Registers::Stm32f103 => "stm32f103",
            Registers::Stm32f205 => "stm32f205",
            Registers::Stm32f405 => "stm32f405",
            Registers::Stm32f407 => "stm32f407",
            Registers::Stm32f411 => "stm32f411",
            Registers::Stm32f446 => "stm32f446",
            Registers::Stm32l552 => "stm32l552",
            Registers::Lm3s6965 => "lm3s6965",
            Registers::Mps2 => "mps2",
            Registers::Mps2An505 => "mps2-an505",
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
            | Registers::Rp2040
            | Registers::Stm32f103
            | Registers::Stm32f205
            | Registers::Stm32f405
            | Registers::Stm32f407
            | Registers::Stm32f411
            | Registers::Stm32f446
            | Registers::Stm32l552
            | Registers::Lm3s6965
            | Registers::Mps2
            | Registers::Mps2An505 => self.chip(),
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
        ("stm32f103", Described(Some(Registers::Stm32f103))),
        ("stm32f205", Described(Some(Registers::Stm32f205))),
        ("stm32f405", Described(Some(Registers::Stm32f405))),
        ("stm32f407", Described(Some(Registers::Stm32f407))),
        ("stm32f411", Described(Some(Registers::Stm32f411))),
        ("stm32f446", Described(Some(Registers::Stm32f446))),
        ("stm32l552", Described(Some(Registers::Stm32l552))),
        ("lm3s6965", Described(Some(Registers::Lm3s6965))),
        ("mps2", Described(Some(Registers::Mps2))),
        ("mps2-an505", Described(Some(Registers::Mps2An505))),
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
