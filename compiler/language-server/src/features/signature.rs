//! Signature help: the function that is being called, and which argument is at the cursor.
//!
//! In: a position. Out: the signature. A marker is inserted as an argument, if there is none at the cursor, so that the application is
//! parsed as the editor's user means it.

use crate::{
    features::hover,
    view::{Marked, View},
};
use clef_base::{SourceMap, Span};
use clef_check::index::{Index, Parameter, Signature};
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
        let Marked { mut index, tree, span, sources } = view.with_marker(cursor..cursor, "")?;
        let call = called(&tree, span)?;
        return shown(&mut index, &call, &sources);
    }
    let span = Span::new(view.file, cursor, cursor);
    let call = called(view.tree()?, span)?;
    shown(view.index, &call, view.sources)
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

fn shown(index: &mut Index, call: &Call, sources: &SourceMap) -> Option<SignatureHelp> {
    let entity = index.at(call.function.file, call.function.start)?.entity;
    let signature = index.signature(entity)?;
    let is_case = matches!(entity, clef_check::Entity::Case(_));
    let active = if is_case { call.component } else { active(&signature, call) };
    let (label, parameters) = if is_case { of_case(&signature) } else { of_function(&signature) };
    let documentation = hover::documentation(index, sources, entity);
    let documentation =
        documentation.map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
    let active = (active < parameters.len()).then_some(active as u32);
    let signature =
        SignatureInformation { label, documentation, parameters: Some(parameters), active_parameter: active };
    Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active })
}

/// `add: x: int -> y: int -> int`. A tuple that is taken apart has a parameter for each part.
fn of_function(signature: &Signature) -> (String, Vec<ParameterInformation>) {
    let label = format!("{}: {}", signature.name, signature.arrows());
    let shown = |parameter: &Parameter| match parameter.parts.as_slice() {
        [] => vec![parameter.before_arrow()],
        parts => parts.iter().map(Parameter::text).collect(),
    };
    (label, signature.parameters.iter().flat_map(shown).map(information).collect())
}

/// `Circle (radius: float)`.
fn of_case(signature: &Signature) -> (String, Vec<ParameterInformation>) {
    let parts: Vec<String> = signature.parameters.iter().map(Parameter::before_arrow).collect();
    (format!("{} ({})", signature.name, parts.join(", ")), parts.into_iter().map(information).collect())
}

/// The number of the parameter at the cursor, as [`of_function`] lists them.
fn active(signature: &Signature, call: &Call) -> usize {
    let before = signature.parameters.iter().take(call.argument).map(|parameter| parameter.parts.len().max(1));
    let parts = signature.parameters.get(call.argument).map_or(0, |parameter| parameter.parts.len());
    before.sum::<usize>() + call.component.min(parts.saturating_sub(1))
}

fn information(label: String) -> ParameterInformation {
    ParameterInformation { label: ParameterLabel::Simple(label), documentation: None }
}
