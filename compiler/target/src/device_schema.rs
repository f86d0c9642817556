//! From the tree of a board to its devices: what drives its pins, its serial line, and the names of its pins.

use crate::{
    BoardPin, Gpio, Pin, RpUart, Stm32Uart, Stm32UartModel, Uart,
    board_schema::{Kinds, bad_name, by_kind, fits_clock, is_name},
    reader::{Fields, FromNode, Report, Words, mapping, wrong_type},
    yaml::{Entry, Node},
};
use clef_base::{Diagnostic, Span, codes};
use std::collections::BTreeMap;

/// The serial line, if what it needs is there: its pins are connected by their driver.
pub(crate) fn fit_uart(
    uart: Option<Option<Uart>>,
    gpio: Option<Option<Gpio>>,
    place: Span,
    report: &mut Report,
) -> Option<Option<Uart>> {
    let (Some(Some(found)), Some(gpio)) = (uart, gpio) else { return uart };
    let before = report.len();
    let mut refuse = |message: String| {
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message));
    };
    let (kind, is_driven, pins) = match found {
        Uart::Nrf { transmit, receive, .. } => ("nrf", matches!(gpio, Some(Gpio::Nrf { .. })), [transmit, receive]),
        Uart::Stm32(uart) => ("stm32", matches!(gpio, Some(Gpio::Stm32 { .. })), [uart.transmit, uart.receive]),
        Uart::Rp2040(uart) => ("rp2040", gpio == Some(Gpio::Rp2040), [uart.transmit, uart.receive]),
        Uart::Rp2350(uart) => ("rp2350", gpio == Some(Gpio::Rp2350), [uart.transmit, uart.receive]),
        Uart::Pl011 { .. } | Uart::Stellaris { .. } | Uart::Cmsdk { .. } => {
            return fits_uart_clock(uart, place, report);
        }
    };
    let foreign = pins.into_iter().find(|pin| !gpio.is_some_and(|gpio| gpio.has(*pin)));
    match (foreign, found) {
        _ if !is_driven => refuse(format!("a serial line of the kind `{kind}` needs `gpio` of the kind `{kind}`")),
        (Some(pin), _) => refuse(format!("what drives the pins of the serial line has no {pin}")),
        (None, Uart::Stm32(uart)) if uart.bit > 31 || uart.function > 15 => {
            refuse("a register has the bits 0 to 31, and a pin the functions 0 to 15".to_owned());
        }
        (None, Uart::Rp2040(uart) | Uart::Rp2350(uart)) if uart.number().is_none() => {
            refuse("`transmit` and `receive` are no pins of one UART".to_owned());
        }
        (None, _) => {}
    }
    if report.len() > before {
        return None;
    }
    fits_uart_clock(uart, place, report)
}

/// The serial line, if its clock can be one.
fn fits_uart_clock(uart: Option<Option<Uart>>, place: Span, report: &mut Report) -> Option<Option<Uart>> {
    uart.filter(|uart| {
        let clock = uart.and_then(|uart| uart.clock());
        clock.is_none_or(|clock| fits_clock(clock, place, report))
    })
}

/// The pins, if the driver has all of them.
pub(crate) fn fit_pins(
    pins: Option<BTreeMap<String, BoardPin>>,
    gpio: Option<Option<Gpio>>,
    place: Span,
    report: &mut Report,
) -> Option<BTreeMap<String, BoardPin>> {
    let pins = pins?;
    let Some(gpio) = gpio.flatten() else { return Some(pins) };
    let unfit = pins.iter().find(|(_, named)| !gpio.has(named.pin));
    if let Some((key, named)) = unfit {
        let (ports, count) = gpio.extent();
        let message = format!("`{key}` is `{}`, and what drives the pins has none of that name", named.name);
        let note = format!("it has {ports} port{} of {count} pins", if ports == 1 { "" } else { "s" });
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message).note(note));
        return None;
    }
    Some(pins)
}

/// The names of pins.
pub(crate) struct Pins(pub(crate) BTreeMap<String, BoardPin>);

impl FromNode for Pins {
    fn from_node(node: &Node, report: &mut Report) -> Option<Pins> {
        let entries = mapping(node, "a mapping from names to pins", report)?;
        let pins: Vec<Option<(String, BoardPin)>> = entries.iter().map(|entry| named_pin(entry, report)).collect();
        pins.into_iter().collect::<Option<_>>().map(Pins)
    }
}

