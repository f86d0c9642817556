//! The state of the checker, in parts that each have one purpose.
//!
//! No part knows the checker: a function that needs only one part is a method of that part, or takes it as an argument.

mod builtin;
mod declared;
mod deferred;
mod expect;
mod frames;
mod graph;
mod input;
mod names;
mod recording;
mod reports;
mod type_scopes;

pub(crate) use builtin::{Builtin, Printf};
pub(crate) use declared::{Declared, IntrinsicFacts};
pub(crate) use deferred::{Deferred, Product, WrittenUse};
pub(crate) use expect::{Expect, Reason};
pub(crate) use frames::Frames;
pub(crate) use graph::{GraphBuilder, VariableFacts};
pub(crate) use input::Input;
pub use input::{Owner, Unit};
pub(crate) use names::{
    Entry, Mark, Meaning, Member, Module, ModuleId, Names, PatternMeaning, TypeMeaning, Visibility,
};
pub use recording::{Entity, Use};
pub(crate) use recording::{Place, Recording, Watched};
pub(crate) use reports::Reports;
pub(crate) use type_scopes::{Kind, NamedType, NamedTypes, TypeScopes};
