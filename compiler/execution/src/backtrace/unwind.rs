//! Follows the stack from a call to its caller by the unwind tables of an image (DWARF 4, 6.4).

use super::{
    ReadMemory,
    code::Code,
    machine::{Machine, Registers, exception},
};
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, DebugFrameOffset, EndianSlice, FrameDescriptionEntry, LittleEndian,
    RegisterRule, UnwindContext, UnwindSection as _,
};
use std::ops::Range;

/// The most calls that are followed.
const MOST: usize = 1 << 14;

/// A call on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Call {
    /// An address within its current instruction.
    pub(super) address: u64,
    /// Whether an exception interrupted it, whose handler is the call before it.
    pub(super) is_interrupted: bool,
}

/// Why there are no further calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The last one is the first of the program.
    Complete,
    /// There is no table for the last one.
    NoTable,
    /// The stack contains no return address where it should, or cannot be read.
    Damaged,
    /// There are more than are followed.
    TooMany,
}

type Frames<'a> = DebugFrame<EndianSlice<'a, LittleEndian>>;

/// The unwind tables of an image.
pub(super) struct Tables<'a> {
    frames: Frames<'a>,
    /// The address ranges of the tables of functions, and where these are, by address.
    index: Vec<(Range<u64>, DebugFrameOffset)>,
    machine: Machine,
    /// The end of the stack.
    top: u64,
}

/// The result of a step.
enum Step {
    Caller(Registers),
    /// An exception interrupted the caller.
    Interrupted(Registers),
    End(End),
}

impl<'a> Tables<'a> {
    /// The tables in the content of `.debug_frame`. `top` is the end of the stack.
    pub(super) fn new(bytes: &'a [u8], machine: Machine, top: u64) -> Tables<'a> {
        let mut frames = DebugFrame::new(bytes, LittleEndian);
        frames.set_address_size(machine.word() as u8);
        let index = index(&frames);
        Tables { frames, index, machine, top }
    }

    /// The caller of the function that has these registers.
    fn caller(&self, code: &Code, registers: &Registers, read: &mut ReadMemory<'_>) -> Step {
        let (address, is_innermost) = (registers.current(), !registers.is_after_call);
        let bases = BaseAddresses::default();
        let Some(entry) = self.table(address) else { return Step::End(End::NoTable) };
        let mut context = UnwindContext::new();
        let Ok(row) = entry.unwind_info_for_address(&self.frames, &bases, &mut context, address) else {
            return Step::End(End::NoTable);
        };
        let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return Step::End(End::NoTable) };
        let pointer = registers.get(self.machine.stack_pointer());
        let Some((pointer, frame)) = pointer.zip(registers.get(register.0)) else { return Step::End(End::Damaged) };
        let taken = if is_innermost && *offset == 0 { code.taken(address) } else { 0 };
        let end = frame.wrapping_add_signed(*offset).wrapping_add(taken);
        let is_in_order = end > pointer || is_innermost && end == pointer;
        if !is_in_order || end > self.top {
            return Step::End(End::Damaged);
        }
        let mut of_caller = Registers::new(0, [(self.machine.stack_pointer(), end)]);
        let mut take = |numbers: &[u16], read: &mut ReadMemory<'_>| {
            for number in numbers {
                let value = self.value(&row.register(gimli::Register(*number)), *number, registers, end, read);
                of_caller.set(*number, value);
            }
        };
        let is_entry = code.function(address).is_some_and(|function| function.is_entry);
        take(self.machine.preserved(), read);
        if is_entry {
            take(self.machine.saved_on_entry(), read);
        }
        let place = self.machine.interrupted_place().filter(|_| is_entry).map(gimli::Register);
        let link = place.unwrap_or_else(|| entry.cie().return_address_register());
        let rule = row.register(link);
        let is_kept = matches!(rule, RegisterRule::Undefined | RegisterRule::SameValue);
        // What another function has called has stored its return address, unless it never returns.
        if is_kept && (!is_innermost || self.machine.link() != Some(link.0)) {
            return Step::End(End::Complete);
        }
        let returns = self.value(&rule, link.0, registers, end, read);
        let Some(returns) = returns else { return Step::End(End::Damaged) };
        if is_entry {
            of_caller.place = self.machine.address(returns);
            return Step::Interrupted(of_caller);
        }
        if self.machine == Machine::Arm && exception::is_return(returns) {
            let frame = frame_at(end, read);
            return frame.map_or(Step::End(End::Damaged), |frame| {
                Step::Interrupted(exception::interrupted(&frame, end, Some(returns), &of_caller))
            });
        }
        if !code.is_return_address(returns) {
            return Step::End(if returns == 0 { End::Complete } else { End::Damaged });
        }
        of_caller.place = self.machine.address(returns);
        of_caller.is_after_call = true;
        Step::Caller(of_caller)
    }

    /// The table of the function at an address.
    fn table(&self, address: u64) -> Option<FrameDescriptionEntry<EndianSlice<'a, LittleEndian>>> {
        let after = self.index.partition_point(|(range, _)| range.start <= address);
        let (range, at) = self.index.get(after.checked_sub(1)?)?;
        if !range.contains(&address) {
            return None;
        }
        self.frames.fde_from_offset(&BaseAddresses::default(), *at, DebugFrame::cie_from_offset).ok()
    }

    /// The value of a register in the caller.
    fn value(
        &self,
        rule: &RegisterRule<usize>,
        number: u16,
        registers: &Registers,
        end: u64,
        read: &mut ReadMemory<'_>,
    ) -> Option<u64> {
        if let RegisterRule::Undefined | RegisterRule::SameValue = rule {
            return registers.get(number);
        }
        if let RegisterRule::Offset(offset) = rule {
            return word(self.machine, end.wrapping_add_signed(*offset), read);
        }
        if let RegisterRule::ValOffset(offset) = rule {
            return Some(end.wrapping_add_signed(*offset));
        }
        if let RegisterRule::Register(other) = rule {
            return registers.get(other.0);
        }
        None
    }
}

