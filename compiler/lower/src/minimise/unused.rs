//! Captures that are used neither by the function itself, nor by the functions that it passes them to.

use super::{Capture, captures, each_captured};
use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, Convention, End, Function, LocalId, Program};
use std::collections::BTreeSet;

/// Finds them: all that are not reachable from a use, backwards along the passing of captures.
pub(super) fn find(program: &Program) -> BTreeSet<Capture> {
    let mut used: BTreeSet<Capture> = BTreeSet::new();
    let mut passed: HashMap<Capture, Vec<Capture>> = HashMap::default();
    let mut all = BTreeSet::new();
    for (id, function) in program.functions.iter() {
        let position: HashMap<LocalId, usize> =
            captures(function).iter().enumerate().map(|(index, local)| (*local, index)).collect();
        all.extend(position.values().map(|index| (id, *index)));
        let own = |atom: &Atom| {
            let Atom::Local(local) = atom else { return None };
            position.get(local).map(|index| (id, *index))
        };
        function.body.each(&mut |block| {
            let mut captured = HashSet::default();
            each_captured(program, block, &mut |callee, atoms| {
                for (index, atom) in atoms.iter().enumerate() {
                    captured.insert(std::ptr::from_ref(atom));
                    if let Some(own) = own(atom) {
                        passed.entry((callee, index)).or_default().push(own);
                    }
                }
            });
            each_operand(block, unchanged(function), &mut |atom| {
                if !captured.contains(&std::ptr::from_ref(atom)) {
                    used.extend(own(atom));
                }
            });
        });
    }
    let mut pending: Vec<_> = used.iter().copied().collect();
    while let Some(capture) = pending.pop() {
        for source in passed.get(&capture).into_iter().flatten() {
            if used.insert(*source) {
                pending.push(*source);
            }
        }
    }
    all.difference(&used).copied().collect()
}

/// The number of leading operands of a `continue` that pass captures unchanged.
fn unchanged(function: &Function) -> usize {
    match function.convention {
        Convention::Known => function.leading_captures,
        Convention::Closure { .. } | Convention::Exported(_) => 0,
    }
}

/// Visits the operands of a block, except those that pass a parameter unchanged.
fn each_operand<'block>(block: &'block Block, unchanged: usize, visit: &mut dyn FnMut(&'block Atom)) {
    block.statements.iter().for_each(|statement| statement.atoms(visit));
    if let End::Continue(atoms) = &block.end {
        atoms.iter().skip(unchanged).for_each(visit);
    } else {
        block.end.atoms(visit);
    }
}
