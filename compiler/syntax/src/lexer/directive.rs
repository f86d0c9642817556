//! Directives: `#if`, `#elif`, `#else`, `#endif`, and those that Clef ignores: `#light`, `#nowarn`, `#warnon`.
//!
//! In: a `#` at the start of a line. Out: no token. Source text that a condition excludes is skipped without lexing,
//! except for nested conditions. All other directives become tokens, which the parser reports.

use super::Lexer;
use clef_base::{Span, codes};

/// An `#if` without its `#endif` yet.
pub(super) struct OpenCondition {
    span: Span,
    /// Whether one of its branches was lexed, so that all others are skipped.
    taken: bool,
    has_else: bool,
}

/// The maximum nesting of parentheses in a condition.
const MAX_NESTED: usize = 100;

impl<'t> Lexer<'t> {
    /// Consumes a directive that produces no token; false, without consuming anything, for all others.
    pub(super) fn conditional(&mut self) -> bool {
        let start = self.position;
        let line = self.rest().lines().next().unwrap_or_default();
        let (word, argument) = directive(line).unwrap_or_default();
        let known = matches!(word, "if" | "ifdef" | "ifndef" | "elif" | "elseif" | "elsif" | "else" | "endif")
            || matches!(word, "nowarn" | "warnon")
            || word == "light" && without_comment(argument).trim().is_empty();
        if !known {
            return false;
        }
        self.position += line.len();
        let span = self.span_from(start);
        let word = self.own_spelling(line, span);
        match word {
            "ifdef" | "ifndef" => {
                let taken = (self.is_defined)(without_comment(argument).trim()) == (word == "ifdef");
                self.conditions.push(OpenCondition { span, taken, has_else: false });
                if !taken {
                    self.skip_branch();
                }
            }
            "if" => {
                let taken = self.condition(argument, span);
                self.conditions.push(OpenCondition { span, taken, has_else: false });
                if !taken {
                    self.skip_branch();
                }
            }
            "elif" | "else" if self.next_branch(word, span) => self.skip_branch(),
            "endif" if self.conditions.pop().is_none() => {
                self.report_directive(span, "no matching `#if`", "remove it");
            }
            _ => {}
        }
        true
    }

    /// The name of a directive as Clef spells it, with a report if the source spells it in another way. `ifdef` and `ifndef`
    /// keep their names.
    fn own_spelling(&mut self, line: &'t str, span: Span) -> &'t str {
        let (word, argument) = directive(line).unwrap_or_default();
        let condition = argument.trim_start();
        let end = line.len() - condition.len();
        let (own, instead) = match word {
            "ifdef" => (word, "#if "),
            "ifndef" => (word, "#if !"),
            "elseif" | "elsif" => ("elif", "#elif "),
            "else" => match condition.strip_prefix("if") {
                Some(rest) if rest.starts_with([' ', '!', '(']) => {
                    let end = line.len() - rest.trim_start().len();
                    self.report_spelling("else if", "#elif ", Span { end: span.start + end as u32, ..span });
                    return "elif";
                }
                Some(_) | None => return word,
            },
            _ => return word,
        };
        self.report_spelling(word, instead, Span { end: span.start + end as u32, ..span });
        own
    }

    /// Reports the start of a directive that other languages spell so.
    fn report_spelling(&mut self, word: &str, instead: &str, span: Span) {
        let error = clef_base::Diagnostic::error(codes::CONDITIONAL, span, format!("Clef has no `#{word}`"));
        self.report(error.fix(format!("write `{}`", instead.trim_end()), span, instead));
    }

    /// Records the `#elif` or `#else` of the innermost condition; false, with a report, if none is allowed there.
    fn next_branch(&mut self, word: &str, span: Span) -> bool {
        let Some(condition) = self.conditions.last_mut() else {
            self.report_directive(span, "no matching `#if`", "remove it");
            return false;
        };
        if condition.has_else {
            let (message, help) = match word {
                "else" => ("duplicate `#else`", "remove it"),
                _ => ("`#elif` after `#else`", "put it before the `#else`"),
            };
            self.report_directive(span, message, help);
            return false;
        }
        condition.has_else = word == "else";
        true
    }

    /// Skips to the line after the `#elif` or `#else` whose branch is taken, or after the `#endif`, of the innermost
    /// condition.
    fn skip_branch(&mut self) {
        let mut depth = 0u32;
        while let Some(end) = self.rest().find('\n') {
            self.position += end + 1;
            self.new_line();
            let start = self.position;
            let line = self.rest().lines().next().unwrap_or_default();
            let Some((word, _)) = directive(line) else { continue };
            let span = Span::new(self.file, start, start + line.len());
            let is_end = match word {
                "if" | "ifdef" | "ifndef" => {
                    depth += 1;
                    false
                }
                "endif" if depth > 0 => {
                    depth -= 1;
                    false
                }
                "endif" => self.conditions.pop().is_some(),
                "elif" | "elseif" | "elsif" | "else" if depth == 0 => {
                    let word = self.own_spelling(line, span);
                    self.next_branch(word, span) && self.takes(word, line, span)
                }
                _ => false,
            };
            if is_end {
                self.position += line.len();
                return;
            }
        }
        self.position = self.text.len();
    }

    /// Whether a branch of the innermost condition is the first one that holds; it is taken then.
    fn takes(&mut self, word: &str, line: &'t str, span: Span) -> bool {
        if self.conditions.last().is_none_or(|condition| condition.taken) {
            return false;
        }
        let holds = word == "else" || self.condition(condition_of(line), span);
        if let Some(condition) = self.conditions.last_mut() {
            condition.taken = holds;
        }
        holds
    }

    /// Reports the conditions that are still open at the end of the file.
    pub(super) fn report_open_conditions(&mut self) {
        for OpenCondition { span, .. } in std::mem::take(&mut self.conditions) {
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

/// What follows the name of a directive; also after `#else if`.
fn condition_of(line: &str) -> &str {
    let (word, argument) = directive(line).unwrap_or_default();
    let argument = argument.trim_start();
    if word == "else" { argument.strip_prefix("if").unwrap_or(argument) } else { argument }
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
