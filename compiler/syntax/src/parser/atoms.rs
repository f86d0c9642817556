//! Atomic expressions: literals, names, parentheses, interpolated strings.

use super::Parser;
use crate::{
    ast::{ExprId, ExprKind, InterpolationPart, Literal, Name, Path, Unsupported},
    token::{Keyword, Punctuation, Segment, Token, TokenKind},
};
use clef_base::{Diagnostic, Span, Symbol, codes};

impl Parser {
    /// An operand of an application.
    pub(super) fn atom(&mut self) -> ExprId {
        let span = self.span();
        match self.peek().kind {
            TokenKind::Identifier(_) => {
                let mut path = self.path();
                path.segments.extend(self.operator_of_module());
                let span = path.span();
                self.expr(ExprKind::Name(path), span)
            }
            TokenKind::Punctuation(sign) => self.atom_of_sign(sign),
            TokenKind::Keyword(keyword) => self.atom_of_keyword(keyword),
            TokenKind::Interpolated(_) => self.interpolated(),
            TokenKind::Begin => self.block(),
            TokenKind::Directive => {
                self.bump();
                self.expr(ExprKind::Unsupported(Unsupported::Directive), span)
            }
            TokenKind::Error => {
                self.bump();
                self.error_expr(span)
            }
            _ => match self.literal() {
                Some(literal) => self.expr(ExprKind::Literal(literal), span),
                None => self.no_expression(),
            },
        }
    }

    /// Reports a missing expression, and consumes nothing.
    pub(super) fn no_expression(&mut self) -> ExprId {
        self.expected(codes::MISSING_EXPRESSION, "an expression", None);
        self.missing_expr()
    }

    /// `a.b.c`; the next token is a name.
    pub(super) fn path(&mut self) -> Path {
        let mut segments = Vec::new();
        segments.extend(self.eat_name());
        while self.at(Punctuation::Dot) && matches!(self.peek_at(1).kind, TokenKind::Identifier(_)) {
            self.bump();
            segments.extend(self.eat_name());
        }
        Path { segments }
    }

    /// Parses `.(+)` after a module name, and returns the operator.
    fn operator_of_module(&mut self) -> Option<Name> {
        if !self.at(Punctuation::Dot) {
            return None;
        }
        let dot = self.position;
        self.bump();
        let opener = self.span();
        let operator = self.parenthesised_operator();
        match operator {
            Some(operator) => Some(Name { span: self.span_from(opener), ..operator }),
            None => {
                self.position = dot;
                None
            }
        }
    }

    /// A dotted name where one is required.
    pub(super) fn require_path(&mut self, what: &str) -> Option<Path> {
        if matches!(self.peek().kind, TokenKind::Identifier(_)) {
            return Some(self.path());
        }
        self.expected(codes::MISSING_NAME, what, None);
        None
    }

    /// Parses a literal, if one is next.
    pub(super) fn literal(&mut self) -> Option<Literal> {
        let literal = match &self.peek().kind {
            TokenKind::Integer { value, suffix, bits } => {
                Literal::Integer { value: *value, suffix: *suffix, bits: *bits }
            }
            TokenKind::Float { text, single } => Literal::Float { text: float_text(*text), single: *single },
            TokenKind::Char(c) => Literal::Char(*c),
            TokenKind::String(text) => Literal::String(text.to_string()),
            TokenKind::Bytes(bytes) => Literal::Bytes(bytes.to_vec()),
            TokenKind::Keyword(Keyword::True) => Literal::Bool(true),
            TokenKind::Keyword(Keyword::False) => Literal::Bool(false),
            _ => return None,
        };
        self.bump();
        Some(literal)
    }

    fn atom_of_sign(&mut self, sign: Punctuation) -> ExprId {
        match sign {
            Punctuation::LeftParen => self.parentheses(),
            Punctuation::LeftBracket | Punctuation::LeftArray => self.collection(sign),
            Punctuation::LeftBrace => self.braces(),
            Punctuation::LeftAnonymous => self.unsupported_bracket(Unsupported::AnonymousRecord),
            Punctuation::LeftQuotation => self.unsupported_bracket(Unsupported::Quotation),
            _ => self.no_expression(),
        }
    }

    fn atom_of_keyword(&mut self, keyword: Keyword) -> ExprId {
        let span = self.span();
        match keyword {
            Keyword::True | Keyword::False => {
                self.bump();
                self.expr(ExprKind::Literal(Literal::Bool(keyword == Keyword::True)), span)
            }
            Keyword::Begin => {
                self.bump();
                let body = if self.at_begin() { self.block() } else { self.unit(span) };
                self.require_keyword(Keyword::End, codes::UNEXPECTED_TOKEN, Some((span, "the block starts here")));
                body
            }
            Keyword::Struct => self.struct_tuple(),
            Keyword::Underscore => {
                self.report(
                    Diagnostic::error(codes::MISSING_EXPRESSION, span, "`_` is only allowed in patterns")
                        .label("expected an expression")
                        .help("bind the value to a name, or write `fun x -> …`"),
                );
                self.bump();
                self.error_expr(span)
            }
            _ => self.unsupported_atom(keyword),
        }
    }

    fn unit(&mut self, span: Span) -> ExprId {
        let span = self.span_from(span);
        self.expr(ExprKind::Literal(Literal::Unit), span)
    }

