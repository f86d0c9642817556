//! Signature help: the function that is being called, and which argument is at the cursor.
//!
//! In: a position. Out: the signature. A marker is inserted as an argument, if there is none at the cursor, so that the application is
//! parsed as the editor's user means it.

use crate::{
    features::hover::comment_above,
    view::{Marked, View},
};
use clef_base::Span;
use clef_check::index::{Index, Signature};
use clef_syntax::ast::{Ast, ExprId, ExprKind, Path};
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position, SignatureHelp,
    SignatureInformation,
};

/// The signature of the innermost function that is applied at a position.
pub(crate) fn help(view: &mut View<'_>, position: Position) -> Option<SignatureHelp> {
    let cursor = view.offset(position) as usize;
    let text = view.text();
    let separates = |one: char| one.is_whitespace() || "(),;]}|".contains(one);
    let free = text[..cursor].ends_with(separates) && (cursor == text.len() || text[cursor..].starts_with(separates));
    if free {
        let Marked { mut index, tree, span, sources } = view.with_marker(cursor..cursor)?;
        let call = called(&tree, span)?;
        return shown(&mut index, &call, |span| comment_above(&sources, span));
    }
    let span = Span::new(view.file, cursor, cursor);
    let call = called(view.tree()?, span)?;
    let sources = view.sources;
    shown(view.index, &call, |span| comment_above(sources, span))
}

/// A call around the cursor.
struct Call {
    /// The name of the function.
    function: Span,
    /// The number of the argument.
    argument: usize,
    /// The number of the component, if the argument is a tuple.
    component: usize,
}

/// The innermost application with an argument at a span.
fn called(tree: &Ast, at: Span) -> Option<Call> {
    let applications = tree.exprs.iter().filter_map(|(_, expr)| {
        let ExprKind::Apply { function, arguments } = &expr.kind else { return None };
        let ExprKind::Name(path) = &tree.exprs[*function].kind else { return None };
        let argument = arguments.iter().position(|argument| tree.exprs[*argument].span.contains(at))?;
        Some((expr.span, call(tree, path, arguments[argument], argument, at)))
    });
    applications.min_by_key(|(span, _)| span.end - span.start).map(|(_, call)| call)
}

fn call(tree: &Ast, path: &Path, argument: ExprId, number: usize, at: Span) -> Call {
    let component = if let ExprKind::Tuple(parts) = &tree.exprs[argument].kind {
        parts.iter().position(|part| tree.exprs[*part].span.contains(at)).unwrap_or(0)
    } else {
        0
    };
    let function = path.segments[path.segments.len() - 1].span;
    Call { function, argument: number, component }
}

fn shown(index: &mut Index, call: &Call, docs: impl FnOnce(Span) -> Option<String>) -> Option<SignatureHelp> {
    let entity = index.at(call.function.file, call.function.start)?.entity;
    let signature = index.signature(entity)?;
    let is_case = matches!(entity, clef_check::Entity::Case(_));
    let active = if is_case { call.component } else { call.argument };
    let (label, parameters) = if is_case { of_case(&signature) } else { of_function(&signature) };
    let documentation = index.declaration(entity).and_then(docs);
    let documentation =
        documentation.map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
    let active = (active < parameters.len()).then_some(active as u32);
    let signature =
        SignatureInformation { label, documentation, parameters: Some(parameters), active_parameter: active };
    Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active })
}

/// `add: x: int -> y: int -> int`.
fn of_function(signature: &Signature) -> (String, Vec<ParameterInformation>) {
    let parts: Vec<String> = signature.parameters.iter().map(parameter).collect();
    let all: Vec<&str> = parts.iter().map(String::as_str).chain([signature.result.as_str()]).collect();
    let label = format!("{}: {}", signature.name, all.join(" -> "));
    (label, parts.into_iter().map(information).collect())
}

/// `Circle (radius: float)`.
fn of_case(signature: &Signature) -> (String, Vec<ParameterInformation>) {
    let parts: Vec<String> = signature.parameters.iter().map(parameter).collect();
    (format!("{} ({})", signature.name, parts.join(", ")), parts.into_iter().map(information).collect())
}

fn parameter((name, ty): &(Option<clef_base::Symbol>, String)) -> String {
    let ty = if ty.contains("->") && !ty.starts_with('(') { format!("({ty})") } else { ty.clone() };
    match name {
        Some(name) => format!("{name}: {ty}"),
        None => ty,
    }
}

fn information(label: String) -> ParameterInformation {
    ParameterInformation { label: ParameterLabel::Simple(label), documentation: None }
}
