//! The closures that calls of unknown closures reach.
//!
//! In: a program. Out: [`Callees`]. Guarantee: a call of a closure reaches only the functions listed for it. Function
//! values are tracked from where closures are created through everything that copies, stores or passes them, by
//! inclusion constraints that are solved as they are added (Andersen, "Program Analysis and Specialization for the C
//! Programming Language", 1994; for calls, Shivers' 0-CFA). All memory of a type is one abstract location, except the
//! fields of nodes; a call reaches only closures of its own type.

use crate::{
    Atom, Block, Call, Callee, Convention, End, FunctionId, GlobalId, JoinId, LocalId, MakeClosure, Program, Rhs,
    Statement, StatementKind,
};
use clef_base::{HashMap, HashSet};
use clef_types::Type;
use std::collections::BTreeSet;

/// Something that holds function values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Local(FunctionId, LocalId),
    Result(FunctionId),
    Global(GlobalId),
    /// The content of every slot, ref cell or array of a type, and everything that a pointer of a type points to.
    Memory(Type),
    /// A field of the nodes of a case.
    Field(Type, usize, usize),
}

/// The index of a place.
type Node = usize;

/// The path to a function value within a value that needs no memory: the tag and position of each field; for tuples the
/// position. The path of a function value itself is empty.
type Path = Vec<(usize, usize)>;

/// A function value, with its path in what a place holds.
type Held = (Path, FunctionId);

/// How what a place holds flows to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    /// Unchanged.
    Copy,
    /// It becomes a field.
    Into(usize, usize),
    /// It was a field.
    OutOf(usize, usize),
}

impl Step {
    /// The held value after the step; `None` if it was in another field.
    fn apply(self, (path, function): &Held) -> Option<Held> {
        let path = match self {
            Step::Copy => path.clone(),
            Step::Into(case, field) => std::iter::once((case, field)).chain(path.iter().copied()).collect(),
            Step::OutOf(case, field) => match path.split_first() {
                Some((first, rest)) if *first == (case, field) => rest.to_vec(),
                Some(_) | None => return None,
            },
        };
        Some((path, *function))
    }
}

/// What calls reach.
#[derive(Debug, Default)]
pub struct Callees {
    /// The functions that each called local may be.
    closures: HashMap<(FunctionId, LocalId), BTreeSet<FunctionId>>,
}

impl Callees {
    /// Computes what the calls of a program reach.
    pub fn of(program: &Program) -> Callees {
        let mut solver = Solver::new(program);
        for (id, function) in program.functions.iter() {
            let joins = function.body.join_params();
            Walk { solver: &mut solver, id, joins: &joins }.block(&function.body, Some(Place::Result(id)));
        }
        solver.solve();
        let mut closures = HashMap::default();
        for (place, node) in solver.numbers {
            if let Place::Local(function, local) = place {
                let held = solver.sets[node].iter().filter(|(path, _)| path.is_empty());
                closures.insert((function, local), held.map(|(_, function)| *function).collect());
            }
        }
        Callees { closures }
    }

    /// The functions that a call reaches.
    pub fn of_call(&self, program: &Program, caller: FunctionId, call: &Call) -> Vec<FunctionId> {
        match &call.callee {
            Callee::Known(callee) | Callee::Direct(callee, _) => vec![*callee],
            Callee::Closure(closure) => {
                let Some(called) = Called::of(program, caller, closure, call.arguments.len()) else {
                    return Vec::new();
                };
                let constant = closure.function().into_iter();
                let held = constant.chain(self.held(caller, closure));
                held.filter(|&function| called.reaches(program, function)).collect()
            }
        }
    }

    /// What a local holds.
    fn held(&self, function: FunctionId, atom: &Atom) -> impl Iterator<Item = FunctionId> + '_ {
        atom.local().and_then(|local| self.closures.get(&(function, local))).into_iter().flatten().copied()
    }

    /// The functions that all calls of unknown closures in a function reach.
    pub fn of_function(&self, program: &Program, id: FunctionId) -> BTreeSet<FunctionId> {
        let mut reached = BTreeSet::new();
        program.functions[id].body.each_call(&mut |call| {
            if matches!(call.callee, Callee::Closure(_)) {
                reached.extend(self.of_call(program, id, call));
            }
        });
        reached
    }
}

