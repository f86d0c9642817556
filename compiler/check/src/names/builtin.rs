//! The functions and types that the language itself defines, in scope before the library.

use crate::{
    checker::Checker,
    state::{Builtin, Entry, Meaning, Printf, TypeMeaning, Visibility},
};
use clef_base::{Span, Symbol};
use clef_infer::{Ty, TypeConstraint, TypeConstructor};
use clef_syntax::ast::Access;
use clef_types::{Elementary, IntegerType, Primitive, TextFormat};

/// Functions by name; operators by their symbols, prefix operators with `~` as F# writes them.
const FUNCTIONS: &[(&str, Primitive)] = &[
    ("+", Primitive::Add),
    ("-", Primitive::Subtract),
    ("*", Primitive::Multiply),
    ("/", Primitive::Divide),
    ("%", Primitive::Remainder),
    ("**", Primitive::Power),
    ("~-", Primitive::Negate),
    ("&&&", Primitive::BitAnd),
    ("|||", Primitive::BitOr),
    ("^^^", Primitive::BitXor),
    ("~~~", Primitive::BitNot),
    ("<<<", Primitive::ShiftLeft),
    (">>>", Primitive::ShiftRight),
    ("=", Primitive::Equal),
    ("<>", Primitive::NotEqual),
    ("<", Primitive::Less),
    ("<=", Primitive::LessEqual),
    (">", Primitive::Greater),
    (">=", Primitive::GreaterEqual),
    ("compare", Primitive::Compare),
    ("not", Primitive::Not),
    ("ref", Primitive::MakeReference),
    ("!", Primitive::ReadReference),
    (":=", Primitive::WriteReference),
    ("abs", Primitive::Absolute),
    ("sign", Primitive::Sign),
    ("min", Primitive::Minimum),
    ("max", Primitive::Maximum),
    ("sqrt", Primitive::SquareRoot),
    ("floor", Primitive::Floor),
    ("ceil", Primitive::Ceiling),
    ("truncate", Primitive::Truncate),
    ("round", Primitive::Round),
    ("atan2", Primitive::ArcTangent2),
    ("string", Primitive::Text(TextFormat::General)),
    ("hash", Primitive::Hash),
];

/// The names that the module `Checked` shadows, besides the conversions.
const CHECKED: &[(&str, Primitive)] = &[
    ("+", Primitive::AddChecked),
    ("-", Primitive::SubtractChecked),
    ("*", Primitive::MultiplyChecked),
    ("~-", Primitive::NegateChecked),
];

/// The names of the integer types, with their synonyms.
const INTEGERS: &[(&str, IntegerType)] = &[
    ("int8", IntegerType::I8),
    ("sbyte", IntegerType::I8),
    ("uint8", IntegerType::U8),
    ("byte", IntegerType::U8),
    ("int16", IntegerType::I16),
    ("uint16", IntegerType::U16),
    ("int32", IntegerType::I32),
    ("uint32", IntegerType::U32),
    ("int64", IntegerType::I64),
    ("uint64", IntegerType::U64),
    ("int", IntegerType::Int),
    ("uint", IntegerType::UInt),
    ("nativeint", IntegerType::NativeInt),
    ("unativeint", IntegerType::UNativeInt),
];

/// The other types that are also names of conversions.
const CONVERTIBLE: &[(&str, TypeConstructor)] = &[
    ("float", TypeConstructor::Float64),
    ("float64", TypeConstructor::Float64),
    ("double", TypeConstructor::Float64),
    ("float32", TypeConstructor::Float32),
    ("single", TypeConstructor::Float32),
    ("char", TypeConstructor::Char),
];

