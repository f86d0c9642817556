//! TOML to values with their locations.
//!
//! In: the text of a project file. Out: its keys, read one by one with the required types; errors are collected, so
//! that all of them are reported at once.

use crate::Placed;
use clef_base::{Diagnostic, FileId, Span, codes, nearest};
use clef_descriptors::Bytes;
use std::ops::Range;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Why a dependency needs a path.
pub(crate) const LOCAL: &str = "only local dependencies are supported";

/// The errors found.
pub(crate) type Report = Vec<Diagnostic>;

/// Reads a document; fails if it is no TOML.
pub(crate) fn document(file: FileId, text: &str) -> Result<DeTable<'_>, Report> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(document.into_inner());
    }
    let diagnostic = |error: &toml::de::Error| {
        let range = error.span().unwrap_or(0..0);
        let line_end = text[range.start..].find('\n').map_or(text.len(), |length| range.start + length);
        let span = Span::new(file, range.start, range.end.clamp(range.start, line_end));
        let mut lines = error.message().lines();
        let first = format!("invalid TOML: {}", lines.next().unwrap_or_default());
        lines.fold(Diagnostic::error(codes::MALFORMED_PROJECT, span, first), Diagnostic::note)
    };
    let mut report: Report = errors.iter().map(diagnostic).collect();
    report.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|label| label.span));
    Err(report)
}

/// A table that is read key by key.
pub(crate) struct Fields<'a, 'r> {
    file: FileId,
    table: &'a DeTable<'a>,
    /// Its name in messages.
    what: &'static str,
    /// Where it starts: the location of missing keys.
    place: Span,
    known: Vec<&'static str>,
    report: &'r mut Report,
}

impl<'a, 'r> Fields<'a, 'r> {
    /// A table, called `what`.
    pub(crate) fn new(
        file: FileId,
        table: &'a DeTable<'a>,
        what: &'static str,
        place: Span,
        report: &'r mut Report,
    ) -> Fields<'a, 'r> {
        Fields { file, table, what, place, known: Vec::new(), report }
    }

    /// The errors found so far.
    pub(crate) fn findings(&mut self) -> &mut Report {
        self.report
    }

