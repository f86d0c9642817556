//! Captures that are not used: neither by the function itself, nor by what it passes them on to.

use super::{Held, each_given, held};
use crate::core::{Atom, Block, Convention, End, FunctionId, LocalId, Program, StatementKind};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Finds them: all that are not reached from a use, against the direction in which captures are passed on.
pub(super) fn find(program: &Program) -> BTreeSet<Held> {
    let mut used: BTreeSet<Held> = BTreeSet::new();
    let mut passed: HashMap<Held, Vec<Held>> = HashMap::new();
    let mut all = BTreeSet::new();
    for (id, function) in program.functions.iter() {
        let position: HashMap<LocalId, usize> =
            held(function).iter().enumerate().map(|(index, local)| (*local, index)).collect();
        all.extend(position.values().map(|index| (id, *index)));
        let own = |atom: &Atom| match atom {
            Atom::Local(local) => position.get(local).map(|index| (id, *index)),
            _ => None,
        };
        function.body.each(&mut |block| {
            let mut given = HashSet::new();
            each_given(program, block, &mut |callee, atoms| {
                for (index, atom) in atoms.iter().enumerate() {
                    given.insert(std::ptr::from_ref(atom));
                    if let Some(own) = own(atom) {
                        passed.entry((callee, index)).or_default().push(own);
                    }
                }
            });
            each_direct(block, &mut |atom| {
                if !given.contains(&std::ptr::from_ref(atom)) {
                    used.extend(own(atom));
                }
            }, &unchanged(&function.convention, id, held(function).len()));
        });
    }
    let mut pending: Vec<_> = used.iter().copied().collect();
    while let Some(held) = pending.pop() {
        for source in passed.get(&held).into_iter().flatten() {
            if used.insert(*source) {
                pending.push(*source);
            }
        }
    }
    all.difference(&used).copied().collect()
}

/// How many leading operands of a `continue` only say that lifted parameters stay what they are.
fn unchanged(convention: &Convention, _: FunctionId, lifted: usize) -> usize {
    match convention {
        Convention::Known => lifted,
        Convention::Closure { .. } => 0,
    }
}

fn each_direct<'block>(block: &'block Block, visit: &mut dyn FnMut(&'block Atom), unchanged: &usize) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Let(..) | StatementKind::Group(_) => statement.atoms(visit),
        }
    }
    match &block.end {
        End::Continue(atoms) => atoms.iter().skip(*unchanged).for_each(visit),
        end @ (End::Yield(_)
        | End::TailCall { .. }
        | End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Jump(..)
        | End::Trap(..)) => end.atoms(visit),
    }
}
