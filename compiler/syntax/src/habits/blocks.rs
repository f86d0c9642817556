//! Blocks in braces or after a colon: `if c { … } else { … }`, `while c:`, `let f(x) { … }`, `match x { … }`, `unsafe { … }`.

use super::Habits;
use crate::token::{Keyword, Punctuation, TokenKind};
use clef_base::Span;

/// What takes the place of an opening brace: a token instead of it, or after the token before it, at the end of that line.
struct Opening {
    at: usize,
    kind: TokenKind,
    is_after: bool,
}

impl Opening {
    fn text(&self) -> &'static str {
        match self.kind {
            TokenKind::Keyword(keyword) => keyword.text(),
            TokenKind::Punctuation(sign) => sign.text(),
            _ => "",
        }
    }
}

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

    /// `if c {`, `if c` with a brace on the next line, or `if c:`, where `wanted` is expected; also `while c do {`.
    fn block_after(&mut self, index: usize, wanted: Keyword) {
        let end = self.line_end(index);
        if end == index + 1 {
            return;
        }
        let line = self.outside_brackets(index + 1, end);
        if let Some(brace) = self.brace_after(&line, end, wanted) {
            self.braces(index, brace, None);
            return;
        }
        let goes_on = |&at: &usize| self.is_keyword(at, wanted) || self.tokens[at].is(Punctuation::Arrow);
        if line.iter().any(goes_on) || self.is_keyword(end, wanted) {
            return;
        }
        let colon = line.iter().copied().find(|&at| at > index + 1 && self.is_sign(at, Punctuation::Colon));
        if let Some(colon) = colon.filter(|&colon| wanted != Keyword::With || colon == end - 1) {
            self.colon(colon, Some(TokenKind::Keyword(wanted)));
            self.else_after_colon(index, end);
            return;
        }
        let own_line = self.opens_block(end) && self.tokens[end].starts_line;
        let Some(brace) = self.brace_of_line(index, &line, wanted).or(own_line.then_some(end)) else { return };
        if wanted == Keyword::With {
            let closer = self.closer(brace, self.tokens.len());
            let opening = self.opening(brace, TokenKind::Keyword(wanted));
            let removed = opening.is_after.then_some(brace).into_iter().chain(closer);
            self.report_brace(brace, Some(&opening), removed);
            self.drop(index, closer.map_or(end, |closer| closer + 1));
            return;
        }
        self.braces(index, brace, Some(wanted));
    }

    /// The brace after the word of a block, in the position of the block: `while c do {`.
    fn brace_after(&self, line: &[usize], end: usize, word: Keyword) -> Option<usize> {
        let &last = line.last()?;
        let brace = if self.is_keyword(last, word) { end } else { last };
        let follows = brace > 0 && self.is_keyword(brace - 1, word) && matches!(word, Keyword::Then | Keyword::Do);
        (follows && brace + 1 >= self.line_end(brace) && self.opens_block(brace)).then_some(brace)
    }

    /// The brace of a block at the end of the line of its head, or before the content of the block.
    fn brace_of_line(&self, index: usize, line: &[usize], wanted: Keyword) -> Option<usize> {
        let brace = line.iter().copied().find(|&at| at > index + 1 && self.is_sign(at, Punctuation::LeftBrace))?;
        let closer = self.closer(brace, self.tokens.len());
        let is_last = brace + 1 == self.line_end(index);
        let goes_on = closer.is_some_and(|closer| self.is_keyword(closer + 1, wanted));
        (!goes_on && (is_last || !self.holds_record(brace) && closer.is_some())).then_some(brace)
    }

    /// Whether a brace, which is closed, contains the lines of a block.
    pub(super) fn opens_block(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(Punctuation::LeftBrace))
            && !self.holds_record(index)
            && self.closer(index, self.tokens.len()).is_some_and(|closer| closer > index + 1)
    }

    /// Whether a brace contains the fields of a record.
    fn holds_record(&self, brace: usize) -> bool {
        let mut at = brace + 1;
        while self.is_name(at) && self.is_sign(at + 1, Punctuation::Dot) {
            at += 2;
        }
        self.is_name(at) && (self.is_sign(at + 1, Punctuation::Equal) || self.is_keyword(at + 1, Keyword::With))
    }

    /// Reports and removes the braces of a block and of its `else`; `wanted` is the word that the block lacks.
    fn braces(&mut self, index: usize, brace: usize, wanted: Option<Keyword>) {
        let closer = self.closer(brace, self.tokens.len());
        let other = closer.and_then(|closer| self.braces_of_else(closer + 1));
        let parentheses = self.parentheses_of_for(index);
        let opening = wanted.map(|word| self.opening(brace, TokenKind::Keyword(word)));
        let opener = opening.as_ref().is_none_or(|opening| opening.is_after).then_some(brace);
        let removed = opener.into_iter().chain(closer).chain(other.into_iter().flatten());
        let removed: Vec<usize> = removed.chain(parentheses.into_iter().flatten()).collect();
        self.report_brace(brace, opening.as_ref(), removed.iter().copied());
        removed.into_iter().for_each(|at| self.remove(at));
        if let Some(opening) = opening {
            self.open(opening);
        }
    }

    /// What takes the place of a brace.
    fn opening(&self, brace: usize, kind: TokenKind) -> Opening {
        let is_after = self.tokens[brace].starts_line;
        Opening { at: brace - usize::from(is_after), kind, is_after }
    }

    /// Puts a token in the place of a brace, which is removed.
    fn open(&mut self, Opening { at, kind, is_after }: Opening) {
        match is_after {
            true => self.add_after(at, kind),
            false => self.replace(at, kind),
        }
    }

    /// The parentheses of `for (x in xs)`.
    fn parentheses_of_for(&self, index: usize) -> Option<[usize; 2]> {
        let opens = self.is_keyword(index, Keyword::For) && self.is_sign(index + 1, Punctuation::LeftParen);
        let closer = opens.then(|| self.closer(index + 1, self.line_end(index))).flatten()?;
        let inside = self.outside_brackets(index + 2, closer);
        inside.iter().any(|&at| self.is_keyword(at, Keyword::In)).then_some([index + 1, closer])
    }

    /// The braces of `else { … }` after a branch in braces.
    fn braces_of_else(&self, index: usize) -> Option<[usize; 2]> {
        let opens = self.is_keyword(index, Keyword::Else) && self.opens_block(index + 1);
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
            let opening = self.opening(sign, TokenKind::Punctuation(Punctuation::Equal));
            let removed = opening.is_after.then_some(sign).into_iter().chain(closer);
            self.report_brace(sign, Some(&opening), removed);
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
        let ends_head = self.tokens[last].is(Punctuation::RightParen) || !self.is_keyword(index, Keyword::Let);
        if ends_head && self.opens_block(end) {
            return Some((end, self.closer(end, self.tokens.len())));
        }
        let is_colon = self.is_sign(last, Punctuation::Colon) && self.tokens[last - 1].is(Punctuation::RightParen);
        is_colon.then_some((last, None))
    }

    /// Replaces a token by the `=` of a binding, which belongs to the end of the line before.
    pub(super) fn open_binding(&mut self, sign: usize, closer: Option<usize>) {
        let opening = self.opening(sign, TokenKind::Punctuation(Punctuation::Equal));
        if opening.is_after {
            self.remove(sign);
        }
        self.open(opening);
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

    /// Reports a brace, and the signs to be removed with it.
    fn report_brace(&mut self, brace: usize, opening: Option<&Opening>, removed: impl Iterator<Item = usize>) {
        let edit = |at: usize| match self.tokens[at].is(Punctuation::LeftBrace)
            || self.tokens[at].is(Punctuation::RightBrace)
        {
            true => ("remove this brace", self.with_space(at)),
            false => ("remove this parenthesis", self.tokens[at].span),
        };
        let removed: Vec<(&str, Span)> = removed.map(edit).collect();
        let added = opening.map(|opening| {
            let (place, word) = (self.tokens[opening.at].span, opening.text());
            match opening.is_after {
                true => (format!("add `{word}`"), place.at_end(), format!(" {word}")),
                false => (format!("write `{word}`"), place, word.to_owned()),
            }
        });
        self.report(self.tokens[brace].span, "blocks have no braces", |error| {
            let error = error.note("a block is indented more than the line that starts it");
            let error = added.into_iter().fold(error, |error, (help, place, text)| error.fix(help, place, text));
            removed.into_iter().fold(error, |error, (help, place)| error.fix(help, place, ""))
        });
    }

    /// A token, with the space between it and the next one on its line, or else that between it and the one before.
    pub(super) fn with_space(&self, index: usize) -> Span {
        let span = self.tokens[index].span;
        let next = self.tokens.get(index + 1).filter(|next| !next.starts_line && next.kind != TokenKind::EndOfFile);
        let before = index.checked_sub(1).filter(|_| !self.tokens[index].starts_line);
        match (next, before) {
            (Some(next), _) => span.to(next.span.at_start()),
            (None, Some(before)) => self.tokens[before].span.at_end().to(span),
            (None, None) => span,
        }
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
        let space = if self.tokens[colon].space_before { "" } else { " " };
        self.report(span, message, |error| match word {
            "" => error.fix("remove it", span, ""),
            _ => error.fix(format!("write `{word}`"), span, format!("{space}{word}")),
        });
        self.edits.insert(colon, wanted.into_iter().collect());
    }
}
