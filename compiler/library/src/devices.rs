//! The library's sources for the devices of a board: a driver by the kind that its descriptor says, what the driver is told,
//! and the modules `Gpio`, `Uart` and `Pin` above it.

use clef_target::{Board, Gpio, Uart};
use std::fmt::Write as _;

/// The file of [`Uart`]; a program that uses it talks over the board's serial line.
pub const UART: &str = "library/uart.clef";

/// A source: a name for diagnostics, and the text.
pub(crate) type Source = (&'static str, String);

/// The sources for a board's devices, in their order; none for a board without.
pub(crate) fn sources(board: &Board) -> Vec<Source> {
    let mut sources = Vec::new();
    if board.gpio.is_none() && board.uart.is_none() {
        return sources;
    }
    sources.push(("library/devices.clef", told(board)));
    if let Some(gpio) = &board.gpio {
        sources.push(gpio_driver(gpio));
        let pulls = if has_pulls(gpio) { include_str!("../clef/devices/gpio_pulls.clef") } else { "" };
        sources.push(("library/gpio.clef", format!("{}{pulls}", include_str!("../clef/devices/gpio.clef"))));
        sources.push(("library/pins.clef", pins(board)));
    }
    if let Some(uart) = &board.uart {
        sources.extend(uart_driver(uart));
        sources.push((UART, include_str!("../clef/devices/uart.clef").to_owned()));
    }
    sources
}

fn gpio_driver(gpio: &Gpio) -> Source {
    let (name, text) = match gpio {
        Gpio::Nrf { .. } => ("library/gpio_nrf.clef", include_str!("../clef/devices/gpio_nrf.clef")),
        Gpio::Pl061 { .. } => ("library/gpio_pl061.clef", include_str!("../clef/devices/gpio_pl061.clef")),
        Gpio::Stellaris => ("library/gpio_stellaris.clef", include_str!("../clef/devices/gpio_stellaris.clef")),
        Gpio::Stm32 { .. } => ("library/gpio_stm32.clef", include_str!("../clef/devices/gpio_stm32.clef")),
        Gpio::Mps2 { .. } => ("library/gpio_mps2.clef", include_str!("../clef/devices/gpio_mps2.clef")),
    };
    (name, text.to_owned())
}

/// Whether inputs can be pulled up and down.
fn has_pulls(gpio: &Gpio) -> bool {
    match gpio {
        Gpio::Nrf { .. } | Gpio::Stellaris | Gpio::Stm32 { .. } => true,
        Gpio::Pl061 { .. } | Gpio::Mps2 { .. } => false,
    }
}

fn uart_driver(uart: &Uart) -> Vec<Source> {
    const PL011: (&str, &str) = ("library/uart_pl011.clef", include_str!("../clef/devices/uart_pl011.clef"));
    let files: &[(&'static str, &str)] = match uart {
        Uart::Nrf { .. } => &[("library/uart_nrf.clef", include_str!("../clef/devices/uart_nrf.clef"))],
        Uart::Cmsdk { .. } => &[("library/uart_cmsdk.clef", include_str!("../clef/devices/uart_cmsdk.clef"))],
        Uart::Pl011 { .. } => &[("library/uart_bare.clef", include_str!("../clef/devices/uart_bare.clef")), PL011],
        Uart::Stellaris { .. } => {
            &[("library/uart_stellaris.clef", include_str!("../clef/devices/uart_stellaris.clef")), PL011]
        }
    };
    files.iter().map(|(name, text)| (*name, (*text).to_owned())).collect()
}

/// UART 0 of LM3S microcontrollers.
const STELLARIS_UART: u64 = 0x4000_c000;

/// What drivers are told of the board.
fn told(board: &Board) -> String {
    let mut told = vec![];
    match board.gpio {
        Some(Gpio::Nrf { base } | Gpio::Pl061 { base } | Gpio::Mps2 { base }) => {
            told.push(("gpio", format!("{:#x}un", base.0)));
        }
        Some(Gpio::Stm32 { base, enable }) => {
            told.extend([("gpio", format!("{:#x}un", base.0)), ("gpioEnable", format!("{:#x}un", enable.0))]);
        }
        Some(Gpio::Stellaris) | None => {}
    }
    match board.uart {
        Some(Uart::Nrf { base, transmit, receive }) => told.extend([
            ("uart", format!("{:#x}un", base.0)),
            ("uartTransmitPort", transmit.port.to_string()),
            ("uartTransmitPin", transmit.number.to_string()),
            ("uartReceivePort", receive.port.to_string()),
            ("uartReceivePin", receive.number.to_string()),
        ]),
        Some(Uart::Pl011 { base, clock } | Uart::Cmsdk { base, clock }) => {
            told.extend([("uart", format!("{:#x}un", base.0)), ("uartClock", format!("{}u", clock.0))]);
        }
        Some(Uart::Stellaris { clock }) => {
            told.extend([("uart", format!("{STELLARIS_UART:#x}un")), ("uartClock", format!("{}u", clock.0))]);
        }
        None => {}
    }
    let mut text = String::from("/// What drivers are told of the board.\nmodule internal Devices =\n");
    for (name, value) in told {
        let _ = writeln!(text, "\n    /// As the board's descriptor says.\n    let {name} = {value}");
    }
    if text.ends_with("=\n") {
        text.push_str("\n    /// Nothing is told.\n    let nothing = ()\n");
    }
    text
}

/// The module of the board's pins, whose names may be words of the language.
fn pins(board: &Board) -> String {
    let mut text = String::from("/// The pins of the board that have names.\nmodule Pin =\n");
    for (name, pin) in &board.pins {
        let (port, number) = (pin.pin.port, pin.pin.number);
        let _ = writeln!(text, "\n    /// `{}`\n    let ``{name}`` : Gpio.Pin = Gpio.pin {port} {number}", pin.name);
    }
    if board.pins.is_empty() { String::new() } else { text }
}
