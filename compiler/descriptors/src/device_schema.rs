//! Reads the pins of a board from its tree: its GPIO device, and the names of its pins.

use crate::{
    BoardPin, CmsdkPorts, Gpio, Pin, Ports,
    board_schema::{Kinds, bad_name, by_kind, is_name},
    devices::PINS_OF_CMSDK,
    lines::{invalid, span_of},
    reader::{Fields, FromNode, Report, mapping, wrong_type},
    yaml::{Entry, Node},
};
use clef_base::{Diagnostic, Span, codes};
use std::collections::BTreeMap;

/// The pins, if the driver supports all of them.
pub(crate) fn fit_pins(
    pins: Option<BTreeMap<String, BoardPin>>,
    gpio: Option<Option<Gpio>>,
    node: &Node,
    report: &mut Report,
) -> Option<BTreeMap<String, BoardPin>> {
    let pins = pins?;
    let (Some(gpio), Some(entry)) = (gpio, node.get("pins")) else { return Some(pins) };
    let Some(gpio) = gpio else {
        if pins.is_empty() {
            return Some(pins);
        }
        let message = "`pins` requires `gpio`";
        let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, entry.key_span, message);
        report.push(diagnostic.help("specify the driver with `gpio`, or remove `pins`"));
        return None;
    };
    let before = report.len();
    for (key, named) in &pins {
        let value = entry.value.get(key).map(|entry| &entry.value);
        value.into_iter().for_each(|value| fit_pin(gpio, named.pin, value, report));
    }
    (report.len() == before).then_some(pins)
}

/// Reports a pin that the chip does not have, or names differently.
pub(crate) fn fit_pin(gpio: Gpio, pin: Pin, value: &Node, report: &mut Report) {
    let name = value.text().unwrap_or_default();
    if gpio.calls(name, pin) && gpio.has(pin) {
        return;
    }
    let message = format!("the chip has no pin `{name}`");
    report.push(
        Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, value.span, message)
            .note(format!("it has {}", gpio.all()))
            .help("use one of them; `ports` of `gpio` specifies the pins of each port"),
    );
}

/// The pins of ports: for each port a range such as `0-15`, or several.
impl FromNode for Ports {
    fn from_node(node: &Node, report: &mut Report) -> Option<Ports> {
        let texts: Vec<String> = Vec::from_node(node, report)?;
        let mut ports = Ports::default();
        for (index, text) in texts.iter().enumerate() {
            let place = node.item(index).map_or(node.span, |item| item.span);
            let Some(pins) = ranges(text) else {
                let message = format!("invalid pins of a port: `{text}`");
                report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message).help(
                    "write the numbers of the pins, from 0 to 31: `\"0-15\"`, `\"0-2, 13\"`, or `\"\"` for none",
                ));
                return None;
            };
            if !ports.set(index, pins) {
                let message = format!("a chip has at most {} ports", Ports::MAX);
                report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message));
                return None;
            }
        }
        Some(ports)
    }
}

/// The bits of numbers, and of ranges of numbers, below 32.
fn ranges(text: &str) -> Option<u32> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number < 32);
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts.into_iter().try_fold(0, |bits, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        (first <= last).then(|| (first..=last).fold(bits, |bits: u32, number| bits | 1 << number))
    })
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
        let message = format!("invalid pin name `{}`: programs write `Pin.led`", entry.key);
        report.push(bad_name(entry, message, "use a lowercase letter, then letters, digits and `_`"));
        return None;
    }
    Some((entry.key.clone(), pin?))
}

impl FromNode for BoardPin {
    fn from_node(node: &Node, report: &mut Report) -> Option<BoardPin> {
        let named = node.text().and_then(|name| Some(BoardPin { pin: Pin::parse(name)?, name: name.to_owned() }));
        if named.is_none() {
            report.push(wrong_type(node, "a pin of the chip, such as `P0.13`, `PA10` or `GP25`"));
        }
        named
    }
}

impl FromNode for Pin {
    fn from_node(node: &Node, report: &mut Report) -> Option<Pin> {
        BoardPin::from_node(node, report).map(|named| named.pin)
    }
}

/// The pins, if the board has their interrupt; `count` is the number of its interrupts, if it has any. Where it has none, as with
/// `vectors: 0`, ports of the System Design Kit have no edges.
pub(crate) fn fit_gpio(
    gpio: Option<Gpio>,
    count: Option<u32>,
    node: &Node,
    report: &mut Report,
) -> Option<Option<Gpio>> {
    let Some(pins) = gpio else { return Some(gpio) };
    let ports = pins.cmsdk().map(|(ports, _)| ports);
    if count.is_none() && ports.is_some() {
        return Some(Some(pins.without_interrupts()));
    }
    let of_ports = ports.and_then(|ports| ports.numbers().max());
    let interrupt = if let Gpio::Pl061 { interrupt, .. } = pins { interrupt } else { of_ports };
    let count = count.unwrap_or(0);
    let Some(interrupt) = interrupt.filter(|interrupt| *interrupt >= count) else { return Some(gpio) };
    let place = node.get("gpio").map_or(node.span, |entry| place_of_interrupts(pins, &entry.value));
    let message = match count {
        0 => format!("the board has no interrupt {interrupt}: it handles none"),
        count => format!("the board has no interrupt {interrupt}: the last one is {}", count - 1),
    };
    let help = "write the number in the manual of the chip; `vectors` or `interrupts` of the board is how many it has";
    report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message).help(help));
    None
}

