//! Types and the operations on them, shared by all phases after the parser.
//!
//! A [`Type`] is interned; [`DeclaredType`]s, [`Case`]s and [`EnumType`]s are declared by programs. A [`Primitive`] is an
//! operator of the language, an [`Intrinsic`] an operation that the library is built on. Expressions are not defined here.

pub mod console_symbol;
mod declared;
pub mod float_text;
pub mod host_symbol;
pub mod interrupt_symbol;
mod intrinsic;
mod log_level;
mod primitive;
pub mod section_name;
pub mod structural;
mod table;
mod target_facts;
pub mod trap;

pub use declared::{
    Case, CaseId, Constraint, DeclaredKind, DeclaredType, DeclaredTypeId, EnumId, EnumType, EnumValue, TypeParameter,
    TypeParameterId, stored_function,
};
pub use intrinsic::{Created, Effect, Intrinsic, IntrinsicConstraint, Properties, Reach};
pub use log_level::LogLevel;
pub use primitive::*;
pub use table::{IntegerType, Sizes, Type, TypeKind, Types};
pub use target_facts::TargetFacts;
