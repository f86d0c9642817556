//! Inlines library functions whose traps report the place of the call.
//!
//! In: Core out of `lower`. Out: the same without calls of functions of [`Inlining::AtCall`]. The functions and lambdas
//! within such a function are copied with it, so that their traps report the place of the call too. Condition: such a
//! function does not call itself. Every level does this, since the place of a trap is part of the program's behaviour.

use super::{
    inline::{copy, starts_again, without_tail_calls},
    names::FunctionNames,
};
use clef_base::{HashMap, Span, internal, strongly_connected_components};
use clef_core::{
    Block, Call, Callee, Convention, End, FunctionId, Inlining, Place, Program, Rhs, Statement, StatementKind,
    references::{Names, allocated, referenced, rename},
};

/// Replaces the calls by the bodies, callees first.
pub(super) fn expand(program: &mut Program) {
    if !program.functions.iter().any(|(_, function)| function.inlining == Inlining::AtCall) {
        return;
    }
    let mut taken = FunctionNames::of(program);
    for id in order(program) {
        within(program, id, &mut taken);
    }
}

/// The functions, each after those that it refers to. A function that is inlined does not refer to itself.
fn order(program: &Program) -> Vec<FunctionId> {
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    let index: HashMap<FunctionId, usize> = ids.iter().enumerate().map(|(index, &id)| (id, index)).collect();
    let edges: Vec<Vec<usize>> =
        ids.iter().map(|id| referenced(&program.functions[*id].body).iter().map(|id| index[id]).collect()).collect();
    let components = strongly_connected_components(&edges);
    let mut members = vec![0; ids.len()];
    components.iter().for_each(|&component| members[component] += 1);
    for (node, id) in ids.iter().enumerate() {
        let function = &program.functions[*id];
        let again = members[components[node]] > 1 || edges[node].contains(&node) || starts_again(function);
        if function.inlining == Inlining::AtCall && function.convention == Convention::Known && again {
            internal::bug("simplify", function.span, "a function that is substituted at its calls is recursive");
        }
    }
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|&node| components[node]);
    order.into_iter().map(|node| ids[node]).collect()
}

/// Replaces the calls of a function by bodies.
fn within(program: &mut Program, id: FunctionId, taken: &mut FunctionNames) {
    let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
    block(program, id, &mut body, taken);
    program.functions[id].body = body;
}

/// The function that is to be inlined at a call.
fn wanted(program: &Program, call: &Call) -> Option<FunctionId> {
    let Callee::Known(callee) = call.callee else { return None };
    (program.functions[callee].inlining == Inlining::AtCall).then_some(callee)
}

fn block(program: &mut Program, id: FunctionId, of: &mut Block, taken: &mut FunctionNames) {
    for mut statement in std::mem::take(&mut of.statements) {
        if let StatementKind::Let(_, rhs) = &mut statement.kind {
            rhs.blocks_mut().into_iter().for_each(|inner| block(program, id, inner, taken));
        }
        of.statements.push(expanded(program, id, statement, taken));
    }
    match &mut of.end {
        End::TailCall { call, place, .. } => {
            if let Some(callee) = wanted(program, call) {
                let mut body = moved(program, id, callee, (call.clone(), *place), taken);
                of.statements.append(&mut body.statements);
                of.end = body.end;
            }
        }
        end @ (End::Yield(_)
        | End::Continue(_)
        | End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Jump(..)
        | End::Trap(..)) => end.blocks_mut().into_iter().for_each(|inner| block(program, id, inner, taken)),
    }
}

fn expanded(program: &mut Program, id: FunctionId, statement: Statement, taken: &mut FunctionNames) -> Statement {
    let place = statement.place;
    let StatementKind::Let(local, Rhs::Call(call)) = &statement.kind else { return statement };
    let Some(callee) = wanted(program, call) else { return statement };
    let mut body = moved(program, id, callee, (call.clone(), place), taken);
    let result = program.functions[callee].result;
    without_tail_calls(&mut program.functions[id].locals, &mut body, result);
    Statement { kind: StatementKind::Let(*local, Rhs::Scope(Box::new(body))), place }
}

/// The body of a callee, all of it with the place of the call.
fn moved(
    program: &mut Program,
    id: FunctionId,
    callee: FunctionId,
    (call, place): (Call, Place),
    taken: &mut FunctionNames,
) -> Block {
    let mut body = copy(program, id, callee, call, place);
    let names = copies(program, program.functions[callee].span, &body, (place.span, taken));
    take_names(program, id, &mut body, &names);
    put(&mut body, place);
    body
}

/// Copies the functions within a range of source text that code refers to, transitively, under names derived from theirs.
fn copies(program: &mut Program, text: Span, body: &Block, (place, taken): (Span, &mut FunctionNames)) -> Names {
    let mut names = Names::default();
    let mut made = Vec::new();
    let mut queue = referenced(body);
    while let Some(id) = queue.pop() {
        if names.contains_key(&id) {
            continue;
        }
        let function = &program.functions[id];
        if !text.contains(function.span) {
            names.insert(id, id);
            continue;
        }
        let mut function = function.clone();
        function.name = taken.fresh(function.name.as_str());
        queue.append(&mut referenced(&function.body));
        let copy = program.functions.alloc(function);
        made.push(copy);
        names.insert(id, copy);
    }
    for copy in made {
        let mut body = std::mem::replace(&mut program.functions[copy].body, Block::empty());
        take_names(program, copy, &mut body, &names);
        put(&mut body, place.into());
        program.functions[copy].body = body;
        program.functions[copy].span = place;
    }
    names
}

/// Makes the copied code of a function refer to the replacements of other functions, and own its allocations.
fn take_names(program: &mut Program, id: FunctionId, body: &mut Block, names: &Names) {
    let allocations = &mut program.allocations;
    rename(body, names, |old| {
        let entry = allocated(id, old, allocations, names);
        allocations.alloc(entry)
    });
}

/// Sets the place of code and of its traps.
fn put(body: &mut Block, place: Place) {
    body.each_mut(&mut |block| {
        block.statements.iter_mut().for_each(|statement| statement.place = place);
        match &mut block.end {
            End::TailCall { place: own, .. } | End::Trap(_, own) => *own = place,
            End::Yield(_)
            | End::Continue(_)
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..) => {}
        }
    });
}
