//! An abstract machine that runs Core, for tests and as an oracle: it checks that lowering and simplification preserve a
//! program's meaning, and, after storage assignment, that nothing is used after its memory is reused.
//!
//! In: Core that verifies. Every slot and every stack allocation dies with its frame, and when the same allocation is
//! executed again in that frame; static storage may be allocated only once. A use of something dead is a panic.

use super::{Console, Interpreter, Limits, Outcome, Stop, TrapKind, value::Value as Plain};
use clef_core::{
    AllocationId, Atom, Block, Call, Callee, Convention, End, Evacuation, FunctionId, GlobalId, Join, JoinId, LocalId,
    MakeClosure, Move, Program, Reason, Region, Reuse, Rhs, Statement, StatementKind, Storage, Trap, callees::Callees,
};
use clef_psg::Psg;
use clef_types::{IntegerType, Intrinsic, TargetFacts, TypeKind};
mod evacuate;
mod log;
mod memory;

use clef_base::{HashMap, HashSet, Span};
use evacuate::evacuate;
use std::{
    cell::{Cell, RefCell},
    io,
    rc::Rc,
};

/// Whether memory still belongs to its allocation.
type Alive = Rc<Cell<bool>>;

/// A region: its current memory.
type Handle = Rc<RefCell<Alive>>;

#[derive(Clone)]
enum Value {
    Plain(Plain),
    Text(Rc<[u8]>, Option<Alive>),
    Tuple(Rc<[Value]>),
    Case(usize, Rc<[Value]>),
    Closure(FunctionId, Rc<RefCell<Vec<Value>>>, Option<Alive>),
    Cell(Rc<RefCell<Value>>, Option<Alive>),
    /// A case of a boxed type.
    Node(usize, Rc<RefCell<Vec<Value>>>, Option<Alive>),
    Array(Rc<RefCell<Vec<Value>>>, Option<Alive>),
    /// Memory of values, of which those that were not written are nothing, and an index into it.
    Pointer(Rc<RefCell<Vec<Value>>>, i128, Option<Alive>),
    /// The handle of a region.
    Region(Handle),
}

/// The value of a global before it is initialised: read for the arguments of the program, and when a function registers
/// globals for evacuation.
fn zero(kind: &TypeKind) -> Value {
    if let TypeKind::Slot(_) = kind { Value::Plain(Plain::Nothing) } else { Value::Array(Rc::default(), None) }
}

/// A fresh region.
fn fresh_region() -> Handle {
    Rc::new(RefCell::new(Rc::new(Cell::new(true))))
}

fn used(alive: &Option<Alive>) {
    assert!(alive.as_ref().is_none_or(|alive| alive.get()), "use of freed memory");
}

/// The lambdas whose closures free themselves.
fn popped(program: &Program) -> HashSet<FunctionId> {
    let mut popped = HashSet::default();
    for (id, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            if let Some(Rhs::PopClosure(_)) = statement.rhs() {
                popped.insert(id);
            }
        });
    }
    popped
}

fn boolean(value: &Value) -> bool {
    match value {
        Value::Plain(Plain::Bool(value)) => *value,
        _ => panic!("a condition is not a boolean"),
    }
}

