//! MLIR and LLVM, behind an interface without `unsafe`.
//!
//! In: calls of a builder ([`Session::module`]) that knows integers, floats, pointers, structs, functions and closures,
//! but no Clef type. Then [`pass::lower`] converts the `clef` dialect to the `llvm` dialect, and [`llvm::compile`]
//! makes an object of it together with the runtime's bitcode.
//!
//! Only this crate depends on melior, mlir-sys and inkwell. Errors of MLIR or LLVM are not printed but returned as
//! [`Fault`]s. A fault is a bug of the caller, never an error in the user's program.

mod build;
mod fault;
pub mod llvm;
pub mod pass;
mod session;

pub use build::{
    Block, Build, CallPlace, Capture, Constant, Convention, Emit, Extension, FloatPredicate, Function, Global,
    IntPredicate, Linkage, Memory, Noted, Passing, Scope, Signature, Storage, Tail, Type, Unit, Value,
};
pub use fault::{Fault, Place};
pub use session::{IRDL, Module, Session};
