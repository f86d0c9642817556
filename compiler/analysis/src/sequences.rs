//! Enumerators of sequences as state machines.
//!
//! In: the graph, and the functions whose bodies yield. Out: the same functions without `yield`. Each call resumes where the
//! last one suspended, and runs to the next element, which it returns as `Some`, or to the end, after which it always
//! returns `None`. The body is split into segments:
//!
//! ```text
//! let mutable at = resume
//! let mutable result = None
//! while at >= 0 do
//!     match at with
//!     | 0 -> segment 0
//!     | 1 -> segment 1
//!     …
//! result
//! ```
//!
//! A segment ends by setting `at` to the next segment; at a `yield`, by setting `resume` to it, `result` to the element, and
//! `at` to -1. A segment with a single predecessor is inlined there. `resume` and the variables that live across segments
//! are owned by the closure ([`Psg::owned`]).

mod kept;

use clef_base::{Diagnostic, Span, Symbol};
use clef_psg::{
    Arm, Binding, LambdaId, Literal, Marks, Mutability, Node, NodeId, NodeKind, Pattern, PatternKind, Psg, Scope,
    Variable, VariableId,
};
use clef_types::{IntegerType, Intrinsic, Primitive, Type, TypeKind};
use std::collections::{HashMap, HashSet};

/// A function whose body yields.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// The function.
    pub lambda: LambdaId,
    /// Its result type: an option of the element type.
    pub item: Type,
}

/// A segment number.
type Label = usize;

/// No segment.
const NONE: i128 = -1;

/// Expands an enumerator, after those nested in it; `yields` are the statements that yield an element. Returns errors for
/// variables that cannot live across segments.
pub fn expand(psg: &mut Psg, yields: &HashSet<NodeId>, Generator { lambda, item }: Generator) -> Vec<Diagnostic> {
    Expansion::new(psg, yields, lambda, item).run(lambda)
}

/// A segment, and the jumps to it.
#[derive(Default)]
struct Segment {
    body: Option<NodeId>,
    /// The assignments to `at`, each with its literal.
    gotos: Vec<(NodeId, NodeId)>,
    /// The literals assigned to `resume`.
    resumes: Vec<NodeId>,
}

