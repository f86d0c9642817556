//! The library sources for the serial lines of a board: a driver for the kind in its descriptor, the parameters of each line, and the
//! modules `Uart` and `Serial` above it.

use crate::{
    DeviceModule, Source,
    line_transfers::{Background, handled},
    lines::{self, Handles, Told, address, bits, has_ports, hertz, number, pin, pin_if_any},
};
use clef_descriptors::{Board, Interrupts, Pin, Stm32Uart, Stm32UartModel, Uart};
use std::fmt::Write as _;

/// The sources for the serial lines of a board, in order.
pub(crate) fn sources(board: &Board) -> Vec<Source> {
    let Some(first) = board.uart else { return Vec::new() };
    let background = Background::of(board, &first);
    let mut sources = Vec::new();
    if place_of_bit(&first).is_some() {
        let readers = include_str!("../clef/devices/uart_readers.clef");
        sources.push(Source::new("library/uart_readers.clef", readers));
    }
    sources.extend(driver(&first, has_ports(board)));
    sources.push(requests(&first, background.is_some()));
    let mut uart = include_str!("../clef/devices/uart.clef").to_owned();
    if board.rate_of_console().is_some() {
        sources.push(Source::new("library/uart_console.clef", include_str!("../clef/devices/uart_console.clef")));
        uart = with_console(&uart);
    }
    if let Some(background) = &background {
        sources.extend(background.sources(board));
    }
    if board.interrupt_count().is_some_and(|count| count > 0) {
        sources.push(Source::new("library/uart_service.clef", service(&first)));
        sources.push(Source::new("library/uart_handlers.clef", handlers(board)));
        uart.push_str(include_str!("../clef/devices/uart_interrupts.clef"));
    }
    if let Some(background) = &background {
        uart.push_str(include_str!("../clef/devices/uart_background.clef"));
        if background.receives() {
            uart.push_str(include_str!("../clef/devices/uart_reading.clef"));
        }
    }
    sources.push(Source::new("library/uart.clef", uart).of(DeviceModule::Uart));
    sources.push(SERIAL.source(board.serial_lines().map(|(name, line)| (name, line.base().0))));
    sources
}

/// The module for programs, where the console is on the first line: it starts lines and sends bytes as the console does.
fn with_console(uart: &str) -> String {
    let start = uart.replace("UartDriver.start line.Number", "UartConsole.start line.Number");
    start.replace("UartDriver.send line.Registers", "UartConsole.send line.Number line.Registers")
}

/// The lines by name.
const SERIAL: Handles<'static> = Handles {
    source: "library/serial.clef",
    module: "Serial",
    what: "serial lines",
    noun: "line",
    functions: "Uart",
    handle: "Line",
};

