//! The crate from outside: programs are written with the builder, and looked at after each step.

#![allow(clippy::disallowed_methods, reason = "the tests run mlir-opt, a linker and the linked program")]

mod builder;
mod closures;
mod dialect;
mod fixture;
mod machine_code;
mod native;
mod order_operands;
mod rejections;
mod split_aggregates;
mod static_slots;