/// The type of an operand that may hold functions; other constants hold none.
fn type_of(program: &Program, id: FunctionId, atom: &Atom) -> Option<Type> {
    let constant = if let Atom::Function(_, ty) = atom { Some(*ty) } else { None };
    atom.local().map(|local| program.functions[id].locals[local].ty).or(constant)
}

/// What a call expects of a closure: parameters and result.
#[derive(Clone, Debug)]
struct Called(Vec<Type>, Type);

impl Called {
    fn of(program: &Program, caller: FunctionId, closure: &Atom, arguments: usize) -> Option<Called> {
        let ty = type_of(program, caller, closure)?;
        program.types.uncurry(ty, arguments).map(|(params, result)| Called(params, result))
    }

    fn reaches(&self, program: &Program, function: FunctionId) -> bool {
        let callee = &program.functions[function];
        let params = callee.params.iter().map(|param| callee.locals[*param].ty);
        matches!(callee.convention, Convention::Closure { .. })
            && callee.result == self.1
            && params.eq(self.0.iter().copied())
    }
}

/// A call of what a place holds.
#[derive(Clone, Debug)]
struct UnknownCall {
    called: Called,
    caller: FunctionId,
    arguments: Vec<Atom>,
    result: Option<Place>,
}

struct Solver<'a> {
    program: &'a Program,
    numbers: HashMap<Place, Node>,
    /// What each place holds.
    sets: Vec<BTreeSet<Held>>,
    /// Where the content of a place flows.
    flows: Vec<Vec<(Step, Node)>>,
    known: HashSet<(Node, Step, Node)>,
    calls: HashMap<Node, Vec<UnknownCall>>,
    /// What places hold, with consequences that are not computed yet.
    due: Vec<(Node, Held)>,
}

impl<'a> Solver<'a> {
    fn new(program: &'a Program) -> Solver<'a> {
        Solver {
            program,
            numbers: HashMap::default(),
            sets: Vec::new(),
            flows: Vec::new(),
            known: HashSet::default(),
            calls: HashMap::default(),
            due: Vec::new(),
        }
    }

    fn node(&mut self, place: Place) -> Node {
        let next = self.sets.len();
        let node = *self.numbers.entry(place).or_insert(next);
        if node == next {
            self.sets.push(BTreeSet::new());
            self.flows.push(Vec::new());
        }
        node
    }

    fn add(&mut self, node: Node, held: Held) {
        if self.sets[node].insert(held.clone()) {
            self.due.push((node, held));
        }
    }

    /// Records that a place holds a function value.
    fn hold(&mut self, place: Place, function: FunctionId) {
        let node = self.node(place);
        self.add(node, (Path::new(), function));
    }

    /// Records that the content of one place flows to another.
    fn flow(&mut self, from: Place, step: Step, to: Place) {
        let (from, to) = (self.node(from), self.node(to));
        if (from != to || step != Step::Copy) && self.known.insert((from, step, to)) {
            self.flows[from].push((step, to));
            for held in self.sets[from].iter().filter_map(|held| step.apply(held)).collect::<Vec<_>>() {
                self.add(to, held);
            }
        }
    }

    /// Records that an operand flows to a place.
    fn put(&mut self, id: FunctionId, atom: &Atom, step: Step, to: Place) {
        if let Some(local) = atom.local() {
            self.flow(Place::Local(id, local), step, to);
        } else if let Some(held) = atom.function().and_then(|function| step.apply(&(Path::new(), function))) {
            let node = self.node(to);
            self.add(node, held);
        }
    }

    /// Records a call of a function with these arguments.
    fn enter(&mut self, caller: FunctionId, callee: FunctionId, arguments: &[Atom], result: Option<Place>) {
        let params = &self.program.functions[callee].params;
        for (param, argument) in params.iter().zip(arguments) {
            self.put(caller, argument, Step::Copy, Place::Local(callee, *param));
        }
        if let Some(result) = result {
            self.flow(Place::Result(callee), Step::Copy, result);
        }
    }

    fn solve(&mut self) {
        while let Some((node, held)) = self.due.pop() {
            for index in 0..self.flows[node].len() {
                let (step, to) = self.flows[node][index];
                if let Some(held) = step.apply(&held) {
                    self.add(to, held);
                }
            }
            let (path, function) = held;
            let calls = self.calls.get(&node).into_iter().flatten().filter(|_| path.is_empty());
            let calls: Vec<UnknownCall> =
                calls.filter(|call| call.called.reaches(self.program, function)).cloned().collect();
            for call in calls {
                self.enter(call.caller, function, &call.arguments, call.result);
            }
        }
    }
}

/// Collects the constraints of one function.
struct Walk<'a, 'b> {
    solver: &'b mut Solver<'a>,
    id: FunctionId,
    joins: &'b HashMap<JoinId, Vec<LocalId>>,
}

impl Walk<'_, '_> {
    fn local(&self, local: LocalId) -> Place {
        Place::Local(self.id, local)
    }

