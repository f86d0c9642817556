//! Names of C as names of Clef. They stay as they are, in quotes if they are words of Clef, with an underscore if a type of Clef has
//! the name; the names of parameters begin with a small letter, since others look like cases of a union in a pattern.

use clef_syntax::token::Keyword;

/// The names of Clef's types, which a type of C must not hide: bindings and programs that open them refer to these.
const TYPES: [&str; 39] = [
    "I2cError",
    "KeyValuePair",
    "Lazy",
    "List",
    "Map",
    "Option",
    "Result",
    "Set",
    "ValueOption",
    "array",
    "bool",
    "byte",
    "char",
    "double",
    "float",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "list",
    "nativeint",
    "nativeptr",
    "option",
    "ref",
    "sbyte",
    "seq",
    "single",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unativeint",
    "unit",
    "voption",
];

/// The name of a value.
pub(crate) fn value(name: &str) -> String {
    match Keyword::of(name).is_some() || name.contains('$') {
        true => format!("``{name}``"),
        false => name.to_owned(),
    }
}

/// The name of a type.
pub(crate) fn type_name(name: &str) -> String {
    if TYPES.contains(&name) { format!("{name}_") } else { value(name) }
}

/// The documentation of a type with another name than it has in C, if it has one there; the line ends in a line break.
pub(crate) fn renamed(in_c: Option<&str>, own: &str) -> String {
    in_c.filter(|name| value(name) != own).map(|name| format!("/// `{name}` in C.\n")).unwrap_or_default()
}

/// The name of a parameter that no other one has.
pub(crate) fn parameter(name: Option<&str>, index: usize, others: &[String]) -> String {
    let lowered = name.map(|name| {
        // `GPIOx` becomes `gpiox`.
        let (capitals, rest) = name.split_at(name.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(name.len()));
        capitals.to_ascii_lowercase() + rest
    });
    let named = lowered.map_or_else(|| format!("argument{index}"), |name| value(&name));
    if others.contains(&named) { format!("argument{index}") } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        assert_eq!(value("type"), "``type``");
        assert_eq!(value("types"), "types");
        assert_eq!(type_name("float"), "float_");
        assert_eq!(type_name("list"), "list_");
        assert_eq!(renamed(Some("list"), "list_"), "/// `list` in C.\n");
        assert_eq!(renamed(Some("end"), "``end``") + &renamed(None, "outer_kind"), "");
    }

    #[test]
    fn parameters_are_small() {
        assert_eq!(parameter(Some("GPIOx"), 0, &[]), "gpiox");
        assert_eq!(parameter(Some("End"), 0, &[]), "``end``");
        assert_eq!(parameter(None, 2, &[]), "argument2");
        assert_eq!(parameter(Some("A"), 1, &["a".to_owned()]), "argument1");
    }
}
