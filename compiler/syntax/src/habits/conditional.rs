//! `c ? a : b`.

use super::Habits;
use crate::token::{Punctuation, TokenKind};

impl Habits<'_> {
    pub(super) fn conditional(&mut self, index: usize) {
        let TokenKind::Operator(operator) = self.tokens[index].kind else { return };
        if operator.as_str() != "?" {
            return;
        }
        let line = self.outside_brackets(index + 1, self.line_end(index));
        let end = line.iter().copied().find(|&at| {
            matches!(self.tokens[at].kind, TokenKind::Punctuation(sign) if sign.is_closer() || sign == Punctuation::Comma)
        });
        let end = end.unwrap_or_else(|| self.line_end(index));
        if line.iter().any(|&at| at < end && self.tokens[at].is(Punctuation::Colon)) {
            let span = self.tokens[index].span;
            self.report(span, "Clef has no `condition ? a : b`", |error| {
                error.help("write `if condition then a else b`, which is an expression")
            });
            self.drop(index, end);
        }
    }
}
