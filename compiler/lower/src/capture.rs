//! The captures of each function after lambda lifting.
//!
//! In: the captures of the PSG's lambdas, and the uses of functions. Out: the captures of each named local function, where a
//! captured function that is lifted is replaced by its own captures (a least fixed point, because functions may be mutually
//! recursive).
//!
//! A function is *lifted* (Johnsson, "Lambda lifting: transforming programs to recursive equations", 1985) unless its own
//! group uses it as a value. Then it is a *member* of a group of closures that refer to one another, because lifting would
//! create a new closure at each such use.

use super::usage::{Usage, variables};
use clef_base::{HashMap, HashSet};
use clef_psg::{NodeId, NodeKind, Part, Psg, Scope, VariableId};

/// The result of the analysis.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// The captures of each named local function, in the order of first use.
    by_function: HashMap<VariableId, Vec<VariableId>>,
    /// The functions that are members of a group of closures.
    members: HashSet<VariableId>,
}

/// Computes the captures of every named local function.
pub(super) fn analyse(psg: &Psg, usage: &Usage) -> Captures {
    let mut captures = Captures::default();
    captures.solve(psg, usage);
    let is_generic = |variable: &VariableId| !psg.variables[*variable].generics.is_empty();
    let generic_groups: HashSet<usize> = usage
        .functions
        .iter()
        .filter(|(variable, _)| is_generic(variable))
        .map(|(_, function)| function.group)
        .collect();
    let members = usage.functions.iter().filter(|(variable, function)| {
        let data = &psg.variables[**variable];
        let generic = generic_groups.contains(&function.group);
        data.scope == Scope::Local && function.valued_within && !generic && !captures.of(**variable).is_empty()
    });
    captures.members = members.map(|(variable, _)| *variable).collect();
    if !captures.members.is_empty() {
        captures.by_function.clear();
        captures.solve(psg, usage);
    }
    captures
}

impl Captures {
    /// The captures of a named function; a member of a group may capture itself.
    pub(super) fn of(&self, variable: VariableId) -> &[VariableId] {
        self.by_function.get(&variable).map_or(&[], Vec::as_slice)
    }

    /// Whether a function is a member of a group of closures.
    pub(super) fn is_member(&self, variable: VariableId) -> bool {
        self.members.contains(&variable)
    }

    fn solve(&mut self, psg: &Psg, usage: &Usage) {
        let mut local: Vec<_> =
            usage.functions.iter().filter(|(variable, _)| psg.variables[**variable].scope == Scope::Local).collect();
        local.sort_by_key(|(variable, _)| **variable);
        loop {
            let mut changed = false;
            for (variable, function) in &local {
                let captured = psg.lambdas[function.lambda].captures.iter().map(|capture| capture.variable);
                let all = self.expand(psg, usage, captured);
                if all.len() != self.of(**variable).len() {
                    self.by_function.insert(**variable, all);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Replaces lifted functions among some variables by their captures.
    pub(super) fn expand(
        &self,
        psg: &Psg,
        usage: &Usage,
        captured: impl IntoIterator<Item = VariableId>,
    ) -> Vec<VariableId> {
        let mut expanded = Vec::new();
        let mut seen = HashSet::default();
        for variable in captured {
            self.expand_one(psg, usage, variable, &mut seen, &mut expanded);
        }
        expanded
    }

    fn expand_one(
        &self,
        psg: &Psg,
        usage: &Usage,
        variable: VariableId,
        seen: &mut HashSet<VariableId>,
        expanded: &mut Vec<VariableId>,
    ) {
        if !seen.insert(variable) {
            return;
        }
        if let Some(template) = usage.templates.get(&variable) {
            for free in free_variables(psg, template.binding.value) {
                self.expand_one(psg, usage, free, seen, expanded);
            }
        } else if usage.functions.contains_key(&variable) && !self.is_member(variable) {
            for inner in self.of(variable) {
                if seen.insert(*inner) {
                    expanded.push(*inner);
                }
            }
        } else {
            expanded.push(variable);
        }
    }
}

/// The free local variables of an expression, in the order of first use.
fn free_variables(psg: &Psg, node: NodeId) -> Vec<VariableId> {
    let mut found = Free { psg, used: Vec::new(), bound: HashSet::default() };
    found.node(node);
    let Free { used, bound, .. } = found;
    used.into_iter().filter(|variable| !bound.contains(variable)).collect()
}

struct Free<'psg> {
    psg: &'psg Psg,
    used: Vec<VariableId>,
    bound: HashSet<VariableId>,
}

impl Free<'_> {
    fn used(&mut self, variable: VariableId) {
        if self.psg.variables[variable].scope == Scope::Local && !self.used.contains(&variable) {
            self.used.push(variable);
        }
    }

    fn node(&mut self, node: NodeId) {
        match &self.psg.nodes[node].kind {
            NodeKind::Literal(_) | NodeKind::Primitive(_) | NodeKind::Intrinsic(_) | NodeKind::Case { .. } => {}
            NodeKind::Variable { variable, .. } => self.used(*variable),
            NodeKind::Apply { function, arguments } => {
                self.node(*function);
                self.nodes(arguments);
            }
            NodeKind::Lambda(lambda) => {
                let lambda = &self.psg.lambdas[*lambda];
                self.bound.extend(&lambda.params);
                self.node(lambda.body);
            }
            NodeKind::Let { binding, body } => {
                self.bound.extend(variables(self.psg, binding.pattern));
                self.nodes(&[binding.value, *body]);
            }
            NodeKind::LetRecursive { bindings, body } => {
                for binding in bindings {
                    self.bound.extend(variables(self.psg, binding.pattern));
                    self.node(binding.value);
                }
                self.node(*body);
            }
            NodeKind::Sequence(nodes)
            | NodeKind::Tuple(nodes)
            | NodeKind::Array(nodes)
            | NodeKind::Foreign { arguments: nodes, .. } => self.nodes(nodes),
            NodeKind::If { condition, then, otherwise } => self.nodes(&[*condition, *then, *otherwise]),
            NodeKind::Match { scrutinee, arms } => {
                self.node(*scrutinee);
                for arm in arms {
                    self.bound.extend(variables(self.psg, arm.pattern));
                    arm.guard.into_iter().for_each(|guard| self.node(guard));
                    self.node(arm.body);
                }
            }
            NodeKind::While { condition, body } => self.nodes(&[*condition, *body]),
            NodeKind::For { variable, from, to, body, .. } => {
                self.bound.insert(*variable);
                self.nodes(&[*from, *to, *body]);
            }
            NodeKind::AssignField { target, value, .. } => self.nodes(&[*target, *value]),
            NodeKind::Assign { variable, value } => {
                self.used(*variable);
                self.node(*value);
            }
            NodeKind::Interpolate(parts) => {
                for part in parts {
                    match part {
                        Part::Text(_) => {}
                        Part::Value(value) => self.node(*value),
                    }
                }
            }
        }
    }

    fn nodes(&mut self, nodes: &[NodeId]) {
        nodes.iter().for_each(|node| self.node(*node));
    }
}
