//! YAML source text to a tree in which every key and value has its location.
//!
//! In: the source text of a file in the source map. Out: a [`Node`] whose mappings have unique string keys in the order
//! of the file. Descriptors use a subset of YAML: one document, no anchors, aliases or tags.

use clef_base::{Diagnostic, FileId, Span, codes};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

/// A value with its location.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its location; for a value of several lines, the first.
    pub(crate) span: Span,
    /// The value.
    pub(crate) value: Value,
}

/// The kinds of YAML nodes.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A scalar, not yet interpreted as a number or a word.
    Scalar {
        /// Its content without quotes.
        text: String,
        /// Whether it was quoted, which makes it a string in any case.
        quoted: bool,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Keys with values.
    Mapping(Vec<Entry>),
}

impl Node {
    /// The content, if this is a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }

    /// An item, if this is a list that contains it.
    pub(crate) fn item(&self, index: usize) -> Option<&Node> {
        match &self.value {
            Value::Sequence(items) => items.get(index),
            Value::Scalar { .. } | Value::Mapping(_) => None,
        }
    }

    /// Whether this is a list without items.
    pub(crate) fn is_empty_list(&self) -> bool {
        matches!(&self.value, Value::Sequence(items) if items.is_empty())
    }

    /// The entries, if this is a mapping.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Mapping(entries) => entries,
            Value::Scalar { .. } | Value::Sequence(_) => &[],
        }
    }

    /// The entry of a key, if this is a mapping that contains it.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Mapping(entries) => entries.iter().find(|entry| entry.key == key),
            Value::Scalar { .. } | Value::Sequence(_) => None,
        }
    }
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The key.
    pub(crate) key: String,
    /// The location of the key.
    pub(crate) key_span: Span,
    /// The value.
    pub(crate) value: Node,
}

/// The maximum nesting of a descriptor.
const DEEPEST: usize = 16;

/// The maximum number of keys in a mapping.
const MAX_KEYS: usize = 1000;

/// Reads the one document of a file.
pub(crate) fn parse(file: FileId, text: &str) -> Result<Node, Diagnostic> {
    let offsets = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
    let mut reader = TreeReader { file, text, offsets, events: Parser::new_from_str(text) };
    let mut document = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) if document.is_some() => {
                return Err(malformed(
                    span,
                    "a descriptor must be a single YAML document, but a second one starts here",
                ));
            }
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
            Event::Alias(_)
            | Event::Scalar(..)
            | Event::SequenceStart(..)
            | Event::SequenceEnd
            | Event::MappingStart(..)
            | Event::MappingEnd => document = Some(reader.node(event, span, 0)?),
        }
    }
    document.ok_or_else(|| malformed(Span::new(file, 0, 0), "the descriptor is empty"))
}

fn malformed(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::MALFORMED_DESCRIPTOR, span, message)
}

struct TreeReader<'a> {
    file: FileId,
    text: &'a str,
    /// The byte offset of each character; the parser counts characters.
    offsets: Vec<usize>,
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> TreeReader<'a> {
    fn offset(&self, marker: &Marker) -> usize {
        self.offsets.get(marker.index()).copied().unwrap_or(self.text.len())
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Diagnostic> {
        match self.events.next_event() {
            Some(Ok((event, span))) => {
                let (start, end) = (self.offset(&span.start), self.offset(&span.end));
                let line_end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
                let shown = self.text[start..end.clamp(start, line_end)].trim_end().len();
                Ok((event, Span::new(self.file, start, start + shown)))
            }
            Some(Err(error)) => {
                let place = self.offset(error.marker());
                Err(malformed(Span::new(self.file, place, place), format!("invalid YAML: {}", error.info())))
            }
            None => Ok((Event::StreamEnd, Span::new(self.file, self.text.len(), self.text.len()))),
        }
    }

    /// Parses the node that starts with `event`.
    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Diagnostic> {
        if depth > DEEPEST {
            return Err(malformed(span, "nesting is too deep for a descriptor"));
        }
        let value = match event {
            Event::Scalar(text, style, 0, None) => {
                Value::Scalar { text: text.into_owned(), quoted: style != ScalarStyle::Plain }
            }
            Event::SequenceStart(0, None) => Value::Sequence(self.sequence(depth)?),
            Event::MappingStart(0, None) => Value::Mapping(self.mapping(depth)?),
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => {
                return Err(malformed(span, "anchors, aliases and tags are not supported in descriptors")
                    .help("repeat the value, or inherit from another descriptor"));
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => return Err(malformed(span, "missing value")),
        };
        Ok(Node { span, value })
    }

    fn sequence(&mut self, depth: usize) -> Result<Vec<Node>, Diagnostic> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(items);
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Vec<Entry>, Diagnostic> {
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok(entries);
            }
            let key_node = self.node(event, span, depth + 1)?;
            let Value::Scalar { text: key, .. } = key_node.value else {
                return Err(malformed(key_node.span, "a key must be a single word"));
            };
            if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                return Err(malformed(span, format!("duplicate key `{key}`"))
                    .also(first.key_span, "first given here")
                    .help("keep one of them"));
            }
            if entries.len() == MAX_KEYS {
                return Err(malformed(span, format!("a mapping can have at most {MAX_KEYS} keys")));
            }
            let (event, value_span) = self.next()?;
            let value = self.node(event, value_span, depth + 1)?;
            entries.push(Entry { key, key_span: span, value });
        }
    }
}
