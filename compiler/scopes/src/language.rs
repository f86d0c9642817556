//! The names that the language itself defines, in scope before the library.

use crate::{
    builtin::{Builtin, Printf},
    meaning::{Meaning, TypeMeaning},
    module::{Entry, Visibility},
    names::Names,
};
use clef_base::Symbol;
use clef_infer::{Ty, TypeConstructor};
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

impl Default for Names {
    fn default() -> Names {
        let mut names = Names::empty();
        names.declare_builtins();
        names
    }
}

impl Names {
    /// Declares the functions and types that every program has in scope.
    fn declare_builtins(&mut self) {
        let visibility = self.visibility(Access::Public);
        let functions = FUNCTIONS.iter().map(|(name, primitive)| (*name, Builtin::Primitive(*primitive)));
        let elementary = Elementary::ALL.into_iter();
        let elementary = elementary.map(|one| (one.name(), Builtin::Primitive(Primitive::Elementary(one))));
        let functions = functions.chain(elementary);
        let integers = INTEGERS.iter().map(|(name, kind)| (*name, TypeConstructor::Integer(*kind)));
        let converted: Vec<_> = integers.chain(CONVERTIBLE.iter().copied()).collect();
        let conversions = converted.iter().map(|(name, constructor)| (*name, Builtin::Convert(*constructor)));
        for (name, builtin) in functions.chain(conversions).chain([("enum", Builtin::Enum)]) {
            self.values.add(Symbol::new(name), Entry { meaning: Meaning::Builtin(builtin), visibility });
        }
        let others =
            [("unit", TypeConstructor::Unit), ("bool", TypeConstructor::Bool), ("string", TypeConstructor::String)];
        for (name, constructor) in converted.into_iter().chain(others) {
            let meaning = TypeMeaning::Simple(Ty::simple(constructor));
            self.types.add(Symbol::new(name), Entry { meaning, visibility });
        }
        for (name, meaning) in
            [("ref", TypeMeaning::Reference), ("array", TypeMeaning::Array), ("nativeptr", TypeMeaning::NativePointer)]
        {
            self.types.add(Symbol::new(name), Entry { meaning, visibility });
        }
        self.declare_printf(visibility);
        self.declare_checked(visibility);
    }

    /// `printf` and related functions, also visible in the module `Printf`.
    fn declare_printf(&mut self, visibility: Visibility) {
        let module = self.enter(self.root, Symbol::new("Printf"), true);
        for printf in Printf::ALL {
            let entry = Entry { meaning: Meaning::Builtin(Builtin::Printf(printf)), visibility };
            let name = Symbol::new(printf.name());
            self.values.add(name, entry.clone());
            self.modules[module].values.insert(name, entry);
        }
    }

    /// The module `Checked`: its operators and conversions trap on overflow.
    fn declare_checked(&mut self, visibility: Visibility) {
        let module = self.enter(self.root, Symbol::new("Checked"), true);
        let operators = CHECKED.iter().map(|(name, primitive)| (*name, Builtin::Primitive(*primitive)));
        let integers =
            INTEGERS.iter().map(|(name, kind)| (*name, Builtin::ConvertChecked(TypeConstructor::Integer(*kind))));
        let character = ("char", Builtin::ConvertChecked(TypeConstructor::Char));
        for (name, builtin) in operators.chain(integers).chain([character]) {
            let entry = Entry { meaning: Meaning::Builtin(builtin), visibility };
            self.modules[module].values.insert(Symbol::new(name), entry);
        }
    }
}
