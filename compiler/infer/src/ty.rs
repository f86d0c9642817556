//! Types while they are being inferred.
//!
//! A [`Ty`] is a tree of [`TypeConstructor`]s and [`TypeVariable`]s. What is known of a variable is in the union-find table
//! of [`super::unify`]. After inference every `Ty` is converted to an interned [`clef_types::Type`].

use crate::measure::Exponent;
use clef_base::Symbol;
use clef_types::{Constraint, DeclaredTypeId, EnumId, IntegerType, TypeParameterId};
use std::sync::Arc;

/// Names a unit of measure that the source declares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MeasureId(pub u32);

/// A type variable of inference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeVariable(pub u32);

/// A type that may contain type variables.
#[derive(Clone, PartialEq, Debug)]
pub enum Ty {
    /// Not known yet.
    Variable(TypeVariable),
    /// A constructor applied to its arguments.
    Constructor(TypeConstructor, Arc<[Ty]>),
}

/// A type constructor. A number type takes its unit of measure as argument; without argument it has the unit one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeConstructor {
    /// `unit`.
    Unit,
    /// `bool`.
    Bool,
    /// `char`.
    Char,
    /// `string`.
    String,
    /// An integer type.
    Integer(IntegerType),
    /// `float32`.
    Float32,
    /// `float`.
    Float64,
    /// `a -> b`.
    Function,
    /// `a * b`.
    Tuple,
    /// `a ref`.
    Reference,
    /// `a array`.
    Array,
    /// `nativeptr<a>`.
    NativePointer,
    /// A union or a record.
    Declared(DeclaredTypeId),
    /// An enum over an integer type.
    Enum(EnumId, IntegerType),
    /// A type parameter.
    Parameter(TypeParameterId),
    /// The unit one, of dimensionless numbers.
    MeasureOne,
    /// A declared unit.
    MeasureBase(MeasureId),
    /// A power of a unit.
    MeasurePower(Exponent),
    /// A product of units.
    MeasureProduct,
    /// The type of an erroneous expression; it unifies with every type, so that one mistake causes one message.
    Error,
}

impl TypeConstructor {
    /// Whether it is an integer or float type.
    pub fn is_number(self) -> bool {
        matches!(self, TypeConstructor::Integer(_) | TypeConstructor::Float32 | TypeConstructor::Float64)
    }

    /// Whether it constructs a unit of measure.
    pub fn is_measure(self) -> bool {
        matches!(
            self,
            TypeConstructor::MeasureOne
                | TypeConstructor::MeasureBase(_)
                | TypeConstructor::MeasurePower(_)
                | TypeConstructor::MeasureProduct
        )
    }
}

impl Ty {
    /// A constructor without arguments.
    pub fn simple(constructor: TypeConstructor) -> Ty {
        Ty::Constructor(constructor, Arc::new([]))
    }

    /// A constructor applied to arguments.
    pub fn of(constructor: TypeConstructor, arguments: impl Into<Arc<[Ty]>>) -> Ty {
        Ty::Constructor(constructor, arguments.into())
    }

    /// `unit`.
    pub fn unit() -> Ty {
        Ty::simple(TypeConstructor::Unit)
    }

    /// `bool`.
    pub fn bool() -> Ty {
        Ty::simple(TypeConstructor::Bool)
    }

    /// `int`.
    pub fn int() -> Ty {
        Ty::simple(TypeConstructor::Integer(IntegerType::Int))
    }

    /// `string`.
    pub fn string() -> Ty {
        Ty::simple(TypeConstructor::String)
    }

    /// The type of an erroneous expression.
    pub fn error() -> Ty {
        Ty::simple(TypeConstructor::Error)
    }

    /// A type parameter.
    pub fn parameter(id: TypeParameterId) -> Ty {
        Ty::simple(TypeConstructor::Parameter(id))
    }

    /// A reference cell.
    pub fn reference(of: Ty) -> Ty {
        Ty::of(TypeConstructor::Reference, [of])
    }

    /// An array.
    pub fn array(of: Ty) -> Ty {
        Ty::of(TypeConstructor::Array, [of])
    }

    /// A tuple.
    pub fn tuple(parts: Vec<Ty>) -> Ty {
        Ty::of(TypeConstructor::Tuple, parts)
    }

    /// A function of one argument.
    pub fn function(argument: Ty, result: Ty) -> Ty {
        Ty::of(TypeConstructor::Function, [argument, result])
    }

    /// `a -> b -> … -> result`.
    pub fn functions(arguments: impl DoubleEndedIterator<Item = Ty>, result: Ty) -> Ty {
        arguments.rev().fold(result, |result, argument| Ty::function(argument, result))
    }
}