/// The expansion of one enumerator.
struct Expansion<'a> {
    psg: &'a mut Psg,
    yields: &'a HashSet<NodeId>,
    /// The nodes that contain a `yield`.
    marked: HashSet<NodeId>,
    span: Span,
    unit: Type,
    int: Type,
    bool: Type,
    item: Type,
    resume: VariableId,
    at: VariableId,
    result: VariableId,
    segments: Vec<Segment>,
    /// For each variable that is bound above segments, the sequence that follows its binding.
    after_binding: HashMap<VariableId, NodeId>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Expansion<'a> {
    fn new(psg: &'a mut Psg, yields: &'a HashSet<NodeId>, lambda: LambdaId, item: Type) -> Expansion<'a> {
        let span = psg.lambdas[lambda].span;
        let unit = psg.types.intern(TypeKind::Unit);
        let int = psg.types.intern(TypeKind::Integer(IntegerType::Int));
        let bool = psg.types.intern(TypeKind::Bool);
        let resume = variable(psg, "resume$", int, Mutability::Mutable, span);
        let at = variable(psg, "at$", int, Mutability::Mutable, span);
        let result = variable(psg, "result$", item, Mutability::Mutable, span);
        Expansion {
            psg,
            yields,
            marked: HashSet::new(),
            span,
            unit,
            int,
            bool,
            item,
            resume,
            at,
            result,
            segments: Vec::new(),
            after_binding: HashMap::new(),
            diagnostics: Vec::new(),
        }
    }

    fn run(mut self, lambda: LambdaId) -> Vec<Diagnostic> {
        let body = self.psg.lambdas[lambda].body;
        self.mark(body);
        let start = self.label();
        let first = self.cut(body, None);
        self.segments[start].body = Some(first);
        let segments = self.join_segments();
        let first = self.integer(0);
        let mut owned = vec![(self.resume, first)];
        let segments = self.keep(segments, &mut owned);
        self.psg.lambdas[lambda].body = self.machine(segments);
        self.psg.owned.insert(lambda, owned);
        self.diagnostics
    }

    /// Marks the nodes that contain a `yield`: statements and their ancestors.
    fn mark(&mut self, node: NodeId) -> bool {
        let inside: Vec<NodeId> = match &self.psg.nodes[node].kind {
            _ if self.yields.contains(&node) => Vec::new(),
            NodeKind::Let { body, .. }
            | NodeKind::LetRecursive { body, .. }
            | NodeKind::While { body, .. }
            | NodeKind::For { body, .. } => vec![*body],
            NodeKind::Sequence(nodes) => nodes.clone(),
            NodeKind::If { then, otherwise, .. } => vec![*then, *otherwise],
            NodeKind::Match { arms, .. } => arms.iter().map(|arm| arm.body).collect(),
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Lambda(_)
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => return false,
        };
        let mut marked = self.yields.contains(&node);
        for child in inside {
            marked |= self.mark(child);
        }
        if marked {
            self.marked.insert(node);
        }
        marked
    }

    /// Splits a statement that continues with a segment, or ends the sequence.
    fn cut(&mut self, node: NodeId, next: Option<Label>) -> NodeId {
        if !self.marked.contains(&node) {
            let goto = self.goto(next);
            return self.sequence(vec![node, goto]);
        }
        match self.psg.nodes[node].kind.clone() {
            NodeKind::Sequence(nodes) if self.yields.contains(&node) => self.yield_(nodes[0], next),
            NodeKind::Sequence(nodes) => self.cut_sequence(nodes, next),
            NodeKind::Let { binding, body } => {
                let body = self.cut(body, next);
                let body = self.after_bindings(&[binding], body);
                self.node(NodeKind::Let { binding, body }, self.unit)
            }
            NodeKind::LetRecursive { bindings, body } => {
                let body = self.cut(body, next);
                let body = self.after_bindings(&bindings, body);
                self.node(NodeKind::LetRecursive { bindings, body }, self.unit)
            }
            NodeKind::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.cut(then, next), self.cut(otherwise, next));
                self.node(NodeKind::If { condition, then, otherwise }, self.unit)
            }
            NodeKind::Match { scrutinee, arms } => {
                let arms = arms.into_iter().map(|arm| {
                    let body = self.cut(arm.body, next);
                    Arm { body: self.after_pattern(arm.pattern, body), ..arm }
                });
                let arms = arms.collect();
                self.node(NodeKind::Match { scrutinee, arms }, self.unit)
            }
            NodeKind::While { condition, body } => self.cut_loop(condition, body, next),
            NodeKind::For { variable, from, to, descending, body } => {
                let loop_node = self.counted(variable, (from, to), descending, body);
                self.cut(loop_node, next)
            }
            NodeKind::Literal(_)
            | NodeKind::Variable { .. }
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Apply { .. }
            | NodeKind::Lambda(_)
            | NodeKind::Tuple(_)
            | NodeKind::Array(_)
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => {
                clef_base::internal::bug("check", self.span, "an expression without statements cannot yield")
            }
        }
    }

    fn cut_sequence(&mut self, mut nodes: Vec<NodeId>, next: Option<Label>) -> NodeId {
        let first = nodes.iter().position(|node| self.marked.contains(node)).unwrap_or(nodes.len() - 1);
        let rest = nodes.split_off(first + 1);
        let Some(cut) = nodes.pop() else { return self.goto(next) };
        let next = match rest.is_empty() {
            true => next,
            false => {
                let label = self.label();
                let rest = self.cut_rest(rest, next);
                self.segments[label].body = Some(rest);
                Some(label)
            }
        };
        nodes.push(self.cut(cut, next));
        self.sequence(nodes)
    }

    /// The statements after one that yields.
    fn cut_rest(&mut self, mut nodes: Vec<NodeId>, next: Option<Label>) -> NodeId {
        if nodes.iter().any(|node| self.marked.contains(node)) {
            return self.cut_sequence(nodes, next);
        }
        nodes.push(self.goto(next));
        self.sequence(nodes)
    }

    fn cut_loop(&mut self, condition: NodeId, body: NodeId, next: Option<Label>) -> NodeId {
        let head = self.label();
        let then = self.cut(body, Some(head));
        let otherwise = self.goto(next);
        let iteration = self.node(NodeKind::If { condition, then, otherwise }, self.unit);
        self.segments[head].body = Some(iteration);
        self.goto(Some(head))
    }

    /// A counting loop that yields, as a `while`. No value after the last one is computed, since that could overflow.
    fn counted(
        &mut self,
        variable: VariableId,
        (from, to): (NodeId, NodeId),
        descending: bool,
        body: NodeId,
    ) -> NodeId {
        let ty = self.psg.nodes[from].ty;
        let (before, step) = match descending {
            true => (Primitive::GreaterEqual, Primitive::Subtract),
            false => (Primitive::LessEqual, Primitive::Add),
        };
        let index = self.fresh("index$", ty, Mutability::Mutable);
        let limit = self.fresh("limit$", ty, Mutability::Immutable);
        let more = self.fresh("more$", self.bool, Mutability::Mutable);
        let operands = [self.read(index), self.read(limit)];
        let enter = self.primitive(before, operands, self.bool);
        let value = self.read(index);
        let body = self.let_(variable, value, body);
        let operands = [self.read(index), self.read(limit)];
        let condition = self.primitive(Primitive::Equal, operands, self.bool);
        let no_more = self.node(NodeKind::Literal(Literal::Bool(false)), self.bool);
        let then = self.assign(more, no_more);
        let operands = [self.read(index), self.node(NodeKind::Literal(Literal::Integer(1)), ty)];
        let advanced = self.primitive(step, operands, ty);
        let otherwise = self.assign(index, advanced);
        let advance = self.node(NodeKind::If { condition, then, otherwise }, self.unit);
        let body = self.sequence(vec![body, advance]);
        let condition = self.read(more);
        let loop_node = self.node(NodeKind::While { condition, body }, self.unit);
        let loop_node = self.let_(more, enter, loop_node);
        let loop_node = self.let_(limit, to, loop_node);
        let loop_node = self.let_(index, from, loop_node);
        self.mark(loop_node);
        loop_node
    }

    fn yield_(&mut self, value: NodeId, next: Option<Label>) -> NodeId {
        let element = self.psg.nodes[value].ty;
        let some = self.option_case(1);
        let ty = self.psg.types.intern(TypeKind::Function(element, self.item));
        let function = self.node(NodeKind::Case { case: some, instantiation: vec![element] }, ty);
        let item = self.node(NodeKind::Apply { function, arguments: vec![value] }, self.item);
        let result = self.assign(self.result, item);
        let place = self.integer(NONE);
        if let Some(label) = next {
            self.segments[label].resumes.push(place);
        }
        let resume = self.assign(self.resume, place);
        let stop = self.stop();
        self.sequence(vec![result, resume, stop])
    }

    /// Leaves the loop over the segments.
    fn stop(&mut self) -> NodeId {
        let none = self.integer(NONE);
        self.assign(self.at, none)
    }

    /// Continues with a segment, or ends the sequence.
    fn goto(&mut self, next: Option<Label>) -> NodeId {
        let place = self.integer(NONE);
        let Some(label) = next else {
            let end = self.assign(self.resume, place);
            let stop = self.stop();
            return self.sequence(vec![end, stop]);
        };
        let goto = self.assign(self.at, place);
        self.segments[label].gotos.push((goto, place));
        goto
    }

    fn label(&mut self) -> Label {
        self.segments.push(Segment::default());
        self.segments.len() - 1
    }

    /// Inlines each segment that has a single predecessor other than a `yield`, and numbers the others.
    fn join_segments(&mut self) -> Vec<NodeId> {
        let mut bodies = Vec::new();
        for (label, segment) in std::mem::take(&mut self.segments).into_iter().enumerate() {
            let Some(body) = segment.body else { continue };
            if let (true, [], [(goto, _)]) = (label > 0, segment.resumes.as_slice(), segment.gotos.as_slice()) {
                self.psg.nodes[*goto].kind = NodeKind::Sequence(vec![body]);
                continue;
            }
            let number = NodeKind::Literal(Literal::Integer(bodies.len() as i128));
            for literal in segment.gotos.iter().map(|(_, literal)| literal).chain(&segment.resumes) {
                self.psg.nodes[*literal].kind = number.clone();
            }
            bodies.push(body);
        }
        bodies
    }

    /// The loop over the segments.
    fn machine(&mut self, segments: Vec<NodeId>) -> NodeId {
        let last = segments.len() - 1;
        let arms = segments.into_iter().enumerate().map(|(number, body)| {
            let kind = match number == last {
                true => PatternKind::Wildcard,
                false => PatternKind::Literal(Literal::Integer(number as i128)),
            };
            let pattern = self.psg.patterns.alloc(Pattern { kind, ty: self.int, span: self.span });
            Arm { pattern, guard: None, body }
        });
        let arms = arms.collect();
        let scrutinee = self.read(self.at);
        let body = self.node(NodeKind::Match { scrutinee, arms }, self.unit);
        let operands = [self.read(self.at), self.integer(0)];
        let condition = self.primitive(Primitive::GreaterEqual, operands, self.bool);
        let loop_node = self.node(NodeKind::While { condition, body }, self.unit);
        let result = self.read(self.result);
        let whole = self.node(NodeKind::Sequence(vec![loop_node, result]), self.item);
        let instantiation = self.element();
        let case = self.option_case(0);
        let none = self.node(NodeKind::Case { case, instantiation }, self.item);
        let whole = self.let_(self.result, none, whole);
        let resume = self.read(self.resume);
        self.let_(self.at, resume, whole)
    }

    /// A sequence after bindings, at whose start their variables can be stored.
    fn after_bindings(&mut self, bindings: &[Binding], body: NodeId) -> NodeId {
        let body = self.sequence(vec![body]);
        for binding in bindings {
            for variable in self.psg.bound_by(binding.pattern) {
                self.after_binding.insert(variable, body);
            }
        }
        body
    }

    fn after_pattern(&mut self, pattern: clef_psg::PatternId, body: NodeId) -> NodeId {
        let body = self.sequence(vec![body]);
        for variable in self.psg.bound_by(pattern) {
            self.after_binding.insert(variable, body);
        }
        body
    }
}

