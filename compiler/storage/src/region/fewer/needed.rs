//! Handles that are used: something is allocated in their regions, or these are evacuated.
//!
//! A handle is needed if an allocation, an evacuation or the freeing of a closure uses it, a closure captures it or receives
//! it in a call, or a known function receives it as a parameter that is needed: the least solution over the program.

use super::{Handle, begins, ends, remove_parameters};
use clef_base::{HashMap, HashSet};
use clef_core::{Call, Callee, Convention, FunctionId, LocalId, Program, Region, Rhs, Statement, Storage};

/// Removes all that are not.
pub(super) fn apply(program: &mut Program) {
    let needed = needed(program);
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    let mut removed = HashMap::default();
    for id in &ids {
        let function = &program.functions[*id];
        if function.convention == Convention::Known {
            let positions = function.regions.iter().enumerate().filter(|(_, param)| !needed.contains(&(*id, **param)));
            let positions: HashSet<usize> = positions.map(|(position, _)| position).collect();
            removed.insert(*id, positions);
        }
    }
    remove_parameters(program, &removed);
    for id in ids {
        program.functions[id].body.each_mut(&mut |block| {
            block.statements.retain(|statement| {
                begins(statement).or_else(|| ends(statement)).is_none_or(|handle| needed.contains(&(id, handle)))
            });
        });
    }
}

/// The needed ones.
fn needed(program: &Program) -> HashSet<Handle> {
    let mut given: HashMap<Handle, Vec<Handle>> = HashMap::default();
    let mut work: Vec<Handle> = Vec::new();
    for (id, function) in program.functions.iter() {
        let is_known = function.convention == Convention::Known;
        work.extend(function.regions.iter().filter(|_| !is_known).map(|param| (id, *param)));
        function.body.each_statement(&mut |statement| uses(program, statement, &mut |used| work.push((id, used))));
        function.body.each_call(&mut |call| pass(program, id, call, &mut given, &mut work));
    }
    let mut needed = HashSet::default();
    while let Some(handle) = work.pop() {
        if needed.insert(handle) {
            work.extend(given.get(&handle).into_iter().flatten());
        }
    }
    needed
}

/// Visits the handles that a statement uses, other than in a call.
fn uses(program: &Program, statement: &Statement, visit: &mut dyn FnMut(LocalId)) {
    for allocation in statement.allocations() {
        let decision = program.allocations[allocation].decision.as_ref();
        if let Some(Storage::Region(Region::Local(handle))) = decision.map(|decision| decision.storage) {
            visit(handle);
        }
    }
    if statement.call().is_none() && !matches!(statement.rhs(), Some(Rhs::LeaveRegion(_))) {
        statement.atoms(&mut |atom| atom.local().into_iter().for_each(&mut *visit));
    }
}

/// Records which handles a call passes: `given` has for each parameter of a known function the handles that become it.
fn pass(
    program: &Program,
    caller: FunctionId,
    call: &Call,
    given: &mut HashMap<Handle, Vec<Handle>>,
    needed: &mut Vec<Handle>,
) {
    for (position, atom) in call.regions.iter().enumerate() {
        let Some(handle) = atom.local() else { continue };
        if let Callee::Known(callee) = &call.callee {
            let param = program.functions[*callee].regions[position];
            given.entry((*callee, param)).or_default().push((caller, handle));
        } else {
            needed.push((caller, handle));
        }
    }
}