/// The constraints on a type: a set of flags, combined with [`TypeConstraint::and`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TypeConstraint(u32);

impl TypeConstraint {
    /// Every type satisfies it.
    pub const NOTHING: TypeConstraint = TypeConstraint(0);
    /// `=` works.
    pub const EQUALITY: TypeConstraint = TypeConstraint(1);
    /// `<` and `compare` work, and `=` too.
    pub const COMPARISON: TypeConstraint = TypeConstraint(2 | 1);
    /// `+` works: numbers and strings.
    pub const ADDITIVE: TypeConstraint = TypeConstraint(4);
    /// `*` works: integers and floats.
    pub const NUMBER: TypeConstraint = TypeConstraint(8);
    /// `<<<` works.
    pub const INTEGER: TypeConstraint = TypeConstraint(16);
    /// `float` or `float32`.
    pub const FLOAT: TypeConstraint = TypeConstraint(32);
    /// Unary minus works: signed integers and floats.
    pub const SIGNED: TypeConstraint = TypeConstraint(64);
    /// `int` and the other conversions accept it: numbers, `char` and `string`.
    pub const CONVERTIBLE: TypeConstraint = TypeConstraint(128);
    /// `&&&` works: integers and enums.
    pub const BITS: TypeConstraint = TypeConstraint(512);

    /// It is a unit of measure.
    pub const MEASURE: TypeConstraint = TypeConstraint(2048);
    /// A unit that defaults to one.
    pub const WEAK: TypeConstraint = TypeConstraint(4096);
    /// A number has no unit of measure.
    pub const PLAIN: TypeConstraint = TypeConstraint(8192);
    /// Data that pointers may refer to: numbers, `bool`, `char`, pointers, and tuples and records of them.
    pub const UNMANAGED: TypeConstraint = TypeConstraint(16384);

    /// Every single constraint that the type constructor decides.
    pub const ALL: [TypeConstraint; 11] = [
        TypeConstraint::EQUALITY,
        TypeConstraint::COMPARISON,
        TypeConstraint::ADDITIVE,
        TypeConstraint::NUMBER,
        TypeConstraint::INTEGER,
        TypeConstraint::FLOAT,
        TypeConstraint::SIGNED,
        TypeConstraint::CONVERTIBLE,
        TypeConstraint::BITS,
        TypeConstraint::MEASURE,
        TypeConstraint::UNMANAGED,
    ];

    /// The conjunction of two constraints.
    pub fn and(self, other: TypeConstraint) -> TypeConstraint {
        TypeConstraint(self.0 | other.0)
    }

    /// Whether every type that satisfies this satisfies the other.
    pub fn contains(self, other: TypeConstraint) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether every type satisfies it.
    pub fn is_nothing(self) -> bool {
        self.0 == 0
    }

    /// No type satisfies it.
    pub fn is_impossible(self) -> bool {
        self.contains(TypeConstraint::FLOAT)
            && (self.contains(TypeConstraint::INTEGER) || self.contains(TypeConstraint::BITS))
    }

    /// An arithmetic operator uses it: a variable with this constraint is generalised only in `inline` functions.
    pub fn is_numeric(self) -> bool {
        let numeric = TypeConstraint::ADDITIVE
            .and(TypeConstraint::NUMBER)
            .and(TypeConstraint::INTEGER)
            .and(TypeConstraint::BITS)
            .and(TypeConstraint::FLOAT)
            .and(TypeConstraint::SIGNED)
            .and(TypeConstraint::CONVERTIBLE);
        self.0 & numeric.0 != 0
    }

    /// The first constraint that a type without arguments does not satisfy.
    pub fn unmet_by(self, constructor: TypeConstructor) -> Option<TypeConstraint> {
        TypeConstraint::ALL.into_iter().find(|&constraint| self.contains(constraint) && !constraint.met_by(constructor))
    }

    /// Whether a type without arguments satisfies a single constraint.
    fn met_by(self, constructor: TypeConstructor) -> bool {
        let integer = matches!(constructor, TypeConstructor::Integer(_));
        let float = matches!(constructor, TypeConstructor::Float32 | TypeConstructor::Float64);
        let enumeration = matches!(constructor, TypeConstructor::Enum(..));
        match self {
            TypeConstraint::ADDITIVE => integer || float || constructor == TypeConstructor::String,
            TypeConstraint::NUMBER => integer || float,
            TypeConstraint::INTEGER => integer,
            TypeConstraint::FLOAT => float,
            TypeConstraint::SIGNED => {
                float || matches!(constructor, TypeConstructor::Integer(kind) if kind.is_signed())
            }
            TypeConstraint::CONVERTIBLE => {
                integer
                    || float
                    || enumeration
                    || matches!(constructor, TypeConstructor::Char | TypeConstructor::String)
            }
            TypeConstraint::BITS => integer || enumeration,
            TypeConstraint::MEASURE => constructor.is_measure(),
            TypeConstraint::UNMANAGED => !matches!(
                constructor,
                TypeConstructor::String | TypeConstructor::Function | TypeConstructor::Parameter(_)
            ),
            _ => !matches!(constructor, TypeConstructor::Function | TypeConstructor::NativePointer),
        }
    }

