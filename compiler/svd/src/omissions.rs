//! What a description has and a module does not.

use crate::chip::{Chip, Part, Register};
use crate::names::{line, stem};
use clef_base::{Diagnostic, Severity, codes};

/// A register that has no binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Omission {
    /// Its name in the description, after those of its peripheral and its clusters: `CLINT.MTIME`.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Why it is left out.
    pub reason: String,
}

impl Omission {
    /// The warning.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("the register `{}` at 0x{:X} is not bound: {}", self.name, self.address, self.reason);
        Diagnostic { severity: Severity::Warning, ..Diagnostic::general(codes::UNBOUND_REGISTER, message) }
    }
}

/// The registers of a chip that are left out; those of a derived peripheral are those of its origin.
pub(crate) fn of_chip(chip: &Chip) -> Vec<Omission> {
    let own = chip.peripherals.iter().filter(|peripheral| peripheral.like.is_none());
    let all = own.flat_map(|peripheral| of_parts(&peripheral.parts, peripheral.base, &line(Some(&peripheral.name))));
    all.map(|(name, register, address)| Omission { name, address, reason: reason(register) }).collect()
}

/// The registers among parts that are left out, each with its path and its address. The parts are at an address, in what has
/// this path.
pub(crate) fn of_parts<'p>(parts: &'p [Part], base: u64, path: &str) -> Vec<(String, &'p Register, u64)> {
    let mut all = Vec::new();
    let within = |name: &str| {
        let name = line(Some(&stem(name)));
        if path.is_empty() { name } else { format!("{path}.{name}") }
    };
    for part in parts {
        match part {
            Part::Register(register) if register.is_bound() => {}
            Part::Register(register) => all.push((within(&register.name), register, base + register.offset)),
            Part::Cluster(cluster) => {
                all.extend(of_parts(&cluster.parts, base + cluster.offset, &within(&cluster.name)));
            }
        }
    }
    all
}

/// Why a register is left out.
pub(crate) fn reason(register: &Register) -> String {
    format!("it has {} bits, and the registers of Clef have 8, 16 or 32", register.size)
}
