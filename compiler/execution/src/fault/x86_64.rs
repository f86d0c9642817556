//! Faults of x86-64 (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, 6.15).

use super::{Fault, Numbers, State, lines, named};
use crate::backtrace::Registers;

const GENERAL: [&str; 15] =
    ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
/// The numbers of these registers in DWARF.
const NUMBERS: [u16; 15] = [0, 3, 2, 1, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15];
/// That of `rsp`.
const STACK_POINTER: u16 = 7;

const FRAME: [&str; 5] = ["rip", "cs", "rflags", "rsp", "ss"];

/// The groups: `CR2`; the general registers, the number of the exception, its error code if it has one, and its frame.
pub(super) fn fault(numbers: &Numbers) -> Option<Fault> {
    let [causes, values] = numbers.groups.as_slice() else { return None };
    let [page] = **causes else { return None };
    let (general, rest) = values.split_at_checked(GENERAL.len())?;
    let (vector, rest) = rest.split_first()?;
    let (error, frame) = rest.split_at_checked(rest.len().checked_sub(FRAME.len())?)?;
    if error.len() > 1 {
        return None;
    }
    let &[place, _, _, stack_pointer, _] = frame else { return None };
    let known = NUMBERS.into_iter().zip(general.iter().copied()).chain([(STACK_POINTER, stack_pointer)]);
    let error = error.first().copied();
    let mut status = vec![("vector".to_owned(), *vector)];
    status.extend(error.map(|error| ("error".to_owned(), error)));
    if *vector < FIRST_INTERRUPT {
        status.push(("cr2".to_owned(), page));
    }
    let registers = [lines(status, 4), lines([named(&FRAME, frame), named(&GENERAL, general)].concat(), 4)].concat();
    Some(Fault {
        cause: cause(*vector, error.unwrap_or_default(), page),
        stack_pointer,
        state: State::Known(Registers::new(place, known)),
        registers,
        digits: 16,
    })
}

/// The number of the first interrupt; those below are exceptions.
const FIRST_INTERRUPT: u64 = 32;

/// The meaning of an exception, or of an interrupt without a handler.
fn cause(vector: u64, error: u64, page: u64) -> String {
    let what = match vector {
        0 => "a division by zero, or a quotient overflow",
        1 | 3 => "a breakpoint was reached without a debugger",
        2 => "a non-maskable interrupt",
        4 => "an overflow",
        5 => "an index is out of bounds",
        6 => "the instruction is undefined",
        7 => "an FPU instruction was executed while the FPU is off",
        8 => "a fault while handling a fault",
        10 => "the task state segment is invalid",
        11 => "a segment is not present",
        12 => "a stack segment fault",
        13 => "a general protection fault: the address or the instruction is not allowed",
        14 => return page_fault(error, page),
        16 | 19 => "a floating-point exception",
        17 => "the access is not aligned",
        18 => "a machine check",
        FIRST_INTERRUPT.. => return format!("the unhandled interrupt {}", vector - FIRST_INTERRUPT),
        _ => return format!("the exception {vector}"),
    };
    what.to_owned()
}

fn page_fault(error: u64, page: u64) -> String {
    let access = match (error >> 4 & 1, error >> 1 & 1) {
        (1, _) => "instructions were fetched from",
        (_, 1) => "memory was written at",
        _ => "memory was read at",
    };
    let why = if error & 1 == 1 { "which is not permitted" } else { "where nothing is mapped" };
    format!("{access} 0x{page:x}, {why}")
}
