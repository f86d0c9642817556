//! Slots in which region inference keeps locals, so that evacuation can move what they point to.
//!
//! In: a function with its regions. Out: the slots that only evacuation writes, and the initial value of each. What is
//! read from one is that value, or its copy in a region.

use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Function, GlobalId, LocalId, Program, Rhs, StatementKind};
use clef_types::TypeKind;

/// Finds the slots.
pub(super) fn homes(program: &Program, function: &Function) -> HashMap<LocalId, Atom> {
    let mut made: HashMap<LocalId, Atom> = HashMap::default();
    let (mut evacuated, mut moved) = (HashSet::default(), HashSet::default());
    let mut known: HashMap<LocalId, usize> = HashMap::default();
    let mut count = |atom: &Atom| atom.local().into_iter().for_each(|local| *known.entry(local).or_default() += 1);
    function.body.each_statement(&mut |statement| {
        let StatementKind::Let(local, rhs) = &statement.kind else { return };
        if let Rhs::Slot(value) = rhs {
            made.insert(*local, value.clone());
        } else if let Rhs::Evacuate { .. } = rhs {
            evacuated.insert(Some(*local));
        } else if let Rhs::Component(tuple, _) = rhs
            && evacuated.contains(&tuple.local())
        {
            moved.insert(Some(*local));
        } else if let Rhs::ReadSlot(slot) = rhs {
            count(slot);
        } else if let Rhs::WriteSlot(slot, value) = rhs
            && moved.contains(&value.local())
        {
            count(slot);
        } else if let Rhs::WriteGlobal(global, slot) = rhs
            && is_registry(program, *global)
        {
            count(slot);
        }
    });
    let mut uses: HashMap<LocalId, usize> = HashMap::default();
    function.body.each_atom(&mut |atom| {
        atom.local().into_iter().for_each(|local| *uses.entry(local).or_default() += 1);
    });
    made.retain(|slot, _| uses.get(slot) == known.get(slot));
    made
}

/// Whether a module-level value is the address of a slot, registered there for evacuation.
pub(super) fn is_registry(program: &Program, global: GlobalId) -> bool {
    matches!(program.types.kind(program.globals[global].ty), TypeKind::Slot(_))
}
