//! Syntax of other languages: replaced by the Clef syntax with the same meaning, and reported.
//!
//! In: the tokens of a file from the lexer. Out: the tokens, where each construct that can only come from another
//! language is replaced and reported; all other tokens are unchanged. So one habit produces one message, and the code
//! around it is parsed as intended. Only source text with a syntax error, or with a block in braces after a name, comes
//! here, and each habit matches only what no Clef program contains, such as a line that starts with `if` and ends with `{`.

mod access;
mod arms;
mod blocks;
mod c_function;
mod c_loop;
mod conditional;
mod connectives;
mod missing;
mod open;
mod words;

use crate::token::{Keyword, Punctuation, Token, TokenKind};
use clef_base::{Diagnostic, HashMap, Span, codes};

/// The maximum number of diagnostics per file.
const MAX_DIAGNOSTICS: usize = 20;

/// The number of tokens of the longest line that is checked. It bounds the cost, because each token of a line may scan
/// the whole line.
const LONGEST_LINE: usize = 500;

/// Replaces syntax of other languages. `text` is the source text of the tokens.
pub fn translate(text: &str, tokens: Vec<Token>) -> (Vec<Token>, Vec<Diagnostic>) {
    let (line_ends, closers) = (line_ends(&tokens), closers(&tokens));
    let mut habits = Habits { text, tokens, line_ends, closers, edits: HashMap::default(), diagnostics: Vec::new() };
    let mut line_start = 0;
    for index in 0..habits.tokens.len() {
        if habits.tokens[index].starts_line {
            line_start = index;
        }
        if habits.line_end(index) - line_start > LONGEST_LINE {
            continue;
        }
        if habits.diagnostics.len() == MAX_DIAGNOSTICS {
            break;
        }
        for habit in HABITS {
            if !habits.edits.contains_key(&index) {
                habit(&mut habits, index);
            }
        }
    }
    habits.finish()
}

/// For each token, the index after the last token of its line.
fn line_ends(tokens: &[Token]) -> Vec<usize> {
    let mut ends = vec![tokens.len(); tokens.len()];
    for index in (1..tokens.len()).rev() {
        let ends_line = tokens[index].starts_line || tokens[index].kind == TokenKind::EndOfFile;
        ends[index - 1] = if ends_line { index } else { ends[index] };
    }
    ends
}

/// For each closed bracket, its closing token; the kinds of the brackets need not match.
fn closers(tokens: &[Token]) -> HashMap<usize, usize> {
    let mut closers = HashMap::default();
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let TokenKind::Punctuation(sign) = token.kind else { continue };
        if sign.closer().is_some() {
            open.push(index);
        } else if sign.is_closer()
            && let Some(opener) = open.pop()
        {
            closers.insert(opener, index);
        }
    }
    closers
}

/// Each function checks whether its construct starts at a token.
const HABITS: [fn(&mut Habits<'_>, usize); 12] = [
    |habits, index| habits.word(index),
    |habits, index| habits.access_before_let(index),
    |habits, index| habits.unsafe_block(index),
    |habits, index| habits.connective(index),
    |habits, index| habits.c_loop(index),
    |habits, index| habits.c_function(index),
    |habits, index| habits.block(index),
    |habits, index| habits.missing_word(index),
    |habits, index| habits.use_of_module(index),
    |habits, index| habits.optional_parameter(index),
    |habits, index| habits.arms(index),
    |habits, index| habits.conditional(index),
];

/// The state of the pass. Tokens do not change until its end.
struct Habits<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// For each token, the index after the last token of its line.
    line_ends: Vec<usize>,
    /// For each opening bracket, its closing bracket.
    closers: HashMap<usize, usize>,
    /// The replacements of tokens, by index.
    edits: HashMap<usize, Vec<TokenKind>>,
    diagnostics: Vec<Diagnostic>,
}

impl Habits<'_> {
    fn report(&mut self, span: Span, message: impl Into<String>, complete: impl FnOnce(Diagnostic) -> Diagnostic) {
        let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, span, message);
        self.diagnostics.push(complete(error));
    }

    /// Replaces one token by another.
    fn replace(&mut self, index: usize, kind: TokenKind) {
        self.edits.insert(index, vec![kind]);
    }

    /// Adds a token after another one.
    fn add_after(&mut self, index: usize, kind: TokenKind) {
        let own = self.tokens[index].kind.clone();
        self.edits.entry(index).or_insert_with(|| vec![own]).push(kind);
    }

    fn remove(&mut self, index: usize) {
        self.edits.insert(index, Vec::new());
    }

    /// Replaces several tokens by one error token, which is already reported.
    fn drop(&mut self, first: usize, end: usize) {
        for index in first..end {
            self.remove(index);
        }
        self.replace(first, TokenKind::Error);
    }

    /// The index after the last token of the line of a token.
    fn line_end(&self, index: usize) -> usize {
        self.line_ends[index]
    }

    /// The bracket that closes the one at an index; `None` if it is not closed before `end`.
    fn closer(&self, opener: usize, end: usize) -> Option<usize> {
        self.closers.get(&opener).copied().filter(|closer| *closer < end)
    }

    /// The indices of the tokens between two positions outside inner brackets; a bracket is represented by its opener.
    fn outside_brackets(&self, from: usize, end: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut index = from;
        while index < end {
            found.push(index);
            let opens = matches!(self.tokens[index].kind, TokenKind::Punctuation(sign) if sign.closer().is_some());
            index = if opens { self.closer(index, end).unwrap_or(end) } else { index } + 1;
        }
        found
    }

    fn is_name(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| matches!(token.kind, TokenKind::Identifier(_)))
    }

    /// Whether a punctuation token is at an index, on the same line as the token before it.
    fn is_sign(&self, index: usize, sign: Punctuation) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(sign) && !token.starts_line)
    }

    fn is_keyword(&self, index: usize, keyword: Keyword) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is_keyword(keyword))
    }

    fn text(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Applies all edits. If the first token of a line was removed, the next one starts the line in its place.
    fn finish(mut self) -> (Vec<Token>, Vec<Diagnostic>) {
        if self.edits.is_empty() {
            return (self.tokens, self.diagnostics);
        }
        let mut tokens = Vec::with_capacity(self.tokens.len());
        let mut removed_at: Option<u32> = None;
        for (index, mut token) in self.tokens.into_iter().enumerate() {
            if let Some(column) = removed_at.take().filter(|_| !token.starts_line) {
                (token.starts_line, token.column) = (true, column);
            }
            let Some(kinds) = self.edits.remove(&index) else {
                tokens.push(token);
                continue;
            };
            removed_at = (kinds.is_empty() && token.starts_line).then_some(token.column);
            for (place, kind) in kinds.into_iter().enumerate() {
                let starts_line = token.starts_line && place == 0;
                tokens.push(Token { kind, starts_line, ..token.clone() });
            }
        }
        (tokens, self.diagnostics)
    }
}
