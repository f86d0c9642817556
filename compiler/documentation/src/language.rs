//! What the language itself defines, as a page: functions, operators, types and attributes.

use clef_check::{
    ATTRIBUTES,
    index::builtin_facts::{self, BuiltinFacts, written},
};

/// What the language defines.
#[derive(Clone, Copy, Debug)]
pub enum Defined<'n> {
    /// A function or an operator.
    Value(&'n str),
    /// A type.
    Type(&'n str),
    /// An attribute.
    Attribute(&'n str),
}

/// The title of the page.
pub const TITLE: &str = "Functions of the language";

/// The page, in Markdown.
pub fn page() -> String {
    let value = |builtin: &BuiltinFacts| {
        let heading = heading(Defined::Value(builtin.name));
        format!("\n{heading}\n\n```text\n{}\n```\n\n{}\n", builtin.declaration(), builtin.documentation())
    };
    let functions: String = builtin_facts::functions().iter().map(value).collect();
    let operators: String = builtin_facts::operators().iter().map(value).collect();
    let ty = |(name, meaning): &(&str, &str)| format!("\n{}\n\n{meaning}\n", heading(Defined::Type(name)));
    let types: String = builtin_facts::types().iter().map(ty).collect();
    let attribute = |(name, _): &(&str, &str)| {
        let meaning = meaning_of_attribute(name).unwrap_or_default();
        format!("\n{}\n\n{meaning}\n", heading(Defined::Attribute(name)))
    };
    let attributes: String = ATTRIBUTES.iter().map(attribute).collect();
    format!(
        "# {TITLE}\n\n\
        The language itself defines these functions, operators, types and attributes. They are in scope everywhere, without `open`, \
        and a program may define others of the same names. An `…` is for what depends on an argument, as the parameters of \
        `printfn` depend on its format.\n{functions}{operators}{types}{attributes}"
    )
}

/// The heading of what is said about something on the page, without which it has no place there.
pub fn heading(of: Defined<'_>) -> String {
    match of {
        Defined::Value(name) => format!("## `{}`", written(name)),
        Defined::Type(name) => format!("## `type {name}`"),
        Defined::Attribute(name) => format!("## `[<{name}>]`"),
    }
}

/// The number of the line of a heading, from zero.
pub fn line(of: Defined<'_>) -> Option<usize> {
    let heading = heading(of);
    page().lines().position(|line| line == heading)
}

/// What an attribute is for, as a sentence.
pub fn meaning_of_attribute(name: &str) -> Option<String> {
    let (_, meaning) = ATTRIBUTES.iter().find(|(own, _)| *own == name)?;
    let (first, rest) = meaning.split_at(1);
    Some(format!("{}{rest}.", first.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_place() {
        for of in [Defined::Value("+"), Defined::Type("int"), Defined::Attribute("Test"), Defined::Value("Value")] {
            assert!(line(of).is_some(), "{of:?}");
        }
        assert_eq!(line(Defined::Value("nothing")), None);
        assert_eq!(meaning_of_attribute("Test").as_deref(), Some("`clefc test` runs the function."));
    }
}