    /// The source syntax of the constraint, if it has one.
    pub fn written(self) -> Option<&'static str> {
        match self {
            TypeConstraint::EQUALITY => Some("equality"),
            TypeConstraint::COMPARISON => Some("comparison"),
            _ => None,
        }
    }

    /// The constraint in the program semantic graph.
    pub fn in_psg(self) -> Constraint {
        if self.contains(TypeConstraint::INTEGER) || self.contains(TypeConstraint::BITS) {
            Constraint::Integer
        } else if self.contains(TypeConstraint::FLOAT) {
            Constraint::Float
        } else if self.contains(TypeConstraint::NUMBER) || self.contains(TypeConstraint::SIGNED) {
            Constraint::Number
        } else if self.contains(TypeConstraint::ADDITIVE) {
            Constraint::Additive
        } else if self.contains(TypeConstraint::COMPARISON) {
            Constraint::Comparison
        } else if self.contains(TypeConstraint::EQUALITY) {
            Constraint::Equality
        } else {
            Constraint::None
        }
    }

    /// The type of a variable that nothing else determines.
    pub fn default_type(self) -> Ty {
        if self.contains(TypeConstraint::MEASURE) {
            Ty::simple(TypeConstructor::MeasureOne)
        } else if self.contains(TypeConstraint::FLOAT) {
            Ty::simple(TypeConstructor::Float64)
        } else if self.is_numeric() {
            Ty::int()
        } else {
            Ty::unit()
        }
    }

    /// The constraint in words: "a type that …".
    pub fn describe(self) -> &'static str {
        match self {
            TypeConstraint::EQUALITY => "a type that contains no functions",
            TypeConstraint::COMPARISON => "a type that contains no functions",
            TypeConstraint::ADDITIVE => "a number or a string",
            TypeConstraint::NUMBER => "a number",
            TypeConstraint::INTEGER => "an integer",
            TypeConstraint::FLOAT => "`float` or `float32`",
            TypeConstraint::SIGNED => "a signed number",
            TypeConstraint::CONVERTIBLE => "a number, a `char` or a `string`",
            TypeConstraint::BITS => "an integer or an enum",
            TypeConstraint::MEASURE => "a unit of measure",
            TypeConstraint::PLAIN => "a number without a unit of measure",
            TypeConstraint::UNMANAGED => {
                "plain data (a number, `bool`, `char`, a pointer, or a tuple or record of them)"
            }
            _ => "a type of another kind",
        }
    }
}

/// What the table knows of a type variable.
#[derive(Clone, Debug)]
pub enum Knowledge {
    /// It is this type.
    Known(Ty),
    /// It is not known yet.
    Open {
        /// The `let` depth at which it would be generalised (Rémy, "Extension of ML type system with a sorted
        /// equational theory on types", 1992).
        level: u32,
        /// Its constraints.
        constraint: TypeConstraint,
        /// Its name in the source: `'a`.
        name: Option<Symbol>,
        /// It must be a collection of elements of this type; it defaults to a sequence.
        element: Option<Ty>,
    },
}

impl ena::unify::UnifyKey for TypeVariable {
    type Value = Knowledge;

    fn index(&self) -> u32 {
        self.0
    }

    fn from_index(index: u32) -> TypeVariable {
        TypeVariable(index)
    }

    fn tag() -> &'static str {
        "TypeVariable"
    }
}

impl ena::unify::UnifyValue for Knowledge {
    type Error = ena::unify::NoError;

    fn unify_values(left: &Knowledge, right: &Knowledge) -> Result<Knowledge, ena::unify::NoError> {
        Ok(match (left, right) {
            (Knowledge::Known(ty), _) | (_, Knowledge::Known(ty)) => Knowledge::Known(ty.clone()),
            (
                Knowledge::Open { level, constraint, name, element },
                Knowledge::Open {
                    level: other_level,
                    constraint: other_constraint,
                    name: other_name,
                    element: other_element,
                },
            ) => Knowledge::Open {
                level: *level.min(other_level),
                constraint: constraint.and(*other_constraint),
                name: name.or(*other_name),
                element: element.clone().or(other_element.clone()),
            },
        })
    }
}
