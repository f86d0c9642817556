//! Forward data flow of a value through the program, in breadth-first order, with the steps of each path for messages.
//!
//! In: the uses of all values, the summaries of all functions, and a start: a closure whose slot it must not outlive, or a
//! parameter to summarise. Out: the ends of its paths ([`Ends`]). Arguments do not flow into the parameters of known
//! functions (their summaries are applied instead), so the calls of one function do not mix. A value that a function
//! captured or created itself flows to the results of all of its calls.

use super::{
    holds::holds_closure,
    summary::{Kept, Passed, Summaries, Summary},
    uses::{Home, Use, Uses, bound},
};
use clef_base::{HashMap, Span};
use clef_psg::{CaptureMode, LambdaId, NodeId, NodeKind, PatternId, Psg, Scope, VariableId};
use clef_types::{Intrinsic, Primitive, Type, Types};
use std::collections::VecDeque;

/// A step on the path of a value: a place, with what happens there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) span: Span,
    pub(super) message: String,
}

/// The maximum length of a path in a message; of a longer one the beginning and the end are shown.
const LONGEST: usize = 10;

/// The input of one analysis.
pub(super) struct Context<'a> {
    pub(super) psg: &'a Psg,
    pub(super) uses: &'a Uses,
    pub(super) summaries: &'a Summaries,
    /// The type table, which may grow.
    pub(super) types: Types,
}

/// The ends of a value's paths.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// The path to the result of the owning function, if the result may hold the value.
    pub(super) returned: Option<Vec<Step>>,
    /// The paths by which it is stored, one per type of the container.
    pub(super) kept: Vec<Kept>,
    /// The calls of a parameter of the owning function that it is an argument of.
    pub(super) passed: Vec<Passed>,
}

/// The location of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum At {
    /// The value of an expression.
    Node(NodeId),
    /// The value of a variable.
    Variable(VariableId),
}

/// Follows a value from its start. `owner` is the home of the slot or parameter that must not be outlived. With
/// `summarise`, calls of the owner's parameters are left to its callers.
pub(super) fn follow(context: &mut Context, start: At, owner: Home, summarise: bool) -> Ends {
    let mut walk =
        Walk { context, owner, summarise, before: HashMap::default(), queue: VecDeque::new(), ends: Ends::default() };
    walk.before.insert(start, None);
    walk.queue.push_back(start);
    while let Some(at) = walk.queue.pop_front() {
        match at {
            At::Node(node) => walk.node(node),
            At::Variable(variable) => walk.variable(variable),
        }
    }
    walk.ends
}

struct Walk<'a, 'b> {
    context: &'a mut Context<'b>,
    owner: Home,
    summarise: bool,
    /// The predecessor of each location, with the step between them.
    before: HashMap<At, Option<(At, Option<Step>)>>,
    queue: VecDeque<At>,
    ends: Ends,
}

impl Walk<'_, '_> {
    fn go(&mut self, from: At, to: At, step: Option<Step>) {
        let ty = match to {
            At::Node(node) => self.context.psg.nodes[node].ty,
            At::Variable(variable) => self.context.psg.variables[variable].ty,
        };
        if self.before.contains_key(&to) || !holds_closure(self.context.psg, &self.context.types, ty) {
            return;
        }
        self.before.insert(to, Some((from, step)));
        self.queue.push_back(to);
    }

    fn step(&self, node: NodeId, message: impl Into<String>) -> Option<Step> {
        Some(Step { span: self.context.psg.nodes[node].span, message: message.into() })
    }

