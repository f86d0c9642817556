//! The syntax definition of `bat` and Sublime Text.

use super::{Class, Lists, NOTICE, Region, Rule};
use std::fmt::Write;

/// The rules as a syntax definition.
pub fn sublime(lists: &Lists) -> String {
    let mut text =
        format!("%YAML 1.2\n---\n# {NOTICE}\nname: Clef\nfile_extensions: [clef]\nscope: source.clef\n\ncontexts:\n");
    let first = lists.first().map_or("", |(name, _)| name);
    let mut write = |line: std::fmt::Arguments<'_>| text.write_fmt(line).expect("a string takes any text");
    write(format_args!("  main:\n    - include: {first}\n"));
    for (name, rules) in lists {
        match rules.as_slice() {
            [] => write(format_args!("  {name}: []\n")),
            rules => {
                write(format_args!("  {name}:\n"));
                rules.iter().for_each(|rule| write(format_args!("{}", definition(rule))));
            }
        }
    }
    text
}

/// A pattern in single quotes.
fn quoted(pattern: &str) -> String {
    format!("'{}'", pattern.replace('\'', "''"))
}

fn definition(rule: &Rule) -> String {
    match rule {
        Rule::Include(name) => format!("    - include: {name}\n"),
        Rule::Text(text, class) => {
            let scope = class.map(|class| format!("      scope: {}\n", class.scope())).unwrap_or_default();
            format!("    - match: {}\n{scope}", quoted(text))
        }
        Rule::Pieces(pieces) => {
            let text: String = pieces.iter().map(|(text, _)| format!("({text})")).collect();
            let captures = pieces
                .iter()
                .zip(1..)
                .filter_map(|((_, class), index)| Some(format!("        {index}: {}\n", class.map(Class::scope)?)));
            format!("    - match: {}\n      captures:\n{}", quoted(&text), captures.collect::<String>())
        }
        Rule::Region(Region { open, close, delimiter, content, rules }) => {
            // Code in a string does not have the scope of the string.
            let scope = match content {
                Some(class) => format!("        - meta_scope: {}\n", class.scope()),
                None if *delimiter == Class::Hole => {
                    "        - clear_scopes: 1\n        - meta_scope: meta.interpolation.clef\n".to_owned()
                }
                None => String::new(),
            };
            let delimiter = delimiter.scope();
            let (open, close) = (quoted(open), quoted(close));
            format!(
                "    - match: {open}\n      scope: {delimiter}\n      push:\n{scope}        - match: {close}\n          scope: {delimiter}\n          pop: true\n        - include: {rules}\n"
            )
        }
    }
}
