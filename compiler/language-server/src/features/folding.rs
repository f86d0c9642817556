//! Folding: declarations, expressions, comments and branches of `#if` of several lines.
//!
//! In: a text. Out: ranges of lines. Holds: at most one range starts on a line.

use crate::{
    outline,
    positions::{Encoding, Lines},
};
use clef_base::{FileId, SourceMap};
use clef_syntax::{
    ast::{DeclarationKind, ExprKind},
    bindings, lexer,
};
use lsp_types::{FoldingRange, FoldingRangeKind};
use std::{collections::BTreeMap, ops::Range};

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
    for binding in bindings::bindings(&tree) {
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
    for part in between_tokens(sources, file) {
        let (first, last) = of(part.start, part.end);
        add(first, last, Some(part.kind));
    }
    let range = |(first, (last, kind)): (usize, (usize, Option<FoldingRangeKind>))| FoldingRange {
        start_line: first as u32,
        end_line: last as u32,
        kind,
        ..FoldingRange::default()
    };
    found.into_iter().map(range).collect()
}

/// A part of a text that is no token.
struct Part {
    start: u32,
    end: u32,
    kind: FoldingRangeKind,
}

/// The comments in `(* *)`, and the branches of conditions: each up to the line before the next, the last up to `#endif`.
fn between_tokens(sources: &SourceMap, file: FileId) -> Vec<Part> {
    let text = &sources.file(file).text;
    let (tokens, _) = lexer::lex(file, text, &|name| sources.is_defined(file, name));
    let mut parts = Vec::new();
    let mut branches = Vec::new();
    let mut from = 0;
    for token in tokens {
        let gap = from..(token.span.start as usize).max(from);
        from = token.span.end as usize;
        of_gap(text, gap, &mut branches, &mut parts);
    }
    parts
}

/// The parts between two tokens; `branches` are the offsets of those that are open.
fn of_gap(text: &str, gap: Range<usize>, branches: &mut Vec<usize>, parts: &mut Vec<Part>) {
    let mut add = |start: usize, end: usize, kind| parts.push(Part { start: start as u32, end: end as u32, kind });
    let mut position = gap.start;
    while position < gap.end {
        let rest = &text[position..gap.end];
        let line = rest.find('\n').unwrap_or(rest.len());
        if rest.starts_with(char::is_whitespace) {
            position += rest.chars().next().map_or(1, char::len_utf8);
        } else if rest.starts_with("(*") {
            let length = lexer::block_comment(rest).unwrap_or(rest.len());
            add(position, position + length, FoldingRangeKind::Comment);
            position += length;
        } else {
            let word = rest.strip_prefix('#').map_or("", |directive| directive[..line - 1].trim_start());
            if word.starts_with("if") {
                branches.push(position);
            } else if let Some(open) = branches.last_mut().filter(|_| word.starts_with("el")) {
                let before = text[..position].rfind('\n').unwrap_or(0);
                add(*open, before, FoldingRangeKind::Region);
                *open = position;
            } else if let Some(open) = word.starts_with("endif").then(|| branches.pop()).flatten() {
                add(open, position, FoldingRangeKind::Region);
            }
            // What a condition excludes is no token either.
            position += line;
        }
    }
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