/// The driver of the lines; ports of the System Design Kit, if the board has any, connect the pins of a `cmsdk`.
fn driver(uart: &Uart, has_ports: bool) -> Vec<Source> {
    const BARE: (&str, &str) = ("library/uart_bare.clef", include_str!("../clef/devices/uart_bare.clef"));
    const PORTS: (&str, &str) = ("library/uart_ports.clef", include_str!("../clef/devices/uart_ports.clef"));
    const CMSDK: (&str, &str) = ("library/uart_cmsdk.clef", include_str!("../clef/devices/uart_cmsdk.clef"));
    const PL011: (&str, &str) = ("library/uart_pl011.clef", include_str!("../clef/devices/uart_pl011.clef"));
    const STM32: (&str, &str) = ("library/uart_stm32.clef", include_str!("../clef/devices/uart_stm32.clef"));
    const F4: (&str, &str) = ("library/uart_stm32_f4.clef", include_str!("../clef/devices/uart_stm32_f4.clef"));
    let files: &[(&'static str, &str)] = match uart {
        Uart::Nrf { .. } => &[("library/uart_nrf.clef", include_str!("../clef/devices/uart_nrf.clef"))],
        Uart::NrfDma { .. } => &[("library/uart_nrf_dma.clef", include_str!("../clef/devices/uart_nrf_dma.clef"))],
        Uart::Cmsdk { .. } if has_ports => &[PORTS, CMSDK],
        Uart::Cmsdk { .. } => &[BARE, CMSDK],
        Uart::Com { .. } => &[("library/uart_com.clef", include_str!("../clef/devices/uart_com.clef"))],
        Uart::Pl011 { .. } => &[BARE, PL011],
        Uart::Stellaris { .. } => {
            &[("library/uart_stellaris.clef", include_str!("../clef/devices/uart_stellaris.clef")), PL011]
        }
        Uart::Kl25(_) => &[("library/uart_kl25.clef", include_str!("../clef/devices/uart_kl25.clef"))],
        Uart::Rp2040(_) | Uart::Rp2350(_) => {
            &[("library/uart_rp.clef", include_str!("../clef/devices/uart_rp.clef")), PL011]
        }
        Uart::Stm32(Stm32Uart { model: Stm32UartModel::F1, .. }) => {
            &[("library/uart_stm32_f1.clef", include_str!("../clef/devices/uart_stm32_f1.clef")), F4]
        }
        Uart::Stm32(Stm32Uart { model: Stm32UartModel::F4, .. }) => &[STM32, F4],
        Uart::Stm32(Stm32Uart { model: Stm32UartModel::L5 | Stm32UartModel::Lpuart, .. }) => {
            &[STM32, ("library/uart_stm32_l5.clef", include_str!("../clef/devices/uart_stm32_l5.clef"))]
        }
    };
    files.iter().map(|(name, text)| Source::new(name, *text)).collect()
}

/// What transfers in the background require of the device.
fn requests(uart: &Uart, has_dma: bool) -> Source {
    let text = match uart {
        Uart::Stm32(Stm32Uart { model: Stm32UartModel::F1 | Stm32UartModel::F4, .. }) if has_dma => {
            include_str!("../clef/devices/uart_requests_stm32_f4.clef")
        }
        Uart::Stm32(_) if has_dma => include_str!("../clef/devices/uart_requests_stm32_l5.clef"),
        Uart::Rp2040(_) | Uart::Rp2350(_) if has_dma => include_str!("../clef/devices/uart_requests_pl011.clef"),
        Uart::NrfDma { .. } if has_dma => include_str!("../clef/devices/uart_requests_nrf.clef"),
        Uart::Nrf { .. }
        | Uart::NrfDma { .. }
        | Uart::Pl011 { .. }
        | Uart::Stellaris { .. }
        | Uart::Cmsdk { .. }
        | Uart::Com { .. }
        | Uart::Stm32(_)
        | Uart::Rp2040(_)
        | Uart::Rp2350(_)
        | Uart::Kl25(_) => include_str!("../clef/devices/uart_requests_none.clef"),
    };
    Source::new("library/uart_requests.clef", text)
}

/// For lines that may receive in the background: the first of five bits in which the addresses of their devices differ.
fn place_of_bit(uart: &Uart) -> Option<u32> {
    match uart {
        Uart::Stm32(_) => Some(10),
        Uart::Rp2040(_) | Uart::Rp2350(_) => Some(14),
        Uart::NrfDma { .. } => Some(12),
        Uart::Nrf { .. }
        | Uart::Pl011 { .. }
        | Uart::Stellaris { .. }
        | Uart::Cmsdk { .. }
        | Uart::Com { .. }
        | Uart::Kl25(_) => None,
    }
}

/// The module of what handlers do, for devices with one interrupt or with two.
fn service(uart: &Uart) -> String {
    let handlers = match uart.interrupts().are_shared() {
        true => include_str!("../clef/devices/uart_service_shared.clef"),
        false => include_str!("../clef/devices/uart_service_split.clef"),
    };
    format!("{}{handlers}", include_str!("../clef/devices/uart_service.clef"))
}

/// The parameters of the lines for their driver.
pub(crate) fn told(board: &Board) -> String {
    let lines: Vec<Vec<Told>> = board.serial_lines().map(|(_, line)| told_of(&line)).collect();
    let mut text = lines::told("line", &lines);
    if let (Some(rate), Some(first)) = (board.rate_of_console(), board.uart) {
        let base = first.base().0;
        let _ =
            writeln!(text, "\n    /// The first register of the line of the console.\n    let console = {base:#x}un");
        let _ = writeln!(text, "\n    /// The rate of the console.\n    let consoleRate = {rate}u");
    }
    if let Some(place) = board.uart.as_ref().and_then(place_of_bit) {
        let _ = writeln!(text, "\n    /// Where the addresses of lines differ.\n    let uartPlace = {place}");
    }
    if let Some(background) = board.uart.as_ref().and_then(|first| Background::of(board, first)) {
        text.push_str(&background.told(lines.len()));
    }
    text
}

/// The parameters of a line; lines of one kind have the same ones.
fn told_of(uart: &Uart) -> Vec<Told> {
    let clock = uart.clock().map(|clock| hertz("uartClock", clock.0));
    let mut told: Vec<Told> = clock.into_iter().collect();
    told.push(number("uartInterrupt", uart.interrupts().transmit));
    match uart {
        Uart::Nrf { transmit, receive, .. } | Uart::NrfDma { transmit, receive, .. } => {
            told.extend(told_of_pins(*transmit, *receive))
        }
        Uart::Pl011 { fifo, .. } => told.push(line_control(*fifo)),
        Uart::Stellaris { number, fifo, .. } => {
            told.push(line_control(*fifo));
            told.extend(told_of_stellaris(*number));
        }
        Uart::Cmsdk { interrupts, pins, .. } => {
            told.push(number("uartReceiveInterrupt", interrupts.receive));
            told.extend(pin_if_any(["uartTransmitPort", "uartTransmitPin"], pins.map(|pins| pins.transmit)));
            told.extend(pin_if_any(["uartReceivePort", "uartReceivePin"], pins.map(|pins| pins.receive)));
        }
        Uart::Com { .. } => {}
        Uart::Stm32(uart) => told.extend(told_of_stm32(uart)),
        Uart::Kl25(uart) => {
            told.extend(told_of_pins(uart.transmit, uart.receive));
            told.push(bits("uartFunction", u64::from(uart.function)));
        }
        // The bits of the UARTs in RESETS (RP2040 data sheet, 2.14.3; RP2350 data sheet, 7.5.3).
        Uart::Rp2040(rp) => told.extend(told_of_rp(22 + rp.number().unwrap_or(0), rp.transmit, rp.receive)),
        Uart::Rp2350(rp) => told.extend(told_of_rp(26 + rp.number().unwrap_or(0), rp.transmit, rp.receive)),
    }
    told
}

/// The line control of a PL011: eight bits, optionally with FIFOs.
fn line_control(fifo: bool) -> Told {
    bits("uartLine", if fifo { 0x70 } else { 0x60 })
}

fn told_of_pins(transmit: Pin, receive: Pin) -> impl Iterator<Item = Told> {
    let transmit = pin(["uartTransmitPort", "uartTransmitPin"], transmit);
    transmit.into_iter().chain(pin(["uartReceivePort", "uartReceivePin"], receive))
}

/// The bit of the UART and that of its port in the registers that enable clocks, the port, and the bits of its pins: PA0 and PA1, PD2
/// and PD3, or PG0 and PG1 (LM3S6965 data sheet, 12.2 and 19.4).
fn told_of_stellaris(number: u32) -> [Told; 4] {
    let (port, address_of_port, pins) = match number {
        0 => (0, 0x4000_4000, 0b11),
        1 => (3, 0x4000_7000, 0b1100),
        _ => (6, 0x4002_6000, 0b11),
    };
    [
        bits("uartBit", 1 << number),
        bits("uartPortBit", 1 << port),
        address("uartPort", address_of_port),
        bits("uartPins", pins),
    ]
}

/// The divisor of a low-power UART counts in 256ths, and is at least 768 (RM0438, 48.4.5), with 20 bits; that of others is at least 16, with
/// 16 bits.
fn told_of_stm32(uart: &Stm32Uart) -> Vec<Told> {
    let mut told = vec![address("uartEnable", uart.enable.0), number("uartEnableBit", uart.bit)];
    told.extend(told_of_pins(uart.transmit, uart.receive));
    match uart.model {
        Stm32UartModel::F1 => {
            told.extend(lines::map(["uartMapBits", "uartMap"], uart.base, &[uart.transmit, uart.receive]));
        }
        Stm32UartModel::F4 | Stm32UartModel::L5 | Stm32UartModel::Lpuart => {
            told.push(bits("uartFunction", u64::from(uart.function)));
        }
    }
    let (scale, least, most) = match uart.model {
        Stm32UartModel::F1 | Stm32UartModel::F4 => return told,
        Stm32UartModel::L5 => (1, 16, 0xffff),
        Stm32UartModel::Lpuart => (256, 768, 0xf_ffff),
    };
    let numbers = [("uartScale", scale), ("uartLeast", least), ("uartMost", most)];
    told.extend(numbers.map(|(name, number)| (name, "uint64", format!("{number}UL"))));
    told
}

fn told_of_rp(reset: u32, transmit: Pin, receive: Pin) -> Vec<Told> {
    let mut told = vec![bits("resetsOfUart", 1 << reset), line_control(true)];
    told.extend(told_of_pins(transmit, receive));
    told
}

/// The module that installs the handlers of a line, each under a number that is a constant.
fn handlers(board: &Board) -> String {
    let mut text = String::from(
        "/// The interrupts of the serial lines.\nmodule internal UartHandlers =\n\n    \
         /// Installs the handlers of a line: what takes each byte that arrives, and what yields the next one to send.\n    \
         let install (line: int) (registers: unativeint) (receive: byte -> unit) (next: unit -> byte option) \
         : unit =\n        \
         match line with\n",
    );
    let install = |(index, (_, line)): (usize, (&str, Uart))| installed(index, &line);
    let installed: Vec<String> = board.serial_lines().enumerate().map(install).collect();
    text.push_str(&lines::cases(installed.iter()));
    text
}

/// Installs the handlers of a line with one interrupt, or with two.
fn installed(index: usize, line: &Uart) -> String {
    let Interrupts { receive, transmit } = line.interrupts();
    let on =
        |number: u32, handler: &str| format!("\n            Interrupt.on {number} (fun () -> UartService.{handler})");
    if matches!(line, Uart::NrfDma { .. }) {
        let call = handled(index, line);
        format!("\n            Interrupt.on {receive} (fun () -> {call}; UartService.handle registers receive next)")
    } else if line.interrupts().are_shared() {
        on(receive, "handle registers receive next")
    } else {
        on(receive, "handleReceived registers receive") + &on(transmit, "handleSent registers next")
    }
}
