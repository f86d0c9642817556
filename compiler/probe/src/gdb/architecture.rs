//! The description of a Cortex-M for GDB: its registers, in the order of the description that GDB reads.
//!
//! The registers that all programs use are always transferred as a block. System and floating-point registers are
//! transferred one by one on request.

use gdbstub::arch::{Arch, RegId, Registers};
use std::{iter, num::NonZeroUsize};

/// The number of registers in the block: `r0` to `r12`, the stack pointer, the return address, the program counter, and
/// the status. Probes use the same numbers.
pub(super) const REGISTERS: usize = 17;

const PROGRAM_COUNTER: usize = 15;

/// GDB's number of the process stack pointer, which follows the main one; probes use the same numbers.
const PROCESS_STACK_POINTER: u16 = 18;

/// GDB's numbers of the mask registers, which are bytes of one word for probes.
const MASKS: usize = 19;
const MASK_NAMES: [&str; 4] = ["primask", "basepri", "faultmask", "control"];

/// The mask registers that all processors have.
const COMMON_MASKS: [usize; 2] = [0, 3];

/// GDB's numbers of the floating-point registers, and of their status.
const DOUBLES: usize = 23;
const DOUBLE_COUNT: usize = 16;
const FLOAT_STATUS: usize = DOUBLES + DOUBLE_COUNT;

/// The probes' numbers of the first single-precision register and of the floating-point status.
const SINGLE: u16 = 64;
const STATUS: u16 = 33;

/// Arm's microcontroller profile.
#[derive(Debug)]
pub(super) enum CortexM {}

impl Arch for CortexM {
    type Usize = u32;
    type Registers = CoreRegisters;
    /// The size of the instruction in bytes.
    type BreakpointKind = usize;
    type RegId = Register;
}

/// The registers that are transferred as a block.
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

/// A register that is transferred on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Register {
    /// A word, by the probes' number of the register.
    Word(u16),
    /// A byte of the word that contains the masks.
    Mask(usize),
    /// Two adjacent single-precision registers, by the probes' number of the first.
    Double(u16),
}

impl RegId for Register {
    fn from_raw_id(number: usize) -> Option<(Register, Option<NonZeroUsize>)> {
        let register = match number {
            FLOAT_STATUS => Register::Word(STATUS),
            DOUBLES..FLOAT_STATUS => Register::Double(SINGLE + 2 * (number - DOUBLES) as u16),
            MASKS..DOUBLES => Register::Mask(number - MASKS),
            _ => Register::Word(u16::try_from(number).ok().filter(|number| *number <= PROCESS_STACK_POINTER)?),
        };
        Some((register, NonZeroUsize::new(register.bytes())))
    }
}

impl Register {
    /// Its size in bytes.
    fn bytes(self) -> usize {
        match self {
            Register::Word(_) => 4,
            Register::Mask(_) => 1,
            Register::Double(_) => 8,
        }
    }
}

/// The extensions of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extensions {
    /// Interrupt priority masking, which Armv6-M lacks.
    pub(super) priorities: bool,
    /// Floating-point registers.
    pub(super) floats: bool,
}

/// The description of a processor's registers that GDB reads.
pub(super) fn description(extensions: Extensions) -> String {
    let line = |name: &str, number: usize, bits: usize, kind: &str| {
        format!("<reg name=\"{name}\" bitsize=\"{bits}\" regnum=\"{number}\" type=\"{kind}\"/>")
    };
    let general = (0..13).map(|number| line(&format!("r{number}"), number, 32, "int"));
    let special = [("sp", "data_ptr"), ("lr", "int"), ("pc", "code_ptr"), ("xpsr", "int")];
    let special = (13..).zip(special).map(|(number, (name, kind))| line(name, number, 32, kind));
    let stacks = (17..).zip(["msp", "psp"]).map(|(number, name)| line(name, number, 32, "data_ptr"));
    let masks = MASK_NAMES.iter().enumerate();
    let masks = masks.filter(|(mask, _)| extensions.priorities || COMMON_MASKS.contains(mask));
    let masks = masks.map(|(mask, name)| line(name, MASKS + mask, 8, "uint8"));
    let mut features = vec![
        ("org.gnu.gdb.arm.m-profile", general.chain(special).collect::<String>()),
        ("org.gnu.gdb.arm.m-system", stacks.chain(masks).collect()),
    ];
    if extensions.floats {
        let doubles = (0..DOUBLE_COUNT).map(|number| line(&format!("d{number}"), DOUBLES + number, 64, "ieee_double"));
        let status = iter::once(line("fpscr", FLOAT_STATUS, 32, "int"));
        features.push(("org.gnu.gdb.arm.vfp", doubles.chain(status).collect()));
    }
    let features = features.iter().map(|(name, registers)| format!("<feature name=\"{name}\">{registers}</feature>"));
    format!(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">\
         <architecture>arm</architecture>{}</target>",
        features.collect::<String>()
    )
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
    }

    #[test]
    fn numbers_mean_the_registers_of_their_description() {
        let text = description(Extensions { priorities: true, floats: true });
        let described = |name: &str, number: usize, bits: usize| {
            text.contains(&format!("<reg name=\"{name}\" bitsize=\"{bits}\" regnum=\"{number}\""))
        };
        let named = [
            ("pc", 15, Register::Word(15)),
            ("xpsr", 16, Register::Word(16)),
            ("psp", 18, Register::Word(18)),
            ("primask", 19, Register::Mask(0)),
            ("control", 22, Register::Mask(3)),
            ("d0", 23, Register::Double(64)),
            ("d15", 38, Register::Double(94)),
            ("fpscr", 39, Register::Word(33)),
        ];
        for (name, number, register) in named {
            assert!(described(name, number, 8 * register.bytes()), "{name} in {text}");
            assert_eq!(Register::from_raw_id(number), Some((register, NonZeroUsize::new(register.bytes()))));
        }
        assert_eq!(Register::from_raw_id(40), None);
        assert_eq!(text.matches("<reg ").count(), 40);
    }

    #[test]
    fn processors_have_what_they_have() {
        let small = description(Extensions { priorities: false, floats: false });
        assert!(small.contains("primask") && small.contains("control"), "{small}");
        assert!(!small.contains("basepri") && !small.contains("faultmask") && !small.contains("vfp"), "{small}");
    }
}
