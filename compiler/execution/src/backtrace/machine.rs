//! What unwinding must know of a processor: its registers by their numbers in DWARF, and what a return address is.
//!
//! Sources: "DWARF for the Arm Architecture" (IHI 0040) and "DWARF for the Arm 64-bit Architecture" (IHI 0057), 4.1; "System V
//! ABI, AMD64", 3.6.2.

use goblin::elf::header::{EM_AARCH64, EM_ARM, EM_X86_64};

/// A family of processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Machine {
    /// Cortex-M.
    Arm,
    /// AArch64.
    Aarch64,
    /// x86-64.
    X86_64,
}

/// The registers of a processor. One whose value is not known has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Registers {
    /// The address of the next instruction.
    pub(crate) place: u64,
    /// Whether the instruction before it is a call that has not returned.
    pub(crate) is_after_call: bool,
    /// By their numbers in DWARF.
    values: [Option<u64>; Registers::COUNT],
}

impl Registers {
    /// The general registers of the largest family.
    const COUNT: usize = 32;

    pub(crate) fn new(place: u64, values: impl IntoIterator<Item = (u16, u64)>) -> Registers {
        let mut registers = Registers { place, is_after_call: false, values: [None; Registers::COUNT] };
        values.into_iter().for_each(|(number, value)| registers.set(number, Some(value)));
        registers
    }

    pub(crate) fn get(&self, number: u16) -> Option<u64> {
        self.values.get(usize::from(number)).copied().flatten()
    }

    /// An address within the current instruction. A return address may be that of the next function.
    pub(super) fn current(&self) -> u64 {
        self.place.wrapping_sub(self.is_after_call.into())
    }

    /// Numbers of other registers are ignored.
    pub(super) fn set(&mut self, number: u16, value: Option<u64>) {
        if let Some(place) = self.values.get_mut(usize::from(number)) {
            *place = value;
        }
    }
}

impl Machine {
    /// The family of an image.
    pub(crate) fn of(header: u16) -> Option<Machine> {
        match header {
            EM_ARM => Some(Machine::Arm),
            EM_AARCH64 => Some(Machine::Aarch64),
            EM_X86_64 => Some(Machine::X86_64),
            _ => None,
        }
    }

    /// The number of bytes of a register.
    pub(crate) fn word(self) -> usize {
        match self {
            Machine::Arm => 4,
            Machine::Aarch64 | Machine::X86_64 => 8,
        }
    }

    /// The number of the stack pointer.
    pub(crate) fn stack_pointer(self) -> u16 {
        match self {
            Machine::Arm => 13,
            Machine::Aarch64 => 31,
            Machine::X86_64 => 7,
        }
    }

    /// The registers that functions preserve for their callers, without the stack pointer.
    pub(super) fn preserved(self) -> &'static [u16] {
        match self {
            Machine::Arm => &[4, 5, 6, 7, 8, 9, 10, 11],
            Machine::Aarch64 => &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
            Machine::X86_64 => &[3, 6, 12, 13, 14, 15],
        }
    }

    /// The other registers that the runtime saves for the code that an interrupt has interrupted, if a debugger may need them: what holds
    /// the stack pointer, or a return address.
    pub(super) fn saved_on_entry(self) -> &'static [u16] {
        match self {
            Machine::Arm => &[],
            Machine::Aarch64 => &[30],
            Machine::X86_64 => &[7],
        }
    }

    /// The number under which the table of the entry of interrupts has the place that was interrupted, where that is not the return
    /// column of its CIE: LLVM writes one CIE in `.debug_frame` for all functions.
    pub(super) fn interrupted_place(self) -> Option<u16> {
        match self {
            Machine::Aarch64 => Some(32),
            Machine::Arm | Machine::X86_64 => None,
        }
    }

    /// The register with the return address of a function that has not stored it.
    pub(super) fn link(self) -> Option<u16> {
        match self {
            Machine::Arm => Some(14),
            Machine::Aarch64 => Some(30),
            Machine::X86_64 => None,
        }
    }

    /// The address of the instruction that a word refers to.
    pub(crate) fn address(self, word: u64) -> u64 {
        match self {
            Machine::Arm => word & !1,
            Machine::Aarch64 | Machine::X86_64 => word,
        }
    }
}

/// Exceptions of Cortex-M (Armv7-M Architecture Reference Manual, B1.5.6 to B1.5.8).
pub(crate) mod exception {
    use super::Registers;

    /// `r0` to `r3`, `r12`, `lr`, the program counter, the program status.
    pub(crate) const FRAME_WORDS: usize = 8;

    /// The program counter in a frame.
    pub(crate) const PLACE: usize = 6;

    const STATUS: usize = 7;

    /// The bit of the program status that says that the stack pointer was aligned by a word.
    const ALIGNED: u64 = 1 << 9;

    /// The words that the registers of the FPU add to a frame.
    const FPU_WORDS: u64 = 18;

    /// The bit of a return value that is clear if the frame has them.
    const NO_FPU: u64 = 1 << 4;

    /// Whether a return address is that of an exception.
    pub(crate) fn is_return(word: u64) -> bool {
        word & 0xff00_0001 == 0xff00_0001 && word <= 0xffff_ffff
    }

    /// The registers of the code that an exception interrupted, from those of the handler at its beginning. A frame has no
    /// registers of the FPU if the return value of the exception is not known.
    pub(crate) fn interrupted(
        frame: &[u64; FRAME_WORDS],
        at: u64,
        returns: Option<u64>,
        handler: &Registers,
    ) -> Registers {
        let mut registers = handler.clone();
        registers.place = frame[PLACE] & !1;
        registers.is_after_call = false;
        for (number, value) in [0, 1, 2, 3, 12, 14].into_iter().zip(frame) {
            registers.set(number, Some(*value));
        }
        let fpu = returns.is_some_and(|returns| is_return(returns) && returns & NO_FPU == 0);
        let words = FRAME_WORDS as u64 + if fpu { FPU_WORDS } else { 0 };
        let aligned = if frame[STATUS] & ALIGNED == 0 { 0 } else { 4 };
        registers.set(13, Some(at.wrapping_add(4 * words + aligned)));
        registers
    }
}
