//! A resolved target: the properties of a processor and its calling convention that the compiler needs.

use crate::{Bytes, Triple};
use serde::Serialize;

/// A processor family with its ABI, as described by a file in `targets/`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Target {
    /// Its name: `thumbv7em`.
    pub name: String,
    /// Its other names: the triples that LLVM and Rust use.
    pub aliases: Vec<String>,
    /// One line for listings.
    pub description: String,
    /// The LLVM triple: `thumbv7em-none-eabi`.
    pub triple: Triple,
    /// LLVM's name of the processor: `cortex-m4`.
    pub cpu: String,
    /// LLVM's target features, each with its sign: `+strict-align`, `-fpregs`.
    pub features: Vec<String>,
    /// How floating-point values are passed.
    pub float_abi: FloatAbi,
    /// The width of a pointer, and of `int`.
    pub pointer_bits: PointerWidth,
    /// LLVM's data layout string for the triple.
    pub data_layout: String,
    /// How closures are laid out with respect to cache lines.
    pub closure_alignment: ClosureAlignment,
    /// How tail calls that must not grow the stack are compiled.
    pub tail_calls: TailCalls,
    /// Where the code may be placed.
    pub relocation: RelocationModel,
    /// How far apart code and data may lie.
    pub code_model: CodeModel,
    /// The linker's emulation.
    pub linker: LinkerEmulation,
    /// The Rust target triple whose runtime bitcode is linked in: `thumbv7em-none-eabi`.
    pub runtime: String,
    /// The board to use if only the target is given.
    pub default_board: String,
}

impl Target {
    /// The features in LLVM's syntax: `+a,-b`.
    pub fn feature_string(&self) -> String {
        self.features.join(",")
    }
}

/// How floating-point values are passed to functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FloatAbi {
    /// In integer registers; operations are library calls.
    Soft,
    /// In floating-point registers.
    Hard,
}

/// The width of a pointer, which is also the width of `int`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerWidth {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
}

impl PointerWidth {
    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            PointerWidth::Bits32 => 32,
            PointerWidth::Bits64 => 64,
        }
    }

    /// The width in bytes.
    pub fn bytes(self) -> Bytes {
        Bytes(u64::from(self.bits() / 8))
    }
}

impl Serialize for PointerWidth {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.bits())
    }
}

/// How closures are laid out with respect to cache lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ClosureAlignment {
    /// The size of a cache line; `None` on cores without a data cache.
    pub line: Option<Bytes>,
    /// The rule.
    pub policy: AlignmentPolicy,
}

/// The alignment of closures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlignmentPolicy {
    /// That of its largest member.
    Natural,
    /// A closure that fits into a line is aligned to the next power of two of its size, so that it lies in one line.
    NoStraddle,
    /// Every closure starts at the start of a line.
    Line,
}

/// How tail calls that must not grow the stack are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TailCalls {
    /// LLVM's `tail call tailcc` is correct on the target, even with arguments on the stack.
    Native,
    /// A function returns its callee to a trampoline, a loop that calls it.
    Trampoline,
}

/// Where the code may be placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelocationModel {
    /// At the addresses chosen by the linker.
    Static,
    /// Anywhere.
    Pic,
}

/// How far apart code and data may lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodeModel {
    /// Within reach of the target's short relocations.
    Small,
    /// In the upper 2 GiB of the address space.
    Kernel,
    /// Anywhere.
    Large,
}

/// The linker's emulation (`ld.lld -m`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum LinkerEmulation {
    /// 32-bit Arm, little-endian.
    #[serde(rename = "armelf")]
    Armelf,
    /// AArch64, little-endian.
    #[serde(rename = "aarch64elf")]
    Aarch64elf,
    /// x86-64.
    #[serde(rename = "elf_x86_64")]
    ElfX86_64,
}

impl LinkerEmulation {
    /// The name that `ld.lld -m` takes.
    pub fn name(self) -> &'static str {
        match self {
            LinkerEmulation::Armelf => "armelf",
            LinkerEmulation::Aarch64elf => "aarch64elf",
            LinkerEmulation::ElfX86_64 => "elf_x86_64",
        }
    }
}
