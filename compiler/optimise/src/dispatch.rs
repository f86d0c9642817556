//! Replaces reads of the arity of a closure by a constant where all closures of its type have the same.
//!
//! Condition: the program is closed: a closure of a type is created from one of the functions that are used as values.

use clef_base::{HashMap, HashSet};
use clef_core::{Atom, FunctionId, Program, Rhs, StatementKind};
use clef_types::Type;

/// Replaces reads of arities that are the same for all closures of a type.
pub(super) fn resolve(program: &mut Program) {
    let arities = arities(program);
    for (_, function) in program.functions.iter_mut() {
        let locals = &function.locals;
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                if let StatementKind::Let(local, rhs) = &mut statement.kind
                    && let Rhs::Arity(Atom::Local(closure)) = rhs
                    && let Some(Some(arity)) = arities.get(&locals[*closure].ty)
                {
                    *rhs = Rhs::Atom(Atom::Integer(*arity as i128, locals[*local].ty));
                }
            }
        });
    }
}

/// The arity of the closures of each type, if there is only one.
fn arities(program: &mut Program) -> HashMap<Type, Option<usize>> {
    let mut values: HashSet<FunctionId> = HashSet::default();
    for (_, function) in program.functions.iter() {
        function.body.each_closure(&mut |_, closure| {
            values.insert(closure.function);
        });
        function.body.each_atom(&mut |atom| {
            if let Atom::Function(id, _) = atom {
                values.insert(*id);
            }
        });
    }
    let mut arities: HashMap<Type, Option<usize>> = HashMap::default();
    for id in values {
        let function = &program.functions[id];
        let arity = function.params.len();
        let known = arities.entry(function.closure_type(&mut program.types)).or_insert(Some(arity));
        if *known != Some(arity) {
            *known = None;
        }
    }
    arities
}
