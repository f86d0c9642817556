//! Leaves out regions and handles that make no difference.
//!
//! In: a program with its regions. Out: the same program with fewer of them; each allocation lives at least as long, and
//! no region holds memory longer than before while something is allocated. Three rules, in this order:
//!
//! 1. A known function does not receive a handle that it does not use, and a region in which nothing is allocated does not
//!    begin ([`needed`]).
//! 2. Regions that begin in one block and end at the same places are one ([`extent`]).
//! 3. A known function receives a handle once, if all its callers pass the same for several parameters ([`equal`]).
//!
//! The inference keeps regions of different types apart, since it does not know yet which of them will end together.

mod equal;
mod extent;
mod needed;

use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, Callee, FunctionId, LocalId, Program, Region, Rhs, Statement, StatementKind, Storage};

/// A handle of a function.
type Handle = (FunctionId, LocalId);

/// Applies the rules.
pub(super) fn leave_out(program: &mut Program) {
    if program.functions.iter().all(|(_, function)| begun(&function.body).next().is_none()) {
        return;
    }
    needed::apply(program);
    extent::apply(program);
    equal::apply(program);
}

/// The regions that begin in a block, at any depth.
fn begun(body: &Block) -> impl Iterator<Item = LocalId> {
    let mut begun = Vec::new();
    body.each_statement(&mut |statement| begun.extend(begins(statement)));
    begun.into_iter()
}

/// The region that a statement begins.
pub(super) fn begins(statement: &Statement) -> Option<LocalId> {
    if let StatementKind::Let(handle, Rhs::EnterRegion) = &statement.kind { Some(*handle) } else { None }
}

/// The region that a statement ends.
pub(super) fn ends(statement: &Statement) -> Option<LocalId> {
    if let Some(Rhs::LeaveRegion(handle)) = statement.rhs() { handle.local() } else { None }
}

/// Replaces handles of a function by others of it.
fn replace(program: &mut Program, id: FunctionId, handles: &HashMap<LocalId, LocalId>) {
    let Program { functions, allocations, .. } = program;
    for (from, to) in handles {
        if let Some(held) = functions[id].held.remove(from) {
            functions[id].held.entry(*to).or_default().extend(held);
        }
    }
    functions[id].body.each_atom_mut(&mut |atom| {
        let other = atom.local().and_then(|local| handles.get(&local));
        if let Some(other) = other {
            *atom = Atom::Local(*other);
        }
    });
    functions[id].body.each_statement(&mut |statement| {
        for allocation in statement.allocations() {
            if let Some(decision) = &mut allocations[allocation].decision
                && let Storage::Region(Region::Local(handle)) = &mut decision.storage
                && let Some(other) = handles.get(handle)
            {
                *handle = *other;
            }
        }
    });
}

/// Removes parameters for handles from known functions, by their positions, and from the calls of these functions.
fn remove_parameters(program: &mut Program, removed: &HashMap<FunctionId, HashSet<usize>>) {
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        if let Some(removed) = removed.get(&id) {
            keep_others(&mut program.functions[id].regions, removed);
        }
        program.functions[id].body.each_call_mut(&mut |call| {
            if let Callee::Known(callee) = &call.callee
                && let Some(removed) = removed.get(callee)
            {
                keep_others(&mut call.regions, removed);
            }
        });
    }
}

/// Keeps the elements whose positions are not in a set.
fn keep_others<T>(elements: &mut Vec<T>, removed: &HashSet<usize>) {
    let mut position = 0;
    elements.retain(|_| {
        position += 1;
        !removed.contains(&(position - 1))
    });
}
