//! `[<Name(argument); …>]`, and documentation.

use super::Parser;
use crate::{
    ast::{Attribute, ExprId},
    token::{Punctuation, TokenKind},
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

    fn attribute(&mut self) -> Option<Attribute> {
        let start = self.span();
        let name = self.require_path("the name of an attribute")?;
        let has_argument = self.at(Punctuation::LeftParen) || matches!(self.peek().kind, TokenKind::String(_));
        let argument: Option<ExprId> = has_argument.then(|| self.atom());
        Some(Attribute { name, argument, span: self.span_from(start) })
    }
}
