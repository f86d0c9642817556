//! A chip as its description has it.

use std::ops::Range;

/// Where a Cortex-M has the registers of its interrupt controller, its timer and its other parts (ARMv7-M Architecture Reference
/// Manual, B3.2).
const SYSTEM_CONTROL_SPACE: Range<u64> = 0xE000_E000..0xE000_F000;

/// A chip.
pub(super) struct Device {
    pub(super) peripherals: Vec<Peripheral>,
    pub(super) interrupts: Vec<Interrupt>,
}

impl Device {
    /// Removes peripherals, and the interrupts of the same names. Removes also the registers of the processor.
    pub(super) fn remove(&mut self, names: &[&str]) {
        self.peripherals.retain(|peripheral| !names.contains(&peripheral.name.as_str()));
        self.peripherals.retain(|peripheral| !SYSTEM_CONTROL_SPACE.contains(&peripheral.base));
        self.interrupts.retain(|interrupt| !names.contains(&interrupt.name.as_str()));
    }

    /// Adds interrupts: name, description and number of each.
    pub(super) fn add(&mut self, interrupts: &[(&str, &str, u64)]) {
        let added = interrupts.iter().map(|(name, description, number)| Interrupt {
            name: (*name).to_owned(),
            description: (*description).to_owned(),
            number: *number,
        });
        self.interrupts.extend(added);
        self.interrupts.sort_by_key(|interrupt| interrupt.number);
    }

    /// The number of registers that are written out.
    pub(super) fn registers(&self) -> usize {
        self.peripherals.iter().map(|peripheral| registers(&peripheral.parts)).sum()
    }
}

fn registers(parts: &[Part]) -> usize {
    let of = |part: &Part| match &part.content {
        Content::Register(_) => 1,
        Content::Cluster(parts) => registers(parts),
    };
    parts.iter().map(of).sum()
}

/// An interrupt.
pub(super) struct Interrupt {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) number: u64,
}

/// A peripheral.
pub(super) struct Peripheral {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) base: u64,
    /// The module of its registers, which several peripherals can have in common.
    pub(super) module: String,
    pub(super) parts: Vec<Part>,
}

/// A register, a cluster of registers, or an array of them.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) description: String,
    /// In bytes from what contains it.
    pub(super) offset: u64,
    /// If there are several.
    pub(super) array: Option<Array>,
    pub(super) content: Content,
}

/// The elements of an array.
pub(super) struct Array {
    pub(super) count: u64,
    /// In bytes.
    pub(super) stride: u64,
}

/// What a part is.
pub(super) enum Content {
    Register(Register),
    Cluster(Vec<Part>),
}

/// A register.
#[derive(Default)]
pub(super) struct Register {
    /// In bits.
    pub(super) size: u64,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) reset: u64,
    pub(super) fields: Vec<Field>,
}

/// A field of a register.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) description: String,
    /// The position of the lowest bit, and the number of bits.
    pub(super) shift: u64,
    pub(super) width: u64,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// What a write does, in the words of CMSIS-SVD, if it does not store the value.
    pub(super) write_action: Option<&'static str>,
    /// The values that have names, of reads and of writes.
    pub(super) read_values: Vec<Value>,
    pub(super) written_values: Vec<Value>,
}

/// A value of a field.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) name: String,
    pub(super) number: u64,
}
