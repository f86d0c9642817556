//! The registers that a call returns values in.

use super::Repr;
use clef_descriptors::Target;

/// The registers that take a result (`RetCC_ARM_AAPCS`, `RetCC_AArch64_AAPCS` and `RetCC_X86_64_C` in LLVM). AArch64 has
/// eight of each kind; larger results than four values are rather written to memory than moved through registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultRegisters {
    /// Four words for all values, on 32-bit Arm: whether floats have registers of their own depends on the processor.
    Words,
    /// Registers of 64 bits for integers and pointers, and others for floats.
    Kinds {
        /// How many there are for integers and pointers.
        integers: usize,
        /// How many there are for floats.
        floats: usize,
    },
}

impl ResultRegisters {
    /// The registers of a target.
    pub fn of(target: &Target) -> ResultRegisters {
        match target.pointer_bits.bits() {
            32 => ResultRegisters::Words,
            _ if target.triple.is_aarch64() => ResultRegisters::Kinds { integers: 4, floats: 4 },
            _ => ResultRegisters::Kinds { integers: 3, floats: 2 },
        }
    }

    /// Whether all of these machine values fit.
    pub fn fit(self, scalars: &[Repr]) -> bool {
        match self {
            ResultRegisters::Words => {
                let words = scalars.iter().fold(0, |taken: usize, scalar| match scalar {
                    // Two words begin at an even register.
                    Repr::Integer(64) | Repr::Float64 => taken.next_multiple_of(2) + 2,
                    Repr::Unit | Repr::Integer(_) | Repr::Float32 | Repr::Pointer | Repr::Struct(_) => taken + 1,
                });
                words <= 4
            }
            ResultRegisters::Kinds { integers, floats } => {
                let of_floats = scalars.iter().filter(|scalar| matches!(scalar, Repr::Float32 | Repr::Float64)).count();
                of_floats <= floats && scalars.len() - of_floats <= integers
            }
        }
    }
}
