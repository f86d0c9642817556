//! Type expressions and measures. From loose to tight: `->`, `*`, postfix application and `[]`.

use super::Parser;
use crate::{
    ast::{Path, TypeExprId, TypeExprKind, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, codes};

/// Whether units of measure are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measures {
    /// Only types.
    No,
    /// Also quotients, powers, products by juxtaposition, and `1`.
    Yes,
}

impl Parser {
    /// A type.
    pub(super) fn type_expression(&mut self) -> TypeExprId {
        self.deeper(|parser| parser.function_type(Measures::No), Parser::missing_type)
    }

    /// The type of the pattern `:? type`: the arrow after it belongs to the arm.
    pub(super) fn type_before_arrow(&mut self) -> TypeExprId {
        self.deeper(|parser| parser.tuple_type(Measures::No), Parser::missing_type)
    }

    /// A type or measure, between angle brackets.
    pub(super) fn measure_or_type(&mut self) -> TypeExprId {
        self.deeper(|parser| parser.function_type(Measures::Yes), Parser::missing_type)
    }

    /// A type, and the constraints after it.
    pub(super) fn annotation_with_constraints(&mut self) -> TypeExprId {
        let annotation = self.type_expression();
        let constraints = self.constraints();
        if constraints.is_empty() {
            return annotation;
        }
        let span = self.span_from(self.type_span(annotation));
        self.type_node(TypeExprKind::Constrained(annotation, constraints), span)
    }

    pub(super) fn missing_type(&mut self) -> TypeExprId {
        let span = self.found_span();
        self.type_node(TypeExprKind::Error, span)
    }

    /// `a -> b -> c`, which is right-associative.
    fn function_type(&mut self, measures: Measures) -> TypeExprId {
        let parameter = self.tuple_type(measures);
        if !self.eat(Punctuation::Arrow) {
            return parameter;
        }
        let in_block = self.eat_kind(&TokenKind::Begin);
        self.skip_separators();
        let result = self.deeper(|parser| parser.function_type(measures), Parser::missing_type);
        if in_block {
            self.close_block();
        }
        let span = self.type_span(parameter).to(self.type_span(result));
        self.type_node(TypeExprKind::Function(parameter, result), span)
    }

    /// `a * b`.
    fn tuple_type(&mut self, measures: Measures) -> TypeExprId {
        let first = self.quotient(measures);
        if !self.at_operator("*") {
            return first;
        }
        let mut parts = vec![first];
        while self.at_operator("*") {
            self.bump();
            self.skip_separators();
            parts.push(self.quotient(measures));
        }
        let span = self.span_from(self.type_span(first));
        self.type_node(TypeExprKind::Tuple(parts), span)
    }

    /// `m / s`; only for measures.
    fn quotient(&mut self, measures: Measures) -> TypeExprId {
        if measures == Measures::No {
            return self.postfix_type();
        }
        let start = self.span();
        let mut left =
            if self.at_operator("/") { self.type_node(TypeExprKind::One, start) } else { self.measure_product() };
        while self.at_operator("/") {
            self.bump();
            left = self.as_measure(left);
            let right = self.measure_product();
            let right = self.as_measure(right);
            let span = self.type_span(left).to(self.type_span(right));
            left = self.type_node(TypeExprKind::Quotient(left, right), span);
        }
        left
    }

    /// `m s^2`, `'u 'v`: adjacent powers, if one of them, or a variable after another, shows that these are measures;
    /// otherwise a type.
    fn measure_product(&mut self) -> TypeExprId {
        let mut left = self.power();
        while self.at_type() && (self.is_measure(left) || matches!(self.peek().kind, TokenKind::TypeVariable(_))) {
            let right = self.power();
            let span = self.type_span(left).to(self.type_span(right));
            left = self.type_node(TypeExprKind::Product(left, right), span);
        }
        left
    }

    fn at_type(&self) -> bool {
        match &self.peek().kind {
            TokenKind::Identifier(_) | TokenKind::TypeVariable(_) | TokenKind::Integer { .. } => true,
            TokenKind::Punctuation(sign) => *sign == Punctuation::LeftParen,
            _ => false,
        }
    }

