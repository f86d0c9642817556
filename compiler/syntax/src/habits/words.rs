//! Words at the start of a line: `elsif`, `fn main()`, `loop {`, `var x = 1`, `foreach x in xs`, `switch x with`, `enum X {`.

use super::Habits;
use crate::token::{Keyword, Punctuation, TokenKind};
use clef_base::Span;

/// Keywords that declare a function in other languages.
const FUNCTION_WORDS: &[&str] = &["fn", "def", "func", "fun", "function"];

/// Keywords that declare a value in other languages.
const VALUE_WORDS: &[&str] = &["var", "const", "val", "auto"];

/// Keywords that declare a type in other languages, and how Clef declares it.
const TYPE_WORDS: &[(&str, &str)] = &[
    ("enum", "type Name = A | B"),
    ("struct", "type Name = { Field: int }"),
    ("record", "type Name = { Field: int }"),
    ("class", "type Name = { Field: int }"),
    ("interface", "type Name = { Function: int -> int }"),
    ("trait", "type Name = { Function: int -> int }"),
];

impl Habits<'_> {
    pub(super) fn word(&mut self, index: usize) {
        let token = &self.tokens[index];
        if !token.starts_line {
            return;
        }
        let word = match token.kind {
            TokenKind::Identifier(name) => name.as_str(),
            TokenKind::Keyword(keyword) => keyword.text(),
            _ => return,
        };
        if FUNCTION_WORDS.contains(&word) {
            self.function_word(index, word);
        } else if VALUE_WORDS.contains(&word) {
            self.value_word(index, word);
        } else if matches!(word, "elsif" | "elseif" | "elsIf" | "elseIf") {
            self.other_word(index, word, Keyword::Then, Keyword::Elif);
        } else if word == "foreach" {
            self.other_word(index, word, Keyword::In, Keyword::For);
        } else if word == "loop" {
            self.loop_word(index);
        } else if matches!(word, "switch" | "case" | "select") {
            if word != "switch" || !self.switch_block(index) {
                self.other_word(index, word, Keyword::With, Keyword::Match);
            }
        } else if let Some((word, instead)) = TYPE_WORDS.iter().find(|(known, _)| *known == word) {
            self.type_word(index, word, instead);
        }
    }

    /// `loop {`.
    fn loop_word(&mut self, index: usize) {
        let brace = index + 1;
        let mut same = self.tokens.iter().enumerate().filter(|(_, token)| token.kind == self.tokens[index].kind);
        let is_name = same.any(|(at, _)| !self.tokens[at + 1].is(Punctuation::LeftBrace));
        if !self.opens_block(brace) || is_name {
            return;
        }
        let Some(closer) = self.closer(brace, self.tokens.len()) else { return };
        let (whole, last) = (self.tokens[index].span.to(self.tokens[brace].span), self.with_space(closer));
        self.report(self.tokens[index].span, "an endless loop is written `while true do`", |error| {
            error.fix("write `while true do`", whole, "while true do").fix("remove this brace", last, "")
        });
        self.edits.insert(index, vec![TokenKind::Keyword(Keyword::While), TokenKind::Keyword(Keyword::True)]);
        self.replace(brace, TokenKind::Keyword(Keyword::Do));
        self.remove(closer);
    }

    /// `switch x {`, whose arms are those of another language. Whether it is one.
    fn switch_block(&mut self, index: usize) -> bool {
        let line = self.outside_brackets(index + 1, self.line_end(index));
        let brace = line.iter().copied().find(|&at| at > index + 1 && self.tokens[at].is(Punctuation::LeftBrace));
        let brace = brace.or(Some(self.line_end(index))).filter(|&brace| self.opens_block(brace));
        let closer = brace.and_then(|brace| Some((brace, self.closer(brace, self.tokens.len())?)));
        let Some((brace, closer)) = closer.filter(|&(brace, _)| brace > index + 1) else { return false };
        let (first, last) = (self.tokens[index + 1].span, self.tokens[brace - 1].span);
        let head = self.tokens[index].span.to(self.tokens[brace].span);
        let scrutinee = self.text(first.to(last)).to_owned();
        let last = self.with_space(closer);
        self.report(self.tokens[index].span, "unknown keyword `switch`", |error| {
            error
                .note("each arm is written `| pattern -> value`; the last one may be `| _ -> value`")
                .fix("write `match`", head, format!("match {scrutinee} with"))
                .fix("remove this brace", last, "")
        });
        self.drop(index, closer + 1);
        true
    }

    /// `enum Name {`.
    fn type_word(&mut self, index: usize, word: &str, instead: &str) {
        let brace = index + 2;
        if self.is_name(index + 1)
            && self.is_sign(brace, Punctuation::LeftBrace)
            && self.is_dropped(index, self.line_end(index))
            && !self.is_bound_elsewhere(index)
        {
            self.report(self.tokens[index].span, format!("types are declared with `type`, not `{word}`"), |error| {
                error.help(format!("write `{instead}`"))
            });
            self.drop(index, self.closer(brace, self.tokens.len()).map_or(brace + 1, |closer| closer + 1));
        }
    }

    /// A word that is replaced by a keyword, in a line that contains another keyword which no earlier token requires.
    fn other_word(&mut self, index: usize, word: &str, followed_by: Keyword, instead: Keyword) {
        let line = self.outside_brackets(index + 1, self.line_end(index));
        let asks = |&&at: &&usize| {
            let TokenKind::Keyword(keyword) = self.tokens[at].kind else { return false };
            let others = [Keyword::If, Keyword::Let, Keyword::For, Keyword::Match, Keyword::Try];
            keyword == followed_by || others.contains(&keyword)
        };
        if line.iter().find(asks).is_some_and(|&at| self.is_keyword(at, followed_by)) {
            let span = self.tokens[index].span;
            self.report(span, format!("unknown keyword `{word}`"), |error| {
                error.fix(format!("write `{instead}`"), span, instead.text())
            });
            self.replace(index, TokenKind::Keyword(instead));
        }
    }

    /// `fn name(…) {`, `def name(…):`, `func name(…) =`, `fn name(…) -> type {`: one message for the whole head.
    fn function_word(&mut self, index: usize, word: &str) {
        let end = self.line_end(index);
        if !self.is_name(index + 1) || index + 2 >= end || self.is_bound_elsewhere(index) {
            return;
        }
        let line = self.outside_brackets(index + 2, end);
        let result = self.result_arrow(index, end);
        let is_arrow = |&at: &usize| self.tokens[at].is(Punctuation::Arrow) && Some(at) != result;
        let equal = line.iter().copied().find(|&at| self.tokens[at].is(Punctuation::Equal));
        let block = self.binding_block(index);
        let opens_block = block.is_some() || self.is_sign(end - 1, Punctuation::Colon);
        let binds = equal.is_some() && !line.iter().any(is_arrow) && self.is_dropped(index, end);
        if !(opens_block || binds || result.is_some()) {
            return;
        }
        let colon = (result.is_some() && self.is_sign(end - 1, Punctuation::Colon)).then_some(end - 1);
        let block = block.or(equal.or(colon).map(|sign| (sign, None)));
        self.report_function_word(index, word, result, block.map_or((end, None), |block| block));
        self.replace(index, TokenKind::Keyword(Keyword::Let));
        if let Some(arrow) = result {
            self.replace(arrow, TokenKind::Punctuation(Punctuation::Colon));
        }
        match block {
            Some((sign, closer)) => self.open_binding(sign, closer),
            None => {
                let last = self.tokens[end - 1].kind.clone();
                self.edits.insert(end - 1, vec![last, TokenKind::Punctuation(Punctuation::Equal)]);
            }
        }
    }

    /// The arrow before the result type in `fn name(…) -> type`. After `fun` and `function` it is Clef's own arrow.
    fn result_arrow(&self, index: usize, end: usize) -> Option<usize> {
        let parameters = index + 2;
        if !self.is_name(index) || !self.is_sign(parameters, Punctuation::LeftParen) {
            return None;
        }
        let arrow = self.closer(parameters, end)? + 1;
        (arrow + 1 < end && self.is_sign(arrow, Punctuation::Arrow)).then_some(arrow)
    }

    /// Reports a function head that ends before the token at `body`, whose block a brace may close.
    fn report_function_word(
        &mut self,
        index: usize,
        word: &str,
        result: Option<usize>,
        (body, closer): (usize, Option<usize>),
    ) {
        let text = |first: usize, end: usize| {
            let (first, last) = (self.tokens[first].span, self.tokens[end - 1].span);
            self.text(first.to(last)).to_owned()
        };
        let head = match result {
            Some(arrow) => format!("{} : {}", text(index + 1, arrow), text(arrow + 1, body)),
            None => text(index + 1, body),
        };
        let span = self.tokens[index].span;
        let ends = body.min(self.line_end(index) - 1);
        let whole = span.to(self.tokens[ends].span);
        let own_line = self.tokens[body].starts_line && self.tokens[body].is(Punctuation::LeftBrace);
        let braces = own_line.then_some(body).into_iter().chain(closer);
        let braces: Vec<Span> = braces.map(|brace| self.with_space(brace)).collect();
        self.report(span, format!("functions are defined with `let`, not `{word}`"), |error| {
            let error = error
                .fix("use `let`, and indent the body", whole, format!("let {head} ="))
                .note("a function is written `let name parameter = body`");
            braces.into_iter().fold(error, |error, brace| error.fix("remove this brace", brace, ""))
        });
    }

    /// `var name = …`, `const name = …`, `int name = …`.
    fn value_word(&mut self, index: usize, word: &str) {
        let after = index + 2;
        let binds = self.is_name(index + 1)
            && !self.tokens[index + 1].starts_line
            && self.is_sign(after, Punctuation::Equal)
            && self.is_dropped(index, self.line_end(index))
            && !self.is_bound_elsewhere(index);
        if binds {
            let span = self.tokens[index].span;
            let mutable = word == "var";
            let instead = if mutable { "let mutable" } else { "let" };
            let message = match mutable {
                true => "variables are declared with `let mutable`, not `var`".into(),
                false => format!("values are defined with `let`, not `{word}`"),
            };
            self.report(span, message, |error| error.fix(format!("write `{instead}`"), span, instead));
            let mut words = vec![TokenKind::Keyword(Keyword::Let)];
            words.extend(mutable.then_some(TokenKind::Keyword(Keyword::Mutable)));
            self.edits.insert(index, words);
        }
    }

    /// Whether a comparison in this line would be unused, because its block continues on the next line.
    fn is_dropped(&self, index: usize, end: usize) -> bool {
        let column = self.tokens[index].column;
        column == 0 || self.tokens.get(end).is_some_and(|next| next.column >= column)
    }

    /// Whether the word is a name of the program: it appears in the file other than directly before a name.
    fn is_bound_elsewhere(&self, index: usize) -> bool {
        let TokenKind::Identifier(word) = self.tokens[index].kind else { return false };
        let mut others = self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Identifier(word));
        others.any(|(at, token)| !token.starts_line || !self.is_name(at + 1))
    }
}
