//! Declarations of programs: unions, records and enums, and the type parameters of bindings and types.

use crate::{IntegerType, Type};
use clef_base::{Span, Symbol};
use la_arena::Idx;

/// Names a [`DeclaredType`].
pub type DeclaredTypeId = Idx<DeclaredType>;
/// The declared types without a declaration, one for each group of places, counted from 0: applied to a function type, each
/// is the union of the lambdas whose values are stored there by value; only in Core.
pub const fn stored_function(group: u32) -> DeclaredTypeId {
    Idx::from_raw(la_arena::RawIdx::from_u32(u32::MAX - group))
}
/// Names a [`Case`].
pub type CaseId = Idx<Case>;
/// Names an [`EnumType`].
pub type EnumId = Idx<EnumType>;
/// Names a [`TypeParameter`].
pub type TypeParameterId = Idx<TypeParameter>;

/// A generalised type variable.
#[derive(Clone, Debug)]
pub struct TypeParameter {
    /// Its name without the quote.
    pub name: Symbol,
    /// The constraint on its types.
    pub constraint: Constraint,
}

/// What a type must satisfy to instantiate a type parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Constraint {
    /// Any type.
    #[default]
    None,
    /// No function type inside.
    Equality,
    /// Ordered; implies equality.
    Comparison,
    /// A number or a string, for `+` in `inline` functions.
    Additive,
    /// An integer or a float, for `-`, `*`, `/`, `%` and others in `inline` functions.
    Number,
    /// An integer, for bit operations in `inline` functions.
    Integer,
    /// `float` or `float32`.
    Float,
}

/// A declared union or record.
#[derive(Clone, Debug)]
pub struct DeclaredType {
    /// Its name, without its module.
    pub name: Symbol,
    /// Its type parameters.
    pub parameters: Vec<TypeParameterId>,
    /// Union or record.
    pub kind: DeclaredKind,
    /// Its cases in the order of declaration; the position is the tag.
    pub cases: Vec<CaseId>,
    /// Whether a value is a pointer to a node, because the type is recursive or has mutable fields; other values are unboxed.
    pub boxed: bool,
    /// Of the embedded library.
    pub library: bool,
    /// Where it is declared.
    pub span: Span,
}

/// The kind of a declared type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclaredKind {
    /// `| A | B of …`.
    Union,
    /// `{ … }`: one case whose fields are the record's.
    Record,
}

/// A case of a union.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: Symbol,
    /// The type it belongs to.
    pub owner: DeclaredTypeId,
    /// Its number in that type.
    pub tag: u32,
    /// Optional names, and types, which may contain the owner's parameters.
    pub fields: Vec<(Option<Symbol>, Type)>,
    /// The positions of the mutable fields; a type that has some is boxed.
    pub mutable: Vec<usize>,
    /// Where it is declared.
    pub span: Span,
}

/// An enum: names for some values of an integer type.
#[derive(Clone, Debug)]
pub struct EnumType {
    /// Its name, without its module.
    pub name: Symbol,
    /// The type of its values.
    pub of: IntegerType,
    /// The named values, in the order of declaration.
    pub values: Vec<EnumValue>,
    /// Where it is declared.
    pub span: Span,
}

/// A named value of an enum.
#[derive(Clone, Copy, Debug)]
pub struct EnumValue {
    /// Its name.
    pub name: Symbol,
    /// In the range of the enum's type.
    pub value: i128,
    /// Where it is declared.
    pub span: Span,
}
