//! How the C calling conventions of the targets pass plain data.
//!
//! In: the shapes of parameters and result. Out: an [`Interface`] in LLVM's terms; pure. LLVM assigns registers to
//! scalars and arrays itself. What it leaves to front ends is decided here: which scalars a struct is passed as, which
//! structs are passed by address or by a copy among the arguments, and how a struct is returned.
//!
//! System V x86-64: psABI 1.0, 3.2.3. AArch64: AAPCS64 2024Q3, 6.8 and 6.9. 32-bit Arm: AAPCS32 2024Q3, 6.4, 6.5 and 7.1.2.

use super::shape::{Scalar, Shape};
use clef_base::{Bytes, Extent};
use clef_descriptors::{FloatAbi, LinkerEmulation, Target};

/// The calling convention of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rules {
    /// x86-64.
    SystemV,
    /// AArch64.
    Aapcs64,
    /// 32-bit Arm.
    Aapcs {
        /// Whether floats are passed in floating-point registers: the VFP variant.
        vfp: bool,
    },
}

/// How the arguments and the result of a function are passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Interface {
    /// For each parameter.
    pub(crate) parameters: Vec<Passed>,
    /// The result.
    pub(crate) result: Returned,
}

/// How an argument is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Passed {
    /// Not at all.
    Nothing,
    /// As it is.
    Scalar(Scalar),
    /// As these machine values, read from its bytes.
    Pieces(Vec<Piece>),
    /// By the address of a copy that the caller makes.
    Address,
    /// By a copy among the arguments on the stack, of this alignment.
    Copied(u64),
}

/// How a result is returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Returned {
    /// Not at all.
    Nothing,
    /// As it is.
    Scalar(Scalar),
    /// As these machine values.
    Pieces(Vec<Piece>),
    /// Through an address that the caller passes.
    Through,
}

/// A machine value that carries some bytes of a struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// Where they start.
    pub(crate) offset: u64,
    /// What they are.
    pub(crate) unit: Unit,
    /// How many of them; more than one is an array of LLVM.
    pub(crate) count: u32,
}

/// A machine value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// 32 bits of any meaning.
    Word32,
    /// 64 bits of any meaning.
    Word64,
    /// A 32-bit float.
    Float32,
    /// A 64-bit float, or 64 bits in a floating-point register.
    Float64,
}

impl Unit {
    /// Bytes.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Unit::Word32 | Unit::Float32 => 4,
            Unit::Word64 | Unit::Float64 => 8,
        }
    }
}

impl Piece {
    fn new(offset: u64, unit: Unit, count: u64) -> Piece {
        Piece { offset, unit, count: count as u32 }
    }
}

impl Rules {
    /// The rules of a target.
    pub(crate) fn of(target: &Target) -> Rules {
        match target.linker {
            LinkerEmulation::ElfX86_64 => Rules::SystemV,
            LinkerEmulation::Aarch64elf => Rules::Aapcs64,
            LinkerEmulation::Armelf => Rules::Aapcs { vfp: target.float_abi == FloatAbi::Hard },
        }
    }

    fn pointer_bytes(self) -> u64 {
        match self {
            Rules::SystemV | Rules::Aapcs64 => 8,
            Rules::Aapcs { .. } => 4,
        }
    }

    /// Whether callers extend small integers to 32 bits, so that callees may rely on it.
    pub(crate) fn extends(self) -> bool {
        match self {
            Rules::SystemV | Rules::Aapcs { .. } => true,
            Rules::Aapcs64 => false,
        }
    }

    /// How a function with these parameters and this result is called.
    pub(crate) fn interface(self, parameters: &[Shape], result: &Shape) -> Interface {
        let result = self.returned(result);
        let mut registers = Registers { general: 6, vector: 8 };
        if result == Returned::Through {
            registers.general -= 1;
        }
        let parameters = parameters.iter().map(|shape| self.passed(shape, &mut registers)).collect();
        Interface { parameters, result }
    }

