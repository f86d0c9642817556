//! Type inference: types with type variables, unification, units of measure and constraints.
//!
//! In: types that must be equal or satisfy a constraint, as the checker finds them. Out: the bindings of type variables, or a
//! [`UnificationError`]; in the end, interned types without variables. Inference is Hindley-Milner with levels (Rémy,
//! "Extension of ML type system with a sorted equational theory on types", 1992; Kiselyov, "How OCaml type checker works",
//! 2013).
//!
//! - `ty`: types, type constructors, type variables and constraints.
//! - `unify`: the union-find table of variables, and unification.
//! - `measure`: units of measure in normal form, and their unification.
//! - `requirements`: what a constraint on a declared type requires of its arguments.
//! - `print`: types in source syntax.
//!
//! This crate knows neither syntax trees nor spans: the checker reports errors.

mod measure;
mod print;
mod requirements;
mod ty;
mod unify;

pub use measure::{Exponent, Factor, Measure};
pub use print::{Printer, letter};
pub use ty::{MeasureId, Ty, TypeConstraint, TypeConstructor, TypeVariable};
pub use unify::{Collections, Inference, LARGEST_TYPE, UnificationError};
