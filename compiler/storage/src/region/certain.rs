//! Which nodes are certainly in the region of the nodes that take their memory.
//!
//! In: a program with its regions, and which of them loops begin for their own state. Out: the same program, where a reuse
//! that needs no test when the program runs is marked. A region is *complete* for a function if all that the function has
//! in regions of that class is in it: it begins in the function, not for a loop, whose state comes from outside; or every
//! caller passes one that is complete for it. This is the greatest solution over the program.

use clef_base::{HashMap, HashSet};
use clef_core::{
    Call, Callee, Convention, Function, FunctionId, LocalId, Program, Region, Rhs, StatementKind, Storage,
};
use std::collections::{BTreeMap, BTreeSet};

/// The regions that begin for the state of a loop, for each function.
pub(super) type LoopRegions = BTreeMap<FunctionId, BTreeSet<LocalId>>;

/// Marks them.
pub(super) fn mark(program: &mut Program, of_loops: &LoopRegions) {
    let complete = complete(program, of_loops);
    let Program { functions, allocations, .. } = program;
    for (id, function) in functions.iter_mut() {
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                if let StatementKind::Let(_, Rhs::Inject { allocation: Some(allocation), reuse: Some(reuse), .. }) =
                    &mut statement.kind
                {
                    let decision = allocations[*allocation].decision.as_ref();
                    reuse.is_certain = decision.is_some_and(|decision| {
                        matches!(decision.storage, Storage::Region(Region::Local(handle))
                            if complete.contains(&(id, handle)))
                    });
                }
            }
        });
    }
}

/// A region of a function, by its handle.
type Handle = (FunctionId, LocalId);

/// The complete regions.
fn complete(program: &Program, of_loops: &LoopRegions) -> HashSet<Handle> {
    let none = BTreeSet::new();
    let mut complete = HashSet::default();
    let mut passed: HashMap<Handle, Vec<Handle>> = HashMap::default();
    let mut work = Vec::new();
    for (id, function) in program.functions.iter() {
        let of_loops = of_loops.get(&id).unwrap_or(&none);
        let begun = begun(function).into_iter().filter(|handle| !of_loops.contains(handle));
        complete.extend(begun.map(|handle| (id, handle)));
        if function.convention == Convention::Known {
            complete.extend(function.regions.iter().map(|handle| (id, *handle)));
        }
        function.body.each_call(&mut |call| {
            for (given, param) in params(program, call) {
                match given {
                    Some(handle) => passed.entry((id, handle)).or_default().push(param),
                    None => work.push(param),
                }
            }
        });
    }
    work.extend(passed.keys().filter(|from| !complete.contains(*from)).flat_map(|from| passed[from].iter().copied()));
    while let Some(param) = work.pop() {
        if complete.remove(&param) {
            work.extend(passed.get(&param).into_iter().flatten());
        }
    }
    complete
}

/// The regions that begin in a function.
fn begun(function: &Function) -> Vec<LocalId> {
    let mut begun = Vec::new();
    function.body.each_statement(&mut |statement| {
        if let StatementKind::Let(handle, Rhs::EnterRegion) = &statement.kind {
            begun.push(*handle);
        }
    });
    begun
}

/// For each handle that a call passes to a known function, the local that it is, if it is one, and the parameter.
fn params(program: &Program, call: &Call) -> Vec<(Option<LocalId>, Handle)> {
    let Callee::Known(callee) = call.callee else { return Vec::new() };
    let pairs = call.regions.iter().zip(&program.functions[callee].regions);
    pairs.map(|(given, param)| (given.local(), (callee, *param))).collect()
}
