//! Interpolated strings: literal text and the tokens of the expressions between braces.

use super::Lexer;
use crate::token::{Punctuation, Segment, Token, TokenKind};
use clef_base::{Diagnostic, Span, Symbol, codes};

/// The maximum nesting of interpolated strings.
const MAX_HOLES: usize = 100;

/// The escaping rules of an interpolated string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `$"…"`: escapes.
    Regular,
    /// `$@"…"`: `""` is a quote.
    Verbatim,
    /// `$"""…"""`: no escapes.
    Triple,
}

impl Form {
    fn closer(self) -> &'static str {
        match self {
            Form::Regular | Form::Verbatim => "\"",
            Form::Triple => "\"\"\"",
        }
    }
}

impl Lexer<'_> {
    /// From the `$` or `@` to the closing quotes.
    pub(super) fn interpolated(&mut self) -> TokenKind {
        let start = self.position;
        let (form, opener) = if self.starts_with("$\"\"\"") {
            (Form::Triple, 4)
        } else if self.starts_with("$\"") {
            (Form::Regular, 2)
        } else {
            (Form::Verbatim, 3)
        };
        self.position += opener;
        let mut segments = Vec::new();
        let mut text = String::new();
        loop {
            if self.starts_with(form.closer()) && !(form == Form::Verbatim && self.starts_with("\"\"")) {
                self.position += form.closer().len();
                break;
            }
            let Some(c) = self.bump() else { return self.unclosed_string(start, opener, form.closer()) };
            match c {
                '{' | '}' | '%' if self.peek() == Some(c) => {
                    self.position += 1;
                    text.push(c);
                }
                '{' => self.hole(None, &mut text, &mut segments),
                '}' => self.lone_brace(),
                '%' => match self.specifier() {
                    Some(specifier) => self.hole(Some(specifier), &mut text, &mut segments),
                    None => text.push('%'),
                },
                '"' if form == Form::Verbatim => {
                    self.position += 1;
                    text.push('"');
                }
                '\\' if form == Form::Regular => self.escape(&mut text),
                '\n' => {
                    self.new_line_in_string();
                    text.push('\n');
                }
                '\r' if self.peek() == Some('\n') => {}
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            segments.push(Segment::Text(text));
        }
        TokenKind::Interpolated(segments.into())
    }

    fn lone_brace(&mut self) {
        let start = self.position - 1;
        let error = self.error(codes::BAD_INTERPOLATION, start, "unmatched closing brace");
        let span = self.span_from(start);
        self.report(error.fix("double it for a literal brace", span, "}}"));
    }

    /// Consumes a specifier such as `%d` directly before an opening brace, with the brace.
    fn specifier(&mut self) -> Option<(Symbol, Span)> {
        let rest = self.rest();
        let flags = rest.find(|c: char| !"0123456789-+ .*".contains(c))?;
        let letter = rest[flags..].chars().next().filter(char::is_ascii_alphabetic)?;
        let length = flags + letter.len_utf8();
        if !rest[length..].starts_with('{') || rest[length..].starts_with("{{") {
            return None;
        }
        let start = self.position - 1;
        self.position += length;
        let span = self.span_from(start);
        self.position += 1;
        Some((Symbol::new(&self.text[start..start + 1 + length]), span))
    }

    /// The expression after an opening brace, up to its closing brace.
    fn hole(&mut self, specifier: Option<(Symbol, Span)>, text: &mut String, segments: &mut Vec<Segment>) {
        if !text.is_empty() {
            segments.push(Segment::Text(std::mem::take(text)));
        }
        let opener = self.position - 1;
        if self.holes >= MAX_HOLES {
            return self.too_many_holes(opener);
        }
        self.holes += 1;
        let outer = std::mem::take(&mut self.tokens);
        let space = std::mem::replace(&mut self.space, true);
        let format = self.hole_tokens(opener);
        let tokens: Vec<Token> = std::mem::replace(&mut self.tokens, outer);
        self.space = space;
        self.holes -= 1;
        segments.push(Segment::Hole { tokens, format, specifier, span: self.span_from(opener) });
    }

    /// Lexes the tokens up to the brace that closes the hole; consumes the brace, and the format before it.
    fn hole_tokens(&mut self, opener: usize) -> Option<(Symbol, Span)> {
        let mut depth = 0u32;
        loop {
            self.trivia();
            let next = self.peek();
            let ends = depth == 0 && matches!(next, Some('}' | ':')) && !self.starts_with("::") || self.at_last_quote();
            if ends || next.is_none() {
                let start = self.start();
                let format = (next == Some(':')).then(|| self.format());
                self.push(TokenKind::EndOfFile, start);
                if self.peek() == Some('}') {
                    self.position += 1;
                } else {
                    self.unclosed_hole(opener);
                }
                return format;
            }
            if !self.token() {
                continue;
            }
            match self.tokens.last().map(|token| &token.kind) {
                Some(TokenKind::Punctuation(sign)) if sign.closer().is_some() => depth += 1,
                Some(TokenKind::Punctuation(sign)) if sign.is_closer() => depth = depth.saturating_sub(1),
                Some(TokenKind::Punctuation(Punctuation::RightBrace)) | Some(_) | None => {}
            }
        }
    }

    /// Whether the next token is a quote and no other follows on the line: it closes the string around the hole.
    fn at_last_quote(&self) -> bool {
        let line = self.rest().lines().next().unwrap_or_default();
        self.starts_with("\"") && !line[1..].contains('"')
    }

    /// The text between the colon and the closing brace.
    fn format(&mut self) -> (Symbol, Span) {
        self.position += 1;
        let start = self.position;
        let text = self.take_while(|c| c != '}' && c != '"' && c != '\n');
        (Symbol::new(text.trim()), self.span_from(start))
    }

    /// Skips to the end of the file: deeper nesting could overflow the stack.
    fn too_many_holes(&mut self, opener: usize) {
        let span = Span::new(self.file, opener, opener + 1);
        self.report(
            Diagnostic::error(codes::BAD_INTERPOLATION, span, "interpolated strings are nested too deeply")
                .label(format!("the maximum depth is {MAX_HOLES}"))
                .note("the rest of the file was not parsed")
                .help("bind the inner strings with `let`"),
        );
        self.position = self.text.len();
        self.abandoned = true;
    }

    fn unclosed_hole(&mut self, opener: usize) {
        let span = Span::new(self.file, opener, opener + 1);
        self.report(
            Diagnostic::error(codes::BAD_INTERPOLATION, span, "unclosed brace")
                .label("opened here")
                .help("close it with `}`, or write `{{` for a literal brace"),
        );
    }
}
