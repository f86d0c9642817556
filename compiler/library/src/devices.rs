//! The library sources for the devices of a board: a driver for the kind in its descriptor, the parameters of the
//! driver, and the modules above it: `Gpio` and `Pin`, `Uart` and `Serial`, the buses, `Timer`, `Watchdog`, `Rng`, `Adc`, `Pwm`,
//! `Flash` and `Settings`.

use crate::{Source, analog, buses, dma, edges, flash, random, serial_lines, timers, watchdog};
use clef_descriptors::{Board, Gpio};
use std::{fmt::Write as _, ops::RangeInclusive};

/// A module of the library through which programs use devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceModule {
    /// The board's pins.
    Gpio,
    /// The board's serial lines.
    Uart,
    /// The pages of flash that the board reserves.
    Flash,
    /// The board's watchdog.
    Watchdog,
}

/// The sources for a board's devices, in order; none for a board without devices.
pub(crate) fn sources(board: &Board) -> Vec<Source> {
    let mut sources = Vec::new();
    let has_lines = board.uart.is_some() || !board.i2c.is_empty() || !board.spi.is_empty();
    let has_others =
        board.timers.is_some() || board.watchdog.is_some() || board.settings.is_some() || board.rng.is_some();
    if board.gpio.is_none() && !has_lines && !has_others {
        return sources;
    }
    sources.push(Source::new("library/devices.clef", told(board)));
    if let Some(gpio) = &board.gpio {
        sources.extend(ports_of_cmsdk(gpio));
        sources.push(gpio_driver(gpio));
        let mut text = include_str!("../clef/devices/gpio.clef").to_owned();
        if has_pulls(gpio) {
            text.push_str(include_str!("../clef/devices/gpio_pulls.clef"));
        }
        if let Some(driver) = edges::driver(board) {
            sources.push(driver);
            text.push_str(include_str!("../clef/devices/gpio_edges.clef"));
        }
        let gpio = Source::new("library/gpio.clef", text);
        sources.push(gpio.of(DeviceModule::Gpio));
        sources.push(Source::new("library/pins.clef", pins(board)));
    }
    sources.extend(dma::sources(board));
    sources.extend(serial_lines::sources(board));
    sources.extend(buses::sources(board));
    sources.extend(timers::sources(board));
    sources.extend(board.watchdog.iter().flat_map(watchdog::sources));
    sources.extend(flash::sources(board));
    sources.extend(board.rng.iter().flat_map(random::sources));
    sources.extend(analog::adc_sources(board));
    sources.extend(analog::pwm_sources(board));
    sources
}

/// The driver for ports of the Cortex-M System Design Kit, which a board may have in addition to others.
fn ports_of_cmsdk(gpio: &Gpio) -> Option<Source> {
    let text = include_str!("../clef/devices/gpio_cmsdk.clef");
    gpio.cmsdk().map(|_| Source::new("library/gpio_cmsdk.clef", text))
}

fn gpio_driver(gpio: &Gpio) -> Source {
    let (name, text) = match gpio {
        Gpio::Nrf { .. } => ("library/gpio_nrf.clef", include_str!("../clef/devices/gpio_nrf.clef")),
        Gpio::Pl061 { .. } => ("library/gpio_pl061.clef", include_str!("../clef/devices/gpio_pl061.clef")),
        Gpio::Stellaris => ("library/gpio_stellaris.clef", include_str!("../clef/devices/gpio_stellaris.clef")),
        Gpio::Stm32 { .. } => ("library/gpio_stm32.clef", include_str!("../clef/devices/gpio_stm32.clef")),
        Gpio::Stm32F1 { .. } => ("library/gpio_stm32f1.clef", include_str!("../clef/devices/gpio_stm32f1.clef")),
        Gpio::Cmsdk(_) => ("library/gpio_cmsdk_alone.clef", include_str!("../clef/devices/gpio_cmsdk_alone.clef")),
        Gpio::Mps2 { .. } => ("library/gpio_mps2.clef", include_str!("../clef/devices/gpio_mps2.clef")),
        Gpio::Kl25 => ("library/gpio_kl25.clef", include_str!("../clef/devices/gpio_kl25.clef")),
        Gpio::Rp2040 | Gpio::Rp2350 => ("library/gpio_rp.clef", include_str!("../clef/devices/gpio_rp.clef")),
    };
    Source::new(name, text)
}

/// Whether inputs have pull-up and pull-down resistors.
fn has_pulls(gpio: &Gpio) -> bool {
    match gpio {
        Gpio::Nrf { .. }
        | Gpio::Stellaris
        | Gpio::Stm32 { .. }
        | Gpio::Stm32F1 { .. }
        | Gpio::Rp2040
        | Gpio::Rp2350
        | Gpio::Kl25 => true,
        Gpio::Pl061 { .. } | Gpio::Cmsdk(_) | Gpio::Mps2 { .. } => false,
    }
}

