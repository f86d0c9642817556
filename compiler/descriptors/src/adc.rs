//! The analog-to-digital converter of a board.

use crate::{
    Gpio, Hertz, Pin,
    at_pins::{Wanted, is_stm32f4, is_stm32l5},
    board_schema::{Kinds, by_kind, fits_clock},
    devices::INPUTS_OF_STELLARIS,
    reader::{Fields, FromNode, Report},
    timer_schema::{Surroundings, invalid},
    yaml::Node,
};
use clef_base::Span;
use serde::Serialize;

/// A converter of voltages at pins to numbers, which programs use through `Adc`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Adc {
    /// Nordic's of nRF51.
    Nrf51,
    /// That of nRF52, SAADC.
    Nrf52,
    /// The same of nRF91.
    Nrf91,
    /// ADC1 of STMicroelectronics' STM32F1.
    #[serde(rename = "stm32f1")]
    Stm32F1 {
        /// Its input clock, that of the second bus.
        clock: Hertz,
    },
    /// ADC1 of the STM32F2 and F4.
    #[serde(rename = "stm32f4")]
    Stm32F4 {
        /// Its input clock, that of the second bus.
        clock: Hertz,
    },
    /// ADC1 of the STM32L5.
    #[serde(rename = "stm32l5")]
    Stm32L5,
    /// That of Raspberry Pi's RP2040.
    Rp2040 {
        /// The crystal, from which its clock of 48 MHz is made.
        clock: Hertz,
    },
    /// The same for the RP2350.
    Rp2350 {
        /// The crystal, from which its clock of 48 MHz is made.
        clock: Hertz,
    },
    /// ADC0 of NXP's KL25.
    Kl25 {
        /// Its input clock, that of the bus.
        clock: Hertz,
    },
    /// That of Stellaris LM3S6965.
    Stellaris {
        /// Its clock, which the phase-locked loop makes.
        clock: Hertz,
    },
}

/// The chips with nRF52's converter and all of its inputs (Product Specifications, "SAADC" and "Pin assignments").
const NRF52: &[&str] = &["nrf52810", "nrf52811", "nrf52832", "nrf52833", "nrf52840"];

