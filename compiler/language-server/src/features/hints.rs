//! Inlay hints: types that are not written, names of parameters, and where allocations live.
//!
//! In: a range. Out: hints at places in it, in order. Parameters are named where an argument is a literal; types are shown where a
//! name is bound to something else than a literal or a function.

use crate::{
    outline::{self, Annotated},
    settings::Settings,
    view::View,
};
use clef_base::{HashSet, Span, Symbol};
use clef_check::{Entity, index::Parameter};
use clef_syntax::{
    ast::{Ast, Binding, BindingHead, ExprId, ExprKind, Literal, PatternId},
    bindings,
};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, Range};

/// The hints at one place.
struct Hint {
    offset: u32,
    label: String,
    kind: Option<InlayHintKind>,
    tooltip: Option<String>,
}

/// The hints in a range.
pub(crate) fn hints(view: &mut View<'_>, range: Range, settings: &Settings) -> Vec<InlayHint> {
    let lines = view.lines();
    let wanted = lines.offset(range.start) as u32..=lines.offset(range.end) as u32;
    let Some(tree) = view.tree() else { return Vec::new() };
    let mut found = Vec::new();
    if settings.type_hints {
        types(view, tree, &wanted, &mut found);
    }
    if settings.parameter_hints {
        parameters(view, tree, &wanted, &mut found);
    }
    if settings.storage_hints {
        storage(view, &mut found);
    }
    // Expressions that were parsed twice are twice in the tree.
    let mut seen = HashSet::default();
    found.retain(|hint| wanted.contains(&hint.offset) && seen.insert((hint.offset, hint.label.clone())));
    // At one place, the type of the last parameter stays before that of the result.
    found.sort_by_key(|hint| hint.offset);
    let shown = |hint: Hint| InlayHint {
        position: lines.position(hint.offset as usize),
        padding_left: Some(hint.kind.is_none()),
        padding_right: Some(hint.kind == Some(InlayHintKind::PARAMETER)),
        label: InlayHintLabel::String(hint.label),
        kind: hint.kind,
        text_edits: None,
        tooltip: hint.tooltip.map(InlayHintTooltip::String),
        data: None,
    };
    found.into_iter().map(shown).collect()
}

type Wanted = std::ops::RangeInclusive<u32>;

fn types(view: &mut View<'_>, tree: &Ast, wanted: &Wanted, found: &mut Vec<Hint>) {
    for binding in bindings::bindings(tree).into_iter().filter(|binding| touches(binding.span, wanted)) {
        of_binding(view, tree, binding, found);
    }
    for (_, expr) in tree.exprs.iter().filter(|(_, expr)| touches(expr.span, wanted)) {
        if let ExprKind::Lambda { parameters, .. } = &expr.kind {
            for parameter in parameters {
                of_pattern(view, tree, *parameter, found);
            }
        } else if let ExprKind::ForIn { pattern, .. } = &expr.kind {
            of_pattern(view, tree, *pattern, found);
        }
    }
}

fn of_binding(view: &mut View<'_>, tree: &Ast, binding: &Binding, found: &mut Vec<Hint>) {
    match &binding.head {
        BindingHead::Function { name, parameters, .. } => {
            for parameter in parameters {
                of_pattern(view, tree, *parameter, found);
            }
            let Some(entity) = view.index.at(view.file, name.span.start).map(|name| name.entity) else { return };
            let Some(last) = parameters.last().filter(|_| binding.annotation.is_none()) else { return };
            let Some(signature) = view.index.signature(entity) else { return };
            if signature.parameters.len() == parameters.len() {
                let end = after_brackets(view.text(), tree.patterns[*last].span.end);
                found.push(type_hint(end, &signature.result));
            }
        }
        BindingHead::Pattern(pattern) => {
            let is_plain = matches!(
                tree.exprs[binding.body].kind,
                ExprKind::Literal(_) | ExprKind::Lambda { .. } | ExprKind::Function(_) | ExprKind::Interpolated(_)
            );
            if !is_plain && binding.annotation.is_none() {
                of_pattern(view, tree, *pattern, found);
            }
        }
    }
}

