//! Where lines end, and how they are indented.
//!
//! In: the pieces of a file, the spaces between them and the tree. Out: the formatted text.
//!
//! - A construct on one line of the source text stays on one line if it fits; otherwise it is broken.
//! - A construct that the source text breaks at a place of its own stays broken, and then at all its places.
//! - Every piece is written once and in order: what no rule knows is written as the source text has it.

mod binding;
mod brackets;
mod chain;
mod control;
mod declaration;
mod enclosing;
mod expr;
mod types;

use crate::pieces::{Directive, Piece};
use clef_base::Span;
use clef_syntax::{
    ast::Ast,
    token::{Keyword, Punctuation, TokenKind},
};
use enclosing::Enclosing;
use std::ops::Range;

/// The maximum number of columns of a line.
const WIDTH: usize = 120;
/// The number of columns by which a block is indented.
const STEP: usize = 4;

/// The text written so far, and the next piece.
pub(crate) struct Layout<'a> {
    ast: &'a Ast,
    source: &'a str,
    pieces: &'a [Piece<'a>],
    spaces: &'a [bool],
    position: usize,
    out: String,
    column: usize,
    /// The number of lines begun so far.
    line: usize,
    /// The indentation of the current line.
    indentation: usize,
    /// The column of the next piece, if it starts a line.
    pending: Option<usize>,
    /// Whether all that is before the next piece is written.
    gap_is_written: bool,
    moved: Vec<Moved>,
    /// The open brackets, from the outermost.
    enclosing: Vec<Enclosing>,
    /// The lines of the source text to format, from one, or all.
    lines: Option<Range<usize>>,
}

/// A written piece that starts a line of the source text.
struct Moved {
    /// Its column in the source text.
    source: u32,
    /// The indentation of its line of the output.
    indentation: usize,
    /// Whether it starts that line.
    starts_line: bool,
}

/// Writes the formatted text.
pub(crate) fn lay_out<'a>(
    ast: &'a Ast,
    source: &'a str,
    pieces: &'a [Piece<'a>],
    spaces: &'a [bool],
    lines: Option<Range<usize>>,
) -> String {
    let mut layout = Layout {
        ast,
        source,
        pieces,
        spaces,
        position: 0,
        out: String::with_capacity(source.len()),
        column: 0,
        line: 0,
        indentation: 0,
        pending: None,
        gap_is_written: false,
        moved: Vec::new(),
        enclosing: Vec::new(),
        lines,
    };
    layout.file();
    layout.out
}

