//! The calls that led to a place in a program.
//!
//! In: an image, the registers of its processor, and what reads its stack. Out: the calls as text, the innermost one first,
//! with names and places as the source has them.
//!
//! - Callers come from the unwind tables of the image alone (`.debug_frame`), and every return address follows a call.
//!   Where there is no table, or the stack is damaged, the list says that it ends there.
//! - Calls in tail position have no frame, so they are missing.
//! - Neither the image nor the stack is trusted: the work is bounded.

mod code;
mod machine;
mod places;
mod show;
mod unwind;

use clef_base::HashMap;
use clef_image::section;
use code::Code;
use goblin::elf::Elf;
pub(crate) use machine::{Machine, Registers, exception};
use places::Places;
use show::Row;
use std::ops::Range;
use unwind::{Call, End, Tables};

/// Reads this number of bytes at an address of the processor's memory; nothing if that fails.
pub(crate) type ReadMemory<'a> = dyn FnMut(u64, usize) -> Option<Vec<u8>> + 'a;

/// Where a list of calls begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Innermost {
    /// Where the processor is.
    Processor,
    /// The program's own call: those of the runtime within it are left out.
    Program,
}

/// What an image says about its code.
pub(crate) struct Backtrace<'a> {
    code: Code,
    tables: Tables<'a>,
    places: Places<'a>,
    stack: Range<u64>,
}

impl<'a> Backtrace<'a> {
    /// Reads an image; nothing if it is not one.
    pub(crate) fn of(image: &'a [u8]) -> Option<Backtrace<'a>> {
        let elf = clef_image::parse(image).ok()?;
        let code = Code::of(&elf, image)?;
        let stack = stack(&elf);
        let tables = Tables::new(section(&elf, image, ".debug_frame"), code.machine, stack.end);
        Some(Backtrace { code, tables, places: Places::of(&elf, image), stack })
    }

    /// The address at which the reported part of the stack begins: the stack pointer if it is in the stack, or the lowest
    /// address of the stack (`interface::fault` in the runtime).
    pub(crate) fn reported(&self, stack_pointer: u64) -> u64 {
        if self.stack.contains(&stack_pointer) { stack_pointer } else { self.stack.start }
    }

    /// The bounds of the stack.
    pub(crate) fn stack(&self) -> Range<u64> {
        self.stack.clone()
    }

    /// Whether a word is a return address.
    pub(crate) fn is_return_address(&self, word: u64) -> bool {
        self.code.is_return_address(word)
    }

    /// The family of the processor.
    pub(crate) fn machine(&self) -> Machine {
        self.code.machine
    }

    /// The name of the function at an address.
    pub(crate) fn function(&self, address: u64) -> Option<&str> {
        self.code.function(address).map(|function| function.name.as_str())
    }

    /// The calls, as lines of text.
    pub(crate) fn calls(&self, registers: &Registers, innermost: Innermost, read: &mut ReadMemory<'_>) -> String {
        let (calls, end) = unwind::calls(&self.code, &self.tables, registers, read);
        self.shown(&calls, end, innermost)
    }

    /// The calls that are left on the stack above an address, if the innermost ones are lost.
    pub(crate) fn rest(&self, registers: &Registers, read: &mut ReadMemory<'_>) -> String {
        match unwind::rest(&self.code, &self.tables, registers, read) {
            Some((calls, end)) => self.shown(&calls, end, Innermost::Processor),
            None => String::new(),
        }
    }

    fn shown(&self, calls: &[Call], end: End, innermost: Innermost) -> String {
        let is_program = |call: &Call| self.code.function(call.address).is_none_or(|function| !function.is_of_runtime);
        let first = match innermost {
            Innermost::Processor => 0,
            Innermost::Program => calls.iter().position(is_program).unwrap_or_default(),
        };
        // A recursive function has few addresses, each of which is looked up once.
        let mut known: HashMap<Call, Vec<Row>> = HashMap::default();
        let mut rows: Vec<Row> = Vec::new();
        for call in &calls[first..] {
            let of_call = known.entry(*call).or_insert_with(|| show::rows(call, &self.code, &self.places));
            // The processor may have been in the code that starts the program.
            let shows_all = rows.is_empty() && of_call.iter().all(|row| row.is_hidden);
            rows.extend(of_call.iter().filter(|row| shows_all || !row.is_hidden).cloned());
        }
        show::text(&rows, end)
    }
}

/// The bounds of the stack; none if the image does not say them.
pub(crate) fn stack(elf: &Elf<'_>) -> Range<u64> {
    let place = |name: &str| {
        elf.syms.iter().find(|symbol| elf.strtab.get_at(symbol.st_name) == Some(name)).map(|symbol| symbol.st_value)
    };
    place("__clef_stack_bottom").unwrap_or_default()..place("__clef_stack_top").unwrap_or_default()
}

#[cfg(test)]
mod tests;
