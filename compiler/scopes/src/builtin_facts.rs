//! The types and the documentation of the functions that the language itself defines.
//!
//! In: a name. Out: its parameters and its result as the source would write them, and a comment of the form that functions of the
//! library have. Types whose form depends on an argument, as that of `printfn` does, are abridged with `…`.

use clef_base::Symbol;

/// A function of the language.
pub struct BuiltinFacts {
    /// Its name.
    pub name: &'static str,
    /// The types of its parameters.
    pub parameters: &'static [&'static str],
    /// The type of its result.
    pub result: &'static str,
    /// What it returns or does.
    summary: &'static str,
    /// A condition that holds; none for what only has effects.
    example: &'static str,
    /// What it allocates.
    allocation: &'static str,
    complexity: &'static str,
}

const fn row(
    name: &'static str,
    parameters: &'static [&'static str],
    result: &'static str,
    summary: &'static str,
    example: &'static str,
) -> BuiltinFacts {
    BuiltinFacts { name, parameters, result, summary, example, allocation: "none", complexity: "O(1)" }
}

/// The same for a function whose time depends on the size of the value.
const fn whole(allocation: &'static str, builtin: BuiltinFacts) -> BuiltinFacts {
    BuiltinFacts { allocation, complexity: "O(n) in the size of the value", ..builtin }
}

const FLOAT: &[&str] = &["'a"];

const BUILTINS: &[BuiltinFacts] = &[
    whole(
        "none",
        row(
            "printf",
            &["format"],
            "… -> unit",
            "Writes a text to standard output: the format, with each `%d`, `%s` and other specifier replaced by an argument.",
            "",
        ),
    ),
    whole(
        "none",
        row(
            "printfn",
            &["format"],
            "… -> unit",
            "Writes a line to standard output: the format, with each `%d`, `%s` and other specifier replaced by an argument.",
            "",
        ),
    ),
    whole(
        "none",
        row(
            "eprintf",
            &["format"],
            "… -> unit",
            "Writes a text to standard error, as `printf` does to standard output.",
            "",
        ),
    ),
    whole(
        "none",
        row(
            "eprintfn",
            &["format"],
            "… -> unit",
            "Writes a line to standard error, as `printfn` does to standard output.",
            "",
        ),
    ),
    whole(
        "the string",
        row(
            "sprintf",
            &["format"],
            "… -> string",
            "The text that `printf` would write.",
            "sprintf \"%d of %s\" 2 \"three\" = \"2 of three\"",
        ),
    ),
    whole(
        "the message",
        row(
            "failwithf",
            &["format"],
            "… -> 'a",
            "Ends the program with a trap, whose message is the text that `printf` would write.",
            "",
        ),
    ),
    whole(
        "none",
        row(
            "compare",
            &["'a", "'a"],
            "int",
            "A negative number, zero or a positive one: the order of two values.",
            "compare 1 2 < 0 && compare \"a\" \"a\" = 0",
        ),
    ),
    whole("none", row("max", &["'a", "'a"], "'a", "The larger of two values.", "max 3 4 = 4")),
    whole("none", row("min", &["'a", "'a"], "'a", "The smaller of two values.", "min 3 4 = 3")),
    whole(
        "none",
        row(
            "hash",
            &["'a"],
            "int",
            "A number that is the same for values that are equal.",
            "hash (1, 'a') = hash (1, 'a')",
        ),
    ),
    whole(
        "the string",
        row("string", &["'a"], "string", "A value as text; a string is its own text.", "string 42 = \"42\""),
    ),
    whole("the string", row("ToString", &["unit"], "string", "The value as text.", "(42).ToString() = \"42\"")),
    row("not", &["bool"], "bool", "Whether a condition does not hold.", "not false"),
    BuiltinFacts {
        allocation: "the ref cell",
        ..row("ref", &["'a"], "'a ref", "A ref cell with a first content, which can be replaced.", "(ref 3).Value = 3")
    },
    row("Value", &[], "'a", "The content of a ref cell; `cell.Value <- x` replaces it.", "(ref 3).Value = 3"),
    row("contents", &[], "'a", "The content of a ref cell; `cell.contents <- x` replaces it.", "(ref 3).contents = 3"),
    row("abs", &["'a"], "'a", "The absolute value of a number. The smallest integer is its own.", "abs -3 = 3"),
    row("sign", &["'a"], "int", "-1, 0 or 1: the sign of a number.", "sign -2.5 = -1"),
    row("sqrt", FLOAT, "'a", "The square root of a float.", "sqrt 16.0 = 4.0"),
    row("floor", FLOAT, "'a", "The largest whole number that is not above a float.", "floor -1.5 = -2.0"),
    row("ceil", FLOAT, "'a", "The smallest whole number that is not below a float.", "ceil -1.5 = -1.0"),
    row("truncate", FLOAT, "'a", "A float without its fraction.", "truncate -1.5 = -1.0"),
    row("round", FLOAT, "'a", "The nearest whole number; of two, the even one.", "round 2.5 = 2.0"),
    row(
        "atan2",
        &["'a", "'a"],
        "'a",
        "The angle of the point with these coordinates, y and x, in radians.",
        "atan2 0.0 1.0 = 0.0",
    ),
    row("sin", FLOAT, "'a", "The sine of an angle in radians.", "sin 0.0 = 0.0"),
    row("cos", FLOAT, "'a", "The cosine of an angle in radians.", "cos 0.0 = 1.0"),
    row("tan", FLOAT, "'a", "The tangent of an angle in radians.", "tan 0.0 = 0.0"),
    row("asin", FLOAT, "'a", "The angle in radians that has a sine.", "asin 0.0 = 0.0"),
    row("acos", FLOAT, "'a", "The angle in radians that has a cosine.", "acos 1.0 = 0.0"),
    row("atan", FLOAT, "'a", "The angle in radians that has a tangent.", "atan 0.0 = 0.0"),
    row("sinh", FLOAT, "'a", "The hyperbolic sine.", "sinh 0.0 = 0.0"),
    row("cosh", FLOAT, "'a", "The hyperbolic cosine.", "cosh 0.0 = 1.0"),
    row("tanh", FLOAT, "'a", "The hyperbolic tangent.", "tanh 0.0 = 0.0"),
    row("exp", FLOAT, "'a", "The exponential function.", "exp 0.0 = 1.0"),
    row("log", FLOAT, "'a", "The natural logarithm.", "log 1.0 = 0.0"),
    row("log10", FLOAT, "'a", "The logarithm to base 10.", "log10 1.0 = 0.0"),
    row("log2", FLOAT, "'a", "The logarithm to base 2.", "log2 8.0 = 3.0"),
    row("enum", &["'a"], "'b", "The value of an enum with a number.", ""),
    integer("int8", "an integer of 8 bits", "int8 300 = 44y"),
    integer("sbyte", "an integer of 8 bits", "sbyte 300 = 44y"),
    integer("uint8", "an unsigned integer of 8 bits", "uint8 300 = 44uy"),
    integer("byte", "an unsigned integer of 8 bits", "byte 300 = 44uy"),
    integer("int16", "an integer of 16 bits", "int16 70000 = 4464s"),
    integer("uint16", "an unsigned integer of 16 bits", "uint16 70000 = 4464us"),
    integer("int32", "an integer of 32 bits", "int32 1.9 = 1l"),
    integer("uint32", "an unsigned integer of 32 bits", "uint32 \"7\" = 7ul"),
    integer("int64", "an integer of 64 bits", "int64 7 = 7L"),
    integer("uint64", "an unsigned integer of 64 bits", "uint64 7 = 7UL"),
    integer("int", "an integer of the target's word", "int \" 42\" = 42"),
    integer("uint", "an unsigned integer of the target's word", "int (uint 7) = 7"),
    integer("nativeint", "an integer of the size of an address", "nativeint 7 = 7n"),
    integer("unativeint", "an unsigned integer of the size of an address", "unativeint 7 = 7un"),
    row(
        "float",
        &["'a"],
        "float",
        "Converts a number, or the text of one, to a float of 64 bits. Text that is none traps.",
        "float 7 = 7.0",
    ),
    row(
        "float64",
        &["'a"],
        "float",
        "Converts a number, or the text of one, to a float of 64 bits. Text that is none traps.",
        "float64 7 = 7.0",
    ),
    row(
        "double",
        &["'a"],
        "float",
        "Converts a number, or the text of one, to a float of 64 bits. Text that is none traps.",
        "double 7 = 7.0",
    ),
    row(
        "float32",
        &["'a"],
        "float32",
        "Converts a number, or the text of one, to a float of 32 bits. Text that is none traps.",
        "float32 7 = 7.0f",
    ),
    row(
        "single",
        &["'a"],
        "float32",
        "Converts a number, or the text of one, to a float of 32 bits. Text that is none traps.",
        "single 7 = 7.0f",
    ),
    row("char", &["'a"], "char", "Converts a number, or a text of one character, to a character.", "char 65 = 'A'"),
];

