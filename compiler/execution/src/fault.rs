//! Processor faults, as images report them, decoded on the host.
//!
//! In: the output of a program, and its image. Out: the same output, with the line of numbers after a fault report
//! replaced by text: the cause, the address, the calls that led there, and the registers. The numbers are those
//! that the runtime's `interface::fault` writes.

mod aarch64;
mod cortex_m;
pub mod gdb;
mod linux;
mod reader;
mod saved;
pub(crate) mod stopped;
mod trap;
mod x86_64;

pub use reader::{FaultReader, Source};
pub use saved::SavedLog;

use crate::backtrace::{Backtrace, Innermost, Machine, ReadMemory, Registers};
use clef_descriptors::Boot;
use std::fmt::Write as _;

/// The numbers of a fault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Numbers {
    /// The cause, then the registers: platform-specific.
    groups: Vec<Vec<u64>>,
    /// Words of the stack, the lowest address first.
    stack: Vec<u64>,
}

/// A decoded fault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Fault {
    /// The cause, as a sentence without its full stop.
    cause: String,
    /// The stack pointer.
    stack_pointer: u64,
    /// Where the program was.
    state: State,
    /// Names and values of registers, in lines.
    registers: Vec<Vec<(String, u64)>>,
    /// The number of digits of a register.
    digits: usize,
}

/// Where a program was when a fault occurred.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum State {
    /// Unknown.
    #[default]
    Unknown,
    /// At this place, with these registers.
    Known(Registers),
    /// Unknown, but the stack above the stack pointer is that of the program.
    Lost(Registers),
}

impl Numbers {
    /// Parses the part of a line after `fault:` or `stack:`.
    fn read(text: &str) -> Option<Numbers> {
        let words = |group: &str| {
            let words = group.split_ascii_whitespace().map(|word| u64::from_str_radix(word, 16));
            words.collect::<Result<Vec<u64>, _>>().ok()
        };
        let (groups, stack) = text.split_once('/').unwrap_or((text, ""));
        let groups: Option<Vec<Vec<u64>>> = groups.split(';').map(words).collect();
        Some(Numbers { groups: groups?, stack: words(stack)? })
    }

    /// The bytes of the reported part of the stack, which begins at an address.
    fn bytes(&self, start: u64, machine: Machine, address: u64, count: usize) -> Option<Vec<u8>> {
        let word = machine.word();
        let offset = usize::try_from(address.checked_sub(start)?).ok()?;
        let words = self.stack.get(offset / word..)?.iter().take(count.div_ceil(word) + 1);
        let bytes: Vec<u8> = words.flat_map(|value| value.to_le_bytes().into_iter().take(word)).collect();
        let offset = offset % word;
        bytes.get(offset..offset + count).map(<[u8]>::to_vec)
    }
}

/// The report for the numbers of a fault in a line, each line indented; nothing if they do not fit the machine.
fn report(text: &str, boot: Boot, image: Option<&[u8]>) -> Option<String> {
    let numbers = Numbers::read(text)?;
    let fault = decoded(&numbers, boot)?;
    Some(fault_text(&fault, &numbers, image.and_then(Backtrace::of).as_ref()))
}

/// A fault as text, with the calls on the part of the stack that its numbers have.
fn fault_text(fault: &Fault, numbers: &Numbers, backtrace: Option<&Backtrace<'_>>) -> String {
    let mut read = |address, count| {
        let backtrace = backtrace?;
        numbers.bytes(backtrace.reported(fault.stack_pointer), backtrace.machine(), address, count)
    };
    shown(fault, backtrace, &mut read)
}

/// The calls that led to a trap, for the numbers in a line; nothing if they do not fit the machine.
fn calls(text: &str, image: Option<&[u8]>) -> Option<String> {
    let numbers = Numbers::read(text)?;
    match image.and_then(Backtrace::of) {
        Some(backtrace) => trap_text(&numbers, &backtrace),
        None => trap_start(&numbers).map(|_| String::new()),
    }
}

/// The calls that led to a trap; nothing if its numbers do not fit the machine.
fn trap_text(numbers: &Numbers, backtrace: &Backtrace<'_>) -> Option<String> {
    let start = trap_start(numbers)?;
    let registers = trap::registers(backtrace.machine(), start, &numbers.stack)?;
    let mut read = |address, count| numbers.bytes(start, backtrace.machine(), address, count);
    Some(backtrace.calls(&registers, Innermost::Program, &mut read))
}

/// Where the stack begins that the numbers of a trap have.
fn trap_start(numbers: &Numbers) -> Option<u64> {
    let [group] = numbers.groups.as_slice() else { return None };
    let [start] = **group else { return None };
    Some(start)
}

/// The fault that has these numbers.
fn decoded(numbers: &Numbers, boot: Boot) -> Option<Fault> {
    match boot {
        Boot::CortexM => cortex_m::fault(numbers),
        Boot::Aarch64 => aarch64::fault(numbers),
        Boot::Pvh => x86_64::fault(numbers),
        Boot::Linux => linux::fault(numbers),
    }
}

/// A fault as text. `read` reads at least a part of the program's stack.
fn shown(fault: &Fault, backtrace: Option<&Backtrace<'_>>, read: &mut ReadMemory<'_>) -> String {
    let mut out = format!("  {}", fault.cause);
    let mut calls = String::new();
    match (&fault.state, backtrace) {
        (State::Known(registers), Some(backtrace)) => {
            if let Some(function) = backtrace.function(registers.place) {
                let _ = write!(out, " in `{function}`");
            }
            calls = backtrace.calls(registers, Innermost::Processor, read);
        }
        (State::Lost(registers), Some(backtrace)) => calls = backtrace.rest(registers, read),
        (State::Unknown, _) | (_, None) => {}
    }
    let _ = write!(out, "\n{calls}");
    for line in &fault.registers {
        let digits = fault.digits;
        let line: Vec<String> = line.iter().map(|(name, value)| format!("{name} 0x{value:0digits$x}")).collect();
        let _ = writeln!(out, "  {}", line.join("  "));
    }
    out
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
