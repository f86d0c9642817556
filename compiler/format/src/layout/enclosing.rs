//! The brackets that are open at a piece, and where a closing bracket is that starts a line because of comments before it.
//!
//! - The comments are in the column of the line of the content that they are aligned with in the source text, or else of
//!   the leftmost line of the content.
//! - The closing bracket is where the line of the opening one begins, or in the column of the bracket's neighbours if
//!   that line begins with an outer bracket. The offside rule allows both columns for any content.

use super::{Layout, STEP};

/// An open bracket.
pub(super) struct Enclosing {
    /// The index of its piece.
    opener: usize,
    /// The column of a closing bracket that starts a line.
    base: usize,
    /// The first piece after the bracket: its line and column, when it is written.
    first: Option<(usize, usize)>,
    /// The leftmost column of its lines so far, including the first piece.
    left: Option<usize>,
    /// The number of lines that had moved before it.
    moved: usize,
}

impl Layout<'_> {
    /// Keeps track of the open brackets, before a piece is written.
    pub(super) fn enter(&mut self, index: usize) {
        let piece = &self.pieces[index];
        let (line, column, starts_line) = (self.line, self.column, self.starts_line());
        if piece.opener < index {
            while self.enclosing.pop().is_some_and(|enclosing| enclosing.opener != piece.opener) {}
        }
        for enclosing in &mut self.enclosing {
            let is_first = enclosing.opener + 1 == index;
            if is_first {
                enclosing.first = Some((line, column));
            }
            if is_first || starts_line {
                enclosing.left = Some(enclosing.left.map_or(column, |left| left.min(column)));
            }
        }
        if piece.closer > index {
            let neighbours = self.enclosing.last().and_then(|outer| outer.first);
            let base = neighbours.filter(|first| first.0 == line).map_or(self.indentation, |first| first.1);
            let moved = self.moved.len();
            self.enclosing.push(Enclosing { opener: index, base, first: None, left: None, moved });
        }
    }

    /// The bracket that a piece closes.
    fn closed_by(&self, index: usize) -> Option<&Enclosing> {
        self.enclosing
            .last()
            .filter(|enclosing| enclosing.opener == self.pieces[index].opener && enclosing.opener < index)
    }

    /// The column of a closing bracket that starts a line because of comments before it.
    pub(super) fn closing_column(&self, index: usize) -> Option<usize> {
        self.closed_by(index).map(|enclosing| enclosing.base)
    }

    /// The column of a comment before a closing bracket, from its column in the source text.
    pub(super) fn inner_comment_column(&self, index: usize, source: u32) -> Option<usize> {
        let enclosing = self.closed_by(index)?;
        let mut lines = self.moved[enclosing.moved..].iter().rev();
        let aligned = lines.find(|line| line.starts_line && line.source == source).map(|line| line.indentation);
        aligned.or(enclosing.left).or(Some(enclosing.base + STEP))
    }
}
