//! `if`, `match`, functions, and the other constructs that start with a keyword.

use super::{Parser, operators::Level, recovery::Context};
use crate::{
    ast::{Arm, ExprId, ExprKind, PatternId},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Span, codes};

impl Parser {
    /// The construct that starts with this keyword, which is the next token.
    pub(super) fn construct(&mut self, keyword: Keyword) -> ExprId {
        match keyword {
            Keyword::If => self.conditional(),
            Keyword::Match => self.match_expression(),
            Keyword::Fun => self.lambda(),
            Keyword::Function => self.function(),
            Keyword::While => self.while_loop(),
            Keyword::For => self.for_loop(),
            Keyword::Let | Keyword::Use => self.let_expression(),
            Keyword::Do => self.do_expression(),
            Keyword::Lazy | Keyword::Assert => self.lazy_or_assert(keyword),
            Keyword::Yield | Keyword::YieldBang => self.yield_expression(keyword),
            _ => self.unsupported_construct(keyword),
        }
    }

    /// `if c then a elif d then b else e`; the branches nest to the right.
    fn conditional(&mut self) -> ExprId {
        let mut branches: Vec<(Span, ExprId, ExprId)> = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.span();
            self.bump();
            let condition = self.deeper(Parser::expression, Parser::missing_expr);
            branches.push((start, condition, self.then_branch(start)));
            if self.at_keyword(Keyword::Elif) {
                continue;
            }
            let opener = self.span();
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if self.at_keyword(Keyword::If) {
                continue;
            }
            otherwise = Some(self.body("the branch of the `else`", opener));
            break;
        }
        let end = self.last_end();
        for (start, condition, then) in branches.into_iter().rev() {
            otherwise = Some(self.expr(ExprKind::If { condition, then, otherwise }, start.to(end)));
        }
        otherwise.unwrap_or_else(|| self.missing_expr())
    }

    fn then_branch(&mut self, start: Span) -> ExprId {
        let context = Some((start, "the condition belongs here"));
        if !self.require_keyword(Keyword::Then, codes::MISSING_THEN, context) {
            self.skip_until(|token| {
                [Keyword::Then, Keyword::Else, Keyword::Elif].iter().any(|keyword| token.is_keyword(*keyword))
            });
            if !self.eat_keyword(Keyword::Then) {
                return self.missing_expr();
            }
        }
        self.body("the branch of the `if`", start)
    }

    fn match_expression(&mut self) -> ExprId {
        let start = self.span();
        self.bump();
        let scrutinee = self.deeper(Parser::annotated, Parser::missing_expr);
        let context = Some((start, "the arms belong here"));
        if !self.require_keyword(Keyword::With, codes::MISSING_WITH, context) {
            self.skip_until(|token| token.is_keyword(Keyword::With) || token.is(Punctuation::Bar));
            self.eat_keyword(Keyword::With);
        }
        let arms = self.arms(start);
        let span = self.span_from(start);
        self.expr(ExprKind::Match { scrutinee, arms }, span)
    }

    fn function(&mut self) -> ExprId {
        let start = self.span();
        self.bump();
        let arms = self.arms(start);
        let span = self.span_from(start);
        self.expr(ExprKind::Function(arms), span)
    }

    /// The arms after `with` or `function`, at least one.
    pub(super) fn arms(&mut self, opener: Span) -> Vec<Arm> {
        let mut arms = Vec::new();
        self.skip_separators_before_bar();
        if !self.eat(Punctuation::Bar) && !self.at_pattern() {
            // If no arm follows, the offside pass has reported it.
            if self.at_boundary() {
                return vec![self.missing_arm()];
            }
            self.expected(codes::MISSING_ARM, "an arm `| pattern -> …`", Some((opener, "the arms belong here")));
            self.skip_item();
            return vec![self.missing_arm()];
        }
        loop {
            arms.push(self.deeper(Parser::arm, Parser::missing_arm));
            self.skip_separators_before_bar();
            if !self.eat(Punctuation::Bar) {
                return arms;
            }
        }
    }

    pub(super) fn skip_separators_before_bar(&mut self) {
        if self.at_kind(&TokenKind::Separator) && self.peek_at(1).is(Punctuation::Bar) {
            self.bump();
        }
    }

    fn missing_arm(&mut self) -> Arm {
        let span = self.found_span();
        let pattern = self.pattern_node(crate::ast::PatternKind::Error, span);
        Arm { pattern, guard: None, body: self.missing_expr() }
    }

    fn arm(&mut self) -> Arm {
        let start = self.span();
        if self.at_boundary() {
            self.expected(codes::MISSING_PATTERN, "a pattern", None);
            return self.missing_arm();
        }
        let pattern = self.pattern();
        let guard = self.eat_keyword(Keyword::When).then(|| self.expression());
        let context = Some((start, "the arm starts here"));
        if self.at_operator("=>") || self.at(Punctuation::Equal) && !self.arrow_follows() {
            self.mistaken_arrow(context);
        } else if !self.require(Punctuation::Arrow, codes::MISSING_ARROW, context) {
            self.skip_until(|token| token.is(Punctuation::Arrow) || token.is(Punctuation::Bar));
            if !self.eat(Punctuation::Arrow) {
                return Arm { pattern, guard, body: self.missing_expr() };
            }
        }
        let body = self.body("the body of the arm", start);
        Arm { pattern, guard, body }
    }

    fn lambda(&mut self) -> ExprId {
        let start = self.span();
        self.bump();
        let parameters = self.parameters();
        if parameters.is_empty() {
            self.expected(codes::MISSING_PATTERN, "a parameter", Some((start, "the function starts here")));
        }
        if self.at(Punctuation::Equal) || self.at_operator("=>") {
            self.mistaken_arrow(Some((start, "the function starts here")));
        } else if !self.require(Punctuation::Arrow, codes::MISSING_ARROW, Some((start, "the function starts here"))) {
            self.skip_until(|token| token.is(Punctuation::Arrow));
            if !self.eat(Punctuation::Arrow) {
                return self.missing_expr();
            }
        }
        let body = self.body("the body of the function", start);
        let span = start.to(self.expr_span(body));
        if parameters.is_empty() {
            return self.error_expr(span);
        }
        let span = self.span_from(span);
        self.expr(ExprKind::Lambda { parameters, body }, span)
    }

    /// `fun x = …` and `fun x => …`: treats the token as an arrow.
    fn mistaken_arrow(&mut self, context: Context) {
        let equal = self.span();
        let error = self.expected_error(codes::MISSING_ARROW, "`->`", context);
        self.report(error.fix("write `->`", equal, "->"));
        self.bump();
    }

    /// Whether an arrow follows on this line.
    fn arrow_follows(&self) -> bool {
        let line = self.tokens[self.position..].iter().take_while(|token| !token.starts_line);
        line.into_iter().any(|token| token.is(Punctuation::Arrow))
    }

    /// One or more adjacent patterns.
    pub(super) fn parameters(&mut self) -> Vec<PatternId> {
        let mut parameters = Vec::new();
        while self.at_atomic_pattern() {
            parameters.push(self.deeper(Parser::atomic_pattern, Parser::missing_pattern));
        }
        parameters
    }

    fn do_expression(&mut self) -> ExprId {
        let start = self.span();
        self.bump();
        self.body("the body of the `do`", start)
    }

    fn lazy_or_assert(&mut self, keyword: Keyword) -> ExprId {
        let start = self.span();
        self.bump();
        let operand = if self.at_begin() { self.block() } else { self.binary(Level::Application) };
        let span = self.span_from(start);
        let kind = if keyword == Keyword::Lazy { ExprKind::Lazy(operand) } else { ExprKind::Assert(operand) };
        self.expr(kind, span)
    }

    fn yield_expression(&mut self, keyword: Keyword) -> ExprId {
        let start = self.span();
        self.bump();
        let value = if self.at_begin() { self.block() } else { self.annotated() };
        let span = self.span_from(start);
        let kind = if keyword == Keyword::Yield { ExprKind::Yield(value) } else { ExprKind::YieldAll(value) };
        self.expr(kind, span)
    }
}