    fn put(&mut self, atom: &Atom, to: Place) {
        self.solver.put(self.id, atom, Step::Copy, to);
    }

    /// Records that operands become the fields of a value.
    fn fields(&mut self, case: usize, fields: &[Atom], to: Place) {
        for (position, field) in fields.iter().enumerate() {
            self.solver.put(self.id, field, Step::Into(case, position), to);
        }
    }

    /// The type of a local or a function; other operands hold no functions.
    fn ty(&self, atom: &Atom) -> Option<Type> {
        type_of(self.solver.program, self.id, atom)
    }

    /// The place for the content of a slot, a ref cell or an array.
    fn memory(&self, holder: &Atom) -> Option<Place> {
        self.ty(holder).map(Place::Memory)
    }

    /// Visits a block whose value flows to a place.
    fn block(&mut self, block: &Block, to: Option<Place>) {
        block.statements.iter().for_each(|statement| self.statement(statement));
        match &block.end {
            End::Yield(atom) => {
                if let Some(to) = to {
                    self.put(atom, to);
                }
            }
            End::TailCall { call, .. } => self.call(call, to),
            End::Continue(arguments) => self.solver.enter(self.id, self.id, arguments, None),
            End::Jump(join, arguments) => {
                for (param, argument) in self.joins[join].iter().zip(arguments) {
                    self.put(argument, self.local(*param));
                }
            }
            End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Trap(..) => {}
        }
        block.end.blocks().into_iter().for_each(|inner| self.block(inner, to));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let(local, rhs) => self.rhs(*local, rhs),
            StatementKind::Group(members) => members.iter().for_each(|(local, closure)| self.closure(*local, closure)),
        }
    }

    fn rhs(&mut self, local: LocalId, rhs: &Rhs) {
        let to = self.local(local);
        let own = Place::Memory(self.solver.program.functions[self.id].locals[local].ty);
        match rhs {
            Rhs::Closure(closure) => self.closure(local, closure),
            Rhs::Call(call) => self.call(call, Some(to)),
            Rhs::Scope(block) => self.block(block, Some(to)),
            Rhs::While { condition, body } => [condition, body].into_iter().for_each(|block| self.block(block, None)),
            Rhs::Atom(atom) => self.put(atom, to),
            Rhs::Tuple(parts) | Rhs::Evacuate { roots: parts, .. } => self.fields(0, parts, to),
            Rhs::Component(tuple, position) => self.solver.put(self.id, tuple, Step::OutOf(0, *position), to),
            Rhs::Slot(content) | Rhs::MakeReference { value: content, .. } => self.put(content, own),
            Rhs::Array { elements, .. } => elements.iter().for_each(|element| self.put(element, own)),
            Rhs::ReadSlot(holder) | Rhs::ReadReference(holder) => {
                if let Some(memory) = self.memory(holder) {
                    self.solver.flow(memory, Step::Copy, to);
                }
            }
            Rhs::WriteSlot(holder, content) | Rhs::WriteReference(holder, content) => {
                if let Some(memory) = self.memory(holder) {
                    self.put(content, memory);
                }
            }
            Rhs::Inject { ty, case, fields, .. } if self.is_boxed(*ty) => {
                for (position, field) in fields.iter().enumerate() {
                    self.put(field, Place::Field(*ty, *case, position));
                }
            }
            Rhs::Inject { case, fields, .. } => self.fields(*case, fields, to),
            Rhs::Field { value, case, field } => match self.ty(value).filter(|ty| self.is_boxed(*ty)) {
                Some(ty) => self.solver.flow(Place::Field(ty, *case, *field), Step::Copy, to),
                None => self.solver.put(self.id, value, Step::OutOf(*case, *field), to),
            },
            Rhs::WriteField { value, case, field, content } => {
                if let Some(ty) = self.ty(value) {
                    self.put(content, Place::Field(ty, *case, *field));
                }
            }
            Rhs::ReadGlobal(global) => self.solver.flow(Place::Global(*global), Step::Copy, to),
            Rhs::WriteGlobal(global, content) => self.put(content, Place::Global(*global)),
            Rhs::Primitive(_, operands) | Rhs::Intrinsic { arguments: operands, .. } => self.operation(local, operands),
            Rhs::Concatenate { .. }
            | Rhs::Foreign { .. }
            | Rhs::FunctionAddress(_)
            | Rhs::Arity(_)
            | Rhs::Tag(_)
            | Rhs::EnterRegion
            | Rhs::LeaveRegion(_)
            | Rhs::PopClosure(_) => {}
        }
    }