impl Adc {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Adc::Nrf51 => "nrf51",
            Adc::Nrf52 => "nrf52",
            Adc::Nrf91 => "nrf91",
            Adc::Stm32F1 { .. } => "stm32f1",
            Adc::Stm32F4 { .. } => "stm32f4",
            Adc::Stm32L5 => "stm32l5",
            Adc::Rp2040 { .. } => "rp2040",
            Adc::Rp2350 { .. } => "rp2350",
            Adc::Kl25 { .. } => "kl25",
            Adc::Stellaris { .. } => "stellaris",
        }
    }

    /// The pins with inputs, each with the number of its channel; a chip in a small package lacks some of the pins.
    pub fn inputs(&self) -> Vec<(Pin, u32)> {
        // The port, the first pin, the number of pins, and the channel of the first.
        let ranges: &[(u32, u32, u32, u32)] = match self {
            // nRF51822 Product Specification, "Pin assignments": AIN0 to AIN7.
            Adc::Nrf51 => &[(0, 26, 2, 0), (0, 1, 6, 2)],
            // nRF52840 Product Specification, "Pin assignments": AIN0 to AIN7.
            Adc::Nrf52 => &[(0, 2, 4, 0), (0, 28, 4, 4)],
            // nRF9160 Product Specification, "Pin assignments": AIN0 to AIN7.
            Adc::Nrf91 => &[(0, 13, 8, 0)],
            // Data sheets of the STM32F103, F205, F405 and F411, "Pin definitions": ADC12_IN0 to ADC12_IN15.
            Adc::Stm32F1 { .. } | Adc::Stm32F4 { .. } => &[(0, 0, 8, 0), (1, 0, 2, 8), (2, 0, 6, 10)],
            // Data sheet DS12737, "Pin definitions": ADC12_IN1 to ADC12_IN16.
            Adc::Stm32L5 => &[(2, 0, 4, 1), (0, 0, 8, 5), (2, 4, 2, 13), (1, 0, 2, 15)],
            // RP2040 data sheet, 4.9; RP2350 data sheet, 12.4, for the package with 30 pins.
            Adc::Rp2040 { .. } | Adc::Rp2350 { .. } => &[(0, 26, 4, 0)],
            // Data sheet KL25P80M48SF0, "KL25 Signal Multiplexing and Pin Assignments": ADC0_SE0 to ADC0_SE23. Of the channels 4 to 7 the
            // second ones, ADC0_SE4b to ADC0_SE7b, have 32 added.
            Adc::Kl25 { .. } => &[
                (1, 0, 2, 8),
                (1, 2, 2, 12),
                (2, 0, 2, 14),
                (2, 2, 1, 11),
                (3, 1, 1, 37),
                (3, 5, 2, 38),
                (4, 20, 1, 0),
                (4, 21, 1, 4),
                (4, 22, 1, 3),
                (4, 23, 1, 7),
                (4, 29, 1, 36),
                (4, 30, 1, 23),
            ],
            // LM3S6965 data sheet, 19.4: ADC0 to ADC3, which belong to no port of pins.
            Adc::Stellaris { .. } => &[(INPUTS_OF_STELLARIS, 0, 4, 0)],
        };
        let all = ranges.iter().flat_map(|&(port, first, count, channel)| {
            (0..count).map(move |index| (Pin { port, number: first + index }, channel + index))
        });
        all.collect()
    }

    /// Whether a board with these pins and this chip may have it.
    fn fits(&self, gpio: Gpio, chip: &str) -> bool {
        let is = |prefixes: &[&str]| chip.is_empty() || prefixes.iter().any(|prefix| chip.starts_with(prefix));
        match self {
            Adc::Nrf51 => matches!(gpio, Gpio::Nrf { .. }) && !gpio.is_nrf91() && is(&["nrf51"]),
            Adc::Nrf52 => matches!(gpio, Gpio::Nrf { .. }) && !gpio.is_nrf91() && is(NRF52),
            Adc::Nrf91 => gpio.is_nrf91() && is(&["nrf91"]),
            Adc::Stm32F1 { .. } => matches!(gpio, Gpio::Stm32F1 { .. }) && is(&["stm32f1"]),
            Adc::Stm32F4 { .. } => is_stm32f4(gpio) && is(&["stm32f2", "stm32f4"]),
            Adc::Stm32L5 => is_stm32l5(gpio) && is(&["stm32l5"]),
            Adc::Rp2040 { .. } => gpio == Gpio::Rp2040,
            Adc::Rp2350 { .. } => gpio == Gpio::Rp2350,
            Adc::Kl25 { .. } => gpio == Gpio::Kl25,
            Adc::Stellaris { .. } => gpio == Gpio::Stellaris && is(&["lm3s6965"]),
        }
    }
}

/// The converter, if the board's chip can have it.
pub(crate) fn fit_adc(
    adc: Option<Adc>,
    around: &Surroundings<'_>,
    place: Span,
    report: &mut Report,
) -> Option<Option<Adc>> {
    let Some(found) = adc else { return Some(None) };
    let wanted = Wanted {
        key: "adc",
        pins: "whose pins have its inputs",
        device: "analog-to-digital converter",
        kind: found.kind(),
    };
    wanted.fits(around, place, report, |gpio, chip| found.fits(gpio, chip)).then_some(adc)
}

/// What `adc` describes: a converter, or none.
pub(crate) struct Converter(pub(crate) Option<Adc>);

impl FromNode for Converter {
    fn from_node(node: &Node, report: &mut Report) -> Option<Converter> {
        const KINDS: Kinds<Option<Adc>> = &[
            ("nrf51", |_| Some(Some(Adc::Nrf51))),
            ("nrf52", |_| Some(Some(Adc::Nrf52))),
            ("nrf91", |_| Some(Some(Adc::Nrf91))),
            ("stm32f1", |fields| Some(Some(Adc::Stm32F1 { clock: bus_clock(fields, 112)? }))),
            ("stm32f4", |fields| Some(Some(Adc::Stm32F4 { clock: bus_clock(fields, 240)? }))),
            ("stm32l5", |_| Some(Some(Adc::Stm32L5))),
            ("rp2040", |fields| Some(Some(Adc::Rp2040 { clock: crystal(fields)? }))),
            ("rp2350", |fields| Some(Some(Adc::Rp2350 { clock: crystal(fields)? }))),
            // An eighth of it is at most 4 MHz, and it is at least 1 MHz (data sheet KL25P80M48SF0, "16-bit ADC operating conditions").
            ("kl25", |fields| Some(Some(Adc::Kl25 { clock: bus_clock(fields, 32)? }))),
            ("stellaris", |fields| Some(Some(Adc::Stellaris { clock: of_loop(fields)? }))),
            ("none", |_| Some(None)),
        ];
        by_kind(node, "an analog-to-digital converter", KINDS, report).map(Converter)
    }
}

