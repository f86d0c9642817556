//! What is done with the program semantic graph when all types are known.
//!
//! In: a graph whose nodes have their types. Out: diagnostics, of incomplete matches ([`matches`]), of what cannot cross the FFI
//! boundary ([`ffi_boundary`]) and of captures by reference that outlive their slots ([`escape`]); and the enumerators of sequences
//! as state machines ([`sequences`]). Nothing here infers a type or resolves a name.

pub mod escape;
pub mod ffi_boundary;
pub mod matches;
pub mod sequences;