/// Where the interrupts of pins are described.
fn place_of_interrupts(pins: Gpio, value: &Node) -> Span {
    let ports = value.get("expansion").map_or(value, |entry| &entry.value);
    if pins.cmsdk().is_some() { span_of(ports, "interrupts") } else { span_of(value, "interrupt") }
}

/// Ports of the Cortex-M System Design Kit, by the keys `base`, `ports` and `interrupts`; `ports` are those that there are by default.
fn cmsdk_ports(fields: &mut Fields<'_, '_>, default: Ports) -> Option<CmsdkPorts> {
    let (base, ports) = (fields.required("base"), fields.optional::<Ports>("ports"));
    let numbers = fields.optional::<Vec<u32>>("interrupts");
    let (base, ports, numbers) = (base?, ports?.unwrap_or(default), numbers?);
    let present: Vec<u32> = ports.ranges().map(|(port, _)| port).collect();
    let beyond = |(port, ranges): (u32, Vec<std::ops::RangeInclusive<u32>>)| {
        port >= CmsdkPorts::MAX as u32 || ranges.iter().any(|range| *range.end() >= PINS_OF_CMSDK)
    };
    if ports.ranges().any(beyond) || !present.iter().copied().eq(0..present.len() as u32) {
        let message = format!("the driver has up to {} ports of {PINS_OF_CMSDK} pins", CmsdkPorts::MAX);
        let help = "write the pins of each of them, such as `[\"0-15\", \"0-3\"]`";
        let place = fields.span("ports");
        fields.report().push(invalid(place, message).help(help));
        return None;
    }
    let mut interrupts = [None; CmsdkPorts::MAX];
    if let Some(numbers) = &numbers {
        if numbers.len() != present.len() {
            let message = format!("{} ports have {} interrupts here", present.len(), numbers.len());
            let help = "write the number of the interrupt of all pins of each port";
            let place = fields.span("interrupts");
            fields.report().push(invalid(place, message).help(help));
            return None;
        }
        interrupts.iter_mut().zip(numbers).for_each(|(own, number)| *own = Some(*number));
    }
    Some(CmsdkPorts { base, ports, interrupts: numbers.map(|_| interrupts) })
}

/// The ports of the headers of an MPS2 board, whose last one has four pins by default.
struct Expansion(CmsdkPorts);

impl FromNode for Expansion {
    fn from_node(node: &Node, report: &mut Report) -> Option<Expansion> {
        let mut ports = Ports::alike(CmsdkPorts::MAX, PINS_OF_CMSDK);
        ports.set(CmsdkPorts::MAX - 1, 0xf);
        let mut fields = Fields::of(node, node.span, "the ports of headers", report)?;
        let ports = cmsdk_ports(&mut fields, ports);
        fields.finish();
        ports.map(Expansion)
    }
}

impl FromNode for Gpio {
    fn from_node(node: &Node, report: &mut Report) -> Option<Gpio> {
        const KINDS: Kinds<Gpio> = &[
            ("nrf", |fields| {
                let (base, ports) = (fields.required("base"), fields.optional("ports"));
                Some(Gpio::Nrf { base: base?, ports: ports?.unwrap_or_else(|| Ports::alike(2, 32)) })
            }),
            ("pl061", |fields| {
                let (base, interrupt) = (fields.required("base"), fields.optional("interrupt"));
                Some(Gpio::Pl061 { base: base?, interrupt: interrupt? })
            }),
            ("stellaris", |_| Some(Gpio::Stellaris)),
            ("stm32", |fields| {
                let (base, enable) = (fields.required("base"), fields.required("enable"));
                let ports = fields.optional("ports");
                let ports = ports?.unwrap_or_else(|| Ports::alike(11, 16));
                Some(Gpio::Stm32 { base: base?, enable: enable?, ports })
            }),
            ("stm32f1", |fields| {
                let (base, enable) = (fields.required("base"), fields.required("enable"));
                let ports = fields.optional("ports");
                let ports = ports?.unwrap_or_else(|| Ports::alike(7, 16));
                Some(Gpio::Stm32F1 { base: base?, enable: enable?, ports })
            }),
            ("cmsdk", |fields| cmsdk_ports(fields, Ports::alike(CmsdkPorts::MAX, PINS_OF_CMSDK)).map(Gpio::Cmsdk)),
            ("mps2", |fields| {
                let (base, expansion) = (fields.required("base"), fields.required::<Expansion>("expansion"));
                Some(Gpio::Mps2 { base: base?, expansion: expansion?.0 })
            }),
            ("rp2040", |_| Some(Gpio::Rp2040)),
            ("rp2350", |_| Some(Gpio::Rp2350)),
            ("kl25", |_| Some(Gpio::Kl25)),
        ];
        by_kind(node, "a pin driver", KINDS, report)
    }
}
