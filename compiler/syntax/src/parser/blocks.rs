//! Blocks: statements in sequence, of which the last is the value.

use super::{Parser, cursor::is_virtual, recovery::describe};
use crate::{
    ast::{ExprId, ExprKind, LetGroup, Statement},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, codes};

impl Parser {
    /// A block, or an expression if the offside pass found no block.
    pub(super) fn block(&mut self) -> ExprId {
        self.deeper(Parser::block_inside, Parser::missing_expr)
    }

    /// The body of a construct: a block, which is required.
    pub(super) fn body(&mut self, what: &str, opener: Span) -> ExprId {
        if self.at_begin() {
            return self.block();
        }
        if self.at_boundary() || matches!(self.peek().kind, TokenKind::Punctuation(sign) if sign.is_closer()) {
            self.expected(codes::MISSING_EXPRESSION, what, Some((opener, "it belongs here")));
            return self.missing_expr();
        }
        self.deeper(Parser::expression, Parser::missing_expr)
    }

    fn block_inside(&mut self) -> ExprId {
        if !self.eat_kind(&TokenKind::Begin) {
            return self.annotated();
        }
        let field_column = self.field_column.take();
        let start = self.span();
        let mut statements = Vec::new();
        self.statements(&mut statements, false);
        if statements.is_empty() {
            self.empty_block();
        }
        self.reject_ranges(&statements);
        self.close_block();
        self.field_column = field_column;
        self.block_of(statements, start)
    }

    /// Reports the token that ends a block before its first expression, such as `else` in `if a then else b`. The layout reports it
    /// first where the block itself is missing.
    fn empty_block(&mut self) {
        if self.is_reported() {
            return;
        }
        let next = self.tokens[self.position..].iter().find(|token| token.kind != TokenKind::End);
        let error = match next.filter(|token| !is_virtual(token)) {
            Some(next) => {
                self.expected_at(next.span, &describe(next), codes::MISSING_EXPRESSION, "an expression", None)
            }
            None => self.expected_error(codes::MISSING_EXPRESSION, "an expression", None),
        };
        self.report(error);
    }

    /// Builds the expression of a list of statements; an error node if it is empty.
    pub(super) fn block_of(&mut self, mut statements: Vec<Statement>, start: Span) -> ExprId {
        match statements.last() {
            None => return self.missing_expr(),
            Some(Statement::Let(group)) => {
                let span = group.span;
                if !self.ends_with_error(group) {
                    self.dangling_let(span);
                }
                let missing = self.error_expr(span.at_end());
                statements.push(Statement::Expr(missing));
            }
            Some(Statement::Expr(_)) => {}
        }
        if let [Statement::Expr(only)] = statements[..] {
            return only;
        }
        let span = self.span_from(start);
        self.expr(ExprKind::Block(statements), span)
    }

