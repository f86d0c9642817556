//! Reads the serial lines of a board from its tree, and checks them against its pins and its interrupts.

use crate::{
    Address, Gpio, Hertz, Interrupts, Kl25Uart, Pin, RpUart, Stm32Uart, Stm32UartModel, Uart, UartPins,
    board_schema::{Kinds, by_kind, fits_clock},
    bus_schema::{is_fixed, optional_pins},
    device_schema::fit_pin,
    lines::{Line, Lines, invalid, misfit, span_of},
    mps2_pins, pin_map,
    reader::{Fields, FromNode, Report, Words, wrong_type},
    yaml::{Entry, Node},
};
use clef_base::{Diagnostic, codes};
use std::collections::BTreeMap;

/// What the serial lines of a board use of it.
pub(crate) struct Uses<'a> {
    /// Its pins.
    pub(crate) gpio: Option<Gpio>,
    /// The number of its interrupts, if programs can handle any.
    pub(crate) interrupts: Option<u32>,
    /// Whether it has I/O ports.
    pub(crate) has_ports: bool,
    /// Its chip, or nothing.
    pub(crate) chip: &'a str,
}

/// The serial lines, if their requirements are met: that of `uart` and those of `uarts`.
pub(crate) fn fit_uarts(
    uart: Option<Option<Uart>>,
    more: Option<Lines<Uart>>,
    uses: &Uses<'_>,
    node: &Node,
    report: &mut Report,
) -> Option<(Option<Uart>, BTreeMap<String, Uart>)> {
    let (uart, Lines(more)) = (uart?, more?);
    let before = report.len();
    if let (Some(uart), Some(entry)) = (uart, node.get("uart")) {
        fit_uart(uart, uses, &entry.value, report);
    }
    let is_usable = report.len() == before;
    if let Some(entries) = node.get("uarts").filter(|_| is_usable) {
        let mut seen: Vec<Uart> = uart.into_iter().collect();
        for (name, line) in &more {
            let Some(entry) = entries.value.get(name) else { continue };
            fit_uart(*line, uses, &entry.value, report);
            fit_another(*line, uart, &seen, entry, report);
            seen.push(*line);
        }
    }
    (report.len() == before).then_some((uart, more))
}

/// Reports what a further line has in common with the others, or not.
fn fit_another(line: Uart, first: Option<Uart>, seen: &[Uart], entry: &Entry, report: &mut Report) {
    let mut reject = |message: String, help: &str| {
        let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, entry.value.span, message);
        report.push(diagnostic.help(help.to_owned()));
    };
    let name = &entry.key;
    let Some(first) = first else {
        return reject(
            format!("the line `{name}` requires `uart`, the first line"),
            "describe the first one with `uart`; `uarts` has those after it",
        );
    };
    if let Some((message, help)) = misfit(name, &line, ("uart", &first), seen) {
        return reject(message, &help);
    }
    if let Some(shared) = seen.iter().find_map(|other| other.interrupts().common(line.interrupts())) {
        reject(
            format!("the line `{name}` has the interrupt {shared} of another line"),
            "each line has interrupts of its own",
        );
    }
}

impl Line for Uart {
    const WHAT: &'static str = "a serial line";
    const SEVERAL: &'static str = "serial lines";
    const NOUN: &'static str = "line";
    const ALIKE: &'static str = "all lines of a board";
    const EXAMPLE: &'static str = "Serial.gps";
    const TAKEN: Option<(&'static str, &'static str)> = Some(("main", "uart"));

    fn kind(&self) -> &'static str {
        Uart::kind(self)
    }

    /// The registers of STM32's USARTs differ.
    fn has_driver_of(&self, first: &Uart) -> bool {
        let (Uart::Stm32(line), Uart::Stm32(first)) = (self, first) else { return true };
        let has_one_register = |uart: &Stm32Uart| matches!(uart.model, Stm32UartModel::F1 | Stm32UartModel::F4);
        has_one_register(line) == has_one_register(first)
    }

    fn is_same_device(&self, other: &Uart) -> bool {
        self.base() == other.base()
    }
}

/// Checks one line; `value` is where it is described.
fn fit_uart(found: Uart, uses: &Uses<'_>, value: &Node, report: &mut Report) {
    let before = report.len();
    if matches!(found, Uart::Com { .. }) && !uses.has_ports {
        let message = "a serial line of the kind `com` requires a board that boots as `pvh`";
        let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, span_of(value, "kind"), message);
        return report.push(diagnostic.note("its registers are at I/O ports, which only PCs have"));
    }
    fit_uart_pins(found, uses, value, report);
    if report.len() > before {
        return;
    }
    if found.clock().is_none_or(|clock: Hertz| fits_clock(clock, value.span, report)) {
        fit_interrupts(found.interrupts(), uses.interrupts, value, report);
    }
}

