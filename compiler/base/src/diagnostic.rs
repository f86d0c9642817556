//! Diagnostics as data: phases create them, only [`crate::render`] converts them to text, late.

use crate::{Code, FileId, HashSet, SourceMap, Span, codes};

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    /// Compilation continues.
    Warning,
    /// Compilation produces nothing.
    Error,
}

/// A location with a message about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The location.
    pub span: Span,
    /// The message shown there; may be empty for the primary location.
    pub message: String,
}

/// A proposal, with its edit if there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// What to try, as an imperative sentence without full stop.
    pub message: String,
    /// The replacement text for a span.
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
    /// The location of the error; `None` if it has no source text (a missing file, a linker failure).
    pub primary: Option<Label>,
    /// Further locations, in reading order.
    pub secondary: Vec<Label>,
    /// Notes: the reasons.
    pub notes: Vec<String>,
    /// Proposals of what to try.
    pub proposals: Vec<Proposal>,
}

impl Diagnostic {
    /// An error at a location.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { primary: Some(Label { span, message: String::new() }), ..Diagnostic::general(code, message) }
    }

    /// A warning at a location.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// An error without a source location.
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

    /// Sets the primary location, if there is none and `span` is one.
    pub fn at_if(mut self, span: Option<Span>) -> Diagnostic {
        self.primary = self.primary.or(span.map(|span| Label { span, message: String::new() }));
        self
    }

    /// Sets the message of the primary location.
    pub fn label(mut self, message: impl Into<String>) -> Diagnostic {
        if let Some(primary) = &mut self.primary {
            primary.message = message.into();
        }
        self
    }

    /// Adds a secondary location.
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

/// Lets `?` convert a single error to the list that phases return.
impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Vec<Diagnostic> {
        vec![diagnostic]
    }
}

/// Removes the consequences of earlier errors from the diagnostics of a later step: those on a line with an error or in
/// the block that it opens, because incompletely parsed code only leads to misleading errors; unknown names that such a
/// line may bind; and warnings, which unparsed code may cause, except for those about matches in files without an error.
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
            UNKNOWN.contains(&diagnostic.code)
                && text.lines().zip(1..).any(|(words, line)| unread.contains(&(file, line)) && has_word(words, name))
        })
    };
    // A block with an error in its last line has no value.
    let ends_unread = |diagnostic: &Diagnostic| {
        let ends = diagnostic.secondary.iter().map(|label| (label.span.file, sources.line_column(label.span).line));
        diagnostic.code == codes::DANGLING_LET && ends.into_iter().any(|line| unread.contains(&line))
    };
    let is_of_match = |diagnostic: &Diagnostic| {
        let file = diagnostic.primary.as_ref().map(|label| label.span.file);
        [codes::INCOMPLETE_MATCH, codes::UNREACHED_ARM].contains(&diagnostic.code)
            && unread.iter().all(|(of, _)| Some(*of) != file)
    };
    let says_more = |diagnostic: &Diagnostic| {
        (diagnostic.severity == Severity::Error || is_of_match(diagnostic))
            && lines(sources, diagnostic).all(|line| !unread.contains(&line))
            && !ends_unread(diagnostic)
            && !is_bound(diagnostic)
    };
    found.into_iter().filter(says_more).collect()
}

/// The errors about names that unparsed code may bind.
const UNKNOWN: [Code; 4] = [codes::UNKNOWN_NAME, codes::UNKNOWN_TYPE, codes::UNKNOWN_CASE, codes::UNKNOWN_FIELD];

/// The lines of a diagnostic's primary location.
fn lines(sources: &SourceMap, diagnostic: &Diagnostic) -> impl Iterator<Item = (FileId, u32)> {
    let span = diagnostic.primary.as_ref().map(|label| label.span);
    span.into_iter().flat_map(|span| {
        let first = sources.line_column(span).line;
        let last = sources.line_column(span.at_end()).line;
        (first..=last).map(move |line| (span.file, line))
    })
}

/// The lines that an error leaves unparsed: those of its location, and those after them that are indented further.
fn unread(sources: &SourceMap, error: &Diagnostic) -> Vec<(FileId, u32)> {
    let Some(primary) = &error.primary else { return Vec::new() };
    let file = primary.span.file;
    let named = error.secondary.iter().map(|label| label.span).filter(|span| span.file == file);
    let named = named.chain([primary.span, primary.span.at_end()]).map(|span| sources.line_column(span).line);
    let (first, last) = named.fold((u32::MAX, 0), |(first, last), line| (first.min(line), last.max(line)));
    let mut rest = sources.file(file).text.lines().skip(first as usize - 1);
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let own = rest.next().map_or(0, indentation);
    let after = rest.skip((last - first) as usize);
    let count = after.take_while(|line| line.trim().is_empty() || indentation(line) > own).count() as u32;
    (first..=last + count).map(|line| (file, line)).collect()
}

/// Whether a line contains a name as a whole word.
fn has_word(line: &str, name: &str) -> bool {
    line.split(|character: char| !character.is_alphanumeric() && character != '_').any(|word| word == name)
}

/// Whether any of them is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
