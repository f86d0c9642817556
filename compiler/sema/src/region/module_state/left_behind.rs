//! What local variables leave behind in the program's region.
//!
//! In: a block of a function, and which of its locals may point into the program's region. Out: whether a variable is given
//! what was made in the block, and loses what it held. A value that is made together with what the variable held (`items <-
//! item :: items`) keeps it, and what is only read out of another value (`rest <- tail`) was not made.

use crate::core::{Atom, Block, Evacuation, Function, LocalId, Rhs, StatementKind};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Whether something is left behind.
pub(super) fn is_left_behind(
    function: &Function,
    block: &Block,
    holders: &BTreeSet<LocalId>,
    evacuation: &Evacuation<'_>,
) -> bool {
    let mut made = HashSet::new();
    block.each_statement(&mut |statement| {
        let is_made =
            matches!(statement.rhs(), Some(Rhs::Call(_) | Rhs::Scope(_))) || !statement.allocations().is_empty();
        made.extend(statement.bound().into_iter().filter(|_| is_made));
    });
    let is_holder = |slot: &LocalId| holders.contains(slot) && evacuation.has_pointers(function.locals[*slot].ty);
    let (mut given, mut lost) = (HashSet::new(), HashSet::new());
    block.each(&mut |block| {
        // What the values that slots are given are made of, and the slots whose content is not among it yet.
        let mut parts: HashSet<LocalId> = HashSet::new();
        let mut open: HashMap<LocalId, LocalId> = HashMap::new();
        for statement in block.statements.iter().rev() {
            let StatementKind::Let(local, rhs) = &statement.kind else { continue };
            match rhs {
                Rhs::WriteSlot(Atom::Local(slot), value) if is_holder(slot) => {
                    let Atom::Local(value) = value else {
                        lost.insert(*slot);
                        continue;
                    };
                    if made.contains(value) {
                        given.insert(*slot);
                    }
                    parts.insert(*value);
                    lost.extend(open.insert(*slot, *value).map(|_| *slot));
                }
                Rhs::ReadSlot(Atom::Local(slot)) if parts.contains(local) => drop(open.remove(slot)),
                Rhs::Inject { .. } | Rhs::Tuple(_) | Rhs::Atom(_) | Rhs::Concatenate { .. }
                    if parts.contains(local) =>
                {
                    rhs.atoms(&mut |atom| parts.extend(atom.local()));
                }
                _ => {}
            }
        }
        lost.extend(open.into_keys());
    });
    !given.is_disjoint(&lost)
}
