//! Renaming.
//!
//! In: a position, and a new name. Out: edits of all uses in the program and in the tests of its project, or why the name cannot be changed. Holds: the program with
//! the edits is checked before they are proposed; each of them still refers to the same declaration, and nothing else does.

use crate::{client::Failure, positions::Lines, related, view::View};
use clef_base::{FileId, Severity, Span};
use clef_check::{Use, index::Category};
use clef_syntax::{lexer, token::TokenKind};
use lsp_types::{Position, PrepareRenameResponse, TextEdit, Url, WorkspaceEdit};
use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};

/// The name at a position, if it can be changed.
pub(crate) fn prepare(view: &mut View<'_>, position: Position) -> Result<Option<PrepareRenameResponse>, Failure> {
    let Some(name) = view.name_at(position) else { return Ok(None) };
    check(view, name)?;
    let placeholder = unquoted(view.sources.text(name.span)).to_owned();
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder { range: view.lines().range(name.span), placeholder }))
}

/// The edits that change the name at a position.
pub(crate) fn rename(view: &mut View<'_>, position: Position, new: &str) -> Result<Option<WorkspaceEdit>, Failure> {
    let Some(name) = view.name_at(position) else { return Ok(None) };
    check(view, name)?;
    let written = written(view, new)?;
    let own = view.sources.text(name.span).to_owned();
    let uses: Vec<Use> = view.index.uses_of(name.entity).copied().collect();
    let spans: Vec<Span> = uses.iter().map(|name| name.span).collect();
    // Names that the language makes, such as those of cases by their position, are not in the text.
    let spans: Vec<Span> =
        spans.into_iter().filter(|span| unquoted(view.sources.text(*span)) == unquoted(&own)).collect();
    if spans.len() != uses.len() {
        return Err(Failure::rejected(format!("`{own}` is also used without its name")));
    }
    verify(view, name, &spans, &written)?;
    let mut changes: HashMap<Url, Vec<TextEdit>> = HashMap::new();
    for span in &spans {
        let Some(location) = view.location(*span) else { continue };
        let edit = TextEdit { range: location.range, new_text: written.clone() };
        changes.entry(location.uri).or_default().push(edit);
    }
    in_related(view, name, &spans, &written, &mut changes)?;
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

/// Adds the edits in the other programs of the project, which must have no more errors with all edits than before.
fn in_related(
    view: &View<'_>,
    name: Use,
    spans: &[Span],
    new: &str,
    changes: &mut HashMap<Url, Vec<TextEdit>>,
) -> Result<(), Failure> {
    let own: Vec<(PathBuf, String)> = by_file(spans)
        .into_iter()
        .map(|(file, spans)| (view.path(file).to_owned(), edited(&view.sources.file(file).text, &spans, new)))
        .collect();
    for related in related::related(view, name.entity) {
        let spans: Vec<Span> = related.uses.iter().map(|name| name.span).collect();
        let mut texts = own.clone();
        for (file, spans) in by_file(&spans) {
            let (path, text) = (&related.checked.paths[file.0 as usize], &related.checked.sources.file(file).text);
            texts.push((path.clone(), edited(text, &spans, new)));
            let lines = Lines::new(text, view.client.encoding);
            let edits = spans.iter().map(|span| TextEdit { range: lines.range(*span), new_text: new.to_owned() });
            let Some(uri) = view.documents.uri(path) else { continue };
            changes.entry(uri).or_default().extend(edits);
        }
        let documents = view.documents.with_texts(texts);
        if related::errors_with(view, &related, &documents) > related::errors(&related.checked) {
            let file = related.checked.unit.place().display();
            return Err(Failure::rejected(format!("`{new}` would cause errors in `{file}`")));
        }
    }
    Ok(())
}

/// The spans of each file.
fn by_file(spans: &[Span]) -> BTreeMap<FileId, Vec<Span>> {
    let mut files: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
    for span in spans {
        files.entry(span.file).or_default().push(*span);
    }
    files
}

/// Checks that a name is one of the program.
fn check(view: &mut View<'_>, name: Use) -> Result<(), Failure> {
    let text = view.sources.text(name.span);
    if view.is_given(name.entity) {
        return Err(Failure::rejected(format!("`{text}` belongs to the library or to the language")));
    }
    if view.index.category(name.entity) == Category::Module {
        return Err(Failure::rejected("modules cannot be renamed: their names are also those of files"));
    }
    if !unquoted(text).starts_with(|first: char| first.is_alphabetic() || first == '_') {
        return Err(Failure::rejected("operators cannot be renamed"));
    }
    Ok(())
}

/// A new name as it is written: in backquotes, if it is no word.
fn written(view: &View<'_>, new: &str) -> Result<String, Failure> {
    let is_name = |text: &str| {
        let (tokens, diagnostics) = lexer::lex(view.file, text, &|_| false);
        let only = matches!(tokens.as_slice(), [first, _] if matches!(first.kind, TokenKind::Identifier(_)));
        only && diagnostics.is_empty()
    };
    let quoted = format!("``{}``", unquoted(new));
    match (is_name(new), is_name(&quoted)) {
        (true, _) => Ok(new.to_owned()),
        (false, true) => Ok(quoted),
        (false, false) => Err(Failure::rejected(format!("`{new}` is not a name"))),
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix("``").and_then(|text| text.strip_suffix("``")).unwrap_or(text)
}

/// Checks the program with the edits: no further errors, and the same uses.
fn verify(view: &View<'_>, name: Use, spans: &[Span], new: &str) -> Result<(), Failure> {
    let files = by_file(spans);
    if files.keys().any(|file| view.is_of_library(*file)) {
        return Err(Failure::rejected("the library uses it"));
    }
    let own = view.sources.text(name.span);
    let captured = || Failure::rejected(format!("`{new}` would refer to something else where `{own}` is used"));
    let texts: Vec<(FileId, String)> =
        files.iter().map(|(file, spans)| (*file, edited(&view.sources.file(*file).text, spans, new))).collect();
    let after = view.with_texts(texts);
    let errors = |diagnostics: &[clef_base::Diagnostic]| {
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    };
    if errors(&after.diagnostics) > errors(view.diagnostics) {
        return Err(captured());
    }
    let moved: Vec<Span> = files.values().flat_map(|spans| moved(spans, new.len() as u32)).collect();
    let Some(first) = moved.first().and_then(|span| after.index.at(span.file, span.start)) else {
        return Err(captured());
    };
    let found: Vec<Span> = after.index.uses_of(first.entity).map(|name| name.span).collect();
    if found == moved { Ok(()) } else { Err(captured()) }
}

/// A text with another name.
fn edited(text: &str, spans: &[Span], new: &str) -> String {
    let mut text = text.to_owned();
    for span in spans.iter().rev() {
        text.replace_range(span.start as usize..span.end as usize, new);
    }
    text
}

/// Where the spans of a file are afterwards.
fn moved(spans: &[Span], length: u32) -> Vec<Span> {
    let mut shift = 0i64;
    let moved = spans.iter().map(|span| {
        let start = (i64::from(span.start) + shift) as u32;
        shift += i64::from(length) - i64::from(span.end - span.start);
        Span { start, end: start + length, ..*span }
    });
    moved.collect()
}
