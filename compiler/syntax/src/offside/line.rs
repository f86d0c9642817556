//! The first token of a line: which contexts it closes, and whether a separator precedes it.

use super::{
    Layout,
    context::{ConstructKind, Context, grace, is_continuation},
    is_part_of_type,
};
use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::{Diagnostic, Span, codes};

impl Layout {
    /// Closes the contexts that the column of a line's first token ends, and separates it from the previous line.
    pub(super) fn line_start(&mut self, token: &Token) {
        let mut body_closed = false;
        if self.indented == Some(token.span) {
            self.pop_to(1, token);
            self.stack = vec![Context::Block { column: token.column, first: token.span }];
        }
        loop {
            let bottom = self.stack.len() == 1;
            match self.stack.last() {
                Some(&Context::Block { column, first }) => {
                    let of_type = matches!(
                        self.stack.iter().nth_back(1),
                        Some(Context::Construct(construct)) if construct.kind == ConstructKind::Type
                    );
                    let part = u32::from(of_type && is_part_of_type(token));
                    if token.column + grace(token) + part >= column {
                        return self.separate(token, column, body_closed);
                    }
                    if bottom || self.is_stranded(token) {
                        match bottom {
                            true => self.left_of_file(token, first),
                            false => self.offside(token, first),
                        }
                        return self.separate(token, token.column, body_closed);
                    }
                    if matches!(self.stack.iter().nth_back(1), Some(Context::Bracket { .. }))
                        && !self.bracket_is_left(token)
                    {
                        return;
                    }
                    self.pop(token);
                    body_closed = true;
                }
                Some(&Context::Arms { column, slack }) => {
                    let next_arm = token.is(Punctuation::Bar) && token.column + slack >= column;
                    if next_arm || token.column > column && !body_closed {
                        return;
                    }
                    self.pop(token);
                    body_closed = true;
                }
                Some(Context::Construct(construct)) => {
                    let continues = construct.kind.continues_with(token)
                        && token.column >= construct.column.min(construct.indentation);
                    if continues || !body_closed && token.column > construct.indentation {
                        return;
                    }
                    self.pop(token);
                    body_closed = true;
                }
                Some(Context::Bracket { .. }) => {
                    if !self.bracket_is_left(token) {
                        return;
                    }
                    self.unclosed(self.stack.len() - 1, token);
                    self.pop(token);
                }
                None => return,
            }
        }
    }

    /// Inserts a separator, unless the token is further right or continues the previous line, for example after an
    /// operator. A semicolon at the end of a closed block separates nothing outside it.
    fn separate(&mut self, token: &Token, column: u32, body_closed: bool) {
        let goes_on = match self.last {
            // `>` at the end of a line closes type arguments; `?` is no operator, and is reported elsewhere.
            Some(TokenKind::Operator(operator)) => {
                operator.as_str() != "?" && !operator.as_str().trim_start_matches('>').is_empty()
            }
            Some(TokenKind::Keyword(Keyword::In)) => true,
            Some(TokenKind::Punctuation(sign)) => {
                matches!(sign, Punctuation::Comma | Punctuation::Equal)
                    || sign == Punctuation::Semicolon && !body_closed
            }
            _ => false,
        };
        if token.column <= column && !is_continuation(token) && !goes_on {
            self.insert(TokenKind::Separator, token);
        }
    }

    /// Whether closing the block on top would leave a token that neither continues the outer construct nor is in an
    /// outer block.
    fn is_stranded(&self, token: &Token) -> bool {
        let Some(Context::Construct(construct)) = self.stack.iter().nth_back(1) else { return false };
        match construct.kind {
            ConstructKind::Fun => false,
            kind => {
                !kind.continues_with(token)
                    && token.column > construct.column.min(construct.indentation)
                    && !self.is_aligned_outside(token)
            }
        }
    }

    /// Whether an outer block starts in the token's column.
    fn is_aligned_outside(&self, token: &Token) -> bool {
        self.stack.iter().rev().skip(1).any(|context| match context {
            Context::Block { column, .. } => *column == token.column,
            Context::Arms { column, slack } => token.is(Punctuation::Bar) && token.column + slack >= *column,
            Context::Bracket { .. } | Context::Construct(_) => false,
        })
    }

    /// Whether the first token of a line shows that the innermost bracket is unclosed: an unindented declaration.
    fn bracket_is_left(&self, token: &Token) -> bool {
        let innermost = self.stack.iter().rev().find_map(|context| match context {
            Context::Bracket { indentation, .. } => Some(*indentation),
            Context::Block { .. } | Context::Arms { .. } | Context::Construct(_) => None,
        });
        let declares = match token.kind {
            TokenKind::Keyword(keyword) => {
                matches!(keyword, Keyword::Let | Keyword::Type | Keyword::Module | Keyword::Open | Keyword::Namespace)
            }
            TokenKind::Punctuation(sign) => sign == Punctuation::LeftAttribute,
            _ => false,
        };
        declares && innermost.is_some_and(|indentation| token.column <= indentation)
    }

    /// Reports the first line that is further left than the first one of the file; all others have the same cause.
    fn left_of_file(&mut self, token: &Token, first: Span) {
        if std::mem::replace(&mut self.left_of_file, true) {
            return;
        }
        let error = Diagnostic::error(codes::OFFSIDE, token.span, "this line is indented less than the first one")
            .label("not aligned with the first line")
            .also(first, "the first line of the file");
        self.report(error.help(match self.is_first_alone {
            true => "remove the space before the first line",
            false => "start all declarations of the file in the same column",
        }));
    }

    fn offside(&mut self, token: &Token, block: Span) {
        self.report(
            Diagnostic::error(codes::OFFSIDE, token.span, "this line is indented less than its block")
                .label("not aligned with any block")
                .also(block, "the block starts here")
                .help("align the line with the block that it belongs to"),
        );
    }
}
