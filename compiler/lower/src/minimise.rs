//! Minimises the captures of closures and known functions.
//!
//! In: Core with the captures of scope analysis. Out: the same program, in which
//!
//! - unused captures are removed, also those only passed on to functions that do not use them;
//! - captures that are the same constant wherever the closure is created are constants in the code;
//! - of a tuple or record of which only parts are used, the parts are captured.
//!
//! A closure that then has no captures is a constant, which other closures need not capture either; iterates to a fixpoint.

mod constant;
mod copy;
mod unused;

use super::Names;
use clef_core::{Atom, Block, Call, Callee, Convention, End, Function, FunctionId, LocalId, Program, capture_parts};
use std::collections::{BTreeMap, BTreeSet};

/// A capture of a closure or of a known function: the function and the index.
type Capture = (FunctionId, usize);

/// Minimises all captures.
pub(super) fn minimise(program: &mut Program, names: Names) {
    loop {
        copy::propagate(program, names);
        let unused = unused::find(program);
        drop_captures(program, &unused);
        let constant = constant::find(program);
        constant::substitute(program, &constant);
        drop_captures(program, &constant.keys().copied().collect());
        let narrowed = capture_parts(program);
        if unused.is_empty() && constant.is_empty() && !narrowed {
            copy::propagate(program, names);
            return;
        }
    }
}

/// The locals of a function's captures.
fn captures(function: &Function) -> &[LocalId] {
    match &function.convention {
        Convention::Known => &function.params[..function.leading_captures],
        Convention::Closure { captures, .. } => captures,
        Convention::Exported(_) => &[],
    }
}

/// Visits the captures that a block passes to functions: at closures that it creates and calls of known functions.
fn each_captured<'block>(program: &Program, block: &'block Block, visit: &mut dyn FnMut(FunctionId, &'block [Atom])) {
    let mut call = |call: &'block Call| {
        if let Callee::Known(id) = call.callee {
            visit(id, &call.arguments[..program.functions[id].leading_captures]);
        }
    };
    block.statements.iter().filter_map(|statement| statement.call()).for_each(&mut call);
    block.end.call().into_iter().for_each(&mut call);
    for closure in block.statements.iter().flat_map(|statement| statement.closures()) {
        visit(closure.function, &closure.captures);
    }
}

/// Removes captures, and the operands for them.
fn drop_captures(program: &mut Program, dropped: &BTreeSet<Capture>) {
    if dropped.is_empty() {
        return;
    }
    let mut positions: BTreeMap<FunctionId, BTreeSet<usize>> = BTreeMap::new();
    for (id, index) in dropped {
        positions.entry(*id).or_default().insert(*index);
    }
    let keep = |id: FunctionId, atoms: &mut Vec<Atom>| {
        if let Some(positions) = positions.get(&id) {
            retain(atoms, positions);
        }
    };
    for (id, function) in program.functions.iter_mut() {
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                for closure in statement.closures_mut() {
                    keep(closure.function, &mut closure.captures);
                }
            }
            let calls = block.statements.iter_mut().filter_map(|statement| statement.call_mut());
            for call in calls.chain(block.end.call_mut()) {
                if let Callee::Known(id) = call.callee {
                    keep(id, &mut call.arguments);
                }
            }
            if let (End::Continue(atoms), Convention::Known) = (&mut block.end, &function.convention) {
                keep(id, atoms);
            }
        });
        let Some(positions) = positions.get(&id) else { continue };
        match &mut function.convention {
            Convention::Known => {
                retain(&mut function.params, positions);
                function.leading_captures -= positions.len();
            }
            Convention::Closure { captures, .. } => retain(captures, positions),
            Convention::Exported(_) => {}
        }
    }
}

fn retain<T>(items: &mut Vec<T>, dropped: &BTreeSet<usize>) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        !dropped.contains(&(index - 1))
    });
}