    fn is_measure(&self, id: TypeExprId) -> bool {
        match self.ast.types[id].kind {
            TypeExprKind::Power(..) | TypeExprKind::Product(..) | TypeExprKind::Quotient(..) | TypeExprKind::One => {
                true
            }
            TypeExprKind::Error
            | TypeExprKind::Unsupported(_)
            | TypeExprKind::Name { .. }
            | TypeExprKind::Variable(_)
            | TypeExprKind::Wildcard
            | TypeExprKind::Constrained(..)
            | TypeExprKind::Function(..)
            | TypeExprKind::Tuple(_)
            | TypeExprKind::StructTuple(_)
            | TypeExprKind::Array(_) => false,
        }
    }

    /// `m ^ 2`, `m ^ -1`.
    fn power(&mut self) -> TypeExprId {
        let base = self.postfix_type();
        let negative = self.at_operator("^-");
        if !negative && !self.at_operator("^") {
            return base;
        }
        self.bump();
        let negative = negative
            || self.at_operator("-") && {
                self.bump();
                true
            };
        let exponent = match self.peek().kind {
            TokenKind::Integer { value, .. } => i32::try_from(value).ok(),
            _ => None,
        };
        let Some(exponent) = exponent else {
            self.expected(codes::UNEXPECTED_TOKEN, "an exponent", None);
            return base;
        };
        self.bump();
        // The exponent applies to the last factor: `kg m^2` is `kg (m^2)`.
        let exponent = if negative { -exponent } else { exponent };
        let (factors, last) = self.split_product(base);
        let span = self.span_from(self.type_span(last));
        let power = self.type_node(TypeExprKind::Power(last, exponent), span);
        self.product_of(factors, power)
    }

    /// Converts a measure that was parsed as postfix application, `kg m`, to a product.
    fn as_measure(&mut self, id: TypeExprId) -> TypeExprId {
        let (factors, last) = self.split_product(id);
        self.product_of(factors, last)
    }

    fn product_of(&mut self, factors: Vec<TypeExprId>, last: TypeExprId) -> TypeExprId {
        let parts = factors.into_iter().chain([last]);
        let product = parts.reduce(|left, right| {
            let span = self.type_span(left).to(self.type_span(right));
            self.type_node(TypeExprKind::Product(left, right), span)
        });
        product.unwrap_or(last)
    }

    /// The factors of `a b c`, which was parsed as postfix application of `c` and `b`; the last one is separate.
    fn split_product(&mut self, id: TypeExprId) -> (Vec<TypeExprId>, TypeExprId) {
        let mut names = Vec::new();
        let mut first = id;
        while let Some((argument, path)) = self.postfix_parts(first) {
            let span = path.span();
            names.push(self.type_node(TypeExprKind::Name { path, arguments: Vec::new() }, span));
            first = argument;
        }
        names.push(first);
        names.reverse();
        let last = names.pop().unwrap_or(id);
        (names, last)
    }

    /// The argument and the constructor of a postfix application.
    fn postfix_parts(&self, id: TypeExprId) -> Option<(TypeExprId, Path)> {
        match &self.ast.types[id].kind {
            TypeExprKind::Name { path, arguments } => match arguments[..] {
                [argument] if self.type_span(argument).start < path.span().start => Some((argument, path.clone())),
                _ => None,
            },
            TypeExprKind::Error
            | TypeExprKind::Unsupported(_)
            | TypeExprKind::Variable(_)
            | TypeExprKind::Wildcard
            | TypeExprKind::Constrained(..)
            | TypeExprKind::Function(..)
            | TypeExprKind::Tuple(_)
            | TypeExprKind::StructTuple(_)
            | TypeExprKind::Array(_)
            | TypeExprKind::Quotient(..)
            | TypeExprKind::Power(..)
            | TypeExprKind::Product(..)
            | TypeExprKind::One => None,
        }
    }

    /// `int list`, `int[]`.
    pub(super) fn postfix_type(&mut self) -> TypeExprId {
        let start = self.span();
        let mut argument = self.atomic_type();
        loop {
            if matches!(self.peek().kind, TokenKind::Identifier(_)) && !self.starts_field() {
                let path = self.path();
                let span = self.span_from(start);
                argument = self.type_node(TypeExprKind::Name { path, arguments: vec![argument] }, span);
            } else if self.at(Punctuation::LeftBracket) && self.peek_at(1).is(Punctuation::RightBracket) {
                self.bump();
                self.bump();
                let span = self.span_from(start);
                argument = self.type_node(TypeExprKind::Array(argument), span);
            } else {
                return argument;
            }
        }
    }