/// The tables of functions by address. What follows a malformed one is not read.
fn index(frames: &Frames<'_>) -> Vec<(Range<u64>, DebugFrameOffset)> {
    let bases = BaseAddresses::default();
    let mut entries = frames.entries(&bases);
    let mut index = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        if let CieOrFde::Fde(partial) = entry
            && let Ok(table) = partial.parse(DebugFrame::cie_from_offset)
        {
            let start = table.initial_address();
            index.push((start..start.saturating_add(table.len()), table.offset().into()));
        }
    }
    index.sort_by_key(|(range, _)| range.start);
    index
}

/// The most words of the stack among which [`rest`] searches.
const SEARCHED: u64 = 64;

/// The callers that make a return address credible.
const CREDIBLE: usize = 2;

/// The calls that are left on a stack whose innermost ones are lost: the first word from the stack pointer on that is a
/// return address, and from which others can be found by the tables. Only for processors whose functions store the return
/// address at the end of their frames.
pub(super) fn rest(
    code: &Code,
    tables: &Tables<'_>,
    registers: &Registers,
    read: &mut ReadMemory<'_>,
) -> Option<(Vec<Call>, End)> {
    let machine = tables.machine;
    let start = registers.get(machine.stack_pointer())?;
    (0..SEARCHED).find_map(|index| {
        let at = start.checked_add(index * machine.word() as u64)?;
        let returns = word(machine, at, read).filter(|word| code.is_return_address(*word))?;
        let stack = (machine.stack_pointer(), at.checked_add(machine.word() as u64)?);
        let mut of_caller = Registers::new(machine.address(returns), [stack]);
        of_caller.is_after_call = true;
        let (calls, end) = self::calls(code, tables, &of_caller, read);
        (calls.len() > CREDIBLE || end == End::Complete).then_some((calls, end))
    })
}

/// The calls from the one that has these registers to the first one of the program.
pub(super) fn calls(
    code: &Code,
    tables: &Tables<'_>,
    registers: &Registers,
    read: &mut ReadMemory<'_>,
) -> (Vec<Call>, End) {
    let mut registers = registers.clone();
    let mut is_interrupted = false;
    let mut calls = Vec::new();
    while calls.len() < MOST {
        let address = registers.current();
        calls.push(Call { address, is_interrupted });
        if code.function(address).is_some_and(|function| function.is_first || function.is_boot) {
            return (calls, End::Complete);
        }
        (registers, is_interrupted) = match tables.caller(code, &registers, read) {
            Step::Caller(of_caller) => (of_caller, false),
            Step::Interrupted(interrupted) => (interrupted, true),
            Step::End(end) => return (calls, end),
        };
    }
    (calls, End::TooMany)
}

/// The exception frame at an address.
fn frame_at(address: u64, read: &mut ReadMemory<'_>) -> Option<[u64; exception::FRAME_WORDS]> {
    let bytes = read(address, 4 * exception::FRAME_WORDS)?;
    let mut frame = [0; exception::FRAME_WORDS];
    for (word, bytes) in frame.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().ok()?).into();
    }
    Some(frame)
}

/// A word in memory.
fn word(machine: Machine, address: u64, read: &mut ReadMemory<'_>) -> Option<u64> {
    let bytes = read(address, machine.word())?;
    match bytes.len() {
        4 => bytes.try_into().ok().map(u32::from_le_bytes).map(u64::from),
        8 => bytes.try_into().ok().map(u64::from_le_bytes),
        _ => None,
    }
}
