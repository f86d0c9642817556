//! Unsupported constructs of F#: skipped as a whole, and kept in the tree by name.

use super::{Parser, operators::Level};
use crate::{
    ast::{ExprId, ExprKind, Name, Unsupported},
    token::{Keyword, Punctuation, TokenKind},
};
use clef_base::{Diagnostic, Span, Symbol, codes};

impl Parser {
    /// A bracket with its content.
    pub(super) fn unsupported_bracket(&mut self, what: Unsupported) -> ExprId {
        let start = self.span();
        self.skip_bracket();
        let span = self.span_from(start);
        self.expr(ExprKind::Unsupported(what), span)
    }

    /// A construct that starts with a keyword.
    pub(super) fn unsupported_construct(&mut self, keyword: Keyword) -> ExprId {
        let start = self.span();
        self.bump();
        let what = match keyword {
            Keyword::Try => {
                self.try_expression(start);
                Unsupported::Try
            }
            Keyword::New => {
                self.type_expression();
                if self.at(Punctuation::LeftParen) {
                    self.skip_bracket();
                }
                Unsupported::ObjectConstruction
            }
            Keyword::Upcast | Keyword::Downcast => {
                self.binary(Level::Application);
                Unsupported::TypeTest
            }
            Keyword::Fixed => {
                self.binary(Level::Application);
                Unsupported::Fixed
            }
            _ => {
                self.skip_item();
                Unsupported::Bang
            }
        };
        let span = self.span_from(start);
        self.expr(ExprKind::Unsupported(what), span)
    }

    fn try_expression(&mut self, start: Span) {
        self.body("the body of the `try`", start);
        if self.eat_keyword(Keyword::With) {
            self.arms(start);
        }
        let finally = self.span();
        if self.eat_keyword(Keyword::Finally) {
            self.body("the body of the `finally`", finally);
        }
    }

    /// A reserved word in the position of an expression.
    pub(super) fn unsupported_atom(&mut self, keyword: Keyword) -> ExprId {
        let span = self.span();
        let what = match keyword {
            Keyword::Null => Unsupported::Null,
            Keyword::Base | Keyword::Global | Keyword::Const | Keyword::Void | Keyword::Virtual => {
                Unsupported::ReservedWord
            }
            Keyword::Member | Keyword::Static | Keyword::Override | Keyword::Default | Keyword::Abstract => {
                return self.unsupported_item(Unsupported::Members);
            }
            Keyword::Class | Keyword::Inherit | Keyword::Val => return self.unsupported_item(Unsupported::Class),
            Keyword::Interface => return self.unsupported_item(Unsupported::Interface),
            Keyword::Delegate => return self.unsupported_item(Unsupported::Delegate),
            Keyword::Exception => return self.unsupported_item(Unsupported::ExceptionDeclaration),
            Keyword::Extern => return self.unsupported_item(Unsupported::ReservedWord),
            _ => return self.no_expression(),
        };
        self.bump();
        self.expr(ExprKind::Unsupported(what), span)
    }

    fn unsupported_item(&mut self, what: Unsupported) -> ExprId {
        let start = self.span();
        self.skip_item();
        let span = self.span_from(start);
        self.expr(ExprKind::Unsupported(what), span)
    }

    /// Whether the next token is a reserved word that is used as a name: `let base = …`, `(to: int)`.
    pub(super) fn at_reserved_name(&self) -> bool {
        let TokenKind::Keyword(word) = self.peek().kind else { return false };
        let follows = |sign| self.peek_at(1).is(sign);
        let never = matches!(
            word,
            Keyword::Underscore
                | Keyword::True
                | Keyword::False
                | Keyword::Null
                | Keyword::When
                | Keyword::As
                | Keyword::With
                | Keyword::In
                | Keyword::Then
                | Keyword::Do
                | Keyword::Fun
                | Keyword::Function
        );
        let binds = follows(Punctuation::Equal) || follows(Punctuation::Colon);
        let in_pattern = || [Punctuation::Comma, Punctuation::RightParen, Punctuation::Arrow].into_iter().any(follows);
        // `end` may end a block before a bracket.
        !never && (binds || word != Keyword::End && in_pattern())
    }

    /// Consumes a reserved word that is used as a name, and reports it.
    pub(super) fn eat_reserved_name(&mut self) -> Option<Name> {
        let TokenKind::Keyword(word) = self.peek().kind else { return None };
        if !self.at_reserved_name() {
            return None;
        }
        let (span, text) = (self.span(), word.text());
        self.report(
            Diagnostic::error(codes::NOT_IN_CLEF, span, format!("the word `{text}` is reserved"))
                .label("expected a name")
                .fix("use another name, or quote it with double backticks", span, format!("``{text}``")),
        );
        self.bump();
        Some(Name { symbol: Symbol::new(text), span })
    }
}
