//! Removes statements whose result is unused.
//!
//! Condition: the statement has no effect that can be observed and cannot trap: it computes, reads, or allocates.

use clef_core::{Atom, Block, Convention, End, Function, LocalId, Program, Rhs, Statement, StatementKind};
use clef_types::Effect;
use std::collections::HashSet;

/// Removes dead statements in every function.
pub(super) fn remove(program: &mut Program) {
    for (_, function) in program.functions.iter_mut() {
        let mut used = HashSet::new();
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

fn pure(rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Atom(_)
        | Rhs::Primitive(..)
        | Rhs::Concatenate { .. }
        | Rhs::Closure(_)
        | Rhs::Arity(_)
        | Rhs::Tuple(_)
        | Rhs::Component(..)
        | Rhs::Array { .. }
        | Rhs::Inject { .. }
        | Rhs::Tag(_)
        | Rhs::Field { .. }
        | Rhs::Slot(_)
        | Rhs::ReadSlot(_)
        | Rhs::MakeReference { .. }
        | Rhs::ReadReference(_)
        | Rhs::ReadGlobal(_)
        | Rhs::FunctionAddress(_) => true,
        Rhs::Intrinsic { intrinsic, .. } => intrinsic.properties().effect == Effect::Nothing,
        Rhs::Scope(block) => pure_block(block),
        Rhs::Call(_)
        | Rhs::Foreign { .. }
        | Rhs::WriteSlot(..)
        | Rhs::WriteReference(..)
        | Rhs::WriteField { .. }
        | Rhs::WriteGlobal(..)
        | Rhs::EnterRegion
        | Rhs::LeaveRegion(_)
        | Rhs::Evacuate { .. }
        | Rhs::While { .. } => false,
    }
}

fn pure_block(block: &Block) -> bool {
    let ends = match &block.end {
        End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) => true,
        End::TailCall { .. } | End::Continue(_) | End::Trap(..) => false,
    };
    ends && block.statements.iter().all(removable) && block.end.blocks().into_iter().all(pure_block)
}
