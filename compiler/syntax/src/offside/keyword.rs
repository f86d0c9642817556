//! Keywords and punctuation that continue a construct, or start one.

use super::{
    Layout,
    context::{Construct, ConstructKind, Context, Pending, PendingKind},
};
use crate::token::{Keyword, Punctuation, Token, TokenKind};

impl Layout {
    /// Closes the contexts between a token and the construct that it continues.
    pub(super) fn continue_construct(&mut self, token: &Token) {
        let accepts: fn(&Construct) -> bool = match token.kind {
            TokenKind::Keyword(Keyword::Then) => |c| c.kind == ConstructKind::If && c.head,
            TokenKind::Keyword(Keyword::Elif | Keyword::Else) => |c| c.kind == ConstructKind::If && !c.head,
            TokenKind::Keyword(Keyword::With) => |c| match c.kind {
                ConstructKind::Match => c.head,
                ConstructKind::Try | ConstructKind::Type => true,
                _ => false,
            },
            TokenKind::Keyword(Keyword::Finally) => |c| c.kind == ConstructKind::Try,
            TokenKind::Keyword(Keyword::In) => |c| match c.kind {
                ConstructKind::Let => !c.head,
                ConstructKind::For => c.head,
                _ => false,
            },
            TokenKind::Keyword(Keyword::Do | Keyword::Done) => {
                |c| matches!(c.kind, ConstructKind::While | ConstructKind::For)
            }
            TokenKind::Keyword(Keyword::And) => {
                |c| matches!(c.kind, ConstructKind::Let | ConstructKind::Type) && !c.head
            }
            TokenKind::Punctuation(Punctuation::Bar) => return self.bar(token),
            _ => return,
        };
        let found = self.in_bracket().position(|context| matches!(context, Context::Construct(c) if accepts(c)));
        if let Some(depth) = found {
            self.pop_to(self.stack.len() - depth, token);
            self.advance(token);
        }
    }

    /// The contexts above the innermost bracket, from the top.
    fn in_bracket(&self) -> impl Iterator<Item = &Context> {
        self.stack.iter().rev().take_while(|context| !matches!(context, Context::Bracket { .. }))
    }

    /// `|` closes the body of the previous arm; in the pattern of a loop or binding it joins alternatives.
    fn bar(&mut self, token: &Token) {
        let in_pattern = matches!(
            self.stack.last(),
            Some(Context::Construct(c)) if c.head && matches!(c.kind, ConstructKind::For | ConstructKind::Let)
        );
        if in_pattern && !token.starts_line {
            return;
        }
        let found = self.in_bracket().position(|context| match context {
            Context::Arms { .. } => true,
            Context::Construct(construct) => construct.kind == ConstructKind::Type,
            Context::Block { .. } | Context::Bracket { .. } => false,
        });
        let Some(depth) = found else { return };
        let height = self.stack.len() - depth;
        if matches!(self.stack[height - 1], Context::Arms { .. }) {
            self.pop_to(height, token);
        }
    }

    /// Records a continuing keyword in the construct on top of the stack.
    fn advance(&mut self, token: &Token) {
        let Some(Context::Construct(construct)) = self.stack.last_mut() else { return };
        let TokenKind::Keyword(keyword) = token.kind else { return };
        match keyword {
            Keyword::Then | Keyword::With => construct.head = false,
            Keyword::Elif | Keyword::And => construct.head = true,
            Keyword::Else => construct.kind = ConstructKind::Else,
            Keyword::In if construct.kind == ConstructKind::Let => {
                self.stack.pop();
            }
            Keyword::Done => {
                self.stack.pop();
            }
            _ => {}
        }
    }

    /// Pushes the contexts that a token opens.
    pub(super) fn push_contexts(&mut self, token: &Token, next: Option<&Token>) {
        match token.kind {
            TokenKind::Keyword(keyword) => self.push_keyword(keyword, token, next),
            TokenKind::Punctuation(sign) => self.push_sign(sign, token),
            TokenKind::Operator(operator) if operator.as_str() == ":=" => self.pend_new_line(token, "new value"),
            _ => {}
        }
    }

    fn push_keyword(&mut self, keyword: Keyword, token: &Token, next: Option<&Token>) {
        match keyword {
            Keyword::Let | Keyword::Use | Keyword::LetBang | Keyword::UseBang => {
                self.construct(ConstructKind::Let, token);
            }
            // The body of `static member` is to the right of the whole line.
            Keyword::Member | Keyword::Override | Keyword::Default => {
                self.construct(ConstructKind::Let, &Token { column: token.indentation, ..token.clone() });
            }
            Keyword::Type => self.construct(ConstructKind::Type, token),
            Keyword::Module => self.construct(ConstructKind::Module, token),
            Keyword::If if self.last == Some(TokenKind::Keyword(Keyword::Else)) && !token.starts_line => {
                if let Some(Context::Construct(construct)) = self.stack.last_mut() {
                    construct.kind = ConstructKind::If;
                    construct.head = true;
                }
            }
            Keyword::If => self.construct(ConstructKind::If, token),
            Keyword::Match | Keyword::MatchBang => self.construct(ConstructKind::Match, token),
            Keyword::Fun => self.construct(ConstructKind::Fun, token),
            Keyword::While => self.construct(ConstructKind::While, token),
            Keyword::For => self.construct(ConstructKind::For, token),
            Keyword::Try => {
                self.construct(ConstructKind::Try, token);
                self.pend_body(token);
            }
            Keyword::Function => self.pend_arms(token.indentation, token),
            Keyword::With => self.with(token),
            Keyword::Then | Keyword::Finally => self.pend_body(token),
            Keyword::Else if next.is_some_and(|next| next.is_keyword(Keyword::If) && !next.starts_line) => {}
            Keyword::Else => self.pend_body(token),
            Keyword::Do | Keyword::DoBang => self.push_do(token),
            Keyword::Class if self.last != Some(TokenKind::Punctuation(Punctuation::Equal)) => {}
            Keyword::Begin | Keyword::Class => self.bracket(TokenKind::Keyword(Keyword::End), token, true),
            // `'a : struct`
            Keyword::Struct if self.last == Some(TokenKind::Punctuation(Punctuation::Colon)) => {}
            Keyword::Struct if !next.is_some_and(|next| next.is(Punctuation::LeftParen)) => {
                self.bracket(TokenKind::Keyword(Keyword::End), token, true);
            }
            Keyword::Lazy
            | Keyword::Assert
            | Keyword::Yield
            | Keyword::YieldBang
            | Keyword::Return
            | Keyword::ReturnBang => self.pend_new_line(token, "expression"),
            _ => {}
        }
    }

