//! Analyses of the program semantic graph that require all types to be known.
//!
//! In: a typed graph. Out: diagnostics for incomplete matches ([`matches`]), types that cannot cross the FFI boundary
//! ([`ffi_boundary`]) and captures by reference that outlive their slots ([`escape`]); and the enumerators of sequences as
//! state machines ([`sequences`]). Nothing here infers a type or resolves a name.

pub mod escape;
pub mod ffi_boundary;
pub mod matches;
pub mod sections;
pub mod sequences;
pub mod symbols;
