//! `int add(int a, int b) {`, `void main() {`.

use super::Habits;
use crate::token::{Keyword, Punctuation, TokenKind};
use clef_base::{Span, Symbol};

/// Types of C, and those of Clef.
const TYPES: &[(&str, &str)] = &[
    ("void", "unit"),
    ("bool", "bool"),
    ("char", "byte"),
    ("short", "int16"),
    ("int", "int"),
    ("long", "int64"),
    ("unsigned", "uint"),
    ("float", "float32"),
    ("double", "float"),
    ("int8_t", "int8"),
    ("int16_t", "int16"),
    ("int32_t", "int32"),
    ("int64_t", "int64"),
    ("uint8_t", "uint8"),
    ("uint16_t", "uint16"),
    ("uint32_t", "uint32"),
    ("uint64_t", "uint64"),
    ("size_t", "unativeint"),
];

/// A parameter: the token of its name, and its type in Clef.
struct Parameter {
    name: usize,
    ty: &'static str,
}

impl Habits<'_> {
    pub(super) fn c_function(&mut self, index: usize) {
        let (name, parameters) = (index + 1, index + 2);
        let Some(result) = self.c_type(index).filter(|_| self.tokens[index].starts_line) else { return };
        if !self.is_name(name) || !self.is_sign(parameters, Punctuation::LeftParen) {
            return;
        }
        let Some(last) = self.closer(parameters, self.line_end(index)) else { return };
        let brace = last + 1;
        let Some(closer) = self.closer(brace, self.tokens.len()).filter(|_| self.opens_block(brace)) else { return };
        let taken = self.c_parameters(parameters + 1, last);
        let own_line = self.tokens[brace].starts_line;
        let whole = self.tokens[index].span.to(self.tokens[if own_line { last } else { brace }].span);
        let removed = own_line.then_some(brace).into_iter().chain([closer]);
        let removed: Vec<Span> = removed.map(|brace| self.with_space(brace)).collect();
        let text = self.text(self.tokens[name].span).to_owned();
        let written = taken.as_ref().map(|taken| self.c_parameters_text(taken));
        self.report(self.tokens[index].span, "functions are defined with `let`", |error| {
            let error = error.note("a function is written `let name parameter = body`, with an indented body");
            let Some(written) = written else { return error.help(format!("write `let {text} … : {result} =`")) };
            let error =
                error.fix("use `let`, and indent the body", whole, format!("let {text} {written} : {result} ="));
            removed.into_iter().fold(error, |error, brace| error.fix("remove this brace", brace, ""))
        });
        match taken {
            Some(taken) => {
                self.replace_c_head((index, last), result, &taken);
                self.open_binding(brace, Some(closer));
            }
            None => self.drop(index, closer + 1),
        }
    }

    /// Replaces the tokens of a head by those of `let name (parameter: type) : type`.
    fn replace_c_head(&mut self, (index, last): (usize, usize), result: &str, taken: &[Parameter]) {
        let named = |name: &str| TokenKind::Identifier(Symbol::new(name));
        let sign = TokenKind::Punctuation;
        self.replace(index, TokenKind::Keyword(Keyword::Let));
        let parameters = index + 2;
        for at in parameters + 1..last {
            self.remove(at);
        }
        let mut head = Vec::new();
        for &Parameter { name, ty } in taken {
            let TokenKind::Identifier(name) = self.tokens[name].kind else { continue };
            let colon = [sign(Punctuation::LeftParen), TokenKind::Identifier(name), sign(Punctuation::Colon)];
            head.extend(colon.into_iter().chain([named(ty), sign(Punctuation::RightParen)]));
        }
        if head.is_empty() {
            head.extend([sign(Punctuation::LeftParen), sign(Punctuation::RightParen)]);
        }
        self.edits.insert(parameters, head);
        self.edits.insert(last, vec![sign(Punctuation::Colon), named(result)]);
    }

    /// The type of Clef for a word of C.
    fn c_type(&self, index: usize) -> Option<&'static str> {
        let word = match self.tokens.get(index)?.kind {
            TokenKind::Identifier(name) => name.as_str(),
            TokenKind::Keyword(keyword) => keyword.text(),
            _ => return None,
        };
        TYPES.iter().find(|(known, _)| *known == word).map(|(_, own)| *own)
    }

    /// The parameters, if each is a type of C and a name.
    fn c_parameters(&self, first: usize, end: usize) -> Option<Vec<Parameter>> {
        if first + 1 == end && self.c_type(first) == Some("unit") {
            return Some(Vec::new());
        }
        let mut found = Vec::new();
        let mut at = first;
        while at < end {
            let (ty, name) = (self.c_type(at)?, at + 1);
            let separated = at + 2 == end || self.is_sign(at + 2, Punctuation::Comma);
            if !self.is_name(name) || !separated {
                return None;
            }
            found.push(Parameter { name, ty });
            at += 3;
        }
        Some(found)
    }

    /// Parameters in Clef's syntax.
    fn c_parameters_text(&self, parameters: &[Parameter]) -> String {
        if parameters.is_empty() {
            return "()".to_owned();
        }
        let written = parameters.iter().map(|Parameter { name, ty }| {
            let name = self.text(self.tokens[*name].span);
            format!("({name}: {ty})")
        });
        written.collect::<Vec<_>>().join(" ")
    }
}
