//! Hover: what a name or an expression is, its documentation, and where what it makes lives.
//!
//! In: a position. Out: Markdown. Storage is shown once it is computed, for programs without errors.

use crate::view::View;
use clef_base::{SourceMap, Span};
use clef_check::{Entity, index::Category};
use clef_documentation::comment;
use clef_syntax::ast::{BindingHead, Declaration, DeclarationKind, TypeDeclaration};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};

/// The most lines of a type's declaration that are shown.
const LONGEST: usize = 20;

/// What is known about what is at a position.
pub(crate) fn hover(view: &mut View<'_>, position: Position) -> Option<Hover> {
    let offset = view.offset(position);
    let (span, mut parts) = match view.name_at_offset(offset) {
        Some(name) => (name.span, of_entity(view, name.entity)),
        None => of_expression(view, offset)?,
    };
    parts.extend(storage(view, span));
    let value = parts.join("\n\n---\n\n");
    let range: Range = view.lines().range(span);
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(range) })
}

/// The description and the documentation of an entity.
fn of_entity(view: &mut View<'_>, entity: Entity) -> Vec<String> {
    let declared = view.index.declaration(entity);
    let described = match view.index.category(entity) {
        Category::Union | Category::Record | Category::Enum | Category::Type => {
            declared.and_then(|span| type_text(view, span)).unwrap_or_else(|| view.index.describe(entity))
        }
        Category::Function
        | Category::Value
        | Category::Mutable
        | Category::Case
        | Category::EnumValue
        | Category::Field
        | Category::Module
        | Category::Builtin => view.index.describe(entity),
    };
    let mut parts = vec![code(&described)];
    parts.extend(documentation(view, entity));
    parts
}

/// The documentation of an entity.
pub(crate) fn documentation(view: &View<'_>, entity: Entity) -> Option<String> {
    let declared = view.index.declaration(entity)?;
    comment_above(view.sources, declared)
}

/// The documentation of what is declared at a place.
pub(crate) fn comment_above(sources: &SourceMap, declared: Span) -> Option<String> {
    comment::above(&sources.file(declared.file).text, declared.start as usize).map(|comment| comment.text())
}

/// The declaration of a type.
fn type_text(view: &View<'_>, name: Span) -> Option<String> {
    let tree = view.tree_of(name.file)?;
    let declared = find_type(&tree.declarations, name)?;
    let text = view.sources.text(declared.span);
    let mut lines: Vec<&str> = text.lines().take(LONGEST).collect();
    if text.lines().count() > LONGEST {
        lines.push("    …");
    }
    let text = lines.join("\n");
    Some(if text.starts_with("type") { text } else { format!("type {text}") })
}

fn find_type(declarations: &[Declaration], name: Span) -> Option<&TypeDeclaration> {
    declarations.iter().find_map(|declaration| {
        if let DeclarationKind::Types(types) = &declaration.kind {
            types.iter().find(|declared| declared.name.span == name)
        } else if let DeclarationKind::Module { declarations, .. } = &declaration.kind {
            find_type(declarations, name)
        } else {
            None
        }
    })
}

/// The type of the innermost expression at an offset.
fn of_expression(view: &mut View<'_>, offset: u32) -> Option<(Span, Vec<String>)> {
    let spans = view.tree()?.exprs.iter().map(|(_, expr)| expr.span);
    let around = spans.filter(|span| span.start <= offset && offset < span.end);
    let span = around.min_by_key(|span| span.end - span.start)?;
    let ty = view.index.type_at(span)?;
    Some((span, vec![code(&ty)]))
}

/// Where what is made at a name or an expression lives, and the layout of a closure.
fn storage(view: &View<'_>, span: Span) -> Vec<String> {
    let Some(storage) = view.storage else { return Vec::new() };
    let bound = bound_to(view, span).unwrap_or(span);
    let innermost = storage.rows.iter().map(|row| row.place).filter(|place| place.contains(span));
    let innermost = innermost.min_by_key(|place| place.end - place.start);
    let mut parts = Vec::new();
    for row in storage.rows.iter().filter(|row| row.place == bound || Some(row.place) == innermost) {
        let text = format!("*{}*: **{}** because {}", row.what, row.storage.to_lowercase(), row.reason);
        if !parts.contains(&text) {
            parts.push(text);
        }
        if let Some(layout) = storage.layouts.get(&row.place) {
            let layout = format!("```text\n{layout}```");
            if !parts.contains(&layout) {
                parts.push(layout);
            }
        }
    }
    parts
}

/// The expression that a declared name is bound to.
fn bound_to(view: &View<'_>, name: Span) -> Option<Span> {
    let tree = view.tree()?;
    let bindings = crate::outline::bindings(tree);
    let binding = bindings.into_iter().find(|binding| match &binding.head {
        BindingHead::Function { name: own, .. } => own.span == name,
        BindingHead::Pattern(pattern) => tree.patterns[*pattern].span == name,
    })?;
    Some(tree.exprs[binding.body].span)
}

/// A text as Clef.
pub(crate) fn code(text: &str) -> String {
    format!("```clef\n{text}\n```")
}