/// A clock that the converter can divide, of at most so many megahertz: eight times its own highest one.
fn bus_clock(fields: &mut Fields<'_, '_>, most: u64) -> Option<Hertz> {
    let clock = fields.required::<Hertz>("clock")?;
    let place = fields.span("clock");
    // Below 600 kHz the converter is not specified (data sheets, "ADC characteristics"), and it halves the clock at least.
    let range = 1_200_000..=most * 1_000_000;
    if !range.contains(&clock.0) {
        let message = format!("the input clock of this converter must be from 1.2 MHz to {most} MHz, not {clock}");
        fields.report().push(invalid(message, place));
        return None;
    }
    fits_clock(clock, place, fields.report()).then_some(clock)
}

/// The frequency of the oscillator of the phase-locked loop, from which 48 MHz are divided (RP2040 data sheet, 2.18.2; RP2350 data sheet,
/// 8.6.3: 750 to 1600 MHz).
const OSCILLATOR: u64 = 1_200_000_000;

/// A crystal that the phase-locked loop multiplies.
fn crystal(fields: &mut Fields<'_, '_>) -> Option<Hertz> {
    let clock = fields.required::<Hertz>("clock")?;
    let place = fields.span("clock");
    let fits = (5_000_000..=15_000_000).contains(&clock.0) && OSCILLATOR.is_multiple_of(clock.0);
    if !fits {
        let message = format!("cannot make the converter's clock of 48 MHz from {clock}");
        let note = "the crystal must have from 5 MHz to 15 MHz, of which 1200 MHz are a multiple";
        fields.report().push(invalid(message, place).note(note));
    }
    fits.then_some(clock)
}

/// The clock that a phase-locked loop makes for the converter (LM3S6965 data sheet, "Analog-to-Digital Converter": 14 to 18 MHz).
fn of_loop(fields: &mut Fields<'_, '_>) -> Option<Hertz> {
    let clock = fields.optional::<Hertz>("clock")?;
    let fits = clock.is_some_and(|clock| (14_000_000..=18_000_000).contains(&clock.0));
    if !fits {
        let (message, help) = match clock {
            Some(clock) => (
                format!("the clock of this converter must be from 14 MHz to 18 MHz, not {clock}"),
                "remove `clock`, which follows from `clocks`, or use no converter: `adc: { kind: none }`",
            ),
            None => (
                "this converter requires the phase-locked loop, which runs only with a crystal".to_owned(),
                "specify the crystal in `clocks`, or use no converter: `adc: { kind: none }`",
            ),
        };
        let place = fields.span("clock");
        fields.report().push(invalid(message, place).help(help));
    }
    clock.filter(|_| fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_have_the_channels_of_the_manuals() {
        let clock = Hertz(12_000_000);
        for (adc, port, number, channel) in [
            (Adc::Nrf51, 0, 26, 0),
            (Adc::Nrf51, 0, 1, 2),
            (Adc::Nrf51, 0, 6, 7),
            (Adc::Nrf52, 0, 2, 0),
            (Adc::Nrf52, 0, 5, 3),
            (Adc::Nrf52, 0, 28, 4),
            (Adc::Nrf52, 0, 31, 7),
            (Adc::Nrf91, 0, 14, 1),
            (Adc::Nrf91, 0, 20, 7),
            (Adc::Stm32F4 { clock }, 0, 7, 7),
            (Adc::Stm32F4 { clock }, 1, 1, 9),
            (Adc::Stm32F1 { clock }, 2, 5, 15),
            (Adc::Stm32L5, 0, 3, 8),
            (Adc::Rp2040 { clock }, 0, 26, 0),
            (Adc::Rp2350 { clock }, 0, 29, 3),
            (Adc::Kl25 { clock }, 1, 3, 13),
            (Adc::Kl25 { clock }, 3, 6, 39),
            (Adc::Stellaris { clock }, 7, 3, 3),
        ] {
            assert!(adc.inputs().contains(&(Pin { port, number }, channel)), "{adc:?}: pin {number} of port {port}");
        }
    }
}
