//! Calls of closures that enter a cycle of tail calls.
//!
//! In: a program before its regions are decided. Out: where a closure that takes part in a cycle of tail calls is
//! called other than by a tail call of that cycle, the call goes through an *entry*, a known function that passes its
//! arguments on to the closure by a tail call. Guarantee: a cycle whose closures are called in this way from one cycle
//! at a time is entered only through known functions, which can begin regions for it ([`super::cycles`]). An entry
//! needs no evacuation of its own, since these regions are still empty.

use clef_base::{HashMap, Span, Symbol, strongly_connected_components};
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Inlining, LocalId, Placement, Program, Rhs,
    Statement, StatementKind, Storage, callees::Callees,
};
use clef_types::Type;
use la_arena::Arena;
use std::collections::BTreeSet;

/// The cycles of tail calls of a program that can evacuate and that allocate in regions.
struct Cycles {
    /// The number of the cycle of each function.
    of: HashMap<FunctionId, usize>,
}

/// Adds the entries and returns them.
pub(super) fn outline(program: &mut Program) -> Vec<FunctionId> {
    let mut entries = Vec::new();
    if !program.functions.iter().any(|(_, function)| continues_with_closures(function)) {
        return entries;
    }
    let callees = Callees::of(program);
    let cycles = Cycles::new(program, &callees);
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
        body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                let Statement { kind: StatementKind::Let(result, Rhs::Call(call)), place } = statement else {
                    continue;
                };
                if cycles.entered(program, &callees, id, call).is_some() {
                    let result = program.functions[id].locals[*result].ty;
                    entries.push(enter(program, id, call, result, place.span));
                }
            }
            if let End::TailCall { call, required, place } = &mut block.end
                && let Some(cycle) = cycles.entered(program, &callees, id, call)
                && (!*required || cycles.of.get(&id) != Some(&cycle))
            {
                entries.push(enter(program, id, call, program.functions[id].result, place.span));
            }
        });
        program.functions[id].body = body;
    }
    entries
}

impl Cycles {
    fn new(program: &Program, callees: &Callees) -> Cycles {
        let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
        let place: HashMap<FunctionId, usize> = ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        let next = |id: FunctionId, only_next: bool| {
            let mut reached = Vec::new();
            program.functions[id].body.each(&mut |block| {
                if let End::TailCall { call, required: true, .. } = &block.end {
                    reached.extend(callees.of_call(program, id, call));
                }
                if !only_next {
                    let plain = block.statements.iter().filter_map(Statement::call).chain(block.end.call());
                    plain.for_each(|call| reached.extend(callees.of_call(program, id, call)));
                }
            });
            reached.into_iter().map(|callee| place[&callee]).collect::<Vec<usize>>()
        };
        let edges: Vec<Vec<usize>> = ids.iter().map(|id| next(*id, true)).collect();
        let components = strongly_connected_components(&edges);
        let mut cyclic = BTreeSet::new();
        let mut unsuitable = BTreeSet::new();
        for (from, id) in ids.iter().enumerate() {
            if edges[from].iter().any(|to| components[*to] == components[from]) {
                cyclic.insert(components[from]);
            }
            if !can_take_part(&program.functions[*id]) {
                unsuitable.insert(components[from]);
            }
        }
        let calls: Vec<Vec<usize>> = ids.iter().map(|id| next(*id, false)).collect();
        let allocating = allocating(program, &calls, &place);
        let is_useful = |place: &usize| {
            let component = &components[*place];
            cyclic.contains(component) && !unsuitable.contains(component)
        };
        let useful: BTreeSet<usize> = (0..ids.len())
            .filter(is_useful)
            .filter(|place| allocating[*place])
            .map(|place| components[place])
            .collect();
        let members = ids.iter().enumerate().filter(|(place, _)| useful.contains(&components[*place]));
        Cycles { of: members.map(|(place, id)| (*id, components[place])).collect() }
    }

    /// The cycle that a call enters through a closure, if it is exactly one.
    fn entered(&self, program: &Program, callees: &Callees, caller: FunctionId, call: &Call) -> Option<usize> {
        call.callee.closure()?;
        let reached = callees.of_call(program, caller, call);
        let entered: BTreeSet<usize> = reached.iter().filter_map(|callee| self.of.get(callee)).copied().collect();
        entered.first().copied().filter(|_| entered.len() == 1)
    }
}

/// Whether a function ends with a call of a closure that must take constant stack.
fn continues_with_closures(function: &Function) -> bool {
    let mut found = false;
    function.body.each_end(&mut |end| {
        found |= matches!(end, End::TailCall { call, required: true, .. } if call.callee.closure().is_some());
    });
    found
}

/// Whether a cycle that a function is part of can be split.
pub(super) fn can_take_part(function: &Function) -> bool {
    let mut continues = false;
    function.body.each_end(&mut |end| continues |= matches!(end, End::Continue(_)));
    match function.convention {
        Convention::Known => true,
        // Its next iteration would use the captures again.
        Convention::Closure { .. } => !continues,
        Convention::Exported(_) => false,
    }
}

/// For each function, whether it or any of its callees allocates in regions.
fn allocating(program: &Program, calls: &[Vec<usize>], place: &HashMap<FunctionId, usize>) -> Vec<bool> {
    let mut callers = vec![Vec::new(); calls.len()];
    for (caller, callees) in calls.iter().enumerate() {
        callees.iter().for_each(|callee| callers[*callee].push(caller));
    }
    let in_region = program.allocations.iter().filter(|(_, allocation)| {
        allocation.decision.as_ref().is_some_and(|decision| matches!(decision.storage, Storage::Region(_)))
    });
    let mut pending: Vec<usize> = in_region.map(|(_, allocation)| place[&allocation.function]).collect();
    let mut allocating = vec![false; calls.len()];
    while let Some(function) = pending.pop() {
        if !std::mem::replace(&mut allocating[function], true) {
            pending.extend(&callers[function]);
        }
    }
    allocating
}

/// Redirects a call through a new function, which takes the call's locals and makes the call as a tail call.
fn enter(program: &mut Program, caller: FunctionId, call: &mut Call, result: Type, span: Span) -> FunctionId {
    let mut atoms: Vec<&mut Atom> = call.arguments.iter_mut().chain(call.callee.closure_mut()).collect();
    let mut locals = Arena::new();
    let mut params: HashMap<LocalId, LocalId> = HashMap::default();
    let mut arguments = Vec::new();
    for atom in &mut atoms {
        let Atom::Local(local) = **atom else { continue };
        let param = *params.entry(local).or_insert_with(|| {
            arguments.push(Atom::Local(local));
            locals.alloc(program.functions[caller].locals[local].clone())
        });
        **atom = Atom::Local(param);
    }
    let name = Symbol::new(&format!("{}.enter#{}", program.functions[caller].name, program.functions.len()));
    let entry = program.functions.alloc(Function {
        name,
        origin: name,
        convention: Convention::Known,
        params: locals.iter().map(|(id, _)| id).collect(),
        leading_captures: 0,
        result,
        regions: Vec::new(),
        locals,
        joins: 0,
        inlined: Arena::new(),
        copied: Vec::new(),
        held: HashMap::default(),
        body: Block::empty(),
        inlining: Inlining::Free,
        placement: Placement::default(),
        span,
    });
    let call = std::mem::replace(call, Call::new(Callee::Known(entry), arguments));
    program.functions[entry].body =
        Block { statements: Vec::new(), end: End::TailCall { call, required: true, place: span.into() } };
    entry
}
