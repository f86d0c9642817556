//! What GDB has to know of a Cortex-M: its registers, in the order of the description that GDB reads.

use gdbstub::arch::{Arch, Registers};

/// How many registers there are: `r0` to `r12`, the stack pointer, the return address, the program counter, and the status.
/// They have the same numbers for probes.
pub(super) const REGISTERS: usize = 17;

const PROGRAM_COUNTER: usize = 15;

/// The profile of Arm for microcontrollers.
#[derive(Debug)]
pub(super) enum CortexM {}

impl Arch for CortexM {
    type Usize = u32;
    type Registers = CoreRegisters;
    /// The bytes of the instruction.
    type BreakpointKind = usize;
    type RegId = ();

    fn target_description_xml() -> Option<&'static str> {
        Some(include_str!("cortex_m.xml"))
    }
}

/// What the registers hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CoreRegisters(pub(super) [u32; REGISTERS]);

impl Registers for CoreRegisters {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[PROGRAM_COUNTER]
    }

    fn gdb_serialize(&self, write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().flat_map(|register| register.to_le_bytes()).map(Some).for_each(write_byte);
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, rest) = bytes.as_chunks::<4>();
        if words.len() != REGISTERS || !rest.is_empty() {
            return Err(());
        }
        self.0.iter_mut().zip(words).for_each(|(register, word)| *register = u32::from_le_bytes(*word));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_told_in_the_order_of_their_description() {
        let mut registers = CoreRegisters::default();
        registers.0[PROGRAM_COUNTER] = 0x0102_0304;
        let mut bytes = Vec::new();
        registers.gdb_serialize(|byte| bytes.extend(byte));
        assert_eq!((bytes.len(), &bytes[60..64]), (4 * REGISTERS, &[4, 3, 2, 1][..]));
        let mut read = CoreRegisters::default();
        assert_eq!((read.gdb_deserialize(&bytes), read.pc()), (Ok(()), 0x0102_0304));
        assert_eq!(read.gdb_deserialize(&bytes[1..]), Err(()));
        let description = CortexM::target_description_xml().unwrap_or_default();
        assert_eq!(description.matches("<reg ").count(), REGISTERS);
    }
}
