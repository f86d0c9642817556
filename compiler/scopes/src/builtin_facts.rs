//! The types and the documentation of the functions, operators, types and attributes that the language itself defines.
//!
//! In: a name. Out: its parameters and its result as the source would write them, and a comment of the form that functions of the
//! library have. Types whose form depends on an argument, as that of `printfn` does, are abridged with `…`.

use clef_base::Symbol;
use std::borrow::Cow;

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

/// The operators by their symbols, prefix operators with `~` as F# writes them.
const OPERATORS: &[BuiltinFacts] = &[
    row(
        "+",
        SAME,
        "'a",
        "The sum of two numbers, or two strings one after the other. Bits of integers that do not fit are lost.",
        "1 + 2 = 3",
    ),
    row("-", SAME, "'a", "The difference of two numbers. Bits of integers that do not fit are lost.", "3 - 2 = 1"),
    row("*", SAME, "'a", "The product of two numbers. Bits of integers that do not fit are lost.", "2 * 3 = 6"),
    row(
        "/",
        SAME,
        "'a",
        "The quotient of two numbers; that of integers without its fraction. Dividing an integer by zero traps.",
        "-7 / 2 = -3",
    ),
    row("%", SAME, "'a", "What remains of a division; it has the sign of the left number.", "-7 % 2 = -1"),
    row("**", SAME, "'a", "A float to the power of another.", "2.0 ** 3.0 = 8.0"),
    row("~-", FLOAT, "'a", "The negative of a number.", "-(3 + 4) = -7"),
    row("&&&", SAME, "'a", "The bits that are in both integers.", "6 &&& 3 = 2"),
    row("|||", SAME, "'a", "The bits that are in any of two integers.", "6 ||| 3 = 7"),
    row("^^^", SAME, "'a", "The bits that are in one of two integers only.", "6 ^^^ 3 = 5"),
    row("~~~", FLOAT, "'a", "The bits that are not in an integer.", "~~~0 = -1"),
    row(
        "<<<",
        SHIFT,
        "'a",
        "An integer with its bits shifted to the left. Of the count, the bits that are less than the width matter.",
        "1 <<< 4 = 16",
    ),
    row(
        ">>>",
        SHIFT,
        "'a",
        "An integer with its bits shifted to the right. Signed integers keep their sign.",
        "-16 >>> 2 = -4",
    ),
    compared("=", "Whether two values are equal: all of their parts are.", "(1, \"a\") = (1, \"a\")"),
    compared("<>", "Whether two values are not equal.", "1 <> 2"),
    compared("<", "Whether a value is less than another one.", "1 < 2"),
    compared("<=", "Whether a value is less than another one, or equal.", "2 <= 2"),
    compared(">", "Whether a value is greater than another one.", "2 > 1"),
    compared(">=", "Whether a value is greater than another one, or equal.", "2 >= 2"),
    row(
        "&&",
        &["bool", "bool"],
        "bool",
        "Whether both conditions hold. The right one is only evaluated if the left one holds.",
        "true && 1 < 2",
    ),
    row(
        "||",
        &["bool", "bool"],
        "bool",
        "Whether any of two conditions holds. The right one is only evaluated if the left one does not hold.",
        "false || 1 < 2",
    ),
    row("!", &["'a ref"], "'a", "The content of a ref cell.", "!(ref 3) = 3"),
    row(":=", &["'a ref", "'a"], "unit", "Replaces the content of a ref cell.", ""),
];

const SAME: &[&str] = &["'a", "'a"];
const SHIFT: &[&str] = &["'a", "int"];

/// A comparison.
const fn compared(name: &'static str, summary: &'static str, example: &'static str) -> BuiltinFacts {
    whole("none", row(name, SAME, "bool", summary, example))
}

/// The module with the functions on a built-in type.
pub const MODULES: &[(&str, &str)] = &[
    ("string", "String"),
    ("char", "Char"),
    ("array", "Array"),
    ("list", "List"),
    ("option", "Option"),
    ("seq", "Seq"),
];

