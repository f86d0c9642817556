//! Memory: where what the program makes lives, and the stack that a function takes.
//!
//! In: a name or an expression. Out: Markdown. It is shown once it is computed, for programs without errors.

use crate::{frames::Frames, storage::Allocations, view::View};
use clef_base::{HashSet, Span};
use clef_storage::place::{Lambda, Representation};
use clef_syntax::ast::{Ast, BindingHead, ExprId, ExprKind};

/// What is said of a function that directly is the result of another one.
pub(crate) const MERGED: &str = "*closure*: **none** because its parameters are further ones of the function around it";

/// What is made at a name or an expression: where it lives, the layout of a closure, and how its values are stored. Nothing is said of
/// what only contains the place.
pub(crate) fn storage(view: &View<'_>, span: Span) -> Vec<String> {
    let Some(storage) = view.idle.storage else { return Vec::new() };
    let mut makers = vec![bound_to(view, span).unwrap_or(span)];
    makers.extend(view.tree().map(|tree| calls_of(tree, span)).unwrap_or_default());
    let mut parts = Vec::new();
    for row in storage.rows.iter().filter(|row| makers.contains(&view.allocated(row))) {
        parts.push(format!("*{}*: **{}** because {}", row.what, row.storage.to_lowercase(), row.reason));
        parts.extend(storage.layouts.get(&row.place).map(|layout| format!("```text\n{layout}```")));
    }
    parts.extend(makers.iter().filter_map(|place| without_allocation(storage, *place)));
    let mut seen = HashSet::default();
    parts.retain(|part| seen.insert(part.clone()));
    parts
}

/// What represents the values of a function, if none is allocated.
fn without_allocation(storage: &Allocations, place: Span) -> Option<String> {
    let is_kept = |lambda: &Lambda| lambda.place == place;
    let stored = storage.stored.iter().find(|stored| stored.kept.iter().flatten().any(is_kept));
    if let Some(stored) = stored {
        let lambdas = stored.kept.as_ref().map(Vec::as_slice).unwrap_or_default();
        let captures = lambdas.iter().find(|lambda| is_kept(lambda)).map(|lambda| lambda.captures.join(", "));
        let captures = captures.filter(|captures| !captures.is_empty()).unwrap_or_else(|| "nothing".to_owned());
        let which = match lambdas.len() {
            1 => "as the only lambda".to_owned(),
            count => format!("as one of {count} lambdas"),
        };
        return Some(format!("*value of type {}*: **stored by value**, {which}, capturing {captures}", stored.ty));
    }
    match storage.lambdas.get(&place)? {
        Representation::Vanished => Some("*closure*: **none** because it is called directly, or inlined".into()),
        Representation::Constant => Some("*closure*: **constant** because it captures nothing".into()),
        Representation::Stored | Representation::Allocated(_) => None,
    }
}

/// The calls whose function has its name at a place: `f x`, `m.f x y` and `x |> f y`.
fn calls_of(tree: &Ast, name: Span) -> Vec<Span> {
    let calls = tree.exprs.iter().filter(|(id, expr)| {
        expr.span.contains(name) && expr.span != name && head(tree, *id).is_some_and(|head| head == name)
    });
    calls.map(|(_, expr)| expr.span).collect()
}

/// The name of the function that an expression calls.
fn head(tree: &Ast, expr: ExprId) -> Option<Span> {
    let expr = &tree.exprs[expr];
    if let ExprKind::Name(path) = &expr.kind {
        path.segments.last().map(|last| last.span)
    } else if let ExprKind::Apply { function, .. } | ExprKind::TypeApply { function, .. } = &expr.kind {
        head(tree, *function)
    } else if let ExprKind::Binary { operator, right, .. } = &expr.kind
        && operator.symbol.as_str() == "|>"
    {
        head(tree, *right)
    } else {
        None
    }
}

/// What the frames of a function take, once the program is compiled.
pub(crate) fn frame(view: &View<'_>, function: Span) -> Option<String> {
    let Frames { board, level, functions } = view.idle.frames?;
    let of = format!("on `{board}` at `{level}`");
    let Some(frames) = functions.get(&view.sources.place(function)) else {
        return Some(format!("*stack*: no frame of its own {of}: it is inlined or never called"));
    };
    let least = frames.iter().map(|frame| frame.bytes).min()?;
    let most = frames.iter().map(|frame| frame.bytes).max()?;
    let need: Option<Vec<u64>> = frames.iter().map(|frame| frame.need).collect();
    let below = match need.and_then(|need| need.into_iter().max()) {
        Some(need) => format!("at most {need} bytes with the calls below it"),
        None => "without a bound of the calls below it".into(),
    };
    Some(match least == most {
        true => format!("*stack*: frame of **{most} bytes** {of}, {below}"),
        false => format!("*stack*: frames of **{least} to {most} bytes** {of}, {below}"),
    })
}

/// The expression that a declared name is bound to.
fn bound_to(view: &View<'_>, name: Span) -> Option<Span> {
    let tree = view.tree()?;
    let bindings = clef_syntax::bindings::bindings(tree);
    let binding = bindings.into_iter().find(|binding| match &binding.head {
        BindingHead::Function { name: own, .. } => own.span == name,
        BindingHead::Pattern(pattern) => tree.patterns[*pattern].span == name,
    })?;
    Some(tree.exprs[binding.body].span)
}