fn named_pin(entry: &Entry, report: &mut Report) -> Option<(String, BoardPin)> {
    let pin = BoardPin::from_node(&entry.value, report);
    let is_name = is_name(&entry.key) && entry.key.starts_with(|c: char| c.is_ascii_lowercase());
    if !is_name {
        let message = format!("`{}` cannot name a pin: programs write `Pin.led`", entry.key);
        report.push(bad_name(entry, message, "a small letter, then letters, digits and `_`"));
        return None;
    }
    Some((entry.key.clone(), pin?))
}

impl FromNode for BoardPin {
    fn from_node(node: &Node, report: &mut Report) -> Option<BoardPin> {
        let named = node.text().and_then(|name| Some(BoardPin { pin: Pin::parse(name)?, name: name.to_owned() }));
        if named.is_none() {
            report.push(wrong_type(node, "a pin as the chip calls it, such as `P0.13`, `PA10` or `GP25`"));
        }
        named
    }
}

impl FromNode for Pin {
    fn from_node(node: &Node, report: &mut Report) -> Option<Pin> {
        BoardPin::from_node(node, report).map(|named| named.pin)
    }
}

impl FromNode for Gpio {
    fn from_node(node: &Node, report: &mut Report) -> Option<Gpio> {
        const KINDS: Kinds<Gpio> = &[
            ("nrf", |fields| Some(Gpio::Nrf { base: fields.required("base")? })),
            ("pl061", |fields| Some(Gpio::Pl061 { base: fields.required("base")? })),
            ("stellaris", |_| Some(Gpio::Stellaris)),
            ("stm32", |fields| {
                let (base, enable) = (fields.required("base"), fields.required("enable"));
                Some(Gpio::Stm32 { base: base?, enable: enable? })
            }),
            ("mps2", |fields| Some(Gpio::Mps2 { base: fields.required("base")? })),
            ("rp2040", |_| Some(Gpio::Rp2040)),
            ("rp2350", |_| Some(Gpio::Rp2350)),
        ];
        by_kind(node, "a driver of pins", KINDS, report)
    }
}

impl FromNode for Uart {
    fn from_node(node: &Node, report: &mut Report) -> Option<Uart> {
        const KINDS: Kinds<Uart> = &[
            ("nrf", |fields| {
                let base = fields.required("base");
                let (transmit, receive) = (fields.required("transmit"), fields.required("receive"));
                Some(Uart::Nrf { base: base?, transmit: transmit?, receive: receive? })
            }),
            ("pl011", |fields| {
                let (base, clock) = (fields.required("base"), fields.required("clock"));
                let fifo = fields.optional("fifo").map(Option::unwrap_or_default);
                Some(Uart::Pl011 { base: base?, clock: clock?, fifo: fifo? })
            }),
            ("stellaris", |fields| {
                let clock = fields.required("clock");
                let fifo = fields.optional("fifo").map(Option::unwrap_or_default);
                Some(Uart::Stellaris { clock: clock?, fifo: fifo? })
            }),
            ("cmsdk", |fields| {
                let (base, clock) = (fields.required("base"), fields.required("clock"));
                Some(Uart::Cmsdk { base: base?, clock: clock? })
            }),
            ("stm32", |fields| stm32_uart(fields).map(Uart::Stm32)),
            ("rp2040", |fields| rp_uart(fields).map(Uart::Rp2040)),
            ("rp2350", |fields| rp_uart(fields).map(Uart::Rp2350)),
        ];
        by_kind(node, "a serial line", KINDS, report)
    }
}

fn stm32_uart(fields: &mut Fields<'_, '_>) -> Option<Stm32Uart> {
    let (model, base, clock) = (fields.required("model"), fields.required("base"), fields.required("clock"));
    let (enable, bit) = (fields.required("enable"), fields.required("bit"));
    let (transmit, receive) = (fields.required("transmit"), fields.required("receive"));
    let function = fields.required("function");
    Some(Stm32Uart {
        model: model?,
        base: base?,
        clock: clock?,
        enable: enable?,
        bit: bit?,
        transmit: transmit?,
        receive: receive?,
        function: function?,
    })
}

impl Words for Stm32UartModel {
    const WHAT: &'static str = "a model of a USART";
    const WORDS: &'static [(&'static str, Stm32UartModel)] =
        &[("f4", Stm32UartModel::F4), ("l5", Stm32UartModel::L5), ("lpuart", Stm32UartModel::Lpuart)];
}

fn rp_uart(fields: &mut Fields<'_, '_>) -> Option<RpUart> {
    let clock = fields.required("clock");
    let (transmit, receive) = (fields.required("transmit"), fields.required("receive"));
    Some(RpUart { clock: clock?, transmit: transmit?, receive: receive? })
}
