//! The state of the checker, in parts that each have one purpose.
//!
//! No part knows the checker: a function that needs only one part is a method of that part, or takes it as an argument.

mod declared;
mod deferred;
mod expect;
mod frames;
mod graph;
mod input;
mod reports;

pub(crate) use declared::{Declared, IntrinsicFacts};
pub(crate) use deferred::{Deferred, Product, WrittenUse};
pub(crate) use expect::{Expect, Reason};
pub(crate) use frames::Frames;
pub(crate) use graph::{GraphBuilder, VariableFacts};
pub(crate) use input::Input;
pub use input::Unit;
pub(crate) use reports::Reports;
