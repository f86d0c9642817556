//! Application by juxtaposition, and tighter constructs: fields, indices, type arguments, `f(x)`.

use super::{
    Parser,
    operators::{is_loose_prefix, is_tight_prefix},
};
use crate::{
    ast::{ExprId, ExprKind, Name, TypeExprId},
    token::{Keyword, Punctuation, Token, TokenKind},
};
use clef_base::{Diagnostic, codes};

/// The number of tokens searched for the `>` of type arguments, so that many unclosed `<` stay cheap.
const MAX_TYPE_TOKENS: usize = 500;

impl Parser {
    /// `f x y`, or just `f`.
    pub(super) fn application(&mut self) -> ExprId {
        let mut function = self.postfix();
        while self.at_argument() {
            function = self.apply_next(function);
        }
        function
    }

    fn apply_next(&mut self, function: ExprId) -> ExprId {
        if self.at(Punctuation::LeftBrace) && (self.is_sequence(function) || !self.is_record() && !self.is_range()) {
            return self.computation(function);
        }
        let is_open = self.is_open(function);
        let argument = self.deeper(Parser::argument, Parser::missing_expr);
        self.apply(function, argument, is_open)
    }

    /// Whether the last parsed expression is not closed by a parenthesis.
    fn is_open(&self, expr: ExprId) -> bool {
        self.expr_span(expr).end == self.last_end().end
    }

    /// Adds an argument to a function, or to an application that is still open.
    fn apply(&mut self, function: ExprId, argument: ExprId, is_open: bool) -> ExprId {
        let span = self.span_from(self.expr_span(function).to(self.expr_span(argument)));
        match &self.ast.exprs[function].kind {
            ExprKind::Apply { function: inner, arguments } if is_open => {
                let (function, mut arguments) = (*inner, arguments.clone());
                arguments.push(argument);
                self.expr(ExprKind::Apply { function, arguments }, span)
            }
            _ => self.expr(ExprKind::Apply { function, arguments: vec![argument] }, span),
        }
    }

    /// Whether the next token starts an argument.
    fn at_argument(&self) -> bool {
        let token = self.peek();
        if token.starts_line && self.field_column.is_some_and(|column| token.column <= column) {
            return false;
        }
        match &token.kind {
            TokenKind::Identifier(_)
            | TokenKind::Integer { .. }
            | TokenKind::Float { .. }
            | TokenKind::Char(_)
            | TokenKind::String(_)
            | TokenKind::Bytes(_)
            | TokenKind::Interpolated(_)
            | TokenKind::Error => true,
            TokenKind::Keyword(keyword) => {
                matches!(
                    keyword,
                    Keyword::True
                        | Keyword::False
                        | Keyword::Null
                        | Keyword::Begin
                        | Keyword::Underscore
                        | Keyword::Struct
                        | Keyword::Base
                        | Keyword::Global
                ) || needs_parentheses(*keyword)
            }
            TokenKind::Punctuation(sign) => matches!(
                sign,
                Punctuation::LeftParen
                    | Punctuation::LeftBracket
                    | Punctuation::LeftArray
                    | Punctuation::LeftBrace
                    | Punctuation::LeftAnonymous
                    | Punctuation::LeftQuotation
            ),
            TokenKind::Operator(operator) => is_tight_prefix(operator.as_str()) || is_adjacent_prefix(token),
            TokenKind::TypeVariable(_)
            | TokenKind::Directive
            | TokenKind::Begin
            | TokenKind::Separator
            | TokenKind::End
            | TokenKind::EndOfFile => false,
        }
    }

    fn argument(&mut self) -> ExprId {
        match self.peek().kind {
            TokenKind::Keyword(keyword) if needs_parentheses(keyword) => self.bare_construct(keyword),
            TokenKind::Operator(operator) if is_loose_prefix(operator.as_str()) => {
                let operator = self.take_operator();
                let operand = self.deeper(Parser::argument, Parser::missing_expr);
                self.prefix(operator, operand)
            }
            _ => self.postfix(),
        }
    }

