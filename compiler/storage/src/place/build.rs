//! Builds the [`Flow`] of a function: which values each construct moves where.
//!
//! In: a function, and what its callees do with their inputs ([`Summaries`]). Out: its flow. A store through a cell
//! goes to every cell of this function that it may refer to, and counts as leaving the frame if the cell may come from
//! elsewhere.

use super::{
    flow::{Depth, Flow, LoopId, Sink, Step},
    homes::{homes, is_registry},
    summary::{Summaries, inputs},
};
use clef_base::{HashMap, HashSet, Span};
use clef_core::{
    Atom, Block, Call, Convention, End, Function, FunctionId, Holders, JoinId, LocalId, MakeClosure, Program, Reuse,
    Rhs, Statement, StatementKind,
};
use clef_types::{Intrinsic, Reach, Type, TypeKind};

impl Flow {
    /// The graph of a function.
    pub(super) fn of(program: &Program, id: FunctionId, summaries: &Summaries, holders: &mut Holders) -> Flow {
        let function = &program.functions[id];
        let mut builder = Builder {
            program,
            id,
            function,
            summaries,
            holders,
            flow: Flow::new(function.span),
            joins: HashMap::default(),
            stores: Vec::new(),
            origins: HashMap::default(),
            evacuated: HashMap::default(),
            homes: homes(program, function),
            inside: 0,
        };
        builder.block(&function.body, None);
        builder.store();
        builder.flow
    }
}

/// Where the value of a local comes from, as far as stores through it are concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A cell or slot that this function makes.
    Cell,
    /// From outside: a call, a module-level value.
    Elsewhere,
}

struct Builder<'a> {
    program: &'a Program,
    id: FunctionId,
    function: &'a Function,
    summaries: &'a Summaries,
    holders: &'a mut Holders,
    flow: Flow,
    joins: HashMap<JoinId, Vec<LocalId>>,
    /// Cell, value, place.
    stores: Vec<(LocalId, LocalId, Span)>,
    origins: HashMap<LocalId, Origin>,
    /// The roots of each evacuation; the components of its result are the roots after it.
    evacuated: HashMap<LocalId, Vec<Atom>>,
    /// The slots that only evacuation writes, and their initial values.
    homes: HashMap<LocalId, Atom>,
    /// The innermost loop.
    inside: LoopId,
}

