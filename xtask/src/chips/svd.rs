//! Writes a chip in CMSIS-SVD 1.3.

use super::model::{Content, Device, Field, Interrupt, Part, Peripheral, Register, Value};
use std::fmt::Write as _;

/// What the licence of the crates says.
const LICENSE: &str = "SPDX-License-Identifier: MIT OR Apache-2.0";

/// The description of the chip `name`, whose registers are those of a crate.
pub(super) fn write(device: &Device, name: &str, origin: &str) -> String {
    let mut writer = Writer::default();
    let name = name.to_uppercase();
    writer.line("<?xml version=\"1.0\" encoding=\"utf-8\"?>");
    writer.line(&format!("<!-- Made from the crate {origin} of the project stm32-rs. {LICENSE} -->"));
    writer.open("device schemaVersion=\"1.3\"");
    for (tag, content) in
        [("vendor", "STMicroelectronics"), ("name", &name), ("version", "1.0"), ("description", &name)]
    {
        writer.text(tag, content);
    }
    writer.text("addressUnitBits", "8");
    writer.text("width", "32");
    writer.open("peripherals");
    for (place, peripheral) in device.peripherals.iter().enumerate() {
        writer.peripheral(device, place, peripheral);
    }
    writer.close("peripherals");
    writer.close("device");
    writer.text
}

/// XML that is written.
#[derive(Default)]
struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.depth);
    }

    fn open(&mut self, tag: &str) {
        self.line(&format!("<{tag}>"));
        self.depth += 1;
    }

    fn close(&mut self, tag: &str) {
        self.depth -= 1;
        self.line(&format!("</{tag}>"));
    }

    fn text(&mut self, tag: &str, content: &str) {
        let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.line(&format!("<{tag}>{content}</{tag}>"));
    }

    fn peripheral(&mut self, device: &Device, place: usize, peripheral: &Peripheral) {
        let origin = device.peripherals.iter().find(|other| other.module == peripheral.module);
        let derived = origin.map(|origin| origin.name.as_str()).filter(|name| *name != peripheral.name);
        self.open(&derived.map_or("peripheral".to_owned(), |from| format!("peripheral derivedFrom=\"{from}\"")));
        self.text("name", &peripheral.name);
        self.text("description", &peripheral.description);
        self.text("baseAddress", &format!("{:#010X}", peripheral.base).replace('X', "x"));
        for interrupt in device.interrupts.iter().filter(|interrupt| owner(device, interrupt) == place) {
            self.open("interrupt");
            self.text("name", &interrupt.name);
            self.text("description", &interrupt.description);
            self.text("value", &interrupt.number.to_string());
            self.close("interrupt");
        }
        if derived.is_none() {
            self.open("registers");
            peripheral.parts.iter().for_each(|part| self.part(part));
            self.close("registers");
        }
        self.close("peripheral");
    }

    fn part(&mut self, part: &Part) {
        let tag = match &part.content {
            Content::Register(_) => "register",
            Content::Cluster(_) => "cluster",
        };
        self.open(tag);
        if let Some(array) = &part.array {
            self.text("dim", &array.count.to_string());
            self.text("dimIncrement", &format!("{:#x}", array.stride));
        }
        self.text("name", &format!("{}{}", part.name, if part.array.is_some() { "[%s]" } else { "" }));
        self.text("description", &part.description);
        self.text("addressOffset", &format!("{:#x}", part.offset));
        match &part.content {
            Content::Register(register) => self.register(register),
            Content::Cluster(parts) => parts.iter().for_each(|part| self.part(part)),
        }
        self.close(tag);
    }

    fn register(&mut self, register: &Register) {
        self.text("size", &register.size.to_string());
        self.text("access", access(register.reads, register.writes));
        self.text("resetValue", &format!("{:#x}", register.reset));
        if register.fields.is_empty() {
            return;
        }
        self.open("fields");
        register.fields.iter().for_each(|field| self.field(field));
        self.close("fields");
    }

    fn field(&mut self, field: &Field) {
        self.open("field");
        self.text("name", &field.name);
        self.text("description", &field.description);
        self.text("bitOffset", &field.shift.to_string());
        self.text("bitWidth", &field.width.to_string());
        self.text("access", access(field.reads, field.writes));
        if let Some(action) = field.write_action {
            self.text("modifiedWriteValues", action);
        }
        match field.read_values == field.written_values {
            true => self.values(&field.read_values, "read-write"),
            false => {
                self.values(&field.read_values, "read");
                self.values(&field.written_values, "write");
            }
        }
        self.close("field");
    }

    fn values(&mut self, values: &[Value], usage: &str) {
        if values.is_empty() {
            return;
        }
        self.open("enumeratedValues");
        self.text("usage", usage);
        for value in values {
            self.open("enumeratedValue");
            self.text("name", &value.name);
            self.text("value", &value.number.to_string());
            self.close("enumeratedValue");
        }
        self.close("enumeratedValues");
    }
}

/// The peripheral that an interrupt belongs to: that with the longest name that the interrupt's begins with, or the first one.
fn owner(device: &Device, interrupt: &Interrupt) -> usize {
    let names = device.peripherals.iter().map(|peripheral| peripheral.name.as_str()).enumerate();
    let named = names.filter(|(_, name)| interrupt.name.starts_with(name));
    named.max_by_key(|(_, name)| name.len()).map_or(0, |(place, _)| place)
}

fn access(reads: bool, writes: bool) -> &'static str {
    match (reads, writes) {
        (true, false) => "read-only",
        (false, true) => "write-only",
        (true, true) | (false, false) => "read-write",
    }
}
