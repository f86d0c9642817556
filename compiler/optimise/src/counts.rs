//! Passes literals to the allocations whose numbers of elements they are, through the parameters of functions that were substituted at their calls.
//!
//! In: Core. Out: the same, in which an allocation whose number of elements is a copy of a literal has the literal. Without optimisation this is
//! all that is passed on, so that arrays have the storage that they have with it: static memory needs no region.

use clef_base::HashMap;
use clef_core::{Atom, Block, Function, LocalId, Program, Rhs, StatementKind};

pub(super) fn pass_literals(program: &mut Program) {
    program.functions.values_mut().for_each(function);
}

fn function(function: &mut Function) {
    let mut literals: HashMap<LocalId, Atom> = HashMap::default();
    // A local is bound before it is used.
    function.body.each_statement(&mut |statement| {
        let StatementKind::Let(local, Rhs::Atom(atom)) = &statement.kind else { return };
        let literal = match atom {
            Atom::Integer(..) => Some(atom.clone()),
            Atom::Local(copied) => literals.get(copied).cloned(),
            Atom::Unit
            | Atom::Bool(_)
            | Atom::Float(..)
            | Atom::Char(_)
            | Atom::String(_)
            | Atom::Function(..)
            | Atom::ProgramRegion => None,
        };
        literals.extend(literal.map(|literal| (*local, literal)));
    });
    function.body.each_mut(&mut |block: &mut Block| {
        for statement in &mut block.statements {
            let StatementKind::Let(_, rhs) = &mut statement.kind else { continue };
            if let Some(count) = rhs.counted_mut()
                && let Atom::Local(local) = count
                && let Some(literal) = literals.get(local)
            {
                *count = literal.clone();
            }
        }
    });
}
