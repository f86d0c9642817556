//! What the library is told of devices of which a board has several: their parameters as functions of the number of a device, and their
//! handles by name.

use crate::Source;
use clef_descriptors::{Address, Board, Pin, PinMap};
use std::fmt::{Display, Write as _};

/// A parameter of a device: its name, its type and its value.
pub(crate) type Told = (&'static str, &'static str, String);

pub(crate) fn address(name: &'static str, address: u64) -> Told {
    (name, "unativeint", format!("{address:#x}un"))
}

pub(crate) fn bits(name: &'static str, bits: u64) -> Told {
    (name, "uint32", format!("{bits:#x}u"))
}

pub(crate) fn hertz(name: &'static str, hertz: u64) -> Told {
    (name, "uint32", format!("{hertz}u"))
}

pub(crate) fn number(name: &'static str, number: u32) -> Told {
    (name, "int", number.to_string())
}

/// Whether pins of a board are those of ports of the System Design Kit, which connect them to devices.
pub(crate) fn has_ports(board: &Board) -> bool {
    board.gpio.is_some_and(|gpio| gpio.cmsdk().is_some())
}

/// The port and the number of a pin.
pub(crate) fn pin([port, name]: [&'static str; 2], pin: Pin) -> [Told; 2] {
    [number(port, pin.port), number(name, pin.number)]
}

/// The same for a pin that a device may not have: its port is then -1.
pub(crate) fn pin_if_any(names: [&'static str; 2], found: Option<Pin>) -> [Told; 2] {
    found.map_or_else(|| names.map(|name| (name, "int", "-1".to_owned())), |found| pin(names, found))
}

/// The bits of AFIO_MAPR that connect a device of an STM32F1 to its pins, and what they are.
pub(crate) fn map([mask, value]: [&'static str; 2], base: Address, pins: &[Pin]) -> [Told; 2] {
    // The schema has accepted the pins.
    let map = PinMap::of(base, pins).unwrap_or_default();
    [bits(mask, u64::from(map.mask)), bits(value, u64::from(map.value))]
}

/// The parameters of devices of one kind, which have the same ones: functions of the number of a device, which are constants if all
/// devices have the same value. `noun` is the word for a device.
pub(crate) fn told(noun: &str, devices: &[Vec<Told>]) -> String {
    let mut text = String::new();
    for (index, (name, ty, first)) in devices.first().into_iter().flatten().enumerate() {
        let values: Vec<&str> = devices.iter().filter_map(|device| Some(device.get(index)?.2.as_str())).collect();
        if values.iter().all(|value| value == first) {
            let _ = writeln!(text, "\n    /// Of each {noun}.\n    let inline {name} (_: int) : {ty} = {first}");
            continue;
        }
        let _ = writeln!(
            text,
            "\n    /// Of a {noun}.\n    let inline {name} ({noun}: int) : {ty} =\n        match {noun} with"
        );
        text.push_str(&cases(values.iter()));
    }
    text
}

/// The cases of a match on the number of a device, with a result for each; the last one has no number.
pub(crate) fn cases<T: Display>(results: impl ExactSizeIterator<Item = T>) -> String {
    let last = results.len().saturating_sub(1);
    let case = |index: usize| if index == last { "_".to_owned() } else { index.to_string() };
    results.enumerate().map(|(index, result)| format!("        | {} -> {result}\n", case(index))).collect()
}

/// The module of the handles of devices by name, which may be keywords.
pub(crate) struct Handles<'a> {
    /// The name of the source, of the module, and what it has.
    pub(crate) source: &'static str,
    pub(crate) module: &'a str,
    pub(crate) what: &'a str,
    /// The word for a device.
    pub(crate) noun: &'a str,
    /// The module of the functions, and its type of handles.
    pub(crate) functions: &'a str,
    pub(crate) handle: &'a str,
}

impl Handles<'_> {
    /// The source, for the names of devices and their first registers.
    pub(crate) fn source<'n>(&self, devices: impl Iterator<Item = (&'n str, u64)>) -> Source {
        let Handles { source, module, what, noun, functions, handle } = self;
        let mut text = format!("/// The {what} of the board.\nmodule {module} =\n");
        for (number, (name, base)) in devices.enumerate() {
            let _ = writeln!(
                text,
                "\n    /// The {noun} `{name}` of the board's descriptor.\n    let ``{name}`` : {functions}.{handle} = \
                 {{ {functions}.Registers = {base:#x}un; {functions}.Number = {number} }}",
            );
        }
        Source::new(source, text)
    }
}
