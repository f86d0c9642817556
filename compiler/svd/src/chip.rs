//! A chip: its description with all derivations resolved.

/// A chip.
pub(crate) struct Chip {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) peripherals: Vec<Peripheral>,
    /// In the order of their numbers.
    pub(crate) interrupts: Vec<Interrupt>,
}

/// An interrupt.
pub(crate) struct Interrupt {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) number: u32,
}

/// A peripheral.
pub(crate) struct Peripheral {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Its address.
    pub(crate) base: u64,
    /// The peripheral that has the same registers, at another address.
    pub(crate) like: Option<String>,
    pub(crate) parts: Vec<Part>,
}

/// A part of a peripheral.
pub(crate) enum Part {
    Register(Register),
    Cluster(Cluster),
}

/// Registers that belong together.
pub(crate) struct Cluster {
    pub(crate) name: String,
    pub(crate) description: String,
    /// In bytes from what contains it.
    pub(crate) offset: u64,
    pub(crate) parts: Vec<Part>,
}

/// A register.
pub(crate) struct Register {
    pub(crate) name: String,
    pub(crate) description: String,
    /// In bytes from what contains it.
    pub(crate) offset: u64,
    /// In bits.
    pub(crate) size: u32,
    pub(crate) access: Access,
    pub(crate) reset: u32,
    /// The bits that a change of other bits writes as they were read.
    pub(crate) kept: u32,
    /// The bits that a change of other bits writes as ones.
    pub(crate) ones: u32,
    /// If there are several: their number and their distance in bytes.
    pub(crate) several: Option<(u32, u32)>,
    /// What a read does besides.
    pub(crate) read_action: Option<&'static str>,
    pub(crate) fields: Vec<Field>,
}

impl Register {
    /// Whether Clef reads and writes registers of this size.
    pub(crate) fn is_bound(&self) -> bool {
        matches!(self.size, 8 | 16 | 32)
    }
}

/// What can be done with a register or a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// A field of a register.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The position of the lowest bit.
    pub(crate) shift: u32,
    /// In bits.
    pub(crate) width: u32,
    pub(crate) access: Access,
    /// What a write of the field does, if it does not store the value.
    pub(crate) write_action: Option<&'static str>,
    /// What a read of the register does to the field besides.
    pub(crate) read_action: Option<&'static str>,
    /// The values that have names.
    pub(crate) values: Vec<Value>,
}

/// A value of a field.
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) number: u64,
}
