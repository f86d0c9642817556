//! Captures that are the same constant at each closure and call.

use super::{Capture, captures, each_captured};
use clef_base::HashMap;
use clef_core::{Atom, LocalId, Program};
use std::collections::BTreeMap;

/// What is known of a capture.
enum Known {
    Constant(Atom),
    Varying,
}

/// Finds them. A function that passes its own capture to itself adds no information.
pub(super) fn find(program: &Program) -> BTreeMap<Capture, Atom> {
    let mut known: BTreeMap<Capture, Known> = BTreeMap::new();
    for (id, function) in program.functions.iter() {
        let own = captures(function);
        function.body.each(&mut |block| {
            each_captured(program, block, &mut |callee, atoms| {
                for (index, atom) in atoms.iter().enumerate() {
                    if callee == id && own.get(index).is_some_and(|local| *atom == Atom::Local(*local)) {
                        continue;
                    }
                    let value = match (atom, known.get(&(callee, index))) {
                        (Atom::Local(_), _) | (_, Some(Known::Varying)) => Known::Varying,
                        (constant, None) => Known::Constant(constant.clone()),
                        (constant, Some(Known::Constant(before))) if constant == before => continue,
                        (_, Some(Known::Constant(_))) => Known::Varying,
                    };
                    known.insert((callee, index), value);
                }
            });
        });
    }
    let constants = known.into_iter().filter_map(|(capture, value)| match value {
        Known::Constant(atom) => Some((capture, atom)),
        Known::Varying => None,
    });
    constants.collect()
}

/// Replaces the captures' locals by the constants.
pub(super) fn substitute(program: &mut Program, constants: &BTreeMap<Capture, Atom>) {
    for (id, function) in program.functions.iter_mut() {
        let own = captures(function).iter().enumerate();
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
