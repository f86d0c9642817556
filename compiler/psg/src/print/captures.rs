//! The captures of every lambda of the program, for `--emit captures`.
//!
//! One line per lambda with its name and span, then one line per capture: name, type, mode, first use. Library lambdas are
//! omitted.

use super::{psg::own_items, types::type_text};
use crate::{CaptureMode, Item, LambdaId, NodeId, NodeKind, Part, Psg, Scope, VariableId};
use clef_base::{SourceMap, Span};
use std::fmt::Write;

/// The lambdas of the program with their captures, in source order.
pub fn captures_text(psg: &Psg, sources: &SourceMap) -> String {
    let mut text = String::new();
    for lambda in lambdas(psg) {
        describe(psg, sources, lambda, &mut text);
    }
    text
}

fn describe(psg: &Psg, sources: &SourceMap, id: LambdaId, text: &mut String) {
    let lambda = &psg.lambdas[id];
    let name = lambda.name.map_or("fun", |variable| psg.variables[variable].path.as_str());
    let none = if lambda.captures.is_empty() { ": nothing" } else { "" };
    let _ = writeln!(text, "{name} at {}{none}", sources.place(lambda.span));
    for capture in &lambda.captures {
        let variable = &psg.variables[capture.variable];
        let mode = match capture.mode {
            CaptureMode::Value => "value",
            CaptureMode::Reference => "reference",
        };
        let place = sources.place(capture.first_use);
        let ty = type_text(psg, variable.ty);
        let _ = writeln!(text, "  {} : {ty} by {mode}, first used at {place}", variable.name);
    }
}

/// The spans of the program's lambdas and local functions, outer before inner.
pub fn closure_spans(psg: &Psg) -> Vec<Span> {
    let of_module = |name: VariableId| psg.variables[name].scope == Scope::Module;
    let lambdas = lambdas(psg).into_iter().map(|lambda| &psg.lambdas[lambda]);
    lambdas.filter(|lambda| !lambda.name.is_some_and(of_module)).map(|lambda| lambda.span).collect()
}

/// Every lambda within the program's items, outer before inner.
fn lambdas(psg: &Psg) -> Vec<LambdaId> {
    let mut found = Vec::new();
    let mut visit = |node: NodeId| collect(psg, node, &mut found);
    for item in own_items(psg) {
        match item {
            Item::Let(binding) => visit(binding.value),
            Item::Recursive(bindings) => bindings.iter().for_each(|binding| visit(binding.value)),
            Item::Effect(node) => visit(*node),
        }
    }
    found
}

fn collect(psg: &Psg, node: NodeId, found: &mut Vec<LambdaId>) {
    match &psg.nodes[node].kind {
        NodeKind::Literal(_)
        | NodeKind::Variable { .. }
        | NodeKind::Primitive(_)
        | NodeKind::Intrinsic(_)
        | NodeKind::Case { .. } => {}
        NodeKind::Apply { function, arguments } => {
            collect(psg, *function, found);
            arguments.iter().for_each(|&argument| collect(psg, argument, found));
        }
        NodeKind::Lambda(lambda) => {
            found.push(*lambda);
            collect(psg, psg.lambdas[*lambda].body, found);
        }
        NodeKind::Let { binding, body } => {
            collect(psg, binding.value, found);
            collect(psg, *body, found);
        }
        NodeKind::LetRecursive { bindings, body } => {
            bindings.iter().for_each(|binding| collect(psg, binding.value, found));
            collect(psg, *body, found);
        }
        NodeKind::Sequence(nodes)
        | NodeKind::Tuple(nodes)
        | NodeKind::Array(nodes)
        | NodeKind::Foreign { arguments: nodes, .. } => {
            nodes.iter().for_each(|&node| collect(psg, node, found));
        }
        NodeKind::If { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|&node| collect(psg, node, found));
        }
        NodeKind::Match { scrutinee, arms } => {
            collect(psg, *scrutinee, found);
            for arm in arms {
                arm.guard.iter().for_each(|&guard| collect(psg, guard, found));
                collect(psg, arm.body, found);
            }
        }
        NodeKind::While { condition, body } => {
            collect(psg, *condition, found);
            collect(psg, *body, found);
        }
        NodeKind::For { from, to, body, .. } => {
            [from, to, body].into_iter().for_each(|&node| collect(psg, node, found));
        }
        NodeKind::AssignField { target, value, .. } => {
            [target, value].into_iter().for_each(|&node| collect(psg, node, found));
        }
        NodeKind::Assign { value, .. } => collect(psg, *value, found),
        NodeKind::Interpolate(parts) => {
            for part in parts {
                match part {
                    Part::Text(_) => {}
                    Part::Value(value) => collect(psg, *value, found),
                }
            }
        }
    }
}
