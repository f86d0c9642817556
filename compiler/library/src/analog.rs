//! The library sources for analog inputs and pulse-width outputs: a driver for the kind in the board's descriptor, the tables of pins, and
//! the modules `Adc` and `Pwm` above it.

use crate::{
    Source,
    devices::{Told, address, bits},
};
use clef_descriptors::{Adc, Board, Gpio, Hertz, Pin, Pwm, Timer};
use std::fmt::Write as _;

/// The driver of the converter, and the module `Adc` above it.
pub(crate) fn adc_sources(board: &Board) -> Vec<Source> {
    let (Some(adc), Some(gpio)) = (board.adc, board.gpio) else { return Vec::new() };
    let (name, driver) = match adc {
        Adc::Nrf51 => ("library/adc_nrf51.clef", include_str!("../clef/devices/adc_nrf51.clef")),
        Adc::Nrf52 | Adc::Nrf91 => ("library/adc_nrf.clef", include_str!("../clef/devices/adc_nrf.clef")),
        Adc::Stm32F1 { .. } => ("library/adc_stm32f1.clef", include_str!("../clef/devices/adc_stm32f1.clef")),
        Adc::Stm32F4 { .. } => ("library/adc_stm32f4.clef", include_str!("../clef/devices/adc_stm32f4.clef")),
        Adc::Stm32L5 => ("library/adc_stm32l5.clef", include_str!("../clef/devices/adc_stm32l5.clef")),
        Adc::Kl25 { .. } => ("library/adc_kl25.clef", include_str!("../clef/devices/adc_kl25.clef")),
        Adc::Stellaris { .. } => ("library/adc_stellaris.clef", include_str!("../clef/devices/adc_stellaris.clef")),
        Adc::Rp2040 { .. } | Adc::Rp2350 { .. } => ("library/adc_rp.clef", include_str!("../clef/devices/adc_rp.clef")),
    };
    let names: Vec<String> = inputs(adc, gpio).into_iter().map(|(pin, _)| gpio.name_of(pin)).collect();
    let text = include_str!("../clef/devices/adc.clef").replace("INPUTS", &names.join(", "));
    vec![Source::new(name, driver), Source::new("library/adc.clef", text)]
}

