//! Passes literals to the allocations whose numbers of elements they are, through the parameters of functions that were substituted at
//! their calls, and through arithmetic.
//!
//! In: Core. Out: the same, in which an allocation whose number of elements follows from literals has a literal. Without optimisation this
//! is all that is passed on, so that arrays have the storage that they have with it: static memory needs no region.

use clef_base::HashMap;
use clef_core::{Atom, Block, Function, LocalId, Program, Rhs, StatementKind};
use clef_types::Primitive;

pub(super) fn pass_literals(program: &mut Program) {
    program.functions.values_mut().for_each(function);
}

fn function(function: &mut Function) {
    let mut literals: HashMap<LocalId, Atom> = HashMap::default();
    // A local is bound before it is used.
    function.body.each_statement(&mut |statement| {
        let StatementKind::Let(local, rhs) = &statement.kind else { return };
        let found = if let Rhs::Atom(atom) = rhs {
            literal(&literals, atom)
        } else if let Rhs::Primitive(primitive, operands) = rhs {
            result(&literals, *primitive, operands)
        } else {
            None
        };
        literals.extend(found.map(|found| (*local, found)));
    });
    function.body.each_mut(&mut |block: &mut Block| {
        for statement in &mut block.statements {
            let StatementKind::Let(_, rhs) = &mut statement.kind else { continue };
            if let Some(count) = rhs.counted_mut()
                && let Some(literal) = literal(&literals, count)
            {
                *count = literal;
            }
        }
    });
}

/// The integer that an operand is.
fn literal(literals: &HashMap<LocalId, Atom>, atom: &Atom) -> Option<Atom> {
    if let Atom::Local(local) = atom {
        return literals.get(local).cloned();
    }
    matches!(atom, Atom::Integer(..)).then(|| atom.clone())
}

/// The result of a sum, a difference or a product of literals.
fn result(literals: &HashMap<LocalId, Atom>, primitive: Primitive, operands: &[Atom]) -> Option<Atom> {
    let [first, second] = operands else { return None };
    let Atom::Integer(first, ty) = literal(literals, first)? else { return None };
    let Atom::Integer(second, _) = literal(literals, second)? else { return None };
    Some(Atom::Integer(primitive.of_ints(first, second)?, ty))
}
