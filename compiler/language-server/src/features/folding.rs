//! Folding: declarations, expressions and comments of several lines.
//!
//! In: a text. Out: ranges of lines. Holds: at most one range starts on a line.

use crate::{
    outline,
    positions::{Encoding, Lines},
};
use clef_base::{FileId, SourceMap};
use clef_syntax::ast::{DeclarationKind, ExprKind};
use lsp_types::{FoldingRange, FoldingRangeKind};
use std::collections::BTreeMap;

/// The ranges of a file.
pub(crate) fn ranges(sources: &SourceMap, file: FileId, encoding: Encoding) -> Vec<FoldingRange> {
    let text = &sources.file(file).text;
    let lines = Lines::new(text, encoding);
    let (tree, _) = clef_syntax::parse(sources, file);
    let mut found: BTreeMap<usize, (usize, Option<FoldingRangeKind>)> = BTreeMap::new();
    let mut add = |first: usize, last: usize, kind: Option<FoldingRangeKind>| {
        if first < last && found.get(&first).is_none_or(|(known, _)| *known < last) {
            found.insert(first, (last, kind));
        }
    };
    let of = |start: u32, end: u32| (lines.line_of(start as usize), lines.line_of(end as usize));
    outline::each(&outline::items(&tree), "", &mut |item, _| {
        let (first, last) = of(item.name_span.start, item.span.end);
        add(first, last, None);
    });
    for binding in outline::bindings(&tree) {
        let (first, last) = of(binding.span.start, binding.span.end);
        add(first, last, None);
    }
    for (_, expr) in tree.exprs.iter() {
        if !matches!(expr.kind, ExprKind::Block(_)) {
            let (first, last) = of(expr.span.start, expr.span.end);
            add(first, last, None);
        }
    }
    let opens = tree.declarations.iter().filter(|one| matches!(one.kind, DeclarationKind::Open(_)));
    let opens: Vec<usize> = opens.map(|one| lines.line_of(one.span.start as usize)).collect();
    for (first, last) in runs(&opens) {
        add(first, last, Some(FoldingRangeKind::Imports));
    }
    let count = text.matches('\n').count() + 1;
    let comments: Vec<usize> = (0..count).filter(|line| lines.line(*line).trim_start().starts_with("//")).collect();
    for (first, last) in runs(&comments) {
        add(first, last, Some(FoldingRangeKind::Comment));
    }
    let range = |(first, (last, kind)): (usize, (usize, Option<FoldingRangeKind>))| FoldingRange {
        start_line: first as u32,
        end_line: last as u32,
        kind,
        ..FoldingRange::default()
    };
    found.into_iter().map(range).collect()
}

/// The first and the last of each run of numbers that follow each other.
fn runs(numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            Some(_) | None => runs.push((number, number)),
        }
    }
    runs
}