    /// Whether the next name is that of a field: `name:`.
    fn starts_field(&self) -> bool {
        self.peek_at(1).is(Punctuation::Colon)
    }

    fn atomic_type(&mut self) -> TypeExprId {
        let span = self.span();
        match self.peek().kind {
            TokenKind::Identifier(_) => {
                let path = self.path();
                let has_arguments = self.at_operator("<") && !self.peek().space_before;
                let arguments = if has_arguments { self.type_arguments() } else { Vec::new() };
                let span = self.span_from(span);
                let is_wrong = |id: &TypeExprId| matches!(self.ast.types[*id].kind, TypeExprKind::Error);
                let kind = match arguments.iter().any(is_wrong) {
                    true => TypeExprKind::Error,
                    false => TypeExprKind::Name { path, arguments },
                };
                self.type_node(kind, span)
            }
            TokenKind::Keyword(keyword) => self.type_of_keyword(keyword),
            TokenKind::Punctuation(Punctuation::LeftParen) => self.parenthesised_type(),
            TokenKind::Punctuation(Punctuation::LeftAnonymous) => {
                self.skip_bracket();
                let span = self.span_from(span);
                self.type_node(TypeExprKind::Unsupported(Unsupported::AnonymousRecord), span)
            }
            TokenKind::Integer { value: 1, .. } => {
                self.bump();
                self.type_node(TypeExprKind::One, span)
            }
            TokenKind::Error => {
                self.bump();
                self.type_node(TypeExprKind::Error, span)
            }
            _ => match self.type_variable(false) {
                Some(variable) => self.type_node(TypeExprKind::Variable(variable), variable.name.span),
                None => self.no_type(),
            },
        }
    }

    fn no_type(&mut self) -> TypeExprId {
        let span = self.span();
        if let TokenKind::String(_) = self.peek().kind {
            let error = Diagnostic::error(codes::NOT_IN_CLEF, span, "Clef has no type providers");
            self.report(error.help("declare the type"));
            self.bump();
            return self.type_node(TypeExprKind::Error, span);
        }
        self.expected(codes::MISSING_TYPE, "a type", None);
        self.missing_type()
    }

    fn type_of_keyword(&mut self, keyword: Keyword) -> TypeExprId {
        let start = self.span();
        match keyword {
            Keyword::Underscore => {
                self.bump();
                self.type_node(TypeExprKind::Wildcard, start)
            }
            Keyword::Struct if self.peek_at(1).is(Punctuation::LeftParen) => self.struct_tuple_type(start),
            Keyword::Delegate => self.unsupported_type(Unsupported::Delegate),
            Keyword::Const => self.unsupported_type(Unsupported::ReservedWord),
            _ => self.no_type(),
        }
    }

    fn unsupported_type(&mut self, what: Unsupported) -> TypeExprId {
        let start = self.span();
        self.skip_item();
        let span = self.span_from(start);
        self.type_node(TypeExprKind::Unsupported(what), span)
    }

    fn struct_tuple_type(&mut self, start: Span) -> TypeExprId {
        self.bump();
        let content = self.parenthesised_type();
        let span = self.span_from(start);
        match &mut self.ast.types[content].kind {
            TypeExprKind::Tuple(parts) => {
                let parts = std::mem::take(parts);
                self.type_node(TypeExprKind::StructTuple(parts), span)
            }
            _ => content,
        }
    }

    /// `(type)`; `(^a : (static member …) …)` is rejected.
    fn parenthesised_type(&mut self) -> TypeExprId {
        let opener = self.span();
        let inside = 1 + usize::from(self.peek_at(1).kind == TokenKind::Begin);
        let is_constraint = matches!(self.peek_at(inside).kind, TokenKind::Keyword(Keyword::Static | Keyword::Member));
        if is_constraint {
            self.skip_bracket();
            let span = self.span_from(opener);
            return self.type_node(TypeExprKind::Unsupported(Unsupported::MemberConstraint), span);
        }
        self.bump();
        let in_block = self.eat_kind(&TokenKind::Begin);
        let content = self.measure_or_type();
        if in_block {
            self.close_block();
        }
        self.close_bracket(Punctuation::RightParen);
        content
    }
}
