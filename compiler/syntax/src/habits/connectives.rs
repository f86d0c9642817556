//! `a and b`, `a or b`: Clef joins conditions with operators.

use super::Habits;
use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::Symbol;

impl Habits<'_> {
    pub(super) fn connective(&mut self, index: usize) {
        let token = &self.tokens[index];
        let (sign, word) = match token.kind {
            TokenKind::Identifier(name) if name.as_str() == "or" => ("||", "or"),
            TokenKind::Keyword(Keyword::And) => ("&&", "and"),
            _ => return,
        };
        if !self.is_between_operands(index) || word == "and" && self.begins_binding(index) {
            return;
        }
        let span = token.span;
        self.report(span, format!("the logical operator is written `{sign}`"), |error| {
            error.fix(format!("write `{sign}`"), span, sign)
        });
        self.replace(index, TokenKind::Operator(Symbol::new(sign)));
    }

    fn is_between_operands(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map(|before| &self.tokens[before]);
        let after = self.tokens.get(index + 1).filter(|after| !after.starts_line);
        !self.tokens[index].starts_line && before.is_some_and(ends_operand) && after.is_some_and(begins_operand)
    }

    /// `and f x = …`: the rest of this line or the next line contains the `=`.
    fn begins_binding(&self, index: usize) -> bool {
        let end = self.line_end(index);
        let next_line = self.tokens.get(end).is_some_and(|next| next.is(Punctuation::Equal));
        let ends_condition = self.tokens[index..end].iter().any(|token| {
            matches!(token.kind, TokenKind::Keyword(Keyword::Then | Keyword::Do)) || token.is(Punctuation::Arrow)
        });
        let equal = self.tokens[index..end].iter().any(|token| token.is(Punctuation::Equal));
        (equal || next_line) && !(ends_condition && self.is_in_condition(index))
    }

    /// Whether the token is in a condition that has no `then`, `do`, `->` or `let` yet.
    fn is_in_condition(&self, index: usize) -> bool {
        let mut depth = 0_usize;
        for at in (0..index).rev() {
            match self.tokens[at].kind {
                TokenKind::Punctuation(sign) if sign.is_closer() => depth += 1,
                TokenKind::Punctuation(sign) if sign.closer().is_some() => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                TokenKind::Keyword(Keyword::If | Keyword::Elif | Keyword::While | Keyword::When) => return true,
                TokenKind::Keyword(Keyword::Let | Keyword::Then | Keyword::Do)
                | TokenKind::Punctuation(Punctuation::Arrow) => return false,
                _ => {}
            }
            if self.tokens[at].starts_line {
                return false;
            }
        }
        false
    }
}

fn ends_operand(token: &Token) -> bool {
    match token.kind {
        TokenKind::Identifier(_) | TokenKind::Keyword(Keyword::True | Keyword::False) => true,
        TokenKind::Punctuation(sign) => sign.is_closer(),
        TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::Char(_) | TokenKind::String(_) => true,
        _ => false,
    }
}

fn begins_operand(token: &Token) -> bool {
    match token.kind {
        TokenKind::Identifier(_) | TokenKind::Keyword(Keyword::True | Keyword::False) => true,
        TokenKind::Punctuation(sign) => sign.closer().is_some(),
        TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::Char(_) | TokenKind::String(_) => true,
        TokenKind::Operator(operator) => operator.as_str() == "!",
        _ => false,
    }
}
