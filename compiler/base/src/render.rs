//! The renderer of diagnostics, over annotate-snippets.

use crate::{
    Diagnostic, Severity, SourceMap, Span,
    diagnostic::{Label, Proposal},
    visible,
};
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

/// Whether the output may be coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// ANSI escapes, for a terminal.
    Ansi,
    /// Plain text, for files and pipes.
    Plain,
}

/// Renders one diagnostic with its source excerpts; the result ends in a newline.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, colour: Colour) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(visible::message(&diagnostic.message)).id(diagnostic.code.0);
    let mut group = Group::with_title(title);
    for snippet in snippets(sources, diagnostic) {
        group = group.element(snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(visible::message(note)));
    }
    let (edits, words): (Vec<_>, Vec<_>) = diagnostic.proposals.iter().partition(|p| p.replacement.is_some());
    for proposal in words {
        group = group.element(Level::HELP.message(visible::message(&proposal.message)));
    }
    let mut report = vec![group];
    report.extend(edits.into_iter().map(|proposal| edit(sources, proposal)));
    let renderer = match colour {
        Colour::Ansi => Renderer::styled(),
        Colour::Plain => Renderer::plain(),
    };
    let mut text = renderer.render(&report);
    text.push('\n');
    text
}

/// The longest line that is shown; for longer ones only the location is printed.
const LONGEST_SHOWN_LINE: usize = 400;

/// One snippet per file, in the order of the labels.
fn snippets<'a>(
    sources: &'a SourceMap,
    diagnostic: &'a Diagnostic,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let labels = (diagnostic.primary.iter().map(|label| (AnnotationKind::Primary, label)))
        .chain(diagnostic.secondary.iter().map(|label| (AnnotationKind::Context, label)));
    let mut files: Vec<(crate::FileId, Vec<(AnnotationKind, &Label)>)> = Vec::new();
    for (kind, label) in labels {
        match files.iter_mut().find(|(file, _)| *file == label.span.file) {
            Some((_, labels)) => labels.push((kind, label)),
            None => files.push((label.span.file, vec![(kind, label)])),
        }
    }
    files.into_iter().map(|(file, labels)| snippet(sources.file(file), &labels)).collect()
}

fn snippet<'a>(
    file: &'a crate::source::SourceFile,
    labels: &[(AnnotationKind, &'a Label)],
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let (from, to) = window(&file.text, labels.iter().map(|(_, label)| label.span));
    let first_line = file.line_column(from as u32).line as usize;
    let mut snippet = Snippet::source(&file.text[from..to]).line_start(first_line).path(visible::name(&file.name));
    for (kind, label) in labels {
        let range = (label.span.start as usize - from)..(label.span.end as usize - from);
        let annotation = kind.span(range);
        snippet = snippet.annotation(match label.message.as_str() {
            "" => annotation,
            message => annotation.label(visible::message(message)),
        });
    }
    snippet
}

/// The range to show: the whole file, or, if a labelled line is very long, only the part around the labels.
fn window(text: &str, spans: impl Iterator<Item = Span>) -> (usize, usize) {
    let (start, end) =
        spans.fold((text.len(), 0), |(start, end), span| (start.min(span.start as usize), end.max(span.end as usize)));
    let line_start = text[..start.min(text.len())].rfind('\n').map_or(0, |index| index + 1);
    let line_end = text[end.min(text.len())..].find('\n').map_or(text.len(), |index| end + index);
    let longest = text[line_start..line_end].lines().map(str::len).max().unwrap_or(0);
    if longest <= LONGEST_SHOWN_LINE {
        return (0, text.len());
    }
    let near = |offset: usize| (0..=offset).rev().find(|&offset| text.is_char_boundary(offset)).unwrap_or(0);
    let from = near(start.saturating_sub(LONGEST_SHOWN_LINE / 4)).max(line_start);
    let to = near((end + LONGEST_SHOWN_LINE / 4).min(line_end)).max(end);
    (from, to)
}

fn edit<'a>(sources: &'a SourceMap, proposal: &'a Proposal) -> Group<'a> {
    let (span, text) = proposal.replacement.as_ref().expect("only a proposal with an edit is rendered here");
    let file = sources.file(span.file);
    let (from, to) = window(&file.text, std::iter::once(*span));
    let range = (span.start as usize - from)..(span.end as usize - from);
    Group::with_title(Level::HELP.secondary_title(visible::message(&proposal.message))).element(
        Snippet::source(&file.text[from..to])
            .line_start(file.line_column(from as u32).line as usize)
            .path(visible::name(&file.name))
            .patch(Patch::new(range, text.as_str())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    fn shown(text: &str, make: impl Fn(crate::FileId) -> Diagnostic) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", text);
        render(&sources, &make(file), Colour::Plain)
    }

    #[test]
    fn shows_place_reason_and_proposal() {
        let text = shown("let x = 1\nlet y = z\n", |file| {
            Diagnostic::error(codes::UNREADABLE_FILE, Span::new(file, 18, 19), "cannot find `z`")
                .label("not bound")
                .also(Span::new(file, 4, 5), "`x` is bound here")
                .note("names are bound before they are used")
                .help("write `x`")
        });
        for part in
            ["error[E0001]: cannot find `z`", "a.clef:2:9", "not bound", "`x` is bound here", "= help: write `x`"]
        {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }

    #[test]
    fn a_very_long_line_is_cut() {
        let long = "x".repeat(1_000_000);
        let text = shown(&long, |file| {
            Diagnostic::error(codes::UNREADABLE_FILE, Span::new(file, 500_000, 500_001), "wrong").label("here")
        });
        assert!(text.len() < 2_000, "{} bytes", text.len());
    }
}
