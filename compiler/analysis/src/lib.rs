//! Analyses of the program semantic graph that require all types to be known.
//!
//! In: a typed graph. Out: the enumerators of sequences as state machines ([`sequences`]), what the program reaches of the
//! library ([`reached`]), and diagnostics:
//!
//! - incomplete matches ([`matches`]);
//! - captures by reference that outlive their slots ([`escape`]);
//! - types that cannot cross the FFI boundary ([`ffi_boundary`]), and symbols that programs must not use ([`symbols`]);
//! - sections that hold both functions and values ([`sections`]).
//!
//! Nothing here infers a type or resolves a name.

pub mod escape;
pub mod ffi_boundary;
pub mod matches;
pub mod reached;
pub mod sections;
pub mod sequences;
pub mod symbols;
