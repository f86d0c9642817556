//! Selection ranges: the expressions, patterns, types and declarations around a position, the innermost first.

use crate::{
    outline,
    positions::{Encoding, Lines},
};
use clef_base::{FileId, SourceMap, Span};
use lsp_types::{Position, SelectionRange};

/// The ranges around each position.
pub(crate) fn ranges(
    sources: &SourceMap,
    file: FileId,
    encoding: Encoding,
    positions: &[Position],
) -> Vec<SelectionRange> {
    let text = &sources.file(file).text;
    let lines = Lines::new(text, encoding);
    let (tree, _) = clef_syntax::parse(sources, file);
    let mut spans: Vec<Span> = tree.exprs.iter().map(|(_, expr)| expr.span).collect();
    spans.extend(tree.patterns.iter().map(|(_, pattern)| pattern.span));
    spans.extend(tree.types.iter().map(|(_, ty)| ty.span));
    spans.extend(clef_syntax::bindings::bindings(&tree).iter().map(|binding| binding.span));
    outline::each(&outline::items(&tree), "", &mut |item, _| spans.extend([item.span, item.name_span]));
    spans.push(Span::new(file, 0, text.len()));
    positions.iter().map(|position| around(&spans, lines.offset(*position) as u32, &lines)).collect()
}

fn around(spans: &[Span], offset: u32, lines: &Lines<'_>) -> SelectionRange {
    let mut found: Vec<Span> =
        spans.iter().copied().filter(|span| span.start <= offset && offset <= span.end).collect();
    // Spans of a tree are nested; the longest comes first.
    found.sort_by_key(|span| (std::cmp::Reverse(span.end - span.start), span.start));
    found.dedup();
    let mut chain: Option<(Span, SelectionRange)> = None;
    for span in found {
        if chain.as_ref().is_some_and(|(outer, _)| !outer.contains(span)) {
            continue;
        }
        let parent = chain.take().map(|(_, outer)| Box::new(outer));
        chain = Some((span, SelectionRange { range: lines.range(span), parent }));
    }
    chain.map_or_else(|| SelectionRange { range: lsp_types::Range::default(), parent: None }, |(_, range)| range)
}
