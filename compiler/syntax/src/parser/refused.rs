//! Constructs of F# that Clef refuses: skipped as a whole, and left in the tree by name.

use super::{Parser, operators::Level};
use crate::{
    ast::{ExprId, ExprKind, Refused},
    token::{Keyword, Punctuation},
};
use clef_base::Span;

impl Parser {
    /// A bracket with all that it holds.
    pub(super) fn refused_bracket(&mut self, what: Refused) -> ExprId {
        let start = self.span();
        self.skip_bracket();
        let span = self.span_from(start);
        self.expr(ExprKind::Refused(what), span)
    }

    /// A construct that begins with a keyword.
    pub(super) fn refused_construct(&mut self, keyword: Keyword) -> ExprId {
        let start = self.span();
        self.bump();
        let what = match keyword {
            Keyword::Try => {
                self.try_expression(start);
                Refused::Try
            }
            Keyword::New => {
                self.type_expression();
                if self.at(Punctuation::LeftParen) {
                    self.skip_bracket();
                }
                Refused::ObjectConstruction
            }
            Keyword::Upcast | Keyword::Downcast => {
                self.binary(Level::Application);
                Refused::TypeTest
            }
            Keyword::Fixed => {
                self.binary(Level::Application);
                Refused::ReservedWord
            }
            _ => {
                self.skip_item();
                Refused::Bang
            }
        };
        let span = self.span_from(start);
        self.expr(ExprKind::Refused(what), span)
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

    /// A reserved word where an expression has to be.
    pub(super) fn refused_atom(&mut self, keyword: Keyword) -> ExprId {
        let span = self.span();
        let what = match keyword {
            Keyword::Null => Refused::Null,
            Keyword::Base | Keyword::Global | Keyword::Const | Keyword::Select | Keyword::Void | Keyword::Virtual => {
                Refused::ReservedWord
            }
            Keyword::Member | Keyword::Static | Keyword::Override | Keyword::Default | Keyword::Abstract => {
                return self.refused_item(Refused::Members);
            }
            Keyword::Class | Keyword::Inherit | Keyword::Val => return self.refused_item(Refused::Class),
            Keyword::Interface => return self.refused_item(Refused::Interface),
            Keyword::Delegate => return self.refused_item(Refused::Delegate),
            Keyword::Exception => return self.refused_item(Refused::ExceptionDeclaration),
            Keyword::Extern => return self.refused_item(Refused::ReservedWord),
            _ => return self.no_expression(),
        };
        self.bump();
        self.expr(ExprKind::Refused(what), span)
    }

    fn refused_item(&mut self, what: Refused) -> ExprId {
        let start = self.span();
        self.skip_item();
        let span = self.span_from(start);
        self.expr(ExprKind::Refused(what), span)
    }
}
