//! The use of each value of the PSG and the home of each variable: one traversal of the program.
//!
//! In: the PSG. Out: [`Uses`]. Then holds: every node has exactly one [`Use`]; every variable has a [`Home`]; a variable
//! that is always bound to one lambda is `known`.

use clef_base::{HashMap, HashSet, Span};
use clef_psg::{
    Binding, CaptureMode, Item, LambdaId, Mutability, NodeId, NodeKind, Part, PatternId, PatternKind, Psg, VariableId,
};
use clef_types::Primitive;

/// The use of a node's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    /// It is the value of an outer node, or a part of it.
    Value(NodeId),
    /// It becomes a component of an outer node's value.
    Component(NodeId),
    /// It is matched by a pattern.
    Matched(PatternId),
    /// It is matched by the arms of a match.
    Scrutinee(NodeId),
    /// It is called.
    Called(NodeId),
    /// It is the argument of a call, at a position.
    Argument(NodeId, usize),
    /// It is the value of a lambda's body.
    Result(LambdaId),
    /// It is assigned to a variable.
    Assigned(NodeId, VariableId),
    /// It is assigned to a field of a record.
    Stored(NodeId),
    /// It is only inspected.
    Dropped,
}

/// A loop number; zero means no loop.
pub(super) type LoopId = usize;

/// The frame and the loop in which a variable is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Home {
    /// The function; `None` for expressions at module level.
    pub(super) frame: Option<LambdaId>,
    /// The innermost loop of that function.
    pub(super) inside: LoopId,
}

/// A lambda that captures a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capturer {
    pub(super) lambda: LambdaId,
    pub(super) mode: CaptureMode,
    pub(super) first_use: Span,
}

/// The result of the traversal.
#[derive(Debug, Default)]
pub(super) struct Uses {
    of_node: HashMap<NodeId, Use>,
    homes: HashMap<VariableId, Home>,
    pub(super) occurrences: HashMap<VariableId, Vec<NodeId>>,
    pub(super) captured: HashMap<VariableId, Vec<Capturer>>,
    /// The lambda that an immutable variable is bound to.
    known: HashMap<VariableId, LambdaId>,
    /// The immutable variables that are bound to a new ref cell.
    pub(super) cells: HashSet<VariableId>,
    /// The node of each lambda.
    pub(super) nodes: HashMap<LambdaId, NodeId>,
    /// The lambda around each lambda.
    outer: HashMap<LambdaId, Option<LambdaId>>,
    /// Calls with the lambda as known callee.
    pub(super) calls: HashMap<LambdaId, Vec<NodeId>>,
    /// The function and position of a parameter.
    pub(super) params: HashMap<VariableId, (LambdaId, usize)>,
    /// The parent of each loop; index 0 is unused.
    loops: Vec<LoopId>,
}

impl Uses {
    /// Traverses a program.
    pub(super) fn of(psg: &Psg) -> Uses {
        let uses = Uses { loops: vec![0], ..Uses::default() };
        let mut walk = Walk { psg, uses, home: Home { frame: None, inside: 0 } };
        for item in &psg.items {
            match item {
                Item::Let(binding) => walk.binding(binding),
                Item::Recursive(bindings) => walk.recursive(bindings),
                Item::Effect(node) => walk.node(*node, Use::Dropped),
            }
        }
        walk.uses.find_calls(psg);
        walk.uses
    }

    /// The use of a node's value.
    pub(super) fn of_node(&self, node: NodeId) -> Use {
        self.of_node.get(&node).copied().unwrap_or(Use::Dropped)
    }

    /// The call that the checker inserted to pass an argument; it has the span of the argument.
    pub(super) fn made_call(&self, psg: &Psg, argument: NodeId) -> Option<NodeId> {
        let Use::Argument(call, _) = self.of_node(argument) else { return None };
        (psg.nodes[call].span == psg.nodes[argument].span).then_some(call)
    }

