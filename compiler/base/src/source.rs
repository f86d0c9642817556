//! Source files and locations in them.
//!
//! In: the source text of each file, as the driver read it. Out: [`Span`]s, which every later phase carries, and the
//! line and column of a byte offset. A [`FileId`] is only valid for the [`SourceMap`] that created it.

use std::fmt;

/// One file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let narrow = |offset: usize| u32::try_from(offset).expect("source files must be smaller than 4 GiB");
        Span { file, start: narrow(start), end: narrow(end) }
    }

    /// The smallest span that contains both, in the file of `self`.
    pub fn to(self, other: Span) -> Span {
        if other.file != self.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether it contains the whole of another.
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// The empty span at the start of this one.
    pub fn at_start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty span at the end of this one.
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// A line and a column, both counted from one; the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    /// Line, from one.
    pub line: u32,
    /// Column in Unicode scalar values, from one.
    pub column: u32,
}

/// One file: its name as the user wrote it, its source text, and where its lines start.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name shown in diagnostics and debug information.
    pub name: String,
    /// The whole source text, valid UTF-8.
    pub text: String,
    line_starts: Vec<u32>,
    /// The names defined for `#if` in this file, in addition to those of all files.
    defines: Vec<String>,
}

impl SourceFile {
    /// Line and column of a byte offset; an offset after the end counts as the end.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&start| start as usize <= offset) - 1;
        let before = &self.text[self.line_starts[line] as usize..offset];
        LineColumn { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }
}

/// All source files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// The names defined for `#if` in every file.
    defines: Vec<String>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let line_starts = line_starts(&text);
        self.files.push(SourceFile { name: name.into(), text, line_starts, defines: Vec::new() });
        FileId(self.files.len() as u32 - 1)
    }

    /// Replaces the text of a file. Earlier spans in it are no longer valid.
    pub fn set_text(&mut self, file: FileId, text: String) {
        let changed = &mut self.files[file.0 as usize];
        changed.line_starts = line_starts(&text);
        changed.text = text;
    }

    /// Adds a file of another source map, with the names that are defined in it.
    pub fn adopt(&mut self, file: &SourceFile) -> FileId {
        self.files.push(file.clone());
        FileId(self.files.len() as u32 - 1)
    }

    /// All files, in the order of their ids.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (0..).map(FileId).zip(&self.files)
    }

    /// Defines names for `#if` in all files.
    pub fn define(&mut self, names: impl IntoIterator<Item = String>) {
        self.defines.extend(names);
    }

    /// Defines names for `#if` in one file.
    pub fn define_in(&mut self, file: FileId, names: impl IntoIterator<Item = String>) {
        self.files[file.0 as usize].defines.extend(names);
    }

    /// Whether a name is defined for `#if` in a file; that of the language always is.
    pub fn is_defined(&self, file: FileId, name: &str) -> bool {
        name == "CLEF" || self.defines.iter().chain(&self.file(file).defines).any(|define| define == name)
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The source text of a span.
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text[span.start as usize..span.end as usize]
    }

    /// Line and column of a span's first character.
    pub fn line_column(&self, span: Span) -> LineColumn {
        self.file(span.file).line_column(span.start)
    }

    /// `name:line:column` of a span's first character.
    pub fn place(&self, span: Span) -> String {
        let LineColumn { line, column } = self.line_column(span);
        format!("{}:{line}:{column}", crate::visible::name(&self.file(span.file).name))
    }
}

/// The offsets at which lines start.
fn line_starts(text: &str) -> Vec<u32> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index as u32 + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", "let ä = 1\nlet b = ä\n");
        let last = Span::new(file, 19, 21);
        assert_eq!(sources.text(last), "ä");
        assert_eq!(sources.place(last), "a.clef:2:9");
        assert_eq!(sources.file(file).line_column(9999), LineColumn { line: 3, column: 1 });
    }
}
