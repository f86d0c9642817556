//! The functions that the language itself defines.

use clef_infer::TypeConstructor;
use clef_types::Primitive;

/// A function of the language.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Builtin {
    /// `+`, `not`, `sqrt`, ….
    Primitive(Primitive),
    /// `int`, `float`, `char`, …: a conversion to a type.
    Convert(TypeConstructor),
    /// The same, trapping if the value does not fit.
    ConvertChecked(TypeConstructor),
    /// `printf` and related functions: not a value, since its type depends on its format.
    Printf(Printf),
    /// `enum`: from an integer to the enum of its type.
    Enum,
}

/// A function that takes a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Printf {
    /// `printf`.
    Write,
    /// `printfn`.
    WriteLine,
    /// `eprintf`.
    Error,
    /// `eprintfn`.
    ErrorLine,
    /// `sprintf`.
    Make,
    /// `failwithf`.
    Fail,
}

impl Printf {
    /// All of them.
    pub(crate) const ALL: [Printf; 6] =
        [Printf::Write, Printf::WriteLine, Printf::Error, Printf::ErrorLine, Printf::Make, Printf::Fail];

    /// Its name in the source.
    pub fn name(self) -> &'static str {
        match self {
            Printf::Write => "printf",
            Printf::WriteLine => "printfn",
            Printf::Error => "eprintf",
            Printf::ErrorLine => "eprintfn",
            Printf::Make => "sprintf",
            Printf::Fail => "failwithf",
        }
    }
}
