//! What is open at a token.

use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::Span;

/// An open bracket, block or construct.
#[derive(Clone, Debug)]
pub(super) enum Context {
    /// Lines that start in one column.
    Block {
        /// The column.
        column: u32,
        /// The first token.
        first: Span,
    },
    /// An opening bracket, or `begin`.
    Bracket {
        /// What closes it.
        closer: TokenKind,
        /// Where it is.
        opener: Span,
        /// The indentation of its line.
        indentation: u32,
    },
    /// The arms behind `with` and `function`.
    Arms {
        /// Where they start, or where the construct starts if the first arm stands on its line.
        column: u32,
        /// How far left of it a `|` may stand.
        slack: u32,
    },
    /// A keyword that waits for its continuation.
    Construct(Construct),
}

/// A keyword that waits for its continuation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Construct {
    /// Which.
    pub(super) kind: ConstructKind,
    /// Its column.
    pub(super) column: u32,
    /// The indentation of its line.
    pub(super) indentation: u32,
    /// The keyword.
    pub(super) opener: Span,
    /// Whether its head is still open: the `=`, `then`, `with`, `do` or `->` that ends it has not come.
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
    /// `if` that has its `else`; the next one belongs to an `if` around.
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
    /// `do` of its own.
    Do,
}

/// What the next token opens.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Block or arms.
    pub(super) kind: PendingKind,
    /// On a line of its own, its first token must stand to the right of this column.
    pub(super) limit: i64,
    /// The column of the construct that it belongs to.
    pub(super) column: u32,
    /// What it belongs to.
    pub(super) opener: Span,
    /// What it is, for diagnostics.
    pub(super) what: &'static str,
}

/// What is pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PendingKind {
    /// A block.
    Block,
    /// A block if it starts on a new line; otherwise the rest of the line belongs to the block around.
    BlockOnNewLine,
    /// The arms of a match or function.
    Arms,
}

/// Whether an operator stands before its operand: `-x` behind white space, `!x`.
fn is_prefix(token: &Token) -> bool {
    let TokenKind::Operator(operator) = token.kind else { return false };
    let text = operator.as_str();
    let may_be_infix = matches!(text, "+" | "-" | "+." | "-." | "%" | "%%" | "&" | "&&");
    text.starts_with('!') && text != "!="
        || text.starts_with('~')
        || may_be_infix && token.space_before && !token.space_after
}

/// Whether a token stands between operands.
pub(super) fn is_infix(token: &Token) -> bool {
    match token.kind {
        TokenKind::Operator(_) => !is_prefix(token),
        TokenKind::Punctuation(sign) => {
            matches!(sign, Punctuation::Comma | Punctuation::Equal | Punctuation::LeftArrow | Punctuation::DotDot)
        }
        _ => false,
    }
}

/// How many columns a token may stand to the left of its block.
pub(super) fn grace(token: &Token) -> u32 {
    if is_infix(token) { token.span.end - token.span.start + 1 } else { 0 }
}

/// Whether a token goes on with what stands before it, so that no separator belongs between.
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
    /// Whether a token goes on with the construct once the block before it is closed.
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

    /// The name of the body, for diagnostics.
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
