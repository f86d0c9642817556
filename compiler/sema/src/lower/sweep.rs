//! Removes functions that nothing reaches any more, and allocations that are not made any more.

use crate::core::{AllocationId, AllocationKind, Atom, Callee, Function, FunctionId, Program, StatementKind};
use la_arena::Arena;
use std::collections::{BTreeSet, HashMap};

/// Numbers functions and allocations anew.
pub(super) fn sweep(program: &mut Program) {
    let reached = reached(program);
    let mut functions = Arena::new();
    let mut renamed: HashMap<FunctionId, FunctionId> = HashMap::new();
    for (id, function) in std::mem::take(&mut program.functions).iter() {
        if reached.contains(&id) {
            renamed.insert(id, functions.alloc(function.clone()));
        }
    }
    let rename = |id: &mut FunctionId| *id = renamed[id];
    let from = std::mem::take(&mut program.allocations);
    for (_, function) in functions.iter_mut() {
        rename_within(function, &rename);
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                let mut one = |id: &mut AllocationId| *id = program.allocations.alloc(from[*id].clone());
                match &mut statement.kind {
                    StatementKind::Let(_, rhs) => rhs.allocation_mut().into_iter().for_each(one),
                    StatementKind::Group(members) => {
                        members.iter_mut().for_each(|(_, closure)| one(&mut closure.allocation));
                    }
                }
            }
        });
    }
    for (_, allocation) in program.allocations.iter_mut() {
        rename(&mut allocation.function);
        match &mut allocation.kind {
            AllocationKind::Closure(id) => rename(id),
            AllocationKind::Reference(_) | AllocationKind::String => {}
        }
    }
    rename(&mut program.start);
    program.arity_tagged = program.arity_tagged.iter().filter_map(|id| renamed.get(id).copied()).collect();
    program.functions = functions;
}

fn reached(program: &Program) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::from([program.start]);
    let mut pending = vec![program.start];
    while let Some(id) = pending.pop() {
        let mut found = Vec::new();
        program.functions[id].body.each(&mut |block| {
            for statement in &block.statements {
                found.extend(statement.closures().iter().map(|closure| closure.function));
            }
            let calls = block.statements.iter().filter_map(|statement| statement.call());
            for call in calls.chain(block.end.call()) {
                match call.callee {
                    Callee::Known(id) | Callee::Direct(id, _) => found.push(id),
                    Callee::Closure(_) => {}
                }
            }
        });
        program.functions[id].body.each_atom(&mut |atom| {
            if let Atom::Function(id, _) = atom {
                found.push(*id);
            }
        });
        pending.extend(found.into_iter().filter(|id| reached.insert(*id)));
    }
    reached
}

fn rename_within(function: &mut Function, rename: &impl Fn(&mut FunctionId)) {
    function.body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            statement.closures_mut().into_iter().for_each(|closure| rename(&mut closure.function));
        }
        let calls = block.statements.iter_mut().filter_map(|statement| statement.call_mut());
        for call in calls.chain(block.end.call_mut()) {
            match &mut call.callee {
                Callee::Known(id) | Callee::Direct(id, _) => rename(id),
                Callee::Closure(_) => {}
            }
        }
    });
    function.body.each_atom_mut(&mut |atom| {
        if let Atom::Function(id, _) = atom {
            rename(id);
        }
    });
}