    /// Adds an error.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.report.push(diagnostic);
    }

    fn get(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.known.push(key);
        self.table.get(key)
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    /// A string.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<Placed<String>> {
        let value = self.get(key)?;
        self.as_text(value)
    }

    /// A word, which may be a number and then needs no quotes.
    pub(crate) fn word(&mut self, key: &'static str, expected: &str) -> Option<Placed<String>> {
        let value = self.get(key)?;
        let span = self.span(value.span());
        match value.get_ref() {
            DeValue::String(_) => self.as_text(value),
            DeValue::Integer(number) => Some(Placed { value: number.to_string(), span }),
            DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                self.report(wrong_type(span, expected, value.get_ref()));
                None
            }
        }
    }

    /// A size: a number of bytes, or a string such as `"4K"`.
    pub(crate) fn size(&mut self, key: &'static str) -> Option<Placed<Bytes>> {
        const EXPECTED: &str = "a size in bytes such as 4096 or \"4K\"";
        let text = self.word(key, EXPECTED)?;
        match Bytes::parse(&text.value) {
            Some(size) if size.0 > 0 => Some(Placed { value: size, span: text.span }),
            Some(_) | None => {
                let message = format!("`{}` is not {EXPECTED}", text.value.escape_debug());
                self.report(Diagnostic::error(codes::INVALID_PROJECT_VALUE, text.span, message));
                None
            }
        }
    }

    /// A list of strings.
    pub(crate) fn texts(&mut self, key: &'static str) -> Option<Placed<Vec<Placed<String>>>> {
        let value = self.get(key)?;
        let span = self.span(value.span());
        let DeValue::Array(items) = value.get_ref() else {
            let wrong = wrong_type(span, "a list of strings", value.get_ref());
            self.report(match value.get_ref() {
                DeValue::String(text) => wrong.fix("write a list in brackets", span, format!("[{text:?}]")),
                DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)
                | DeValue::Table(_) => wrong,
            });
            return None;
        };
        let items: Vec<_> = items.iter().map(|item| self.as_text(item)).collect();
        Some(Placed { value: items.into_iter().collect::<Option<_>>()?, span })
    }

    /// A table within this one.
    pub(crate) fn table(&mut self, key: &'static str, what: &'static str) -> Option<Fields<'a, '_>> {
        let value = self.get(key)?;
        let place = self.span(value.span());
        let DeValue::Table(table) = value.get_ref() else {
            self.report.push(wrong_type(place, "a table", value.get_ref()));
            return None;
        };
        Some(Fields::new(self.file, table, what, place, self.report))
    }

    /// The entries of a table with arbitrary keys, in the order of the file.
    pub(crate) fn entries(&self) -> Vec<Entry<'a>> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| Entry { key: key.get_ref(), key_span: self.span(key.span()), value })
            .collect();
        entries.sort_by_key(|entry| entry.key_span);
        entries
    }

    /// The value of an entry as a dependency.
    pub(crate) fn dependency(&mut self, entry: &Entry<'a>) -> Result<Fields<'a, '_>, Diagnostic> {
        let place = self.span(entry.value.span());
        let DeValue::Table(table) = entry.value.get_ref() else {
            let found = entry.value.get_ref();
            return Err(wrong_type(place, "a dependency by path, `{ path = \"…\" }`", found).note(LOCAL));
        };
        Ok(Fields::new(self.file, table, "a dependency", place, self.report))
    }

    fn as_text(&mut self, value: &Spanned<DeValue<'a>>) -> Option<Placed<String>> {
        let span = self.span(value.span());
        let DeValue::String(text) = value.get_ref() else {
            self.report(wrong_type(span, "a string", value.get_ref()));
            return None;
        };
        // The span between the quotes, if each is a single one, so that edits keep them.
        let quoted = text.len() + 2 == (span.end - span.start) as usize && !text.is_empty();
        let span = if quoted { Span { start: span.start + 1, end: span.end - 1, ..span } } else { span };
        Some(Placed { value: text.to_string(), span })
    }

    /// Reports unread keys that are similar to a required key that is missing. Used in place of [`Fields::finish`] for
    /// tables that may contain other ignored keys.
    pub(crate) fn finish_leniently(&mut self, required: &str) {
        if self.table.contains_key(required) {
            return;
        }
        let unread = self.unread();
        let Some(near) = nearest(required, unread.iter().map(|entry| entry.key)) else { return };
        let Some(entry) = unread.into_iter().find(|entry| entry.key == near) else { return };
        let message = format!("unknown key `{near}` in {}", self.what);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_PROJECT_KEY, entry.key_span, message);
        self.report.push(diagnostic.fix(format!("did you mean `{required}`?"), entry.key_span, required));
    }

    /// Reports a required key that is missing; a misspelled one is reported as unknown.
    pub(crate) fn require(&mut self, key: &str, example: &str) {
        if self.table.contains_key(key) || nearest(key, self.unread().iter().map(|entry| entry.key)).is_some() {
            return;
        }
        let message = format!("missing key `{key}` in {}", self.what);
        let diagnostic = Diagnostic::error(codes::MISSING_PROJECT_KEY, self.place, message);
        self.report(diagnostic.help(format!("add it: `{example}`")));
    }

    /// The unread keys.
    pub(crate) fn unread(&self) -> Vec<Entry<'a>> {
        self.entries().into_iter().filter(|entry| !self.known.contains(&entry.key)).collect()
    }

    /// Reports the unread keys; `explain` may extend a diagnostic.
    pub(crate) fn finish(self, explain: impl Fn(&str, Diagnostic) -> Diagnostic) {
        for Entry { key, key_span, .. } in self.unread() {
            let message = format!("unknown key `{key}` in {}", self.what);
            let diagnostic = Diagnostic::error(codes::UNKNOWN_PROJECT_KEY, key_span, message);
            self.report.push(match nearest(key, self.known.iter().copied()) {
                Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), key_span, near),
                None => explain(key, diagnostic).note(format!("the known keys are {}", self.known.join(", "))),
            });
        }
    }
}

/// A key with its value.
pub(crate) struct Entry<'a> {
    /// The key.
    pub(crate) key: &'a str,
    /// Its location.
    pub(crate) key_span: Span,
    value: &'a Spanned<DeValue<'a>>,
}

fn wrong_type(span: Span, expected: &str, found: &DeValue<'_>) -> Diagnostic {
    let found = match found {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Diagnostic::error(codes::WRONG_PROJECT_TYPE, span, format!("expected {expected}, found {found}"))
        .label(format!("this is {found}"))
}