/// The types, each with its meaning.
const TYPES: &[(&str, &str)] = &[
    ("unit", "The type of `()`, for what has no value."),
    ("bool", "`true` or `false`."),
    ("char", "A Unicode character: `'a'`."),
    ("string", "A text: `\"abc\"`."),
    ("int", "A signed integer of the target's word, 32 or 64 bits: `1`."),
    ("uint", "An unsigned integer of the target's word: `1u`."),
    ("int8", "A signed integer of 8 bits: `1y`."),
    ("sbyte", "Another name of `int8`."),
    ("uint8", "An unsigned integer of 8 bits: `1uy`."),
    ("byte", "Another name of `uint8`."),
    ("int16", "A signed integer of 16 bits: `1s`."),
    ("uint16", "An unsigned integer of 16 bits: `1us`."),
    ("int32", "A signed integer of 32 bits: `1l`."),
    ("uint32", "An unsigned integer of 32 bits: `1ul`."),
    ("int64", "A signed integer of 64 bits: `1L`."),
    ("uint64", "An unsigned integer of 64 bits: `1UL`."),
    ("nativeint", "A signed integer of the size of an address: `1n`."),
    ("unativeint", "An unsigned integer of the size of an address: `1un`."),
    ("float", "A float of 64 bits: `1.5`."),
    ("float64", "Another name of `float`."),
    ("double", "Another name of `float`."),
    ("float32", "A float of 32 bits: `1.5f`."),
    ("single", "Another name of `float32`."),
    ("ref", "A ref cell, whose content can be replaced: `int ref`."),
    ("array", "Values of a type, whose number is fixed, and each of which can be replaced: `int array`, or `int[]`."),
    ("nativeptr", "An address of a value of a type: `nativeptr<int>`."),
];

/// The attributes of programs, and what each says.
pub const ATTRIBUTES: &[(&str, &str)] = &[
    ("Align", "the least alignment of a value, in bytes: `[<Align(16)>]`"),
    ("AutoOpen", "the module is opened with the one around it"),
    ("EntryPoint", "the program starts with this function"),
    ("Export", "C can call the function by this symbol: `[<Export(\"on_event\")>]`"),
    ("Extern", "the function is one of C: `[<Extern(\"symbol\")>]`"),
    ("FidelityExtern", "the function is one of a library of C: `[<FidelityExtern(\"library\", \"symbol\")>]`"),
    ("Interrupt", "the function handles an interrupt, by number or name: `[<Interrupt(3)>]`"),
    ("Literal", "the value is a constant, also in patterns and attributes"),
    ("Measure", "the type is a unit of measure"),
    ("NoInline", "calls of the function are not replaced by its body"),
    ("RequireQualifiedAccess", "names are only used with that of their module or type"),
    ("Section", "the section of the image that contains the value: `[<Section(\".name\")>]`"),
    ("ShouldTrap", "the test must end with a trap, also with a certain message: `[<ShouldTrap(\"text\")>]`"),
    ("Struct", "the type is a value; records and unions are in any case"),
    ("Test", "`clefc test` runs the function"),
];

/// A conversion to an integer type.
const fn integer(name: &'static str, ty: &'static str, example: &'static str) -> BuiltinFacts {
    row(name, &["'a"], name, ty, example)
}

impl BuiltinFacts {
    /// Its declaration, as a module of the library would have it.
    pub fn declaration(&self) -> String {
        let parameters: String = self.parameters.iter().map(|ty| format!("{ty} -> ")).collect();
        format!("val {}: {parameters}{}", written(self.name), self.result)
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

/// All functions, in the order of their concepts.
pub fn functions() -> &'static [BuiltinFacts] {
    BUILTINS
}

/// All operators.
pub fn operators() -> &'static [BuiltinFacts] {
    OPERATORS
}

/// All types, each with its meaning.
pub fn types() -> &'static [(&'static str, &'static str)] {
    TYPES
}

/// The function or operator with this name.
pub fn find(name: Symbol) -> Option<&'static BuiltinFacts> {
    BUILTINS.iter().chain(OPERATORS).find(|builtin| builtin.name == name.as_str())
}

/// The meaning of the type with this name.
pub fn find_type(name: Symbol) -> Option<&'static str> {
    TYPES.iter().find(|(own, _)| *own == name.as_str()).map(|(_, meaning)| *meaning)
}

/// A name as it is written where it is not applied: an operator in parentheses.
pub fn written(name: &str) -> Cow<'_, str> {
    if name.starts_with(char::is_alphabetic) { name.into() } else { format!("({name})").into() }
}

/// The conditions that the documentation shows; all hold.
pub fn examples() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().chain(OPERATORS).map(|builtin| builtin.example).filter(|example| !example.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meaning, Names};

    #[test]
    fn everything_that_the_language_defines_is_described() {
        let names = Names::default();
        let functions = names.values.names().filter(|(_, entry)| matches!(entry.meaning, Meaning::Builtin(_)));
        let missing: Vec<Symbol> = functions.map(|(name, _)| name).filter(|name| find(*name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let types = names.types.names().map(|(name, _)| name);
        let missing: Vec<Symbol> = types.filter(|name| find_type(*name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
