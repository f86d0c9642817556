//! `for (i = 0; i < n; i++)`.

use super::Habits;
use crate::token::{Keyword, Punctuation, TokenKind};
use clef_base::Span;

impl Habits<'_> {
    pub(super) fn c_loop(&mut self, index: usize) {
        let end = self.line_end(index);
        if !self.is_keyword(index, Keyword::For) || !self.is_sign(index + 1, Punctuation::LeftParen) {
            return;
        }
        let Some(closer) = self.closer(index + 1, end) else { return };
        let inside = self.outside_brackets(index + 2, closer);
        let ends: Vec<usize> = inside.into_iter().filter(|&at| self.tokens[at].is(Punctuation::Semicolon)).collect();
        let &[first, second] = ends.as_slice() else { return };
        let brace = closer + 1;
        let opens = self.tokens.get(brace).is_some_and(|token| token.is(Punctuation::LeftBrace));
        let block = opens.then(|| self.closer(brace, self.tokens.len())).flatten();
        // A brace on the same line is replaced with the head.
        let last = if self.is_sign(brace, Punctuation::LeftBrace) { brace } else { closer };
        let head = self.tokens[index].span.to(self.tokens[last].span);
        let own_line = opens && self.tokens[brace].starts_line;
        let removed = own_line.then_some(brace).into_iter().chain(block);
        let removed: Vec<Span> = removed.map(|brace| self.with_space(brace)).collect();
        let instead = self.counting_loop(index + 2, first, second);
        self.report(head, "a counting loop is written `for i = first to last do`", |error| match instead {
            Some(instead) => {
                let error = error.fix("specify the first and the last number", head, instead);
                removed.into_iter().fold(error, |error, brace| error.fix("remove this brace", brace, ""))
            }
            None => error.help("use `while condition do` for other loops, with a `let mutable` before it"),
        });
        self.drop(index, block.map_or(end, |closer| closer + 1));
    }

    /// The loop in Clef's syntax, `for i = 0 to n - 1 do`, if it counts one variable upwards.
    fn counting_loop(&self, start: usize, first: usize, second: usize) -> Option<String> {
        let equal = (start..first).find(|&at| self.tokens[at].is(Punctuation::Equal))?;
        let TokenKind::Identifier(name) = self.tokens[equal - 1].kind else { return None };
        let TokenKind::Operator(operator) = self.tokens[first + 2].kind else { return None };
        let same = self.tokens[first + 1].kind == TokenKind::Identifier(name);
        if !same || equal + 1 >= first || first + 3 >= second {
            return None;
        }
        let from = self.between(equal + 1, first);
        let to = match (operator.as_str(), &self.tokens[first + 3].kind) {
            ("<=", _) => self.between(first + 3, second),
            ("<", TokenKind::Integer { value, .. }) if first + 4 == second => format!("{}", value.checked_sub(1)?),
            ("<", _) => format!("{} - 1", self.between(first + 3, second)),
            _ => return None,
        };
        Some(format!("for {name} = {from} to {to} do"))
    }

    fn between(&self, first: usize, end: usize) -> String {
        let (first, last): (Span, Span) = (self.tokens[first].span, self.tokens[end - 1].span);
        self.text(first.to(last)).to_owned()
    }
}
