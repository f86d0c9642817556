//! The source text as pieces: each token with its text and the comments before it.
//!
//! In: a text that lexes without errors. Out: its tokens in order; the last is the end of the file. Together with the
//! white space between them, the pieces cover the whole text, except for what `#if` excludes.

use clef_syntax::{
    lexer::block_comment,
    token::{Keyword, Punctuation, Token, TokenKind},
};

/// A token, and what is before it.
pub(crate) struct Piece<'t> {
    pub(crate) kind: TokenKind,
    /// Byte offsets.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) text: &'t str,
    /// The column where it is in the source text.
    pub(crate) column: u32,
    /// Whether it is not directly after the previous token.
    pub(crate) space_before: bool,
    pub(crate) space_after: bool,
    pub(crate) comments: Vec<Comment<'t>>,
    /// Whether a line ends between the previous token and this one.
    pub(crate) starts_line: bool,
    /// Whether the line before it, or before its comments, is blank.
    pub(crate) blank_before: bool,
    /// Whether directives such as `#if` are before it.
    pub(crate) directives: Vec<Directive>,
    /// The index of the piece that closes this bracket, or its own index.
    pub(crate) closer: usize,
    /// The index of the piece that opens this closing bracket, or its own index.
    pub(crate) opener: usize,
}

/// A comment.
pub(crate) struct Comment<'t> {
    pub(crate) text: &'t str,
    pub(crate) column: u32,
    /// Whether it is the first on its line.
    pub(crate) starts_line: bool,
    /// Whether the line ends after it.
    pub(crate) ends_line: bool,
    pub(crate) blank_before: bool,
}

/// A directive, by its effect on the nesting of conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directive {
    If,
    EndIf,
    Other,
}

impl Piece<'_> {
    pub(crate) fn is(&self, punctuation: Punctuation) -> bool {
        self.kind == TokenKind::Punctuation(punctuation)
    }

    pub(crate) fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind == TokenKind::Keyword(keyword)
    }

    /// Whether it must start a line because of the comments before it.
    pub(crate) fn is_forced_down(&self) -> bool {
        self.comments.iter().any(|comment| comment.starts_line || comment.ends_line)
    }

    pub(crate) fn opens(&self) -> bool {
        matches!(self.kind, TokenKind::Punctuation(sign) if sign.closer().is_some()) || self.is_keyword(Keyword::Begin)
    }

    fn closes(&self) -> bool {
        matches!(self.kind, TokenKind::Punctuation(sign) if sign.is_closer()) || self.is_keyword(Keyword::End)
    }
}

/// Divides a text into pieces.
pub(crate) fn divide(text: &str, tokens: Vec<Token>) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::with_capacity(tokens.len());
    let mut after = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    for token in tokens {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        let mut gap = Gap::new(text, after, start);
        gap.read();
        pieces.push(Piece {
            text: &text[start..end],
            start: token.span.start,
            end: token.span.end,
            column: token.column,
            space_before: token.space_before,
            space_after: token.space_after,
            starts_line: gap.lines > 0 || gap.crossed || after == 0,
            blank_before: gap.lines > 1 || gap.comments.first().is_some_and(|comment| comment.blank_before),
            comments: gap.comments,
            directives: gap.directives,
            kind: token.kind,
            closer: 0,
            opener: 0,
        });
        after = end;
    }
    find_closers(&mut pieces);
    pieces
}

fn find_closers(pieces: &mut [Piece<'_>]) {
    let mut open = Vec::new();
    for index in 0..pieces.len() {
        (pieces[index].closer, pieces[index].opener) = (index, index);
        if pieces[index].opens() {
            open.push(index);
        } else if pieces[index].closes()
            && let Some(opener) = open.pop()
        {
            pieces[opener].closer = index;
            pieces[index].opener = opener;
        }
    }
}

/// The text between two tokens.
struct Gap<'t> {
    text: &'t str,
    position: usize,
    end: usize,
    /// Line ends since the last comment.
    lines: usize,
    /// Whether there was a line end before the last comment.
    crossed: bool,
    comments: Vec<Comment<'t>>,
    directives: Vec<Directive>,
}

impl<'t> Gap<'t> {
    fn new(text: &'t str, start: usize, end: usize) -> Gap<'t> {
        Gap { text, position: start, end, lines: 0, crossed: false, comments: Vec::new(), directives: Vec::new() }
    }

    fn read(&mut self) {
        while self.position < self.end {
            let rest = &self.text[self.position..self.end];
            if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.comment(length);
            } else if rest.starts_with("(*") {
                self.comment(block_comment(rest).unwrap_or(rest.len()));
            } else if rest.starts_with('#') {
                let line = rest.lines().next().unwrap_or_default();
                let word = line[1..].trim_start();
                self.directives.push(match () {
                    () if word.starts_with("if") => Directive::If,
                    () if word.starts_with("endif") => Directive::EndIf,
                    () => Directive::Other,
                });
                self.position += line.len();
            } else {
                self.lines += usize::from(rest.starts_with('\n'));
                self.position += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    fn comment(&mut self, length: usize) {
        let start = self.position;
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let rest = self.text[start + length..].lines().next().unwrap_or_default();
        self.comments.push(Comment {
            text: self.text[start..start + length].trim_end(),
            column: self.text[line..start].chars().count() as u32,
            starts_line: self.lines > 0 || self.text[line..start].trim_matches(['\u{feff}', ' ', '\t']).is_empty(),
            ends_line: rest.trim().is_empty(),
            blank_before: self.lines > 1,
        });
        self.crossed |= self.lines > 0;
        self.lines = 0;
        self.position += length;
    }
}
