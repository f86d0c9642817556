//! Makes closures without captures constants, and propagates copies.

use crate::Names;
use clef_base::HashMap;
use clef_core::{Atom, Block, Function, FunctionId, LocalId, MakeClosure, Program, Rhs, Statement, StatementKind};
use clef_types::Type;

/// Replaces every local that is a copy by its source. The copies with names in the source are made nevertheless if all
/// names are wanted; nothing uses them.
pub(super) fn propagate(program: &mut Program, names: Names) {
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        let empty = Block { statements: Vec::new(), end: clef_core::End::Yield(Atom::Unit) };
        let mut body = std::mem::replace(&mut program.functions[id].body, empty);
        let mut copies = HashMap::default();
        body.each_mut(&mut |block| {
            let statements = std::mem::take(&mut block.statements);
            for statement in statements {
                if names == Names::All && is_named_copy(&program.functions[id], &statement) {
                    block.statements.push(statement.clone());
                }
                block.statements.extend(one(program, statement, &mut copies));
            }
        });
        if !copies.is_empty() {
            body.each_atom_mut(&mut |atom| {
                while let Atom::Local(local) = atom
                    && let Some(original) = copies.get(local)
                {
                    *atom = original.clone();
                }
            });
        }
        program.functions[id].body = body;
    }
}

/// Whether it gives a value a name of the source.
fn is_named_copy(function: &Function, statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Let(local, Rhs::Atom(atom)) => {
            *atom != Atom::Unit && !function.locals[*local].name.as_str().contains('$')
        }
        StatementKind::Let(..) | StatementKind::Group(_) => false,
    }
}

/// The statement without copies, which are recorded.
fn one(program: &mut Program, statement: Statement, copies: &mut HashMap<LocalId, Atom>) -> Option<Statement> {
    let Statement { kind, place } = statement;
    let kind = match kind {
        StatementKind::Let(local, Rhs::Atom(atom)) => {
            copies.insert(local, atom);
            return None;
        }
        StatementKind::Let(local, Rhs::Closure(closure)) if closure.captures.is_empty() => {
            copies.insert(local, constant(program, &closure));
            return None;
        }
        StatementKind::Let(..) => kind,
        StatementKind::Group(mut members) => {
            members.retain(|(local, closure)| {
                if closure.captures.is_empty() {
                    copies.insert(*local, constant(program, closure));
                }
                !closure.captures.is_empty()
            });
            match members.len() {
                0 => return None,
                1 => {
                    let (local, closure) = members.remove(0);
                    StatementKind::Let(local, Rhs::Closure(closure))
                }
                _ => StatementKind::Group(members),
            }
        }
    };
    Some(Statement { kind, place })
}

fn constant(program: &mut Program, closure: &MakeClosure) -> Atom {
    let ty: Type = program.functions[closure.function].closure_type(&mut program.types);
    Atom::Function(closure.function, ty)
}
