//! Which module-level values have been initialised whenever a function runs.
//!
//! In: a program. Out: [`Order`]. Guarantee: [`Order::is_initialised`] holds only if a statement of the start that
//! initialises the value has been executed before the function is called, by the program or by an interrupt handler.
//! A function is called after a statement of the start has been reached that calls it, creates a closure of it or uses
//! it as a value, itself or by the functions that it refers to in the same way; handlers and exported functions are
//! called at any time.

use clef_base::HashMap;
use clef_core::{
    Atom, Block, Callee, Convention, End, Evacuation, Function, FunctionId, GlobalId, Program, Rhs,
    references::referenced,
};
use clef_types::TypeKind;
use std::collections::hash_map::Entry;

/// The position of a statement in the body of the start; what is nested in it has the same.
type Position = usize;

/// When functions are called for the first time, and values initialised.
pub(super) struct Order {
    /// The position before which a function is not called.
    called: HashMap<FunctionId, Position>,
    /// The position after which a value is initialised.
    initialised: HashMap<GlobalId, Position>,
}

impl Order {
    /// The order of a program.
    pub(super) fn of(program: &Program) -> Order {
        let mut calls = Calls { program, constants: constants(program), called: HashMap::default() };
        let is_outside = |function: &Function| {
            function.convention.interrupt().is_some() || matches!(function.convention, Convention::Exported(_))
        };
        let outside = program.functions.iter().filter(|(_, function)| is_outside(function)).map(|(id, _)| id);
        calls.reach(outside.collect(), 0);
        for (position, statement) in program.functions[program.start].body.statements.iter().enumerate() {
            let alone = Block { statements: vec![statement.clone()], end: End::Yield(Atom::Unit) };
            let found = calls.referenced(&alone);
            calls.reach(found, position);
        }
        Order { called: calls.called, initialised: initialised(program) }
    }

    /// Whether a value has been initialised whenever a function runs. A function that only the end of the start refers to
    /// has no position.
    pub(super) fn is_initialised(&self, global: GlobalId, function: FunctionId) -> bool {
        let Some(done) = self.initialised.get(&global) else { return false };
        self.called.get(&function).is_none_or(|called| done < called)
    }
}

/// Finds the positions before which functions are not called, in ascending order.
struct Calls<'a> {
    program: &'a Program,
    constants: HashMap<GlobalId, Vec<FunctionId>>,
    called: HashMap<FunctionId, Position>,
}

impl Calls<'_> {
    /// Assigns a position to functions, and to all that they refer to, where they have none.
    fn reach(&mut self, mut queue: Vec<FunctionId>, position: Position) {
        while let Some(id) = queue.pop() {
            if let Entry::Vacant(entry) = self.called.entry(id) {
                entry.insert(position);
                queue.extend(self.referenced(&self.program.functions[id].body));
            }
        }
    }

    /// The functions to which code refers, itself or by constants.
    fn referenced(&self, body: &Block) -> Vec<FunctionId> {
        let mut found = referenced(body);
        body.each_statement(&mut |statement| {
            if let Some(Rhs::ReadGlobal(global)) = statement.rhs() {
                found.extend(self.constants.get(global).into_iter().flatten());
            }
        });
        found
    }
}

/// The functions that values may hold before their initialisers have run, because they are constants: their code, or what
/// their initialisers refer to.
fn constants(program: &Program) -> HashMap<GlobalId, Vec<FunctionId>> {
    let evacuation = Evacuation::new(program);
    let leads_to_code = evacuation.leading_to(|ty| matches!(program.types.kind(ty), TypeKind::Function(..)));
    let mut constants: HashMap<GlobalId, Vec<FunctionId>> = HashMap::default();
    for (id, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            if let Some(Rhs::WriteGlobal(global, value)) = statement.rhs()
                && leads_to_code[program.globals[*global].ty.number() as usize]
            {
                let initialiser = value.local().map(|_| id);
                constants.entry(*global).or_default().extend(value.function().or(initialiser));
            }
        });
    }
    constants
}

/// The position after which each value is initialised: that of a statement which stores it, or calls a function that does
/// so in any case.
fn initialised(program: &Program) -> HashMap<GlobalId, Position> {
    let mut initialised = HashMap::default();
    for (position, statement) in program.functions[program.start].body.statements.iter().enumerate() {
        let initialiser = statement.call().map(|call| &call.callee);
        let called = initialiser.and_then(|callee| if let Callee::Known(id) = callee { Some(*id) } else { None });
        let stores = called.map_or(&[][..], |id| &program.functions[id].body.statements);
        for statement in stores.iter().chain([statement]) {
            if let Some(Rhs::WriteGlobal(global, _)) = statement.rhs() {
                initialised.entry(*global).or_insert(position);
            }
        }
    }
    initialised
}
