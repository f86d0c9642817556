//! The contexts that are open at a token.

use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::Span;

/// An open bracket, block or construct.
#[derive(Clone, Debug)]
pub(super) enum Context {
    /// Lines that start in the same column.
    Block {
        /// The column.
        column: u32,
        /// The first token.
        first: Span,
    },
    /// An opening bracket, or `begin`.
    Bracket {
        /// The token that closes it.
        closer: TokenKind,
        /// Its location.
        opener: Span,
        /// The indentation of its line.
        indentation: u32,
        /// Whether it is `class`.
        is_class: bool,
    },
    /// The arms after `with` or `function`.
    Arms {
        /// The column where they start, or that of the construct if the first arm is on the same line.
        column: u32,
        /// How far left of that column a `|` may be.
        slack: u32,
    },
    /// A keyword that expects a continuation.
    Construct(Construct),
}

/// A keyword that expects a continuation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Construct {
    /// Its kind.
    pub(super) kind: ConstructKind,
    /// Its column.
    pub(super) column: u32,
    /// The indentation of its line.
    pub(super) indentation: u32,
    /// The keyword.
    pub(super) opener: Span,
    /// Whether its head is open: the `=`, `then`, `with`, `do` or `->` that ends it was not seen yet.
    pub(super) head: bool,
}

/// The constructs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConstructKind {
    /// `let`, `use`, `member`.
    Let,
    /// `type`.
    Type,
    /// `module`.
    Module,
    /// `if`, before its `else`.
    If,
    /// `if` after its `else`; a further `else` belongs to an outer `if`.
    Else,
    /// `match`.
    Match,
    /// `try`.
    Try,
    /// `fun`.
    Fun,
    /// `while`.
    While,
    /// `for`.
    For,
    /// `do` on its own.
    Do,
}

/// What the next token opens.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Block or arms.
    pub(super) kind: PendingKind,
    /// If it starts a line, its first token must be to the right of this column.
    pub(super) limit: i64,
    /// The column of the construct it belongs to.
    pub(super) column: u32,
    /// The keyword or bracket it belongs to.
    pub(super) opener: Span,
    /// Its name in diagnostics.
    pub(super) what: &'static str,
}

/// The kinds of pending contexts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PendingKind {
    /// A block.
    Block,
    /// A block if it starts on a new line; otherwise the rest of the line belongs to the outer block.
    BlockOnNewLine,
    /// The arms of a match or function.
    Arms,
}

/// Whether an operator is a prefix operator: `-x` after white space, `!x`.
fn is_prefix(token: &Token) -> bool {
    let TokenKind::Operator(operator) = token.kind else { return false };
    let text = operator.as_str();
    let may_be_infix = matches!(text, "+" | "-" | "+." | "-." | "%" | "%%" | "&" | "&&");
    text.starts_with('!') && text != "!="
        || text.starts_with('~')
        || may_be_infix && token.space_before && !token.space_after
}

/// Whether a token is an infix operator.
pub(super) fn is_infix(token: &Token) -> bool {
    match token.kind {
        TokenKind::Operator(_) => !is_prefix(token),
        TokenKind::Punctuation(sign) => {
            matches!(sign, Punctuation::Comma | Punctuation::Equal | Punctuation::LeftArrow | Punctuation::DotDot)
        }
        _ => false,
    }
}

/// The number of columns that a token may be to the left of its block.
pub(super) fn grace(token: &Token) -> u32 {
    if is_infix(token) { token.span.end - token.span.start + 1 } else { 0 }
}

/// Whether a token continues the construct before it, so that no separator is inserted between them.
pub(super) fn is_continuation(token: &Token) -> bool {
    use Keyword::*;
    match token.kind {
        TokenKind::Operator(_) => is_infix(token),
        TokenKind::Keyword(keyword) => matches!(
            keyword,
            Then | Elif | Else | With | And | In | Of | Done | Finally | As | When | To | Downto | End
        ),
        TokenKind::Punctuation(sign) => {
            sign.is_closer()
                || matches!(
                    sign,
                    Punctuation::Bar
                        | Punctuation::Arrow
                        | Punctuation::Comma
                        | Punctuation::Semicolon
                        | Punctuation::Equal
                        | Punctuation::Colon
                        | Punctuation::Dot
                        | Punctuation::DotDot
                        | Punctuation::LeftArrow
                )
        }
        _ => false,
    }
}

impl ConstructKind {
    /// Whether a token continues the construct after the block before the token is closed.
    pub(super) fn continues_with(self, token: &Token) -> bool {
        let TokenKind::Keyword(keyword) = token.kind else { return false };
        match self {
            ConstructKind::If => matches!(keyword, Keyword::Then | Keyword::Elif | Keyword::Else),
            ConstructKind::Match => keyword == Keyword::With,
            ConstructKind::Try => matches!(keyword, Keyword::With | Keyword::Finally),
            ConstructKind::Let => matches!(keyword, Keyword::And | Keyword::In),
            ConstructKind::Type => matches!(keyword, Keyword::And | Keyword::With),
            ConstructKind::While => matches!(keyword, Keyword::Do | Keyword::Done),
            ConstructKind::For => matches!(keyword, Keyword::Do | Keyword::Done | Keyword::In | Keyword::To),
            ConstructKind::Else | ConstructKind::Module | ConstructKind::Fun | ConstructKind::Do => false,
        }
    }

    /// The name of the body in diagnostics.
    pub(super) fn body(self) -> &'static str {
        match self {
            ConstructKind::Let => "right side of the binding",
            ConstructKind::Type => "right side of the type",
            ConstructKind::Module => "content of the module",
            ConstructKind::If | ConstructKind::Else => "branch of the `if`",
            ConstructKind::Match => "first arm of the `match`",
            ConstructKind::Try => "body of the `try`",
            ConstructKind::Fun => "body of the function",
            ConstructKind::While | ConstructKind::For => "body of the loop",
            ConstructKind::Do => "body of the `do`",
        }
    }
}
