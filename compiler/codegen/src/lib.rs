//! Core with storage to MLIR: the `clef` dialect for closures and regions, the `llvm` dialect for the rest.
//!
//! In: a [`Program`] on which `place` has run, and a [`Target`]. Out: a verified MLIR module that defines `clef_main`.
//! Code generation decides nothing: Core says what is stored where, what is called how and what is a tail call;
//! [`layout`] says how many bytes that takes; [`abi`] says how it is passed. One file per construct.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "an operation is defined on a few of many types; the checker rejected the others, so that they are bugs \
              here"
)]

mod abi;
mod arithmetic;
mod array;
mod bits;
mod block;
mod call;
mod closure;
mod code;
mod compare;
mod console;
mod constant_data;
mod convert;
mod data;
mod debug;
mod debug_types;
mod entry;
mod evacuate;
mod exit;
mod exported;
mod foreign;
mod function;
mod growing;
mod holes;
mod host;
mod intrinsic;
mod jumps;
pub mod layout;
mod locals;
mod log;
mod memory;
mod module;
mod node;
mod pointer;
mod pointer_tables;
pub mod report;
mod reusable;
mod runtime;
mod scopes;
mod site;
mod statics;
pub mod symbol;
mod text;
mod trampoline;

pub use debug::{Debugging, Literal, SourceConstant, SourceType};
pub use module::{Caller, Platform, PlatformConstant, PlatformContent, generate};
pub use reusable::keep_reusable;
pub use statics::{Static, statics};
pub use symbol::{symbols, value_symbols};
