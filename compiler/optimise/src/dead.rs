//! Removes statements whose result is unused.
//!
//! Condition: the statement has no effect that can be observed and cannot trap: it computes, reads, or allocates.

use clef_base::HashSet;
use clef_core::{
    Action, Atom, Block, Convention, End, Function, LocalId, Memory, Program, Rhs, Statement, StatementKind,
};
use clef_types::Effect;

/// Removes dead statements in every function.
pub(super) fn remove(program: &mut Program) {
    for (_, function) in program.functions.iter_mut() {
        let mut used = HashSet::default();
        block(&mut function.body, &mut used);
        forget_itself(function, &used);
    }
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
        of.end.blocks_mut().into_iter().for_each(|inner| block(inner, used));
    }
    of.end.atoms(&mut |atom| mark(atom, used));
    let mut kept = Vec::with_capacity(of.statements.len());
    while let Some(mut statement) = of.statements.pop() {
        if statement.bound().iter().any(|local| used.contains(local)) || !removable(&statement) {
            for inner in statement_blocks(&mut statement) {
                block(inner, used);
            }
            statement.atoms(&mut |atom| mark(atom, used));
            kept.push(statement);
        }
    }
    kept.reverse();
    of.statements = kept;
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
