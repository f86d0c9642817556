//! Removes statements whose result is unused.
//!
//! Condition: the statement has no effect that can be observed and cannot trap: it computes, reads, or allocates.

use clef_base::{HashSet, parallel};
use clef_core::{
    Action, Atom, Block, Convention, End, Function, LocalId, Memory, Program, Rhs, Statement, StatementKind,
};
use clef_types::Effect;

/// Removes dead statements in every function.
pub(super) fn remove(program: &mut Program) {
    let mut functions: Vec<&mut Function> = program.functions.iter_mut().map(|(_, function)| function).collect();
    parallel::each_mut(&mut functions, |function| {
        let mut used = HashSet::default();
        block(&mut function.body, &mut used);
        forget_itself(function, &used);
    });
}

/// A closure that does not use itself need not keep its address.
fn forget_itself(function: &mut Function, used: &HashSet<LocalId>) {
    if let Convention::Closure { itself, .. } = &mut function.convention {
        *itself = itself.filter(|local| used.contains(local));
    }
}

/// Visits a block backwards, so that each use comes before the definition.
fn block(of: &mut Block, used: &mut HashSet<LocalId>) {
    if let End::Join { join, scope } = &mut of.end {
        block(&mut join.body, used);
        block(scope, used);
    } else {
        of.end.each_block_mut(&mut |inner| block(inner, used));
    }
    of.end.atoms(&mut |atom| mark(atom, used));
    let mut removed = Vec::new();
    for (index, statement) in of.statements.iter_mut().enumerate().rev() {
        if is_used(statement, used) || !removable(statement) {
            statement_blocks(statement).into_iter().for_each(|inner| block(inner, used));
            statement.atoms(&mut |atom| mark(atom, used));
        } else {
            removed.push(index);
        }
    }
    let mut index = 0;
    of.statements.retain(|_| {
        let is_removed = removed.pop_if(|removed| *removed == index).is_some();
        index += 1;
        !is_removed
    });
}

/// Whether a local that the statement binds is used.
fn is_used(statement: &Statement, used: &HashSet<LocalId>) -> bool {
    match &statement.kind {
        StatementKind::Let(local, _) => used.contains(local),
        StatementKind::Group(members) => members.iter().any(|(local, _)| used.contains(local)),
    }
}

/// The nested blocks, last evaluated first.
fn statement_blocks(statement: &mut Statement) -> Vec<&mut Block> {
    match &mut statement.kind {
        StatementKind::Let(_, rhs) => rhs.blocks_mut().into_iter().rev().collect(),
        StatementKind::Group(_) => Vec::new(),
    }
}

fn mark(atom: &Atom, used: &mut HashSet<LocalId>) {
    if let Atom::Local(local) = atom {
        used.insert(*local);
    }
}

fn removable(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Let(_, rhs) => pure(rhs),
        StatementKind::Group(_) => true,
    }
}

/// Whether an operation only computes, reads or allocates, and never traps.
pub(super) fn pure(rhs: &Rhs) -> bool {
    match rhs.action() {
        Action::Nothing(effect) => effect == Effect::Nothing,
        // The index of an element may be out of range.
        Action::Reads(memory) => !matches!(memory, Memory::Element(_)),
        Action::Nests => rhs.blocks().into_iter().all(pure_block),
        Action::Writes(..) | Action::Calls | Action::Regions | Action::Repeats => false,
    }
}

fn pure_block(block: &Block) -> bool {
    let ends = match &block.end {
        End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) => true,
        End::TailCall { .. } | End::Continue(_) | End::Trap(..) => false,
    };
    ends && block.statements.iter().all(removable) && block.end.blocks().into_iter().all(pure_block)
}
