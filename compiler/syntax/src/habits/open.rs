//! `use std::io;`: modules are opened.

use super::Habits;
use crate::token::{Keyword, Punctuation, TokenKind};

impl Habits<'_> {
    pub(super) fn use_of_module(&mut self, index: usize) {
        let end = self.line_end(index);
        if !self.is_keyword(index, Keyword::Use) || !self.tokens[index].starts_line || !self.is_name(index + 1) {
            return;
        }
        let mut names = vec![self.text(self.tokens[index + 1].span).to_owned()];
        let mut at = index + 2;
        while at + 1 < end && self.joins(at) && self.is_name(at + 1) {
            names.push(self.text(self.tokens[at + 1].span).to_owned());
            at += 2;
        }
        let after = if self.is_sign(at, Punctuation::Semicolon) { at + 1 } else { at };
        if after != end || after == index + 2 {
            return;
        }
        let whole = self.tokens[index].span.to(self.tokens[end - 1].span);
        self.report(self.tokens[index].span, "modules are opened with `open`, not `use`", |error| {
            error.fix("write `open`", whole, format!("open {}", names.join(".")))
        });
        self.drop(index, end);
    }

    /// Whether a token joins the parts of a path, here or in Rust.
    fn joins(&self, index: usize) -> bool {
        match self.tokens[index].kind {
            TokenKind::Operator(operator) => operator.as_str() == "::",
            TokenKind::Punctuation(sign) => sign == Punctuation::Dot,
            _ => false,
        }
    }
}