/// Runs a program with its storage. Panics if it violates the rules of Core.
pub fn run<'a>(
    program: &'a Program,
    psg: &'a Psg,
    facts: TargetFacts,
    console: Console<'a>,
    limits: Limits,
) -> io::Result<Outcome> {
    let stack = (limits.depth + 1) * 16 * 1024 + (1 << 20);
    std::thread::scope(|scope| {
        let run = || {
            let interpreter = Interpreter::new(psg, facts, console, limits);
            let mut machine = Machine {
                program,
                interpreter,
                evacuation: Evacuation::new(program),
                callees: Callees::of(program),
                evacuations: 0,
                program_region: fresh_region(),
                open: Vec::new(),
                globals: HashMap::default(),
                statics: HashMap::default(),
                flash: Rc::new(Cell::new(true)),
                texts: Vec::new(),
                popped: popped(program),
                stacks: HashMap::default(),
                frame: log::Frame::default(),
                depth: limits.depth,
            };
            let end = machine.call(program.start, None, Vec::new());
            machine.interpreter.console.output.flush()?;
            match end {
                Ok(Value::Plain(Plain::Integer(_, status))) => Ok(Outcome::Finished { status: status as i32 }),
                Ok(_) => panic!("the start function does not return an int"),
                Err(Stop::Exit(status)) => Ok(Outcome::Finished { status }),
                Err(Stop::Trap(trap)) => Ok(Outcome::Trapped(trap)),
                Err(Stop::OutOfFuel) => Ok(Outcome::OutOfFuel),
                Err(Stop::Console(error)) => Err(error),
            }
        };
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, run)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

struct Machine<'a> {
    program: &'a Program,
    interpreter: Interpreter<'a>,
    evacuation: Evacuation<'a>,
    callees: Callees,
    /// The number of evacuations so far: the first ones are all performed, of the others some.
    evacuations: usize,
    program_region: Handle,
    /// The regions that have begun and not ended, the newest last.
    open: Vec<Handle>,
    globals: HashMap<GlobalId, Value>,
    statics: HashMap<AllocationId, Alive>,
    /// The memory of constants, which is never written.
    flash: Alive,
    /// The memory of each string buffer in use.
    texts: Vec<Option<Alive>>,
    /// The lambdas whose closures free themselves.
    popped: HashSet<FunctionId>,
    /// By the memory of a region the closures in it that free themselves, oldest first.
    stacks: HashMap<*const Cell<bool>, Vec<Alive>>,
    /// The log frame being written.
    frame: log::Frame,
    depth: usize,
}

/// An allocation site in a frame.
#[derive(PartialEq, Eq, Hash)]
enum Site {
    Allocation(AllocationId),
    Slot(LocalId),
}

struct Frame {
    function: FunctionId,
    /// The memory of the closure whose code it is.
    itself: Option<Alive>,
    /// By the index of the local.
    locals: Vec<Option<Value>>,
    memory: HashMap<Site, Alive>,
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.memory.values().for_each(|alive| alive.set(false));
    }
}

impl Frame {
    fn bind(&mut self, local: LocalId, value: Value) {
        self.locals[local.into_raw().into_u32() as usize] = Some(value);
    }

    fn local(&self, local: LocalId) -> &Value {
        self.locals[local.into_raw().into_u32() as usize].as_ref().expect("a local is bound")
    }

    fn bind_all(&mut self, locals: &[LocalId], values: impl IntoIterator<Item = Value>) {
        locals.iter().zip(values).for_each(|(local, value)| self.bind(*local, value));
    }

    fn allocate(&mut self, site: Site) -> Option<Alive> {
        let alive = Rc::new(Cell::new(true));
        if let Some(earlier) = self.memory.insert(site, alive.clone()) {
            earlier.set(false);
        }
        Some(alive)
    }
}

/// The outcome of a block.
enum Ended {
    Value(Value),
    Tail(FunctionId, Option<Value>, Vec<Value>),
    Again(Vec<Value>),
    Jump(JoinId, Vec<Value>),
}