/// The hints of the names in a pattern that have no annotation.
fn of_pattern(view: &mut View<'_>, tree: &Ast, pattern: PatternId, found: &mut Vec<Hint>) {
    for name in outline::names(tree, pattern, Annotated::Skipped) {
        let Some(used) = view.index.at(view.file, name.span.start).filter(|used| used.span == name.span) else {
            continue;
        };
        if let Entity::Variable(variable) = used.entity
            && used.declares
            && !name.symbol.as_str().starts_with('_')
        {
            found.push(type_hint(name.span.end, &view.index.type_of(variable)));
        }
    }
}

/// The longest type that is shown.
const LONGEST: usize = 60;

fn type_hint(offset: u32, ty: &str) -> Hint {
    let (label, tooltip) = match ty.chars().count() > LONGEST {
        true => (format!(": {}…", ty.chars().take(LONGEST).collect::<String>()), Some(ty.to_owned())),
        false => (format!(": {ty}"), None),
    };
    Hint { offset, label, kind: Some(InlayHintKind::TYPE), tooltip }
}

/// The offset after the brackets that close after an offset.
fn after_brackets(text: &str, offset: u32) -> u32 {
    let rest = &text[offset as usize..];
    offset + (rest.len() - rest.trim_start_matches(')').len()) as u32
}

fn parameters(view: &mut View<'_>, tree: &Ast, wanted: &Wanted, found: &mut Vec<Hint>) {
    for (_, expr) in tree.exprs.iter().filter(|(_, expr)| touches(expr.span, wanted)) {
        let ExprKind::Apply { function, arguments } = &expr.kind else { continue };
        let ExprKind::Name(path) = &tree.exprs[*function].kind else { continue };
        if !arguments.iter().any(|argument| parts(tree, *argument).iter().any(|part| is_literal(tree, *part))) {
            continue;
        }
        let last = path.segments[path.segments.len() - 1];
        let Some(used) = view.index.at(view.file, last.span.start).filter(|used| used.span == last.span) else {
            continue;
        };
        let Some(signature) = view.index.signature(used.entity) else { continue };
        let is_case = matches!(used.entity, Entity::Case(_));
        for (number, argument) in arguments.iter().enumerate() {
            let known: &[Parameter] = match signature.parameters.get(number) {
                // The fields of a case are the parts of its one argument.
                _ if is_case => &signature.parameters,
                Some(parameter) if !parameter.parts.is_empty() => &parameter.parts,
                Some(parameter) => std::slice::from_ref(parameter),
                None => break,
            };
            let parts = if known.len() == 1 { vec![*argument] } else { parts(tree, *argument) };
            for (part, parameter) in parts.iter().zip(known).filter(|(part, _)| is_literal(tree, **part)) {
                found.extend(parameter.name.map(|name| parameter_hint(tree.exprs[*part].span.start, name)));
            }
        }
    }
}

fn parameter_hint(offset: u32, name: Symbol) -> Hint {
    Hint { offset, label: format!("{name}:"), kind: Some(InlayHintKind::PARAMETER), tooltip: None }
}

/// The parts of a tuple, or the expression itself.
fn parts(tree: &Ast, expr: ExprId) -> Vec<ExprId> {
    if let ExprKind::Tuple(parts) = &tree.exprs[expr].kind { parts.clone() } else { vec![expr] }
}

fn is_literal(tree: &Ast, expr: ExprId) -> bool {
    matches!(&tree.exprs[expr].kind, ExprKind::Literal(literal) if *literal != Literal::Unit)
}

/// Where the allocations of the file live.
fn storage(view: &View<'_>, found: &mut Vec<Hint>) {
    let Some(storage) = view.idle.storage else { return };
    let mut seen: Vec<(Span, &str)> = Vec::new();
    for row in &storage.rows {
        let place = view.allocated(row);
        if place.file != view.file || seen.contains(&(place, row.storage)) {
            continue;
        }
        seen.push((place, row.storage));
        found.push(Hint {
            offset: place.end,
            label: format!("⟨{}⟩", row.storage.to_lowercase()),
            kind: None,
            tooltip: Some(format!("{}: {} because {}", row.what, row.storage.to_lowercase(), row.reason)),
        });
    }
}

fn touches(span: Span, wanted: &Wanted) -> bool {
    span.start <= *wanted.end() && *wanted.start() <= span.end
}
