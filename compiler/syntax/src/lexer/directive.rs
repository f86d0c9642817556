//! Directives: `#if`, `#else`, `#endif`, and those that Clef ignores: `#light`, `#nowarn`, `#warnon`.
//!
//! In: a `#` at the start of a line. Out: no token. Source text that a condition excludes is skipped without lexing,
//! except for nested conditions. All other directives become tokens, which the parser reports.

use super::Lexer;
use clef_base::{Span, codes};

/// The maximum nesting of parentheses in a condition.
const MAX_NESTED: usize = 100;

impl<'t> Lexer<'t> {
    /// Consumes a directive that produces no token; false, without consuming anything, for all others.
    pub(super) fn conditional(&mut self) -> bool {
        let start = self.position;
        let line = self.rest().lines().next().unwrap_or_default();
        let (word, argument) = directive(line).unwrap_or_default();
        let known = matches!(word, "if" | "else" | "endif" | "nowarn" | "warnon")
            || word == "light" && without_comment(argument).trim().is_empty();
        if !known {
            return false;
        }
        self.position += line.len();
        let span = self.span_from(start);
        match word {
            "if" => {
                self.conditions.push((span, false));
                if !self.condition(argument, span) {
                    self.skip_branch();
                }
            }
            "else" => match self.conditions.last_mut() {
                Some((_, has_else)) if !*has_else => {
                    *has_else = true;
                    self.skip_branch();
                }
                Some(_) => self.report_directive(span, "duplicate `#else`", "remove it"),
                None => self.report_directive(span, "no matching `#if`", "remove it"),
            },
            "endif" if self.conditions.pop().is_none() => {
                self.report_directive(span, "no matching `#if`", "remove it");
            }
            _ => {}
        }
        true
    }

    /// Skips to the line after the `#else` or `#endif` of the innermost condition.
    fn skip_branch(&mut self) {
        let mut depth = 0u32;
        while let Some(end) = self.rest().find('\n') {
            self.position += end + 1;
            self.new_line();
            let start = self.position;
            let line = self.rest().lines().next().unwrap_or_default();
            let Some((word, _)) = directive(line) else { continue };
            let span = Span::new(self.file, start, start + line.len());
            match word {
                "if" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "else" if depth == 0 && self.conditions.last().is_some_and(|(_, has_else)| *has_else) => {
                    self.report_directive(span, "duplicate `#else`", "remove it");
                }
                "else" | "endif" if depth == 0 => {
                    match (word, self.conditions.last_mut()) {
                        ("else", Some((_, has_else))) => *has_else = true,
                        _ => drop(self.conditions.pop()),
                    }
                    self.position += line.len();
                    return;
                }
                _ => {}
            }
        }
        self.position = self.text.len();
    }

    /// Reports the conditions that are still open at the end of the file.
    pub(super) fn report_open_conditions(&mut self) {
        for (span, _) in std::mem::take(&mut self.conditions) {
            self.report_directive(span, "unterminated `#if`", "add `#endif`");
        }
    }

    fn report_directive(&mut self, span: Span, message: &str, help: &str) {
        let error = clef_base::Diagnostic::error(codes::CONDITIONAL, span, message);
        self.report(error.help(help));
    }

    /// Whether a condition holds. An invalid condition is reported and counts as false.
    fn condition(&mut self, text: &'t str, span: Span) -> bool {
        let mut reader = Condition { rest: without_comment(text).trim(), is_defined: self.is_defined, depth: 0 };
        match reader.any().filter(|_| reader.rest.is_empty()) {
            Some(holds) => holds,
            None => {
                let message = "invalid condition";
                self.report_directive(
                    span,
                    message,
                    "a condition consists of names, `!`, `&&`, `||` and parentheses: `#if DEBUG && !HOST_LINUX`",
                );
                false
            }
        }
    }
}

/// The name of a directive, and the rest of its line.
fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

fn without_comment(text: &str) -> &str {
    text.split_once("//").map_or(text, |(before, _)| before)
}

/// The rest of a condition.
struct Condition<'t> {
    rest: &'t str,
    is_defined: &'t dyn Fn(&str) -> bool,
    depth: usize,
}

impl Condition<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest.strip_prefix(sign);
        self.rest = found.map_or(self.rest, str::trim_start);
        found.is_some()
    }

    /// `a || b`.
    fn any(&mut self) -> Option<bool> {
        let mut holds = self.all()?;
        while self.eat("||") {
            holds |= self.all()?;
        }
        Some(holds)
    }

    /// `a && b`.
    fn all(&mut self) -> Option<bool> {
        let mut holds = self.one()?;
        while self.eat("&&") {
            holds &= self.one()?;
        }
        Some(holds)
    }

    /// A name, a negation, or a condition in parentheses.
    fn one(&mut self) -> Option<bool> {
        let mut negated = false;
        while self.eat("!") {
            negated = !negated;
        }
        if self.eat("(") {
            self.depth += 1;
            let holds = (self.depth <= MAX_NESTED).then(|| self.any())??;
            self.depth -= 1;
            return self.eat(")").then_some(holds != negated);
        }
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() || name.starts_with(char::is_numeric) {
            return None;
        }
        self.rest = rest.trim_start();
        let holds = match name {
            "true" => true,
            "false" => false,
            _ => (self.is_defined)(name),
        };
        Some(holds != negated)
    }
}
