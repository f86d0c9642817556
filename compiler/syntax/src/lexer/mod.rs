//! Source text to tokens.
//!
//! In: the source text of a file, and the names defined for `#if`. Out: diagnostics, and tokens without white space,
//! comments and the parts that `#if` excludes. Each has its location and column; the last is [`TokenKind::EndOfFile`].
//! Lexing never fails: invalid input becomes [`TokenKind::Error`].

mod directive;
mod interpolated;
mod number;
mod operator;
mod string;
mod trivia;

pub use number::SUFFIXES;
pub use operator::{COLON_OPERATORS, OPERATOR_CHARACTERS};
pub use trivia::block_comment;

use crate::disguise::composed;
use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::{Code, Diagnostic, FileId, Span, codes, visible};

/// The maximum number of diagnostics per file; further ones are rarely useful.
const MAX_DIAGNOSTICS: usize = 50;

/// The maximum length of a name or operator, in bytes.
const LONGEST_NAME: usize = 1000;

/// The bytes of source text for each token, white space included, in dense programs.
const BYTES_PER_TOKEN: usize = 4;

/// Converts source text to tokens.
pub fn lex(file: FileId, text: &str, is_defined: &dyn Fn(&str) -> bool) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer::new(file, text, is_defined);
    if text.starts_with('\u{feff}') {
        lexer.position = '\u{feff}'.len_utf8();
        lexer.counted = Counted { position: lexer.position, column: 0 };
    }
    while lexer.token() {}
    lexer.report_open_conditions();
    let end = lexer.start();
    lexer.push(TokenKind::EndOfFile, end);
    (lexer.tokens, lexer.diagnostics)
}

/// A position up to which columns are counted.
#[derive(Clone, Copy)]
struct Counted {
    position: usize,
    column: u32,
}

/// Where a token begins.
#[derive(Clone, Copy)]
struct Start {
    position: usize,
    column: u32,
    starts_line: bool,
    indentation: u32,
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    /// Byte offset of the next character.
    position: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    counted: Counted,
    /// Column of the first token of the line; `None` before it.
    indentation: Option<u32>,
    /// Whether white space or a comment precedes the next token.
    space: bool,
    /// The `///` comments before the next token.
    documentation: String,
    /// The number of open `[<`.
    attributes: u32,
    /// The number of open holes of interpolated strings.
    holes: usize,
    /// Whether the holes nest too deep; then nothing further is lexed or reported.
    abandoned: bool,
    /// Whether a name is defined for `#if`.
    is_defined: &'t dyn Fn(&str) -> bool,
    /// The open `#if` directives, each with whether its `#else` was seen.
    conditions: Vec<directive::OpenCondition>,
}

impl<'t> Lexer<'t> {
    fn new(file: FileId, text: &'t str, is_defined: &'t dyn Fn(&str) -> bool) -> Lexer<'t> {
        Lexer {
            is_defined,
            conditions: Vec::new(),
            file,
            text,
            position: 0,
            tokens: Vec::with_capacity(text.len() / BYTES_PER_TOKEN),
            diagnostics: Vec::new(),
            counted: Counted { position: 0, column: 0 },
            indentation: None,
            space: true,
            documentation: String::new(),
            attributes: 0,
            holes: 0,
            abandoned: false,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.rest().starts_with(prefix)
    }

