//! Positions of the protocol in a text, and byte offsets.
//!
//! In: a text, and the encoding that client and server agreed on. Out: offsets for positions, and positions for offsets. Holds:
//! each position has an offset at a character's boundary; one after the end of its line, or of the text, is at that end.

use clef_base::Span;
use lsp_types::{Position, PositionEncodingKind, Range};

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits, which every client supports.
    Utf16,
}

impl Encoding {
    /// The encoding for a client that offers these.
    pub(crate) fn of(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        match offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    /// Its name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// The length of a text.
    pub(crate) fn length(self, text: &str) -> u32 {
        match self {
            Encoding::Utf8 => text.len() as u32,
            Encoding::Utf16 => text.chars().map(|one| one.len_utf16() as u32).sum(),
        }
    }
}

/// A text with the offsets of its lines.
pub(crate) struct Lines<'t> {
    pub(crate) text: &'t str,
    starts: Vec<usize>,
    pub(crate) encoding: Encoding,
}

impl<'t> Lines<'t> {
    /// The lines of a text.
    pub(crate) fn new(text: &'t str, encoding: Encoding) -> Lines<'t> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect();
        Lines { text, starts, encoding }
    }

    /// The number of the line with an offset, from zero.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The offset at which a line starts.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// A line without its end.
    pub(crate) fn line(&self, line: usize) -> &'t str {
        let text = &self.text[self.start(line)..self.start(line + 1)];
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// The position of an offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = boundary(self.text, offset);
        let line = self.line_of(offset);
        Position::new(line as u32, self.encoding.length(&self.text[self.starts[line]..offset]))
    }

    /// The range of a span.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start as usize), self.position(span.end as usize))
    }

    /// The offset of a position.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return self.text.len();
        }
        let mut column = 0;
        let text = self.line(line);
        for (index, one) in text.char_indices() {
            let next = column + self.encoding.length(one.encode_utf8(&mut [0; 4]));
            if next > position.character {
                return self.start(line) + index;
            }
            column = next;
        }
        self.start(line) + text.len()
    }
}

/// The character's boundary at an offset or before it.
pub(crate) fn boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&offset| text.is_char_boundary(offset)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_what_was_agreed_on() {
        let text = "let ä = \"😀\"\r\nlet b = ä\n";
        let (bytes, units) = (Lines::new(text, Encoding::Utf8), Lines::new(text, Encoding::Utf16));
        let quote = text.rfind("\"\r").expect("it is there");
        assert_eq!(bytes.position(quote), Position::new(0, 14));
        assert_eq!(units.position(quote), Position::new(0, 11));
        for lines in [&bytes, &units] {
            for (offset, _) in text.char_indices().filter(|(_, one)| *one != '\n') {
                assert_eq!(lines.offset(lines.position(offset)), offset);
            }
        }
        assert_eq!(units.offset(Position::new(0, 10)), quote - 4, "within a pair of units");
        assert_eq!(units.offset(Position::new(0, 999)), text.find('\r').expect("it is there"));
        assert_eq!(units.offset(Position::new(9, 0)), text.len());
        assert_eq!(units.position(9999), Position::new(2, 0));
    }
}
