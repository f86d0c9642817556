//! From the `clef` dialect to the `llvm` dialect, one file per pass.
//!
//! In: a module as [`crate::Session::module`] returns it. Out: a module of the `llvm` dialect only. [`verify`] checks
//! what neither IRDL nor upstream verifiers can express; the passes after it rely on it.

mod code;
mod devirtualise;
mod drop_captures;
mod flow;
mod lower;
mod once;
mod stack;
mod verify;

pub use devirtualise::devirtualise;
pub use drop_captures::{Dropped, drop_captures};
pub use lower::lower_to_llvm;
pub use verify::verify;

use crate::{Fault, Module};
use clef_base::Extent;

/// The prefix of the symbols of closures without captures; the symbol of the code follows.
pub const CONSTANT_CLOSURE: &str = "_clef.closure.";

/// The size and alignment of a capture in a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// The layout of a closure, whose code address is at offset zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The extent in the stack or in static memory.
    pub extent: Extent,
    /// The extent in a region, which has at most the alignment of the other.
    pub in_region: Extent,
    /// The offset of each capture.
    pub offsets: Vec<u64>,
}

/// What the lowering needs to know of the target.
#[derive(Clone, Copy)]
pub struct Lowering<'a> {
    /// Width of a pointer.
    pub word_bits: u32,
    /// Whether the low bit of a code address is a flag, as in Thumb code.
    pub thumb: bool,
    /// The words of a region's handle in a frame.
    pub region_words: u32,
    /// Lays out a closure with captures of these sizes. Must be deterministic.
    pub layout: &'a dyn Fn(&[Slot]) -> Layout,
}

/// Verifies a module and runs all passes on it; returns the captures that were dropped.
pub fn lower(module: &mut Module<'_>, lowering: &Lowering<'_>) -> Result<Vec<Dropped>, Vec<Fault>> {
    verify(module)?;
    let dropped = drop_captures(module);
    devirtualise(module);
    lower_to_llvm(module, lowering);
    module.verify()?;
    Ok(dropped)
}