    /// The home of a variable; module-level variables have no function.
    pub(super) fn home(&self, variable: VariableId) -> Home {
        self.homes.get(&variable).copied().unwrap_or(Home { frame: None, inside: 0 })
    }

    /// The lambda of a known callee.
    pub(super) fn callee(&self, psg: &Psg, function: NodeId) -> Option<LambdaId> {
        match &psg.nodes[function].kind {
            NodeKind::Variable { variable, .. } => self.known.get(variable).copied(),
            NodeKind::Lambda(lambda) => Some(*lambda),
            NodeKind::Literal(_)
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => None,
        }
    }

    /// Whether a lambda is another one, or nested in it; everything is nested in the module.
    pub(super) fn within(&self, inner: Option<LambdaId>, outer: Option<LambdaId>) -> bool {
        let mut at = inner;
        while at != outer {
            match at.and_then(|lambda| self.outer.get(&lambda)) {
                Some(&next) => at = next,
                None => return false,
            }
        }
        true
    }

    /// Whether values of one home die no later than those of the other.
    pub(super) fn lives_no_longer(&self, home: Home, than: Home) -> bool {
        if home.frame != than.frame {
            return self.within(home.frame, than.frame);
        }
        let mut at = home.inside;
        while at != than.inside {
            if at == 0 {
                return false;
            }
            at = self.loops[at];
        }
        true
    }

    fn find_calls(&mut self, psg: &Psg) {
        for (id, node) in psg.nodes.iter() {
            if let NodeKind::Apply { function, .. } = node.kind
                && let Some(lambda) = self.callee(psg, function)
            {
                self.calls.entry(lambda).or_default().push(id);
            }
        }
    }
}

struct Walk<'a> {
    psg: &'a Psg,
    uses: Uses,
    home: Home,
}

