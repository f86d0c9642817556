//! Reporting unexpected tokens, and recovering from them.

use super::{MAX_DIAGNOSTICS, Parser, cursor::is_virtual};
use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::{Code, Diagnostic, Span, codes};

/// A secondary location of a message: the span and its label.
pub(super) type Context = Option<(Span, &'static str)>;

impl Parser {
    /// Reports, unless this token is already reported or the maximum is reached.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let reported = self.reported.replace(self.position) == Some(self.position);
        if !reported && !self.abandoned && self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the next token is already reported, here or by the lexer.
    pub(super) fn is_reported(&self) -> bool {
        self.reported == Some(self.position) || self.at_kind(&TokenKind::Error)
    }

    /// The token to name in a message: the next one, or at the end of a block, the bracket that ends it.
    fn found(&self) -> &Token {
        let next = self.tokens[self.position..].iter().find(|token| token.kind != TokenKind::End);
        match (&self.peek().kind, next) {
            (TokenKind::Begin, _) => self.peek_at(1),
            (TokenKind::End, Some(closer)) if is_closer(closer) => closer,
            _ => self.peek(),
        }
    }

    /// The location to show for the next token; the end of the previous one if it is not in the source text.
    pub(super) fn found_span(&self) -> Span {
        let found = self.found();
        match found.kind {
            TokenKind::Separator | TokenKind::End | TokenKind::EndOfFile => self.last_end(),
            _ => found.span,
        }
    }

    /// A diagnostic that something else is expected here.
    pub(super) fn expected_error(&self, code: Code, expected: &str, context: Context) -> Diagnostic {
        self.expected_at(self.found_span(), &describe(self.found()), code, expected, context)
    }

    pub(super) fn expected_at(
        &self,
        place: Span,
        found: &str,
        code: Code,
        expected: &str,
        context: Context,
    ) -> Diagnostic {
        let error = Diagnostic::error(code, place, format!("expected {expected}, found {found}"))
            .label(format!("expected {expected}"));
        match context {
            Some((span, message)) => error.also(span, message),
            None => error,
        }
    }

    /// Reports that something else is expected here.
    pub(super) fn expected(&mut self, code: Code, expected: &str, context: Context) {
        if !self.is_reported() {
            let error = self.expected_error(code, expected, context);
            self.report(error);
        }
    }

    /// Consumes a punctuation, or reports that it is missing, with the edit that adds it.
    pub(super) fn require(&mut self, sign: Punctuation, code: Code, context: Context) -> bool {
        if self.eat(sign) {
            return true;
        }
        self.missing(code, sign.text(), context);
        false
    }

    /// Consumes a keyword, or reports that it is missing, with the edit that adds it.
    pub(super) fn require_keyword(&mut self, keyword: Keyword, code: Code, context: Context) -> bool {
        if self.eat_keyword(keyword) {
            return true;
        }
        self.missing(code, keyword.text(), context);
        false
    }

    fn missing(&mut self, code: Code, text: &str, context: Context) {
        if self.is_reported() {
            return;
        }
        let expected = format!("`{text}`");
        let line_end = context.and_then(|(opener, _)| self.line_end(opener));
        let error = match line_end {
            Some(place) => self.expected_at(place, "the end of the line", code, &expected, context),
            None => self.expected_error(code, &expected, context),
        };
        let place = line_end.unwrap_or_else(|| self.last_end());
        self.report(error.fix(format!("add `{text}`"), place, format!(" {text}")));
    }

    /// The end of the line of a construct, if parsing has continued beyond that line.
    pub(super) fn line_end(&self, opener: Span) -> Option<Span> {
        let start =
            self.tokens[..self.position].iter().rposition(|token| token.span == opener && !is_virtual(token))?;
        let next_line = (start + 1..self.position).find(|&index| self.tokens[index].starts_line)?;
        let last = self.tokens[start..next_line].iter().rev().find(|token| !is_virtual(token))?;
        Some(last.span.at_end())
    }

    /// Reports the next token as unexpected.
    pub(super) fn unexpected(&mut self) {
        if self.is_reported() {
            return;
        }
        let found = describe(self.found());
        let found = found.strip_prefix("a ").unwrap_or(&found);
        let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.found_span(), format!("unexpected {found}"));
        let error = match hint(self.peek()) {
            Some((label, help)) => error.label(label).help(help),
            None => error.label("expected the end of the line"),
        };
        self.report(error);
    }

    /// Whether a line starts here with a keyword that only starts an item. After an operator without right operand,
    /// which is reported, no separator precedes it.
    pub(super) fn at_next_item(&self) -> bool {
        let token = self.peek();
        let begins_item = match token.kind {
            TokenKind::Keyword(keyword) => {
                matches!(keyword, Keyword::Let | Keyword::Use | Keyword::Type | Keyword::Module | Keyword::Open)
            }
            TokenKind::Punctuation(sign) => sign == Punctuation::LeftAttribute,
            _ => false,
        };
        begins_item && token.starts_line
    }

    /// Skips to the end of the current item of a block.
    pub(super) fn skip_item(&mut self) {
        self.skip_until(|_| false);
    }

    /// Skips to the end of the item of a block, or to a wanted token outside inner blocks.
    pub(super) fn skip_until(&mut self, wanted: impl Fn(&Token) -> bool) {
        let mut depth = 0u32;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::EndOfFile => return,
                TokenKind::Begin => depth += 1,
                TokenKind::Separator | TokenKind::End if depth == 0 => return,
                TokenKind::End => depth -= 1,
                _ if depth == 0 && wanted(token) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a block or bracket, to the token after its end.
    pub(super) fn skip_bracket(&mut self) {
        let mut open = 0u32;
        loop {
            match &self.peek().kind {
                TokenKind::EndOfFile => return,
                TokenKind::Begin => open += 1,
                TokenKind::End => open = open.saturating_sub(1),
                TokenKind::Punctuation(sign) if sign.closer().is_some() => open += 1,
                TokenKind::Punctuation(sign) if sign.is_closer() => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// Skips to the end of the current block, and consumes the end.
    pub(super) fn close_block(&mut self) {
        while !self.at_end_of_file() && !self.eat_kind(&TokenKind::End) {
            if !self.eat_kind(&TokenKind::Separator) {
                self.unexpected();
                self.skip_item();
            }
        }
    }

    /// Moves to the next element or field between brackets; false at their end.
    pub(super) fn at_next_element(&mut self) -> bool {
        while self.eat(Punctuation::Semicolon) || self.eat_kind(&TokenKind::Separator) {}
        !self.at_boundary()
    }

    /// Moves to the end of an element or field between brackets.
    pub(super) fn end_of_element(&mut self) {
        if !self.at_boundary() && !self.at(Punctuation::Semicolon) {
            self.unexpected();
            self.skip_until(|token| token.is(Punctuation::Semicolon));
        }
    }

    /// Consumes a closing bracket; if it is missing, the offside pass has reported it.
    pub(super) fn close_bracket(&mut self, closer: Punctuation) {
        if self.eat(closer) || self.at_boundary() {
            return;
        }
        self.unexpected();
        self.skip_until(|token| token.is(closer));
        self.eat(closer);
    }
}

fn is_closer(token: &Token) -> bool {
    match token.kind {
        TokenKind::Punctuation(sign) => sign.is_closer(),
        TokenKind::Keyword(keyword) => keyword == Keyword::End,
        _ => false,
    }
}

/// The name of a token in messages.
pub(super) fn describe(token: &Token) -> String {
    match &token.kind {
        TokenKind::Identifier(name) => format!("`{name}`"),
        TokenKind::TypeVariable(name) => format!("the type variable `'{name}`"),
        TokenKind::Keyword(keyword) => format!("`{keyword}`"),
        TokenKind::Operator(operator) => format!("`{operator}`"),
        TokenKind::Punctuation(sign) => format!("`{sign}`"),
        TokenKind::Integer { .. } | TokenKind::Float { .. } => "a number".to_owned(),
        TokenKind::Char(_) => "a character".to_owned(),
        TokenKind::String(_) | TokenKind::Bytes(_) | TokenKind::Interpolated(_) => "a string".to_owned(),
        TokenKind::Directive => "a directive".to_owned(),
        TokenKind::Begin => "a block".to_owned(),
        TokenKind::Separator => "the end of the line".to_owned(),
        TokenKind::End => "the end of the line".to_owned(),
        TokenKind::Error => "invalid input".to_owned(),
        TokenKind::EndOfFile => "the end of the file".to_owned(),
    }
}

/// The hint for a token that continues a construct which is not open.
fn hint(token: &Token) -> Option<(&'static str, &'static str)> {
    Some(match token.kind {
        TokenKind::Keyword(Keyword::Then | Keyword::Else | Keyword::Elif) => {
            ("no matching `if`", "align it with its `if`, or remove it")
        }
        TokenKind::Keyword(Keyword::With) => ("no matching `match`", "write `match … with` first"),
        TokenKind::Keyword(Keyword::In) => ("no matching `let` or `for`", "remove it"),
        TokenKind::Keyword(Keyword::And) => {
            ("no matching `let rec` or `type`", "align it with the first declaration of the group")
        }
        TokenKind::Punctuation(Punctuation::Arrow) => {
            ("expected a pattern before this", "write `fun x -> …`, or an arm `| pattern -> …`")
        }
        TokenKind::Punctuation(Punctuation::Bar) if !token.starts_line => {
            ("no matching `match` or `function`", "use `|||` for bitwise or, `||` for logical or")
        }
        TokenKind::Punctuation(Punctuation::Bar) => {
            ("no matching `match` or `function`", "align it with the other arms")
        }
        TokenKind::Punctuation(Punctuation::DotDot) => {
            ("a range is only allowed in brackets or after `in`", "write `[first..last]`")
        }
        _ => return None,
    })
}
