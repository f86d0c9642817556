//! What names mean.

use crate::builtin::Builtin;
use clef_infer::Ty;
use clef_psg::VariableId;
use clef_types::{CaseId, DeclaredTypeId, EnumId, TypeParameterId};

/// The meaning of a name in an expression.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// A variable or a function.
    Variable(VariableId),
    /// A case of a union.
    Case(CaseId),
    /// A value of an enum, by its place among them.
    EnumValue(EnumId, usize),
    /// A library function that is an intrinsic, by its place in the checker's table.
    Intrinsic(usize),
    /// A function of the language itself.
    Builtin(Builtin),
}

/// The meaning of a name in a pattern, if it is no new variable.
#[derive(Clone, Copy, Debug)]
pub enum PatternMeaning {
    /// A case of a union.
    Case(CaseId),
    /// A `[<Literal>]`.
    Constant(VariableId),
    /// A value of an enum, by its place among them.
    EnumValue(EnumId, usize),
}

/// The member of a type: `Type.Name`.
#[derive(Clone, Copy, Debug)]
pub enum Member {
    /// A case of a union.
    Case(CaseId),
    /// A value of an enum, by its place among them.
    EnumValue(EnumId, usize),
}

/// The meaning of a name in a type.
#[derive(Clone, Debug)]
pub enum TypeMeaning {
    /// A built-in type without parameters.
    Simple(Ty),
    /// `ref`.
    Reference,
    /// `array`.
    Array,
    /// `nativeptr`.
    NativePointer,
    /// A union or record.
    Declared(DeclaredTypeId),
    /// An abbreviation: its parameters and its type.
    Abbreviation(Vec<TypeParameterId>, Ty),
    /// A unit of measure.
    Measure(Ty),
}
