//! `while` and `for`.

use super::Parser;
use crate::{
    ast::{ExprId, ExprKind, Name, PatternId, PatternKind},
    token::{Keyword, Punctuation},
};
use clef_base::{Diagnostic, Span, Symbol, codes};

impl Parser {
    pub(super) fn while_loop(&mut self) -> ExprId {
        let start = self.span();
        self.bump();
        let condition = self.deeper(Parser::expression, Parser::missing_expr);
        let body = self.loop_body(start);
        let span = self.span_from(start);
        self.expr(ExprKind::While { condition, body }, span)
    }

    pub(super) fn for_loop(&mut self) -> ExprId {
        let start = self.span();
        self.bump();
        if self.peek_at(1).is(Punctuation::Equal)
            && let Some(variable) = self.counter()
        {
            self.bump();
            return self.for_range(start, variable);
        }
        let pattern = self.deeper(Parser::pattern, Parser::missing_pattern);
        if !self.eat_keyword(Keyword::In) {
            self.missing_in(start, pattern);
            self.skip_until(|token| token.is_keyword(Keyword::In) || token.is_keyword(Keyword::Do));
            self.reported = Some(self.position);
            self.eat_keyword(Keyword::In);
        }
        let source = if self.at_keyword(Keyword::Do) {
            self.no_expression()
        } else {
            self.deeper(Parser::element, Parser::missing_expr)
        };
        let is_counted = self.at_keyword(Keyword::To) || self.at_keyword(Keyword::Downto);
        let source = if is_counted { self.mistaken_range(source) } else { source };
        let body = if self.at(Punctuation::Arrow) { self.yielding_body(start) } else { self.loop_body(start) };
        let span = self.span_from(start);
        self.expr(ExprKind::ForIn { pattern, source, body }, span)
    }

    /// The variable of a counting loop; `_` if it is unused.
    fn counter(&mut self) -> Option<Name> {
        let span = self.span();
        if self.eat_keyword(Keyword::Underscore) {
            return Some(Name { symbol: Symbol::new(Keyword::Underscore.text()), span });
        }
        self.eat_name()
    }

    /// `for x xs do`: the second name was parsed as an argument of the first.
    fn missing_in(&mut self, start: Span, pattern: PatternId) {
        let place = match &self.ast.patterns[pattern].kind {
            PatternKind::Case { path, argument: Some(_) } => path.span().at_end(),
            _ => self.last_end(),
        };
        if !self.is_reported() {
            let error = self.expected_error(codes::MISSING_IN, "`in`", Some((start, "the loop starts here")));
            self.report(error.fix("add `in`", place, " in"));
        }
    }

    /// `for i in 0 to 3`: treats the word as the dots of a range.
    fn mistaken_range(&mut self, from: ExprId) -> ExprId {
        let word = self.span();
        let (found, dots) = if self.at_keyword(Keyword::Downto) { ("downto", ".. -1 ..") } else { ("to", "..") };
        self.bump();
        let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, word, format!("`for … in` has no `{found}`"));
        self.report(error.note(format!("`for i = first {found} last do` counts")).fix("write a range", word, dots));
        let to = self.deeper(Parser::expression, Parser::missing_expr);
        let span = self.expr_span(from).to(self.expr_span(to));
        self.expr(ExprKind::Range { from, step: None, to }, span)
    }

    fn for_range(&mut self, start: Span, variable: Name) -> ExprId {
        let from = self.deeper(Parser::expression, Parser::missing_expr);
        let descending = self.eat_keyword(Keyword::Downto);
        if !descending {
            let context = Some((start, "the loop starts here"));
            self.require_keyword(Keyword::To, codes::UNEXPECTED_TOKEN, context);
        }
        let to = self.deeper(Parser::expression, Parser::missing_expr);
        let body = self.loop_body(start);
        let span = self.span_from(start);
        self.expr(ExprKind::ForRange { variable, from, to, descending, body }, span)
    }

    fn loop_body(&mut self, start: Span) -> ExprId {
        if !self.require_keyword(Keyword::Do, codes::MISSING_DO, Some((start, "the loop starts here"))) {
            self.skip_until(|token| token.is_keyword(Keyword::Do));
            if !self.eat_keyword(Keyword::Do) {
                return self.missing_expr();
            }
        }
        let body = self.body("the body of the loop", start);
        self.eat_keyword(Keyword::Done);
        body
    }

    /// `-> e`: yields each value.
    fn yielding_body(&mut self, start: Span) -> ExprId {
        self.bump();
        let value = self.body("the element", start);
        let span = self.expr_span(value);
        self.expr(ExprKind::Yield(value), span)
    }

    /// `first..last` or `first..step..last`, after the first value.
    pub(super) fn range(&mut self, from: ExprId) -> ExprId {
        self.bump();
        let mut to = self.expression();
        let mut step = None;
        if self.eat(Punctuation::DotDot) {
            step = Some(to);
            to = self.expression();
        }
        let span = self.expr_span(from).to(self.expr_span(to));
        self.expr(ExprKind::Range { from, step, to }, span)
    }
}
