//! Reads the I2C and SPI buses of a board from its tree, and checks them against its pins.

use crate::{
    Address, Gpio, Hertz, I2c, I2cPins, Pin, RpBus, Spi, SpiPins, Stm32Bus, Stm32BusModel,
    board_schema::{Kinds, by_kind, fits_clock},
    device_schema::fit_pin,
    lines::{Line, Lines, invalid, misfit, span_of},
    mps2_pins, pin_map,
    reader::{Fields, FromNode, Report, Words},
    yaml::{Entry, Node},
};
use clef_base::{Diagnostic, Span};
use std::collections::BTreeMap;

/// What to do without a controller.
const IN_SOFTWARE: &str = "use the kind `gpio`: the bus is in software";

/// A bus of a board.
pub(crate) trait Bus: Line {
    /// The key of the buses of this sort.
    const KEY: &'static str;
    /// The name of the protocol.
    const SHORT: &'static str;

    /// Its first register, if it is a device of its own.
    fn base(&self) -> Option<Address>;
    /// The keys of its pins, with the pins.
    fn pins(&self) -> Vec<(&'static str, Pin)>;
    /// The clock that it divides for the rate, if it is in the descriptor.
    fn clock(&self) -> Option<Hertz>;
    /// The kinds of `gpio` that connect its pins; none if any does.
    fn gpio(&self) -> &'static [&'static str];
    /// What the chip does not have.
    fn absent(&self) -> Option<Absent>;
}

/// What a chip does not have: the key of the value, the reason, and what to do, if anything is likely.
pub(crate) struct Absent {
    key: &'static str,
    message: String,
    help: Option<String>,
}

