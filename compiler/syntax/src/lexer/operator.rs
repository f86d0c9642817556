//! Operators, and punctuation made of operator characters.

use super::Lexer;
use crate::token::{Punctuation, TokenKind};
use clef_base::Symbol;

/// The characters that an operator can start with.
pub const OPERATOR_CHARACTERS: &str = "!%&*+-/<=>?@^|~";

/// The operators that start with a colon, each before those that it starts with.
pub const COLON_OPERATORS: [&str; 5] = ["::", ":=", ":?>", ":>", ":?"];

/// Whether an operator can start with a character.
pub(super) fn is_operator_character(c: char) -> bool {
    OPERATOR_CHARACTERS.contains(c)
}

impl Lexer<'_> {
    /// The longest run of operator characters, without those that close a bracket.
    pub(super) fn operator(&mut self) -> TokenKind {
        if self.peek() == Some(':') {
            return self.colon();
        }
        let rest = self.rest();
        let length = rest.find(|c| !is_operator_character(c) && c != '.').unwrap_or(rest.len());
        // A range or a comment ends an operator.
        let run = rest[..length].split("..").next().unwrap_or_default();
        let run = run.split("//").next().unwrap_or_default();
        let length = self.without_closer(run, rest);
        let text = &rest[..length];
        self.position += length;
        let sign = match (text, self.peek()) {
            ("|", Some(']')) => Some(Punctuation::RightArray),
            ("|", Some('}')) => Some(Punctuation::RightAnonymous),
            (">", Some(']')) if self.attributes > 0 => {
                self.attributes -= 1;
                Some(Punctuation::RightAttribute)
            }
            ("|" | "->" | "<-" | "=" | "<@" | "@>", _) => return sign(text),
            ("<@@", _) => return TokenKind::Punctuation(Punctuation::LeftQuotation),
            ("@@>", _) => return TokenKind::Punctuation(Punctuation::RightQuotation),
            _ => None,
        };
        match sign {
            Some(closer) => {
                self.position += closer.text().len() - text.len();
                TokenKind::Punctuation(closer)
            }
            None => TokenKind::Operator(Symbol::new(text)),
        }
    }

    /// The length of a run without a final `|` or `>` that belongs to a closing bracket, unless it is the whole run.
    fn without_closer(&self, run: &str, rest: &str) -> usize {
        let next = rest[run.len()..].chars().next();
        let closes = match next {
            Some(']') => run.ends_with('|') || run.ends_with('>') && self.attributes > 0,
            Some('}') => run.ends_with('|'),
            _ => false,
        };
        if closes && run.len() > 1 { run.len() - 1 } else { run.len() }
    }

    fn colon(&mut self) -> TokenKind {
        match COLON_OPERATORS.into_iter().find(|operator| self.starts_with(operator)) {
            Some(operator) => {
                self.position += operator.len();
                TokenKind::Operator(Symbol::new(operator))
            }
            None => {
                self.position += 1;
                TokenKind::Punctuation(Punctuation::Colon)
            }
        }
    }
}

fn sign(text: &str) -> TokenKind {
    Punctuation::of(text).map_or(TokenKind::Error, TokenKind::Punctuation)
}
