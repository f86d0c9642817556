//! Names of descriptions as names of Clef.

use clef_base::HashSet;
use clef_syntax::token::Keyword;

/// The name of a type or a module: it begins with a capital letter, if it begins with a letter.
pub(crate) fn upper(name: &str) -> String {
    let cleaned = cleaned(name);
    let mut characters = cleaned.chars();
    match characters.next() {
        Some(first) if first.is_ascii_digit() => format!("N{cleaned}"),
        Some(first) => first.to_ascii_uppercase().to_string() + characters.as_str(),
        None => "N".to_owned(),
    }
}

/// The name of a value: lower case.
pub(crate) fn lower(name: &str) -> String {
    let cleaned = cleaned(name).to_ascii_lowercase();
    match cleaned.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("n{cleaned}"),
        Some(_) if Keyword::of(&cleaned).is_some() => format!("{cleaned}_"),
        Some(_) => cleaned,
        None => "n".to_owned(),
    }
}

/// A name without what stands for an index.
pub(crate) fn stem(name: &str) -> String {
    name.replace("[%s]", "").replace("%s", "")
}

/// The letters, digits and underscores of a name, without what stands for an index.
fn cleaned(name: &str) -> String {
    let name = stem(name);
    let letters: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    let trimmed = letters.trim_matches('_');
    trimmed.to_owned()
}

/// The names that are taken in a module.
#[derive(Default)]
pub(crate) struct Taken(HashSet<String>);

impl Taken {
    /// The name, or if it is taken, the name with a number.
    pub(crate) fn fresh(&mut self, name: String) -> String {
        let mut fresh = name.clone();
        let mut number = 2;
        while !self.0.insert(fresh.clone()) {
            fresh = format!("{name}_{number}");
            number += 1;
        }
        fresh
    }
}

/// A text in one line, without characters that a comment cannot have.
pub(crate) fn line(text: Option<&str>) -> String {
    let words = text.unwrap_or_default().split_whitespace();
    let visible = |c: char| {
        if c.is_control() || ('\u{2028}'..='\u{202E}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c) {
            ' '
        } else {
            c
        }
    };
    words.collect::<Vec<_>>().join(" ").chars().map(visible).collect()
}