    fn passed(self, shape: &Shape, registers: &mut Registers) -> Passed {
        let Extent { size: Bytes(size), align: Bytes(align) } = shape.extent(self.pointer_bytes());
        match shape {
            Shape::Scalar(scalar) => {
                registers.take(*scalar);
                Passed::Scalar(*scalar)
            }
            _ if size == 0 => Passed::Nothing,
            Shape::Nothing | Shape::Struct(_) => match self {
                Rules::SystemV => match eightbytes(shape).filter(|pieces| registers.hold(pieces)) {
                    Some(pieces) => Passed::Pieces(pieces),
                    None => Passed::Copied(align.max(8)),
                },
                Rules::Aapcs64 => match (homogeneous(shape, self.pointer_bytes()), size) {
                    (Some(piece), _) => Passed::Pieces(vec![piece]),
                    (None, 1..=16) => Passed::Pieces(vec![Piece::new(0, Unit::Word64, size.div_ceil(8))]),
                    (None, _) => Passed::Address,
                },
                Rules::Aapcs { vfp } => {
                    let homogeneous = if vfp { homogeneous(shape, self.pointer_bytes()) } else { None };
                    match (homogeneous, align, size) {
                        (Some(piece), _, _) => Passed::Pieces(vec![piece]),
                        (None, align, size) if size > LARGEST_IN_WORDS => Passed::Copied(align.max(4)),
                        (None, 8, size) => Passed::Pieces(vec![Piece::new(0, Unit::Word64, size.div_ceil(8))]),
                        (None, _, size) => Passed::Pieces(vec![Piece::new(0, Unit::Word32, size.div_ceil(4))]),
                    }
                }
            },
        }
    }

    fn returned(self, shape: &Shape) -> Returned {
        let size = shape.extent(self.pointer_bytes()).size.0;
        match shape {
            Shape::Scalar(scalar) => Returned::Scalar(*scalar),
            _ if size == 0 => Returned::Nothing,
            Shape::Nothing | Shape::Struct(_) => match self {
                Rules::SystemV => eightbytes(shape).map_or(Returned::Through, Returned::Pieces),
                Rules::Aapcs64 => match (homogeneous(shape, self.pointer_bytes()), size) {
                    (Some(piece), _) => Returned::Pieces(vec![piece]),
                    (None, 1..=16) => Returned::Pieces(vec![Piece::new(0, Unit::Word64, size.div_ceil(8))]),
                    (None, _) => Returned::Through,
                },
                Rules::Aapcs { vfp } => match (homogeneous(shape, self.pointer_bytes()).filter(|_| vfp), size) {
                    (Some(piece), _) => Returned::Pieces(vec![piece]),
                    (None, 1..=4) => Returned::Pieces(vec![Piece::new(0, Unit::Word32, 1)]),
                    (None, _) => Returned::Through,
                },
            },
        }
    }
}

/// The largest struct that 32-bit Arm passes as an array of words rather than by a copy; both put the same bytes in the
/// same places.
const LARGEST_IN_WORDS: u64 = 64;

/// The System V argument registers that are left.
struct Registers {
    general: u32,
    vector: u32,
}

impl Registers {
    fn take(&mut self, scalar: Scalar) {
        match scalar {
            Scalar::Truth | Scalar::Integer { .. } | Scalar::Pointer => self.general = self.general.saturating_sub(1),
            Scalar::Float32 | Scalar::Float64 => self.vector = self.vector.saturating_sub(1),
        }
    }

    /// Takes registers for a struct; returns false, and takes none, if it does not fit them as a whole.
    fn hold(&mut self, pieces: &[Piece]) -> bool {
        let vector = pieces.iter().filter(|piece| piece.unit == Unit::Float64).count() as u32;
        let general = pieces.len() as u32 - vector;
        if general > self.general || vector > self.vector {
            return false;
        }
        self.general -= general;
        self.vector -= vector;
        true
    }
}

/// The classes of the eightbytes of a struct of System V; `None` if it is passed in memory. All scalars are aligned.
fn eightbytes(shape: &Shape) -> Option<Vec<Piece>> {
    const POINTER: u64 = 8;
    let size = shape.extent(POINTER).size.0;
    if size > 16 {
        return None;
    }
    let scalars = shape.scalars(POINTER);
    let class = |start: u64| {
        let within = scalars.iter().filter(|(offset, _)| (start..start + 8).contains(offset));
        let mut floats = within.map(|(_, scalar)| matches!(scalar, Scalar::Float32 | Scalar::Float64));
        let unit = if floats.all(|float| float) { Unit::Float64 } else { Unit::Word64 };
        Piece::new(start, unit, 1)
    };
    Some((0..size.div_ceil(8)).map(|index| class(index * 8)).collect())
}

/// One to four floats of one type: passed in as many floating-point registers on Arm.
fn homogeneous(shape: &Shape, pointer_bytes: u64) -> Option<Piece> {
    let scalars = shape.scalars(pointer_bytes);
    let (_, first) = *scalars.first()?;
    let unit = match first {
        Scalar::Float32 => Unit::Float32,
        Scalar::Float64 => Unit::Float64,
        Scalar::Truth | Scalar::Integer { .. } | Scalar::Pointer => return None,
    };
    let alike = scalars.len() <= 4 && scalars.iter().all(|(_, scalar)| *scalar == first);
    alike.then(|| Piece::new(0, unit, scalars.len() as u64))
}

#[cfg(test)]
mod tests;
