//! `c ? a : b`, and the optional parameter `?x: int`.

use super::Habits;
use crate::token::{Punctuation, Token, TokenKind};

impl Habits<'_> {
    pub(super) fn conditional(&mut self, index: usize) {
        let TokenKind::Operator(operator) = self.tokens[index].kind else { return };
        if operator.as_str() != "?" || self.is_optional_parameter(index) {
            return;
        }
        let line = self.outside_brackets(index + 1, self.line_end(index));
        let end = self.end_of_part(index);
        if line.iter().any(|&at| at < end && self.tokens[at].is(Punctuation::Colon)) {
            let span = self.tokens[index].span;
            self.report(span, "Clef has no `condition ? a : b`", |error| {
                error.help("write `if condition then a else b`, which is an expression")
            });
            self.drop(index, end);
        }
    }
    /// `(?x: int)`.
    pub(super) fn optional_parameter(&mut self, index: usize) {
        let TokenKind::Operator(operator) = self.tokens[index].kind else { return };
        if !self.is_optional_parameter(index) || operator.as_str() != "?" {
            return;
        }
        let end = self.end_of_part(index);
        let span = self.tokens[index].span;
        let whole = span.to(self.tokens[end - 1].span);
        let written = self.text(whole)[1..].trim_start().to_owned();
        let instead = match written.contains(':') {
            true => format!("{written} option"),
            false => format!("{written}: _ option"),
        };
        self.report(span, "Clef has no optional parameters", |error| {
            error.note("callers pass `Some value` or `None`").fix("take an option", whole, instead)
        });
        self.remove(index);
    }

    /// Whether a `?` is before the name of a parameter: after an opening bracket or a comma.
    fn is_optional_parameter(&self, index: usize) -> bool {
        let opens =
            |token: &Token| matches!(token.kind, TokenKind::Punctuation(Punctuation::LeftParen | Punctuation::Comma));
        index.checked_sub(1).is_some_and(|before| opens(&self.tokens[before])) && self.is_name(index + 1)
    }

    /// The index of the comma or the closing bracket after a token, or the end of its line.
    fn end_of_part(&self, index: usize) -> usize {
        let line = self.outside_brackets(index + 1, self.line_end(index));
        let end = line.iter().copied().find(|&at| {
            matches!(self.tokens[at].kind, TokenKind::Punctuation(sign) if sign.is_closer() || sign == Punctuation::Comma)
        });
        end.unwrap_or_else(|| self.line_end(index))
    }
}