impl Checker<'_> {
    pub(crate) fn declare_builtins(&mut self) {
        let visibility = self.names.visibility(Access::Public);
        let functions = FUNCTIONS.iter().map(|(name, primitive)| (*name, Builtin::Primitive(*primitive)));
        let elementary = Elementary::ALL.into_iter();
        let elementary = elementary.map(|one| (one.name(), Builtin::Primitive(Primitive::Elementary(one))));
        let functions = functions.chain(elementary);
        let integers = INTEGERS.iter().map(|(name, kind)| (*name, TypeConstructor::Integer(*kind)));
        let converted: Vec<_> = integers.chain(CONVERTIBLE.iter().copied()).collect();
        let conversions = converted.iter().map(|(name, constructor)| (*name, Builtin::Convert(*constructor)));
        for (name, builtin) in functions.chain(conversions).chain([("enum", Builtin::Enum)]) {
            self.names.values.add(Symbol::new(name), Entry { meaning: Meaning::Builtin(builtin), visibility });
        }
        let others =
            [("unit", TypeConstructor::Unit), ("bool", TypeConstructor::Bool), ("string", TypeConstructor::String)];
        for (name, constructor) in converted.into_iter().chain(others) {
            let meaning = TypeMeaning::Simple(Ty::simple(constructor));
            self.names.types.add(Symbol::new(name), Entry { meaning, visibility });
        }
        for (name, meaning) in
            [("ref", TypeMeaning::Reference), ("array", TypeMeaning::Array), ("nativeptr", TypeMeaning::NativePointer)]
        {
            self.names.types.add(Symbol::new(name), Entry { meaning, visibility });
        }
        self.declare_printf(visibility);
        self.declare_checked(visibility);
    }

    /// `printf` and related functions, also visible in the module `Printf`.
    fn declare_printf(&mut self, visibility: Visibility) {
        let module = self.names.enter(self.names.root, Symbol::new("Printf"), true);
        for printf in Printf::ALL {
            let entry = Entry { meaning: Meaning::Builtin(Builtin::Printf(printf)), visibility };
            let name = Symbol::new(printf.name());
            self.names.values.add(name, entry.clone());
            self.names.modules[module].values.insert(name, entry);
        }
    }

    /// The module `Checked`: its operators and conversions trap on overflow.
    fn declare_checked(&mut self, visibility: Visibility) {
        let module = self.names.enter(self.names.root, Symbol::new("Checked"), true);
        let operators = CHECKED.iter().map(|(name, primitive)| (*name, Builtin::Primitive(*primitive)));
        let integers =
            INTEGERS.iter().map(|(name, kind)| (*name, Builtin::ConvertChecked(TypeConstructor::Integer(*kind))));
        let character = ("char", Builtin::ConvertChecked(TypeConstructor::Char));
        for (name, builtin) in operators.chain(integers).chain([character]) {
            let entry = Entry { meaning: Meaning::Builtin(builtin), visibility };
            self.names.modules[module].values.insert(Symbol::new(name), entry);
        }
    }

    /// The operation of a built-in function, and a fresh instance of its type.
    pub(crate) fn builtin_signature(&mut self, builtin: Builtin, span: Span) -> (Primitive, Ty) {
        match builtin {
            Builtin::Convert(constructor) => {
                let from = self.inference.fresh_with(TypeConstraint::CONVERTIBLE, None);
                (Primitive::Convert, Ty::function(from, Ty::simple(constructor)))
            }
            Builtin::ConvertChecked(constructor) => {
                let from = self.inference.fresh_with(TypeConstraint::CONVERTIBLE, None);
                (Primitive::ConvertChecked, Ty::function(from, Ty::simple(constructor)))
            }
            Builtin::Primitive(primitive) => (primitive, self.primitive_type(primitive, span)),
            Builtin::Printf(_) => clef_base::internal::bug("check", span, "a format function has no fixed signature"),
            Builtin::Enum => {
                let (from, to) = (self.inference.fresh(), self.inference.fresh());
                self.deferred.enum_conversions.push((from.clone(), to.clone(), span));
                (Primitive::Convert, Ty::function(from, to))
            }
        }
    }

    /// A fresh instance of an operation's type.
    pub(crate) fn primitive_type(&mut self, primitive: Primitive, span: Span) -> Ty {
        use Primitive::*;
        if let Multiply | MultiplyChecked | Divide | SquareRoot = primitive {
            return self.product_type(primitive, span);
        }
        let of = self.inference.fresh_with(operand_constraint(primitive), None);
        let one = |result: Ty| Ty::function(of.clone(), result);
        let two = |result: Ty| Ty::function(of.clone(), Ty::function(of.clone(), result));
        match primitive {
            Add | Subtract | Multiply | Divide | Remainder | Power | BitAnd | BitOr | BitXor | Minimum | Maximum
            | ArcTangent2 | AddChecked | SubtractChecked | MultiplyChecked => two(of.clone()),
            ShiftLeft | ShiftRight => one(Ty::function(Ty::int(), of.clone())),
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | AddOverflows | SubtractOverflows
            | MultiplyOverflows => two(Ty::bool()),
            Compare => two(Ty::int()),
            Negate | NegateChecked | BitNot | Absolute | SquareRoot | Floor | Ceiling | Truncate | Round
            | Elementary(_) => one(of.clone()),
            Sign | Hash => one(Ty::int()),
            Not => Ty::function(Ty::bool(), Ty::bool()),
            MakeReference => one(Ty::reference(of.clone())),
            ReadReference => Ty::function(Ty::reference(of.clone()), of),
            WriteReference => Ty::function(Ty::reference(of.clone()), Ty::function(of, Ty::unit())),
            Text(_) => one(Ty::string()),
            Convert | ConvertChecked => clef_base::internal::bug("check", None, "a conversion has no shared signature"),
        }
    }
}

/// The constraint of a primitive on its operands.
pub(crate) fn operand_constraint(primitive: Primitive) -> TypeConstraint {
    use Primitive::*;
    match primitive {
        Add | AddChecked => TypeConstraint::ADDITIVE,
        Subtract | SubtractChecked | Multiply | MultiplyChecked | Divide | Remainder => TypeConstraint::NUMBER,
        Power => TypeConstraint::FLOAT.and(TypeConstraint::PLAIN),
        SquareRoot | Floor | Ceiling | Truncate | Round | Elementary(_) | ArcTangent2 => TypeConstraint::FLOAT,
        Negate | NegateChecked | Absolute | Sign => TypeConstraint::SIGNED,
        BitAnd | BitOr | BitXor | BitNot => TypeConstraint::BITS.and(TypeConstraint::PLAIN),
        ShiftLeft | ShiftRight => TypeConstraint::INTEGER.and(TypeConstraint::PLAIN),
        Equal | NotEqual => TypeConstraint::EQUALITY,
        Less | LessEqual | Greater | GreaterEqual | Compare | Minimum | Maximum => TypeConstraint::COMPARISON,
        Convert | ConvertChecked => TypeConstraint::CONVERTIBLE,
        AddOverflows | SubtractOverflows | MultiplyOverflows => TypeConstraint::INTEGER,
        Hash => TypeConstraint::EQUALITY,
        Not | MakeReference | ReadReference | WriteReference | Text(_) => TypeConstraint::NOTHING,
    }
}
