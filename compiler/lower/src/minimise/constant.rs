//! Captures that are the same constant wherever they are given.

use super::{Held, each_given, held};
use clef_core::{Atom, LocalId, Program};
use std::collections::{BTreeMap, HashMap};

/// What is known of a capture so far.
enum Given {
    Constant(Atom),
    Varying,
}

/// Finds them. A function that passes its own capture on to itself says nothing new.
pub(super) fn find(program: &Program) -> BTreeMap<Held, Atom> {
    let mut known: BTreeMap<Held, Given> = BTreeMap::new();
    for (id, function) in program.functions.iter() {
        let own = held(function);
        function.body.each(&mut |block| {
            each_given(program, block, &mut |callee, atoms| {
                for (index, atom) in atoms.iter().enumerate() {
                    if callee == id && own.get(index).is_some_and(|local| *atom == Atom::Local(*local)) {
                        continue;
                    }
                    let given = match (atom, known.get(&(callee, index))) {
                        (Atom::Local(_), _) | (_, Some(Given::Varying)) => Given::Varying,
                        (constant, None) => Given::Constant(constant.clone()),
                        (constant, Some(Given::Constant(before))) if constant == before => continue,
                        (_, Some(Given::Constant(_))) => Given::Varying,
                    };
                    known.insert((callee, index), given);
                }
            });
        });
    }
    let constants = known.into_iter().filter_map(|(held, given)| match given {
        Given::Constant(atom) => Some((held, atom)),
        Given::Varying => None,
    });
    constants.collect()
}

/// Puts the constants in place of the captures' locals.
pub(super) fn substitute(program: &mut Program, constants: &BTreeMap<Held, Atom>) {
    for (id, function) in program.functions.iter_mut() {
        let own = held(function).iter().enumerate();
        let replaced: HashMap<LocalId, Atom> =
            own.filter_map(|(index, local)| constants.get(&(id, index)).map(|atom| (*local, atom.clone()))).collect();
        if replaced.is_empty() {
            continue;
        }
        function.body.each_atom_mut(&mut |atom| {
            if let Atom::Local(local) = atom
                && let Some(constant) = replaced.get(local)
            {
                *atom = constant.clone();
            }
        });
    }
}
