//! Writes the registers of a chip as Clef.

use crate::chip::{Access, Chip, Cluster, Field, Part, Peripheral, Register};
use crate::names::{Taken, line, lower, upper};
use crate::omissions;
use std::fmt::Write as _;

/// The source of a module.
pub(crate) fn write(chip: &Chip, file: &str, module: &str) -> String {
    let mut writer = Writer { text: String::new(), depth: 0 };
    let of = [chip.name.as_str(), chip.description.as_str()].join(": ");
    writer.line(&format!("/// The registers of {of}"));
    writer.line(&format!("/// `clefc svd` wrote this module from `{file}`."));
    writer.line(&format!("module {module}"));
    if chip.peripherals.iter().any(|peripheral| peripheral.parts.iter().any(has_bound)) {
        writer.line("");
        writer.line("open Register");
    }
    writer.interrupts(chip);
    let mut taken = Taken::default();
    taken.fresh("Interrupt".to_owned());
    taken.fresh("Register".to_owned());
    for peripheral in &chip.peripherals {
        let name = taken.fresh(upper(&peripheral.name));
        writer.peripheral(chip, peripheral, &name);
    }
    writer.text
}

struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * self.depth);
    }

    fn document(&mut self, parts: &[&str]) {
        let mut text = String::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let end = if text.is_empty() {
                ""
            } else if text.ends_with(['.', ':', '!', '?']) {
                " "
            } else {
                ". "
            };
            text = text + end + part;
        }
        if !text.is_empty() {
            self.line(&format!("/// {text}"));
        }
    }

    fn interrupts(&mut self, chip: &Chip) {
        if chip.interrupts.is_empty() {
            return;
        }
        self.line("");
        self.line("/// The numbers of the interrupts.");
        self.line("module Interrupt =");
        self.depth = 1;
        let mut taken = Taken::default();
        for interrupt in &chip.interrupts {
            self.document(&[&interrupt.description]);
            self.line(&format!("let [<Literal>] {} = {}", taken.fresh(upper(&interrupt.name)), interrupt.number));
        }
        self.depth = 0;
    }

    fn peripheral(&mut self, chip: &Chip, peripheral: &Peripheral, name: &str) {
        if peripheral.parts.is_empty() {
            return;
        }
        self.line("");
        if !peripheral.parts.iter().any(has_bound) {
            return self.omitted(&peripheral.parts, peripheral.base, &line(Some(&peripheral.name)));
        }
        self.document(&[&peripheral.description]);
        self.line(&format!("module {name} ="));
        self.depth = 1;
        let like = peripheral
            .like
            .as_ref()
            .filter(|like| chip.peripherals.iter().any(|other| other.like.is_none() && other.name == **like));
        let like = like.map(|like| upper(like));
        self.parts(&peripheral.parts, peripheral.base, like.as_deref());
        self.depth = 0;
    }

    /// Parts at an address; if there is a module with the same parts, their types and fields are its own.
    fn parts(&mut self, parts: &[Part], base: u64, like: Option<&str>) {
        let (mut modules, mut values) = (Taken::default(), Taken::default());
        for part in parts {
            match part {
                Part::Register(register) if register.is_bound() => {
                    let (module, value) = (modules.fresh(upper(&register.name)), values.fresh(lower(&register.name)));
                    self.register(register, base, &module, &value, like);
                }
                Part::Cluster(cluster) if has_bound(part) => {
                    let module = modules.fresh(upper(&cluster.name));
                    self.cluster(cluster, base, &module, like);
                }
                Part::Register(_) | Part::Cluster(_) => self.omitted(std::slice::from_ref(part), base, ""),
            }
        }
    }

    /// A comment for each register of parts without any that Clef can access. The parts are at an address, in what has this path.
    fn omitted(&mut self, parts: &[Part], base: u64, path: &str) {
        for (name, register, address) in omissions::of_parts(parts, base, path) {
            self.line(&format!("// `{name}` at 0x{address:X} is not bound: {}.", omissions::reason(register)));
        }
    }

    fn cluster(&mut self, cluster: &Cluster, base: u64, module: &str, like: Option<&str>) {
        self.document(&[&cluster.description]);
        self.line(&format!("module {module} ="));
        self.depth += 1;
        let like = like.map(|like| format!("{like}.{module}"));
        self.parts(&cluster.parts, base + cluster.offset, like.as_deref());
        self.depth -= 1;
    }

    fn register(&mut self, register: &Register, base: u64, module: &str, value: &str, like: Option<&str>) {
        match like {
            Some(like) if !register.fields.is_empty() => self.line(&format!("module {module} = {like}.{module}")),
            Some(_) => {}
            None => {
                self.line(&format!("[<Measure>] type {value}"));
                self.fields(register, module, value);
            }
        }
        let size = if register.size == 32 { String::new() } else { format!("{} bits.", register.size) };
        self.document(&[&register.description, &size, register.read_action.unwrap_or_default()]);
        let ty = like.map_or_else(|| value.to_owned(), |like| format!("{like}.{value}"));
        let parameters = format!("{ty}, {}", measures(register.access));
        // Constants: a function call would be evaluated when the program starts.
        let made = format!(
            "{{ Address = 0x{:X}un; Size = {}; Reset = 0x{:X}u; Kept = 0x{:X}u; Ones = 0x{:X}u }}",
            base + register.offset,
            register.size,
            register.reset,
            register.kept,
            register.ones
        );
        match register.several {
            Some((count, distance)) => self.line(&format!(
                "let {value}: RegisterArray<{parameters}> = {{ First = {made}; Distance = 0x{distance:X}un; Count = {count} }}"
            )),
            None => self.line(&format!("let {value}: Register<{parameters}> = {made}")),
        }
    }

    fn fields(&mut self, register: &Register, module: &str, measure: &str) {
        if register.fields.is_empty() {
            return;
        }
        self.line(&format!("module {module} ="));
        self.depth += 1;
        let (mut types, mut values) = (Taken::default(), Taken::default());
        types.fresh(measure.to_owned());
        for field in &register.fields {
            let ty = self.field_type(field, &mut types);
            let actions = [field.write_action, field.read_action].map(Option::unwrap_or_default);
            self.document(&[&field.description, actions[0], actions[1]]);
            let parameters = format!("{measure}, {ty}, {}", measures(field.access));
            let name = values.fresh(lower(&field.name));
            self.line(&format!(
                "let {name}: Field<{parameters}> = {{ Shift = {}; Width = {} }}",
                field.shift, field.width
            ));
        }
        self.depth -= 1;
    }

    /// The type of a field's values; an enum is written.
    fn field_type(&mut self, field: &Field, types: &mut Taken) -> String {
        if field.values.is_empty() {
            return "uint32".to_owned();
        }
        let ty = types.fresh(upper(&field.name));
        let mut names = Taken::default();
        let cases =
            field.values.iter().map(|value| format!("| {} = {}u", names.fresh(upper(&value.name)), value.number));
        let cases: Vec<String> = cases.collect();
        self.line(&format!("type {ty} = {}", cases.join(" ")));
        ty
    }
}

/// Whether a part has registers that Clef can access.
fn has_bound(part: &Part) -> bool {
    match part {
        Part::Register(register) => register.is_bound(),
        Part::Cluster(cluster) => cluster.parts.iter().any(has_bound),
    }
}

fn measures(access: Access) -> String {
    let reads = if access.reads { "readable" } else { "notReadable" };
    let writes = if access.writes { "writable" } else { "notWritable" };
    format!("{reads}, {writes}")
}
