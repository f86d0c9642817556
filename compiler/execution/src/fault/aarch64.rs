//! Faults of AArch64 (Arm Architecture Reference Manual, D24.2.40: `ESR_EL1`).

use super::{Fault, Numbers, State, lines};
use crate::backtrace::Registers;

/// The groups: `ESR`, `FAR`, `ELR`, `SPSR`; `x0` to `x30` and the stack pointer.
pub(super) fn fault(numbers: &Numbers) -> Option<Fault> {
    let [causes, values] = numbers.groups.as_slice() else { return None };
    let [syndrome, address, place, state] = **causes else { return None };
    if values.len() != 32 {
        return None;
    }
    let names = (0..31).map(|number| format!("x{number}")).chain(["sp".to_owned()]);
    let known = Registers::new(place, (0..).zip(values.iter().copied()));
    let registers = names.zip(values.iter().copied());
    let status: &[_] = match is_interrupt(syndrome) {
        true => &[("ELR", place), ("SPSR", state)],
        false => &[("ESR", syndrome), ("FAR", address), ("ELR", place), ("SPSR", state)],
    };
    let status = status.iter().map(|(name, value)| ((*name).to_owned(), *value));
    let registers = [lines(status, 4), lines(registers, 4)].concat();
    Some(Fault {
        cause: cause(syndrome, address),
        stack_pointer: values[31],
        state: State::Known(known),
        registers,
        digits: 16,
    })
}

/// The class that the runtime sets for an interrupt without a handler.
const UNHANDLED: u64 = 0x3f;

/// The bits of the syndrome of such an interrupt that are its number.
const NUMBER: u64 = 0x3ff;

fn class(syndrome: u64) -> u64 {
    syndrome >> 26 & 0x3f
}

/// Whether the fault is an interrupt without a handler, for which the processor sets neither syndrome nor address.
fn is_interrupt(syndrome: u64) -> bool {
    class(syndrome) == UNHANDLED
}

fn cause(syndrome: u64, address: u64) -> String {
    let class = class(syndrome);
    let what = match class {
        0x00 => "the instruction is undefined",
        0x07 => "an FPU instruction was executed while the FPU is off",
        0x0e => "illegal execution state",
        0x15 => "an unhandled supervisor call",
        0x16 => "an unhandled hypervisor call",
        0x17 => "an unhandled secure monitor call",
        0x18 => "an inaccessible system register was accessed",
        0x20 | 0x21 => return format!("instructions were fetched from 0x{address:x}, {}", status(syndrome)),
        0x22 => return format!("the program counter 0x{address:x} is not aligned"),
        0x24 | 0x25 => {
            let access = if syndrome >> 6 & 1 == 1 { "written" } else { "read" };
            return format!("memory was {access} at 0x{address:x}, {}", status(syndrome));
        }
        0x26 => "the stack pointer is not aligned",
        0x2c => "a floating-point exception",
        0x2f => "an asynchronous memory error (SError)",
        0x30 | 0x31 | 0x32..=0x35 | 0x3c => "a breakpoint was reached without a debugger",
        UNHANDLED => return format!("the unhandled interrupt {}", syndrome & NUMBER),
        _ => return format!("the exception class {class:#x}"),
    };
    what.to_owned()
}

/// Why an access failed.
fn status(syndrome: u64) -> &'static str {
    match syndrome & 0x3f {
        0x00..=0x03 => "which is beyond the address space",
        0x04..=0x07 => "where nothing is mapped",
        0x08..=0x0b => "where access is not enabled",
        0x0c..=0x0f => "which is not permitted",
        0x10 | 0x14..=0x17 => "where nothing answers",
        0x21 => "which is not aligned",
        _ => "which failed",
    }
}
