//! Specialises known functions that call a parameter for the closures that are passed to them: the copy takes the
//! closure's captures instead, and creates the closure again at its start, so that its calls are known there. A closure
//! that is then only called disappears. (As closure conversion with specialisation in MLton; Cejtin, Jagannathan and
//! Weeks, "Flow-directed closure conversion for typed languages", 2000.) A closure whose code `lift` does not handle
//! would not disappear: it is passed on whole, and only its code is known in the copy.
//!
//! Condition: the argument is a constant closure or is created in the calling function; the parameter is called, directly
//! or by a function that it is passed to; a function that starts again passes the parameter on unchanged. Closures have
//! no identity, so creating one twice is not observable. The number of copies, their size and their depth are bounded.

use super::{Limits, adopt_allocations, inline::Graph, names::FunctionNames, rename::Renaming, size::size};
use clef_base::{HashMap, HashSet};
use clef_core::{
    Allocation, AllocationKind, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Inlining, Local,
    LocalId, MakeClosure, Program, Rhs, Statement, StatementKind, dead_functions, references::Names,
};
use la_arena::Arena;

/// What a parameter is specialised for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Given {
    /// The captures of a closure of this code.
    Parts(FunctionId),
    /// A closure of this code, as it is.
    Whole(FunctionId),
}

impl Given {
    fn code(self) -> FunctionId {
        match self {
            Given::Parts(code) | Given::Whole(code) => code,
        }
    }
}

/// For each parameter, what it is specialised for.
type Pattern = Vec<Option<Given>>;

/// The copies that were made, over all rounds.
#[derive(Debug, Default)]
pub(super) struct Specialisations {
    copies: HashMap<(FunctionId, Pattern), FunctionId>,
    depths: HashMap<FunctionId, usize>,
    /// The code of the parameters of copies that are passed on whole.
    codes: HashMap<(FunctionId, LocalId), FunctionId>,
    /// The total size of all copies.
    grown: usize,
}

impl Specialisations {
    /// Redirects every call that can be specialised; returns whether there was any.
    pub(super) fn run(&mut self, program: &mut Program, limits: &Limits) -> bool {
        let mut found = false;
        let called = called_parameters(program);
        let mut names = FunctionNames::of(program);
        let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
        for id in ids {
            let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
            let mut made = HashMap::default();
            body.each_closure(&mut |local, closure| {
                made.insert(local, closure.clone());
            });
            // The function itself must be complete while it is copied.
            let mut calls_itself = false;
            body.each_call(&mut |call| calls_itself |= matches!(call.callee, Callee::Known(callee) if callee == id));
            let own = if calls_itself { body.clone() } else { Block::empty() };
            body.each_call_mut(&mut |call| {
                let Callee::Known(callee) = call.callee else { return };
                let source = if callee == id { &own } else { &program.functions[callee].body };
                let known = |closure: &Atom| self.known(program, id, closure, &made);
                let pattern = pattern(&program.functions[callee], source, callee, call, &called, &known);
                if pattern.iter().any(Option::is_some) {
                    if callee == id {
                        program.functions[id].body = own.clone();
                    }
                    if let Some(copy) = self.copy(program, callee, &pattern, (limits, &mut names)) {
                        redirect(call, copy, &pattern, &made);
                        found = true;
                    }
                }
            });
            program.functions[id].body = body;
        }
        found
    }

    /// Removes dead functions. A copy of a function on a cycle of calls stays while its source does: a call that was
    /// inlined from it becomes one of the copy itself.
    pub(super) fn remove_dead(&mut self, program: &mut Program) {
        let recursive = Graph::of(program).recursive;
        let copies = self.copies.iter().filter(|((source, _), _)| recursive.contains(source));
        let copies: Vec<FunctionId> = copies.map(|(_, copy)| *copy).collect();
        self.rename(&dead_functions::remove_except(program, &copies));
    }

    /// Forgets the functions that do not remain, and what is known of them.
    fn rename(&mut self, remaining: &Names) {
        let new = |id: &FunctionId| remaining.get(id).copied();
        let given = |given: &Option<Given>| match given {
            Some(Given::Parts(code)) => Some(Some(Given::Parts(new(code)?))),
            Some(Given::Whole(code)) => Some(Some(Given::Whole(new(code)?))),
            None => Some(None),
        };
        let copy = |((callee, pattern), copy): (&(FunctionId, Pattern), &FunctionId)| {
            Some(((new(callee)?, pattern.iter().map(given).collect::<Option<_>>()?), new(copy)?))
        };
        self.copies = self.copies.iter().filter_map(copy).collect();
        self.depths = self.depths.iter().filter_map(|(id, depth)| Some((new(id)?, *depth))).collect();
        let code = |((id, local), code): (&(FunctionId, LocalId), &FunctionId)| Some(((new(id)?, *local), new(code)?));
        self.codes = self.codes.iter().filter_map(code).collect();
    }

