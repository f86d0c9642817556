//! Expressions: assignment, tuples, operators, and prefixes of operands.

use super::{
    Parser,
    operators::{Associativity, Level, infix_level, is_loose_prefix, is_tight_prefix},
};
use crate::{
    ast::{ExprId, ExprKind, Name, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, codes};

impl Parser {
    /// An expression, optionally with a type annotation.
    pub(super) fn annotated(&mut self) -> ExprId {
        let expr = self.expression();
        if !self.at(Punctuation::Colon) {
            return expr;
        }
        self.bump();
        let annotation = self.annotation_with_constraints();
        let span = self.span_from(self.expr_span(expr));
        self.expr(ExprKind::Annotated { expr, annotation }, span)
    }

    /// An expression: anything except a sequence or an annotation.
    pub(super) fn expression(&mut self) -> ExprId {
        let first = self.binary(Level::Or);
        let goes_on = match self.peek().kind {
            TokenKind::Punctuation(sign) => matches!(sign, Punctuation::Comma | Punctuation::LeftArrow),
            TokenKind::Operator(operator) => operator.as_str() == ":=",
            _ => false,
        };
        if goes_on { self.tuple_or_assignment(first) } else { first }
    }

    fn tuple_or_assignment(&mut self, first: ExprId) -> ExprId {
        let target = if self.at(Punctuation::Comma) { self.tuple(first) } else { first };
        if self.at(Punctuation::LeftArrow) {
            self.bump();
            let value = self.right_side();
            let span = self.span_from(self.expr_span(target));
            return self.expr(ExprKind::Assign { target, value }, span);
        }
        if self.at_operator(":=") {
            let operator = self.take_operator();
            let value = self.right_side();
            let span = self.span_from(self.expr_span(target));
            return self.expr(ExprKind::Binary { operator, left: target, right: value }, span);
        }
        target
    }

    /// The right side of `<-` and `:=`: a block on the next line, or an expression.
    fn right_side(&mut self) -> ExprId {
        if self.at_begin() {
            self.block()
        } else {
            self.skip_separators();
            self.deeper(Parser::expression, Parser::missing_expr)
        }
    }

    fn tuple(&mut self, first: ExprId) -> ExprId {
        let mut parts = vec![first];
        while self.eat(Punctuation::Comma) {
            self.skip_separators();
            parts.push(self.binary(Level::Or));
        }
        let span = self.span_from(self.expr_span(first));
        self.expr(ExprKind::Tuple(parts), span)
    }

    /// Operands joined by operators that bind at least as tightly as `loosest`.
    pub(super) fn binary(&mut self, loosest: Level) -> ExprId {
        let mut left = self.operand();
        while let Some(level) = self.infix().filter(|&level| level >= loosest) {
            left = match level {
                Level::Cast | Level::TypeTest => self.type_test(left),
                _ => self.binary_right(left, level),
            };
        }
        left
    }

    fn binary_right(&mut self, left: ExprId, level: Level) -> ExprId {
        let operator = self.take_operator();
        if self.at_boundary() {
            self.report_suffix(operator);
        }
        self.skip_separators();
        let right = match level.associativity() {
            Associativity::Left => self.binary(level.tighter()),
            Associativity::Right => self.deeper(|parser| parser.binary(level), Parser::missing_expr),
        };
        let span = self.span_from(self.expr_span(left));
        self.expr(ExprKind::Binary { operator, left, right }, span)
    }

    /// Explains a postfix operator of other languages.
    fn report_suffix(&mut self, operator: Name) {
        let (message, help) = match operator.symbol.as_str() {
            "?" => ("Clef has no `?` operator", "match on the result, or use `Result.bind`"),
            "++" => ("Clef has no `++`", "write `x <- x + 1`"),
            "--" => ("Clef has no `--`", "write `x <- x - 1`"),
            _ => return,
        };
        let error = Diagnostic::error(codes::MISSING_EXPRESSION, operator.span, message);
        self.report(error.label("an operator must be between its operands").help(help));
    }

    /// `e :? type` and similar, which are unsupported.
    fn type_test(&mut self, left: ExprId) -> ExprId {
        self.bump();
        self.type_expression();
        let span = self.span_from(self.expr_span(left));
        self.expr(ExprKind::Unsupported(Unsupported::TypeTest), span)
    }

    /// The level of the next operator.
    fn infix(&self) -> Option<Level> {
        match self.peek().kind {
            TokenKind::Operator(operator) => infix_level(operator.as_str()),
            TokenKind::Punctuation(Punctuation::Equal) => Some(Level::Compare),
            _ => None,
        }
    }

    /// An operand: a construct that starts with a keyword, a prefix operator, or an application.
    pub(super) fn operand(&mut self) -> ExprId {
        match self.peek().kind {
            TokenKind::Keyword(keyword) if begins_construct(keyword) => {
                self.deeper(|parser| parser.construct(keyword), Parser::missing_expr)
            }
            TokenKind::Operator(operator) if !is_tight_prefix(operator.as_str()) => {
                self.deeper(Parser::loose_prefix, Parser::missing_expr)
            }
            _ => self.application(),
        }
    }

    /// `-x`; reports an operator without left operand.
    fn loose_prefix(&mut self) -> ExprId {
        let is_prefix = self.operator().is_some_and(|operator| is_loose_prefix(operator.as_str()));
        if !is_prefix {
            self.expected(codes::MISSING_EXPRESSION, "an expression", None);
        }
        let operator = self.take_operator();
        self.skip_separators();
        let operand = self.operand();
        let span = self.span_from(operator.span);
        let kind = match operator.symbol.as_str() {
            "&" | "&&" => ExprKind::Unsupported(Unsupported::AddressOf),
            _ if !is_prefix => ExprKind::Error,
            _ => ExprKind::Prefix { operator, operand },
        };
        self.expr(kind, span)
    }

    /// An error node for a missing expression, without a report.
    pub(super) fn missing_expr(&mut self) -> ExprId {
        let span = self.found_span();
        self.error_expr(span)
    }
}

/// Whether a keyword starts an expression that extends as far as possible.
pub(super) fn begins_construct(keyword: Keyword) -> bool {
    use Keyword::*;
    matches!(
        keyword,
        If | Match
            | Fun
            | Function
            | While
            | For
            | Let
            | Use
            | Do
            | Lazy
            | Assert
            | Yield
            | YieldBang
            | Try
            | New
            | Upcast
            | Downcast
            | Fixed
            | LetBang
            | UseBang
            | DoBang
            | MatchBang
            | Return
            | ReturnBang
    )
}
