//! Diagnostics as JSON, for editors and other programs: one object per line on standard error.
//!
//! In: diagnostics and the source texts they point into. Out: lines of one object each, whose `reason` is its kind:
//! - `diagnostic`;
//! - `memory`, what an image takes of its board's memory;
//! - `bounds`, the upper bounds of its memory use;
//! - `timings`, the time of each step;
//! - `internal-error` or `command-line`.
//!
//! Lines and columns count from one, columns in characters; bytes count from zero.

use clef_base::{
    Diagnostic, Severity, SourceMap, Span,
    diagnostic::{Label, Proposal},
    internal::bug,
    render,
};
use clef_image::bound::{Bound, Bounds};
use clef_session::timings::Timings;
use serde::Serialize;

/// The content of a line.
#[derive(Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message<'a> {
    Diagnostic {
        severity: &'static str,
        code: &'static str,
        message: &'a str,
        /// The first is the primary location of the message, if it has one.
        spans: Vec<Place<'a>>,
        notes: &'a [String],
        help: Vec<Help<'a>>,
        /// The human-readable text.
        rendered: String,
    },
    Memory {
        rendered: String,
    },
    Bounds {
        stack: Bytes,
        regions: Bytes,
        rendered: String,
    },
    Timings {
        steps: &'a Timings,
    },
    InternalError {
        message: &'a str,
    },
    CommandLine {
        message: &'a str,
    },
}

/// A bound, and what the board provides; nothing if there is no bound.
#[derive(Serialize)]
struct Bytes {
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    start: Position,
    end: Position,
    primary: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
    byte: u32,
}

#[derive(Serialize)]
struct Help<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<Replacement<'a>>,
}

#[derive(Serialize)]
struct Replacement<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    text: &'a str,
}

/// The line for a diagnostic.
pub(crate) fn diagnostic(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let primary = diagnostic.primary.iter().map(|label| labelled(sources, label, true));
    let secondary = diagnostic.secondary.iter().map(|label| labelled(sources, label, false));
    line(&Message::Diagnostic {
        severity: match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        code: diagnostic.code.0,
        message: &diagnostic.message,
        spans: primary.chain(secondary).collect(),
        notes: &diagnostic.notes,
        help: diagnostic.proposals.iter().map(|proposal| help(sources, proposal)).collect(),
        rendered: render::render(sources, diagnostic, render::Colour::Plain),
    })
}

/// The line for a table of memory.
pub(crate) fn memory(table: String) -> String {
    line(&Message::Memory { rendered: table })
}

/// The line for the bounds of a program.
pub(crate) fn bounds(bounds: &Bounds, rendered: String) -> String {
    let bytes = |bound: &Bound| match bound {
        Bound::Bytes { bytes, limit, .. } => Bytes { bytes: Some(*bytes), limit: Some(*limit) },
        Bound::Unknown { .. } => Bytes { bytes: None, limit: None },
    };
    line(&Message::Bounds { stack: bytes(&bounds.stack), regions: bytes(&bounds.regions), rendered })
}

/// The line for the time of each step.
pub(crate) fn timings(timings: &Timings) -> String {
    line(&Message::Timings { steps: timings })
}

/// The line for a compiler bug.
pub(crate) fn internal_error(message: &str) -> String {
    line(&Message::InternalError { message })
}

/// The line for a command line that cannot be parsed.
pub(crate) fn command_line(message: &str) -> String {
    line(&Message::CommandLine { message })
}

fn labelled<'a>(sources: &'a SourceMap, label: &'a Label, primary: bool) -> Place<'a> {
    let message = (!label.message.is_empty()).then_some(label.message.as_str());
    Place { label: message, ..place(sources, label.span, primary) }
}

fn place(sources: &SourceMap, span: Span, primary: bool) -> Place<'_> {
    let file = sources.file(span.file);
    let position = |byte: u32| {
        let at = file.line_column(byte);
        Position { line: at.line, column: at.column, byte }
    };
    Place { file: &file.name, start: position(span.start), end: position(span.end), primary, label: None }
}

fn help<'a>(sources: &'a SourceMap, proposal: &'a Proposal) -> Help<'a> {
    let replacement = proposal.replacement.as_ref();
    let replacement = replacement.map(|(span, text)| Replacement { place: place(sources, *span, false), text });
    Help { message: &proposal.message, replacement }
}

fn line(message: &Message<'_>) -> String {
    match serde_json::to_string(message) {
        Ok(text) => text + "\n",
        Err(error) => bug("report", None, format!("a message is always valid JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_base::codes;

    #[test]
    fn a_diagnostic_is_one_line_with_its_places_and_edits() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", "let ü = 1\nlet y = z\n");
        let told = Diagnostic::error(codes::UNKNOWN_NAME, Span::new(file, 19, 20), "cannot find `z`")
            .also(Span::new(file, 4, 6), "near")
            .note("names must be bound first")
            .fix("write `ü`", Span::new(file, 19, 20), "ü");
        let text = diagnostic(&sources, &told);
        assert_eq!(text.lines().count(), 1, "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(value["reason"], "diagnostic");
        assert_eq!(value["severity"], "error");
        assert_eq!(value["code"], "E0301");
        assert_eq!(value["spans"][0]["start"], serde_json::json!({"line": 2, "column": 9, "byte": 19}));
        assert_eq!(value["spans"][0]["primary"], true);
        assert_eq!(value["spans"][0].get("label"), None);
        assert_eq!(value["spans"][1]["end"], serde_json::json!({"line": 1, "column": 6, "byte": 6}));
        assert_eq!(value["spans"][1]["label"], "near");
        assert_eq!(value["help"][0]["replacement"]["text"], "ü");
        assert_eq!(value["help"][0]["replacement"]["start"]["byte"], 19);
        assert!(value["rendered"].as_str().is_some_and(|text| text.contains("a.clef:2:9")));
    }
}
