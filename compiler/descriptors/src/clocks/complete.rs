//! The input clocks of devices, which follow from the clocks of the chip.
//!
//! In: the tree of a board, and its clocks. Out: the same tree, in which the board, and each device of a kind that has an input clock, has
//! `clock`. One that the descriptor specifies stays. The new values have the place of the frequency of the core.

use super::{Inputs, Tree, schema::in_short};
use crate::{
    Address, Hertz,
    yaml::{Entry, Node, Value},
};
use clef_base::Span;

/// The completed tree; `key` is the place of `clocks`, and `core` that of the frequency.
pub(super) fn completed(node: &Node, key: Span, core: Span, tree: &Tree) -> Node {
    let new = |clock: Hertz| Entry {
        key: "clock".to_owned(),
        key_span: key,
        value: Node { span: core, value: Value::Scalar { text: in_short(clock), quoted: false } },
    };
    let mut completed = node.clone();
    let Value::Mapping(entries) = &mut completed.value else { return completed };
    for entry in &mut *entries {
        let of_device = |device: &mut Node| {
            let clock = input(&entry.key, device, tree).filter(|_| device.get("clock").is_none());
            if let (Value::Mapping(keys), Some(clock)) = (&mut device.value, clock) {
                keys.push(new(clock));
            }
        };
        match (entry.key.as_str(), &mut entry.value.value) {
            ("uarts" | "i2c" | "spi", Value::Mapping(devices)) => {
                devices.iter_mut().map(|device| &mut device.value).for_each(of_device);
            }
            (
                "console" | "console_error" | "uart" | "time" | "timers" | "watchdog" | "rng" | "adc" | "pwm",
                Value::Mapping(_),
            ) => of_device(&mut entry.value),
            (_, Value::Mapping(_) | Value::Sequence(_) | Value::Scalar { .. }) => {}
        }
    }
    if !entries.iter().any(|entry| entry.key == "clock") {
        entries.push(new(tree.core));
    }
    completed
}

/// The input clock of a device, if its kind has one.
fn input(key: &str, device: &Node, tree: &Tree) -> Option<Hertz> {
    let text = |key: &str| device.get(key).and_then(|entry| entry.value.text());
    let kind = text("kind")?;
    match (tree.inputs, key) {
        (Inputs::Buses { buses, .. }, "uart" | "uarts" | "i2c" | "spi") if kind == "stm32" => {
            Some(buses[bus(text("base")?)?])
        }
        (Inputs::Buses { timers, .. }, "time") if kind == "stm32" => Some(timers[bus(text("base")?)?]),
        (Inputs::Buses { timers, .. }, "timers") if kind == "stm32f1" => Some(timers[1]),
        (Inputs::Buses { timers, .. }, "pwm" | "timers") if kind.starts_with("stm32") => Some(timers[0]),
        (Inputs::Buses { buses, .. }, "adc") if matches!(kind, "stm32f1" | "stm32f4") => Some(buses[1]),
        (Inputs::Crystal(_), "uart" | "uarts" | "i2c" | "spi" | "pwm") if kind.starts_with("rp2") => Some(tree.core),
        (Inputs::Crystal(_), "rng") if kind == "rp2040" => Some(tree.core),
        (Inputs::Crystal(crystal), "time" | "timers" | "watchdog" | "adc") if kind.starts_with("rp2") => Some(crystal),
        (Inputs::Stellaris { converter }, "adc") if kind == "stellaris" => converter,
        (Inputs::Stellaris { .. }, "uart" | "uarts" | "i2c" | "spi" | "timers" | "watchdog" | "pwm")
            if kind == "stellaris" =>
        {
            Some(tree.core)
        }
        (Inputs::Kinetis { fast, .. }, "uart" | "uarts" | "pwm") if kind == "kl25" => Some(fast),
        (Inputs::Kinetis { fast, .. }, "console" | "console_error") if kind == "kl25-uart" => Some(fast),
        (Inputs::Kinetis { bus, .. }, "adc" | "timers" | "i2c") if kind == "kl25" => Some(bus),
        (Inputs::Buses { .. } | Inputs::Crystal(_) | Inputs::Stellaris { .. } | Inputs::Kinetis { .. }, _) => None,
    }
}

/// The bus that a device of an STM32 is at, by the address of its first register: each has 64 KiB (RM0008, 3.3; RM0090, 2.3; RM0438, 2.3).
fn bus(base: &str) -> Option<usize> {
    match Address::parse(base)?.0 {
        0x4000_0000..=0x4000_ffff => Some(0),
        0x4001_0000..=0x4001_ffff => Some(1),
        _ => None,
    }
}
