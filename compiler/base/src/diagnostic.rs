//! Diagnostics as data: phases make them, [`crate::render`] alone turns them into text, late.

use crate::{Code, FileId, SourceMap, Span, codes};
use std::collections::HashSet;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    /// The program is compiled nevertheless.
    Warning,
    /// Nothing is produced.
    Error,
}

/// A place with a word about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there; may be empty at the primary place.
    pub message: String,
}

/// A proposal, with the edit that carries it out where there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// What to try, as an imperative sentence without full stop.
    pub message: String,
    /// The text to put in place of a span.
    pub replacement: Option<(Span, String)>,
}

/// One message to the user: what, where, why, and what to try.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The stable code.
    pub code: Code,
    /// What is wrong, in one sentence without full stop.
    pub message: String,
    /// The place the message is about; `None` where there is no source text (a missing file, a linker failure).
    pub primary: Option<Label>,
    /// Further places, in the order in which to read them.
    pub secondary: Vec<Label>,
    /// Why: further facts.
    pub notes: Vec<String>,
    /// What to try.
    pub proposals: Vec<Proposal>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { primary: Some(Label { span, message: String::new() }), ..Diagnostic::general(code, message) }
    }

    /// A warning at a place.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// An error without a place in a source text.
    pub fn general(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            proposals: Vec::new(),
        }
    }

    /// Gives what has no place of its own the place that led to it, if there is one.
    pub fn at_if(mut self, span: Option<Span>) -> Diagnostic {
        self.primary = self.primary.or(span.map(|span| Label { span, message: String::new() }));
        self
    }

    /// Says what is to be seen at the primary place.
    pub fn label(mut self, message: impl Into<String>) -> Diagnostic {
        if let Some(primary) = &mut self.primary {
            primary.message = message.into();
        }
        self
    }

    /// Adds a second place.
    pub fn also(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, message: message.into() });
        self
    }

    /// Adds a reason.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds a proposal.
    pub fn help(mut self, message: impl Into<String>) -> Diagnostic {
        self.proposals.push(Proposal { message: message.into(), replacement: None });
        self
    }

    /// Adds a proposal with its edit.
    pub fn fix(mut self, message: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.proposals.push(Proposal { message: message.into(), replacement: Some((span, text.into())) });
        self
    }
}

/// So that `?` turns a single error into the list that phases return.
impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Vec<Diagnostic> {
        vec![diagnostic]
    }
}

/// What a later step found, without what follows from errors of an earlier one: what lies on lines where one was found,
/// or in the block that they open, because what was not read in full leads to errors that say nothing new; names that such
/// a line may bind; and warnings, which may be due to what was not read.
pub fn without_consequences(sources: &SourceMap, earlier: &[Diagnostic], found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let errors = earlier.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let unread: HashSet<_> = errors.flat_map(|error| unread(sources, error)).collect();
    if unread.is_empty() {
        return found;
    }
    let is_bound = |diagnostic: &Diagnostic| {
        let name = diagnostic.primary.as_ref().map(|label| (label.span.file, sources.text(label.span)));
        name.is_some_and(|(file, name)| {
            let text = &sources.file(file).text;
            matches!(diagnostic.code, codes::UNKNOWN_NAME | codes::UNKNOWN_TYPE | codes::UNKNOWN_CASE)
                && text.lines().zip(1..).any(|(words, line)| unread.contains(&(file, line)) && has_word(words, name))
        })
    };
    // A block whose last line is wrong has no value.
    let ends_unread = |diagnostic: &Diagnostic| {
        let ends = diagnostic.secondary.iter().map(|label| (label.span.file, sources.line_column(label.span).line));
        diagnostic.code == codes::DANGLING_LET && ends.into_iter().any(|line| unread.contains(&line))
    };
    let says_more = |diagnostic: &Diagnostic| {
        diagnostic.severity == Severity::Error
            && lines(sources, diagnostic).all(|line| !unread.contains(&line))
            && !ends_unread(diagnostic)
            && !is_bound(diagnostic)
    };
    found.into_iter().filter(says_more).collect()
}

/// The lines of the place of a diagnostic.
fn lines(sources: &SourceMap, diagnostic: &Diagnostic) -> impl Iterator<Item = (FileId, u32)> {
    let span = diagnostic.primary.as_ref().map(|label| label.span);
    span.into_iter().flat_map(|span| {
        let first = sources.line_column(span).line;
        let last = sources.line_column(span.at_end()).line;
        (first..=last).map(move |line| (span.file, line))
    })
}

/// The lines that an error leaves unread: those that it names, and those behind them that are indented further.
fn unread(sources: &SourceMap, error: &Diagnostic) -> Vec<(FileId, u32)> {
    let Some(primary) = &error.primary else { return Vec::new() };
    let file = primary.span.file;
    let named = error.secondary.iter().map(|label| label.span).filter(|span| span.file == file);
    let named = named.chain([primary.span, primary.span.at_end()]).map(|span| sources.line_column(span).line);
    let (first, last) = named.fold((u32::MAX, 0), |(first, last), line| (first.min(line), last.max(line)));
    let mut behind = sources.file(file).text.lines().skip(first as usize - 1);
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let own = behind.next().map_or(0, indentation);
    let behind = behind.skip((last - first) as usize);
    let rest = behind.take_while(|line| line.trim().is_empty() || indentation(line) > own).count() as u32;
    (first..=last + rest).map(|line| (file, line)).collect()
}

/// Whether a name stands in a line as a word of its own.
fn has_word(line: &str, name: &str) -> bool {
    line.split(|character: char| !character.is_alphanumeric() && character != '_').any(|word| word == name)
}

/// Whether any of them forbids going on.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
