//! Traps that images report themselves: the registers at the start of the reported part of the stack.

use crate::backtrace::{Machine, Registers};

/// The registers that `interface::fault` of the runtime pushes, by their numbers in DWARF, the lowest address first. The
/// return address follows them.
fn pushed(machine: Machine) -> &'static [u16] {
    match machine {
        Machine::Arm => &[8, 9, 10, 11, 4, 5, 6, 7],
        Machine::Aarch64 => &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
        Machine::X86_64 => &[15, 14, 13, 12, 6, 3],
    }
}

/// The return address of the report, by which the function that traps goes on; nothing if the words do not reach there.
pub(super) fn returns(machine: Machine, stack: &[u64]) -> Option<u64> {
    stack.get(pushed(machine).len()).copied()
}

/// The registers of the function that traps, from the words at the stack pointer.
pub(super) fn registers(machine: Machine, stack_pointer: u64, stack: &[u64]) -> Option<Registers> {
    let pushed = pushed(machine);
    let place = machine.address(returns(machine, stack)?);
    let end = stack_pointer.checked_add((pushed.len() as u64 + 1) * machine.word() as u64)?;
    let values = pushed.iter().copied().zip(stack.iter().copied());
    let mut registers = Registers::new(place, values.chain([(machine.stack_pointer(), end)]));
    registers.is_after_call = true;
    Some(registers)
}
