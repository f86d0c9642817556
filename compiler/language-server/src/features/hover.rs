//! Hover: what a name or an expression is, its documentation, the memory of what it makes, and the frame of a function.
//!
//! In: a position. Out: Markdown.

use crate::{
    features::{cursor, memory},
    view::View,
};
use clef_base::{SourceMap, Span};
use clef_check::{
    Entity, Use,
    index::{
        Category, Index,
        builtin_facts::{self, BuiltinFacts},
    },
};
use clef_documentation::{comment, language};
use clef_syntax::ast::{Ast, Declaration, DeclarationKind, ExprKind, TypeDeclaration, TypeExprKind};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};

/// The most lines of a type's declaration that are shown.
const LONGEST: usize = 20;

/// What is known about what is at a position.
pub(crate) fn hover(view: &mut View<'_>, position: Position) -> Option<Hover> {
    let offset = view.offset(position);
    let (span, mut parts, function) = match view.name_at_offset(offset) {
        Some(name) => (name.span, of_name(view, name), named_function(view, name.entity)),
        None => of_attribute(view, offset).or_else(|| of_expression(view, offset))?,
    };
    parts.extend(memory::storage(view, span));
    parts.extend(function.and_then(|function| memory::frame(view, function)));
    let value = parts.join("\n\n---\n\n");
    let range: Range = view.lines().range(span);
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(range) })
}

/// Where a function is declared.
fn named_function(view: &View<'_>, entity: Entity) -> Option<Span> {
    let Entity::Variable(variable) = entity else { return None };
    view.index.is_named_function(variable).then(|| view.index.declaration(entity))?
}

/// The description and the documentation of what a name refers to.
fn of_name(view: &mut View<'_>, Use { span, entity, .. }: Use) -> Vec<String> {
    if let Entity::Builtin(name) = entity
        && view.tree().is_some_and(|tree| is_in_type(tree, span))
    {
        return std::iter::once(code(&format!("type {name}")))
            .chain(builtin_facts::find_type(name).map(str::to_owned))
            .collect();
    }
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
    parts.extend(documentation(view.index, view.sources, entity));
    parts
}

/// What an attribute is for.
fn of_attribute(view: &View<'_>, offset: u32) -> Option<(Span, Vec<String>, Option<Span>)> {
    let name = cursor::attribute(view, offset as usize)?;
    let meaning = language::meaning_of_attribute(&name)?;
    let word = cursor::word_at(view.text(), offset as usize);
    Some((Span::new(view.file, word.start, word.end), vec![code(&format!("[<{name}>]")), meaning], None))
}

/// Whether a name is that of a type. Conversions have the names of types, too.
pub(crate) fn is_in_type(tree: &Ast, name: Span) -> bool {
    tree.types.iter().any(|(_, ty)| {
        matches!(&ty.kind, TypeExprKind::Name { path, .. } if path.segments.last().is_some_and(|last| last.span == name))
    })
}

/// The documentation of an entity.
pub(crate) fn documentation(index: &Index, sources: &SourceMap, entity: Entity) -> Option<String> {
    if let Entity::Builtin(name) = entity {
        return builtin_facts::find(name).map(BuiltinFacts::documentation);
    }
    comment_above(sources, index.declaration(entity)?)
}

/// The documentation of what is declared at a place.
fn comment_above(sources: &SourceMap, declared: Span) -> Option<String> {
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

/// The type of the innermost expression at an offset; the expression itself, if it is a function.
fn of_expression(view: &mut View<'_>, offset: u32) -> Option<(Span, Vec<String>, Option<Span>)> {
    let around = view.tree()?.exprs.iter().filter(|(_, expr)| expr.span.start <= offset && offset < expr.span.end);
    let (_, expr) = around.min_by_key(|(_, expr)| expr.span.end - expr.span.start)?;
    let is_function = matches!(expr.kind, ExprKind::Lambda { .. } | ExprKind::Function(_));
    let Some(ty) = view.index.type_at(expr.span) else {
        let merged = is_function && view.idle.storage.is_some();
        return merged.then(|| (expr.span, vec![memory::MERGED.to_owned()], None));
    };
    Some((expr.span, vec![code(&ty)], is_function.then_some(expr.span)))
}

/// A text as Clef.
pub(crate) fn code(text: &str) -> String {
    format!("```clef\n{text}\n```")
}
