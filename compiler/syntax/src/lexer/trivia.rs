//! White space and comments. They affect only columns, `space_before` and documentation.

use super::Lexer;
use clef_base::codes;

/// The tab width used for columns after a tab is reported.
const TAB: u32 = 4;

impl Lexer<'_> {
    /// Skips to the next token.
    pub(super) fn trivia(&mut self) {
        loop {
            match self.peek() {
                Some('\n') => {
                    self.position += 1;
                    self.new_line();
                }
                Some(' ') => {
                    self.take_while(|c| c == ' ');
                }
                Some('\t') => self.tabs(),
                Some(c) if c.is_whitespace() => {
                    self.bump();
                }
                Some('/') if self.starts_with("//") => self.line_comment(),
                Some('/') if self.starts_with("/*") && self.comment_of_c() => {}
                Some('(') if self.starts_with("(*") && !self.starts_with("(*)") => self.block_comment(),
                Some(_) | None => return,
            }
            self.space = true;
        }
    }

    fn tabs(&mut self) {
        let start = self.position;
        let column = self.column(start);
        let count = self.take_while(|c| c == '\t').len() as u32;
        let reached = (column / TAB + count) * TAB;
        self.counted.column = reached;
        self.counted.position = self.position;
        let spaces = " ".repeat((reached - column) as usize);
        let error = self.error(codes::TAB, start, "tabs are not allowed");
        let span = self.span_from(start);
        self.report(error.note("indentation is significant, and a tab has no fixed width").fix(
            "use spaces",
            span,
            spaces,
        ));
    }

    fn line_comment(&mut self) {
        let rest = self.rest();
        let text = &rest[..rest.find('\n').unwrap_or(rest.len())];
        self.position += text.len();
        if let Some(documentation) = text.strip_prefix("///").filter(|rest| !rest.starts_with('/')) {
            if !self.documentation.is_empty() {
                self.documentation.push('\n');
            }
            let line = documentation.strip_prefix(' ').unwrap_or(documentation);
            self.documentation.push_str(line.trim_end());
        }
    }

    /// Consumes and reports `/* … */`, unless the file defines an operator `/*`.
    fn comment_of_c(&mut self) -> bool {
        let Some(inner) = self.rest()[2..].split_once("*/").map(|(inner, _)| inner) else { return false };
        if self.text.contains("(/*)") {
            return false;
        }
        let (start, length) = (self.position, inner.len() + 2);
        if let Some(last) = self.rest()[..length].rfind('\n') {
            self.position += last + 1;
            self.new_line();
        }
        self.position = start + length + 2;
        let error = self.error(codes::UNEXPECTED_TOKEN, start, "comments are written `(* … *)`");
        let span = self.span_from(start);
        self.report(match inner.contains("(*") || inner.contains("*)") {
            true => error.help("write `(*` and `*)`, or `//` before each line"),
            false => error.fix("write `(*` and `*)`", span, format!("(*{inner}*)")),
        });
        true
    }

    fn block_comment(&mut self) {
        let start = self.position;
        let (length, open) = match block_comment(self.rest()) {
            Ok(length) => (length, 0),
            Err(open) => (self.rest().len(), open),
        };
        if let Some(last) = self.rest()[..length].rfind('\n') {
            self.position += last + 1;
            self.new_line();
        }
        self.position = start + length;
        if open > 0 {
            self.unclosed_comment(start, open);
        }
    }

    fn unclosed_comment(&mut self, start: usize, depth: u32) {
        let opener = clef_base::Span::new(self.file, start, start + 2);
        let missing = "*)".repeat(depth.min(3) as usize);
        self.report(
            clef_base::Diagnostic::error(codes::UNCLOSED_COMMENT, opener, "unterminated comment")
                .label("opened here")
                .help(format!("close it with `{missing}`; comments nest")),
        );
    }
}

/// Returns the length in bytes of the block comment at the start of a text. Block comments nest.
///
/// # Errors
/// The number of comments that are open at the end of the text.
pub fn block_comment(text: &str) -> Result<usize, u32> {
    let mut position = 0;
    let mut depth: u32 = 0;
    loop {
        let rest = &text[position..];
        if rest.starts_with("(*") && !rest.starts_with("(*)") {
            position += 2;
            depth += 1;
        } else if rest.starts_with("*)") {
            position += 2;
            depth -= 1;
            if depth == 0 {
                return Ok(position);
            }
        } else if rest.starts_with("'\"'") {
            position += 3;
        } else if let Some(string) = rest.strip_prefix('"') {
            position += 1 + string_in_comment(string);
        } else {
            position += rest.chars().next().ok_or(depth)?.len_utf8();
        }
    }
}

/// The length of the rest of a string in a comment, where `*)` is ignored. A lone quote on a line is no string.
fn string_in_comment(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest.find(|c| {
        let ends = c == '\n' || c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.filter(|&length| rest[length..].starts_with('"')).map_or(0, |length| length + 1)
}
