//! The right side of a type's `=`: a record, a union, an enumeration, or another type.

use super::Parser;
use crate::{
    ast::{CaseDeclaration, ExprId, FieldDeclaration, Name, TypeDeclarationKind, TypeExprId, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, codes};

/// A case: a union's has fields, an enumeration's a value.
enum Case {
    Union(CaseDeclaration),
    Enum(Name, ExprId),
}

impl Parser {
    /// The content of the block after `=`.
    pub(super) fn type_body(&mut self, is_measure: bool, opener: Span) -> TypeDeclarationKind {
        let is_struct_tuple = self.at_keyword(Keyword::Struct) && self.peek_at(1).is(Punctuation::LeftParen);
        if let TokenKind::Keyword(keyword) = self.peek().kind
            && let Some(what) = unsupported_body(keyword).filter(|_| !is_struct_tuple)
        {
            let static_only = self.skip_all_items();
            return TypeDeclarationKind::Unsupported(if static_only { Unsupported::StaticMembers } else { what });
        }
        self.attributes_of_case();
        if self.at(Punctuation::LeftBrace) {
            return self.record_declaration();
        }
        if self.at(Punctuation::Bar) || self.begins_case() {
            return self.cases(opener);
        }
        let abbreviated = if is_measure { self.measure_or_type() } else { self.type_expression() };
        TypeDeclarationKind::Abbreviation(abbreviated)
    }

    /// Skips the items of a block. Returns whether all of them are static members.
    fn skip_all_items(&mut self) -> bool {
        let mut static_only = true;
        loop {
            self.attributes();
            static_only &= self.at_keyword(Keyword::Static) && self.peek_at(1).is_keyword(Keyword::Member);
            self.skip_item();
            if !self.eat_kind(&TokenKind::Separator) {
                return static_only;
            }
        }
    }

    /// Whether the next name is that of a first case without a bar.
    fn begins_case(&self) -> bool {
        let next = self.peek_at(1);
        matches!(self.peek().kind, TokenKind::Identifier(_))
            && (next.is_keyword(Keyword::Of)
                || next.is(Punctuation::Bar)
                || next.is(Punctuation::Equal)
                || next.is(Punctuation::LeftParen)
                || next.kind == TokenKind::Separator && matches!(self.peek_at(2).kind, TokenKind::Identifier(_)))
    }

    /// Consumes the `|` before a case, or reports that it is missing if the case is not the first.
    fn bar_of_case(&mut self, is_first: bool) -> bool {
        self.skip_separators_before_bar();
        if self.eat(Punctuation::Bar) {
            return true;
        }
        let lacks_bar = !is_first
            && self.at_kind(&TokenKind::Separator)
            && matches!(self.peek_at(1).kind, TokenKind::Identifier(_));
        if lacks_bar {
            self.bump();
            let place = self.span().at_start();
            let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), "a case must start with `|`");
            self.report(error.fix("add it", place, "| "));
        }
        lacks_bar
    }

    /// `Case(name: type, …)`: fields in parentheses, as in other languages.
    fn fields_in_parentheses(&mut self) -> Vec<(Option<Name>, TypeExprId)> {
        let opener = self.span();
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, opener, "the fields of a case must follow `of`")
                .help("write `Case of name: type * name: type`"),
        );
        self.bump();
        let in_block = self.eat_kind(&TokenKind::Begin);
        let mut fields = Vec::new();
        while !self.at_boundary() && !self.at(Punctuation::RightParen) {
            fields.push(self.case_field());
            if !self.eat(Punctuation::Comma) {
                break;
            }
        }
        if in_block {
            self.close_block();
        }
        self.close_bracket(Punctuation::RightParen);
        fields
    }

    /// Attributes of cases and fields, which have no meaning in Clef.
    fn attributes_of_case(&mut self) {
        let start = self.span();
        if self.attributes().is_empty() {
            return;
        }
        let span = self.span_from(start);
        self.diagnostics.push(
            Diagnostic::error(codes::MISPLACED_ATTRIBUTE, span, "cases and fields cannot have attributes").fix(
                "remove it",
                span,
                "",
            ),
        );
    }

    fn record_declaration(&mut self) -> TypeDeclarationKind {
        let opener = self.span();
        self.bump();
        let mut fields = Vec::new();
        let in_block = self.eat_kind(&TokenKind::Begin);
        while in_block && self.at_next_element() {
            fields.extend(self.field_declaration(opener));
            if self.at(Punctuation::Comma) {
                self.comma_between_fields();
            } else {
                self.end_of_element();
            }
        }
        if fields.is_empty() {
            let context = Some((opener, "the record starts here"));
            self.expected(codes::MISSING_FIELDS, "a field `name: type`", context);
        }
        if in_block {
            self.close_block();
        }
        self.close_bracket(Punctuation::RightBrace);
        TypeDeclarationKind::Record(fields)
    }

    fn comma_between_fields(&mut self) {
        let comma = self.span();
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, comma, "separate fields by `;` or put them on separate lines")
                .fix("write `;`", comma, ";"),
        );
        self.bump();
    }

    fn field_declaration(&mut self, opener: Span) -> Option<FieldDeclaration> {
        self.attributes_of_case();
        let mutable = self.eat_keyword(Keyword::Mutable);
        let Some(name) = self.eat_name() else {
            self.expected(codes::MISSING_NAME, "the name of a field", None);
            return None;
        };
        let context = Some((opener, "the record starts here"));
        if self.at(Punctuation::Equal) {
            let error = self.expected_error(codes::MISSING_TYPE, "`:`", context);
            let equal = self.span();
            self.report(error.fix("write `:`", equal, ":"));
            self.bump();
        } else if !self.require(Punctuation::Colon, codes::MISSING_TYPE, context) {
            return None;
        }
        Some(FieldDeclaration { name, annotation: self.type_expression(), mutable })
    }

    fn cases(&mut self, opener: Span) -> TypeDeclarationKind {
        let mut union = Vec::new();
        let mut enumeration = Vec::new();
        let mut is_first = true;
        while self.bar_of_case(is_first) || is_first {
            is_first = false;
            match self.case() {
                Some(Case::Union(case)) => union.push(case),
                Some(Case::Enum(name, value)) => enumeration.push((name, value)),
                None => self.skip_until(|token| token.is(Punctuation::Bar)),
            }
        }
        if enumeration.is_empty() {
            return TypeDeclarationKind::Union(union);
        }
        if let Some(case) = union.first() {
            self.diagnostics.push(
                Diagnostic::error(codes::MIXED_CASES, case.name.span, "this case has no value, but others do")
                    .also(enumeration[0].0.span, "this case has a value")
                    .also(opener, "the type starts here")
                    .help("give each case a value for an enum, or none for a union"),
            );
        }
        TypeDeclarationKind::Enum(enumeration)
    }

    fn case(&mut self) -> Option<Case> {
        self.attributes_of_case();
        let Some(name) = self.eat_name() else {
            self.expected(codes::MISSING_NAME, "the name of a case", None);
            return None;
        };
        if self.eat(Punctuation::Equal) {
            return Some(Case::Enum(name, self.expression()));
        }
        if self.at(Punctuation::LeftParen) {
            let fields = self.fields_in_parentheses();
            return Some(Case::Union(CaseDeclaration { name, fields }));
        }
        let mut fields = Vec::new();
        if self.eat_keyword(Keyword::Of) {
            loop {
                fields.push(self.case_field());
                if !self.at_operator("*") {
                    break;
                }
                self.bump();
                self.skip_separators();
            }
        }
        Some(Case::Union(CaseDeclaration { name, fields }))
    }

    /// `type` or `name: type`; the type is no product unless in parentheses.
    fn case_field(&mut self) -> (Option<Name>, TypeExprId) {
        let named = matches!(self.peek().kind, TokenKind::Identifier(_)) && self.peek_at(1).is(Punctuation::Colon);
        let name = if named { self.eat_name() } else { None };
        if named {
            self.bump();
        }
        let field = self.deeper(Parser::postfix_type, Parser::missing_type);
        (name, field)
    }
}

/// The unsupported type that starts with a keyword.
fn unsupported_body(keyword: Keyword) -> Option<Unsupported> {
    match keyword {
        Keyword::Class
        | Keyword::Struct
        | Keyword::Begin
        | Keyword::Inherit
        | Keyword::Val
        | Keyword::New
        | Keyword::Let
        | Keyword::Do
        | Keyword::Static
        | Keyword::Member
        | Keyword::Override
        | Keyword::Default => Some(Unsupported::Class),
        Keyword::Abstract | Keyword::Interface => Some(Unsupported::Interface),
        Keyword::Delegate => Some(Unsupported::Delegate),
        _ => None,
    }
}
