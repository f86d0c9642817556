//! Enumerators of sequences as state machines.
//!
//! In: the graph, and the functions whose bodies yield. Out: the same functions without `yield`. Each call resumes where the
//! last one suspended, and runs to the next element, which it returns as `Some`, or to the end, after which it always
//! returns `None`. The body is split into segments:
//!
//! ```text
//! let mutable at = resume
//! let mutable result = None
//! if at < 2 then
//!     match at with
//!     | 0 -> segment 0
//!     | _ -> segment 1
//! while at < 4 do
//!     match at with
//!     | 2 -> segment 2
//!     | _ -> segment 3
//! …
//! result
//! ```
//!
//! A segment ends by setting `at` to the next segment; at a `yield`, by setting `resume` to it, `result` to the element, and
//! `at` to the end, which is the number of segments. A segment with a single predecessor is inlined there. The others are
//! in [stages](stages), of which only those with a cycle of jumps are loops. `resume` and the variables that live across
//! segments are owned by the closure ([`Psg::owned`]).

mod kept;
mod stages;

use clef_base::{Diagnostic, HashMap, HashSet, Span, Symbol};
use clef_psg::{
    Arm, Binding, LambdaId, Literal, Marks, Mutability, Node, NodeId, NodeKind, Pattern, PatternKind, Psg, Scope,
    Variable, VariableId,
};
use clef_types::{IntegerType, Intrinsic, Primitive, Type, TypeKind};
use stages::Stage;

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

/// The value of a place that is not known yet.
const UNKNOWN: i128 = -1;

/// Expands an enumerator, after those nested in it; `yields` are the statements that yield an element. Returns errors for
/// variables that cannot live across segments.
pub fn expand(psg: &mut Psg, yields: &HashSet<NodeId>, Generator { lambda, item }: Generator) -> Vec<Diagnostic> {
    Expansion::new(psg, yields, lambda, item).run(lambda)
}

/// A segment, and the jumps to it.
struct Segment {
    /// Nothing until the segments that follow are known.
    body: NodeId,
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
    /// The literals whose value is the end.
    ends: Vec<NodeId>,
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
            marked: HashSet::default(),
            span,
            unit,
            int,
            bool,
            item,
            resume,
            at,
            result,
            segments: Vec::new(),
            ends: Vec::new(),
            after_binding: HashMap::default(),
            diagnostics: Vec::new(),
        }
    }

    fn run(mut self, lambda: LambdaId) -> Vec<Diagnostic> {
        let body = self.psg.lambdas[lambda].body;
        self.mark(body);
        let start = self.label();
        let first = self.cut(body, None);
        self.segments[start].body = first;
        let segments = self.join_segments();
        let mut stages = self.stages(segments);
        self.number(&stages);
        let first = self.integer(0);
        let mut owned = vec![(self.resume, first)];
        self.keep(stages.iter_mut().flat_map(|stage| &mut stage.segments).collect(), &mut owned);
        self.psg.lambdas[lambda].body = self.machine(stages);
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
                self.segments[label].body = rest;
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
        self.segments[head].body = iteration;
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
        let place = self.place(next);
        if let Some(label) = next {
            self.segments[label].resumes.push(place);
        }
        let resume = self.assign(self.resume, place);
        let stop = self.stop();
        self.sequence(vec![result, resume, stop])
    }

    /// Leaves the state machine.
    fn stop(&mut self) -> NodeId {
        let end = self.place(None);
        self.assign(self.at, end)
    }

    /// Continues with a segment, or ends the sequence.
    fn goto(&mut self, next: Option<Label>) -> NodeId {
        let place = self.place(next);
        let Some(label) = next else {
            let end = self.assign(self.resume, place);
            let stop = self.stop();
            return self.sequence(vec![end, stop]);
        };
        let goto = self.assign(self.at, place);
        self.segments[label].gotos.push((goto, place));
        goto
    }

    /// The number of a segment or of the end, as a literal that [`Self::number`] sets.
    fn place(&mut self, label: Option<Label>) -> NodeId {
        let place = self.integer(UNKNOWN);
        if label.is_none() {
            self.ends.push(place);
        }
        place
    }

    fn label(&mut self) -> Label {
        let body = self.nothing();
        self.segments.push(Segment { body, gotos: Vec::new(), resumes: Vec::new() });
        self.segments.len() - 1
    }

    /// Inlines each segment that has a single predecessor other than a `yield`; returns the others.
    fn join_segments(&mut self) -> Vec<Segment> {
        let mut joined = Vec::new();
        for (label, segment) in std::mem::take(&mut self.segments).into_iter().enumerate() {
            match (label, segment.resumes.as_slice(), segment.gotos.as_slice()) {
                (1.., [], [(goto, _)]) => self.psg.nodes[*goto].kind = NodeKind::Sequence(vec![segment.body]),
                _ => joined.push(segment),
            }
        }
        joined
    }

    /// Numbers the segments and the end.
    fn number(&mut self, stages: &[Stage]) {
        let segments: Vec<&Segment> = stages.iter().flat_map(|stage| &stage.segments).collect();
        let places = segments.iter().enumerate().flat_map(|(number, segment)| {
            let gotos = segment.gotos.iter().map(|(_, place)| place);
            gotos.chain(&segment.resumes).map(move |place| (*place, number))
        });
        let ends = self.ends.iter().map(|place| (*place, segments.len()));
        for (place, number) in places.chain(ends) {
            self.psg.nodes[place].kind = NodeKind::Literal(Literal::Integer(number as i128));
        }
    }

    /// The stages, one after the other.
    fn machine(&mut self, stages: Vec<Stage>) -> NodeId {
        let mut end = 0;
        let mut nodes = Vec::new();
        for Stage { segments, repeats } in stages {
            let first = end;
            end += segments.len();
            let body = self.dispatch(first, segments.into_iter().map(|segment| segment.body));
            let operands = [self.read(self.at), self.integer(end as i128)];
            let condition = self.primitive(Primitive::Less, operands, self.bool);
            let kind = match repeats {
                true => NodeKind::While { condition, body },
                false => NodeKind::If { condition, then: body, otherwise: self.nothing() },
            };
            nodes.push(self.node(kind, self.unit));
        }
        nodes.push(self.read(self.result));
        let whole = self.node(NodeKind::Sequence(nodes), self.item);
        let instantiation = self.element();
        let case = self.option_case(0);
        let none = self.node(NodeKind::Case { case, instantiation }, self.item);
        let whole = self.let_(self.result, none, whole);
        let resume = self.read(self.resume);
        self.let_(self.at, resume, whole)
    }

    /// Executes the segment at `at`, which is one of those from `first` on.
    fn dispatch(&mut self, first: usize, segments: impl ExactSizeIterator<Item = NodeId>) -> NodeId {
        let last = segments.len() - 1;
        let arms = segments.enumerate().map(|(number, body)| {
            let kind = match number == last {
                true => PatternKind::Wildcard,
                false => PatternKind::Literal(Literal::Integer((first + number) as i128)),
            };
            let pattern = self.psg.patterns.alloc(Pattern { kind, ty: self.int, span: self.span });
            Arm { pattern, guard: None, body }
        });
        let arms = arms.collect();
        let scrutinee = self.read(self.at);
        self.node(NodeKind::Match { scrutinee, arms }, self.unit)
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

    fn nothing(&mut self) -> NodeId {
        self.node(NodeKind::Literal(Literal::Unit), self.unit)
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