    /// What is known about an argument in a function.
    fn known(
        &self,
        program: &Program,
        caller: FunctionId,
        closure: &Atom,
        made: &HashMap<LocalId, MakeClosure>,
    ) -> Option<Given> {
        match closure {
            Atom::Function(id, _) => Some(Given::Parts(*id)),
            Atom::Local(local) => match (made.get(local), self.codes.get(&(caller, *local))) {
                (Some(closure), _) if super::lift::fits(&program.functions[closure.function]) => {
                    Some(Given::Parts(closure.function))
                }
                (Some(closure), _) => Some(Given::Whole(closure.function)),
                (None, code) => code.copied().map(Given::Whole),
            },
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Integer(..)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::ProgramRegion => None,
        }
    }

    /// The copy for a pattern.
    fn copy(
        &mut self,
        program: &mut Program,
        callee: FunctionId,
        pattern: &Pattern,
        (limits, names): (&Limits, &mut FunctionNames),
    ) -> Option<FunctionId> {
        let key = (callee, pattern.clone());
        if let Some(&copy) = self.copies.get(&key) {
            return Some(copy);
        }
        let function = &program.functions[callee];
        let size = size(&function.body);
        let depth = self.depths.get(&callee).copied().unwrap_or(0) + 1;
        if self.grown + size > limits.specialised || depth > limits.depth || function.inlining == Inlining::Never {
            return None;
        }
        self.grown += size;
        let (copy, codes) = specialise(program, callee, pattern, names);
        self.codes.extend(codes.into_iter().map(|(local, code)| ((copy, local), code)));
        self.copies.insert(key, copy);
        self.depths.insert(copy, depth);
        Some(copy)
    }
}

/// The parameters of known functions that are called, by the function itself or by one that it passes them to.
fn called_parameters(program: &Program) -> HashSet<(FunctionId, usize)> {
    let mut called: HashSet<(FunctionId, usize)> = HashSet::default();
    // For each parameter, the parameters that are passed as its argument.
    let mut passed: HashMap<(FunctionId, usize), Vec<(FunctionId, usize)>> = HashMap::default();
    let mut queue = Vec::new();
    for (id, function) in program.functions.iter().filter(|(_, function)| function.convention == Convention::Known) {
        let positions: HashMap<LocalId, usize> =
            function.params.iter().enumerate().map(|(position, param)| (*param, position)).collect();
        let position = |atom: &Atom| match atom {
            Atom::Local(local) => positions.get(local).map(|position| (id, *position)),
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Integer(..)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::ProgramRegion
            | Atom::Function(..) => None,
        };
        function.body.each_call(&mut |call| match &call.callee {
            Callee::Closure(closure) => queue.extend(position(closure)),
            Callee::Known(callee) => {
                for (index, argument) in call.arguments.iter().enumerate() {
                    if let Some(own) = position(argument) {
                        passed.entry((*callee, index)).or_default().push(own);
                    }
                }
            }
            Callee::Direct(..) => {}
        });
    }
    while let Some(parameter) = queue.pop() {
        if called.insert(parameter) {
            queue.extend(passed.get(&parameter).into_iter().flatten());
        }
    }
    called
}

/// The parameters for which a call can be specialised.
fn pattern(
    function: &Function,
    body: &Block,
    callee: FunctionId,
    call: &Call,
    called: &HashSet<(FunctionId, usize)>,
    known: &dyn Fn(&Atom) -> Option<Given>,
) -> Pattern {
    let one = |(index, argument): (usize, &Atom)| {
        let wanted = called.contains(&(callee, index)) && passed_on(function, body, index);
        if wanted { known(argument) } else { None }
    };
    call.arguments.iter().enumerate().map(one).collect()
}

/// Whether a function that starts again passes a parameter on unchanged.
fn passed_on(function: &Function, body: &Block, index: usize) -> bool {
    let mut unchanged = true;
    body.each_end(&mut |end| {
        if let End::Continue(arguments) = end {
            unchanged &= arguments[index] == Atom::Local(function.params[index]);
        }
    });
    unchanged
}

fn redirect(call: &mut Call, copy: FunctionId, pattern: &Pattern, made: &HashMap<LocalId, MakeClosure>) {
    let (mut captures, mut rest) = (Vec::new(), Vec::new());
    for (argument, given) in std::mem::take(&mut call.arguments).into_iter().zip(pattern) {
        match (given, &argument) {
            (Some(Given::Parts(_)), Atom::Local(local)) => captures.extend(made[local].captures.iter().cloned()),
            (Some(Given::Parts(_)), _) => {}
            (Some(Given::Whole(_)) | None, _) => rest.push(argument),
        }
    }
    captures.append(&mut rest);
    *call = Call::new(Callee::Known(copy), captures);
}