/// Building nodes.
impl Expansion<'_> {
    fn node(&mut self, kind: NodeKind, ty: Type) -> NodeId {
        self.psg.nodes.alloc(Node { kind, ty, span: self.span })
    }

    fn sequence(&mut self, nodes: Vec<NodeId>) -> NodeId {
        self.node(NodeKind::Sequence(nodes), self.unit)
    }

    fn integer(&mut self, value: i128) -> NodeId {
        self.node(NodeKind::Literal(Literal::Integer(value)), self.int)
    }

    fn fresh(&mut self, name: &str, ty: Type, mutability: Mutability) -> VariableId {
        variable(self.psg, name, ty, mutability, self.span)
    }

    fn read(&mut self, variable: VariableId) -> NodeId {
        let ty = self.psg.variables[variable].ty;
        self.node(NodeKind::Variable { variable, instantiation: Vec::new() }, ty)
    }

    fn assign(&mut self, variable: VariableId, value: NodeId) -> NodeId {
        self.node(NodeKind::Assign { variable, value }, self.unit)
    }

    fn let_(&mut self, variable: VariableId, value: NodeId, body: NodeId) -> NodeId {
        let ty = self.psg.variables[variable].ty;
        let kind = PatternKind::Variable(variable);
        let pattern = self.psg.patterns.alloc(Pattern { kind, ty, span: self.span });
        let ty = self.psg.nodes[body].ty;
        self.node(NodeKind::Let { binding: Binding { pattern, value }, body }, ty)
    }

    fn primitive(&mut self, primitive: Primitive, operands: [NodeId; 2], result: Type) -> NodeId {
        let mut ty = result;
        for operand in operands.iter().rev() {
            let operand = self.psg.nodes[*operand].ty;
            ty = self.psg.types.intern(TypeKind::Function(operand, ty));
        }
        let function = self.node(NodeKind::Primitive(primitive), ty);
        self.node(NodeKind::Apply { function, arguments: operands.to_vec() }, result)
    }

    /// The value of a variable before its first assignment.
    fn unset(&mut self, ty: Type) -> NodeId {
        let function = self.psg.types.intern(TypeKind::Function(self.unit, ty));
        let function = self.node(NodeKind::Intrinsic(Intrinsic::Unset), function);
        let argument = self.node(NodeKind::Literal(Literal::Unit), self.unit);
        self.node(NodeKind::Apply { function, arguments: vec![argument] }, ty)
    }

    /// A case of the option type, by its tag.
    fn option_case(&self, tag: usize) -> clef_types::CaseId {
        let kind = self.psg.types.kind(self.item);
        let TypeKind::Declared(declared, _) = kind else {
            clef_base::internal::bug("check", self.span, format!("an enumerator returns {kind:?}"))
        };
        self.psg.declared_types[*declared].cases[tag]
    }

    /// The element type, as type arguments.
    fn element(&self) -> Vec<Type> {
        let kind = self.psg.types.kind(self.item);
        let TypeKind::Declared(_, arguments) = kind else {
            clef_base::internal::bug("check", self.span, format!("an enumerator returns {kind:?}"))
        };
        arguments.clone()
    }
}

/// A compiler-generated variable.
fn variable(psg: &mut Psg, name: &str, ty: Type, mutability: Mutability, span: Span) -> VariableId {
    let name = Symbol::new(name);
    psg.variables.alloc(Variable {
        name,
        path: name,
        ty,
        generics: Vec::new(),
        mutability,
        scope: Scope::Local,
        arity: None,
        marks: Marks::default(),
        span,
    })
}
