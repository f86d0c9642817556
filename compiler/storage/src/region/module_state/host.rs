//! Libraries: the program's region is evacuated where an exported function returns to the host.
//!
//! In: a program with its regions that is a library. Out: the same program, where each exported function that may allocate in
//! that region and overwrite previous content is called by a function that evacuates the region afterwards. The main loop
//! is the host's: when the call that it made returns, the module-level values are all that points into the region.
//! A call from C that Clef called, directly or not, evacuates nothing, since its caller still has pointers. If there are
//! foreign calls, a module-level value tells whether the library is running.

use super::{Main, ProgramHolders, outside, overwriting, touching};
use crate::region::loops::let_;
use clef_base::Symbol;
use clef_core::{
    Atom, Block, Call, Callee, ConstantTypes, Convention, End, Evacuation, Function, FunctionId, Global, GlobalId,
    Local, Move, Placement, Program, Rhs, Statement,
};
use clef_types::{Type, TypeKind};
use la_arena::Arena;
use std::collections::BTreeSet;

/// Evacuates after the calls of the host.
pub(super) fn evacuate(program: &mut Program, holders: &ProgramHolders) {
    let constants = ConstantTypes::new(&mut program.types);
    let evacuation = Evacuation::new(program);
    let (touching, overwriting) = (touching(program, constants), overwriting(program, constants, &evacuation, holders));
    let globals = outside::moved(program, &evacuation);
    let masked = outside::uses(program, constants, &touching, &globals) == outside::Uses::Handlers;
    let replaces = |(id, function): &(FunctionId, &Function)| {
        let main = Main {
            evacuation: &evacuation,
            globals: &globals,
            masked,
            touching: &touching,
            overwriting: &overwriting,
            program,
            held: &holders[id],
        };
        is_called_by_host(function) && main.replaces_state(function, &function.body)
    };
    let replacing: Vec<FunctionId> = program.functions.iter().filter(replaces).map(|(id, _)| id).collect();
    if replacing.is_empty() {
        return;
    }
    let (bool, unit) = (program.types.intern(TypeKind::Bool), program.types.intern(TypeKind::Unit));
    let mut wrapper = Wrapper { globals, masked, running: None, bool, unit };
    if calls_host(program) {
        wrapper.running = Some(running(program, wrapper.bool));
        let others: BTreeSet<FunctionId> = program
            .functions
            .iter()
            .filter(|(id, function)| *id == program.start || is_called_by_host(function) && !replacing.contains(id))
            .map(|(id, _)| id)
            .collect();
        others.into_iter().for_each(|id| wrapper.wrap(program, id, false));
    }
    replacing.into_iter().for_each(|id| wrapper.wrap(program, id, true));
}

/// Whether a function is exported, and handles no interrupt.
fn is_called_by_host(function: &Function) -> bool {
    matches!(function.convention, Convention::Exported(_)) && function.convention.interrupt().is_none()
}

/// Whether the program calls functions that may call it.
fn calls_host(program: &Program) -> bool {
    let mut found = false;
    for function in program.functions.values() {
        function.body.each_statement(&mut |statement| {
            found |= matches!(statement.rhs(), Some(Rhs::Foreign { .. }));
        });
    }
    found
}

/// The module-level value that tells whether the library is running.
fn running(program: &mut Program, bool: Type) -> GlobalId {
    let span = program.functions[program.start].span;
    let name = Symbol::new("running$");
    program.globals.alloc(Global { name, ty: bool, mutable: true, placement: Placement::default(), span })
}

/// Puts functions between other languages and the code that they call.
struct Wrapper {
    globals: Vec<GlobalId>,
    masked: bool,
    /// Whether the library is running.
    running: Option<GlobalId>,
    bool: Type,
    unit: Type,
}

impl Wrapper {
    /// Moves the body of a function to one that it calls.
    fn wrap(&self, program: &mut Program, id: FunctionId, evacuates: bool) {
        let mut inner = program.functions[id].clone();
        let (convention, span) = (std::mem::replace(&mut inner.convention, Convention::Known), inner.span);
        let mut locals = Arena::new();
        let params: Vec<_> = inner.params.iter().map(|param| locals.alloc(inner.locals[*param].clone())).collect();
        let arguments = params.iter().copied().map(Atom::Local).collect();
        let mut outer = Function { convention, params, locals, body: Block::empty(), ..inner.clone() };
        let mut allocations = Vec::new();
        inner.body.each_statement(&mut |statement| allocations.extend(statement.allocations()));
        inner.name = Symbol::new(&format!("{}$", inner.name));
        let inner = program.functions.alloc(inner);
        allocations.into_iter().for_each(|allocation| program.allocations[allocation].function = inner);

        let local =
            |outer: &mut Function, name: &str, ty| outer.locals.alloc(Local { name: Symbol::new(name), ty, span });
        let mut statements = Vec::new();
        let before = self.running.map(|global| {
            let before = local(&mut outer, "before$", self.bool);
            statements.push(let_(before, Rhs::ReadGlobal(global), span));
            let set = local(&mut outer, "set$", self.unit);
            statements.push(let_(set, Rhs::WriteGlobal(global, Atom::Bool(true)), span));
            (global, before)
        });
        let ty = outer.result;
        let result = local(&mut outer, "result$", ty);
        statements.push(let_(result, Rhs::Call(Call::new(Callee::Known(inner), arguments)), span));
        if let Some((global, before)) = before {
            let reset = local(&mut outer, "reset$", self.unit);
            statements.push(let_(reset, Rhs::WriteGlobal(global, Atom::Local(before)), span));
        }
        if evacuates {
            let evacuation = self.evacuation(program, &mut outer);
            statements.push(match before {
                None => evacuation,
                Some((_, before)) => {
                    let block = |statements| Box::new(Block { statements, end: End::Yield(Atom::Unit) });
                    let (then, otherwise) = (block(Vec::new()), block(vec![evacuation]));
                    let end = End::If { condition: Atom::Local(before), then, otherwise };
                    let done = local(&mut outer, "done$", self.unit);
                    let_(done, Rhs::Scope(Box::new(Block { statements: Vec::new(), end })), span)
                }
            });
        }
        outer.body = Block { statements, end: End::Yield(Atom::Local(result)) };
        program.functions[id] = outer;
    }

    /// Evacuates the program's region from the module-level values.
    fn evacuation(&self, program: &mut Program, function: &mut Function) -> Statement {
        let (ty, span) = (program.types.intern(TypeKind::Tuple(Vec::new())), function.span);
        let after = function.locals.alloc(Local { name: Symbol::new("evacuated$"), ty, span });
        let moves = vec![Move { from: Atom::ProgramRegion, to: None }];
        let (globals, masked) = (self.globals.clone(), self.masked);
        let_(after, Rhs::Evacuate { moves, roots: Vec::new(), globals, everywhere: true, masked }, span)
    }
}