    /// Consumes one character.
    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        Some(next)
    }

    /// Consumes characters while `wanted` holds.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|character| !wanted(character)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, start, self.position)
    }

    /// Reports an error unless the maximum is reached.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS && !self.abandoned {
            self.diagnostics.push(diagnostic);
        }
    }

    fn error(&self, code: Code, start: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span_from(start), message)
    }

    /// The column of a position on the current line, after all positions asked for before.
    fn column(&mut self, position: usize) -> u32 {
        let Counted { position: counted, column } = self.counted;
        if position > counted {
            let more = self.text[counted..position].chars().count() as u32;
            self.counted = Counted { position, column: column + more };
        }
        self.counted.column
    }

    /// Starts a new line.
    fn new_line(&mut self) {
        self.counted = Counted { position: self.position, column: 0 };
        self.indentation = None;
    }

    /// The start of the token that begins here. Call it before lexing the token, which may contain line breaks.
    fn start(&mut self) -> Start {
        let position = self.position;
        let column = self.column(position);
        let starts_line = self.indentation.is_none();
        Start { position, column, starts_line, indentation: *self.indentation.get_or_insert(column) }
    }

    /// Appends a token that extends from `start` to the current position.
    fn push(&mut self, kind: TokenKind, start: Start) {
        let Start { position, column, starts_line, indentation } = start;
        if let Some(last) = self.tokens.last_mut() {
            last.space_after = self.space;
        }
        let documentation = std::mem::take(&mut self.documentation);
        self.tokens.push(Token {
            kind,
            span: self.span_from(position),
            column,
            indentation,
            starts_line,
            space_before: self.space,
            space_after: true,
            documentation: (!documentation.is_empty()).then(|| documentation.into()),
        });
        self.space = false;
    }

    /// Lexes white space and one token; false at the end of the file.
    fn token(&mut self) -> bool {
        self.trivia();
        let Some(next) = self.peek() else { return false };
        let starts_line = self.indentation.is_none();
        if next == '#' && starts_line && self.conditional() {
            return true;
        }
        let start = self.start();
        let kind = match next {
            '"' => self.string(),
            '\'' => self.quote(),
            '`' if self.starts_with("``") => self.quoted_name(),
            '$' if ["$\"", "$@\""].iter().any(|prefix| self.starts_with(prefix)) => self.interpolated(),
            '@' if self.starts_with("@$\"") => self.interpolated(),
            '@' if self.starts_with("@\"") => self.verbatim_string(),
            '0'..='9' => self.number(),
            '#' if starts_line => self.directive(),
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '.' => self.bracket_or_point(),
            _ if unicode_ident::is_xid_start(next) || next == '_' => self.word(),
            _ if operator::is_operator_character(next) || next == ':' => self.operator(),
            _ => self.unknown(),
        };
        let kind = self.not_too_long(kind, start.position);
        self.push(kind, start);
        true
    }

    /// Returns a name or operator, or an error if it is too long to show in a message.
    fn not_too_long(&mut self, kind: TokenKind, start: usize) -> TokenKind {
        let length = self.position - start;
        if length <= LONGEST_NAME || !matches!(kind, TokenKind::Identifier(_) | TokenKind::Operator(_)) {
            return kind;
        }
        let error = self.error(codes::NAME_TOO_LONG, start, format!("this name has {length} bytes"));
        self.report(error.note(format!("the maximum length is {LONGEST_NAME} bytes")).help("use a shorter name"));
        TokenKind::Error
    }

    /// A name or a keyword.
    fn word(&mut self) -> TokenKind {
        let text = self.take_while(|c| unicode_ident::is_xid_continue(c) || c == '\'' || c == '_');
        if self.peek() == Some('!') && !self.starts_with("!=") {
            let with_bang = &self.text[self.position - text.len()..self.position + 1];
            if let Some(keyword) = Keyword::of(with_bang) {
                self.position += 1;
                return TokenKind::Keyword(keyword);
            }
        }
        Keyword::of(text).map_or_else(|| TokenKind::Identifier(composed(text)), TokenKind::Keyword)
    }

    /// A name in double backquotes.
    fn quoted_name(&mut self) -> TokenKind {
        let start = self.position;
        self.position += 2;
        let text = self.take_while(|c| c != '`' && c != '\n');
        if !text.is_empty() && self.starts_with("``") {
            self.position += 2;
            return TokenKind::Identifier(composed(text));
        }
        let error = self.error(codes::UNCLOSED_NAME, start, "unterminated quoted name");
        self.report(error.label("opened here").help("close it with two backticks on the same line"));
        TokenKind::Error
    }

    /// A character or a type variable.
    fn quote(&mut self) -> TokenKind {
        let start = self.position;
        self.position += 1;
        let mut ahead = self.rest().chars();
        let (first, second) = (ahead.next(), ahead.next());
        if first == Some('\\') || second == Some('\'') && first != Some('\n') {
            return self.character(start);
        }
        let text = self.take_while(|c| unicode_ident::is_xid_continue(c) || c == '_');
        if self.peek() == Some('\'') {
            return self.long_character(start, text);
        }
        if text.starts_with(|c| unicode_ident::is_xid_start(c) || c == '_') {
            return TokenKind::TypeVariable(composed(text));
        }
        let error = self.error(codes::BAD_CHARACTER_LITERAL, start, "expected a character literal or a type variable");
        self.report(error.help("write a character as `'a'` and a type variable as `'a`"));
        TokenKind::Error
    }

    /// A directive such as `#if`, with the rest of its line.
    fn directive(&mut self) -> TokenKind {
        self.take_while(|c| c != '\n');
        TokenKind::Directive
    }

    fn bracket_or_point(&mut self) -> TokenKind {
        use Punctuation::*;
        const LONG: [Punctuation; 5] = [LeftAttribute, LeftArray, LeftAnonymous, DotDot, LeftParen];
        let long = LONG.into_iter().find(|punctuation| self.starts_with(punctuation.text()));
        let short = || Punctuation::of(&self.rest()[..1]);
        let Some(punctuation) = long.or_else(short) else { return self.unknown() };
        self.position += punctuation.text().len();
        if punctuation == LeftAttribute {
            self.attributes += 1;
        }
        TokenKind::Punctuation(punctuation)
    }

    /// Punctuation of F# that Clef does not have.
    fn unsupported_sign(&self, sign: char, start: usize) -> Option<Diagnostic> {
        let before = self.text[..start].trim_end();
        match (sign, self.peek()) {
            ('#', Some(next)) if next.is_alphabetic() && before.ends_with([':', '<', '>', '*', '(']) => Some(
                self.error(codes::NOT_IN_CLEF, start, "Clef has no flexible types")
                    .note("a function that takes a `seq` takes lists, arrays, maps and sets too")
                    .help("remove the sign"),
            ),
            ('$', Some('"')) if self.position - start > 1 => Some(
                self.error(codes::NOT_IN_CLEF, start, "Clef has no interpolated strings with several `$`")
                    .help("use a single `$`, and `{{` and `}}` for literal braces"),
            ),
            _ => None,
        }
    }

    /// Consumes characters that start no token, as one error.
    fn unknown(&mut self) -> TokenKind {
        let start = self.position;
        let first = self.bump().unwrap_or_default();
        self.take_while(|c| c == first);
        let shown = if visible::is_hidden(first) || first.is_whitespace() {
            format!("U+{:04X}", u32::from(first))
        } else {
            format!("`{first}`")
        };
        if let Some(error) = self.unsupported_sign(first, start) {
            self.report(error);
            return TokenKind::Error;
        }
        let error = self.error(codes::UNKNOWN_CHARACTER, start, format!("unexpected character: {shown}"));
        let begins_lambda = first == '\\' && self.peek().is_some_and(|c| c.is_alphabetic() || c == '(');
        self.report(match begins_lambda {
            true => {
                let span = error.primary.as_ref().map(|label| label.span);
                let error = error.note("a lambda is written `fun parameter -> body`");
                span.into_iter().fold(error, |error, span| error.fix("write `fun`", span, "fun "))
            }
            false => error.help("remove it, or put it in a string"),
        });
        TokenKind::Error
    }
}