    /// `f fun x -> …`: a construct as argument without the required parentheses.
    fn bare_construct(&mut self, keyword: Keyword) -> ExprId {
        let start = self.span();
        let message = format!("a `{keyword}` expression as argument needs parentheses");
        self.report(
            Diagnostic::error(codes::BARE_ARGUMENT, start, message)
                .label("the argument starts here")
                .help("put the argument in parentheses, or write `<|` before it"),
        );
        self.construct(keyword)
    }

    /// An atom, directly followed by fields, indices, type arguments and arguments in parentheses.
    pub(super) fn postfix(&mut self) -> ExprId {
        if self.operator().is_some_and(|operator| is_tight_prefix(operator.as_str())) {
            let operator = self.take_operator();
            let operand = self.deeper(Parser::postfix, Parser::missing_expr);
            return self.prefix(operator, operand);
        }
        let mut target = self.atom();
        while let Some(next) = self.postfix_sign() {
            target = self.apply_postfix(target, next);
        }
        target
    }

    fn prefix(&mut self, operator: Name, operand: ExprId) -> ExprId {
        let span = self.span_from(operator.span);
        let kind = match operator.symbol.as_str() {
            "&" | "&&" => ExprKind::Unsupported(crate::ast::Unsupported::AddressOf),
            _ => ExprKind::Prefix { operator, operand },
        };
        self.expr(kind, span)
    }

    fn postfix_sign(&self) -> Option<Postfix> {
        let token = self.peek();
        match token.kind {
            TokenKind::Punctuation(Punctuation::Dot) => Some(Postfix::Dot),
            TokenKind::Punctuation(Punctuation::LeftParen) if !token.space_before => Some(Postfix::Paren),
            TokenKind::Punctuation(Punctuation::LeftBracket) if !token.space_before => Some(Postfix::Bracket),
            TokenKind::Operator(operator)
                if operator.as_str() == "<" && !token.space_before && self.is_type_application() =>
            {
                Some(Postfix::Types)
            }
            _ => None,
        }
    }

    fn apply_postfix(&mut self, target: ExprId, next: Postfix) -> ExprId {
        let start = self.expr_span(target);
        match next {
            Postfix::Dot => self.dot(target),
            Postfix::Bracket => self.index(target),
            Postfix::Paren => {
                let is_open = self.is_open(target);
                let argument = self.atom();
                self.apply(target, argument, is_open)
            }
            Postfix::Types => {
                let arguments = self.type_arguments();
                let span = self.span_from(start);
                self.expr(ExprKind::TypeApply { function: target, arguments }, span)
            }
        }
    }

    /// `.name` or `.[index]`.
    fn dot(&mut self, target: ExprId) -> ExprId {
        let dot = self.span();
        self.bump();
        if self.at(Punctuation::LeftBracket) {
            return self.index(target);
        }
        let Some(name) = self.eat_name() else {
            self.expected(codes::MISSING_NAME, "a name", Some((dot, "expected a name after this")));
            let span = self.expr_span(target).to(dot);
            return self.expr(ExprKind::Error, span);
        };
        let span = self.expr_span(target).to(name.span);
        self.expr(ExprKind::Field { target, name }, span)
    }

    /// `[i]`, `[i..j]`, `[..j]`, `[i..]`, `[*]` after the indexed value.
    fn index(&mut self, target: ExprId) -> ExprId {
        let opener = self.span();
        self.bump();
        let in_block = self.eat_kind(&TokenKind::Begin);
        let field_column = self.field_column.take();
        let kind = self.deeper(|parser| parser.index_content(target, opener), |_| ExprKind::Error);
        self.field_column = field_column;
        if in_block {
            self.close_block();
        }
        self.close_bracket(Punctuation::RightBracket);
        let span = self.span_from(self.expr_span(target));
        self.expr(kind, span)
    }

