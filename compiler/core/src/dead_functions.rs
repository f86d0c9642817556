//! Dead-function elimination: removes everything that is unreachable from the start and compacts the tables.
//!
//! In: any program. Out: only functions, allocations and globals that are used; `arity_tagged` contains only the
//! closure functions of the types whose arity is still read.

use super::references::{Names, allocated, referenced, rename};
use super::{Atom, Convention, Function, FunctionId, GlobalId, Program, Rhs, StatementKind};
use clef_base::{HashMap, HashSet};
use clef_types::Type;
use la_arena::Arena;

/// Removes what is not reachable.
pub fn remove(program: &mut Program) {
    remove_except(program, &[]);
}

/// Removes what is reachable neither from the start nor from the functions of `roots`; returns the new ids of the
/// functions that remain.
pub fn remove_except(program: &mut Program, roots: &[FunctionId]) -> Names {
    let reached = reached(program, roots);
    let mut functions: Arena<Function> = Arena::new();
    let mut renamed = HashMap::default();
    for (id, function) in std::mem::take(&mut program.functions) {
        if reached.contains(&id) {
            renamed.insert(id, functions.alloc(function));
        }
    }
    let mut allocations = Arena::new();
    for (id, function) in functions.iter_mut() {
        let from = &program.allocations;
        rename(&mut function.body, &renamed, |old| allocations.alloc(allocated(id, old, from, &renamed)));
    }
    program.start = renamed[&program.start];
    program.functions = functions;
    program.allocations = allocations;
    globals(program);
    tag(program);
    renamed
}

/// The functions that the start, other languages and `roots` reach, by calls or as values.
fn reached(program: &Program, roots: &[FunctionId]) -> HashSet<FunctionId> {
    let exported = |function: &Function| matches!(function.convention, Convention::Exported(_));
    let exports = program.functions.iter().filter(|(_, function)| exported(function)).map(|(id, _)| id);
    let mut queue: Vec<FunctionId> =
        std::iter::once(program.start).chain(exports).chain(roots.iter().copied()).collect();
    let mut reached: HashSet<FunctionId> = queue.iter().copied().collect();
    while let Some(id) = queue.pop() {
        let found = referenced(&program.functions[id].body);
        queue.extend(found.into_iter().filter(|&id| reached.insert(id)));
    }
    reached
}

/// Removes the globals that are never read, with the stores to them.
fn globals(program: &mut Program) {
    let mut read = HashSet::default();
    for (_, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(_, Rhs::ReadGlobal(global)) = statement.kind {
                read.insert(global);
            }
        });
    }
    let mut globals = Arena::new();
    let mut names: HashMap<GlobalId, GlobalId> = HashMap::default();
    for (id, global) in program.globals.iter().filter(|(id, _)| read.contains(id)) {
        names.insert(id, globals.alloc(global.clone()));
    }
    for (_, function) in program.functions.iter_mut() {
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                if let StatementKind::Let(_, rhs) = &mut statement.kind {
                    rename_global(rhs, &names);
                }
            }
        });
    }
    program.globals = globals;
}

fn rename_global(rhs: &mut Rhs, names: &HashMap<GlobalId, GlobalId>) {
    if let Rhs::ReadGlobal(global) | Rhs::WriteGlobal(global, _) = rhs {
        match names.get(global) {
            Some(name) => *global = *name,
            None => *rhs = Rhs::Atom(Atom::Unit),
        }
    }
}

/// The closure functions whose arity may be read.
fn tag(program: &mut Program) {
    let mut types: HashSet<Type> = HashSet::default();
    for (_, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            match &statement.kind {
                StatementKind::Let(_, Rhs::Arity(Atom::Local(local))) => types.insert(function.locals[*local].ty),
                StatementKind::Let(_, Rhs::Arity(Atom::Function(_, ty))) => types.insert(*ty),
                StatementKind::Let(..) | StatementKind::Group(_) => false,
            };
        });
    }
    let Program { functions, types: table, .. } = &mut *program;
    let closures = functions.iter().filter(|(_, function)| matches!(function.convention, Convention::Closure { .. }));
    program.arity_tagged =
        closures.filter(|(_, function)| types.contains(&function.closure_type(table))).map(|(id, _)| id).collect();
}
