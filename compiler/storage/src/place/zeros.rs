//! Loops that write zeros to memory that is zero.
//!
//! In: Core whose allocations have storage. Out: the same without the loops that follow the creation of a static array, and only
//! write zeros to it: static memory is zero when the program starts, and a static array is made once.

use clef_core::{Atom, Block, LocalId, Program, Rhs, Statement, StatementKind, Storage};
use clef_types::Intrinsic;

/// Removes these loops.
pub(super) fn remove(program: &mut Program) {
    let Program { functions, allocations, .. } = program;
    let is_static = |rhs: &Rhs| {
        let decision = rhs.allocation().and_then(|id| allocations[id].decision.as_ref());
        decision.is_some_and(|decision| decision.storage == Storage::Static)
    };
    for function in functions.values_mut() {
        function.body.each_mut(&mut |block| {
            for index in 0..block.statements.len() {
                if let Some(found) = filling(&block.statements, index, &is_static) {
                    let StatementKind::Let(_, rhs) = &mut block.statements[found].kind else { continue };
                    *rhs = Rhs::Atom(Atom::Unit);
                }
            }
        });
    }
}

/// The index of the loop that only writes zeros to the array that a statement creates.
fn filling(statements: &[Statement], index: usize, is_static: &dyn Fn(&Rhs) -> bool) -> Option<usize> {
    let StatementKind::Let(array, rhs) = &statements[index].kind else { return None };
    let Rhs::Intrinsic { intrinsic: Intrinsic::ArrayZero, .. } = rhs else { return None };
    if !is_static(rhs) {
        return None;
    }
    let mut slots = Vec::new();
    for (distance, statement) in statements[index + 1..].iter().enumerate() {
        match &statement.kind {
            StatementKind::Let(_, Rhs::Primitive(..)) => {}
            StatementKind::Let(slot, Rhs::Slot(_)) => slots.push(*slot),
            StatementKind::Let(_, Rhs::While { condition, body }) => {
                let found = index + 1 + distance;
                let only_fills = [condition, body].into_iter().all(|block| fills(block, *array, &slots));
                let is_last = statements[found + 1..].iter().all(|later| !later.uses_any(&slots));
                return (only_fills && is_last).then_some(found);
            }
            StatementKind::Let(..) | StatementKind::Group(_) => return None,
        }
    }
    None
}

/// Whether a block only writes to these slots, and zeros to the array.
fn fills(block: &Block, array: LocalId, slots: &[LocalId]) -> bool {
    let is_slot = |atom: &Atom| atom.local().is_some_and(|local| slots.contains(&local));
    block.end.blocks().is_empty()
        && block.statements.iter().all(|statement| match statement.rhs() {
            Some(Rhs::Primitive(..)) => true,
            Some(Rhs::ReadSlot(slot) | Rhs::WriteSlot(slot, _)) => is_slot(slot),
            Some(Rhs::Intrinsic { intrinsic: Intrinsic::ArrayPut, arguments, .. }) => {
                matches!(&arguments[..], [to, _, value] if to.local() == Some(array) && is_zero(value))
            }
            _ => false,
        })
}

/// Whether all bits of an operand are zero.
fn is_zero(value: &Atom) -> bool {
    match value {
        Atom::Integer(value, _) => *value == 0,
        Atom::Float(value, _) => value.to_bits() == 0,
        Atom::Char(value) => *value == '\0',
        Atom::Bool(value) => !value,
        Atom::Unit | Atom::Local(_) | Atom::String(_) | Atom::Function(..) | Atom::ProgramRegion => false,
    }
}