    fn index_content(&mut self, target: ExprId, opener: clef_base::Span) -> ExprKind {
        if self.at(Punctuation::RightBracket) {
            self.expected(codes::MISSING_EXPRESSION, "an index", Some((opener, "expected an index after this")));
            return ExprKind::Error;
        }
        if self.at_operator("*") && self.peek_at(1).kind == TokenKind::End {
            self.bump();
            return ExprKind::Slice { target, from: None, to: None };
        }
        let from = if self.at(Punctuation::DotDot) { None } else { Some(self.expression()) };
        if !self.eat(Punctuation::DotDot) {
            return from.map_or(ExprKind::Error, |index| ExprKind::Index { target, index });
        }
        let ends = self.at_boundary() || self.at(Punctuation::RightBracket);
        let to = if ends { None } else { Some(self.expression()) };
        ExprKind::Slice { target, from, to }
    }

    /// Whether the next token `<` opens type arguments: only tokens of types are before the matching `>`, and no
    /// operand is directly after it.
    fn is_type_application(&self) -> bool {
        let mut open = 0usize;
        for (index, token) in self.tokens[self.position..].iter().enumerate().take(MAX_TYPE_TOKENS) {
            match &token.kind {
                TokenKind::Operator(operator) => {
                    let text = operator.as_str();
                    if text == "<" {
                        open += 1;
                    } else if text.starts_with('>') {
                        let closing = text.bytes().take_while(|&byte| byte == b'>').count();
                        if closing >= open {
                            let rest = &text[closing.min(open)..];
                            return !rest.contains("//")
                                && (!rest.is_empty() || !self.is_operand_directly_after(index));
                        }
                        if text.len() > closing {
                            return false;
                        }
                        open -= closing;
                    } else if !matches!(text, "*" | "/" | "^" | "^-") {
                        return false;
                    }
                }
                TokenKind::Identifier(_)
                | TokenKind::TypeVariable(_)
                | TokenKind::Integer { .. }
                | TokenKind::Begin
                | TokenKind::End => {}
                TokenKind::Keyword(Keyword::Underscore | Keyword::Struct) => {}
                TokenKind::Punctuation(
                    Punctuation::Dot
                    | Punctuation::Comma
                    | Punctuation::Arrow
                    | Punctuation::LeftParen
                    | Punctuation::RightParen
                    | Punctuation::LeftBracket
                    | Punctuation::RightBracket,
                ) => {}
                _ => return false,
            }
        }
        false
    }

    fn is_operand_directly_after(&self, ahead: usize) -> bool {
        let next = self.peek_at(ahead + 1);
        !next.space_before
            && matches!(
                next.kind,
                TokenKind::Identifier(_) | TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::String(_)
            )
    }

    /// `<a, b>`.
    pub(super) fn type_arguments(&mut self) -> Vec<TypeExprId> {
        let opener = self.span();
        self.bump();
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.measure_or_type());
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        self.close_angle(opener);
        arguments
    }

    /// Consumes `>`, which may be the first character of a longer operator.
    pub(super) fn close_angle(&mut self, opener: clef_base::Span) {
        let rest = self.operator().and_then(|operator| operator.as_str().strip_prefix('>'));
        match rest {
            Some("") => self.bump(),
            Some(rest) => {
                let kind = Punctuation::of(rest)
                    .map_or_else(|| TokenKind::Operator(clef_base::Symbol::new(rest)), TokenKind::Punctuation);
                let token = &mut self.tokens[self.position];
                token.kind = kind;
                token.span.start += 1;
                token.column += 1;
                token.space_before = false;
            }
            None => self.expected(codes::UNEXPECTED_TOKEN, "`>`", Some((opener, "the type arguments start here"))),
        }
    }
}

/// What may directly follow an atom.
#[derive(Clone, Copy)]
enum Postfix {
    Dot,
    Paren,
    Bracket,
    Types,
}

/// `-x` after white space: an argument rather than a subtraction.
fn is_adjacent_prefix(token: &Token) -> bool {
    let TokenKind::Operator(operator) = token.kind else { return false };
    is_loose_prefix(operator.as_str()) && token.space_before && !token.space_after
}

/// Whether a construct needs parentheses to be an argument.
fn needs_parentheses(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::Fun | Keyword::Function | Keyword::Match | Keyword::If | Keyword::Lazy)
}
