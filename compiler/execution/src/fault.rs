//! Processor faults, as images report them, decoded on the host.
//!
//! In: the output of a program, and its image. Out: the same output, with the line of numbers after a fault report
//! replaced by text: the cause, the address, the registers, and the functions on the call stack. The numbers are those
//! that the runtime's `interface::fault` writes.

mod aarch64;
mod cortex_m;
pub mod gdb;
mod linux;
mod reader;
pub(crate) mod stopped;
mod symbols;
mod x86_64;

pub use reader::{FaultReader, Source};

use clef_descriptors::Boot;
use std::fmt::Write as _;
use symbols::Symbols;

/// The numbers of a fault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Numbers {
    /// The cause, then the registers: platform-specific.
    groups: Vec<Vec<u64>>,
    /// Words of the stack, some of which are return addresses, the innermost call first.
    stack: Vec<u64>,
}

/// A decoded fault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Fault {
    /// The cause, as a sentence without its full stop.
    cause: String,
    /// The address of the instruction, if it is known.
    place: Option<u64>,
    /// Names and values of registers, in lines.
    registers: Vec<Vec<(String, u64)>>,
    /// The number of digits of a register.
    digits: usize,
}

impl Numbers {
    /// Parses the part of a line after `fault:`.
    fn read(text: &str) -> Option<Numbers> {
        let words = |group: &str| {
            let words = group.split_ascii_whitespace().map(|word| u64::from_str_radix(word, 16));
            words.collect::<Result<Vec<u64>, _>>().ok()
        };
        let (groups, stack) = text.split_once('/').unwrap_or((text, ""));
        let groups: Option<Vec<Vec<u64>>> = groups.split(';').map(words).collect();
        Some(Numbers { groups: groups?, stack: words(stack)? })
    }
}

/// The report for the numbers in a line, each line indented; nothing if they do not fit the machine.
fn report(text: &str, boot: Boot, image: Option<&[u8]>) -> Option<String> {
    report_of(&Numbers::read(text)?, boot, image)
}

/// The report for the numbers of a fault.
fn report_of(numbers: &Numbers, boot: Boot, image: Option<&[u8]>) -> Option<String> {
    let symbols = image.map(Symbols::of).unwrap_or_default();
    let fault = match boot {
        Boot::CortexM => cortex_m::fault(numbers),
        Boot::Aarch64 => aarch64::fault(numbers),
        Boot::Pvh => x86_64::fault(numbers),
        Boot::Linux => linux::fault(numbers),
    }?;
    let mut functions: Vec<String> = fault.place.and_then(|place| symbols.function(place)).into_iter().collect();
    functions.extend(numbers.stack.iter().filter_map(|address| symbols.caller(*address)));
    functions.dedup();
    let mut out = String::new();
    let place = match functions.split_first() {
        Some((first, _)) => format!(" in `{first}`"),
        None => String::new(),
    };
    let _ = writeln!(out, "  {}{place}", fault.cause);
    for function in functions.iter().skip(1) {
        let _ = writeln!(out, "  called from `{function}`");
    }
    for line in &fault.registers {
        let digits = fault.digits;
        let line: Vec<String> = line.iter().map(|(name, value)| format!("{name} 0x{value:0digits$x}")).collect();
        let _ = writeln!(out, "  {}", line.join("  "));
    }
    Some(out)
}

/// Names and values, `in_line` per line.
fn lines(registers: impl IntoIterator<Item = (String, u64)>, in_line: usize) -> Vec<Vec<(String, u64)>> {
    let registers: Vec<(String, u64)> = registers.into_iter().collect();
    registers.chunks(in_line).map(<[_]>::to_vec).collect()
}

/// Names with their values.
fn named(names: &[&str], values: &[u64]) -> Vec<(String, u64)> {
    names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

/// The meanings of the set bits of a register.
fn set(value: u64, bits: &[(u32, &'static str)]) -> Vec<&'static str> {
    bits.iter().filter(|(bit, _)| value >> bit & 1 == 1).map(|(_, name)| *name).collect()
}

#[cfg(test)]
mod tests;