/// The driver of the outputs, and the module `Pwm` above it.
pub(crate) fn pwm_sources(board: &Board) -> Vec<Source> {
    let (Some(pwm), Some(gpio)) = (board.pwm, board.gpio) else { return Vec::new() };
    const STM32: (&str, &str) = ("library/pwm_stm32.clef", include_str!("../clef/devices/pwm_stm32.clef"));
    let files: &[(&'static str, &str)] = match pwm {
        Pwm::Nrf51 => &[("library/pwm_nrf51.clef", include_str!("../clef/devices/pwm_nrf51.clef"))],
        Pwm::Nrf52 | Pwm::Nrf91 => &[("library/pwm_nrf.clef", include_str!("../clef/devices/pwm_nrf.clef"))],
        Pwm::Stm32F1 { .. } => {
            &[("library/pwm_stm32_f1.clef", include_str!("../clef/devices/pwm_stm32_f1.clef")), STM32]
        }
        Pwm::Stm32F4 { .. } | Pwm::Stm32L5 { .. } => {
            &[("library/pwm_stm32_pins.clef", include_str!("../clef/devices/pwm_stm32_pins.clef")), STM32]
        }
        Pwm::Kl25 { .. } => &[("library/pwm_kl25.clef", include_str!("../clef/devices/pwm_kl25.clef"))],
        Pwm::Stellaris { .. } => &[("library/pwm_stellaris.clef", include_str!("../clef/devices/pwm_stellaris.clef"))],
        Pwm::Rp2040 { .. } | Pwm::Rp2350 { .. } => {
            &[("library/pwm_rp.clef", include_str!("../clef/devices/pwm_rp.clef"))]
        }
    };
    // The number of an interrupt is written where it is claimed.
    let interrupt = pwm.timer(board.time).map_or_else(String::new, |(_, interrupt)| interrupt.to_string());
    let mut sources: Vec<Source> =
        files.iter().map(|(name, text)| Source::new(name, text.replace("INTERRUPT", &interrupt))).collect();
    let outputs = outputs(board, pwm, gpio).map_or_else(
        || "every pin".to_owned(),
        |outputs| outputs.iter().map(|(pin, _)| gpio.name_of(*pin)).collect::<Vec<_>>().join(", "),
    );
    let busy = match pwm {
        Pwm::Nrf51 => {
            "the pin has an output or edges already, the other output has another frequency, or the chip's timer or its channels for pins are in use"
        }
        Pwm::Nrf52 | Pwm::Nrf91 => "the pin has an output already, or all four timers of the chip are in use",
        Pwm::Stm32F1 { .. }
        | Pwm::Stm32F4 { .. }
        | Pwm::Stm32L5 { .. }
        | Pwm::Rp2040 { .. }
        | Pwm::Rp2350 { .. }
        | Pwm::Kl25 { .. } => {
            "the pin's channel has an output already, or another output of its timer has another frequency"
        }
        Pwm::Stellaris { .. } => {
            "the output is in use, the other one of its generator has another frequency, or the clock is divided for others"
        }
    };
    let (lowest, highest) = pwm.frequencies();
    let text = include_str!("../clef/devices/pwm.clef")
        .replace("LOWEST", &lowest.to_string())
        .replace("HIGHEST", &highest.to_string())
        .replace("OUTPUTS", &outputs)
        .replace("BUSY", busy);
    sources.push(Source::new("library/pwm.clef", text));
    sources
}

/// The inputs at pins of the chip.
fn inputs(adc: Adc, gpio: Gpio) -> Vec<(Pin, u32)> {
    adc.inputs().into_iter().filter(|(pin, _)| gpio.has(*pin)).collect()
}

/// The outputs at pins of the chip; nothing if those are all.
fn outputs(board: &Board, pwm: Pwm, gpio: Gpio) -> Option<Vec<(Pin, u32)>> {
    Some(pwm.outputs(board.time)?.into_iter().filter(|(pin, _)| gpio.has(*pin)).collect())
}

/// The parameters of both drivers.
pub(crate) fn told(board: &Board) -> Vec<Told> {
    let mut told = board.adc.map(|adc| told_of_adc(adc, board.clock)).unwrap_or_default();
    told.extend(board.pwm.map(|pwm| told_of_pwm(pwm, board.time)).unwrap_or_default());
    told
}

fn told_of_adc(adc: Adc, core: Option<Hertz>) -> Vec<Told> {
    let core = core.map_or(0, |core| core.0);
    // The readings of a register that take a number of microseconds, each at least a cycle of the core.
    let readings = |microseconds: u64| ("adcSettling", (core * microseconds).div_ceil(1_000_000).max(1).to_string());
    // The frequency by which the phase-locked loop multiplies that of the crystal.
    let factor = |clock: Hertz| bits("adcFactor", 1_200_000_000 / clock.0);
    match adc {
        Adc::Nrf51 | Adc::Nrf52 => vec![address("adc", 0x4000_7000)],
        Adc::Nrf91 => vec![address("adc", 0x5000_e000)],
        // At most 14 MHz, and 1 us until it is stable (data sheet DS5319, 5.3.18).
        Adc::Stm32F1 { clock } => vec![bits("adcDivider", divider(clock, 14) << 14), readings(1)],
        // At most 30 MHz, and 3 us (data sheets DS6329 and DS8626, "ADC characteristics").
        Adc::Stm32F4 { clock } => vec![bits("adcDivider", divider(clock, 30) << 16), readings(3)],
        // The binary logarithm of the divisor (KL25 Sub-Family Reference Manual, 28.3.2).
        Adc::Kl25 { clock } => {
            let divider = (0..3).find(|divider| clock.0 >> divider <= 4_000_000).unwrap_or(3);
            vec![bits("adcDivider", divider << 5)]
        }
        Adc::Stellaris { .. } => vec![],
        // 20 us until its regulator is stable (data sheet DS12737, "ADC characteristics").
        Adc::Stm32L5 => vec![readings(20)],
        // The blocks in RESETS, the phase-locked loop of USB, CLK_ADC_CTRL and the converter (RP2040 data sheet, 2.14.3, 2.15.7, 2.18.4
        // and 4.9.6; RP2350 data sheet, 7.5.3, 8.1.6, 8.6.4 and 12.4.7).
        Adc::Rp2040 { clock } => vec![
            bits("resetsOfAdc", 1 | 1 << 13),
            address("adcLoop", 0x4002_c000),
            address("adcClock", 0x4000_8060),
            address("adc", 0x4004_c000),
            factor(clock),
        ],
        Adc::Rp2350 { clock } => vec![
            bits("resetsOfAdc", 1 | 1 << 15),
            address("adcLoop", 0x4005_8000),
            address("adcClock", 0x4001_006c),
            address("adc", 0x400a_0000),
            factor(clock),
        ],
    }
}

/// The number by which an STM32 divides a clock for its converter: two for 0, four, six and eight for 3.
fn divider(clock: Hertz, most_megahertz: u64) -> u64 {
    (0..3).find(|divider| clock.0 <= (divider + 1) * 2 * most_megahertz * 1_000_000).unwrap_or(3)
}

fn told_of_pwm(pwm: Pwm, time: Timer) -> Vec<Told> {
    let clock = ("pwmClock", format!("{}u", pwm.clock().0));
    match pwm {
        Pwm::Nrf51 => {
            pwm.timer(time).into_iter().map(|(timer, _)| address("pwmTimer", timer.0)).chain([clock]).collect()
        }
        Pwm::Nrf52 | Pwm::Nrf91 | Pwm::Kl25 { .. } | Pwm::Stellaris { .. } => vec![clock],
        // RCC_APB1ENR (RM0008, 7.3.8; RM0090, 7.3.13).
        Pwm::Stm32F1 { .. } => vec![clock, address("pwmEnable", 0x4002_101c)],
        Pwm::Stm32F4 { .. } => vec![clock, address("pwmEnable", 0x4002_3840)],
        // RCC_APB1ENR1 (RM0438, 9.8.22).
        Pwm::Stm32L5 { .. } => vec![clock, address("pwmEnable", 0x4002_1058)],
        // The slices, and their bit in RESETS (RP2040 data sheet, 4.5 and 2.14.3; RP2350 data sheet, 12.5 and 7.5.3).
        Pwm::Rp2040 { .. } => vec![clock, address("pwm", 0x4005_0000), bits("resetsOfPwm", 1 << 14)],
        Pwm::Rp2350 { .. } => vec![clock, address("pwm", 0x400a_8000), bits("resetsOfPwm", 1 << 16)],
    }
}

/// The tables of the pins that have inputs and outputs.
pub(crate) fn tables(board: &Board) -> String {
    let Some(gpio) = board.gpio else { return String::new() };
    let mut text = String::new();
    if let Some(adc) = board.adc {
        text.push_str(&table("analogInput", "The analog input at a pin", &inputs(adc, gpio)));
    }
    if let Some(pwm) = board.pwm {
        text.push_str(&timers(pwm));
        let outputs = outputs(board, pwm, gpio);
        text.push_str(&match outputs {
            Some(outputs) => table("pwmChannel", "The channel of a timer at a pin", &outputs),
            None => {
                "\n    /// Every pin has a timer.\n    let inline pwmChannel (_: int) (_: int) : int = 0\n".to_owned()
            }
        });
    }
    text
}

/// The function that has the addresses of timers, for devices that are not at equal distances (nRF52840 and nRF9160 Product Specifications,
/// "Instantiation").
fn timers(pwm: Pwm) -> String {
    let timers: [u32; 4] = match pwm {
        Pwm::Nrf52 => [0x4001_c000, 0x4002_1000, 0x4002_2000, 0x4002_d000],
        Pwm::Nrf91 => [0x5002_1000, 0x5002_2000, 0x5002_3000, 0x5002_4000],
        Pwm::Nrf51
        | Pwm::Stm32F1 { .. }
        | Pwm::Stm32F4 { .. }
        | Pwm::Stm32L5 { .. }
        | Pwm::Rp2040 { .. }
        | Pwm::Rp2350 { .. }
        | Pwm::Kl25 { .. }
        | Pwm::Stellaris { .. } => {
            return String::new();
        }
    };
    let [first, second, third, last] = timers;
    format!(
        "\n    /// The registers of a timer.\n    let pwmTimer (channel: int) : unativeint =\n        match channel with\n        \
         | 0 -> {first:#x}un\n        | 1 -> {second:#x}un\n        | 2 -> {third:#x}un\n        | _ -> {last:#x}un\n"
    )
}

/// A function of a port and a number that is -1 for pins which are not in a table. It folds for literals.
fn table(name: &str, what: &str, entries: &[(Pin, u32)]) -> String {
    let mut text = format!(
        "\n    /// {what}, or -1.\n    let inline {name} (port: int) (number: int) : int =\n        match port, number with\n"
    );
    for (Pin { port, number }, value) in entries {
        let _ = writeln!(text, "        | {port}, {number} -> {value}");
    }
    text.push_str("        | _ -> -1\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converters_are_not_too_fast() {
        for (megahertz, most, expected) in [(8, 14, 0), (28, 14, 0), (36, 14, 1), (72, 14, 2), (16, 30, 0), (84, 30, 1)]
        {
            assert_eq!(divider(Hertz(megahertz * 1_000_000), most), expected, "{megahertz} MHz");
        }
    }
}
