//! Faults of Linux processes: signals.

use super::{Fault, Numbers, State, lines};
use crate::backtrace::Registers;

const X86_64: [&str; 18] = [
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp",
    "rip", "rflags",
];

/// The numbers of the first 16 of these registers in DWARF.
const NUMBERS: [u16; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7];

/// The indices of `rsp` and `rip`.
const RSP_RIP: (usize, usize) = (15, 16);

/// The indices of `sp` and `pc`, after `x0` to `x30`.
const SP_PC: (usize, usize) = (31, 32);

/// The groups: the signal, its code, its address; the registers of x86-64, or those of AArch64.
pub(super) fn fault(numbers: &Numbers) -> Option<Fault> {
    let [causes, values] = numbers.groups.as_slice() else { return None };
    let [signal, code, address] = **causes else { return None };
    let is_x86_64 = values.len() == X86_64.len();
    let (names, (stack_pointer, place)): (Vec<String>, _) = if is_x86_64 {
        (X86_64.map(str::to_owned).to_vec(), RSP_RIP)
    } else {
        let general = (0..31).map(|number| format!("x{number}"));
        (general.chain(["sp", "pc", "state"].map(str::to_owned)).collect(), SP_PC)
    };
    if values.len() != names.len() {
        return None;
    }
    let numbers: Vec<u16> = if is_x86_64 { NUMBERS.to_vec() } else { (0..=SP_PC.0 as u16).collect() };
    let known = Registers::new(values[place], numbers.into_iter().zip(values.iter().copied()));
    let stack_pointer = values[stack_pointer];
    let registers = lines(names.into_iter().zip(values.iter().copied()), 4);
    let state = State::Known(known);
    Some(Fault { cause: cause(signal, code, address), stack_pointer, state, registers, digits: 16 })
}

/// The meaning of a signal with its code (`sigaction(2)`).
fn cause(signal: u64, code: u64, address: u64) -> String {
    /// Sent by the kernel, without an address: the processor rejects the address.
    const KERNEL: u64 = 0x80;
    let (name, what) = match (signal, code) {
        (4, _) => ("SIGILL", "the instruction is undefined".to_owned()),
        (5, _) => ("SIGTRAP", "a breakpoint was reached without a debugger".to_owned()),
        (7, 1) => ("SIGBUS", format!("the access to 0x{address:x} is not aligned")),
        (7, _) => ("SIGBUS", format!("memory was accessed at 0x{address:x}, where nothing answers")),
        (8, 1) => ("SIGFPE", "a division by zero, or a quotient overflow".to_owned()),
        (8, _) => ("SIGFPE", "an arithmetic exception".to_owned()),
        (11, KERNEL) => ("SIGSEGV", "memory was accessed at a non-canonical address".to_owned()),
        (11, 2) => ("SIGSEGV", format!("memory was accessed at 0x{address:x}, which is not permitted")),
        (11, _) => ("SIGSEGV", format!("memory was accessed at 0x{address:x}, where nothing is mapped")),
        _ => return format!("the signal {signal}"),
    };
    format!("{what} ({name})")
}
