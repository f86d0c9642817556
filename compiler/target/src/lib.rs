//! Descriptors of targets and boards.
//!
//! In: YAML texts, handed in by whoever may read files. Out: [`Target`] and [`Board`], complete and validated, or
//! diagnostics that point into the YAML. This crate reads no files itself.

pub mod board;
pub mod target;
pub mod units;

pub use board::{Board, Boot, Console, Exit, MemoryKind, MemoryRegion, QemuSystem, QemuUser, RegionPool, Run};
pub use target::{
    AlignmentPolicy, ClosureAlignment, CodeModel, FloatAbi, LinkerEmulation, PointerWidth, RelocationModel, TailCalls,
    Target,
};
pub use units::{Address, Bytes, Hertz};
