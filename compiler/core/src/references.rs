//! The functions that code refers to, and their replacement by others.
//!
//! In: code, and a new function for each that it refers to. Out: code that refers to the new functions, and whose
//! allocations are new entries of a function.

use super::{Allocation, AllocationId, AllocationKind, Atom, Block, Callee, FunctionId, Rhs, Statement, StatementKind};
use clef_base::HashMap;
use la_arena::Arena;

/// The new function of each function.
pub type Names = HashMap<FunctionId, FunctionId>;

/// The functions that code calls, creates closures of or uses as values.
pub fn referenced(body: &Block) -> Vec<FunctionId> {
    let mut found = Vec::new();
    body.each(&mut |block| {
        for statement in &block.statements {
            referenced_by(statement, &mut found);
        }
        block.end.atoms(&mut |atom| found.extend(atom.function()));
        found.extend(block.end.call().and_then(|call| called(&call.callee)));
    });
    found
}

/// Adds the functions that a statement refers to, not those of its nested blocks.
pub(super) fn referenced_by(statement: &Statement, found: &mut Vec<FunctionId>) {
    statement.atoms(&mut |atom| found.extend(atom.function()));
    match &statement.kind {
        StatementKind::Let(_, Rhs::Closure(closure)) => found.push(closure.function),
        StatementKind::Let(_, Rhs::Call(call)) => found.extend(called(&call.callee)),
        StatementKind::Let(..) => {}
        StatementKind::Group(members) => found.extend(members.iter().map(|(_, closure)| closure.function)),
    }
}

/// The function that is called, if it is known.
pub(super) fn called(callee: &Callee) -> Option<FunctionId> {
    match callee {
        Callee::Known(id) | Callee::Direct(id, _) => Some(*id),
        Callee::Closure(_) => None,
    }
}

/// Makes the code of a function refer to new functions; `allocation` creates the entry of each of its allocations.
pub fn rename(body: &mut Block, names: &Names, mut allocation: impl FnMut(AllocationId) -> AllocationId) {
    body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            rename_statement(statement, names);
            match &mut statement.kind {
                StatementKind::Let(_, rhs) => rhs.allocation_mut().into_iter().for_each(|id| *id = allocation(*id)),
                StatementKind::Group(members) => {
                    members.iter_mut().for_each(|(_, closure)| closure.allocation = allocation(closure.allocation));
                }
            }
        }
        block.end.call_mut().into_iter().for_each(|call| rename_callee(&mut call.callee, names));
        block.end.atoms_mut(&mut |atom| rename_atom(atom, names));
    });
}

fn rename_statement(statement: &mut Statement, names: &Names) {
    statement.atoms_mut(&mut |atom| rename_atom(atom, names));
    statement.call_mut().into_iter().for_each(|call| rename_callee(&mut call.callee, names));
    statement.closures_mut().into_iter().for_each(|closure| closure.function = names[&closure.function]);
    if let StatementKind::Let(_, Rhs::FunctionAddress(id)) = &mut statement.kind {
        *id = names[id];
    }
}

fn rename_atom(atom: &mut Atom, names: &Names) {
    if let Atom::Function(id, _) = atom {
        *id = names[id];
    }
}

fn rename_callee(callee: &mut Callee, names: &Names) {
    match callee {
        Callee::Known(id) | Callee::Direct(id, _) => *id = names[id],
        Callee::Closure(_) => {}
    }
}

/// The entry of an allocation in a function.
pub fn allocated(function: FunctionId, id: AllocationId, from: &Arena<Allocation>, names: &Names) -> Allocation {
    let mut entry = Allocation { function, ..from[id].clone() };
    if let AllocationKind::Closure(code) = &mut entry.kind {
        *code = names[code];
    }
    entry
}