/// A conversion to an integer type.
const fn integer(name: &'static str, ty: &'static str, example: &'static str) -> BuiltinFacts {
    row(name, &["'a"], name, ty, example)
}

impl BuiltinFacts {
    /// Its declaration, as a module of the library would have it.
    pub fn declaration(&self) -> String {
        let parameters: String = self.parameters.iter().map(|ty| format!("{ty} -> ")).collect();
        format!("val {}: {parameters}{}", self.name, self.result)
    }

    /// Its documentation.
    pub fn documentation(&self) -> String {
        let is_integer = self.summary.starts_with("an ");
        let summary = match is_integer {
            true => format!(
                "Converts a number, a character, or the text of a number to {}. Bits of integers that do not fit are lost. Floats \
                 lose their fraction, and beyond the type they become its nearest limit. Text that is no number of the type traps.",
                self.summary
            ),
            false => self.summary.to_owned(),
        };
        let example = if self.example.is_empty() { String::new() } else { format!("    {}\n\n", self.example) };
        format!("{summary}\n\n{example}Allocation: {}. Complexity: {}.", self.allocation, self.complexity)
    }
}

/// All of them, in the order of their concepts.
pub fn all() -> &'static [BuiltinFacts] {
    BUILTINS
}

/// The function with this name.
pub fn find(name: Symbol) -> Option<&'static BuiltinFacts> {
    BUILTINS.iter().find(|builtin| builtin.name == name.as_str())
}

/// The conditions that the documentation shows; all hold.
pub fn examples() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|builtin| builtin.example).filter(|example| !example.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meaning, Names};

    #[test]
    fn every_named_function_of_the_language_is_described() {
        let names = Names::default();
        let is_word = |name: Symbol| name.as_str().starts_with(char::is_alphabetic);
        let functions =
            names.values.names().filter(|(name, entry)| matches!(entry.meaning, Meaning::Builtin(_)) && is_word(*name));
        let missing: Vec<Symbol> = functions.map(|(name, _)| name).filter(|name| find(*name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