    /// Reports ranges outside brackets and `in`: they are not values.
    fn reject_ranges(&mut self, statements: &[Statement]) {
        for statement in statements {
            let Statement::Expr(expr) = statement else { continue };
            if matches!(self.ast.exprs[*expr].kind, ExprKind::Range { .. }) {
                let span = self.expr_span(*expr);
                self.report(
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, span, "a range is not a value")
                        .label("a range is only allowed in brackets or after `in`")
                        .help("put it in brackets for a list"),
                );
            }
        }
    }

    /// Whether the last binding of a group has a body that is already reported as missing.
    fn ends_with_error(&self, group: &LetGroup) -> bool {
        let Some(binding) = group.bindings.last() else { return false };
        let last = match &self.ast.exprs[binding.body].kind {
            ExprKind::Block(statements) => match statements.last() {
                Some(Statement::Expr(last)) => *last,
                Some(Statement::Let(_)) | None => binding.body,
            },
            _ => binding.body,
        };
        matches!(self.ast.exprs[last].kind, ExprKind::Error)
    }

    fn dangling_let(&mut self, span: Span) {
        if self.is_reported() {
            return;
        }
        let keyword = Span { end: span.start + 3, ..span };
        self.report(
            Diagnostic::error(codes::DANGLING_LET, keyword, "the block ends with a `let` and has no value")
                .label("expected an expression after this binding")
                .also(span.at_end(), "the block ends here")
                .help("add an expression on a new line, aligned with `let`"),
        );
    }

    /// Parses statements up to the end of the block, or, if `inline`, up to the end of the line.
    pub(super) fn statements(&mut self, statements: &mut Vec<Statement>, mut inline: bool) {
        loop {
            while self.eat(Punctuation::Semicolon) || !inline && self.eat_kind(&TokenKind::Separator) {}
            if self.at_boundary() {
                return;
            }
            let before = self.position;
            let documentation = self.documentation();
            let attributes = self.attributes();
            if self.at_keyword(Keyword::Let) || self.at_keyword(Keyword::Use) {
                let group = self.let_group(attributes, documentation);
                inline = self.let_statement(group, statements, inline);
                if self.took_in() {
                    continue;
                }
            } else {
                self.reject_attributes(&attributes);
                let expr = self.element();
                statements.push(Statement::Expr(expr));
            }
            if !self.ends_statement(inline, before) {
                return;
            }
        }
    }

    /// Whether the last consumed token is `in`.
    fn took_in(&self) -> bool {
        self.position > 0 && self.tokens[self.position - 1].is_keyword(Keyword::In)
    }

    /// Moves to the end of a statement; false if it is the last one.
    fn ends_statement(&mut self, inline: bool, before: usize) -> bool {
        match self.peek().kind {
            TokenKind::Punctuation(Punctuation::Semicolon) => true,
            TokenKind::Separator => !inline,
            TokenKind::End | TokenKind::EndOfFile => false,
            _ if inline => false,
            _ if self.at_next_item() && self.position > before => true,
            _ => {
                self.unexpected();
                self.skip_item();
                true
            }
        }
    }

    /// An expression, optionally annotated, or a range.
    pub(super) fn element(&mut self) -> ExprId {
        let first = self.annotated();
        if self.at(Punctuation::DotDot) { self.range(first) } else { first }
    }

    /// `let` within a block. `let … in e` in one line is in scope only in `e`. Returns whether the statements continue
    /// only to the end of the line.
    fn let_statement(&mut self, group: LetGroup, statements: &mut Vec<Statement>, inline: bool) -> bool {
        if !self.eat_keyword(Keyword::In) {
            statements.push(Statement::Let(group));
            return inline;
        }
        self.skip_separators();
        if self.peek().starts_line || inline || self.at_boundary() {
            let inline = inline && !self.peek().starts_line;
            statements.push(Statement::Let(group));
            self.back_to_in();
            return inline;
        }
        let expr = self.let_in(group);
        statements.push(Statement::Expr(expr));
        inline
    }

    /// Moves back over separators to directly after `in`.
    fn back_to_in(&mut self) {
        while self.position > 0 && self.tokens[self.position - 1].kind == TokenKind::Separator {
            self.position -= 1;
        }
    }

    /// The body after `in`, on the same line.
    fn let_in(&mut self, group: LetGroup) -> ExprId {
        let start = group.span;
        let mut statements = vec![Statement::Let(group)];
        self.deeper(|parser| parser.statements(&mut statements, true), |_| ());
        self.block_of(statements, start)
    }

    /// `let` in the position of an expression: `1 + let x = 2 in x`.
    pub(super) fn let_expression(&mut self) -> ExprId {
        let start = self.span();
        let group = self.let_group(Vec::new(), None);
        let found = self.eat_keyword(Keyword::In);
        if !found && self.at_boundary() {
            let context = Some((start, "the binding starts here"));
            self.require_keyword(Keyword::In, codes::MISSING_IN, context);
            return self.missing_expr();
        }
        self.let_in(group)
    }
}
