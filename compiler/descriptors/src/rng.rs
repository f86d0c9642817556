//! The random number generator of a board.

use crate::{
    Hertz,
    board_schema::{Kinds, by_kind, clock},
    reader::{FromNode, Report},
    timer_schema::{Family, Surroundings, invalid},
    yaml::Node,
};
use clef_base::Span;
use serde::Serialize;

/// A generator of numbers from physical noise, which programs use through `Rng`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Rng {
    /// Nordic's of nRF51 and nRF52.
    Nrf,
    /// STMicroelectronics' of STM32F2 and F4, with its clock from the main phase-locked loop.
    #[serde(rename = "stm32f4")]
    Stm32F4,
    /// The same of the STM32L5, with an oscillator of its own and checks of its noise.
    #[serde(rename = "stm32l5")]
    Stm32L5,
    /// The ring oscillator of Raspberry Pi's RP2040.
    Rp2040 {
        /// The clock of the core, which must not be that oscillator.
        clock: Hertz,
    },
    /// The TRNG of the RP2350.
    Rp2350,
}

/// The chips whose reference manuals, RM0033 and RM0090, have the generator.
const STM32F4: &[&str] = &[
    "stm32f205",
    "stm32f207",
    "stm32f215",
    "stm32f217",
    "stm32f405",
    "stm32f407",
    "stm32f415",
    "stm32f417",
    "stm32f427",
    "stm32f429",
    "stm32f437",
    "stm32f439",
];

impl Rng {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Rng::Nrf => "nrf",
            Rng::Stm32F4 => "stm32f4",
            Rng::Stm32L5 => "stm32l5",
            Rng::Rp2040 { .. } => "rp2040",
            Rng::Rp2350 => "rp2350",
        }
    }

    /// The chips that have it, in the words of messages.
    fn chips(&self) -> &'static str {
        match self {
            Rng::Nrf => "nRF51 and nRF52",
            Rng::Stm32F4 => "STM32F2, and STM32F4 from STM32F405 to F439, but not F401, F411 and F446",
            Rng::Stm32L5 => "STM32L5",
            Rng::Rp2040 { .. } => "RP2040",
            Rng::Rp2350 => "RP2350",
        }
    }

    /// Whether a board can have it, as far as its descriptor identifies the chip.
    fn fits(&self, around: &Surroundings<'_>) -> bool {
        let chip = around.chip.unwrap_or_default().to_ascii_lowercase();
        let is = |prefixes: &[&str]| chip.is_empty() || prefixes.iter().any(|prefix| chip.starts_with(prefix));
        match self {
            Rng::Nrf => around.may_be(Family::Nordic),
            Rng::Stm32F4 => around.may_be(Family::Stm32) && is(STM32F4),
            Rng::Stm32L5 => around.may_be(Family::Stm32) && is(&["stm32l5"]),
            Rng::Rp2040 { .. } => around.may_be(Family::Rp2040),
            Rng::Rp2350 => around.may_be(Family::Rp2350),
        }
    }
}

/// The generator, if the board's chip can have it.
pub(crate) fn fit_rng(
    rng: Option<Rng>,
    around: &Surroundings<'_>,
    place: Span,
    report: &mut Report,
) -> Option<Option<Rng>> {
    let Some(found) = rng else { return Some(None) };
    let fits = found.fits(around);
    if !fits {
        let message = format!("the chip of this board has no random number generator of the kind `{}`", found.kind());
        let help = format!("this kind is for {}; use none: `rng: {{ kind: none }}`", found.chips());
        report.push(invalid(message, place).help(help));
    }
    fits.then_some(rng)
}

/// What `rng` describes: a generator, or none.
pub(crate) struct Generator(pub(crate) Option<Rng>);

impl FromNode for Generator {
    fn from_node(node: &Node, report: &mut Report) -> Option<Generator> {
        const KINDS: Kinds<Option<Rng>> = &[
            ("nrf", |_| Some(Some(Rng::Nrf))),
            ("stm32f4", |_| Some(Some(Rng::Stm32F4))),
            ("stm32l5", |_| Some(Some(Rng::Stm32L5))),
            ("rp2040", |fields| Some(Some(Rng::Rp2040 { clock: clock(fields)? }))),
            ("rp2350", |_| Some(Some(Rng::Rp2350))),
            ("none", |_| Some(None)),
        ];
        by_kind(node, "a random number generator", KINDS, report).map(Generator)
    }
}