/// Reports pins that the GPIO driver does not connect.
fn fit_uart_pins(found: Uart, uses: &Uses<'_>, value: &Node, report: &mut Report) {
    let Uses { gpio, chip, .. } = *uses;
    let (is_driven, pins) = match found {
        Uart::Nrf { .. } if gpio.is_some_and(|gpio| gpio.is_nrf91()) => {
            let message = "an nRF91 has no UART without DMA";
            let place = span_of(value, "kind");
            let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message);
            return report.push(diagnostic.help("use the kind `nrf-dma`"));
        }
        Uart::Nrf { transmit, receive, .. } => (matches!(gpio, Some(Gpio::Nrf { .. })), [transmit, receive]),
        Uart::NrfDma { base, transmit, receive } => {
            if let Some(reason) = gpio.and_then(|gpio| without_dma(base, gpio, chip)) {
                return report.push(invalid(span_of(value, "base"), reason.message).note(reason.note));
            }
            (matches!(gpio, Some(Gpio::Nrf { .. })), [transmit, receive])
        }
        Uart::Stm32(uart) if uart.model == Stm32UartModel::F1 => {
            (matches!(gpio, Some(Gpio::Stm32F1 { .. })), [uart.transmit, uart.receive])
        }
        Uart::Stm32(uart) => (matches!(gpio, Some(Gpio::Stm32 { .. })), [uart.transmit, uart.receive]),
        Uart::Rp2040(uart) => (gpio == Some(Gpio::Rp2040), [uart.transmit, uart.receive]),
        Uart::Rp2350(uart) => (gpio == Some(Gpio::Rp2350), [uart.transmit, uart.receive]),
        Uart::Kl25(uart) => (gpio == Some(Gpio::Kl25), [uart.transmit, uart.receive]),
        Uart::Stellaris { number, .. } if number > 2 => {
            let message = format!("the chip has the UARTs 0 to 2, not {number}");
            return report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, span_of(value, "number"), message));
        }
        Uart::Cmsdk { pins: Some(pins), .. } => {
            (gpio.is_some_and(|gpio| gpio.cmsdk().is_some()), [pins.transmit, pins.receive])
        }
        Uart::Pl011 { .. } | Uart::Stellaris { .. } | Uart::Cmsdk { pins: None, .. } | Uart::Com { .. } => return,
    };
    let before = report.len();
    if let (true, Some(gpio)) = (is_driven, gpio) {
        for (key, pin) in ["transmit", "receive"].into_iter().zip(pins) {
            let value = value.get(key).map(|entry| &entry.value);
            let Some(value) = value else { continue };
            fit_pin(gpio, pin, value, report);
            if gpio.is_fixed(pin) {
                report.push(is_fixed(key, value.span));
            }
            if key == "receive" && pins[0] == pins[1] {
                report.push(invalid(value.span, "`receive` is the pin of `transmit`"));
            }
        }
    }
    if report.len() > before {
        return;
    }
    let kind = found.kind();
    if let Uart::Stm32(uart) = found
        && uart.model == Stm32UartModel::F1
        && let Some(instead) = pin_map::instead(uart.base, &[("transmit", uart.transmit), ("receive", uart.receive)])
    {
        let place = span_of(value, "transmit");
        return report.push(invalid(place, "this USART does not have these pins").help(instead));
    }
    if let Uart::Cmsdk { base, pins: Some(pins), .. } = found {
        let pins = [("transmit", pins.transmit), ("receive", pins.receive)];
        if let Some(misfit) = mps2_pins::misfit(gpio, base, &pins, value) {
            return report.push(misfit);
        }
    }
    let problem = match found {
        Uart::Stm32(uart) if !is_driven => {
            let kind = if uart.model == Stm32UartModel::F1 { "stm32f1" } else { "stm32" };
            format!("this model of a USART requires `gpio` of the kind `{kind}`")
        }
        Uart::NrfDma { .. } if !is_driven => {
            "a serial line of the kind `nrf-dma` requires `gpio` of the kind `nrf`".to_owned()
        }
        Uart::Cmsdk { .. } if !is_driven => {
            "pins of a serial line of the kind `cmsdk` require `gpio` of the kind `cmsdk` or `mps2`".to_owned()
        }
        _ if !is_driven => format!("a serial line of the kind `{kind}` requires `gpio` of the kind `{kind}`"),
        Uart::Stm32(uart) if uart.bit > 31 || uart.function > 15 => {
            "registers have the bits 0 to 31, pins have the functions 0 to 15".to_owned()
        }
        Uart::Kl25(uart) if !KL25_PINS.contains(&(uart.transmit, uart.receive, uart.function)) => {
            "`transmit` and `receive` are not pins of UART0 with this `function`".to_owned()
        }
        Uart::Rp2040(uart) | Uart::Rp2350(uart) if uart.number().is_none() => {
            "`transmit` and `receive` are not pins of the same UART".to_owned()
        }
        Uart::Nrf { .. }
        | Uart::NrfDma { .. }
        | Uart::Pl011 { .. }
        | Uart::Stellaris { .. }
        | Uart::Cmsdk { .. }
        | Uart::Com { .. }
        | Uart::Stm32(_)
        | Uart::Rp2040(_)
        | Uart::Rp2350(_)
        | Uart::Kl25(_) => return,
    };
    report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, value.span, problem));
}

