//! Known functions that call a parameter are copied for the closures that they are given: the copy takes the closure's
//! captures instead, and makes the closure anew where it starts, so that its calls are known there. What is then only
//! called vanishes. (As closure conversion with specialisation in MLton; Cejtin, Jagannathan and Weeks, "Flow-directed
//! closure conversion for typed languages", 2000.)
//!
//! Condition: the argument is a constant closure or is made in the calling function; the parameter is called, directly
//! or by a function that it is passed to; a function that starts again hands the parameter on unchanged. Closures have no
//! identity, so making one twice is not seen. The number of copies, their size and their depth are bounded.

use super::{Limits, adopt_allocations, fresh_name, rename::Renaming, size::size};
use crate::core::{
    Allocation, AllocationKind, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Inlining, LocalId,
    MakeClosure, Program, Rhs, Statement, StatementKind,
};
use la_arena::Arena;
use std::collections::{HashMap, HashSet};

/// For each parameter, the closure's code it is specialised for.
type Pattern = Vec<Option<FunctionId>>;

/// The copies that were made, over all rounds.
#[derive(Debug, Default)]
pub(super) struct Specialisations {
    copies: HashMap<(FunctionId, Pattern), FunctionId>,
    depths: HashMap<FunctionId, usize>,
    /// The size of all copies.
    grown: usize,
}

impl Specialisations {
    /// Redirects every call that can be specialised.
    pub(super) fn run(&mut self, program: &mut Program, limits: &Limits) {
        let called = called_parameters(program);
        let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
        for id in ids {
            let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
            let mut made = HashMap::new();
            body.each_closure(&mut |local, closure| {
                made.insert(local, closure.clone());
            });
            let own = body.clone();
            body.each_call_mut(&mut |call| {
                let Callee::Known(callee) = call.callee else { return };
                let source = if callee == id { &own } else { &program.functions[callee].body };
                let pattern = pattern(&program.functions[callee], source, callee, call, &called, &made);
                if pattern.iter().any(Option::is_some) {
                    // The function itself must be whole while it is copied.
                    if callee == id {
                        program.functions[id].body = own.clone();
                    }
                    if let Some(copy) = self.copy(program, callee, &pattern, limits) {
                        redirect(call, copy, &pattern, &made);
                    }
                }
            });
            program.functions[id].body = body;
        }
    }

    /// The copy for a pattern.
    fn copy(
        &mut self,
        program: &mut Program,
        callee: FunctionId,
        pattern: &Pattern,
        limits: &Limits,
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
        let copy = specialise(program, callee, pattern);
        self.copies.insert(key, copy);
        self.depths.insert(copy, depth);
        Some(copy)
    }
}

/// The parameters of known functions that are called, by the function itself or by one that it passes them to.
fn called_parameters(program: &Program) -> HashSet<(FunctionId, usize)> {
    let mut called: HashSet<(FunctionId, usize)> = HashSet::new();
    loop {
        let before = called.len();
        for (id, function) in program.functions.iter().filter(|(_, function)| function.convention == Convention::Known)
        {
            let position = |atom: &Atom| match atom {
                Atom::Local(local) => function.params.iter().position(|param| param == local),
                Atom::Unit
                | Atom::Bool(_)
                | Atom::Integer(..)
                | Atom::Float(..)
                | Atom::Char(_)
                | Atom::String(_)
                | Atom::Function(..) => None,
            };
            function.body.each_call(&mut |call| match &call.callee {
                Callee::Closure(closure) => called.extend(position(closure).map(|position| (id, position))),
                Callee::Known(callee) => {
                    for (index, argument) in call.arguments.iter().enumerate() {
                        if called.contains(&(*callee, index)) {
                            called.extend(position(argument).map(|position| (id, position)));
                        }
                    }
                }
                Callee::Direct(..) => {}
            });
        }
        if called.len() == before {
            return called;
        }
    }
}

/// For which parameters a call can be specialised.
fn pattern(
    function: &Function,
    body: &Block,
    callee: FunctionId,
    call: &Call,
    called: &HashSet<(FunctionId, usize)>,
    made: &HashMap<LocalId, MakeClosure>,
) -> Pattern {
    let code = |atom: &Atom| match atom {
        Atom::Function(id, _) => Some(*id),
        Atom::Local(local) => made.get(local).map(|closure| closure.function),
        Atom::Unit | Atom::Bool(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Char(_) | Atom::String(_) => None,
    };
    let one = |(index, argument): (usize, &Atom)| {
        let wanted = called.contains(&(callee, index)) && handed_on(function, body, index);
        code(argument).filter(|_| wanted)
    };
    call.arguments.iter().enumerate().map(one).collect()
}

/// Whether a function that starts again gives a parameter its own value.
fn handed_on(function: &Function, body: &Block, index: usize) -> bool {
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
    for (argument, code) in std::mem::take(&mut call.arguments).into_iter().zip(pattern) {
        match (code, &argument) {
            (Some(_), Atom::Local(local)) => captures.extend(made[local].captures.iter().cloned()),
            (Some(_), _) => {}
            (None, _) => rest.push(argument),
        }
    }
    captures.append(&mut rest);
    *call = Call { callee: Callee::Known(copy), arguments: captures };
}

/// Makes a copy of a function for the closures of a pattern.
fn specialise(program: &mut Program, callee: FunctionId, pattern: &Pattern) -> FunctionId {
    let codes: Vec<&str> = pattern.iter().flatten().map(|&code| program.functions[code].name.as_str()).collect();
    let name = fresh_name(program, &format!("{} with {}", program.functions[callee].name, codes.join(", ")));
    let from = program.functions[callee].clone();
    let empty =
        Function { name, params: Vec::new(), locals: Arena::new(), joins: 0, body: Block::empty(), ..from.clone() };
    let Program { functions, allocations, types, .. } = &mut *program;
    let mut to = empty;
    let (mut captures, mut rest, mut entry) = (Vec::new(), Vec::new(), Vec::new());
    let mut lifted = 0;
    let mut renaming = Renaming::new(&from, &mut to, callee, allocations);
    for (index, (&param, code)) in from.params.iter().zip(pattern).enumerate() {
        let local = renaming.bind(param);
        let Some(code) = *code else {
            lifted += usize::from(index < from.lifted);
            rest.push(local);
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
            let entry = Allocation { kind, function: callee, decision: None, span: closure.span };
            let allocation = renaming.allocations.alloc(entry);
            let captures = inputs.iter().copied().map(Atom::Local).collect();
            Rhs::Closure(MakeClosure { function: code, captures, allocation })
        };
        captures.extend(inputs);
        entry.push(Statement { kind: StatementKind::Let(local, rhs), span: from.span });
    }
    let mut body = renaming.block(&from.body);
    lead_with(&mut body, &captures, pattern);
    body.statements.splice(0..0, entry);
    to.lifted = captures.len() + lifted;
    to.params = captures;
    to.params.append(&mut rest);
    to.body = body;
    let copy = program.functions.alloc(to);
    adopt_allocations(program, copy);
    copy
}

/// A body that starts again hands on the captures instead of the closures.
fn lead_with(body: &mut Block, captures: &[LocalId], pattern: &Pattern) {
    body.each_mut(&mut |block| {
        if let End::Continue(arguments) = &mut block.end {
            let rest = std::mem::take(arguments).into_iter().zip(pattern).filter(|(_, code)| code.is_none());
            let captures = captures.iter().copied().map(Atom::Local);
            *arguments = captures.chain(rest.map(|(argument, _)| argument)).collect();
        }
    });
}