impl Walk<'_> {
    fn binding(&mut self, binding: &Binding) {
        self.pattern(binding.pattern);
        self.node(binding.value, Use::Matched(binding.pattern));
        let PatternKind::Variable(variable) = self.psg.patterns[binding.pattern].kind else { return };
        if self.psg.variables[variable].mutability != Mutability::Immutable {
            return;
        }
        if let Some(lambda) = self.uses.callee(self.psg, binding.value) {
            self.uses.known.insert(variable, lambda);
        }
        if let NodeKind::Apply { function, .. } = self.psg.nodes[binding.value].kind
            && matches!(self.psg.nodes[function].kind, NodeKind::Primitive(Primitive::MakeReference))
        {
            self.uses.cells.insert(variable);
        }
    }

    fn recursive(&mut self, bindings: &[Binding]) {
        bindings.iter().for_each(|binding| self.binding(binding));
    }

    fn pattern(&mut self, pattern: PatternId) {
        for variable in bound(self.psg, pattern) {
            self.uses.homes.insert(variable, self.home);
        }
    }

    fn children(&mut self, nodes: impl IntoIterator<Item = NodeId>, used: Use) {
        nodes.into_iter().for_each(|node| self.node(node, used));
    }

    fn node(&mut self, id: NodeId, used: Use) {
        self.uses.of_node.insert(id, used);
        match &self.psg.nodes[id].kind {
            NodeKind::Literal(_) | NodeKind::Primitive(_) | NodeKind::Intrinsic(_) | NodeKind::Case { .. } => {}
            NodeKind::Variable { variable, .. } => self.uses.occurrences.entry(*variable).or_default().push(id),
            NodeKind::Apply { function, arguments } => {
                self.node(*function, Use::Called(id));
                for (position, &argument) in arguments.iter().enumerate() {
                    self.node(argument, Use::Argument(id, position));
                }
            }
            NodeKind::Lambda(lambda) => self.lambda(*lambda, id),
            NodeKind::Let { binding, body } => {
                self.binding(binding);
                self.node(*body, Use::Value(id));
            }
            NodeKind::LetRecursive { bindings, body } => {
                self.recursive(bindings);
                self.node(*body, Use::Value(id));
            }
            NodeKind::Sequence(nodes) => {
                for (position, &node) in nodes.iter().enumerate() {
                    let last = position + 1 == nodes.len();
                    self.node(node, if last { Use::Value(id) } else { Use::Dropped });
                }
            }
            NodeKind::If { condition, then, otherwise } => {
                self.node(*condition, Use::Dropped);
                self.children([*then, *otherwise], Use::Value(id));
            }
            NodeKind::Match { scrutinee, arms } => {
                self.node(*scrutinee, Use::Scrutinee(id));
                for arm in arms {
                    self.pattern(arm.pattern);
                    self.children(arm.guard, Use::Dropped);
                    self.node(arm.body, Use::Value(id));
                }
            }
            NodeKind::While { condition, body } => self.repeat([*condition, *body]),
            NodeKind::For { variable, from, to, body, .. } => {
                self.children([*from, *to], Use::Dropped);
                self.uses.homes.insert(*variable, self.home);
                self.repeat([*body]);
            }
            NodeKind::Tuple(nodes) | NodeKind::Array(nodes) => self.children(nodes.iter().copied(), Use::Component(id)),
            NodeKind::AssignField { target, value, .. } => {
                self.node(*target, Use::Dropped);
                self.node(*value, Use::Stored(id));
            }
            // Only plain data crosses the FFI boundary, which contains no slot.
            NodeKind::Foreign { arguments, .. } => self.children(arguments.iter().copied(), Use::Dropped),
            NodeKind::Assign { variable, value } => self.node(*value, Use::Assigned(id, *variable)),
            NodeKind::Interpolate(parts) => {
                for part in parts {
                    match part {
                        Part::Text(_) => {}
                        Part::Value(node) => self.node(*node, Use::Dropped),
                    }
                }
            }
        }
    }

    fn repeat<const COUNT: usize>(&mut self, nodes: [NodeId; COUNT]) {
        let outer = self.home;
        self.uses.loops.push(outer.inside);
        self.home.inside = self.uses.loops.len() - 1;
        self.children(nodes, Use::Dropped);
        self.home = outer;
    }

    fn lambda(&mut self, id: LambdaId, node: NodeId) {
        let lambda = &self.psg.lambdas[id];
        self.uses.nodes.insert(id, node);
        self.uses.outer.insert(id, self.home.frame);
        for capture in &lambda.captures {
            let capturer = Capturer { lambda: id, mode: capture.mode, first_use: capture.first_use };
            self.uses.captured.entry(capture.variable).or_default().push(capturer);
        }
        let outer = std::mem::replace(&mut self.home, Home { frame: Some(id), inside: 0 });
        for (position, &param) in lambda.params.iter().enumerate() {
            self.uses.params.insert(param, (id, position));
            self.uses.homes.insert(param, self.home);
        }
        self.node(lambda.body, Use::Result(id));
        self.home = outer;
    }
}

/// The variables that a pattern binds.
pub(super) fn bound(psg: &Psg, pattern: PatternId) -> Vec<VariableId> {
    match &psg.patterns[pattern].kind {
        PatternKind::Wildcard | PatternKind::Literal(_) => Vec::new(),
        PatternKind::Variable(variable) => vec![*variable],
        PatternKind::Tuple(patterns) | PatternKind::Array(patterns) | PatternKind::Case { fields: patterns, .. } => {
            patterns.iter().flat_map(|&pattern| bound(psg, pattern)).collect()
        }
        PatternKind::As(pattern, variable) => {
            let mut variables = bound(psg, *pattern);
            variables.push(*variable);
            variables
        }
        PatternKind::Or(first, second) | PatternKind::And(first, second) => {
            let mut variables = bound(psg, *first);
            variables.extend(bound(psg, *second));
            variables
        }
    }
}