/// Reports interrupts that the board does not have, if programs can handle any.
fn fit_interrupts(interrupts: Interrupts, count: Option<u32>, value: &Node, report: &mut Report) {
    let highest = interrupts.receive.max(interrupts.transmit);
    let Some(count) = count.filter(|count| highest >= *count) else { return };
    let place = match value.get("interrupts") {
        Some(entry) => entry.value.span,
        None => span_of(value, "interrupt"),
    };
    let message = format!("the board has no interrupt {highest}: the last one is {}", count.saturating_sub(1));
    let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message);
    report.push(
        diagnostic.help(
            "write the number in the manual of the chip; `vectors` or `interrupts` of the board is how many it has",
        ),
    );
}

impl FromNode for Interrupts {
    fn from_node(node: &Node, report: &mut Report) -> Option<Interrupts> {
        let numbers: Vec<u32> = Vec::from_node(node, report)?;
        let &[receive, transmit] = numbers.as_slice() else {
            report.push(wrong_type(node, "the interrupts of receiving and of sending, such as `[0, 1]`"));
            return None;
        };
        Some(Interrupts { receive, transmit })
    }
}

impl FromNode for Uart {
    fn from_node(node: &Node, report: &mut Report) -> Option<Uart> {
        const KINDS: Kinds<Uart> = &[
            ("nrf", |fields| {
                let base = fields.required("base");
                let (transmit, receive) = (fields.required::<Pin>("transmit"), fields.required("receive"));
                Some(Uart::Nrf { base: base?, transmit: transmit?, receive: receive? })
            }),
            ("nrf-dma", |fields| {
                let base = fields.required("base");
                let (transmit, receive) = (fields.required::<Pin>("transmit"), fields.required("receive"));
                Some(Uart::NrfDma { base: base?, transmit: transmit?, receive: receive? })
            }),
            ("pl011", |fields| {
                let (base, clock) = (fields.required("base"), fields.required("clock"));
                let fifo = fields.optional("fifo").map(Option::unwrap_or_default);
                let interrupt = fields.required("interrupt");
                Some(Uart::Pl011 { base: base?, clock: clock?, fifo: fifo?, interrupt: interrupt? })
            }),
            ("stellaris", |fields| {
                let clock = fields.required("clock");
                let fifo = fields.optional("fifo").map(Option::unwrap_or_default);
                let number = fields.optional("number").map(Option::unwrap_or_default);
                Some(Uart::Stellaris { number: number?, clock: clock?, fifo: fifo? })
            }),
            ("cmsdk", |fields| {
                let (base, clock) = (fields.required("base"), fields.required("clock"));
                let interrupts = fields.required("interrupts");
                let pins = optional_pins(fields, &["transmit", "receive"], |fields| {
                    let (transmit, receive) = (fields.required("transmit"), fields.required("receive"));
                    Some(UartPins { transmit: transmit?, receive: receive? })
                });
                Some(Uart::Cmsdk { base: base?, clock: clock?, interrupts: interrupts?, pins: pins? })
            }),
            ("com", |fields| {
                let (port, interrupt) = (fields.required("port"), fields.required("interrupt"));
                Some(Uart::Com { port: port?, interrupt: interrupt? })
            }),
            ("stm32", |fields| stm32_uart(fields).map(Uart::Stm32)),
            ("rp2040", |fields| rp_uart(fields).map(Uart::Rp2040)),
            ("rp2350", |fields| rp_uart(fields).map(Uart::Rp2350)),
            ("kl25", |fields| kl25_uart(fields).map(Uart::Kl25)),
        ];
        by_kind(node, Uart::WHAT, KINDS, report)
    }
}

