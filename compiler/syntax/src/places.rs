//! The source positions of the characters of a string literal.
//!
//! In: the source text of a valid string literal, with its quotes. Out: for each character of its value, the range of
//! bytes that encodes it, relative to the literal's start, so that a message can point into it.

use std::{iter::Peekable, ops::Range, str::CharIndices};

/// The byte range of each character of a literal's value.
pub fn characters(literal: &str) -> Vec<Range<usize>> {
    let (opener, closer, form) = if literal.starts_with("\"\"\"") {
        (3, 3, Form::Triple)
    } else if literal.starts_with('@') {
        (2, 1, Form::Verbatim)
    } else {
        (1, 1, Form::Regular)
    };
    let Some(body) = literal.get(opener..literal.len().saturating_sub(closer)) else { return Vec::new() };
    let mut characters = body.char_indices().peekable();
    let mut places = Vec::new();
    while let Some((start, c)) = characters.next() {
        let stands = match (form, c) {
            (Form::Regular, '\\') => escape(&mut characters),
            (Form::Verbatim, '"') => characters.next().is_some(),
            (Form::Regular | Form::Triple, '\r') => characters.peek().is_none_or(|(_, next)| *next != '\n'),
            (Form::Regular | Form::Verbatim | Form::Triple, _) => true,
        };
        let end = characters.peek().map_or(body.len(), |(end, _)| *end);
        if stands {
            places.push(opener + start..opener + end);
        }
    }
    places
}

#[derive(Clone, Copy)]
enum Form {
    /// `"…"`: escapes.
    Regular,
    /// `@"…"`: `""` is a quote.
    Verbatim,
    /// `"""…"""`: no escapes.
    Triple,
}

/// Consumes the rest of an escape; false if it encodes no character: a line continuation.
fn escape(characters: &mut Peekable<CharIndices<'_>>) -> bool {
    let Some((_, c)) = characters.next() else { return false };
    let more = match c {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '0'..='9' => {
            // `\0` alone is one digit, `\065` three.
            let mut ahead = characters.clone();
            let three = (0..2).all(|_| ahead.next().is_some_and(|(_, c)| c.is_ascii_digit()));
            if three { 2 } else { 0 }
        }
        '\r' | '\n' => {
            if c == '\r' {
                characters.next_if(|(_, c)| *c == '\n');
            }
            while characters.next_if(|(_, c)| *c == ' ').is_some() {}
            return false;
        }
        _ => 0,
    };
    for _ in 0..more {
        characters.next_if(|(_, c)| c.is_ascii_hexdigit());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer;
    use crate::token::TokenKind;
    use clef_base::SourceMap;

    /// Checks the source text of each character; the value of a literal must have as many characters.
    fn check(literal: &str, expected: &[&str]) {
        let mut sources = SourceMap::default();
        let file = sources.add("test.clef", literal.to_owned());
        let (tokens, diagnostics) = lexer::lex(file, literal, &|_| false);
        assert!(diagnostics.is_empty(), "{literal}");
        let Some(TokenKind::String(value)) = tokens.first().map(|token| token.kind.clone()) else {
            panic!("not a string: {literal}")
        };
        let places: Vec<&str> = characters(literal).into_iter().map(|range| &literal[range]).collect();
        assert_eq!(places, expected, "{literal}");
        assert_eq!(value.chars().count(), places.len(), "{literal}");
    }

    #[test]
    fn each_character_has_its_place() {
        check(r#""a%dü""#, &["a", "%", "d", "ü"]);
        check(
            r#""\n\065\0x\x41\u00e4\U0001F600\"""#,
            &[r"\n", r"\065", r"\0", "x", r"\x41", r"\u00e4", r"\U0001F600", "\\\""],
        );
        check("\"a\\\n   b\"", &["a", "b"]);
        check("@\"a\\\"\"b\"", &["a", "\\", "\"\"", "b"]);
        check("\"\"\"a\"\\n\"\"\"", &["a", "\"", "\\", "n"]);
        check("\"\"", &[]);
    }
}
