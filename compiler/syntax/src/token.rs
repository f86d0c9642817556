//! Tokens: the lexer produces them, the offside pass adds virtual ones, the parser reads them.

use crate::ast::IntegerSuffix;
use clef_base::{Span, Symbol};
use std::fmt;

/// A token with its location.
#[derive(Clone, PartialEq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its location; empty for virtual tokens and the end of the file.
    pub span: Span,
    /// Column of its first character, from zero, counted in characters.
    pub column: u32,
    /// The column of the first token on its line.
    pub indentation: u32,
    /// Whether it is the first on its line.
    pub starts_line: bool,
    /// Whether white space, a comment or the start of the file precedes it.
    pub space_before: bool,
    /// Whether white space, a comment or the end of the file follows it.
    pub space_after: bool,
    /// The text of the `///` comments directly before it.
    pub documentation: Option<Box<str>>,
}

/// The kinds of tokens.
#[derive(Clone, PartialEq, Debug)]
pub enum TokenKind {
    /// A name, possibly in double backquotes; never a keyword.
    Identifier(Symbol),
    /// `'a`.
    TypeVariable(Symbol),
    /// A keyword, or a word that F# reserves.
    Keyword(Keyword),
    /// A run of operator characters that is not [`Punctuation`]: `+`, `|>`, `::`, `:=`, `:?`, `<`, `>>`, `!`, `^`, `*`.
    Operator(Symbol),
    /// Brackets and other punctuation.
    Punctuation(Punctuation),
    /// An integer literal.
    Integer {
        /// Its magnitude.
        value: u64,
        /// Its suffix.
        suffix: IntegerSuffix,
        /// Whether it is hexadecimal, octal or binary.
        bits: bool,
    },
    /// A float literal.
    Float {
        /// The digits, without underscores and suffix.
        text: Symbol,
        /// Whether it ends in `f`.
        single: bool,
    },
    /// A character literal.
    Char(char),
    /// A string literal of any form, escapes resolved.
    String(Box<str>),
    /// A byte string.
    Bytes(Box<[u8]>),
    /// An interpolated string.
    Interpolated(Box<[Segment]>),
    /// A directive such as `#r`, with the rest of the line.
    Directive,
    /// Opens a block; inserted by the offside pass.
    Begin,
    /// Separates two items of a block that start in the same column; inserted by the offside pass.
    Separator,
    /// Closes a block; inserted by the offside pass.
    End,
    /// Invalid input that is already reported.
    Error,
    /// The end of the file; always the last token.
    EndOfFile,
}

/// A piece of an interpolated string.
#[derive(Clone, PartialEq, Debug)]
pub enum Segment {
    /// Literal text, escapes resolved.
    Text(String),
    /// `{expression:format}` or `%d{expression}`.
    Hole {
        /// The expression's tokens; the last is [`TokenKind::EndOfFile`] at the closing brace. The offside pass lays
        /// them out like a file.
        tokens: Vec<Token>,
        /// The format after the colon.
        format: Option<(Symbol, Span)>,
        /// A printf specifier directly before the brace, including its `%`.
        specifier: Option<(Symbol, Span)>,
        /// From the opening brace to the closing one.
        span: Span,
    },
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum $name { $($variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// Its source text.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The one with this source text.
            pub fn of(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.text())
            }
        }
    };
}

impl Keyword {
    /// Whether a member of a type starts with this word.
    pub fn is_member(self) -> bool {
        matches!(
            self,
            Keyword::Member
                | Keyword::Static
                | Keyword::Override
                | Keyword::Default
                | Keyword::Abstract
                | Keyword::New
                | Keyword::Val
                | Keyword::Inherit
                | Keyword::Interface
        )
    }
}

words! {
    /// Words that cannot be names. Those from `Abstract` on belong to constructs that Clef does not support.
    Keyword {
        And = "and", As = "as", Assert = "assert", Begin = "begin", Do = "do", Done = "done", Downto = "downto",
        Elif = "elif", Else = "else", End = "end", False = "false", For = "for", Fun = "fun", Function = "function",
        If = "if", In = "in", Inline = "inline", Internal = "internal", Lazy = "lazy", Let = "let", Match = "match",
        Module = "module", Mutable = "mutable", Namespace = "namespace", Of = "of", Open = "open",
        Private = "private", Public = "public", Rec = "rec", Struct = "struct", Then = "then", To = "to",
        True = "true", Type = "type", Underscore = "_", Use = "use", When = "when", While = "while", With = "with",
        Yield = "yield", YieldBang = "yield!",
        Abstract = "abstract", Base = "base", Class = "class", Const = "const", Default = "default",
        Delegate = "delegate", DoBang = "do!", Exception = "exception", Extern = "extern", Finally = "finally",
        Fixed = "fixed", Global = "global", Inherit = "inherit", Interface = "interface", LetBang = "let!",
        MatchBang = "match!", Member = "member", New = "new", Null = "null", Override = "override",
        Return = "return", ReturnBang = "return!", Static = "static", Try = "try",
        Upcast = "upcast", Downcast = "downcast", UseBang = "use!", Val = "val", Void = "void",
        Virtual = "virtual",
    }
}

words! {
    /// Punctuation with a fixed meaning.
    Punctuation {
        LeftParen = "(", RightParen = ")", LeftBracket = "[", RightBracket = "]", LeftArray = "[|",
        RightArray = "|]", LeftBrace = "{", RightBrace = "}", LeftAnonymous = "{|", RightAnonymous = "|}",
        LeftAttribute = "[<", RightAttribute = ">]", LeftQuotation = "<@", RightQuotation = "@>",
        Comma = ",", Semicolon = ";", Colon = ":", Dot = ".", DotDot = "..", Bar = "|", Arrow = "->",
        LeftArrow = "<-", Equal = "=",
    }
}

impl Punctuation {
    /// The bracket that closes this opening bracket.
    pub fn closer(self) -> Option<Punctuation> {
        use Punctuation::*;
        match self {
            LeftParen => Some(RightParen),
            LeftBracket => Some(RightBracket),
            LeftArray => Some(RightArray),
            LeftBrace => Some(RightBrace),
            LeftAnonymous => Some(RightAnonymous),
            LeftAttribute => Some(RightAttribute),
            LeftQuotation => Some(RightQuotation),
            RightParen | RightBracket | RightArray | RightBrace | RightAnonymous | RightAttribute | RightQuotation
            | Comma | Semicolon | Colon | Dot | DotDot | Bar | Arrow | LeftArrow | Equal => None,
        }
    }

    /// Whether it closes a bracket.
    pub fn is_closer(self) -> bool {
        Punctuation::ALL.iter().any(|opener| opener.closer() == Some(self))
    }
}

impl Token {
    /// Whether it is this keyword.
    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind == TokenKind::Keyword(keyword)
    }

    /// Whether it is this punctuation.
    pub fn is(&self, punctuation: Punctuation) -> bool {
        self.kind == TokenKind::Punctuation(punctuation)
    }
}