impl Machine<'_> {
    fn call(&mut self, function: FunctionId, closure: Option<Value>, arguments: Vec<Value>) -> Result<Value, Stop> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(Stop::Trap(super::Trap { kind: TrapKind::StackOverflow, span: None }));
        };
        self.depth = depth;
        let (mut function, mut closure, mut arguments) = (function, closure, arguments);
        let result = loop {
            match self.frame(function, closure, arguments)? {
                Ended::Value(value) => break value,
                Ended::Tail(callee, itself, given) => (function, closure, arguments) = (callee, itself, given),
                Ended::Again(_) | Ended::Jump(..) => panic!("a body has no end"),
            }
        };
        self.depth += 1;
        Ok(result)
    }

    fn frame(&mut self, id: FunctionId, closure: Option<Value>, arguments: Vec<Value>) -> Result<Ended, Stop> {
        let function = &self.program.functions[id];
        let locals = vec![None; function.locals.len()];
        let mut frame = Frame { function: id, itself: None, locals, memory: HashMap::default() };
        if let Convention::Closure { captures, itself, .. } = &function.convention {
            let Some(Value::Closure(code, values, alive)) = &closure else {
                panic!("the code of a closure runs without closure")
            };
            used(alive);
            assert_eq!(*code, id, "a call of the code of another closure");
            assert_eq!(captures.len(), values.borrow().len(), "the captures of a closure do not match its code");
            frame.bind_all(captures, values.borrow().iter().cloned());
            frame.bind_all(itself.as_slice(), closure.clone());
            frame.itself.clone_from(alive);
        }
        let wanted: Vec<LocalId> = function.params.iter().chain(&function.regions).copied().collect();
        assert_eq!(wanted.len(), arguments.len(), "the arguments of a call do not match the parameters of its callee");
        frame.bind_all(&wanted, arguments);
        loop {
            match self.block(&mut frame, &function.body)? {
                Ended::Again(arguments) => frame.bind_all(&function.params, arguments),
                other => return Ok(other),
            }
        }
    }

    fn atom(&self, frame: &Frame, atom: &Atom) -> Value {
        Value::Plain(match atom {
            Atom::Local(local) => return frame.local(*local).clone(),
            Atom::Unit => Plain::Unit,
            Atom::Bool(value) => Plain::Bool(*value),
            Atom::Integer(value, ty) => match self.program.types.kind(*ty) {
                TypeKind::Integer(kind) => Plain::Integer(*kind, *value),
                kind => panic!("an integer of kind {kind:?}"),
            },
            Atom::Float(value, ty) => match self.program.types.kind(*ty) {
                TypeKind::Float32 => Plain::Float32(*value as f32),
                _ => Plain::Float64(*value),
            },
            Atom::Char(value) => Plain::Char(u32::from(*value)),
            Atom::String(text) => return Value::Text(text.as_str().as_bytes().into(), None),
            Atom::Function(id, _) => return Value::Closure(*id, Rc::default(), None),
            Atom::ProgramRegion => return Value::Region(self.program_region.clone()),
        })
    }

    fn atoms(&self, frame: &Frame, atoms: &[Atom]) -> Vec<Value> {
        atoms.iter().map(|atom| self.atom(frame, atom)).collect()
    }

    /// The arguments of a call, then the handles of regions.
    fn arguments(&self, frame: &Frame, call: &Call) -> Vec<Value> {
        call.arguments.iter().chain(&call.regions).map(|atom| self.atom(frame, atom)).collect()
    }

    fn block(&mut self, frame: &mut Frame, block: &Block) -> Result<Ended, Stop> {
        for statement in &block.statements {
            self.statement(frame, statement)?;
        }
        Ok(match &block.end {
            End::Yield(atom) => Ended::Value(self.atom(frame, atom)),
            End::TailCall { call, .. } => {
                let (function, closure) = self.callee(frame, call);
                Ended::Tail(function, closure, self.arguments(frame, call))
            }
            End::Continue(atoms) => Ended::Again(self.atoms(frame, atoms)),
            End::If { condition, then, otherwise } => {
                let chosen = if boolean(&self.atom(frame, condition)) { then } else { otherwise };
                return self.block(frame, chosen);
            }
            End::Switch { scrutinee, cases, default } => {
                let value = match self.atom(frame, scrutinee) {
                    Value::Plain(Plain::Integer(_, value)) => value,
                    Value::Plain(Plain::Char(value)) => i128::from(value),
                    // Unwritten memory is zero.
                    Value::Plain(Plain::Nothing) => 0,
                    _ => panic!("a switch on a value that is not a number"),
                };
                let case = cases.iter().find(|(case, _)| *case == value).map(|(_, block)| block);
                return self.block(frame, case.or(default.as_deref()).expect("a switch must cover its values"));
            }
            End::Join { join, scope } => return self.join(frame, join, scope),
            End::Jump(join, atoms) => Ended::Jump(*join, self.atoms(frame, atoms)),
            End::Trap(trap, place) => {
                let kind = match trap {
                    Trap::DivisionByZero => TrapKind::DivisionByZero,
                    Trap::IndexOutOfRange => TrapKind::IndexOutOfRange,
                    Trap::NoMatch => TrapKind::NoMatch,
                    Trap::Overflow => TrapKind::Overflow,
                };
                return Err(Stop::trap(kind, place.span));
            }
        })
    }

    fn join(&mut self, frame: &mut Frame, join: &Join, scope: &Block) -> Result<Ended, Stop> {
        match self.block(frame, scope)? {
            Ended::Jump(id, values) if id == join.id => {
                frame.bind_all(&join.params, values);
                self.block(frame, &join.body)
            }
            other => Ok(other),
        }
    }

    fn callee(&self, frame: &Frame, call: &Call) -> (FunctionId, Option<Value>) {
        match &call.callee {
            Callee::Known(id) => (*id, None),
            Callee::Direct(id, closure) => (*id, Some(self.atom(frame, closure))),
            Callee::Closure(closure) => {
                let value = self.atom(frame, closure);
                let Value::Closure(id, _, alive) = &value else { panic!("a call of a value that is not a closure") };
                used(alive);
                let reached = self.callees.of_call(self.program, frame.function, call);
                assert!(reached.contains(id), "a call reaches a function that is not among its callees");
                (*id, Some(value))
            }
        }
    }

    fn statement(&mut self, frame: &mut Frame, statement: &Statement) -> Result<(), Stop> {
        match &statement.kind {
            StatementKind::Let(local, rhs) => {
                let value = self.rhs(frame, *local, rhs, statement.place.span)?;
                frame.bind(*local, value);
            }
            StatementKind::Group(members) => {
                for (local, closure) in members {
                    let value = self.closure(frame, closure, Vec::new());
                    frame.bind(*local, value);
                }
                for (local, closure) in members {
                    let captures = self.atoms(frame, &closure.captures);
                    let Value::Closure(_, values, _) = frame.local(*local) else { unreachable!() };
                    values.replace(captures);
                }
            }
        }
        Ok(())
    }

    /// Checks that memory is in use and can be written.
    fn written(&self, alive: &Option<Alive>) {
        used(alive);
        assert!(alive.as_ref().is_none_or(|alive| !Rc::ptr_eq(alive, &self.flash)), "a write to a constant");
    }

    /// Reverses the nodes of a list in place, before another list.
    fn reversed(&self, list: &Value, onto: &Value) -> Value {
        let (mut rest, mut result) = (list.clone(), onto.clone());
        while let Value::Node(_, fields, alive) = &rest {
            self.written(alive);
            let tail = std::mem::replace(&mut fields.borrow_mut()[1], result);
            result = std::mem::replace(&mut rest, tail);
        }
        result
    }

    fn memory(&mut self, frame: &mut Frame, id: AllocationId) -> Option<Alive> {
        let decision = self.program.allocations[id].decision.as_ref()?;
        match decision.storage {
            Storage::Static if decision.reason == Reason::Constant => Some(self.flash.clone()),
            Storage::Region(Region::Program) => {
                self.takes();
                let memory = Some(self.program_region.borrow().clone());
                self.grows(&memory);
                memory
            }
            Storage::Region(Region::Local(handle)) => match frame.local(handle) {
                Value::Region(region) => {
                    let memory = Some(region.borrow().clone());
                    used(&memory);
                    self.takes();
                    self.grows(&memory);
                    memory
                }
                _ => panic!("a value is not a handle"),
            },
            Storage::Stack => frame.allocate(Site::Allocation(id)),
            Storage::Static => {
                let earlier = self.statics.insert(id, Rc::new(Cell::new(true)));
                assert!(earlier.is_none(), "a static allocation is made twice");
                None
            }
        }
    }

    /// Checks that no text grows while a region begins, ends or takes something else, if the program's texts are alone.
    fn takes(&self) {
        let are_alone = self.program.nesting.is_some_and(|nesting| nesting.texts_are_alone);
        assert!(!are_alone || self.texts.is_empty(), "something is made while a text grows");
    }

    /// Checks that something is made in the newest region, if the regions of the program nest.
    fn grows(&self, memory: &Option<Alive>) {
        if let (true, Some(memory), Some((_, older))) = (self.program.nesting.is_some(), memory, self.open.split_last())
        {
            let mut older = older.iter().chain([&self.program_region]);
            assert!(!older.any(|region| Rc::ptr_eq(&region.borrow(), memory)), "something is made in an older region");
        }
    }

    /// Frees a closure that is the newest one in its region.
    fn pop(&mut self, region: &Alive, closure: Option<&Alive>) {
        let newest = self.stacks.get_mut(&Rc::as_ptr(region)).and_then(Vec::pop);
        let is_newest = newest.as_ref().zip(closure).is_some_and(|(newest, closure)| Rc::ptr_eq(newest, closure));
        assert!(is_newest, "a closure frees itself that is not the newest in its region");
        newest.into_iter().for_each(|newest| newest.set(false));
    }

    fn closure(&mut self, frame: &mut Frame, closure: &MakeClosure, captures: Vec<Value>) -> Value {
        let mut alive = self.memory(frame, closure.allocation);
        if let Some(region) = &alive
            && self.popped.contains(&closure.function)
        {
            let own = Rc::new(Cell::new(true));
            self.stacks.entry(Rc::as_ptr(region)).or_default().push(own.clone());
            alive = Some(own);
        }
        let function = &self.program.functions[closure.function];
        let Convention::Closure { captures: captured, owned, .. } = &function.convention else {
            panic!("a closure of a known function")
        };
        let field = |(value, capture): (Value, &LocalId)| match owned.contains(capture) {
            true => Value::Cell(Rc::new(RefCell::new(value)), alive.clone()),
            false => value,
        };
        let fields = captures.into_iter().zip(captured).map(field).collect();
        Value::Closure(closure.function, Rc::new(RefCell::new(fields)), alive)
    }

    fn rhs(&mut self, frame: &mut Frame, local: LocalId, rhs: &Rhs, span: Span) -> Result<Value, Stop> {
        Ok(match rhs {
            Rhs::Atom(atom) => self.atom(frame, atom),
            Rhs::Primitive(primitive, atoms) => {
                let operands: Vec<Plain> = atoms.iter().map(|atom| plain(&self.atom(frame, atom))).collect();
                let result = self.program.functions[frame.function].locals[local].ty;
                // The types of the graph have enums, which are integers here.
                Value::Plain(self.interpreter.primitive(*primitive, &operands, result, span)?.without_name())
            }
            Rhs::Intrinsic { intrinsic, arguments, allocation } => {
                self.intrinsic(frame, *intrinsic, arguments, *allocation, span)?
            }
            Rhs::Concatenate { parts, allocation } => {
                let mut joined = Vec::new();
                for part in parts {
                    joined.extend_from_slice(&text(&self.atom(frame, part)));
                }
                Value::Text(joined.into(), self.memory(frame, *allocation))
            }
            Rhs::Foreign { .. } | Rhs::FunctionAddress(_) => {
                return Err(Stop::trap(TrapKind::OnlyOnMachines("foreign functions"), span));
            }
            Rhs::Call(call) => {
                let (function, closure) = self.callee(frame, call);
                let arguments = self.arguments(frame, call);
                self.call(function, closure, arguments)?
            }
            Rhs::Closure(closure) => {
                let captures = self.atoms(frame, &closure.captures);
                self.closure(frame, closure, captures)
            }
            Rhs::Arity(atom) => match self.atom(frame, atom) {
                Value::Closure(id, _, alive) => {
                    used(&alive);
                    assert!(self.program.arity_tagged.contains(&id), "arity of a function without arity");
                    let arity = self.program.functions[id].params.len();
                    Value::Plain(Plain::Integer(IntegerType::Int, arity as i128))
                }
                _ => panic!("arity of a value that is not a closure"),
            },
            Rhs::Tuple(atoms) => Value::Tuple(self.atoms(frame, atoms).into()),
            Rhs::Inject { case, fields, allocation, reuse, .. } => {
                let fields = self.atoms(frame, fields);
                if let Some(Reuse { node, is_certain, .. }) = reuse
                    && let Value::Node(_, content, alive) = self.atom(frame, node)
                {
                    let here = allocation.and_then(|allocation| self.memory(frame, allocation));
                    let is_here = here.zip(alive).is_some_and(|(here, alive)| Rc::ptr_eq(&here, &alive));
                    assert!(!is_certain || is_here, "a node of another region is reused");
                    // Later uses of the node are bugs.
                    content.borrow_mut().clear();
                }
                match allocation {
                    Some(allocation) => {
                        Value::Node(*case, Rc::new(RefCell::new(fields)), self.memory(frame, *allocation))
                    }
                    None => Value::Case(*case, fields.into()),
                }
            }
            Rhs::Array { elements, allocation } => {
                let elements = self.atoms(frame, elements);
                Value::Array(Rc::new(RefCell::new(elements)), self.memory(frame, *allocation))
            }
            Rhs::Component(atom, index) => match self.atom(frame, atom) {
                Value::Tuple(parts) => parts[*index].clone(),
                _ => panic!("a component of a value that is not a tuple"),
            },
            Rhs::Tag(atom) => match self.atom(frame, atom) {
                Value::Case(tag, _) => Value::Plain(Plain::Integer(IntegerType::Int, tag as i128)),
                Value::Node(tag, _, alive) => {
                    used(&alive);
                    Value::Plain(Plain::Integer(IntegerType::Int, tag as i128))
                }
                _ => panic!("tag of a value that is not a case"),
            },
            Rhs::Field { value, case, field } => match self.atom(frame, value) {
                Value::Case(tag, fields) if tag == *case => fields[*field].clone(),
                Value::Node(tag, fields, alive) if tag == *case => {
                    used(&alive);
                    let fields = fields.borrow();
                    fields[*field].clone()
                }
                _ => panic!("a field of another case"),
            },
            Rhs::WriteField { value, field, content, .. } => match self.atom(frame, value) {
                Value::Node(_, fields, alive) => {
                    self.written(&alive);
                    fields.borrow_mut()[*field] = self.atom(frame, content);
                    Value::Plain(Plain::Unit)
                }
                _ => panic!("a write to a field of a value that is not a node"),
            },
            Rhs::Slot(atom) => {
                let value = self.atom(frame, atom);
                Value::Cell(Rc::new(RefCell::new(value)), frame.allocate(Site::Slot(local)))
            }
            Rhs::MakeReference { value, allocation } => {
                let value = self.atom(frame, value);
                Value::Cell(Rc::new(RefCell::new(value)), self.memory(frame, *allocation))
            }
            Rhs::ReadSlot(atom) | Rhs::ReadReference(atom) => match self.atom(frame, atom) {
                Value::Cell(cell, alive) => {
                    used(&alive);
                    let value = cell.borrow();
                    value.clone()
                }
                _ => panic!("content of a value that is not a cell"),
            },
            Rhs::WriteSlot(target, value) | Rhs::WriteReference(target, value) => match self.atom(frame, target) {
                Value::Cell(cell, alive) => {
                    used(&alive);
                    cell.replace(self.atom(frame, value));
                    Value::Plain(Plain::Unit)
                }
                _ => panic!("a write to a value that is not a cell"),
            },
            Rhs::ReadGlobal(global) => {
                let known = self.globals.get(global).cloned();
                known.unwrap_or_else(|| zero(self.program.types.kind(self.program.globals[*global].ty)))
            }
            Rhs::WriteGlobal(global, value) => {
                self.globals.insert(*global, self.atom(frame, value));
                Value::Plain(Plain::Unit)
            }
            Rhs::EnterRegion => {
                self.takes();
                let region = fresh_region();
                self.open.push(region.clone());
                Value::Region(region)
            }
            Rhs::LeaveRegion(region) => match self.atom(frame, region) {
                Value::Region(region) => {
                    self.takes();
                    let is_newest = self.open.last().is_some_and(|newest| Rc::ptr_eq(newest, &region));
                    assert!(self.program.nesting.is_none() || is_newest, "a region ends before a newer one");
                    self.open.retain(|open| !Rc::ptr_eq(open, &region));
                    assert!(region.borrow().replace(false), "a region ends twice");
                    let stack = self.stacks.remove(&Rc::as_ptr(&region.borrow()));
                    stack.into_iter().flatten().for_each(|closure| closure.set(false));
                    Value::Plain(Plain::Unit)
                }
                _ => panic!("a value that ends is not a region"),
            },
            Rhs::PopClosure(region) => match self.atom(frame, region) {
                Value::Region(region) => {
                    self.pop(&region.borrow(), frame.itself.as_ref());
                    Value::Plain(Plain::Unit)
                }
                _ => panic!("a closure frees itself in a value that is not a region"),
            },
            Rhs::Evacuate { moves, roots, globals, everywhere, masked: _ } => {
                let handle = |atom: &Atom| match self.atom(frame, atom) {
                    Value::Region(region) => region,
                    _ => panic!("a value is not a handle"),
                };
                let mut moves: Vec<_> =
                    moves.iter().map(|Move { from, to }| (handle(from), to.as_ref().map(handle))).collect();
                // Several handles may refer to one region.
                let mut seen = Vec::new();
                moves.retain(|(from, _)| {
                    let known = seen.iter().any(|other| Rc::ptr_eq(other, from));
                    seen.push(from.clone());
                    !known
                });
                let is_stack = |(from, _): &(Handle, _)| self.stacks.contains_key(&Rc::as_ptr(&from.borrow()));
                assert!(!moves.iter().any(is_stack), "evacuation of closures that free themselves");
                let function = &self.program.functions[frame.function];
                let types = self.program.types.kind(function.locals[local].ty);
                let TypeKind::Tuple(types) = types else { panic!("roots are not a tuple") };
                let roots: Vec<Value> = self.atoms(frame, roots);
                self.evacuations += 1;
                let goes_on = moves.iter().all(|(_, to)| to.is_none());
                if goes_on && self.evacuations > 200 && !self.evacuations.is_multiple_of(61) {
                    return Ok(Value::Tuple(roots.into()));
                }
                let globals = (&mut self.globals, globals.as_slice());
                evacuate(&self.evacuation, &moves, (&roots, types), globals, *everywhere)
            }
            Rhs::Scope(block) => self.scope(frame, block)?,
            Rhs::While { condition, body } => {
                while boolean(&self.scope(frame, condition)?) {
                    self.scope(frame, body)?;
                }
                Value::Plain(Plain::Unit)
            }
        })
    }

    fn scope(&mut self, frame: &mut Frame, block: &Block) -> Result<Value, Stop> {
        match self.block(frame, block)? {
            Ended::Value(value) => Ok(value),
            Ended::Tail(..) | Ended::Again(_) | Ended::Jump(..) => panic!("a scope ends with more than its value"),
        }
    }

    fn intrinsic(
        &mut self,
        frame: &mut Frame,
        intrinsic: Intrinsic,
        arguments: &[Atom],
        allocation: Option<AllocationId>,
        span: Span,
    ) -> Result<Value, Stop> {
        let values = self.atoms(frame, arguments);
        if let (Intrinsic::ListReverse, [list, onto]) = (intrinsic, &values[..]) {
            return Ok(self.reversed(list, onto));
        }
        if let Some(outcome) = self.array(frame, intrinsic, &values, allocation, span) {
            return outcome;
        }
        if let Some(result) = self.pointers(frame, intrinsic, &values, allocation, span) {
            return result;
        }
        let operands: Vec<Plain> = values.iter().map(plain).collect();
        if let Some(line) = self.frame.add(intrinsic, &operands) {
            self.interpreter.console.log.write_all(line.unwrap_or_default().as_bytes())?;
            return Ok(Value::Plain(Plain::Unit));
        }
        let result = self.interpreter.intrinsic(intrinsic, &operands, span)?;
        // A slice shares the memory of its source.
        let alive = match (&values.first(), intrinsic) {
            (Some(Value::Text(_, alive)), Intrinsic::StringSlice) => alive.clone(),
            (_, Intrinsic::TextEnd) => {
                let text = self.texts.pop().flatten();
                self.grows(&text);
                text
            }
            (
                _,
                Intrinsic::TextWrite
                | Intrinsic::TextAppend
                | Intrinsic::TextAppendInt
                | Intrinsic::TextAppendUInt
                | Intrinsic::TextAppendByte,
            ) => {
                self.texts.iter().for_each(used);
                if let (false, Some(text)) = (intrinsic == Intrinsic::TextWrite, self.texts.last()) {
                    self.grows(text);
                }
                None
            }
            _ => allocation.and_then(|allocation| self.memory(frame, allocation)),
        };
        if intrinsic == Intrinsic::TextBegin {
            self.texts.push(alive.clone());
        }
        Ok(wrapped(result, &alive))
    }
}

fn text(value: &Value) -> Rc<[u8]> {
    match plain(value) {
        Plain::Text(text) => text,
        _ => panic!("a part of a string is invalid"),
    }
}

/// Converts a value for primitives and intrinsics.
fn plain(value: &Value) -> Plain {
    match value {
        Value::Plain(value) => value.clone(),
        Value::Text(text, alive) => {
            used(alive);
            Plain::Text(text.clone())
        }
        Value::Tuple(parts) => Plain::Tuple(parts.iter().map(plain).collect()),
        Value::Case(..)
        | Value::Node(..)
        | Value::Closure(..)
        | Value::Cell(..)
        | Value::Array(..)
        | Value::Pointer(..)
        | Value::Region(_) => {
            panic!("a primitive has a compound operand")
        }
    }
}

/// Converts the result of an intrinsic.
fn wrapped(value: Plain, alive: &Option<Alive>) -> Value {
    match value {
        Plain::Text(text) => Value::Text(text, alive.clone()),
        Plain::Tuple(parts) => Value::Tuple(parts.iter().map(|part| wrapped(part.clone(), alive)).collect()),
        other => Value::Plain(other),
    }
}
