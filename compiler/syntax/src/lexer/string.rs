//! Strings, byte strings and characters, with F#'s escapes.

use super::Lexer;
use crate::token::TokenKind;
use clef_base::{Diagnostic, Span, codes};

/// The escapes, as a diagnostic lists them.
const ESCAPES: &str = r#"the escapes are \n \r \t \b \a \f \v \0 \\ \" \' \DDD \xHH \uHHHH and \UHHHHHHHH"#;

impl Lexer<'_> {
    /// `"…"` and `"""…"""`, optionally with the suffix `B`.
    pub(super) fn string(&mut self) -> TokenKind {
        let start = self.position;
        if self.starts_with("\"\"\"") {
            self.position += 3;
            return match self.text[self.position..].find("\"\"\"") {
                Some(length) => {
                    let text = self.raw(length);
                    self.position += 3;
                    self.finish_string(start, text)
                }
                None => self.unclosed_string(start, 3, "\"\"\""),
            };
        }
        self.position += 1;
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return self.finish_string(start, text),
                Some('\\') => self.escape(&mut text),
                Some('\n') => {
                    self.new_line_in_string();
                    text.push('\n');
                }
                Some('\r') if self.peek() == Some('\n') => {}
                Some(c) => text.push(c),
                None => return self.unclosed_string(start, 1, "\""),
            }
        }
    }

    /// `@"…"`, in which `""` is a quote.
    pub(super) fn verbatim_string(&mut self) -> TokenKind {
        let start = self.position;
        self.position += 2;
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') if self.peek() == Some('"') => {
                    self.position += 1;
                    text.push('"');
                }
                Some('"') => return self.finish_string(start, text),
                Some('\n') => {
                    self.new_line_in_string();
                    text.push('\n');
                }
                Some(c) => text.push(c),
                None => return self.unclosed_string(start, 2, "\""),
            }
        }
    }

    /// Consumes `length` bytes unchanged, and counts lines.
    fn raw(&mut self, length: usize) -> String {
        let end = self.position + length;
        let text = self.text[self.position..end].replace("\r\n", "\n");
        while self.position < end {
            if self.bump() == Some('\n') {
                self.new_line_in_string();
            }
        }
        text
    }

    /// A line break within a token: columns restart, but no token starts the line.
    pub(super) fn new_line_in_string(&mut self) {
        let indentation = self.indentation;
        self.new_line();
        self.indentation = indentation.or(Some(0));
    }

    fn finish_string(&mut self, start: usize, text: String) -> TokenKind {
        if self.peek() != Some('B') {
            return TokenKind::String(text.into());
        }
        self.position += 1;
        if let Some(c) = text.chars().find(|c| u32::from(*c) > 0xff) {
            let error = self.error(codes::BAD_STRING, start, format!("`{c}` does not fit in a byte"));
            self.report(error.note("a byte string can only contain characters up to U+00FF"));
            return TokenKind::Error;
        }
        TokenKind::Bytes(text.chars().map(|c| c as u8).collect())
    }

    pub(super) fn unclosed_string(&mut self, start: usize, opener: usize, closer: &str) -> TokenKind {
        self.position = self.text.len();
        let span = Span::new(self.file, start, start + opener);
        self.report(
            Diagnostic::error(codes::UNCLOSED_STRING, span, "unterminated string")
                .label("opened here")
                .help(format!("close it with `{closer}`")),
        );
        TokenKind::Error
    }

    /// A character literal after its opening quote.
    pub(super) fn character(&mut self, start: usize) -> TokenKind {
        let errors = self.diagnostics.len();
        let mut text = String::new();
        match self.bump() {
            Some('\\') => self.escape(&mut text),
            Some(c) => text.push(c),
            None => {}
        }
        let mut characters = text.chars();
        if let (Some(c), None, Some('\'')) = (characters.next(), characters.next(), self.peek()) {
            self.position += 1;
            if self.peek() == Some('B') {
                self.position += 1;
                let value = u64::from(u32::from(c));
                return TokenKind::Integer { value, suffix: crate::ast::IntegerSuffix::U8, bits: false };
            }
            return TokenKind::Char(c);
        }
        let rest = self.take_while(|c| c != '\'' && !c.is_whitespace() && !matches!(c, ')' | ']' | ',' | ';'));
        let ends = self.peek() == Some('\'');
        if ends {
            self.position += 1;
        }
        if self.diagnostics.len() == errors {
            let what = if ends && !rest.is_empty() { "contains several characters" } else { "is unterminated" };
            let error = self.error(codes::BAD_CHARACTER_LITERAL, start, format!("this character literal {what}"));
            self.report(error.help("a character literal is one character in single quotes: `'a'`"));
        }
        TokenKind::Error
    }

    /// A character literal with no or several characters, up to its closing quote, which is next.
    pub(super) fn long_character(&mut self, start: usize, text: &str) -> TokenKind {
        self.position += 1;
        let error = match text {
            "" => self.error(codes::BAD_CHARACTER_LITERAL, start, "this character literal is empty"),
            _ => self.error(codes::BAD_CHARACTER_LITERAL, start, "this character literal contains several characters"),
        };
        let span = self.span_from(start);
        self.report(error.fix("use double quotes for a string", span, format!("\"{text}\"")));
        TokenKind::Error
    }

    /// Decodes an escape after its backslash.
    pub(super) fn escape(&mut self, into: &mut String) {
        let start = self.position - 1;
        let Some(c) = self.bump() else { return };
        let simple = match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'a' => '\u{7}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '"' | '\'' => c,
            'x' => return self.coded(start, 2, 16, into),
            'u' => return self.coded(start, 4, 16, into),
            'U' => return self.coded(start, 8, 16, into),
            '0'..='9' if self.is_trigraph() => {
                self.position -= 1;
                return self.coded(start, 3, 10, into);
            }
            '0' => '\0',
            '\n' => {
                self.new_line_in_string();
                self.take_while(|c| c == ' ');
                return;
            }
            '\r' if self.peek() == Some('\n') => {
                self.position += 1;
                self.new_line_in_string();
                self.take_while(|c| c == ' ');
                return;
            }
            _ => {
                let error = self.error(codes::BAD_STRING, start, format!("unknown escape `\\{c}`"));
                let span = Span::new(self.file, start, start + 1);
                self.report(error.note(ESCAPES).fix("double the backslash", span, "\\\\"));
                into.push(c);
                return;
            }
        };
        into.push(simple);
    }

    fn is_trigraph(&self) -> bool {
        self.rest().len() >= 2 && self.rest().as_bytes()[..2].iter().all(u8::is_ascii_digit)
    }

    /// Decodes a character code of exactly `digits` digits.
    fn coded(&mut self, start: usize, digits: usize, radix: u32, into: &mut String) {
        let rest = self.rest();
        let length = rest.chars().take(digits).take_while(|c| c.is_digit(radix)).count();
        self.position += length;
        let value = u32::from_str_radix(&rest[..length], radix).ok();
        match value.and_then(char::from_u32) {
            Some(c) if length == digits => into.push(c),
            Some(_) | None => {
                let error = self.error(codes::BAD_STRING, start, "this escape is not a valid character");
                self.report(error.note(ESCAPES));
            }
        }
    }
}
