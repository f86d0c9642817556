//! Types while they are being inferred.
//!
//! A [`Ty`] is a tree of [`Head`]s and unknowns; what is known of an unknown stands in the union-find table of
//! [`super::unify`]. After inference every `Ty` is turned into an interned [`clef_types::Type`].

use super::measure::Exponent;
use clef_base::Symbol;
use clef_types::{Constraint, DeclaredTypeId, EnumId, IntegerType, TypeParameterId};
use std::sync::Arc;

/// Names a unit of measure that the source declares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct MeasureId(pub(super) u32);

/// Names an unknown type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Unknown(pub(super) u32);

/// A type with unknowns.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ty {
    /// Not known yet.
    Unknown(Unknown),
    /// A constructor and its arguments.
    Head(Head, Arc<[Ty]>),
}

/// A type constructor. The number types have their unit of measure as an argument, or none for that of plain numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Head {
    Unit,
    Bool,
    Char,
    String,
    Integer(IntegerType),
    Float32,
    Float64,
    Function,
    Tuple,
    Reference,
    Array,
    NativePointer,
    Declared(DeclaredTypeId),
    /// An enum of values of an integer type.
    Enum(EnumId, IntegerType),
    Parameter(TypeParameterId),
    /// The unit of plain numbers.
    MeasureOne,
    /// A declared unit.
    MeasureBase(MeasureId),
    /// A power of a unit.
    MeasurePower(Exponent),
    /// A product of units.
    MeasureProduct,
    /// The type of what was reported as wrong; fits everywhere, so that one mistake gives one message.
    Error,
}

impl Head {
    /// Whether it is an integer or float type.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Head::Integer(_) | Head::Float32 | Head::Float64)
    }

    /// Whether it makes a unit of measure.
    pub(super) fn is_measure(self) -> bool {
        matches!(self, Head::MeasureOne | Head::MeasureBase(_) | Head::MeasurePower(_) | Head::MeasureProduct)
    }
}

impl Ty {
    pub(super) fn simple(head: Head) -> Ty {
        Ty::Head(head, Arc::new([]))
    }

    pub(super) fn of(head: Head, arguments: impl Into<Arc<[Ty]>>) -> Ty {
        Ty::Head(head, arguments.into())
    }

    pub(super) fn unit() -> Ty {
        Ty::simple(Head::Unit)
    }

    pub(super) fn bool() -> Ty {
        Ty::simple(Head::Bool)
    }

    pub(super) fn int() -> Ty {
        Ty::simple(Head::Integer(IntegerType::Int))
    }

    pub(super) fn string() -> Ty {
        Ty::simple(Head::String)
    }

    pub(super) fn error() -> Ty {
        Ty::simple(Head::Error)
    }

    pub(super) fn parameter(id: TypeParameterId) -> Ty {
        Ty::simple(Head::Parameter(id))
    }

    pub(super) fn reference(of: Ty) -> Ty {
        Ty::of(Head::Reference, [of])
    }

    pub(super) fn array(of: Ty) -> Ty {
        Ty::of(Head::Array, [of])
    }

    pub(super) fn tuple(parts: Vec<Ty>) -> Ty {
        Ty::of(Head::Tuple, parts)
    }

    pub(super) fn function(argument: Ty, result: Ty) -> Ty {
        Ty::of(Head::Function, [argument, result])
    }

    /// `a -> b -> … -> result`.
    pub(super) fn functions(arguments: impl DoubleEndedIterator<Item = Ty>, result: Ty) -> Ty {
        arguments.rev().fold(result, |result, argument| Ty::function(argument, result))
    }
}

/// What is demanded of a type: a set of demands, joined by `|`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Need(u32);

impl Need {
    pub(super) const NOTHING: Need = Need(0);
    /// `=` works.
    pub(super) const EQUALITY: Need = Need(1);
    /// `<` and `compare` work, and `=` too.
    pub(super) const COMPARISON: Need = Need(2 | 1);
    /// `+` works: numbers and strings.
    pub(super) const ADDITIVE: Need = Need(4);
    /// `*` works: integers and floats.
    pub(super) const NUMBER: Need = Need(8);
    /// `<<<` works.
    pub(super) const INTEGER: Need = Need(16);
    /// `float` or `float32`.
    pub(super) const FLOAT: Need = Need(32);
    /// Unary minus works: signed integers and floats.
    pub(super) const SIGNED: Need = Need(64);
    /// `int` and its like convert it: numbers, `char` and `string`.
    pub(super) const CONVERTIBLE: Need = Need(128);
    /// `&&&` works: integers and enums.
    pub(super) const BITS: Need = Need(512);

    /// It is a unit of measure.
    pub(super) const MEASURE: Need = Need(2048);
    /// It is that of plain numbers unless something decides otherwise.
    pub(super) const WEAK: Need = Need(4096);
    /// A number has no unit of measure.
    pub(super) const PLAIN: Need = Need(8192);
    /// Data of which there are pointers: numbers, `bool`, `char`, pointers, and tuples and records of them.
    pub(super) const UNMANAGED: Need = Need(16384);

    /// Every single demand that a type meets or not by its constructor.
    pub(super) const ALL: [Need; 11] = [
        Need::EQUALITY,
        Need::COMPARISON,
        Need::ADDITIVE,
        Need::NUMBER,
        Need::INTEGER,
        Need::FLOAT,
        Need::SIGNED,
        Need::CONVERTIBLE,
        Need::BITS,
        Need::MEASURE,
        Need::UNMANAGED,
    ];

    pub(super) fn and(self, other: Need) -> Need {
        Need(self.0 | other.0)
    }

