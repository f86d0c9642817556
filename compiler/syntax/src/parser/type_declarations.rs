//! `type … and …`.

use super::Parser;
use crate::{
    ast::{Access, Attribute, Name, TypeDeclaration, TypeDeclarationKind, TypeVariable, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Span, Symbol, codes};

impl Parser {
    /// A group that starts with `type`, with all declarations joined by `and`.
    pub(super) fn type_group(
        &mut self,
        attributes: Vec<Attribute>,
        documentation: Option<String>,
    ) -> Vec<TypeDeclaration> {
        let mut opener = self.span();
        self.bump();
        let mut declarations = vec![self.type_declaration(attributes, documentation, opener)];
        while self.at_keyword(Keyword::And) {
            let documentation = self.documentation();
            opener = self.span();
            self.bump();
            declarations.push(self.type_declaration(Vec::new(), documentation, opener));
        }
        declarations
    }

    fn type_declaration(
        &mut self,
        mut attributes: Vec<Attribute>,
        documentation: Option<String>,
        opener: Span,
    ) -> TypeDeclaration {
        attributes.extend(self.attributes());
        let access = self.access();
        let mut parameters = self.leading_parameters();
        let name = match self.require_path("the name of the type") {
            Some(path) => path.segments[path.segments.len() - 1],
            None => Name { symbol: Symbol::new("_"), span: self.found_span() },
        };
        parameters.extend(self.type_parameters());
        let (representation, mut kind) = self.type_right_side(&attributes, opener);
        if self.at_keyword(Keyword::With) {
            kind = with_members(kind);
            self.skip_members();
        }
        let span = self.span_from(opener);
        TypeDeclaration { attributes, documentation, access, representation, name, parameters, kind, span }
    }

    /// `'a` or `('a, 'b)` before the name.
    fn leading_parameters(&mut self) -> Vec<TypeVariable> {
        if let Some(parameter) = self.type_variable(false) {
            return vec![parameter];
        }
        let mut parameters = Vec::new();
        if self.at(Punctuation::LeftParen) {
            self.bump();
            let in_block = self.eat_kind(&TokenKind::Begin);
            while let Some(parameter) = self.type_variable(false) {
                parameters.push(parameter);
                if !self.eat(Punctuation::Comma) {
                    break;
                }
            }
            if in_block {
                self.close_block();
            }
            self.close_bracket(Punctuation::RightParen);
        }
        parameters
    }

    fn type_right_side(&mut self, attributes: &[Attribute], opener: Span) -> (Access, TypeDeclarationKind) {
        if self.at_keyword(Keyword::With) {
            return (Access::Public, TypeDeclarationKind::Unsupported(Unsupported::Extension));
        }
        let is_class = self.at(Punctuation::LeftParen) || matches!(self.peek().kind, TokenKind::Keyword(_));
        if is_class && !self.at_keyword(Keyword::And) {
            self.skip_until(|token| token.is(Punctuation::Equal) || token.is_keyword(Keyword::And));
            if self.eat(Punctuation::Equal) && self.at_begin() {
                self.skip_bracket();
            }
            return (Access::Public, TypeDeclarationKind::Unsupported(Unsupported::Class));
        }
        if !self.eat(Punctuation::Equal) {
            return (Access::Public, self.without_right_side(attributes, opener));
        }
        if !self.at_begin() {
            self.expected(codes::MISSING_TYPE, "a type", Some((opener, "the declaration starts here")));
            return (Access::Public, TypeDeclarationKind::Error);
        }
        self.bump();
        let is_measure = is_measure(attributes);
        let representation = self.access();
        let kind = self.deeper(|parser| parser.type_body(is_measure, opener), |_| TypeDeclarationKind::Error);
        let kind = self.members(kind);
        self.close_block();
        (representation, kind)
    }

    fn without_right_side(&mut self, attributes: &[Attribute], opener: Span) -> TypeDeclarationKind {
        if is_measure(attributes) {
            return TypeDeclarationKind::Measure;
        }
        if !self.is_reported() {
            let context = Some((opener, "the declaration starts here"));
            let error = self.expected_error(codes::MISSING_EQUAL, "`=`", context);
            self.report(error.help("add `=` and the type's cases, fields, or another type"));
        }
        self.skip_until(|token| token.is_keyword(Keyword::And));
        TypeDeclarationKind::Error
    }

    /// `with member …` after the right side of a type.
    fn skip_members(&mut self) {
        self.skip_until(|token| token.is_keyword(Keyword::And));
    }

    /// Members in the block of a type make the type unsupported.
    fn members(&mut self, kind: TypeDeclarationKind) -> TypeDeclarationKind {
        let mut unsupported = None;
        loop {
            self.skip_separators();
            self.attributes();
            let TokenKind::Keyword(keyword) = self.peek().kind else { break };
            let what = match keyword {
                Keyword::Interface => Unsupported::Interface,
                Keyword::With => Unsupported::Members,
                _ if keyword.is_member() => Unsupported::Members,
                _ => break,
            };
            unsupported.get_or_insert(what);
            self.bump();
            self.skip_item();
        }
        unsupported.map_or(kind, TypeDeclarationKind::Unsupported)
    }
}

/// A declaration followed by `with member …`; an earlier unsupported construct takes precedence.
fn with_members(kind: TypeDeclarationKind) -> TypeDeclarationKind {
    match kind {
        TypeDeclarationKind::Unsupported(what) => TypeDeclarationKind::Unsupported(what),
        TypeDeclarationKind::Record(_)
        | TypeDeclarationKind::Union(_)
        | TypeDeclarationKind::Enum(_)
        | TypeDeclarationKind::Abbreviation(_)
        | TypeDeclarationKind::Measure
        | TypeDeclarationKind::Error => TypeDeclarationKind::Unsupported(Unsupported::Members),
    }
}

/// Whether `[<Measure>]` is among attributes.
pub(super) fn is_measure(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.name.segments.last().is_some_and(|name| name.symbol.as_str() == "Measure"))
}
