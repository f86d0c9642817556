//! Faults of Linux processes: signals.

use super::{Fault, Numbers, lines};

const X86_64: [&str; 18] = [
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp",
    "rip", "rflags",
];

/// The index of `rip`.
const RIP: usize = 16;

/// The index of `pc`, after `x0` to `x30` and `sp`.
const PC: usize = 32;

/// The groups: the signal, its code, its address; the registers of x86-64, or those of AArch64.
pub(super) fn fault(numbers: &Numbers) -> Option<Fault> {
    let [causes, values] = numbers.groups.as_slice() else { return None };
    let [signal, code, address] = **causes else { return None };
    let (names, place): (Vec<String>, usize) = if values.len() == X86_64.len() {
        (X86_64.map(str::to_owned).to_vec(), RIP)
    } else {
        let general = (0..31).map(|number| format!("x{number}"));
        (general.chain(["sp", "pc", "state"].map(str::to_owned)).collect(), PC)
    };
    if values.len() != names.len() {
        return None;
    }
    let registers = lines(names.into_iter().zip(values.iter().copied()), 4);
    Some(Fault { cause: cause(signal, code, address), place: values.get(place).copied(), registers, digits: 16 })
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