/// A parameter of a driver: its name and its value.
pub(crate) type Told = (&'static str, String);

pub(crate) fn address(name: &'static str, address: u64) -> Told {
    (name, format!("{address:#x}un"))
}

pub(crate) fn bits(name: &'static str, bits: u64) -> Told {
    (name, format!("{bits:#x}u"))
}

/// The parameters that a board passes to its drivers.
fn told(board: &Board) -> String {
    let mut told = board.gpio.map(told_of_gpio).unwrap_or_default();
    told.extend(edges::told(board));
    told.extend(dma::told(board));
    told.extend(timers::told(board));
    told.extend(board.watchdog.iter().flat_map(watchdog::told));
    told.extend(flash::told(board));
    told.extend(board.rng.iter().flat_map(random::told));
    told.extend(analog::told(board));
    let mut text = String::from("/// The board's parameters for drivers.\nmodule internal Devices =\n");
    for (name, value) in told {
        let _ = writeln!(text, "\n    /// From the board's descriptor.\n    let {name} = {value}");
    }
    text.push_str(&timers::told_of_each(board));
    text.push_str(&serial_lines::told(board));
    text.push_str(&buses::told(board));
    if let Some(gpio) = board.gpio {
        text.push_str(&pins_of_chip(gpio));
        text.push_str(&analog::tables(board));
    } else if text.ends_with("=\n") {
        text.push_str("\n    /// No parameters.\n    let nothing = ()\n");
    }
    text
}

/// The function that checks whether a pin exists. It compares and does not compute, so that it folds for literals.
fn pins_of_chip(gpio: Gpio) -> String {
    // The ports that have the same pins.
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for (port, ranges) in gpio.ports().ranges() {
        let within = |range: RangeInclusive<u32>| format!("number >= {} && number <= {}", range.start(), range.end());
        let condition = ranges.into_iter().map(within).collect::<Vec<_>>().join(" || ");
        match alike.iter_mut().find(|(known, _)| *known == condition) {
            Some((_, ports)) => ports.push(port.to_string()),
            None => alike.push((condition, vec![port.to_string()])),
        }
    }
    let mut text = String::from(
        "\n    /// Whether the chip has a pin.\n    let inline hasPin (port: int) (number: int) : bool =\n        match port with\n",
    );
    for (condition, ports) in alike {
        let _ = writeln!(text, "        | {} -> {condition}", ports.join(" | "));
    }
    text.push_str("        | _ -> false\n");
    text
}

fn told_of_gpio(gpio: Gpio) -> Vec<Told> {
    match gpio {
        Gpio::Nrf { base, .. } | Gpio::Pl061 { base, .. } => vec![address("gpio", base.0)],
        Gpio::Cmsdk(ports) => vec![address("gpioPorts", ports.base.0)],
        Gpio::Mps2 { base, expansion } => vec![address("gpio", base.0), address("gpioPorts", expansion.base.0)],
        Gpio::Stm32 { base, enable, .. } | Gpio::Stm32F1 { base, enable, .. } => {
            vec![address("gpio", base.0), address("gpioEnable", enable.0)]
        }
        Gpio::Stellaris | Gpio::Kl25 => vec![],
        // RESETS, with the bits of IO_BANK0 and PADS_BANK0; both; and the SIO registers that set and clear the levels
        // of outputs, and that select which pins are outputs.
        Gpio::Rp2040 => vec![
            address("resets", 0x4000_c000),
            bits("resetsOfPins", 1 << 5 | 1 << 8),
            address("gpio", 0x4001_4000),
            address("pads", 0x4001_c000),
            address("levelSet", 0xd000_0014),
            address("levelClear", 0xd000_0018),
            address("outputSet", 0xd000_0024),
            address("outputClear", 0xd000_0028),
        ],
        Gpio::Rp2350 => vec![
            address("resets", 0x4002_0000),
            bits("resetsOfPins", 1 << 6 | 1 << 9),
            address("gpio", 0x4002_8000),
            address("pads", 0x4003_8000),
            address("levelSet", 0xd000_0018),
            address("levelClear", 0xd000_0020),
            address("outputSet", 0xd000_0038),
            address("outputClear", 0xd000_0040),
        ],
    }
}

/// The module of the board's pins, whose names may be keywords.
fn pins(board: &Board) -> String {
    let mut text = String::from("/// The named pins of the board.\nmodule Pin =\n");
    for (name, pin) in &board.pins {
        let (port, number) = (pin.pin.port, pin.pin.number);
        let _ = writeln!(
            text,
            "\n    /// `{}`\n    let ``{name}`` : Gpio.Pin = {{ Gpio.Port = {port}; Gpio.Number = {number} }}",
            pin.name
        );
    }
    if board.pins.is_empty() { String::new() } else { text }
}
