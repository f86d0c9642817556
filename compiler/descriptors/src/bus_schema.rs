//! Reads the I2C and SPI buses of a board from its tree, and checks them against its pins.

use crate::{
    Address, Gpio, Hertz, I2c, I2cPins, Pin, Spi, SpiPins,
    board_schema::{Kinds, by_kind, fits_clock},
    device_schema::fit_pin,
    lines::{Line, Lines, invalid, misfit, span_of},
    reader::{FromNode, Report},
    yaml::Node,
};
use std::collections::BTreeMap;

/// A bus of a board.
pub(crate) trait Bus: Line {
    /// The key of the buses of this sort.
    const KEY: &'static str;

    /// Its first register, if it is a device of its own.
    fn base(&self) -> Option<Address>;
    /// The keys of its pins, with the pins.
    fn pins(&self) -> Vec<(&'static str, Pin)>;
    /// The clock that it divides for the rate, if it is in the descriptor.
    fn clock(&self) -> Option<Hertz>;
    /// What the chip does not have: the key with its value, and the reason.
    fn absent(&self) -> Option<(&'static str, String)>;
}

/// The buses of a key, if their requirements are met.
pub(crate) fn fit_buses<T: Bus>(
    buses: Option<Lines<T>>,
    gpio: Option<Option<Gpio>>,
    node: &Node,
    report: &mut Report,
) -> Option<BTreeMap<String, T>> {
    let (Lines(buses), gpio) = (buses?, gpio?);
    let before = report.len();
    let Some(entries) = node.get(T::KEY) else { return Some(buses) };
    let mut seen: Vec<T> = Vec::new();
    for (name, bus) in &buses {
        let Some(entry) = entries.value.get(name) else { continue };
        fit_bus(bus, gpio, &entry.value, report);
        if let Some((first_name, first)) = buses.first_key_value().filter(|_| !seen.is_empty())
            && let Some((message, help)) = misfit(name, bus, (first_name, first), &seen)
        {
            report.push(invalid(entry.value.span, message).help(help));
        }
        seen.push(*bus);
    }
    (report.len() == before).then_some(buses)
}

/// Checks one bus; `value` is where it is described.
fn fit_bus<T: Bus>(bus: &T, gpio: Option<Gpio>, value: &Node, report: &mut Report) {
    if let Some((key, message)) = bus.absent() {
        return report.push(invalid(span_of(value, key), message));
    }
    if let Some(clock) = bus.clock() {
        fits_clock(clock, span_of(value, "clock"), report);
    }
    let pins = bus.pins();
    if pins.is_empty() {
        return;
    }
    let Some(gpio) = gpio.filter(|gpio| !matches!(gpio, Gpio::Mps2 { .. })) else {
        let message =
            format!("{} of the kind `{}` requires `gpio` with pins that are inputs and outputs", T::WHAT, bus.kind());
        return report.push(invalid(span_of(value, "kind"), message));
    };
    for (index, (key, pin)) in pins.iter().enumerate() {
        let Some(entry) = value.get(key) else { continue };
        fit_pin(gpio, *pin, &entry.value, report);
        if let Some((other, _)) = pins[..index].iter().find(|(_, other)| other == pin) {
            report.push(invalid(entry.value.span, format!("`{key}` is the pin of `{other}`")));
        }
    }
}

/// Whether two buses are the same device, or share a pin.
fn is_same<T: Bus>(one: &T, other: &T) -> bool {
    let shares_a_pin = one.pins().iter().any(|(_, pin)| other.pins().iter().any(|(_, own)| own == pin));
    shares_a_pin || one.base().is_some() && one.base() == other.base()
}

impl Line for I2c {
    const WHAT: &'static str = "an I2C bus";
    const SEVERAL: &'static str = "I2C buses";
    const NOUN: &'static str = "bus";
    const ALIKE: &'static str = "all buses of `i2c`";
    const EXAMPLE: &'static str = "I2cBus.sensors";
    const TAKEN: Option<(&'static str, &'static str)> = None;

    fn kind(&self) -> &'static str {
        I2c::kind(self)
    }

    fn has_driver_of(&self, _: &I2c) -> bool {
        true
    }

    fn is_same_device(&self, other: &I2c) -> bool {
        is_same(self, other)
    }
}

impl Bus for I2c {
    const KEY: &'static str = "i2c";

    fn base(&self) -> Option<Address> {
        I2c::base(self)
    }

    fn pins(&self) -> Vec<(&'static str, Pin)> {
        I2c::pins(self)
    }

    fn clock(&self) -> Option<Hertz> {
        I2c::clock(self)
    }

    fn absent(&self) -> Option<(&'static str, String)> {
        match self {
            I2c::Stellaris { number, .. } if *number > 1 => {
                Some(("number", format!("the chip has the I2C controllers 0 and 1, not {number}")))
            }
            I2c::Gpio(_) | I2c::Stellaris { .. } | I2c::Sbcon { .. } => None,
        }
    }
}

impl FromNode for I2c {
    fn from_node(node: &Node, report: &mut Report) -> Option<I2c> {
        const KINDS: Kinds<I2c> = &[
            ("gpio", |fields| {
                let (scl, sda) = (fields.required("scl"), fields.required("sda"));
                Some(I2c::Gpio(I2cPins { scl: scl?, sda: sda? }))
            }),
            ("sbcon", |fields| Some(I2c::Sbcon { base: fields.required("base")? })),
            ("stellaris", |fields| {
                let clock = fields.required("clock");
                let number = fields.optional("number").map(Option::unwrap_or_default);
                Some(I2c::Stellaris { number: number?, clock: clock? })
            }),
        ];
        by_kind(node, I2c::WHAT, KINDS, report)
    }
}

impl Line for Spi {
    const WHAT: &'static str = "an SPI bus";
    const SEVERAL: &'static str = "SPI buses";
    const NOUN: &'static str = "bus";
    const ALIKE: &'static str = "all buses of `spi`";
    const EXAMPLE: &'static str = "SpiBus.display";
    const TAKEN: Option<(&'static str, &'static str)> = None;

    fn kind(&self) -> &'static str {
        Spi::kind(self)
    }

    fn has_driver_of(&self, _: &Spi) -> bool {
        true
    }

    fn is_same_device(&self, other: &Spi) -> bool {
        is_same(self, other)
    }
}

impl Bus for Spi {
    const KEY: &'static str = "spi";

    fn base(&self) -> Option<Address> {
        Spi::base(self)
    }

    fn pins(&self) -> Vec<(&'static str, Pin)> {
        Spi::pins(self)
    }

    fn clock(&self) -> Option<Hertz> {
        Spi::clock(self)
    }

    fn absent(&self) -> Option<(&'static str, String)> {
        None
    }
}

impl FromNode for Spi {
    fn from_node(node: &Node, report: &mut Report) -> Option<Spi> {
        const KINDS: Kinds<Spi> = &[
            ("gpio", |fields| {
                let (sck, mosi, miso) = (fields.required("sck"), fields.required("mosi"), fields.required("miso"));
                Some(Spi::Gpio(SpiPins { sck: sck?, mosi: mosi?, miso: miso? }))
            }),
            ("pl022", |fields| {
                let (base, clock) = (fields.required("base"), fields.required("clock"));
                Some(Spi::Pl022 { base: base?, clock: clock? })
            }),
            ("stellaris", |fields| Some(Spi::Stellaris { clock: fields.required("clock")? })),
        ];
        by_kind(node, Spi::WHAT, KINDS, report)
    }
}
