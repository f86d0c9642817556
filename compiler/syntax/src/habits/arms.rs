//! Arms of `match` and `function` that lack their `|`.

use super::Habits;
use crate::token::{Keyword, Punctuation, TokenKind};

impl Habits<'_> {
    /// Checks the lines after a `with` or `function` that ends its line.
    pub(super) fn arms(&mut self, index: usize) {
        let first = index + 1;
        let opens = self.is_keyword(index, Keyword::With) || self.is_keyword(index, Keyword::Function);
        let Some(token) = self.tokens.get(first) else { return };
        if !opens || !token.starts_line {
            return;
        }
        let (column, bar, outer) = (token.column, token.is(Punctuation::Bar), self.tokens[index].indentation);
        let mut at = first;
        while at + 1 < self.tokens.len() && (self.tokens[at].column >= column || at == first) {
            let token = &self.tokens[at];
            let aligned = token.column == column || bar && token.column == column + 2;
            // The first arm needs no bar if it is indented.
            let may_lack = at == first && token.column > outer;
            let end = self.line_end(at);
            if aligned && !may_lack && !self.edits.contains_key(&at) && self.is_arm(at, end) {
                let place = token.span.at_start();
                let kind = token.kind.clone();
                self.report(place, "an arm must start with `|`", |error| error.fix("add it", place, "| "));
                self.edits.insert(at, vec![TokenKind::Punctuation(Punctuation::Bar), kind]);
            }
            at = end;
        }
    }

    /// Whether a line is a pattern followed by `->`. A line that starts with a closing bracket is none.
    fn is_arm(&self, start: usize, end: usize) -> bool {
        if matches!(self.tokens[start].kind, TokenKind::Punctuation(sign) if sign.is_closer()) {
            return false;
        }
        for at in self.outside_brackets(start, end) {
            match self.tokens[at].kind {
                TokenKind::Punctuation(Punctuation::Arrow) => return at > start,
                TokenKind::Punctuation(Punctuation::Equal | Punctuation::LeftArrow) => return false,
                TokenKind::Punctuation(Punctuation::Bar) if at == start => return false,
                TokenKind::Keyword(keyword) => match keyword {
                    Keyword::When => {
                        let rest = self.outside_brackets(at, end);
                        return rest.iter().any(|&at| self.tokens[at].is(Punctuation::Arrow));
                    }
                    Keyword::Underscore | Keyword::As | Keyword::True | Keyword::False | Keyword::Null => {}
                    _ => return false,
                },
                TokenKind::Operator(operator) if !matches!(operator.as_str(), "::" | "-") => return false,
                _ => {}
            }
        }
        false
    }
}
