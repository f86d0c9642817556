//! Meaning: from syntax trees to a monomorphic program in which every closure has a storage.
//!
//! `check` (Ast → [`psg::Psg`]) resolves names, infers types and finds captures in one pass, then checks matches and
//! escapes. `lower` (Psg → [`core::Program`]) specialises per type and normalises. `simplify`, `place` and `region` work on Core.
//! [`types`] is shared by both. Sema asks nothing about a target but its [`Facts`].

pub mod callees;
pub mod check;
pub mod core;
pub mod escape;
pub mod interpret;
pub mod interrupt;
pub mod intrinsic;
pub mod log;
pub mod lower;
pub mod place;
pub mod plain;
pub mod primitive;
pub mod print;
pub mod psg;
pub mod region;
pub mod simplify;
#[cfg(test)]
mod testing;
pub mod timer;
pub mod types;

/// What sema must know about a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits of `int`, `uint`, `nativeint` and `unativeint`: 32 or 64.
    pub word_bits: u32,
}