    /// `with` of a match or try opens arms; that of a record copy or a type does not.
    fn with(&mut self, token: &Token) {
        let Some(&Context::Construct(construct)) = self.stack.last() else { return };
        if matches!(construct.kind, ConstructKind::Match | ConstructKind::Try) {
            self.pend_arms(construct.column.min(construct.indentation), token);
        }
    }

    fn push_do(&mut self, token: &Token) {
        let of_loop = matches!(
            self.stack.last(),
            Some(Context::Construct(c)) if matches!(c.kind, ConstructKind::While | ConstructKind::For)
        );
        if !of_loop {
            self.construct(ConstructKind::Do, token);
        }
        self.pend_body(token);
    }

    fn push_sign(&mut self, sign: Punctuation, token: &Token) {
        match sign {
            Punctuation::Equal => {
                let binds = matches!(
                    self.stack.last(),
                    Some(Context::Construct(c))
                        if c.head && matches!(c.kind, ConstructKind::Let | ConstructKind::Type | ConstructKind::Module)
                );
                if binds {
                    self.pend_body(token);
                }
            }
            Punctuation::Arrow => self.arrow(token),
            Punctuation::LeftArrow => self.pend_new_line(token, "new value"),
            _ => {
                if let Some(closer) = sign.closer() {
                    let blocks = !matches!(sign, Punctuation::LeftAttribute | Punctuation::LeftQuotation);
                    self.bracket(TokenKind::Punctuation(closer), token, blocks);
                }
            }
        }
    }

    /// `->` of a function, an arm or a comprehension's loop opens its body; that of a type does not.
    fn arrow(&mut self, token: &Token) {
        match self.stack.last() {
            Some(Context::Construct(c)) if c.head && matches!(c.kind, ConstructKind::Fun | ConstructKind::For) => {
                self.pend_body(token);
            }
            Some(&Context::Arms { column, .. }) => {
                let limit = i64::from(column);
                self.pend(PendingKind::Block, limit, column, token, "body of the arm");
            }
            _ => {}
        }
    }

    fn construct(&mut self, kind: ConstructKind, token: &Token) {
        let Token { column, indentation, span, .. } = *token;
        self.stack.push(Context::Construct(Construct { kind, column, indentation, opener: span, head: true }));
    }

    fn bracket(&mut self, closer: TokenKind, token: &Token, blocks: bool) {
        let Token { indentation, span, .. } = *token;
        let is_class = token.is_keyword(Keyword::Class);
        self.stack.push(Context::Bracket { closer, opener: span, indentation, is_class });
        if blocks {
            self.pend(PendingKind::Block, -1, token.column, token, "content of the bracket");
        }
    }

    /// Makes the body of the construct on top of the stack, whose head is complete, pending.
    fn pend_body(&mut self, token: &Token) {
        let Some(Context::Construct(construct)) = self.stack.last_mut() else { return };
        construct.head = false;
        let Construct { kind, column, indentation, opener, .. } = *construct;
        let limit = match kind {
            ConstructKind::Let | ConstructKind::Type | ConstructKind::Module => column,
            ConstructKind::If
            | ConstructKind::Else
            | ConstructKind::Match
            | ConstructKind::Try
            | ConstructKind::Fun
            | ConstructKind::While
            | ConstructKind::For
            | ConstructKind::Do => indentation,
        };
        // `if c then e else` at the end of a line: the branch may start in the same column on the next line.
        let slack = i64::from(token.is_keyword(Keyword::Else));
        self.pending = Some(Pending {
            kind: PendingKind::Block,
            limit: i64::from(limit) - slack,
            column: token.column,
            opener,
            what: kind.body(),
        });
    }

    fn pend_arms(&mut self, column: u32, token: &Token) {
        self.pend(PendingKind::Arms, i64::from(column) - 1, column, token, ConstructKind::Match.body());
    }

    fn pend_new_line(&mut self, token: &Token, what: &'static str) {
        self.pend(PendingKind::BlockOnNewLine, i64::from(token.indentation), token.column, token, what);
    }

    fn pend(&mut self, kind: PendingKind, limit: i64, column: u32, token: &Token, what: &'static str) {
        self.pending = Some(Pending { kind, limit, column, opener: token.span, what });
    }
}
