//! Records, record copies, `seq { … }`, and unsupported computation expressions.

use super::{Parser, expressions::begins_construct};
use crate::{
    ast::{CollectionKind, ExprId, ExprKind, Path, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, codes};

impl Parser {
    /// Whether the next `{` starts a record or a record copy, rather than a computation expression.
    pub(super) fn is_record(&self) -> bool {
        let mut ahead = 1 + usize::from(self.peek_at(1).kind == TokenKind::Begin);
        if self.peek_at(ahead).is(Punctuation::RightBrace) || self.peek_at(ahead).is_keyword(Keyword::New) {
            return true;
        }
        if matches!(self.peek_at(ahead).kind, TokenKind::Keyword(keyword) if begins_construct(keyword)) {
            return false;
        }
        let first = ahead;
        while matches!(self.peek_at(ahead).kind, TokenKind::Identifier(_))
            && self.peek_at(ahead + 1).is(Punctuation::Dot)
        {
            ahead += 2;
        }
        let is_field = matches!(self.peek_at(ahead).kind, TokenKind::Identifier(_))
            && self.peek_at(ahead + 1).is(Punctuation::Equal);
        is_field || self.is_record_copy(first)
    }

    /// Whether `with` occurs before the end of the first line of a block.
    fn is_record_copy(&self, first: usize) -> bool {
        let mut depth = 0u32;
        for token in &self.tokens[(self.position + first).min(self.tokens.len() - 1)..] {
            match &token.kind {
                TokenKind::Begin => depth += 1,
                TokenKind::End if depth == 0 => return false,
                TokenKind::End => depth -= 1,
                TokenKind::Separator | TokenKind::Punctuation(Punctuation::Semicolon) if depth == 0 => return false,
                TokenKind::Keyword(Keyword::With) if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }

    /// `{ x = 1 }`, `{ r with x = 1 }`; object expressions are rejected.
    pub(super) fn braces(&mut self) -> ExprId {
        let start = self.span();
        let inside = 1 + usize::from(self.peek_at(1).kind == TokenKind::Begin);
        if self.peek_at(inside).is_keyword(Keyword::New) {
            return self.unsupported_bracket(Unsupported::ObjectConstruction);
        }
        if matches!(self.peek_at(inside).kind, TokenKind::Keyword(Keyword::Inherit)) {
            return self.unsupported_bracket(Unsupported::Class);
        }
        let is_record = self.is_record();
        if !is_record && self.is_range() {
            return self.braced_range(start);
        }
        self.bump();
        let in_block = self.eat_kind(&TokenKind::Begin);
        let outer = self.field_column.take();
        let kind = self.deeper(|parser| parser.record_content(start, is_record), |_| ExprKind::Error);
        self.field_column = outer;
        if in_block {
            self.close_block();
        }
        self.close_bracket(Punctuation::RightBrace);
        let span = self.span_from(start);
        self.expr(kind, span)
    }

    /// Whether `..` occurs in the next braces, outside inner brackets.
    pub(super) fn is_range(&self) -> bool {
        let mut depth = 0u32;
        for token in &self.tokens[self.position + 1..] {
            match &token.kind {
                TokenKind::Begin => {}
                TokenKind::Punctuation(Punctuation::DotDot) if depth == 0 => return true,
                TokenKind::Punctuation(sign) if sign.is_closer() && depth == 0 => return false,
                TokenKind::Punctuation(sign) if sign.is_closer() => depth -= 1,
                TokenKind::Punctuation(sign) if sign.closer().is_some() => depth += 1,
                TokenKind::Separator if depth == 0 => return false,
                TokenKind::EndOfFile => return false,
                _ => {}
            }
        }
        false
    }

    /// `{ a..b }`: a sequence, as after `seq`.
    fn braced_range(&mut self, start: Span) -> ExprId {
        self.braced_sequence(start)
    }

    /// `{ … }` with the elements of a sequence that starts at `start`.
    fn braced_sequence(&mut self, start: Span) -> ExprId {
        let inside = self.span();
        self.bump();
        let statements = self.deeper(Parser::bracket_statements, |_| Vec::new());
        let is_empty = statements.is_empty() && self.at(Punctuation::RightBrace);
        self.close_bracket(Punctuation::RightBrace);
        let span = self.span_from(start);
        if is_empty {
            let error = Diagnostic::error(codes::MISSING_EXPRESSION, span, "empty braces");
            self.report(error.fix("use the empty sequence", span, "Seq.empty"));
        }
        let body = if statements.is_empty() { self.error_expr(inside) } else { self.block_of(statements, inside) };
        self.expr(ExprKind::Comprehension { kind: CollectionKind::Sequence, body }, span)
    }

    fn record_content(&mut self, opener: Span, is_record: bool) -> ExprKind {
        if self.at(Punctuation::RightBrace) || !is_record {
            let context = Some((opener, "the record starts here"));
            self.expected(codes::MISSING_FIELDS, "a field `name = value`", context);
            self.skip_item();
            return ExprKind::Error;
        }
        let starts_with_field = {
            let mut ahead = 0;
            while self.peek_at(ahead + 1).is(Punctuation::Dot) {
                ahead += 2;
            }
            self.peek_at(ahead + 1).is(Punctuation::Equal)
        };
        if starts_with_field {
            return ExprKind::Record(self.fields(opener));
        }
        let base = self.expression();
        let context = Some((opener, "the record starts here"));
        self.require_keyword(Keyword::With, codes::MISSING_WITH, context);
        self.skip_separators();
        if !self.at_boundary() {
            self.field_column = Some(self.peek().column);
        }
        ExprKind::RecordUpdate { base, fields: self.fields(opener) }
    }

    /// Fields, each on its own line or after a semicolon.
    fn fields(&mut self, opener: Span) -> Vec<(Path, ExprId)> {
        let mut fields = Vec::new();
        loop {
            while self.eat(Punctuation::Semicolon) || self.eat_kind(&TokenKind::Separator) {}
            if self.at_boundary() {
                return fields;
            }
            let context = Some((opener, "the record starts here"));
            let Some(path) = self.require_path("the name of a field") else {
                self.skip_item();
                continue;
            };
            if !self.require(Punctuation::Equal, codes::MISSING_EQUAL, context) {
                self.skip_item();
                continue;
            }
            self.skip_separators();
            let value = if self.at_begin() { self.block() } else { self.annotated() };
            fields.push((path, value));
            let next_line = self.peek().starts_line && self.field_column == Some(self.peek().column);
            if !next_line && !self.at_boundary() && !self.at(Punctuation::Semicolon) {
                self.unexpected();
                self.skip_until(|token| token.is(Punctuation::Semicolon));
            }
        }
    }

    /// Whether an expression is the name `seq`, whose braces always contain a sequence.
    pub(super) fn is_sequence(&self, builder: ExprId) -> bool {
        match &self.ast.exprs[builder].kind {
            ExprKind::Name(path) => path.segments.len() == 1 && path.segments[0].symbol.as_str() == "seq",
            _ => false,
        }
    }

    /// `seq { … }`, or another computation expression, after its builder.
    pub(super) fn computation(&mut self, builder: ExprId) -> ExprId {
        let start = self.expr_span(builder);
        if !self.is_sequence(builder) {
            self.skip_bracket();
            let span = self.span_from(start);
            return self.expr(ExprKind::Unsupported(Unsupported::ComputationExpression), span);
        }
        self.braced_sequence(start)
    }
}
