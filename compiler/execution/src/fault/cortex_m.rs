//! Faults of Cortex-M (Armv7-M Architecture Reference Manual, B3.2.15 to B3.2.18; Armv8-M, D1.2).

use super::{Fault, Numbers, State, lines, named, set};
use crate::backtrace::{Registers, exception};

/// The meanings of the bits of `CFSR`.
pub(super) const CAUSES: [(u32, &str); 18] = [
    (0, "instructions were fetched from non-executable memory (IACCVIOL)"),
    (1, "protected memory was accessed (DACCVIOL)"),
    (3, "an exception return read protected memory (MUNSTKERR)"),
    (4, "an exception entry wrote protected memory below the stack (MSTKERR)"),
    (5, "FPU registers were saved to protected memory (MLSPERR)"),
    (8, "instructions were fetched from an address without memory (IBUSERR)"),
    (9, "an address without memory was accessed (PRECISERR)"),
    (10, "an address without memory was written some instructions earlier (IMPRECISERR)"),
    (11, "an exception return read an address without memory (UNSTKERR)"),
    (12, "an exception entry wrote an address without memory below the stack (STKERR)"),
    (13, "FPU registers were saved to an address without memory (LSPERR)"),
    (16, "the instruction is undefined (UNDEFINSTR)"),
    (17, "the low bit of a code address is not set (INVSTATE)"),
    (18, "an invalid exception return (INVPC)"),
    (19, "an instruction of an absent or disabled coprocessor (NOCP)"),
    (20, "the stack pointer is below the stack limit (STKOF)"),
    (24, "the access is not aligned (UNALIGNED)"),
    (25, "a division by zero (DIVBYZERO)"),
];

/// The bit of `CFSR` that says that the stack pointer went below its limit.
const STACK_LIMIT: u32 = 20;

/// The meanings of the bits of `HFSR`.
const HARD_CAUSES: [(u32, &str); 2] = [
    (1, "the vector table could not be read (VECTTBL)"),
    (31, "a breakpoint was reached without a debugger (DEBUGEVT)"),
];

pub(super) const STATUS: [&str; 5] = ["CFSR", "HFSR", "DFSR", "MMFAR", "BFAR"];
const FRAME: [&str; 8] = ["r0", "r1", "r2", "r3", "r12", "lr", "pc", "psr"];

/// The bits that say whether `MMFAR` and `BFAR` are valid.
const VALID: [(u32, usize); 2] = [(7, 3), (15, 4)];

/// The registers that an exception does not store, and its return value, in the order of a report.
const KEPT: [u16; 9] = [8, 9, 10, 11, 4, 5, 6, 7, RETURNS];

/// The number of `lr`, which has the return value of an exception.
const RETURNS: u16 = 14;

/// The number of the stack pointer.
const STACK_POINTER: u16 = 13;

/// A group of the registers that an exception does not store.
pub(super) fn kept(registers: &[u64; 16]) -> Vec<u64> {
    KEPT.iter().map(|number| registers[usize::from(*number)]).collect()
}

/// The groups: the exception, the stack pointer, and the address at which the reported stack starts; the status
/// registers, on cores that have them; the registers that the exception does not store.
pub(super) fn fault(numbers: &Numbers) -> Option<Fault> {
    let (causes, others) = numbers.groups.split_first()?;
    let (status, kept): (&[u64], &[u64]) = match others {
        [] => (&[], &[]),
        [group] if group.len() == STATUS.len() => (group, &[]),
        [group] if group.len() == KEPT.len() => (&[], group),
        [status, kept] if status.len() == STATUS.len() && kept.len() == KEPT.len() => (status, kept),
        _ => return None,
    };
    let [exception, stack_pointer, start] = causes.as_slice() else { return None };
    // With a stack limit, no frame is stored beyond it.
    let is_stored = start == stack_pointer && status.first().is_none_or(|status| status >> STACK_LIMIT & 1 == 0);
    let frame = numbers.stack.first_chunk().filter(|_| is_stored);
    let mut causes = status.first().map(|status| set(*status, &CAUSES)).unwrap_or_default();
    causes.extend(status.get(1).map(|status| set(*status, &HARD_CAUSES)).unwrap_or_default());
    let address = VALID.iter().find(|(bit, _)| status.first().is_some_and(|status| status >> bit & 1 == 1));
    let address = address.and_then(|(_, register)| status.get(*register));
    let mut cause = match exception {
        // The previous state is irrelevant if an exception only lacks a handler.
        0..=7 | 12 if !causes.is_empty() => causes.join(", "),
        _ => name(*exception),
    };
    if let Some(address) = address {
        cause += &format!(", at address 0x{address:08x}");
    }
    let mut registers = named(&FRAME, frame.map(<[u64; FRAME.len()]>::as_slice).unwrap_or_default());
    registers.push(("sp".to_owned(), *stack_pointer));
    let registers = [lines(registers, 5), lines(named(&STATUS, status), 5)].concat();
    let state = state(frame, *stack_pointer, *start, kept);
    Some(Fault { cause, stack_pointer: *stack_pointer, state, registers, digits: 8 })
}

/// The state of the program before the exception.
fn state(frame: Option<&[u64; exception::FRAME_WORDS]>, stack_pointer: u64, start: u64, kept: &[u64]) -> State {
    let handler = Registers::new(0, KEPT.into_iter().zip(kept.iter().copied()));
    match frame {
        Some(frame) => State::Known(exception::interrupted(frame, stack_pointer, handler.get(RETURNS), &handler)),
        None => State::Lost(Registers::new(0, [(STACK_POINTER, start)])),
    }
}

/// The meaning of an exception number.
pub(super) fn name(exception: u64) -> String {
    let name = match exception {
        2 => "a non-maskable interrupt",
        3 => "a hard fault",
        4 => "a memory management fault",
        5 => "a bus fault",
        6 => "a usage fault",
        7 => "a secure fault",
        11 => "an unhandled supervisor call",
        12 => "a debug event",
        14 => "the unhandled interrupt PendSV",
        15 => "the unhandled interrupt SysTick",
        16.. => return format!("the unhandled interrupt {}", exception - 16),
        _ => return format!("the exception {exception}"),
    };
    name.to_owned()
}