impl Absent {
    fn new(key: &'static str, message: impl Into<String>) -> Option<Absent> {
        Some(Absent { key, message: message.into(), help: None })
    }
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

/// The controllers with DMA of nRF52 (nRF52833 and nRF52840 Product Specifications, "Instantiation"), and of nRF91 in the secure world
/// (nRF9160 Product Specification, "Instantiation").
const NRF52_DMA: &[Address] = &[Address(0x4000_3000), Address(0x4000_4000), Address(0x4002_3000), Address(0x4002_f000)];
const NRF91_DMA: &[Address] = &[Address(0x5000_8000), Address(0x5000_9000), Address(0x5000_a000), Address(0x5000_b000)];

/// Whether the chip has the SPI controllers with DMA, the vector table their interrupts, and no serial line is the same device.
pub(crate) fn fit_dma(
    buses: &BTreeMap<String, Spi>,
    gpio: Option<Gpio>,
    vectors: Option<u32>,
    node: &Node,
    report: &mut Report,
) -> bool {
    let before = report.len();
    let text = |key: &str| node.get(key).and_then(|entry| entry.value.text());
    let chip = text("chip").unwrap_or_default().to_ascii_lowercase();
    for (name, bus) in buses {
        let Spi::NrfDma { base, .. } = bus else { continue };
        let Some(entry) = node.get("spi").and_then(|entries| entries.value.get(name)) else { continue };
        let known = if gpio.is_some_and(|gpio| gpio.is_nrf91()) { NRF91_DMA } else { NRF52_DMA };
        // An nRF52820 has the first two (nRF52820 Product Specification, "Instantiation").
        let known = if chip.starts_with("nrf52820") { &known[..2] } else { known };
        let absent = bus.interrupt().zip(vectors).filter(|(interrupt, vectors)| interrupt >= vectors);
        // A byte of its own is followed by another one (nRF52832 Errata, anomaly 58).
        if ["nrf51", "nrf52805", "nrf5281", "nrf52832"].iter().any(|family| chip.starts_with(family)) {
            let message = "the SPI controllers of this chip have no DMA, or no more than 255 bytes of it";
            let help = "use the kind `nrf`: the program transfers the bytes";
            report.push(invalid(span_of(&entry.value, "kind"), message).help(help));
        } else if let Some(misplaced) = misplaced::<Spi>(name, *base, known, node) {
            report.push(misplaced);
        } else if let Some((interrupt, vectors)) = absent {
            let message = format!(
                "the bus's interrupt {interrupt} is outside of the board's vector table of {vectors} interrupts"
            );
            report
                .push(invalid(span_of(&entry.value, "base"), message).help("enlarge `vectors`, or use the kind `nrf`"));
        }
    }
    report.len() == before
}

/// Whether the chip has the I2C controllers with DMA, and no serial line is the same device.
pub(crate) fn fit_i2c_dma(buses: &BTreeMap<String, I2c>, gpio: Option<Gpio>, node: &Node, report: &mut Report) -> bool {
    let before = report.len();
    for (name, bus) in buses {
        let I2c::NrfDma { base, .. } = bus else { continue };
        let Some(entry) = node.get("i2c").and_then(|entries| entries.value.get(name)) else { continue };
        if gpio.is_some_and(|gpio| gpio.is_nrf91()) {
            report.extend(misplaced::<I2c>(name, *base, NRF91_DMA, node));
        } else {
            let message = "the library uses I2C controllers with DMA of nRF91 only";
            report.push(invalid(span_of(&entry.value, "kind"), message).help("use the kind `nrf`"));
        }
    }
    report.len() == before
}

/// What is wrong with the address of a controller with DMA: the chip has none there, or it is the device of a serial line.
fn misplaced<T: Bus>(name: &str, base: Address, known: &[Address], node: &Node) -> Option<Diagnostic> {
    let place = span_of(&node.get(T::KEY)?.value.get(name)?.value, "base");
    if !known.contains(&base) {
        let known: Vec<String> = known.iter().map(Address::to_string).collect();
        let message = format!("the chip has no {} controller with DMA at {base}", T::SHORT);
        return Some(invalid(place, message).note(format!("the addresses are {}", known.join(", "))));
    }
    let others = node.get("uarts").map(|entry| entry.value.entries()).unwrap_or_default();
    let mut lines = node.get("uart").into_iter().chain(others);
    let base_of = |entry: &Entry| Address::parse(entry.value.get("base")?.value.text()?);
    let line = &lines.find(|entry| base_of(entry) == Some(base))?.key;
    let message = format!("the bus `{name}` of `{}` is the device of the serial line `{line}`", T::KEY);
    Some(invalid(place, message).help("use the controller with another address for one of them"))
}

/// Whether no controller is in both keys: on an nRF, those for I2C and SPI at one address share their registers.
pub(crate) fn fit_both(
    i2c: Option<&BTreeMap<String, I2c>>,
    spi: &BTreeMap<String, Spi>,
    node: &Node,
    report: &mut Report,
) -> bool {
    let before = report.len();
    for (name, bus) in spi {
        let shares = |other: &I2c| bus.base().is_some() && other.base() == bus.base();
        let other = i2c.into_iter().flatten().find(|(_, other)| shares(other));
        let entry = node.get("spi").and_then(|entries| entries.value.get(name));
        if let (Some((other, _)), Some(entry)) = (other, entry) {
            let message = format!("the bus `{name}` of `spi` is the device of the bus `{other}` of `i2c`");
            let help = "use the controller with another address for one of them";
            report.push(invalid(span_of(&entry.value, "base"), message).help(help));
        }
        if let (Spi::Stm32(own), Some(entry)) = (bus, entry)
            && own.model == Stm32BusModel::F1
            && own.pins.mosi == pin_map::ALERT
            && i2c.into_iter().flatten().any(|(_, other)| other.base() == Some(pin_map::I2C1))
        {
            // Errata sheet of STM32F103x8, ES0340, "I2C1 with SPI1 remapped and used in master mode".
            let message = "the I2C controller at 0x40005400 holds PB5 while its clock is on";
            let help = "use other pins for the bus of `spi`, or the kind `gpio` for that of `i2c`";
            report.push(invalid(span_of(&entry.value, "mosi"), message).help(help));
        }
    }
    report.len() == before
}

/// Checks one bus; `value` is where it is described.
fn fit_bus<T: Bus>(bus: &T, gpio: Option<Gpio>, value: &Node, report: &mut Report) {
    if let Some(clock) = bus.clock() {
        fits_clock(clock, span_of(value, "clock"), report);
    }
    let before = report.len();
    fit_bus_pins(bus, gpio, value, report);
    if report.len() == before
        && let Some(base) = bus.base()
    {
        report.extend(mps2_pins::misfit(gpio, base, &bus.pins(), value));
    }
    if let Some(Absent { key, message, help }) = bus.absent() {
        let diagnostic = invalid(span_of(value, key), message);
        report.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
}

/// Reports pins that the GPIO driver does not connect.
fn fit_bus_pins<T: Bus>(bus: &T, gpio: Option<Gpio>, value: &Node, report: &mut Report) {
    let pins = bus.pins();
    if pins.is_empty() {
        return;
    }
    let kinds = bus.gpio();
    let is_suitable = |gpio: &Gpio| kinds.is_empty() || kinds.contains(&gpio.kind());
    let Some(gpio) = gpio.filter(is_suitable) else {
        let required = match kinds {
            [] => "with pins that are inputs and outputs".to_owned(),
            kinds => format!("of the kind `{}`", kinds.join("` or `")),
        };
        let message = format!("{} of the kind `{}` requires `gpio` {required}", T::WHAT, bus.kind());
        return report.push(invalid(span_of(value, "kind"), message));
    };
    if bus.kind() == "nrf" && gpio.is_nrf91() {
        let message = format!("an nRF91 has no controller without DMA for {}", T::WHAT);
        return report.push(invalid(span_of(value, "kind"), message).help("use the kind `nrf-dma`"));
    }
    for (index, (key, pin)) in pins.iter().enumerate() {
        let Some(entry) = value.get(key) else { continue };
        fit_pin(gpio, *pin, &entry.value, report);
        if gpio.is_analog(*pin) {
            report.push(invalid(entry.value.span, format!("`{key}` is an analog input")));
        }
        if gpio.is_fixed(*pin) {
            report.push(is_fixed(key, entry.value.span));
        }
        if let Some((other, _)) = pins[..index].iter().find(|(_, other)| other == pin) {
            report.push(invalid(entry.value.span, format!("`{key}` is the pin of `{other}`")));
        }
    }
}

/// A key that connects a pin which no device has.
pub(crate) fn is_fixed(key: &str, place: Span) -> Diagnostic {
    let message = format!("`{key}` is a light or a button of the board");
    invalid(place, message).help("use a pin of its headers, such as `EXP2`")
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

    /// The registers and the pins of STM32's controllers differ.
    fn has_driver_of(&self, first: &I2c) -> bool {
        let (I2c::Stm32(bus), I2c::Stm32(first)) = (self, first) else { return true };
        bus.model == first.model
    }

    fn is_same_device(&self, other: &I2c) -> bool {
        is_same(self, other)
    }
}

impl Bus for I2c {
    const KEY: &'static str = "i2c";
    const SHORT: &'static str = "I2C";

    fn base(&self) -> Option<Address> {
        I2c::base(self)
    }

    fn pins(&self) -> Vec<(&'static str, Pin)> {
        I2c::pins(self)
    }

    fn clock(&self) -> Option<Hertz> {
        I2c::clock(self)
    }

    fn gpio(&self) -> &'static [&'static str] {
        match self {
            I2c::Nrf { .. } | I2c::NrfDma { .. } => &["nrf"],
            I2c::Kl25 { .. } => &["kl25"],
            I2c::Stm32(Stm32Bus { model: Stm32BusModel::F1, .. }) => &["stm32f1"],
            I2c::Stm32(_) => &["stm32"],
            I2c::Rp2040(_) => &["rp2040"],
            I2c::Rp2350(_) => &["rp2350"],
            I2c::Sbcon { .. } => PORTS_OF_CMSDK,
            I2c::Gpio(_) | I2c::Stellaris { .. } => &[],
        }
    }

    fn absent(&self) -> Option<Absent> {
        match self {
            I2c::Stellaris { number, .. } if *number > 1 => {
                Absent::new("number", format!("the chip has the I2C controllers 0 and 1, not {number}"))
            }
            I2c::Stm32(i2c) => absent_of_stm32(i2c),
            I2c::Rp2040(i2c) | I2c::Rp2350(i2c) if i2c.number().is_none() => {
                absent_pins("write a pin with an even number and the next one, as in `sda: GP4, scl: GP5`")
            }
            I2c::Kl25 { pins, .. } if pins.of_kl25().is_none() => {
                absent_pins("write the clock and the data of one controller, as in `scl: PTE24, sda: PTE25`")
            }
            I2c::Gpio(_)
            | I2c::Stellaris { .. }
            | I2c::Sbcon { .. }
            | I2c::Nrf { .. }
            | I2c::NrfDma { .. }
            | I2c::Rp2040(_)
            | I2c::Rp2350(_)
            | I2c::Kl25 { .. } => None,
        }
    }
}

/// The bits of a register, and the functions of pins.
const NO_BIT: &str = "a register has the bits 0 to 31";
const NO_FUNCTION: &str = "pins have the functions 0 to 15";

fn absent_of_stm32(i2c: &Stm32Bus<I2cPins>) -> Option<Absent> {
    if i2c.bit > 31 {
        return Absent::new("bit", NO_BIT);
    }
    if i2c.function > 15 {
        return Absent::new("function", NO_FUNCTION);
    }
    if i2c.clock < Stm32Bus::SLOWEST {
        let message = format!("the controller requires a clock of {} at least", Stm32Bus::SLOWEST);
        return Some(Absent { help: Some(IN_SOFTWARE.to_owned()), ..Absent::new("clock", message)? });
    }
    absent_pins_of_f1(i2c.model, i2c.base, "scl", &I2c::Stm32(*i2c).pins())
}

/// The controllers of an STM32F1 have some sets of pins.
fn absent_pins_of_f1(model: Stm32BusModel, base: Address, key: &'static str, pins: &[(&str, Pin)]) -> Option<Absent> {
    let instead = pin_map::instead(base, pins).filter(|_| model == Stm32BusModel::F1)?;
    let absent = Absent::new(key, "this controller does not have these pins")?;
    Some(Absent { help: Some(format!("{instead}, or {IN_SOFTWARE}")), ..absent })
}

/// No controller has both pins; `advice` says which ones it has.
fn absent_pins(advice: &str) -> Option<Absent> {
    let help = format!("{advice}, or {IN_SOFTWARE}");
    let absent = Absent::new("scl", "`scl` and `sda` are not pins of the same I2C controller")?;
    Some(Absent { help: Some(help), ..absent })
}

impl FromNode for I2c {
    fn from_node(node: &Node, report: &mut Report) -> Option<I2c> {
        const KINDS: Kinds<I2c> = &[
            ("gpio", |fields| i2c_pins(fields).map(I2c::Gpio)),
            ("nrf", |fields| {
                let (base, pins) = (fields.required("base"), i2c_pins(fields));
                Some(I2c::Nrf { base: base?, pins: pins? })
            }),
            ("nrf-dma", |fields| {
                let (base, pins) = (fields.required("base"), i2c_pins(fields));
                Some(I2c::NrfDma { base: base?, pins: pins? })
            }),
            ("sbcon", |fields| {
                let (base, pins) = (fields.required("base"), optional_pins(fields, &["scl", "sda"], i2c_pins));
                Some(I2c::Sbcon { base: base?, pins: pins? })
            }),
            ("stm32", |fields| stm32_bus(fields, i2c_pins).map(I2c::Stm32)),
            ("rp2040", |fields| rp_bus(fields, i2c_pins).map(I2c::Rp2040)),
            ("rp2350", |fields| rp_bus(fields, i2c_pins).map(I2c::Rp2350)),
            ("kl25", |fields| {
                let (clock, pins) = (fields.required("clock"), i2c_pins(fields));
                Some(I2c::Kl25 { clock: clock?, pins: pins? })
            }),
            ("stellaris", |fields| {
                let clock = fields.required("clock");
                let number = fields.optional("number").map(Option::unwrap_or_default);
                Some(I2c::Stellaris { number: number?, clock: clock? })
            }),
        ];
        by_kind(node, I2c::WHAT, KINDS, report)
    }
}

fn i2c_pins(fields: &mut Fields<'_, '_>) -> Option<I2cPins> {
    let (scl, sda) = (fields.required("scl"), fields.required("sda"));
    Some(I2cPins { scl: scl?, sda: sda? })
}

/// Reads the pins of a device.
pub(crate) type ReadPins<P> = fn(&mut Fields<'_, '_>) -> Option<P>;

/// The kinds of `gpio` with ports of the Cortex-M System Design Kit.
const PORTS_OF_CMSDK: &[&str] = &["cmsdk", "mps2"];

/// Reads the pins of a device that may have none: all of these keys, or no one.
pub(crate) fn optional_pins<P>(
    fields: &mut Fields<'_, '_>,
    keys: &[&'static str],
    pins: ReadPins<P>,
) -> Option<Option<P>> {
    if keys.iter().any(|key| fields.has(key)) {
        return pins(fields).map(Some);
    }
    keys.iter().for_each(|key| fields.ignore(key));
    Some(None)
}

fn rp_bus<P>(fields: &mut Fields<'_, '_>, pins: ReadPins<P>) -> Option<RpBus<P>> {
    let (clock, pins) = (fields.required("clock"), pins(fields));
    Some(RpBus { clock: clock?, pins: pins? })
}

fn stm32_bus<P>(fields: &mut Fields<'_, '_>, pins: ReadPins<P>) -> Option<Stm32Bus<P>> {
    let (model, base, clock) = (fields.required("model"), fields.required("base"), fields.required("clock"));
    let (enable, bit, pins) = (fields.required("enable"), fields.required("bit"), pins(fields));
    let function = match model {
        Some(Stm32BusModel::F1) => Some(0),
        Some(Stm32BusModel::F4 | Stm32BusModel::L5) => fields.required("function"),
        None => fields.optional("function").map(Option::unwrap_or_default),
    };
    Some(Stm32Bus {
        model: model?,
        base: base?,
        clock: clock?,
        enable: enable?,
        bit: bit?,
        pins: pins?,
        function: function?,
    })
}

impl Words for Stm32BusModel {
    const WHAT: &'static str = "a model of a controller";
    const WORDS: &'static [(&'static str, Stm32BusModel)] =
        &[("f1", Stm32BusModel::F1), ("f4", Stm32BusModel::F4), ("l5", Stm32BusModel::L5)];
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

