//! `[<Name(argument); …>]`, and documentation. An argument that is a literal or a name needs no parentheses.

use super::Parser;
use crate::{
    ast::{Attribute, ExprId},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, codes};

impl Parser {
    /// The text of the `///` comments before the next token.
    pub(super) fn documentation(&self) -> Option<String> {
        self.peek().documentation.as_deref().map(str::to_owned)
    }

    /// Parses all attribute lists at this position, with the line ends after them.
    pub(super) fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        while self.eat(Punctuation::LeftAttribute) {
            self.attribute_list(&mut attributes);
            self.skip_separators();
        }
        attributes
    }

    /// Ignores attributes of a parameter in parentheses. Lambdas passed to `inline` functions are always inlined.
    pub(super) fn attributes_of_parameter(&mut self) {
        for attribute in self.attributes() {
            let name = attribute.name.segments.last().map_or("", |name| name.symbol.as_str());
            if matches!(name, "InlineIfLambda" | "InlineIfLambdaAttribute") {
                continue;
            }
            let message = format!("the attribute `{name}` is not allowed on a parameter");
            self.diagnostics.push(
                Diagnostic::error(codes::MISPLACED_ATTRIBUTE, attribute.span, message)
                    .note("the only attribute for parameters is `InlineIfLambda`")
                    .help("remove it"),
            );
        }
    }

    fn attribute_list(&mut self, attributes: &mut Vec<Attribute>) {
        loop {
            while self.eat(Punctuation::Semicolon) || self.eat_kind(&TokenKind::Separator) {}
            if self.eat(Punctuation::RightAttribute) || self.at_end_of_file() {
                return;
            }
            match self.attribute() {
                Some(attribute) => attributes.push(attribute),
                None => {
                    self.skip_until(|token| token.is(Punctuation::Semicolon) || token.is(Punctuation::RightAttribute))
                }
            }
            let ends = self.at(Punctuation::Semicolon) || self.at(Punctuation::RightAttribute) || self.at_boundary();
            if !ends {
                self.unexpected();
                self.skip_until(|token| token.is(Punctuation::RightAttribute));
            }
            if matches!(self.peek().kind, TokenKind::End) {
                return;
            }
        }
    }

    /// Whether a literal or a name is next.
    fn at_simple_argument(&self) -> bool {
        let is_boolean = self.at_keyword(Keyword::True) || self.at_keyword(Keyword::False);
        let is_other = matches!(
            self.peek().kind,
            TokenKind::Integer { .. }
                | TokenKind::Float { .. }
                | TokenKind::Char(_)
                | TokenKind::String(_)
                | TokenKind::Identifier(_)
        );
        is_boolean || is_other
    }

    fn attribute(&mut self) -> Option<Attribute> {
        let start = self.span();
        let name = self.require_path("the name of an attribute")?;
        let has_argument = self.at(Punctuation::LeftParen) || !self.peek().starts_line && self.at_simple_argument();
        let argument: Option<ExprId> = has_argument.then(|| self.atom());
        Some(Attribute { name, argument, span: self.span_from(start) })
    }
}