    /// An operation respects the types of its operands: it stores operands in memory that others point to, or in the
    /// memory of its result; and its result is one of the operands, or was stored there.
    fn operation(&mut self, local: LocalId, operands: &[Atom]) {
        let result = self.solver.program.functions[self.id].locals[local].ty;
        let holders: Vec<Type> = operands.iter().filter_map(|operand| self.ty(operand)).chain([result]).collect();
        for operand in operands {
            let Some(ty) = self.ty(operand) else { continue };
            if ty == result {
                self.put(operand, self.local(local));
            }
            for &holder in &holders {
                if self.solver.program.types.content(holder) == Some(ty) {
                    self.put(operand, Place::Memory(holder));
                }
            }
            if self.solver.program.types.content(ty) == Some(result) {
                self.solver.flow(Place::Memory(ty), Step::Copy, self.local(local));
            }
        }
    }

    fn is_boxed(&self, ty: Type) -> bool {
        self.solver.program.declared.get(&ty).is_some_and(|declared| declared.boxed)
    }

    fn closure(&mut self, local: LocalId, closure: &MakeClosure) {
        self.solver.hold(self.local(local), closure.function);
        let function = &self.solver.program.functions[closure.function];
        let Convention::Closure { captures, owned, itself } = &function.convention else { return };
        for (capture, content) in captures.iter().zip(&closure.captures) {
            let to = match owned.contains(capture) {
                true => Place::Memory(function.locals[*capture].ty),
                false => Place::Local(closure.function, *capture),
            };
            self.put(content, to);
        }
        if let Some(itself) = itself {
            self.solver.hold(Place::Local(closure.function, *itself), closure.function);
        }
    }

    fn call(&mut self, call: &Call, result: Option<Place>) {
        match &call.callee {
            Callee::Known(callee) | Callee::Direct(callee, _) => {
                self.solver.enter(self.id, *callee, &call.arguments, result);
            }
            Callee::Closure(closure) => {
                let program = self.solver.program;
                let Some(called) = Called::of(program, self.id, closure, call.arguments.len()) else { return };
                match (closure.local(), closure.function()) {
                    (Some(local), _) => {
                        let node = self.solver.node(self.local(local));
                        let held: Vec<Held> = self.solver.sets[node].iter().cloned().collect();
                        let unknown =
                            UnknownCall { called, caller: self.id, arguments: call.arguments.clone(), result };
                        self.solver.calls.entry(node).or_default().push(unknown);
                        // The values known already must be visited again.
                        self.solver.due.extend(held.into_iter().map(|held| (node, held)));
                    }
                    (None, Some(function)) => self.solver.enter(self.id, function, &call.arguments, result),
                    (None, None) => {}
                }
            }
        }
    }
}
