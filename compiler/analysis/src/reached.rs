//! What the program reaches of the library.
//!
//! In: a graph. Out: the nodes in the items of the program, and in those of the library that they use, directly or through others.

use clef_base::{HashMap, HashSet};
use clef_psg::{Item, NodeId, NodeKind, Psg, VariableId};

/// The nodes that the program reaches.
pub fn reached(psg: &Psg) -> HashSet<NodeId> {
    let item_of = items(psg);
    let mut pending: Vec<usize> = (0..psg.items.len()).filter(|item| !is_of_library(psg, &psg.items[*item])).collect();
    let mut seen: HashSet<usize> = pending.iter().copied().collect();
    let mut nodes = HashSet::default();
    while let Some(item) = pending.pop() {
        for variable in walk(psg, roots(&psg.items[item]), &mut nodes) {
            pending.extend(item_of.get(&variable).copied().filter(|item| seen.insert(*item)));
        }
    }
    nodes
}

/// The item that binds each variable of a module.
fn items(psg: &Psg) -> HashMap<VariableId, usize> {
    let bound = psg.items.iter().enumerate().flat_map(|(index, item)| {
        bound_by(psg, item).into_iter().map(move |variable| (variable, index)).collect::<Vec<_>>()
    });
    bound.collect()
}

fn bound_by(psg: &Psg, item: &Item) -> Vec<VariableId> {
    match item {
        Item::Let(binding) => psg.bound_by(binding.pattern),
        Item::Recursive(bindings) => bindings.iter().flat_map(|binding| psg.bound_by(binding.pattern)).collect(),
        Item::Effect(_) => Vec::new(),
    }
}

fn is_of_library(psg: &Psg, item: &Item) -> bool {
    let bound = bound_by(psg, item);
    !bound.is_empty() && bound.iter().all(|variable| psg.variables[*variable].marks.library)
}

fn roots(item: &Item) -> Vec<NodeId> {
    match item {
        Item::Let(binding) => vec![binding.value],
        Item::Recursive(bindings) => bindings.iter().map(|binding| binding.value).collect(),
        Item::Effect(node) => vec![*node],
    }
}

/// Adds the nodes below some; returns the variables that they name.
fn walk(psg: &Psg, mut pending: Vec<NodeId>, nodes: &mut HashSet<NodeId>) -> Vec<VariableId> {
    let mut named = Vec::new();
    while let Some(node) = pending.pop() {
        if !nodes.insert(node) {
            continue;
        }
        let kind = &psg.nodes[node].kind;
        if let NodeKind::Variable { variable, .. } = kind {
            named.push(*variable);
        }
        if let NodeKind::Lambda(lambda) = kind {
            pending.push(psg.lambdas[*lambda].body);
            pending.extend(psg.owned(*lambda).iter().map(|(_, value)| *value));
        }
        pending.extend(kind.children());
    }
    named
}