/// Creates a copy of a function for the closures of a pattern. Returns it with the code of those of its parameters that
/// are passed on whole.
fn specialise(
    program: &mut Program,
    callee: FunctionId,
    pattern: &Pattern,
    names: &mut FunctionNames,
) -> (FunctionId, HashMap<LocalId, FunctionId>) {
    let codes = pattern.iter().flatten().map(|given| program.functions[given.code()].name.as_str());
    let codes: Vec<&str> = codes.collect();
    let name = names.fresh(&format!("{} with {}", program.functions[callee].name, codes.join(", ")));
    let from = program.functions[callee].clone();
    let empty = Function {
        name,
        params: Vec::new(),
        locals: Arena::new(),
        inlined: Arena::new(),
        copied: Vec::new(),
        held: HashMap::default(),
        joins: 0,
        body: Block::empty(),
        ..from.clone()
    };
    let Program { functions, allocations, types, .. } = &mut *program;
    let mut to = empty;
    let (mut captures, mut rest, mut entry) = (Vec::new(), Vec::new(), Vec::new());
    let mut leading = 0;
    let mut whole = HashMap::default();
    let mut renaming = Renaming::new(&from, &mut to, callee, allocations, None);
    for (index, (&param, given)) in from.params.iter().zip(pattern).enumerate() {
        let local = renaming.bind(param);
        let Some(Given::Parts(code)) = *given else {
            leading += usize::from(index < from.leading_captures);
            rest.push(local);
            whole.extend(given.map(|given| (local, given.code())));
            continue;
        };
        let closure = &functions[code];
        let inputs: Vec<LocalId> = closure
            .captures()
            .iter()
            .map(|&capture| renaming.to.locals.alloc(closure.locals[capture].clone()))
            .collect();
        let rhs = if inputs.is_empty() {
            Rhs::Atom(Atom::Function(code, closure.closure_type(types)))
        } else {
            let kind = AllocationKind::Closure(code);
            let entry = Allocation::new(kind, callee, closure.span);
            let allocation = renaming.allocations.alloc(entry);
            let captures = inputs.iter().copied().map(Atom::Local).collect();
            Rhs::Closure(MakeClosure { function: code, captures, allocation })
        };
        captures.extend(inputs);
        entry.push(Statement { kind: StatementKind::Let(local, rhs), place: from.span.into() });
    }
    let mut body = renaming.block(&from.body);
    renaming.copied();
    lead_with(&mut body, &captures, pattern);
    know_codes(&mut body, &renaming.to.locals, functions, &whole);
    body.statements.splice(0..0, entry);
    to.leading_captures = captures.len() + leading;
    to.params = captures;
    to.params.append(&mut rest);
    to.body = body;
    let copy = program.functions.alloc(to);
    adopt_allocations(program, copy);
    (copy, whole)
}

/// Makes calls of parameters whose code is known, and reads of their arity, refer to it.
fn know_codes(
    body: &mut Block,
    locals: &Arena<Local>,
    functions: &Arena<Function>,
    whole: &HashMap<LocalId, FunctionId>,
) {
    let code = |closure: &Atom| match closure {
        Atom::Local(local) => whole.get(local).copied(),
        Atom::Unit
        | Atom::Bool(_)
        | Atom::Integer(..)
        | Atom::Float(..)
        | Atom::Char(_)
        | Atom::String(_)
        | Atom::ProgramRegion
        | Atom::Function(..) => None,
    };
    body.each_call_mut(&mut |call| {
        if let Callee::Closure(closure) = &call.callee
            && let Some(code) = code(closure)
            && functions[code].params.len() == call.arguments.len()
        {
            call.callee = Callee::Direct(code, closure.clone());
        }
    });
    body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            if let StatementKind::Let(local, rhs) = &mut statement.kind
                && let Rhs::Arity(closure) = rhs
                && let Some(code) = code(closure)
            {
                *rhs = Rhs::Atom(Atom::Integer(functions[code].params.len() as i128, locals[*local].ty));
            }
        }
    });
}

/// A body that starts again passes on the captures instead of the closures.
fn lead_with(body: &mut Block, captures: &[LocalId], pattern: &Pattern) {
    body.each_mut(&mut |block| {
        if let End::Continue(arguments) = &mut block.end {
            let in_parts = |given: &Option<Given>| matches!(given, Some(Given::Parts(_)));
            let rest = std::mem::take(arguments).into_iter().zip(pattern).filter(|(_, given)| !in_parts(given));
            let captures = captures.iter().copied().map(Atom::Local);
            *arguments = captures.chain(rest.map(|(argument, _)| argument)).collect();
        }
    });
}
