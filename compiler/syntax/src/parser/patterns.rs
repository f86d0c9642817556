//! Patterns. From loose to tight: `as`, `|`, `,`, `&`, `::`, application of a case; an annotation within brackets is
//! between `,` and `&`. An `as` pattern can be the left part of a larger one: `a as x, b` is `(a as x), b`.

use super::Parser;
use crate::{
    ast::{Name, PatternId, PatternKind, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::codes;

/// The context of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside brackets: a colon after it is no annotation.
    Open,
    /// Between brackets.
    Bracketed,
    /// The value of a named field: a comma ends it.
    Field,
}

impl Parser {
    /// A pattern outside brackets, which cannot be annotated.
    pub(super) fn pattern(&mut self) -> PatternId {
        self.as_pattern(Place::Open)
    }

    /// A pattern between brackets, which can be annotated.
    pub(super) fn bracketed_pattern(&mut self) -> PatternId {
        self.deeper(|parser| parser.as_pattern(Place::Bracketed), Parser::missing_pattern)
    }

    fn as_pattern(&mut self, place: Place) -> PatternId {
        let mut pattern = self.or_pattern(place);
        while self.eat_keyword(Keyword::As) {
            let Some(name) = self.eat_name() else {
                self.expected(codes::MISSING_NAME, "a name", None);
                return pattern;
            };
            let span = self.pattern_span(pattern).to(name.span);
            pattern = self.pattern_node(PatternKind::As { pattern, name }, span);
            if place != Place::Open && self.at(Punctuation::Colon) {
                pattern = self.annotate_pattern(pattern);
            }
            let first = self.cons_pattern_of(pattern);
            let first = self.and_pattern_of(first);
            let first = self.tuple_pattern_of(first, place);
            pattern = self.or_pattern_of(first, place);
        }
        pattern
    }

    fn or_pattern(&mut self, place: Place) -> PatternId {
        let first = self.tuple_pattern(place);
        self.or_pattern_of(first, place)
    }

    /// The alternatives that start with a pattern.
    fn or_pattern_of(&mut self, first: PatternId, place: Place) -> PatternId {
        let mut left = first;
        while self.eat(Punctuation::Bar) {
            let right = self.tuple_pattern(place);
            let span = self.pattern_span(left).to(self.pattern_span(right));
            left = self.pattern_node(PatternKind::Or(left, right), span);
        }
        left
    }

    fn tuple_pattern(&mut self, place: Place) -> PatternId {
        let first = self.annotated_pattern(place);
        self.tuple_pattern_of(first, place)
    }

    /// The tuple that starts with a pattern.
    fn tuple_pattern_of(&mut self, first: PatternId, place: Place) -> PatternId {
        if place == Place::Field || !self.at(Punctuation::Comma) {
            return first;
        }
        let mut parts = vec![first];
        while self.eat(Punctuation::Comma) {
            self.skip_separators();
            parts.push(self.annotated_pattern(place));
        }
        let span = self.span_from(self.pattern_span(first));
        self.pattern_node(PatternKind::Tuple(parts), span)
    }

    fn annotated_pattern(&mut self, place: Place) -> PatternId {
        let pattern = self.and_pattern();
        if place != Place::Open && self.at(Punctuation::Colon) { self.annotate_pattern(pattern) } else { pattern }
    }

    fn annotate_pattern(&mut self, pattern: PatternId) -> PatternId {
        self.bump();
        let annotation = self.annotation_with_constraints();
        let span = self.span_from(self.pattern_span(pattern));
        self.pattern_node(PatternKind::Annotated { pattern, annotation }, span)
    }

    fn and_pattern(&mut self) -> PatternId {
        let first = self.cons_pattern();
        self.and_pattern_of(first)
    }

    /// The conjunction that starts with a pattern.
    fn and_pattern_of(&mut self, first: PatternId) -> PatternId {
        let mut left = first;
        while self.at_operator("&") {
            self.bump();
            let right = self.cons_pattern();
            let span = self.pattern_span(left).to(self.pattern_span(right));
            left = self.pattern_node(PatternKind::And(left, right), span);
        }
        left
    }

    /// `a :: b :: c`, which is right-associative.
    fn cons_pattern(&mut self) -> PatternId {
        let head = self.case_pattern();
        self.cons_pattern_of(head)
    }

    /// The list that starts with a pattern.
    fn cons_pattern_of(&mut self, head: PatternId) -> PatternId {
        if !self.at_operator("::") {
            return head;
        }
        self.bump();
        self.skip_separators();
        let tail = self.deeper(Parser::cons_pattern, Parser::missing_pattern);
        let span = self.pattern_span(head).to(self.pattern_span(tail));
        self.pattern_node(PatternKind::Cons { head, tail }, span)
    }

    /// A case with its argument, or an atomic pattern. Several arguments would be those of an active pattern.
    fn case_pattern(&mut self) -> PatternId {
        self.attributes_of_parameter();
        if !matches!(self.peek().kind, TokenKind::Identifier(_)) {
            return self.atomic_pattern();
        }
        let path = self.path();
        if !self.at_atomic_pattern() {
            return self.path_pattern(path);
        }
        let start = path.span();
        let argument = match self.at_named_fields() {
            true => self.deeper(Parser::named_fields, Parser::missing_pattern),
            false => self.deeper(Parser::atomic_pattern, Parser::missing_pattern),
        };
        let several = self.at_atomic_pattern();
        self.parameters();
        let span = self.span_from(start);
        let kind = if several {
            PatternKind::Unsupported(Unsupported::ActivePattern)
        } else {
            PatternKind::Case { path, argument: Some(argument) }
        };
        self.pattern_node(kind, span)
    }

    /// Whether `(name =` is next.
    fn at_named_fields(&self) -> bool {
        let first = if self.peek_at(1).kind == TokenKind::Begin { 2 } else { 1 };
        self.at(Punctuation::LeftParen)
            && matches!(self.peek_at(first).kind, TokenKind::Identifier(_))
            && self.peek_at(first + 1).is(Punctuation::Equal)
    }

    /// `(name = pattern; …)`; a comma separates fields too.
    fn named_fields(&mut self) -> PatternId {
        let start = self.span();
        self.bump();
        let mut fields = Vec::new();
        let in_block = self.eat_kind(&TokenKind::Begin);
        while self.at_next_element() {
            fields.extend(self.named_field(start));
            if !self.eat(Punctuation::Comma) {
                self.end_of_element();
            }
        }
        if in_block {
            self.close_block();
        }
        self.close_bracket(Punctuation::RightParen);
        let span = self.span_from(start);
        self.pattern_node(PatternKind::Fields(fields), span)
    }

    fn named_field(&mut self, opener: clef_base::Span) -> Option<(Name, PatternId)> {
        let context = Some((opener, "the fields start here"));
        let Some(name) = self.eat_name() else {
            self.expected(codes::MISSING_NAME, "the name of a field", context);
            self.skip_until(|token| token.is(Punctuation::Semicolon));
            return None;
        };
        if !self.require(Punctuation::Equal, codes::MISSING_EQUAL, context) {
            return None;
        }
        Some((name, self.as_pattern(Place::Field)))
    }

    /// An error node for a missing pattern, without a report.
    pub(super) fn missing_pattern(&mut self) -> PatternId {
        let span = self.found_span();
        self.pattern_node(PatternKind::Error, span)
    }
}
