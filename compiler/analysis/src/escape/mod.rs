//! Escapes of closures that capture a `let mutable` by reference.
//!
//! In: a checked PSG. Out: an error for each closure that may be used after the frame of a captured slot is gone, or, for a
//! slot of a loop body, in a later iteration. Then every slot outlives all closures that capture its address. The analysis
//! follows values forward through the program with one summary per parameter (as in Shivers, "Control-flow analysis of
//! higher-order languages", 1991, of order zero within functions and by summaries between them). For an unknown callee it
//! assumes the worst.

mod flow;
mod holds;
mod summary;
#[cfg(test)]
mod tests;
mod uses;

use clef_base::{Diagnostic, HashMap, HashSet, Span, codes};
use clef_psg::{Capture, CaptureMode, LambdaId, Psg, Scope, VariableId};
use clef_types::TypeKind;
use flow::{At, Context, Ends, Step, follow, function_name};
use summary::{Kept, Summaries};
use uses::Uses;

/// Finds the closures that outlive a slot that they capture by reference.
pub fn check(psg: &Psg) -> Vec<Diagnostic> {
    let by_reference = |capture: &&Capture| capture.mode == CaptureMode::Reference;
    if !psg.lambdas.iter().any(|(_, lambda)| lambda.captures.iter().any(|capture| by_reference(&capture))) {
        return Vec::new();
    }
    let uses = Uses::of(psg);
    let (summaries, types) = Summaries::of_program(psg, &uses, psg.types.clone());
    let mut context = Context { psg, uses: &uses, summaries: &summaries, types };
    let mut found: HashMap<(VariableId, LambdaId), Escape> = HashMap::default();
    for (id, lambda) in psg.lambdas.iter() {
        for capture in lambda.captures.iter().filter(by_reference) {
            if let Some(escape) = escape(&mut context, id, capture) {
                found.insert((capture.variable, id), escape);
            }
        }
    }
    let mut reported: HashSet<(VariableId, Option<Span>)> = HashSet::default();
    let mut diagnostics = outermost(&uses, found);
    diagnostics.retain(|(slot, escape)| escape.place.is_none() || reported.insert((*slot, escape.place)));
    diagnostics.into_iter().map(|(_, escape)| escape.diagnostic).collect()
}

/// A closure that may outlive a slot.
struct Escape {
    diagnostic: Diagnostic,
    /// Where it leaves the slot's frame, if that is not the closure itself. Of several closures that leave there together,
    /// one is reported.
    place: Option<Span>,
}

/// Removes closures within another closure that is reported for the same slot; in source order.
fn outermost(uses: &Uses, found: HashMap<(VariableId, LambdaId), Escape>) -> Vec<(VariableId, Escape)> {
    let reported: HashSet<(VariableId, LambdaId)> = found.keys().copied().collect();
    let inner = |&(slot, lambda): &(VariableId, LambdaId)| {
        reported
            .iter()
            .any(|&(other, outer)| other == slot && outer != lambda && uses.within(Some(lambda), Some(outer)))
    };
    let mut escapes: Vec<(VariableId, Escape)> =
        found.into_iter().filter(|(key, _)| !inner(key)).map(|((slot, _), escape)| (slot, escape)).collect();
    escapes.sort_by_key(|(_, escape)| escape.diagnostic.primary.as_ref().map(|label| label.span));
    escapes
}

/// The error for a closure that may outlive a slot that it captures.
fn escape(context: &mut Context, lambda: LambdaId, capture: &Capture) -> Option<Escape> {
    if context.psg.variables[capture.variable].scope == Scope::Module {
        return None;
    }
    let node = *context.uses.nodes.get(&lambda)?;
    let owner = context.uses.home(capture.variable);
    let Ends { returned, kept, .. } = follow(context, At::Node(node), owner, false);
    let (path, why) = match (returned, kept.into_iter().next()) {
        (Some(path), _) => (path, None),
        (None, Some(Kept { path, why, .. })) => (path, why),
        (None, None) => return None,
    };
    let place = path.last().map(|step| step.span);
    Some(Escape { diagnostic: report(context, lambda, capture, path, why), place })
}

/// The source construct of a lambda: a function, or an expression that the checker makes a function of.
fn written(context: &Context, lambda: LambdaId) -> &'static str {
    let (psg, uses) = (context.psg, context.uses);
    let call = uses.nodes.get(&lambda).and_then(|&node| uses.made_call(psg, node));
    match call.map(|call| context.types.kind(psg.nodes[call].ty)) {
        Some(TypeKind::Declared(made, _)) => match psg.declared_types[*made].name.as_str() {
            "Lazy" => "lazy value",
            "seq" => "sequence",
            _ => "closure",
        },
        _ => "closure",
    }
}

fn report(context: &Context, lambda: LambdaId, capture: &Capture, path: Vec<Step>, why: Option<String>) -> Diagnostic {
    let psg = context.psg;
    let slot = &psg.variables[capture.variable];
    let name = slot.name;
    let home = context.uses.home(capture.variable);
    let gone = match home.frame {
        _ if home.inside != 0 => "allocated again in each iteration of its loop".to_owned(),
        Some(frame) => format!("freed when {} returns", function_name(psg, frame)),
        None => "freed when the initialiser ends".to_owned(),
    };
    let what = written(context, lambda);
    let message = format!("a {what} that captures the mutable variable `{name}` outlives it");
    let mut diagnostic = Diagnostic::error(codes::ESCAPING_SLOT, capture.first_use, message)
        .label("captured by reference here")
        .also(slot.span, format!("this is on the stack, and {gone}"));
    if psg.lambdas[lambda].name.is_none() {
        diagnostic = diagnostic.also(psg.lambdas[lambda].span, format!("this is the {what}"));
    }
    for step in path {
        diagnostic = diagnostic.also(step.span, step.message);
    }
    if let Some(why) = why {
        diagnostic = diagnostic.note(why);
    }
    diagnostic.help(format!(
        "make it a ref cell, which lives as long as it is used: `let {name} = ref …`, then `{name}.Value`"
    ))
}
