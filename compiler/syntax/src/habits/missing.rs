//! `if (c) f x`, `while (c) f x`, `for i in 0..3 f x`: the word after the condition is missing.

use super::Habits;
use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::{Diagnostic, codes};

impl Habits<'_> {
    pub(super) fn missing_word(&mut self, index: usize) {
        let TokenKind::Keyword(keyword) = self.tokens[index].kind else { return };
        let (wanted, code) = match keyword {
            Keyword::If | Keyword::Elif => (Keyword::Then, codes::MISSING_THEN),
            Keyword::While | Keyword::For => (Keyword::Do, codes::MISSING_DO),
            _ => return,
        };
        let end = self.line_end(index);
        let line = self.outside_brackets(index + 1, end);
        let goes_on = |&at: &usize| {
            self.edits.contains_key(&at)
                || self.is_keyword(at, wanted)
                || self.tokens[at].is(Punctuation::LeftBrace)
                || self.tokens[at].is(Punctuation::Arrow)
        };
        if line.iter().any(goes_on) || self.is_on_later_line(index, end, wanted) {
            return;
        }
        let Some(last) = line.windows(2).find_map(|pair| self.end_of_condition(pair[0], pair[1])) else { return };
        let next = self.text(self.tokens[last + 1].span);
        let has_step = keyword == Keyword::For && matches!(next, "step" | "by");
        let (last, found) = match line.last() {
            Some(&end) if has_step => (end, "the end of the line".to_owned()),
            Some(_) | None => (last, format!("`{next}`")),
        };
        let place = self.tokens[last].span.at_end();
        let error = Diagnostic::error(code, place, format!("expected `{wanted}`, found {found}"));
        let error = error.label(format!("expected `{wanted}`"));
        self.diagnostics.push(error.fix(format!("add `{wanted}`"), place, format!(" {wanted}")));
        self.add_after(last, TokenKind::Keyword(wanted));
    }

    /// Whether a condition goes on after its first line, up to its word.
    fn is_on_later_line(&self, index: usize, end: usize, wanted: Keyword) -> bool {
        let indentation = self.tokens[index].indentation;
        let inside = |token: &&Token| !token.starts_line || token.column > indentation || token.is_keyword(wanted);
        self.tokens[end..].iter().take_while(inside).any(|token| token.is_keyword(wanted))
    }

    /// The last token of an operand that is no function and no argument, if a name follows it, to which it cannot be applied.
    fn end_of_condition(&self, at: usize, next: usize) -> Option<usize> {
        let is_argument = matches!(
            self.tokens[at - 1].kind,
            TokenKind::Identifier(_) | TokenKind::Punctuation(Punctuation::Dot | Punctuation::RightParen)
        );
        let last = match self.tokens[at].kind {
            TokenKind::Punctuation(Punctuation::LeftParen) => self.closer(at, self.tokens.len())?,
            TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::Char(_) | TokenKind::String(_) => at,
            TokenKind::Keyword(Keyword::True | Keyword::False) => at,
            _ => return None,
        };
        (!is_argument && next == last + 1 && self.is_name(next)).then_some(last)
    }
}
