//! `public let x = …`, `private type T = …`: the access modifier belongs after the keyword.

use super::Habits;
use crate::token::{Keyword, TokenKind};

impl Habits<'_> {
    pub(super) fn access_before_let(&mut self, index: usize) {
        let word = match self.tokens[index].kind {
            TokenKind::Keyword(access @ (Keyword::Public | Keyword::Private | Keyword::Internal)) => access.text(),
            TokenKind::Identifier(name) if matches!(name.as_str(), "protected" | "export" | "pub") => name.as_str(),
            _ => return,
        };
        let Some(next) = self.tokens.get(index + 1) else { return };
        let TokenKind::Keyword(keyword @ (Keyword::Let | Keyword::Type | Keyword::Module)) = next.kind else { return };
        if !self.tokens[index].starts_line || next.starts_line {
            return;
        }
        let span = self.tokens[index].span.to(next.span);
        let is_hidden = matches!(word, "private" | "internal");
        self.report(self.tokens[index].span, format!("`{word}` is not allowed before `{keyword}`"), |error| {
            match is_hidden {
                true => error.fix("move it after the keyword", span, format!("{keyword} {word}")),
                false => error.note("declarations are public unless they are `private` or `internal`").fix(
                    "remove it",
                    span,
                    keyword.text(),
                ),
            }
        });
        self.remove(index);
    }
}
