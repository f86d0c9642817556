//! Source text of expressions, for proposals that contain it.

use std::borrow::Cow;

/// An expression as an argument: in parentheses if it needs them.
pub fn atom(text: &str) -> Cow<'_, str> {
    let plain = text.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '.' | '\''));
    let in_parentheses = text.starts_with('(') && text.ends_with(')') && text.matches('(').count() == 1;
    if plain || in_parentheses { text.into() } else { format!("({text})").into() }
}

/// The value of a decimal literal with or without suffix; of an integer that a float holds exactly, or nearly.
pub fn number(text: &str) -> Option<f64> {
    let is_literal = text.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
    let digits = text.trim_end_matches(['y', 's', 'u', 'l', 'n', 'U', 'L', 'f', 'F']).replace('_', "");
    digits.parse().ok().filter(|_| is_literal)
}
