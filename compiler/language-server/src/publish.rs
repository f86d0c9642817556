//! Diagnostics for the editor.
//!
//! In: the diagnostics of each unit. Out: notifications with all diagnostics of a file. Holds: a file whose diagnostics are gone
//! gets an empty list; a file of several units has the diagnostics of all, each once.

use crate::{check::Checked, client::Client, documents::Documents, positions::Lines, workspace::Unit};
use clef_base::{Diagnostic, Severity, Span, codes};
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
    PublishDiagnosticsParams, Range, notification::PublishDiagnostics,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

type OfFiles = BTreeMap<PathBuf, Vec<lsp_types::Diagnostic>>;

/// What the editor shows.
#[derive(Default)]
pub(crate) struct Published {
    units: BTreeMap<Unit, OfFiles>,
}

impl Published {
    /// Publishes the diagnostics of a check; those of `changed` also if they are the same.
    pub(crate) fn update(
        &mut self,
        checked: &Checked,
        changed: &BTreeSet<PathBuf>,
        documents: &Documents,
        client: &Client,
    ) {
        let new = by_file(checked, documents, client);
        let mut touched: BTreeSet<PathBuf> = new.keys().cloned().collect();
        touched.extend(checked.paths.iter().filter(|path| changed.contains(*path)).cloned());
        let old = self.units.insert(checked.unit.clone(), new).unwrap_or_default();
        let new = &self.units[&checked.unit];
        touched.extend(old.keys().cloned());
        touched.retain(|path| old.get(path) != new.get(path) || changed.contains(path));
        self.send(touched, documents, client);
    }

    /// Forgets units that are no longer open.
    pub(crate) fn keep(&mut self, is_open: impl Fn(&Unit) -> bool, documents: &Documents, client: &Client) {
        let mut touched = BTreeSet::new();
        self.units.retain(|unit, files| {
            let keeps = is_open(unit);
            if !keeps {
                touched.extend(files.keys().cloned());
            }
            keeps
        });
        self.send(touched, documents, client);
    }

    fn send(&self, files: BTreeSet<PathBuf>, documents: &Documents, client: &Client) {
        for path in files {
            let Some(uri) = documents.uri(&path) else { continue };
            let mut diagnostics = Vec::new();
            for found in self.units.values().filter_map(|files| files.get(&path)).flatten() {
                if !diagnostics.contains(found) {
                    diagnostics.push(found.clone());
                }
            }
            let version = documents.get(&path).map(|document| document.version);
            client.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version });
        }
    }
}

/// The diagnostics of each file. Those without a location are at the start of what was checked.
fn by_file(checked: &Checked, documents: &Documents, client: &Client) -> OfFiles {
    let mut files = OfFiles::new();
    for diagnostic in &checked.diagnostics {
        let (path, converted) = converted(diagnostic, checked, documents, client);
        files.entry(path).or_default().push(converted);
    }
    files
}

fn converted(
    diagnostic: &Diagnostic,
    checked: &Checked,
    documents: &Documents,
    client: &Client,
) -> (PathBuf, lsp_types::Diagnostic) {
    let range = |span: Span| Lines::new(&checked.sources.file(span.file).text, client.encoding).range(span);
    let own = match &checked.unit {
        Unit::Project(path) | Unit::Tests(_, path) | Unit::File(path) => path.as_path(),
    };
    let primary = diagnostic.primary.as_ref().map(|label| label.span);
    let path: &Path = primary.map_or(own, |span| &checked.paths[span.file.0 as usize]);
    let related = diagnostic.secondary.iter().filter_map(|label| {
        let uri = documents.uri(&checked.paths[label.span.file.0 as usize])?;
        let location = Location { uri, range: range(label.span) };
        Some(DiagnosticRelatedInformation { location, message: label.message.clone() })
    });
    let related: Vec<_> = related.collect();
    let unused = [codes::UNUSED_BINDING, codes::UNREACHED_ARM].contains(&diagnostic.code);
    let converted = lsp_types::Diagnostic {
        range: primary.map_or(Range::default(), range),
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(diagnostic.code.0.to_owned())),
        source: Some("clefc".into()),
        message: message(diagnostic),
        related_information: (!related.is_empty()).then_some(related),
        tags: unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..lsp_types::Diagnostic::default()
    };
    (path.to_owned(), converted)
}

/// The message, and below it what the compiler prints beside it.
fn message(diagnostic: &Diagnostic) -> String {
    let label = diagnostic.primary.iter().map(|label| label.message.clone()).filter(|message| !message.is_empty());
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let helps = diagnostic.proposals.iter().map(|proposal| format!("help: {}", proposal.message));
    let all = std::iter::once(diagnostic.message.clone()).chain(label).chain(notes).chain(helps);
    let mut lines: Vec<String> = Vec::new();
    for line in all {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}