    /// The registers and the pins of STM32's controllers differ.
    fn has_driver_of(&self, first: &Spi) -> bool {
        let (Spi::Stm32(bus), Spi::Stm32(first)) = (self, first) else { return true };
        bus.model == first.model
    }

    fn is_same_device(&self, other: &Spi) -> bool {
        is_same(self, other)
    }
}

impl Bus for Spi {
    const KEY: &'static str = "spi";
    const SHORT: &'static str = "SPI";

    fn base(&self) -> Option<Address> {
        Spi::base(self)
    }

    fn pins(&self) -> Vec<(&'static str, Pin)> {
        Spi::pins(self)
    }

    fn clock(&self) -> Option<Hertz> {
        Spi::clock(self)
    }

    fn gpio(&self) -> &'static [&'static str] {
        match self {
            Spi::Nrf { .. } | Spi::NrfDma { .. } => &["nrf"],
            Spi::Stm32(Stm32Bus { model: Stm32BusModel::F1, .. }) => &["stm32f1"],
            Spi::Stm32(_) => &["stm32"],
            Spi::Rp2040(_) => &["rp2040"],
            Spi::Rp2350(_) => &["rp2350"],
            Spi::Pl022 { .. } => PORTS_OF_CMSDK,
            Spi::Gpio(_) | Spi::Stellaris { .. } => &[],
        }
    }

    fn absent(&self) -> Option<Absent> {
        match self {
            Spi::Stm32(spi) if spi.bit > 31 => Absent::new("bit", NO_BIT),
            Spi::Stm32(spi) if spi.function > 15 => Absent::new("function", NO_FUNCTION),
            Spi::Stm32(spi) => absent_pins_of_f1(spi.model, spi.base, "sck", &Spi::pins(self)),
            Spi::Rp2040(spi) | Spi::Rp2350(spi) if spi.number().is_none() => {
                Absent::new("sck", "`sck`, `mosi` and `miso` are not pins of the same SPI controller")
            }
            Spi::Gpio(_)
            | Spi::Pl022 { .. }
            | Spi::Stellaris { .. }
            | Spi::Nrf { .. }
            | Spi::NrfDma { .. }
            | Spi::Rp2040(_)
            | Spi::Rp2350(_) => None,
        }
    }
}