/// The UARTs with DMA of nRF52 (nRF52840 Product Specification, "Instantiation"), of which smaller chips have the first one, and of nRF91 in
/// the secure world (nRF9160 Product Specification, "Instantiation").
const NRF52_DMA: &[Address] = &[Address(0x4000_2000), Address(0x4002_8000)];
const NRF91_DMA: &[Address] = &[Address(0x5000_8000), Address(0x5000_9000), Address(0x5000_a000), Address(0x5000_b000)];

/// Why there is no UART with DMA at an address.
struct Unknown {
    message: String,
    note: String,
}

/// Whether a chip of Nordic has no UART with DMA at an address, and why.
fn without_dma(base: Address, gpio: Gpio, chip: &str) -> Option<Unknown> {
    let chip = chip.to_ascii_lowercase();
    if chip.starts_with("nrf51") {
        let message = "the UART of this chip has no DMA".to_owned();
        return Some(Unknown { message, note: "its kind is `nrf`".to_owned() });
    }
    let has_two = chip.is_empty() || chip.starts_with("nrf52833") || chip.starts_with("nrf52840");
    let known = match gpio.is_nrf91() {
        true => NRF91_DMA,
        false if has_two => NRF52_DMA,
        false => &NRF52_DMA[..1],
    };
    let all: Vec<String> = known.iter().map(Address::to_string).collect();
    (!known.contains(&base)).then(|| Unknown {
        message: format!("the chip has no UART with DMA at {base}"),
        note: match all.len() {
            1 => format!("the address is {}", all[0]),
            _ => format!("the addresses are {}", all.join(", ")),
        },
    })
}

fn stm32_uart(fields: &mut Fields<'_, '_>) -> Option<Stm32Uart> {
    let (model, base, clock) = (fields.required("model"), fields.required("base"), fields.required("clock"));
    let (enable, bit) = (fields.required("enable"), fields.required("bit"));
    let (transmit, receive) = (fields.required("transmit"), fields.required("receive"));
    let function = match model {
        Some(Stm32UartModel::F1) => Some(0),
        Some(Stm32UartModel::F4 | Stm32UartModel::L5 | Stm32UartModel::Lpuart) | None => fields.required("function"),
    };
    let interrupt = fields.required("interrupt");
    Some(Stm32Uart {
        model: model?,
        base: base?,
        clock: clock?,
        enable: enable?,
        bit: bit?,
        transmit: transmit?,
        receive: receive?,
        function: function?,
        interrupt: interrupt?,
    })
}

impl Words for Stm32UartModel {
    const WHAT: &'static str = "a model of a USART";
    const WORDS: &'static [(&'static str, Stm32UartModel)] = &[
        ("f1", Stm32UartModel::F1),
        ("f4", Stm32UartModel::F4),
        ("l5", Stm32UartModel::L5),
        ("lpuart", Stm32UartModel::Lpuart),
    ];
}

/// The pins of UART0, each pair with its function (data sheet KL25P80M48SF0, "KL25 Signal Multiplexing and Pin Assignments").
const KL25_PINS: [(Pin, Pin, u32); 5] = [
    (Pin { port: 0, number: 2 }, Pin { port: 0, number: 1 }, 2),
    (Pin { port: 0, number: 14 }, Pin { port: 0, number: 15 }, 3),
    (Pin { port: 1, number: 17 }, Pin { port: 1, number: 16 }, 3),
    (Pin { port: 3, number: 7 }, Pin { port: 3, number: 6 }, 3),
    (Pin { port: 4, number: 20 }, Pin { port: 4, number: 21 }, 4),
];

fn kl25_uart(fields: &mut Fields<'_, '_>) -> Option<Kl25Uart> {
    let (clock, function) = (fields.required("clock"), fields.required("function"));
    let (transmit, receive) = (fields.required("transmit"), fields.required("receive"));
    Some(Kl25Uart { clock: clock?, transmit: transmit?, receive: receive?, function: function? })
}

fn rp_uart(fields: &mut Fields<'_, '_>) -> Option<RpUart> {
    let clock = fields.required("clock");
    let (transmit, receive) = (fields.required("transmit"), fields.required("receive"));
    Some(RpUart { clock: clock?, transmit: transmit?, receive: receive? })
}