    pub(super) fn contains(self, other: Need) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) fn is_nothing(self) -> bool {
        self.0 == 0
    }

    /// No type satisfies it.
    pub(super) fn is_impossible(self) -> bool {
        self.contains(Need::FLOAT) && (self.contains(Need::INTEGER) || self.contains(Need::BITS))
    }

    /// Some operator of numbers is used on it: such an unknown is generalised only in `inline` functions.
    pub(super) fn is_numeric(self) -> bool {
        let numeric = Need::ADDITIVE
            .and(Need::NUMBER)
            .and(Need::INTEGER)
            .and(Need::BITS)
            .and(Need::FLOAT)
            .and(Need::SIGNED)
            .and(Need::CONVERTIBLE);
        self.0 & numeric.0 != 0
    }

    /// What of it a type without parts does not satisfy.
    pub(super) fn unmet_by(self, head: Head) -> Option<Need> {
        Need::ALL.into_iter().find(|&need| self.contains(need) && !need.met_by(head))
    }

    /// Whether a single demand is met by a type without parts.
    fn met_by(self, head: Head) -> bool {
        let integer = matches!(head, Head::Integer(_));
        let float = matches!(head, Head::Float32 | Head::Float64);
        let enumeration = matches!(head, Head::Enum(..));
        match self {
            Need::ADDITIVE => integer || float || head == Head::String,
            Need::NUMBER => integer || float,
            Need::INTEGER => integer,
            Need::FLOAT => float,
            Need::SIGNED => float || matches!(head, Head::Integer(kind) if kind.is_signed()),
            Need::CONVERTIBLE => integer || float || enumeration || matches!(head, Head::Char | Head::String),
            Need::BITS => integer || enumeration,
            Need::MEASURE => head.is_measure(),
            Need::UNMANAGED => !matches!(head, Head::String | Head::Function | Head::Parameter(_)),
            _ => !matches!(head, Head::Function | Head::NativePointer),
        }
    }

    /// The constraint that the source writes for it.
    pub(super) fn written(self) -> Option<&'static str> {
        match self {
            Need::EQUALITY => Some("equality"),
            Need::COMPARISON => Some("comparison"),
            _ => None,
        }
    }

    /// What the program semantic graph says of it.
    pub(super) fn constraint(self) -> Constraint {
        if self.contains(Need::INTEGER) || self.contains(Need::BITS) {
            Constraint::Integer
        } else if self.contains(Need::FLOAT) {
            Constraint::Float
        } else if self.contains(Need::NUMBER) || self.contains(Need::SIGNED) {
            Constraint::Number
        } else if self.contains(Need::ADDITIVE) {
            Constraint::Additive
        } else if self.contains(Need::COMPARISON) {
            Constraint::Comparison
        } else if self.contains(Need::EQUALITY) {
            Constraint::Equality
        } else {
            Constraint::None
        }
    }

    /// The type of an unknown that nothing else decides.
    pub(super) fn default_type(self) -> Ty {
        if self.contains(Need::MEASURE) {
            Ty::simple(Head::MeasureOne)
        } else if self.contains(Need::FLOAT) {
            Ty::simple(Head::Float64)
        } else if self.is_numeric() {
            Ty::int()
        } else {
            Ty::unit()
        }
    }

    /// The demand in words: "a type that …".
    pub(super) fn describe(self) -> &'static str {
        match self {
            Need::EQUALITY => "a type without functions in it",
            Need::COMPARISON => "a type without functions in it",
            Need::ADDITIVE => "a number or a string",
            Need::NUMBER => "a number",
            Need::INTEGER => "an integer",
            Need::FLOAT => "`float` or `float32`",
            Need::SIGNED => "a signed number",
            Need::CONVERTIBLE => "a number, a `char` or a `string`",
            Need::BITS => "an integer or an enum",
            Need::MEASURE => "a unit of measure",
            Need::PLAIN => "a number without a unit of measure",
            Need::UNMANAGED => "plain data (a number, `bool`, `char`, a pointer, or a tuple or record of them)",
            _ => "a type of another kind",
        }
    }
}

/// What the table knows of an unknown.
#[derive(Clone, Debug)]
pub(super) enum Knowledge {
    /// It is this type.
    Known(Ty),
    /// It is not known yet.
    Open {
        /// The depth of `let` at which it would be generalised (Rémy, "Extension of ML type system with a sorted
        /// equational theory on types", 1992).
        level: u32,
        /// What is demanded.
        need: Need,
        /// The name that the source gives it: `'a`.
        name: Option<Symbol>,
        /// It must be a collection of elements of this type; a sequence, if nothing else decides.
        element: Option<Ty>,
    },
}

impl ena::unify::UnifyKey for Unknown {
    type Value = Knowledge;

    fn index(&self) -> u32 {
        self.0
    }

    fn from_index(index: u32) -> Unknown {
        Unknown(index)
    }

    fn tag() -> &'static str {
        "Unknown"
    }
}

impl ena::unify::UnifyValue for Knowledge {
    type Error = ena::unify::NoError;

    fn unify_values(left: &Knowledge, right: &Knowledge) -> Result<Knowledge, ena::unify::NoError> {
        Ok(match (left, right) {
            (Knowledge::Known(ty), _) | (_, Knowledge::Known(ty)) => Knowledge::Known(ty.clone()),
            (
                Knowledge::Open { level, need, name, element },
                Knowledge::Open { level: other_level, need: other_need, name: other_name, element: other_element },
            ) => Knowledge::Open {
                level: *level.min(other_level),
                need: need.and(*other_need),
                name: name.or(*other_name),
                element: element.clone().or(other_element.clone()),
            },
        })
    }
}
