//! Code that runs outside of the program's control flow and may access module-level values while these are moved.
//!
//! In: a program with its regions. Out: the module-level values that an evacuation of the program's region moves, or
//! whose content it moves; and who else may access them. A value that does not change, is in static memory, and has no
//! pointers in its content, such as an array of numbers, is not moved, so that interrupt handlers may use it at any time.

use super::super::transitive::Transitive;
use clef_base::HashSet;
use clef_core::{
    ConstantTypes, Convention, Evacuation, Function, FunctionId, GlobalId, LocalId, Program, Rhs, Statement, Storage,
};
use clef_types::interrupt_symbol::is_masked;

/// Who uses what may be moved, other than the program itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Uses {
    /// Nobody.
    Nobody,
    /// Interrupt handlers, which can be masked.
    Handlers,
    /// Other languages, of which nothing is known, or handlers of exceptions that cannot be masked.
    AnyTime,
}

/// The module-level values that are moved.
pub(super) fn moved(program: &Program, evacuation: &Evacuation<'_>) -> Vec<GlobalId> {
    let fixed = fixed(program, evacuation);
    let has_pointers = program.globals.iter().filter(|(_, global)| evacuation.has_pointers(global.ty));
    has_pointers.map(|(id, _)| id).filter(|id| !fixed.contains(id)).collect()
}

/// Who else uses them, or the program's region.
pub(super) fn uses(program: &Program, constants: ConstantTypes, touching: &Transitive<'_>, moved: &[GlobalId]) -> Uses {
    let moved: HashSet<GlobalId> = moved.iter().copied().collect();
    let using = Transitive::new(program, constants, &|_, function| {
        let mut uses = false;
        function.body.each_statement(&mut |statement| {
            uses |= matches!(
                statement.rhs(),
                Some(Rhs::ReadGlobal(global) | Rhs::WriteGlobal(global, _)) if moved.contains(global)
            );
        });
        uses
    });
    let exported: Vec<(FunctionId, &Function)> = program
        .functions
        .iter()
        .filter(|(id, function)| {
            let exported = matches!(function.convention, Convention::Exported(_));
            // The host of a library calls no function while another one runs, unless that calls the host.
            let is_apart = !program.is_library || function.convention.interrupt().is_some();
            exported && is_apart && (using.functions.contains(id) || touching.functions.contains(id))
        })
        .collect();
    if exported.is_empty() {
        Uses::Nobody
    } else if exported.iter().all(|(_, function)| function.convention.interrupt().is_some_and(is_masked)) {
        Uses::Handlers
    } else {
        Uses::AnyTime
    }
}

/// The values that never change and whose memory is static and holds no pointers.
fn fixed(program: &Program, evacuation: &Evacuation<'_>) -> HashSet<GlobalId> {
    let mut fixed = HashSet::default();
    let mut written = HashSet::default();
    for function in program.functions.values() {
        let memory = static_memory(program, function);
        function.body.each_statement(&mut |statement| {
            let Some(Rhs::WriteGlobal(global, value)) = statement.rhs() else { return };
            let ty = program.globals[*global].ty;
            let plain = program.types.content(ty).is_some_and(|content| !evacuation.has_pointers(content));
            let is_static = value.local().is_some_and(|local| memory.contains(&local));
            if written.insert(*global) && is_static && plain && !program.globals[*global].mutable {
                fixed.insert(*global);
            } else {
                fixed.remove(global);
            }
        });
    }
    fixed
}

/// The locals of a function that are bound to something in static memory.
fn static_memory(program: &Program, function: &Function) -> HashSet<LocalId> {
    let mut found = HashSet::default();
    let is_static = |statement: &Statement| {
        statement.allocations().into_iter().any(|allocation| {
            let decision = program.allocations[allocation].decision.as_ref();
            decision.is_some_and(|decision| decision.storage == Storage::Static)
        })
    };
    function.body.each_statement(&mut |statement| {
        if is_static(statement) {
            found.extend(statement.bound());
        }
    });
    found
}
