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
                Some('\t') => self.tabs(),
                Some(c) if c.is_whitespace() => {
                    self.bump();
                }
                Some('/') if self.starts_with("//") => self.line_comment(),
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
        let text = self.take_while(|c| c != '\n');
        if let Some(documentation) = text.strip_prefix("///").filter(|rest| !rest.starts_with('/')) {
            if !self.documentation.is_empty() {
                self.documentation.push('\n');
            }
            let line = documentation.strip_prefix(' ').unwrap_or(documentation);
            self.documentation.push_str(line.trim_end());
        }
    }

    /// Skips a block comment; these nest.
    fn block_comment(&mut self) {
        let start = self.position;
        let mut depth = 0u32;
        loop {
            if self.starts_with("(*") && !self.starts_with("(*)") {
                self.position += 2;
                depth += 1;
            } else if self.starts_with("*)") {
                self.position += 2;
                depth -= 1;
                if depth == 0 {
                    return;
                }
            } else if self.starts_with("'\"'") {
                self.position += 3;
            } else {
                match self.bump() {
                    Some('"') => self.string_in_comment(),
                    Some('\n') => self.new_line(),
                    Some(_) => {}
                    None => return self.unclosed_comment(start, depth),
                }
            }
        }
    }

    /// Skips the rest of a string in a comment, where `*)` is ignored. A lone quote on a line is no string.
    fn string_in_comment(&mut self) {
        let mut escaped = false;
        let end = self.rest().find(|c| {
            let ends = c == '\n' || c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        if let Some(length) = end.filter(|&length| self.rest()[length..].starts_with('"')) {
            self.position += length + 1;
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