impl FromNode for Spi {
    fn from_node(node: &Node, report: &mut Report) -> Option<Spi> {
        const KINDS: Kinds<Spi> = &[
            ("gpio", |fields| spi_pins(fields).map(Spi::Gpio)),
            ("nrf", |fields| {
                let (base, pins) = (fields.required("base"), spi_pins(fields));
                Some(Spi::Nrf { base: base?, pins: pins? })
            }),
            ("nrf-dma", |fields| {
                let (base, pins) = (fields.required("base"), spi_pins(fields));
                Some(Spi::NrfDma { base: base?, pins: pins? })
            }),
            ("stm32", |fields| stm32_bus(fields, spi_pins).map(Spi::Stm32)),
            ("rp2040", |fields| rp_bus(fields, spi_pins).map(Spi::Rp2040)),
            ("rp2350", |fields| rp_bus(fields, spi_pins).map(Spi::Rp2350)),
            ("pl022", |fields| {
                let (base, clock) = (fields.required("base"), fields.required("clock"));
                let pins = optional_pins(fields, &["sck", "mosi", "miso"], spi_pins);
                Some(Spi::Pl022 { base: base?, clock: clock?, pins: pins? })
            }),
            ("stellaris", |fields| Some(Spi::Stellaris { clock: fields.required("clock")? })),
        ];
        by_kind(node, Spi::WHAT, KINDS, report)
    }
}

fn spi_pins(fields: &mut Fields<'_, '_>) -> Option<SpiPins> {
    let (sck, mosi, miso) = (fields.required("sck"), fields.required("mosi"), fields.required("miso"));
    Some(SpiPins { sck: sck?, mosi: mosi?, miso: miso? })
}