impl Builder<'_> {
    fn holds(&mut self, ty: Type) -> bool {
        self.holders.holds(self.program, ty)
    }

    /// The local of an operand that can hold memory.
    fn holding(&mut self, atom: &Atom) -> Option<LocalId> {
        atom.local().filter(|local| self.holds(self.function.locals[*local].ty))
    }

    fn edge(&mut self, from: &Atom, to: LocalId, step: Step) {
        if self.holds(self.function.locals[to].ty)
            && let Some(from) = self.holding(from)
        {
            self.flow.edge(from, to, step);
        }
    }

    fn sink(&mut self, from: &Atom, sink: Sink) {
        self.sink_at(from, sink, Depth::Itself);
    }

    fn sink_at(&mut self, from: &Atom, sink: Sink, takes: Depth) {
        if let Some(from) = self.holding(from) {
            self.flow.sink(from, sink, takes);
        }
    }

    fn bind(&mut self, local: LocalId) {
        self.flow.loops.insert(local, self.inside);
    }

    /// A block whose value goes to a local of a scope, or is the function's.
    fn block(&mut self, block: &Block, value: Option<LocalId>) {
        for statement in &block.statements {
            statement.bound().into_iter().for_each(|local| self.bind(local));
            self.statement(statement);
        }
        self.end(&block.end, value);
    }

    fn end(&mut self, end: &End, value: Option<LocalId>) {
        match end {
            End::Yield(atom) => match value {
                Some(local) => self.edge(atom, local, Step::Same),
                None => self.returned(atom),
            },
            End::TailCall { call, required, place } => self.tail_call(call, *required, place.span),
            End::Continue(arguments) => {
                for (argument, &param) in arguments.iter().zip(&self.function.params) {
                    self.edge(argument, param, Step::Same);
                    if *argument != Atom::Local(param) {
                        self.sink(argument, Sink::NextIteration(self.place(argument)));
                    }
                }
            }
            End::Jump(join, arguments) => {
                let params = self.joins.get(join).cloned().unwrap_or_default();
                for (argument, param) in arguments.iter().zip(params) {
                    self.edge(argument, param, Step::Same);
                }
            }
            End::Join { join, .. } => {
                join.params.iter().for_each(|&param| self.bind(param));
                self.joins.insert(join.id, join.params.clone());
                end.blocks().into_iter().for_each(|block| self.block(block, value));
            }
            End::If { .. } | End::Switch { .. } | End::Trap(..) => {
                end.blocks().into_iter().for_each(|block| self.block(block, value));
            }
        }
    }

    /// The place where an operand is bound.
    fn place(&self, atom: &Atom) -> Span {
        match atom {
            Atom::Local(local) => self.function.locals[*local].span,
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Integer(..)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::ProgramRegion
            | Atom::Function(..) => self.function.span,
        }
    }

    fn returned(&mut self, atom: &Atom) {
        if self.holds(self.function.result) {
            self.sink(atom, Sink::Returned(self.place(atom)));
        }
    }

    fn tail_call(&mut self, call: &Call, required: bool, span: Span) {
        self.call(call, None, span);
        if required {
            call.atoms(&mut |atom| self.sink(atom, Sink::TailCall(span)));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.place.span;
        match &statement.kind {
            StatementKind::Let(local, rhs) => self.rhs(*local, rhs, span),
            StatementKind::Group(members) => {
                members.iter().for_each(|(local, closure)| self.closure(*local, closure, span));
            }
        }
    }

    fn rhs(&mut self, local: LocalId, rhs: &Rhs, span: Span) {
        match rhs {
            Rhs::Atom(atom) => self.edge(atom, local, Step::Same),
            Rhs::Evacuate { roots, .. } => {
                self.evacuated.insert(local, roots.clone());
            }
            Rhs::Component(tuple, index) if self.root(tuple, *index).is_some() => {
                self.root(tuple, *index).into_iter().for_each(|root| self.edge(&root, local, Step::Same));
            }
            Rhs::ReadSlot(slot) if self.home(slot).is_some() => {
                self.home(slot).into_iter().for_each(|value| self.edge(&value, local, Step::Same));
            }
            Rhs::WriteSlot(slot, _) if self.home(slot).is_some() => {}
            Rhs::Component(atom, _)
            | Rhs::Field { value: atom, .. }
            | Rhs::ReadSlot(atom)
            | Rhs::ReadReference(atom) => self.edge(atom, local, Step::Content),
            Rhs::Tuple(parts) | Rhs::Inject { fields: parts, .. } | Rhs::Array { elements: parts, .. } => {
                if self.is_written(rhs) {
                    self.written(local, rhs);
                }
                parts.iter().for_each(|part| self.edge(part, local, Step::Part(span)));
                if let Rhs::Inject { reuse: Some(Reuse { node, .. }), .. } = rhs {
                    self.sink(node, Sink::Reused(span));
                }
            }
            Rhs::Slot(value) => {
                self.flow.slots.push(local);
                self.cell(value, local, span);
            }
            Rhs::MakeReference { value, .. } => self.cell(value, local, span),
            Rhs::WriteSlot(cell, value)
            | Rhs::WriteReference(cell, value)
            | Rhs::WriteField { value: cell, content: value, .. } => {
                if let (Some(cell), Some(value)) = (self.holding(cell), self.holding(value)) {
                    self.stores.push((cell, value, span));
                }
            }
            Rhs::ReadGlobal(_) => {
                self.origins.insert(local, Origin::Elsewhere);
            }
            // A slot is registered for evacuation there during a call (`region::module_state`), which keeps nothing.
            Rhs::WriteGlobal(global, _) if is_registry(self.program, *global) => {}
            Rhs::WriteGlobal(_, value) => self.sink(value, Sink::Stored(span)),
            Rhs::Intrinsic { intrinsic, arguments, .. } => self.intrinsic(local, *intrinsic, arguments, span),
            // A foreign function may return its arguments. It promises to keep nothing beyond the call.
            Rhs::Foreign { arguments, .. } => {
                self.origins.insert(local, Origin::Elsewhere);
                arguments.iter().for_each(|argument| self.edge(argument, local, Step::Same));
            }
            Rhs::Call(call) => {
                self.origins.insert(local, Origin::Elsewhere);
                self.call(call, Some(local), span);
            }
            Rhs::Closure(closure) => self.closure(local, closure, span),
            Rhs::Scope(block) => self.block(block, Some(local)),
            Rhs::While { condition, body } => self.repeat(local, [condition, body], span),
            // Neither keeps its operands: they produce numbers and fresh strings.
            Rhs::Primitive(..)
            | Rhs::Concatenate { .. }
            | Rhs::Arity(_)
            | Rhs::Tag(_)
            | Rhs::FunctionAddress(_)
            | Rhs::EnterRegion
            | Rhs::LeaveRegion(_)
            | Rhs::PopClosure(_) => {}
        }
    }

    /// Records values that may be written to later. An array of too many elements for a frame counts as from elsewhere:
    /// its content leaves the frame.
    fn written(&mut self, local: LocalId, rhs: &Rhs) {
        let many = super::elements(rhs).is_some_and(|count| count > self.summaries.limits.elements);
        self.origins.insert(local, if many { Origin::Elsewhere } else { Origin::Cell });
        if many {
            let span = self.function.locals[local].span;
            rhs.atoms(&mut |atom| self.sink(atom, Sink::Stored(span)));
        }
    }

    /// Whether the result of an operation may be written to later.
    fn is_written(&self, rhs: &Rhs) -> bool {
        if let Rhs::Inject { ty, case, .. } = rhs {
            return !self.program.declared[ty].cases[*case].mutable.is_empty();
        }
        matches!(rhs, Rhs::Array { .. })
    }

    /// The flow from the arguments of an intrinsic to its result, or elsewhere. Pointers are not followed: an address
    /// that is written to memory, or becomes a number, counts as leaving the frame.
    fn intrinsic(&mut self, local: LocalId, intrinsic: Intrinsic, arguments: &[Atom], span: Span) {
        match intrinsic.properties().reach {
            Reach::FirstArgument => self.edge(&arguments[0], local, Step::Same),
            Reach::AllArguments => arguments.iter().for_each(|argument| self.edge(argument, local, Step::Same)),
            Reach::ReadsElement => self.edge(&arguments[0], local, Step::Content),
            Reach::WritesElement => {
                if let (Some(array), Some(value)) = (self.holding(&arguments[0]), self.holding(&arguments[2])) {
                    self.stores.push((array, value, span));
                }
            }
            Reach::ReadsThroughPointer => {
                self.origins.insert(local, Origin::Elsewhere);
            }
            Reach::WritesThroughPointer => self.sink(&arguments[1], Sink::Stored(span)),
            Reach::RevealsAddress => self.sink(&arguments[0], Sink::Stored(span)),
            Reach::Nothing if intrinsic == Intrinsic::ArrayZero => {
                let most = i128::from(self.summaries.limits.elements);
                let few = matches!(arguments[..], [Atom::Integer(count, _)] if count <= most);
                self.origins.insert(local, if few { Origin::Cell } else { Origin::Elsewhere });
            }
            Reach::Nothing => {}
        }
    }

    fn cell(&mut self, value: &Atom, local: LocalId, span: Span) {
        self.origins.insert(local, Origin::Cell);
        self.edge(value, local, Step::Part(span));
    }

    fn repeat(&mut self, local: LocalId, blocks: [&Block; 2], span: Span) {
        let outer = self.inside;
        self.flow.parents.push((outer, span));
        self.inside = self.flow.parents.len() - 1;
        blocks.into_iter().for_each(|block| self.block(block, Some(local)));
        self.inside = outer;
    }

    fn closure(&mut self, local: LocalId, closure: &MakeClosure, span: Span) {
        let Convention::Closure { captures, .. } = &self.program.functions[closure.function].convention else { return };
        for (atom, &capture) in closure.captures.iter().zip(captures) {
            self.edge(atom, local, Step::Captured(span));
            let summary = self.summaries.of(closure.function, capture);
            for (depth, fate) in [(Depth::Itself, summary.itself), (Depth::Within, summary.within)] {
                if fate.escapes {
                    self.sink_at(atom, Sink::Captured(span), depth);
                }
            }
        }
    }

    /// A call whose value goes to a local, or is the function's.
    fn call(&mut self, call: &Call, value: Option<LocalId>, span: Span) {
        for target in self.summaries.targets(self.program, self.id, call) {
            let callee = &self.program.functions[target];
            for (argument, &param) in call.arguments.iter().zip(&callee.params) {
                self.input(argument, target, param, value, span);
            }
            if let (Some(closure), Convention::Closure { captures, itself, .. }) =
                (call.callee.closure(), &callee.convention)
            {
                itself.iter().for_each(|&itself| self.input(closure, target, itself, value, span));
                // What happens to captures, other than being returned, is recorded where the closure is made.
                let returned = |&capture: &LocalId| {
                    let summary = self.summaries.of(target, capture);
                    [summary.itself, summary.within].iter().any(|fate| fate.returned || fate.within)
                };
                if captures.iter().any(returned) {
                    self.result(closure, value, Step::Content, span);
                }
            }
        }
    }

    fn input(&mut self, atom: &Atom, target: FunctionId, input: LocalId, value: Option<LocalId>, span: Span) {
        let summary = self.summaries.of(target, input);
        for (depth, fate) in [(Depth::Itself, summary.itself), (Depth::Within, summary.within)] {
            if fate.escapes {
                self.sink_at(atom, Sink::Passed(span), depth);
            }
            match depth {
                Depth::Itself => {
                    let steps = [(fate.returned, Step::Same), (fate.within, Step::Part(span))];
                    let taken = steps.into_iter().filter(|(taken, _)| *taken);
                    taken.for_each(|(_, step)| self.result(atom, value, step, span));
                }
                Depth::Within if fate.returned || fate.within => self.result(atom, value, Step::Content, span),
                Depth::Within => {}
            }
        }
    }

    /// The result of a call is an operand, holds it, or is read out of it.
    fn result(&mut self, atom: &Atom, value: Option<LocalId>, step: Step, span: Span) {
        if let Some(local) = value {
            return self.edge(atom, local, step);
        }
        if self.holds(self.function.result) {
            match step {
                Step::Same => self.sink(atom, Sink::Returned(span)),
                Step::Captured(_) | Step::Part(_) => self.sink(atom, Sink::ReturnedWithin(span)),
                Step::Content => self.sink_at(atom, Sink::ReturnedWithin(span), Depth::Within),
            }
        }
    }

    /// Applies the stores until they add no new flow.
    fn store(&mut self) {
        let inputs: HashSet<LocalId> = inputs(self.function).collect();
        loop {
            let mut changed = false;
            for (cell, value, span) in self.stores.clone() {
                for (origin, depth) in self.flow.origins(cell) {
                    let known = self.origins.get(&origin);
                    if known == Some(&Origin::Elsewhere) || inputs.contains(&origin) {
                        self.flow.sink(value, Sink::Stored(span), Depth::Itself);
                    } else if known == Some(&Origin::Cell) && depth == Depth::Itself && self.keeps(origin) {
                        changed |= self.flow.edge(value, origin, Step::Part(span));
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The initial value of a slot that only evacuation writes: what is read from it is that value, or a copy in a region.
    fn home(&self, slot: &Atom) -> Option<Atom> {
        self.homes.get(&slot.local()?).cloned()
    }

    /// The root of an evacuation that a component of its result replaces.
    fn root(&self, tuple: &Atom, index: usize) -> Option<Atom> {
        self.evacuated.get(&tuple.local()?)?.get(index).cloned()
    }

    /// Whether the content of a cell can hold memory.
    fn keeps(&mut self, cell: LocalId) -> bool {
        match self.program.types.kind(self.function.locals[cell].ty) {
            TypeKind::Slot(content) | TypeKind::Reference(content) | TypeKind::Array(content) => {
                let content = *content;
                self.holds(content)
            }
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Declared(..)
            | TypeKind::Region
            | TypeKind::Parameter(_) => true,
        }
    }
}