impl Layout<'_> {
    fn next(&self) -> &Piece<'_> {
        &self.pieces[self.position.min(self.pieces.len() - 1)]
    }

    fn at(&self, punctuation: Punctuation) -> bool {
        self.next().is(punctuation)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.next().is_keyword(keyword)
    }

    /// Whether the next piece starts a line in the source text.
    fn is_broken(&self) -> bool {
        self.next().starts_line
    }

    /// The column of the next piece.
    fn start(&self) -> usize {
        let space = usize::from(self.spaces.get(self.position).copied().unwrap_or_default());
        self.pending.unwrap_or(self.column + space)
    }

    /// The index of the first piece at or after a byte offset.
    fn index_at(&self, offset: u32) -> usize {
        self.pieces.partition_point(|piece| piece.start < offset).min(self.pieces.len() - 1)
    }

    /// The end of a node that begins at a piece, with the parentheses around it, and whether there are any.
    fn extent(&self, from: usize, span: Span) -> (usize, bool) {
        let inner = self.end_at(from, span.end);
        let first = &self.pieces[from];
        let wraps = first.start < span.start
            && (first.is(Punctuation::LeftParen) || first.is_keyword(Keyword::Begin))
            && first.closer >= inner;
        if wraps { (first.closer + 1, true) } else { (inner, false) }
    }

    /// The end of what begins at a piece and ends at a byte offset, with the brackets that close in it.
    fn end_at(&self, from: usize, offset: u32) -> usize {
        let mut end = self.index_at(offset);
        while (from + 1..end).contains(&self.pieces[end].opener) {
            end += 1;
        }
        end.max(from)
    }

    /// Whether the source text has a line end between the pieces.
    fn has_break(&self, range: Range<usize>) -> bool {
        self.pieces[range].iter().skip(1).any(|piece| piece.starts_line || piece.is_forced_down())
    }

    /// The width of pieces on one line.
    fn width(&self, range: Range<usize>) -> usize {
        let first = range.start;
        range.map(|index| self.piece_width(index, index > first)).sum()
    }

    fn piece_width(&self, index: usize, spaced: bool) -> usize {
        let piece = &self.pieces[index];
        let comments: usize = piece.comments.iter().map(|comment| columns(comment.text) + 1).sum();
        let comments = if spaced { comments } else { 0 };
        columns(piece.text) + usize::from(spaced && self.spaces[index]) + comments
    }

    /// Whether the pieces up to `end` are on one line in the source text and fit on the current one, together with what
    /// cannot be separated from them.
    fn fits(&self, end: usize) -> bool {
        if self.has_break(self.position..end) {
            return false;
        }
        let mut width = self.start();
        for index in self.position..end {
            width += self.piece_width(index, index > self.position);
            if width > WIDTH {
                return false;
            }
        }
        width + self.tail(end) <= WIDTH
    }

    /// The width of the pieces that are on the same line as the one before them.
    fn tail(&self, from: usize) -> usize {
        let sticks = |piece: &Piece<'_>| match piece.kind {
            TokenKind::Punctuation(sign) => {
                sign.is_closer() || matches!(sign, Punctuation::Comma | Punctuation::Arrow | Punctuation::Equal)
            }
            TokenKind::Keyword(keyword) => matches!(keyword, Keyword::Then | Keyword::Do | Keyword::With | Keyword::In),
            _ => false,
        };
        let last = self.pieces.len() - 1;
        let end = (from..last).find(|&index| !sticks(&self.pieces[index]) || self.pieces[index].starts_line);
        (from..end.unwrap_or(last)).map(|index| self.piece_width(index, true)).sum()
    }

    /// The next piece is on a new line, in this column.
    fn newline(&mut self, column: usize) {
        self.pending = Some(column);
    }

    /// Writes the next piece.
    fn token(&mut self) {
        let index = self.position;
        if index + 1 >= self.pieces.len() {
            return;
        }
        self.gap(index);
        self.without_gap();
    }

    /// Writes the next piece, if what is before it is written already.
    fn without_gap(&mut self) {
        let index = self.position;
        let piece = &self.pieces[index];
        self.enter(index);
        if piece.starts_line {
            let (source, indentation, starts_line) = (piece.column, self.indentation, self.starts_line());
            self.moved.push(Moved { source, indentation, starts_line });
        }
        self.write(piece.text);
        self.position += 1;
    }

    /// Whether nothing is written on the current line.
    fn starts_line(&self) -> bool {
        self.column == self.indentation
    }

    /// Writes the comments before a piece, and the line end or space.
    fn gap(&mut self, index: usize) {
        let pieces = self.pieces;
        let piece = &pieces[index];
        let wanted = self.pending.take();
        if std::mem::take(&mut self.gap_is_written) {
            return;
        }
        let mut down = wanted.is_some();
        let column = wanted.or(self.closing_column(index)).unwrap_or(self.indentation + STEP);
        for comment in &piece.comments {
            if comment.starts_line && !(self.out.is_empty()) {
                let inner = self.inner_comment_column(index, comment.column);
                let column = inner.unwrap_or_else(|| self.comment_column(comment.column, piece, column));
                self.line(column, comment.blank_before);
            } else if !self.out.is_empty() {
                self.write(" ");
            }
            self.write(comment.text);
            down |= comment.starts_line || comment.ends_line;
        }
        let blank = match piece.comments.last() {
            Some(_) => self.blank_after_comments(piece),
            None => piece.blank_before,
        };
        if down {
            self.line(column, blank);
        } else if self.spaces[index] || !piece.comments.is_empty() {
            self.write(" ");
        }
    }

    fn blank_after_comments(&self, piece: &Piece<'_>) -> bool {
        let before = &self.source[..piece.start as usize];
        let white = &before[before.trim_end().len()..];
        white.matches('\n').count() > 1
    }

    /// Comments that are indented further than the next piece belong to the block before it.
    fn comment_column(&self, column: u32, piece: &Piece<'_>, target: usize) -> usize {
        if piece.kind != TokenKind::EndOfFile && (column <= piece.column || !piece.starts_line) || column == 0 {
            return target;
        }
        let mut known = self.moved.iter().rev().take_while(|moved| moved.source > 0 || column == 0);
        known.find(|moved| moved.source == column).map_or(target, |moved| moved.indentation)
    }

    fn line(&mut self, column: usize, blank: bool) {
        if self.out.is_empty() {
            return;
        }
        self.out.push('\n');
        if blank {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', column));
        self.line += 1;
        self.column = column;
        self.indentation = column;
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(at) => self.column = columns(&text[at + 1..]),
            None => self.column += columns(text),
        }
    }

    /// Writes pieces on the current line.
    fn flat(&mut self, end: usize) {
        while self.position < end.min(self.pieces.len() - 1) {
            self.token();
        }
    }

    /// Writes pieces; lines end where they do in the source text, and where they are too long.
    fn flow(&mut self, end: usize, column: usize) {
        let end = end.min(self.pieces.len() - 1);
        let first = self.position;
        while self.position < end {
            let is_empty = self.next().opener + 1 == self.position;
            if self.position > first && !is_empty && (self.is_broken() || self.is_too_long(end)) {
                self.newline(column);
            }
            self.token();
        }
    }

    /// Whether the group of pieces that begins here must start a line.
    fn is_too_long(&self, end: usize) -> bool {
        let position = self.position;
        let next = self.next();
        let after = &self.pieces[position - 1];
        let may_break = self.spaces[position] && !after.opens() && self.pending.is_none();
        let group = (next.closer + 1).min(end);
        may_break && self.column > self.indentation + STEP && self.start() + self.width(position..group) > WIDTH
    }

    fn flow_to(&mut self, offset: u32, column: usize) {
        self.flow(self.end_at(0, offset), column);
    }

    /// Whether a directive of conditional compilation is within the pieces.
    fn has_directive(&self, range: Range<usize>) -> bool {
        self.pieces[range].iter().skip(1).any(|piece| !piece.directives.is_empty())
    }
}

/// The change in the number of open conditions.
fn nesting(directives: &[Directive]) -> isize {
    let count = |wanted| directives.iter().filter(|directive| **directive == wanted).count() as isize;
    count(Directive::If) - count(Directive::EndIf)
}

/// The number of columns of a text on one line.
fn columns(text: &str) -> usize {
    text.chars().count()
}
