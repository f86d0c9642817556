//! Blocks in braces or after a colon: `if c { … } else { … }`, `while c:`, `let f(x) { … }`, `match x { … }`, `unsafe { … }`.

use super::Habits;
use crate::token::{Keyword, Punctuation, TokenKind};
use clef_base::Span;

impl Habits<'_> {
    pub(super) fn block(&mut self, index: usize) {
        let TokenKind::Keyword(keyword) = self.tokens[index].kind else { return };
        match keyword {
            Keyword::If | Keyword::Elif => self.block_after(index, Keyword::Then),
            Keyword::While | Keyword::For => self.block_after(index, Keyword::Do),
            Keyword::Match => self.block_after(index, Keyword::With),
            Keyword::Let => self.block_of_binding(index),
            _ => {}
        }
    }

    /// `if c {` or `if c:`, where `wanted` is expected.
    fn block_after(&mut self, index: usize, wanted: Keyword) {
        let end = self.line_end(index);
        let line = self.outside_brackets(index + 1, end);
        let goes_on = |&at: &usize| self.is_keyword(at, wanted) || self.tokens[at].is(Punctuation::Arrow);
        if line.iter().any(goes_on) || self.is_keyword(end, wanted) || end == index + 1 {
            return;
        }
        if self.is_sign(end - 1, Punctuation::Colon) {
            self.colon(end - 1, Some(TokenKind::Keyword(wanted)));
            self.else_after_colon(index, end);
            return;
        }
        let Some(&brace) = line.iter().find(|&&at| at > index + 1 && self.is_sign(at, Punctuation::LeftBrace)) else {
            return;
        };
        let closer = self.closer(brace, self.tokens.len());
        let is_last = brace == end - 1;
        let holds_record = self.is_name(brace + 1)
            && (self.is_sign(brace + 2, Punctuation::Equal) || self.is_keyword(brace + 2, Keyword::With));
        let goes_on = closer.is_some_and(|closer| self.is_keyword(closer + 1, wanted));
        if goes_on || !is_last && (holds_record || closer.is_none()) {
            return;
        }
        let other = closer.and_then(|closer| self.braces_of_else(closer + 1));
        let closers = closer.into_iter().chain(other.into_iter().flatten());
        self.report_brace(brace, wanted.text(), closers);
        if wanted == Keyword::With {
            self.drop(index, closer.map_or(end, |closer| closer + 1));
            return;
        }
        self.replace(brace, TokenKind::Keyword(wanted));
        if let Some(closer) = closer {
            self.remove(closer);
        }
        for brace in other.into_iter().flatten() {
            self.remove(brace);
        }
    }

    /// The braces of `else { … }` after a branch in braces.
    fn braces_of_else(&self, index: usize) -> Option<[usize; 2]> {
        let opens = self.is_keyword(index, Keyword::Else) && self.is_sign(index + 1, Punctuation::LeftBrace);
        let closer = opens.then(|| self.closer(index + 1, self.tokens.len()));
        Some([index + 1, closer.flatten()?])
    }

    /// `else:` in the column of a line that ended with a colon.
    fn else_after_colon(&mut self, index: usize, end: usize) {
        let column = self.tokens[index].indentation;
        let mut lines = self.tokens.iter().enumerate().skip(end).filter(|(_, token)| token.starts_line);
        let Some((at, _)) = lines.find(|(_, token)| token.column <= column) else { return };
        if self.is_keyword(at, Keyword::Else) && self.is_sign(at + 1, Punctuation::Colon) {
            self.colon(at + 1, None);
        }
    }

    /// `let f(x) {` or `let f(x):`.
    pub(super) fn block_of_binding(&mut self, index: usize) {
        let Some((sign, closer)) = self.binding_block(index) else { return };
        if self.tokens[sign].is(Punctuation::LeftBrace) {
            self.report_brace(sign, Punctuation::Equal.text(), closer.into_iter());
            self.open_binding(sign, closer);
        } else {
            self.colon(sign, Some(TokenKind::Punctuation(Punctuation::Equal)));
        }
    }

    /// The brace with its closing brace, or the colon, in the position of a binding's `=`.
    pub(super) fn binding_block(&self, index: usize) -> Option<(usize, Option<usize>)> {
        let end = self.line_end(index);
        let line = self.outside_brackets(index + 1, end);
        let binds = line.iter().any(|&at| self.tokens[at].is(Punctuation::Equal));
        if binds || end <= index + 2 || !self.tokens[index].starts_line || self.tokens[end].is(Punctuation::Equal) {
            return None;
        }
        let last = end - 1;
        let brace = line.iter().copied().find(|&at| at > index + 1 && self.is_sign(at, Punctuation::LeftBrace));
        let closer = brace.and_then(|brace| self.closer(brace, self.tokens.len()));
        if let Some(brace) = brace.filter(|&brace| brace == last || closer == Some(last)) {
            return Some((brace, closer));
        }
        let is_colon = self.is_sign(last, Punctuation::Colon) && self.tokens[last - 1].is(Punctuation::RightParen);
        is_colon.then_some((last, None))
    }

    /// Replaces a token by the `=` of a binding.
    pub(super) fn open_binding(&mut self, sign: usize, closer: Option<usize>) {
        self.replace(sign, TokenKind::Punctuation(Punctuation::Equal));
        if let Some(closer) = closer {
            self.remove(closer);
        }
    }

    /// `unsafe { … }`, which is the same as its content.
    pub(super) fn unsafe_block(&mut self, index: usize) {
        let TokenKind::Identifier(name) = self.tokens[index].kind else { return };
        if name.as_str() != "unsafe" || !self.is_sign(index + 1, Punctuation::LeftBrace) {
            return;
        }
        let Some(closer) = self.closer(index + 1, self.tokens.len()) else { return };
        let (span, last) = (self.tokens[index].span, self.tokens[closer].span);
        let opener = span.to(self.tokens[index + 1].span);
        self.report(span, "Clef has no `unsafe` blocks", |error| {
            error
                .note("functions of `NativePtr`, `Ptr` and `Mmio` are called like others")
                .fix("write parentheses", opener, "(")
                .fix("close them here", last, ")")
        });
        self.remove(index);
        self.replace(index + 1, TokenKind::Punctuation(Punctuation::LeftParen));
        self.replace(closer, TokenKind::Punctuation(Punctuation::RightParen));
    }

    /// Reports a brace in place of a word, and the other braces, which are of no use then.
    fn report_brace(&mut self, brace: usize, wanted: &str, others: impl Iterator<Item = usize>) {
        let span = self.tokens[brace].span;
        let others: Vec<Span> = others.map(|other| self.with_space_after(other)).collect();
        self.report(span, "blocks have no braces", |error| {
            let error = error.note("a block is indented more than the line that starts it").fix(
                format!("write `{wanted}`"),
                span,
                wanted,
            );
            others.into_iter().fold(error, |error, other| error.fix("remove this brace", other, ""))
        });
    }

    /// A token, with the space before the next one if that is on the same line.
    pub(super) fn with_space_after(&self, index: usize) -> Span {
        let span = self.tokens[index].span;
        let next = self.tokens.get(index + 1).filter(|next| !next.starts_line && next.kind != TokenKind::EndOfFile);
        next.map_or(span, |next| span.to(next.span.at_start()))
    }

    /// Replaces a colon at the end of a line by a keyword or other token, or removes it.
    fn colon(&mut self, colon: usize, wanted: Option<TokenKind>) {
        let span = self.tokens[colon].span;
        let message = "unexpected `:` before a block";
        let word = match &wanted {
            Some(TokenKind::Keyword(keyword)) => keyword.text(),
            Some(TokenKind::Punctuation(sign)) => sign.text(),
            _ => "",
        };
        self.report(span, message, |error| match word {
            "" => error.fix("remove it", span, ""),
            _ => error.fix(format!("write `{word}`"), span, format!(" {word}")),
        });
        self.edits.insert(colon, wanted.into_iter().collect());
    }
}
