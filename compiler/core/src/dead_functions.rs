//! Dead-function elimination: removes everything that is unreachable from the start and compacts the tables.
//!
//! In: any program. Out: only functions, allocations and globals that are used; `arity_tagged` contains only the
//! closure functions of the types whose arity is still read.

use super::references::{Names, allocated, called, referenced_by, rename};
use super::{AllocationId, Atom, Convention, Function, FunctionId, GlobalId, Program, Rhs, StatementKind};
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
    let uses = Uses::of(program, roots);
    let mut functions: Arena<Function> = Arena::new();
    let mut renamed = HashMap::default();
    for (id, function) in std::mem::take(&mut program.functions) {
        if uses.functions.contains(&id) {
            renamed.insert(id, functions.alloc(function));
        }
    }
    // Where nothing is removed, everything keeps its name.
    if functions.len() < uses.declared || program.allocations.len() != uses.allocations.len() {
        let mut allocations = Arena::new();
        for (id, function) in functions.iter_mut() {
            let from = &program.allocations;
            rename(&mut function.body, &renamed, |old| allocations.alloc(allocated(id, old, from, &renamed)));
        }
        program.allocations = allocations;
        program.start = renamed[&program.start];
    }
    program.functions = functions;
    if uses.globals.len() < program.globals.len() {
        remove_globals(program, &uses.globals);
    }
    let Program { functions, types: table, .. } = &mut *program;
    let closures = functions.iter().filter(|(_, function)| matches!(function.convention, Convention::Closure { .. }));
    let tagged = closures.filter(|(_, function)| uses.arities.contains(&function.closure_type(table)));
    program.arity_tagged = tagged.map(|(id, _)| id).collect();
    renamed
}

/// What the functions use that the start, other languages and other roots reach, by calls or as values.
struct Uses {
    /// The number of all functions, used or not.
    declared: usize,
    functions: HashSet<FunctionId>,
    /// The globals that are read.
    globals: HashSet<GlobalId>,
    /// The types of closures whose arity is read.
    arities: HashSet<Type>,
    /// The allocations, each in the function of its entry.
    allocations: HashSet<AllocationId>,
}

impl Uses {
    fn of(program: &Program, roots: &[FunctionId]) -> Uses {
        let exported = |function: &Function| matches!(function.convention, Convention::Exported(_));
        let exports = program.functions.iter().filter(|(_, function)| exported(function)).map(|(id, _)| id);
        let mut queue: Vec<FunctionId> =
            std::iter::once(program.start).chain(exports).chain(roots.iter().copied()).collect();
        let mut uses = Uses {
            declared: program.functions.len(),
            functions: queue.iter().copied().collect(),
            globals: HashSet::default(),
            arities: HashSet::default(),
            allocations: HashSet::default(),
        };
        let mut found = Vec::new();
        while let Some(id) = queue.pop() {
            uses.function(program, id, &mut found);
            queue.extend(found.drain(..).filter(|id| uses.functions.insert(*id)));
        }
        uses
    }

    /// Adds what a function uses; `found` receives the functions to which it refers.
    fn function(&mut self, program: &Program, id: FunctionId, found: &mut Vec<FunctionId>) {
        let function = &program.functions[id];
        function.body.each(&mut |block| {
            for statement in &block.statements {
                referenced_by(statement, found);
                let own = |allocation: &AllocationId| program.allocations[*allocation].function == id;
                self.allocations.extend(statement.allocations().into_iter().filter(own));
                statement.rhs().into_iter().for_each(|rhs| self.operation(function, rhs));
            }
            block.end.atoms(&mut |atom| found.extend(atom.function()));
            found.extend(block.end.call().and_then(|call| called(&call.callee)));
        });
    }

    fn operation(&mut self, function: &Function, rhs: &Rhs) {
        if let Rhs::ReadGlobal(global) = rhs {
            self.globals.insert(*global);
        } else if let Rhs::Arity(Atom::Local(local)) = rhs {
            self.arities.insert(function.locals[*local].ty);
        } else if let Rhs::Arity(Atom::Function(_, ty)) = rhs {
            self.arities.insert(*ty);
        }
    }
}

/// Removes the globals that are never read, with the stores to them.
fn remove_globals(program: &mut Program, read: &HashSet<GlobalId>) {
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