    /// `()`, `(e)`, `(+)`.
    fn parentheses(&mut self) -> ExprId {
        let opener = self.span();
        if let Some(operator) = self.parenthesised_operator() {
            let span = self.span_from(opener);
            return self.expr(ExprKind::Operator(operator), span);
        }
        if self.is_active_pattern() {
            return self.unsupported_bracket(Unsupported::ActivePattern);
        }
        self.bump();
        if self.eat(Punctuation::RightParen) {
            return self.unit(opener);
        }
        let field_column = self.field_column.take();
        let content = if self.at_begin() { self.block() } else { self.no_expression() };
        self.field_column = field_column;
        self.close_bracket(Punctuation::RightParen);
        self.parenthesised.insert(content);
        content
    }

    /// Parses `(+)`, if it is next.
    pub(super) fn parenthesised_operator(&mut self) -> Option<Name> {
        if !self.at(Punctuation::LeftParen) {
            return None;
        }
        let in_block = self.peek_at(1).kind == TokenKind::Begin;
        let inside = 1 + usize::from(in_block);
        let is_operator = match self.peek_at(inside).kind {
            TokenKind::Operator(_) => true,
            TokenKind::Punctuation(sign) => sign == Punctuation::Equal,
            _ => false,
        };
        let closer = inside + 1 + usize::from(in_block);
        let is_alone = !in_block || self.peek_at(inside + 1).kind == TokenKind::End;
        if !is_operator || !is_alone || !self.peek_at(closer).is(Punctuation::RightParen) {
            return None;
        }
        (0..inside).for_each(|_| self.bump());
        let name = self.take_operator();
        (inside + 1..=closer).for_each(|_| self.bump());
        Some(name)
    }

    /// Whether the next parenthesis contains an active pattern: `(|Even|Odd|)`.
    pub(super) fn is_active_pattern(&self) -> bool {
        let inside = 1 + usize::from(self.peek_at(1).kind == TokenKind::Begin);
        self.at(Punctuation::LeftParen) && self.peek_at(inside).is(Punctuation::Bar)
    }

    /// `struct (a, b)`.
    fn struct_tuple(&mut self) -> ExprId {
        let start = self.span();
        self.bump();
        if !self.at(Punctuation::LeftParen) {
            self.expected(codes::UNEXPECTED_TOKEN, "`(`", Some((start, "`struct` must be followed by a tuple")));
            return self.missing_expr();
        }
        let content = self.parentheses();
        let span = self.span_from(start);
        let parts = match &mut self.ast.exprs[content].kind {
            ExprKind::Tuple(parts) => std::mem::take(parts),
            _ => {
                let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, span, "`struct` must be followed by a tuple");
                self.report(error.label("not a tuple").help("write at least two components: `struct (a, b)`"));
                return content;
            }
        };
        self.expr(ExprKind::StructTuple(parts), span)
    }

    /// `$"…{e}…"`: each hole is parsed on its own.
    fn interpolated(&mut self) -> ExprId {
        let span = self.span();
        let kind = std::mem::replace(&mut self.tokens[self.position].kind, TokenKind::Error);
        self.bump();
        let TokenKind::Interpolated(segments) = kind else { return self.error_expr(span) };
        let parts = segments.into_iter().map(|segment| self.segment(segment, span)).collect();
        self.expr(ExprKind::Interpolated(parts), span)
    }

    fn segment(&mut self, segment: Segment, string: Span) -> InterpolationPart {
        match segment {
            Segment::Text(text) => InterpolationPart::Text(text),
            Segment::Hole { tokens, format, specifier, span: _ } => {
                let name = |(symbol, span): (Symbol, Span)| Name { symbol, span };
                let expr = self.deeper(|parser| parser.hole(tokens, string), Parser::missing_expr);
                InterpolationPart::Value { expr, format: format.map(name), specifier: specifier.map(name) }
            }
        }
    }

    /// The expression of a hole, parsed from its own tokens.
    fn hole(&mut self, tokens: Vec<Token>, string: Span) -> ExprId {
        if tokens.len() < 2 {
            let place = tokens.first().map_or(string, |token| token.span);
            self.reported = None;
            self.report(
                Diagnostic::error(codes::MISSING_EXPRESSION, place, "expected an expression between the braces")
                    .label("empty braces")
                    .help("write `{{` and `}}` for literal braces"),
            );
            return self.error_expr(place);
        }
        let outer = (std::mem::replace(&mut self.tokens, tokens), std::mem::take(&mut self.position));
        let marks = (self.reported.take(), self.field_column.take());
        let abandoned = self.abandoned;
        let expr = if self.at_begin() { self.block() } else { self.annotated() };
        if !self.at_end_of_file() {
            self.unexpected();
        }
        (self.tokens, self.position) = outer;
        (self.reported, self.field_column) = marks;
        if self.abandoned && !abandoned {
            self.position = self.tokens.len() - 1;
        }
        expr
    }
}

/// The digits of a float in canonical form: `5.` and `5f` as `5.0`.
fn float_text(text: Symbol) -> Symbol {
    if text.as_str().contains(['.', 'e', 'E']) { text } else { Symbol::new(&format!("{text}.0")) }
}