    /// The path to a location, followed by more steps.
    fn path(&self, to: At, more: impl IntoIterator<Item = Step>) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some(Some((from, step))) = self.before.get(&at) {
            steps.extend(step.clone());
            at = *from;
        }
        steps.reverse();
        steps.extend(more);
        // A list is a value in a value, all in one place.
        steps.dedup();
        if steps.len() > LONGEST {
            steps.drain(LONGEST / 2..steps.len() - LONGEST / 2);
        }
        steps
    }

    fn kept(&mut self, at: At, ty: Type, more: Vec<Step>, why: Option<String>) {
        let psg = self.context.psg;
        if holds_closure(psg, &self.context.types, ty) && !self.ends.kept.iter().any(|kept| kept.ty == ty) {
            let path = self.path(at, more);
            self.ends.kept.push(Kept { ty, path, why });
        }
    }

    fn kept_node(&mut self, node: NodeId, place: NodeId, message: impl Into<String>, why: Option<String>) {
        let more = self.step(place, message).into_iter().collect();
        self.kept(At::Node(node), self.context.psg.nodes[node].ty, more, why);
    }

    fn node(&mut self, node: NodeId) {
        let at = At::Node(node);
        match self.context.uses.of_node(node) {
            Use::Value(outer) => self.go(at, At::Node(outer), None),
            Use::Component(outer) => self.go(at, At::Node(outer), self.step(outer, "it is stored in this value")),
            Use::Matched(pattern) => self.pattern(node, pattern),
            Use::Scrutinee(outer) => self.matched(node, outer),
            Use::Called(call) => self.called(node, call),
            Use::Argument(call, position) => self.argument(node, call, position),
            Use::Result(lambda) => self.result(node, lambda),
            Use::Assigned(assignment, variable) => self.assigned(node, assignment, variable),
            Use::Stored(assignment) => self.kept_node(node, assignment, "it is stored in a field of a record", None),
            Use::Dropped => {}
        }
    }

    fn variable(&mut self, variable: VariableId) {
        let at = At::Variable(variable);
        let uses = self.context.uses;
        let name = self.context.psg.variables[variable].name;
        for &node in uses.occurrences.get(&variable).into_iter().flatten() {
            self.go(at, At::Node(node), None);
        }
        for capturer in uses.captured.get(&variable).into_iter().flatten() {
            let step = Step { span: capturer.first_use, message: format!("a closure captures `{name}` here") };
            // A closure that captures the address of a slot is bound to that slot's frame on its own account.
            if let (CaptureMode::Value, Some(&node)) = (capturer.mode, uses.nodes.get(&capturer.lambda)) {
                self.go(at, At::Node(node), Some(step));
            }
        }
    }

    fn matched(&mut self, node: NodeId, outer: NodeId) {
        if let NodeKind::Match { arms, .. } = &self.context.psg.nodes[outer].kind {
            arms.iter().for_each(|arm| self.pattern(node, arm.pattern));
        }
    }

    fn pattern(&mut self, node: NodeId, pattern: PatternId) {
        let psg = self.context.psg;
        for variable in bound(psg, pattern) {
            let bound = &psg.variables[variable];
            let own = |message| Step { span: bound.span, message };
            match bound.scope {
                Scope::Module => {
                    let step = own(format!("it is stored in the module-level value `{}`", bound.name));
                    self.kept(At::Node(node), bound.ty, vec![step], None);
                }
                Scope::Local => {
                    let step = own(format!("`{}` is bound to it", bound.name));
                    self.go(At::Node(node), At::Variable(variable), Some(step));
                }
            }
        }
    }

    /// The value is the callee of a call.
    fn called(&mut self, node: NodeId, call: NodeId) {
        let (psg, uses) = (self.context.psg, self.context.uses);
        let NodeKind::Apply { arguments, .. } = &psg.nodes[call].kind else { return };
        match uses.callee(psg, node) {
            Some(lambda) if arguments.len() >= psg.lambdas[lambda].params.len() => {}
            Some(_) => {
                self.go(At::Node(node), At::Node(call), self.step(call, "it is stored in this partial application"))
            }
            None => {
                self.go(At::Node(node), At::Node(call), self.step(call, "it may be stored in the result of this call"))
            }
        }
    }

    fn argument(&mut self, node: NodeId, call: NodeId, position: usize) {
        let psg = self.context.psg;
        let NodeKind::Apply { function, arguments } = &psg.nodes[call].kind else { return };
        if let Some(lambda) = self.context.uses.callee(psg, *function) {
            let arity = psg.lambdas[lambda].params.len();
            return match position < arity {
                true => self.known(node, call, (lambda, position), arguments.len() < arity),
                false => self.kept_node(node, node, "it is passed to an unknown function", None),
            };
        }
        match &psg.nodes[*function].kind {
            NodeKind::Primitive(primitive) => self.primitive(node, call, *primitive, position),
            NodeKind::Intrinsic(Intrinsic::ArraySet | Intrinsic::ArrayPut) if position == 2 => {
                self.kept_node(node, call, "it is stored in an array", None);
            }
            NodeKind::Intrinsic(_) => self.go(At::Node(node), At::Node(call), None),
            NodeKind::Case { .. } => {
                self.go(At::Node(node), At::Node(call), self.step(call, "it is stored in this value"));
            }
            NodeKind::Variable { variable, .. } => self.unknown(node, call, *variable, position, arguments.len()),
            NodeKind::Literal(_)
            | NodeKind::Apply { .. }
            | NodeKind::Lambda(_)
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
            | NodeKind::Interpolate(_) => {
                self.kept_node(node, node, "it is passed to an unknown function", None);
            }
        }
    }

    fn primitive(&mut self, node: NodeId, call: NodeId, primitive: Primitive, position: usize) {
        let (from, to) = (At::Node(node), At::Node(call));
        if primitive == Primitive::WriteReference && position == 1 {
            match self.own_cell(call) {
                Some(cell) => {
                    let name = self.context.psg.variables[cell].name;
                    self.go(from, At::Variable(cell), self.step(call, format!("it is stored in `{name}`")));
                }
                None => self.kept_node(node, call, "it is stored in a ref cell", None),
            }
        } else if primitive == Primitive::MakeReference {
            self.go(from, to, self.step(call, "it is stored in this ref cell"));
        } else {
            self.go(from, to, None);
        }
    }

    /// The variable of the ref cell that a call writes to, if the cell is reachable only through it and lives no longer than
    /// the owner.
    fn own_cell(&self, write: NodeId) -> Option<VariableId> {
        let (psg, uses) = (self.context.psg, self.context.uses);
        let NodeKind::Apply { arguments, .. } = &psg.nodes[write].kind else { return None };
        let NodeKind::Variable { variable, .. } = psg.nodes[*arguments.first()?].kind else { return None };
        let made_here = uses.cells.contains(&variable) && psg.variables[variable].scope == Scope::Local;
        (made_here && uses.lives_no_longer(uses.home(variable), self.owner)).then_some(variable)
    }

    /// The value is an argument of a function in a variable.
    fn unknown(&mut self, node: NodeId, call: NodeId, callee: VariableId, position: usize, count: usize) {
        let psg = self.context.psg;
        let name = psg.variables[callee].name;
        let message = format!("it is passed to `{name}`, which may store it");
        let ty = psg.nodes[node].ty;
        match self.context.uses.params.get(&callee) {
            Some(&(lambda, param)) if self.summarise && Some(lambda) == self.owner.frame => {
                let to = (param, position, count);
                if !self.ends.passed.iter().any(|passed| passed.to == to && passed.ty == ty) {
                    let path = self.path(At::Node(node), self.step(node, message));
                    self.ends.passed.push(Passed { to, ty, path });
                }
                self.go(At::Node(node), At::Node(call), self.step(call, "it may be stored in the result of this call"));
            }
            Some(_) | None => {
                let why = format!("the function `{name}` is chosen by the caller and may store its argument");
                self.kept_node(node, node, message, Some(why));
            }
        }
    }

    /// The value is an argument of a known function.
    fn known(&mut self, node: NodeId, call: NodeId, input: (LambdaId, usize), partial: bool) {
        let summary = self.context.summaries.of(input);
        let name = function_name(self.context.psg, input.0);
        // Calls that the checker inserted are not shown.
        let shown = self.context.uses.made_call(self.context.psg, node).is_none();
        let step = |message: String| self.step(node, message).filter(|_| shown);
        let passed = step(format!("it is passed to {name}"));
        let given_back = step(format!("it is passed to {name}, which returns it"));
        self.apply_summary(node, call, &summary, passed.clone());
        if partial {
            self.go(At::Node(node), At::Node(call), self.step(call, "it is stored in this partial application"));
        } else if summary.returned.is_some() {
            self.go(At::Node(node), At::Node(call), given_back);
        }
    }

    /// Applies the summary of a known callee to the value.
    fn apply_summary(&mut self, node: NodeId, call: NodeId, summary: &Summary, passed: Option<Step>) {
        for kept in &summary.kept {
            let ty = self.at_call(call, kept.ty);
            let more = passed.iter().chain(&kept.path).cloned().collect();
            self.kept(At::Node(node), ty, more, kept.why.clone());
        }
        for inner in &summary.passed {
            let ty = self.at_call(call, inner.ty);
            if holds_closure(self.context.psg, &self.context.types, ty) {
                self.passed_on(node, call, inner, ty, passed.clone());
            }
        }
    }

    /// A known callee passes the value to one of its own parameters, which may be known at this call.
    fn passed_on(&mut self, node: NodeId, call: NodeId, inner: &Passed, ty: Type, passed: Option<Step>) {
        let (psg, uses) = (self.context.psg, self.context.uses);
        let NodeKind::Apply { arguments, .. } = &psg.nodes[call].kind else { return };
        let (param, position, count) = inner.to;
        let mut more: Vec<Step> = passed.into_iter().chain(inner.path.iter().cloned()).collect();
        let Some(&argument) = arguments.get(param) else {
            return self.kept(At::Node(node), ty, more, None);
        };
        if let Some(lambda) = uses.callee(psg, argument)
            && psg.lambdas[lambda].params.len() == count
        {
            let summary = self.context.summaries.of((lambda, position));
            if let Some(kept) = summary.kept.first() {
                more.extend(kept.path.iter().cloned());
                self.kept(At::Node(node), ty, more, kept.why.clone());
            } else if let Some(next) = summary.passed.first() {
                more.extend(next.path.iter().cloned());
                self.kept(At::Node(node), ty, more, None);
            }
            return;
        }
        if let NodeKind::Variable { variable, .. } = psg.nodes[argument].kind
            && let Some(&(lambda, param)) = uses.params.get(&variable)
            && self.summarise
            && Some(lambda) == self.owner.frame
        {
            let to = (param, position, count);
            if !self.ends.passed.iter().any(|passed| passed.to == to && passed.ty == ty) {
                let path = self.path(At::Node(node), more);
                self.ends.passed.push(Passed { to, ty, path });
            }
            return;
        }
        let why = "the called function is unknown and may store its argument".to_string();
        self.kept(At::Node(node), ty, more, Some(why));
    }

    /// Instantiates a type of a known callee at a call.
    fn at_call(&mut self, call: NodeId, ty: Type) -> Type {
        let psg = self.context.psg;
        let NodeKind::Apply { function, .. } = psg.nodes[call].kind else { return ty };
        let NodeKind::Variable { variable, instantiation } = &psg.nodes[function].kind else { return ty };
        let generics = psg.variables[*variable].generics.iter().copied();
        let replace = generics.zip(instantiation.iter().copied()).collect();
        self.context.types.substitute(ty, &replace)
    }

    /// The node that computes the value of a block of bindings and effects.
    fn last(&self, node: NodeId) -> NodeId {
        match &self.context.psg.nodes[node].kind {
            NodeKind::Let { body, .. } | NodeKind::LetRecursive { body, .. } => self.last(*body),
            NodeKind::Sequence(nodes) => nodes.last().map_or(node, |&last| self.last(last)),
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Lambda(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => node,
        }
    }

    /// The value is returned by a function.
    fn result(&mut self, node: NodeId, lambda: LambdaId) {
        let (psg, uses) = (self.context.psg, self.context.uses);
        let name = function_name(psg, lambda);
        let at = At::Node(node);
        let returns = self.step(self.last(node), format!("{name} returns it"));
        if Some(lambda) == self.owner.frame {
            if self.ends.returned.is_none() {
                self.ends.returned = Some(self.path(at, returns));
            }
            return;
        }
        for &call in uses.calls.get(&lambda).into_iter().flatten() {
            self.go(at, At::Node(call), returns.clone());
        }
        if let Some(&closure) = uses.nodes.get(&lambda) {
            self.go(at, At::Node(closure), returns);
        }
    }

    fn assigned(&mut self, node: NodeId, assignment: NodeId, variable: VariableId) {
        let (psg, uses) = (self.context.psg, self.context.uses);
        let target = &psg.variables[variable];
        let name = target.name;
        let message = match target.scope {
            Scope::Module => format!("it is stored in the module-level variable `{name}`"),
            Scope::Local if uses.lives_no_longer(uses.home(variable), self.owner) => {
                let step = self.step(assignment, format!("it is stored in `{name}`"));
                return self.go(At::Node(node), At::Variable(variable), step);
            }
            Scope::Local => format!("it is stored in `{name}`, which lives longer"),
        };
        self.kept_node(node, assignment, message, None);
    }
}

/// The name of a lambda in messages.
pub(super) fn function_name(psg: &Psg, lambda: LambdaId) -> String {
    match psg.lambdas[lambda].name {
        Some(variable) => format!("`{}`", psg.variables[variable].name),
        None => "the function".into(),
    }
}
