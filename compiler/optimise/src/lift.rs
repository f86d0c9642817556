//! Replaces calls of closures created in the same function by calls of known functions that take the captures as
//! leading parameters: nothing is read from a struct, and often no struct is left.
//!
//! Condition: the closure is a constant, or is created in the calling function, so that its captures are available
//! where it is called. The function does not use its own closure, and the result has few parameters. The closure's code then only calls the known function, so that nothing is duplicated.

use super::{adopt_allocations, names::FunctionNames};
use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, Call, Callee, Convention, End, Function, FunctionId, LocalId, Program};

/// The maximum number of captures and parameters of a lifted function: what fits in registers on most targets.
const MAX_PARAMETERS: usize = 8;

/// Lifts the closures that are called where they are created.
pub(super) fn lift(program: &mut Program) {
    let liftable: HashSet<FunctionId> =
        program.functions.iter().filter(|(_, function)| fits(function)).map(|(id, _)| id).collect();
    let wanted = wanted(program, &liftable);
    let mut names = FunctionNames::of(program);
    let twins: HashMap<FunctionId, FunctionId> =
        wanted.into_iter().map(|id| (id, split(program, id, &mut names))).collect();
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        call_twins(&mut program.functions[id], &twins);
    }
}

/// Whether a closure's code may be lifted.
pub(super) fn fits(function: &Function) -> bool {
    let Convention::Closure { captures, itself, .. } = &function.convention else { return false };
    captures.len() + function.params.len() <= MAX_PARAMETERS && itself.is_none()
}

/// The closures that are called where their captures are available, by their locals.
fn made(function: &Function) -> HashMap<LocalId, (FunctionId, Vec<Atom>)> {
    let mut made = HashMap::default();
    function.body.each_closure(&mut |local, closure| {
        made.insert(local, (closure.function, closure.captures.clone()));
    });
    made
}

/// The captures of a called closure, if they are available.
fn captures(code: FunctionId, closure: &Atom, made: &HashMap<LocalId, (FunctionId, Vec<Atom>)>) -> Option<Vec<Atom>> {
    match closure {
        Atom::Function(..) => Some(Vec::new()),
        Atom::Local(local) => made.get(local).filter(|(function, _)| *function == code).map(|(_, atoms)| atoms.clone()),
        Atom::Unit
        | Atom::Bool(_)
        | Atom::Integer(..)
        | Atom::Float(..)
        | Atom::Char(_)
        | Atom::String(_)
        | Atom::ProgramRegion => None,
    }
}

fn wanted(program: &Program, liftable: &HashSet<FunctionId>) -> Vec<FunctionId> {
    let mut wanted = Vec::new();
    let mut known = HashSet::default();
    for (_, function) in program.functions.iter() {
        let made = made(function);
        function.body.each_call(&mut |call| {
            if let Callee::Direct(code, closure) = &call.callee
                && liftable.contains(code)
                && !known.contains(code)
                && captures(*code, closure, &made).is_some()
            {
                known.insert(*code);
                wanted.push(*code);
            }
        });
    }
    wanted
}

/// The known function that a closure's code only calls, with its captures and parameters in order.
fn forwards_to(function: &Function) -> Option<FunctionId> {
    let call = function.body.end.call().filter(|_| function.body.statements.is_empty())?;
    let Callee::Known(callee) = call.callee else { return None };
    let inputs = function.captures().iter().chain(&function.params).copied().map(Atom::Local);
    inputs.eq(call.arguments.iter().cloned()).then_some(callee)
}

/// Moves the body of a closure's code into a known function, which the code then calls.
fn split(program: &mut Program, id: FunctionId, names: &mut FunctionNames) -> FunctionId {
    if let Some(twin) = forwards_to(&program.functions[id]) {
        return twin;
    }
    let name = names.fresh(&format!("{}.direct", program.functions[id].name));
    let function = &mut program.functions[id];
    let captures = function.captures().to_vec();
    let params: Vec<LocalId> = captures.iter().chain(&function.params).copied().collect();
    let body = std::mem::replace(&mut function.body, Block::empty());
    let mut twin = Function {
        name,
        convention: Convention::Known,
        params: params.clone(),
        leading_captures: captures.len(),
        body,
        ..function.clone()
    };
    lead_with(&mut twin.body, &captures);
    let span = function.span;
    // The locals of the body remain unused; only the inputs are bound.
    function.joins = 0;
    let arguments = params.into_iter().map(Atom::Local).collect();
    let twin = program.functions.alloc(twin);
    let call = Call::new(Callee::Known(twin), arguments);
    program.functions[id].body =
        Block { statements: Vec::new(), end: End::TailCall { call, required: false, place: span.into() } };
    adopt_allocations(program, twin);
    twin
}

/// Makes a body that starts again pass on its captures.
fn lead_with(body: &mut Block, captures: &[LocalId]) {
    body.each_mut(&mut |block| {
        if let End::Continue(arguments) = &mut block.end {
            arguments.splice(0..0, captures.iter().copied().map(Atom::Local));
        }
    });
}

fn call_twins(function: &mut Function, twins: &HashMap<FunctionId, FunctionId>) {
    let made = made(function);
    function.body.each_call_mut(&mut |call| {
        let Callee::Direct(code, closure) = &call.callee else { return };
        if let (Some(&twin), Some(mut arguments)) = (twins.get(code), captures(*code, closure, &made)) {
            arguments.append(&mut call.arguments);
            *call = Call::new(Callee::Known(twin), arguments);
        }
    });
}
