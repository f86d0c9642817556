//! Objects in the program's region that variables and parameters drop.
//!
//! In: a block of a function, and which of its locals may point into the program's region. Out: whether a variable, or
//! a parameter of the function's next iteration, is assigned something made in the block and loses its previous value.
//! A value made from the previous one (`items <- item :: items`) keeps it, and a value that is only read out of another
//! one (`rest <- tail`) was not made in the block.

use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, End, Evacuation, Function, JoinId, LocalId, Rhs, StatementKind};
use std::collections::BTreeSet;

/// Whether a block drops something.
pub(super) fn is_left_behind(
    function: &Function,
    block: &Block,
    holders: &BTreeSet<LocalId>,
    evacuation: &Evacuation<'_>,
) -> bool {
    let is_holder = |local: &LocalId| holders.contains(local) && evacuation.has_pointers(function.locals[*local].ty);
    let mut losses = Losses { made: made(block), assigned: HashSet::default(), lost: HashSet::default() };
    block.each(&mut |block| losses.block(function, block, &is_holder));
    !losses.assigned.is_disjoint(&losses.lost)
}

/// The locals of a block whose values may have been made in it.
fn made(block: &Block) -> HashSet<LocalId> {
    let mut made = HashSet::default();
    block.each_statement(&mut |statement| {
        let is_made =
            matches!(statement.rhs(), Some(Rhs::Call(_) | Rhs::Scope(_))) || !statement.allocations().is_empty();
        made.extend(statement.bound().into_iter().filter(|_| is_made));
    });
    let mut params: HashMap<JoinId, Vec<LocalId>> = HashMap::default();
    let mut jumps: Vec<(JoinId, Vec<Atom>)> = Vec::new();
    block.each_end(&mut |end| match end {
        End::Join { join, .. } => drop(params.insert(join.id, join.params.clone())),
        End::Jump(join, arguments) => jumps.push((*join, arguments.clone())),
        End::Yield(_)
        | End::TailCall { .. }
        | End::Continue(_)
        | End::If { .. }
        | End::Switch { .. }
        | End::Trap(..) => {}
    });
    loop {
        let before = made.len();
        for (join, arguments) in &jumps {
            for (param, argument) in params.get(join).into_iter().flatten().zip(arguments) {
                if argument.local().is_some_and(|argument| made.contains(&argument)) {
                    made.insert(*param);
                }
            }
        }
        if made.len() == before {
            return made;
        }
    }
}

/// The effects on variables.
struct Losses {
    made: HashSet<LocalId>,
    /// Those that are assigned something made in the block.
    assigned: HashSet<LocalId>,
    /// Those that lose their previous value.
    lost: HashSet<LocalId>,
}

impl Losses {
    /// Visits a block, without its nested blocks.
    fn block(&mut self, function: &Function, block: &Block, is_holder: &dyn Fn(&LocalId) -> bool) {
        // The parts of the values that variables are assigned, and the variables whose content is not among these yet.
        let mut parts: HashSet<LocalId> = HashSet::default();
        let mut open: HashSet<LocalId> = HashSet::default();
        if let End::Continue(arguments) = &block.end {
            for (param, argument) in function.params.iter().zip(arguments).filter(|(param, _)| is_holder(param)) {
                self.assign(*param, argument, &mut parts, &mut open);
            }
        }
        for statement in block.statements.iter().rev() {
            let StatementKind::Let(local, rhs) = &statement.kind else { continue };
            if let Rhs::WriteSlot(Atom::Local(slot), value) = rhs
                && is_holder(slot)
            {
                self.assign(*slot, value, &mut parts, &mut open);
            } else if !parts.contains(local) {
                continue;
            } else if let Rhs::ReadSlot(Atom::Local(slot)) = rhs {
                open.remove(slot);
            } else if let Rhs::Inject { fields, .. } = rhs {
                parts.extend(fields.iter().filter_map(Atom::local));
            } else if let Rhs::Tuple(_) | Rhs::Atom(_) | Rhs::Concatenate { .. } = rhs {
                rhs.atoms(&mut |atom| parts.extend(atom.local()));
            }
        }
        // What a parameter holds is among the parts if the parameter is.
        self.lost.extend(open.difference(&parts));
    }

    /// Assigns a value to a variable; a later assignment in the block replaces it.
    fn assign(&mut self, variable: LocalId, value: &Atom, parts: &mut HashSet<LocalId>, open: &mut HashSet<LocalId>) {
        let replaced = !open.insert(variable);
        let Atom::Local(value) = value else {
            self.lost.insert(variable);
            return;
        };
        if self.made.contains(value) {
            self.assigned.insert(variable);
        }
        parts.insert(*value);
        if replaced {
            self.lost.insert(variable);
        }
    }
}
