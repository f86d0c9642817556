//! Patterns that can be parameters.

use super::Parser;
use crate::{
    ast::{CollectionKind, Literal, Path, PatternId, PatternKind, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, codes};

impl Parser {
    /// Whether the next token starts a pattern that can be a parameter.
    pub(super) fn at_atomic_pattern(&self) -> bool {
        match &self.peek().kind {
            TokenKind::Identifier(_)
            | TokenKind::Integer { .. }
            | TokenKind::Float { .. }
            | TokenKind::Char(_)
            | TokenKind::String(_)
            | TokenKind::Bytes(_)
            | TokenKind::Error => true,
            TokenKind::Keyword(keyword) => {
                let begins = matches!(
                    keyword,
                    Keyword::Underscore | Keyword::True | Keyword::False | Keyword::Null | Keyword::Struct
                );
                begins || self.at_reserved_name()
            }
            TokenKind::Punctuation(sign) => matches!(
                sign,
                Punctuation::LeftParen
                    | Punctuation::LeftBracket
                    | Punctuation::LeftArray
                    | Punctuation::LeftBrace
                    | Punctuation::LeftAnonymous
            ),
            // `Some -1`
            TokenKind::Operator(operator) => {
                let minus = self.peek();
                operator.as_str() == "-"
                    && minus.space_before
                    && !minus.space_after
                    && matches!(self.peek_at(1).kind, TokenKind::Integer { .. } | TokenKind::Float { .. })
            }
            _ => false,
        }
    }

    /// Whether the next token starts any pattern.
    pub(super) fn at_pattern(&self) -> bool {
        self.at_atomic_pattern() || self.at_operator(":?") || self.at_operator("-")
    }

    pub(super) fn atomic_pattern(&mut self) -> PatternId {
        let span = self.span();
        match self.peek().kind {
            TokenKind::Identifier(_) => {
                let path = self.path();
                self.path_pattern(path)
            }
            TokenKind::Keyword(Keyword::Underscore) => {
                self.bump();
                self.pattern_node(PatternKind::Wildcard, span)
            }
            TokenKind::Keyword(Keyword::Null) => {
                self.bump();
                self.pattern_node(PatternKind::Unsupported(Unsupported::Null), span)
            }
            TokenKind::Keyword(Keyword::Struct) => self.struct_tuple_pattern(),
            TokenKind::Punctuation(sign) => self.pattern_of_sign(sign),
            TokenKind::Operator(_) => self.pattern_of_operator(),
            TokenKind::Error => {
                self.bump();
                self.pattern_node(PatternKind::Error, span)
            }
            _ => match self.literal() {
                Some(literal) => self.literal_pattern(literal, false, span),
                None => match self.eat_reserved_name() {
                    Some(name) => self.pattern_node(PatternKind::Name(name), span),
                    None => self.no_pattern(),
                },
            },
        }
    }

    fn no_pattern(&mut self) -> PatternId {
        self.expected(codes::MISSING_PATTERN, "a pattern", None);
        self.missing_pattern()
    }

    /// A name, or a case without argument.
    pub(super) fn path_pattern(&mut self, path: Path) -> PatternId {
        let span = path.span();
        let kind = match path.segments[..] {
            [name] => PatternKind::Name(name),
            _ => PatternKind::Case { path, argument: None },
        };
        self.pattern_node(kind, span)
    }

    fn pattern_of_sign(&mut self, sign: Punctuation) -> PatternId {
        match sign {
            Punctuation::LeftParen => self.parenthesised_pattern(),
            Punctuation::LeftBracket | Punctuation::LeftArray => self.collection_pattern(sign),
            Punctuation::LeftBrace => self.record_pattern(),
            Punctuation::LeftAnonymous => {
                let start = self.span();
                self.skip_bracket();
                let span = self.span_from(start);
                self.pattern_node(PatternKind::Unsupported(Unsupported::AnonymousRecord), span)
            }
            _ => self.no_pattern(),
        }
    }

    /// A negative literal; `:? type` is rejected.
    fn pattern_of_operator(&mut self) -> PatternId {
        let start = self.span();
        if self.at_operator(":?") {
            self.bump();
            self.type_before_arrow();
            let span = self.span_from(start);
            return self.pattern_node(PatternKind::Unsupported(Unsupported::TypeTest), span);
        }
        let is_number = matches!(self.peek_at(1).kind, TokenKind::Integer { .. } | TokenKind::Float { .. });
        if !self.at_operator("-") || !is_number {
            return self.no_pattern();
        }
        self.bump();
        match self.literal() {
            Some(literal) => self.literal_pattern(literal, true, start),
            None => self.no_pattern(),
        }
    }

    /// A parsed literal, with the unit of measure after it.
    fn literal_pattern(&mut self, literal: Literal, negative: bool, start: Span) -> PatternId {
        let is_number = matches!(literal, Literal::Integer { .. } | Literal::Float { .. });
        let has_measure = is_number && self.at_operator("<") && !self.peek().space_before;
        let measure = if has_measure { self.type_arguments().first().copied() } else { None };
        let span = self.span_from(start);
        self.pattern_node(PatternKind::Literal { literal, negative, measure }, span)
    }

    fn parenthesised_pattern(&mut self) -> PatternId {
        let opener = self.span();
        if self.is_active_pattern() {
            self.skip_bracket();
            let span = self.span_from(opener);
            return self.pattern_node(PatternKind::Unsupported(Unsupported::ActivePattern), span);
        }
        self.bump();
        if self.eat(Punctuation::RightParen) {
            let span = self.span_from(opener);
            return self
                .pattern_node(PatternKind::Literal { literal: Literal::Unit, negative: false, measure: None }, span);
        }
        let in_block = self.eat_kind(&TokenKind::Begin);
        let pattern = self.bracketed_pattern();
        self.close_pattern(in_block, Punctuation::RightParen);
        pattern
    }

    fn close_pattern(&mut self, in_block: bool, closer: Punctuation) {
        if in_block {
            self.close_block();
        }
        self.close_bracket(closer);
    }

    fn struct_tuple_pattern(&mut self) -> PatternId {
        let start = self.span();
        self.bump();
        if !self.at(Punctuation::LeftParen) {
            self.expected(codes::UNEXPECTED_TOKEN, "`(`", Some((start, "`struct` must be followed by a tuple")));
            return self.missing_pattern();
        }
        let content = self.parenthesised_pattern();
        let span = self.span_from(start);
        match &mut self.ast.patterns[content].kind {
            PatternKind::Tuple(parts) => {
                let parts = std::mem::take(parts);
                self.pattern_node(PatternKind::StructTuple(parts), span)
            }
            _ => {
                let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, span, "`struct` must be followed by a tuple");
                self.report(error.label("not a tuple").help("write at least two components: `struct (a, b)`"));
                content
            }
        }
    }

    fn collection_pattern(&mut self, opener: Punctuation) -> PatternId {
        let start = self.span();
        self.bump();
        let mut elements = Vec::new();
        let in_block = self.eat_kind(&TokenKind::Begin);
        while in_block && self.at_next_element() {
            elements.push(self.bracketed_pattern());
            self.end_of_element();
        }
        self.close_pattern(in_block, opener.closer().unwrap_or(opener));
        let kind = if opener == Punctuation::LeftArray { CollectionKind::Array } else { CollectionKind::List };
        let span = self.span_from(start);
        self.pattern_node(PatternKind::Collection { kind, elements }, span)
    }

    fn record_pattern(&mut self) -> PatternId {
        let start = self.span();
        self.bump();
        let mut fields = Vec::new();
        let in_block = self.eat_kind(&TokenKind::Begin);
        while in_block && self.at_next_element() {
            fields.extend(self.field_pattern(start));
            self.end_of_element();
        }
        if fields.is_empty() {
            let context = Some((start, "the record starts here"));
            self.expected(codes::MISSING_FIELDS, "a field `name = pattern`", context);
        }
        self.close_pattern(in_block, Punctuation::RightBrace);
        let span = self.span_from(start);
        self.pattern_node(PatternKind::Record(fields), span)
    }

    fn field_pattern(&mut self, opener: Span) -> Option<(Path, PatternId)> {
        let path = self.require_path("the name of a field")?;
        let context = Some((opener, "the record starts here"));
        if !self.require(Punctuation::Equal, codes::MISSING_EQUAL, context) {
            return None;
        }
        Some((path, self.bracketed_pattern()))
    }
}
