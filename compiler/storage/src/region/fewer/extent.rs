//! Regions that begin in one block and end at the same places.
//!
//! Such regions become one, which begins where the first of them does and ends where the last of them does; between the ends there are only
//! statements that neither allocate nor call, so no memory is held longer while it could be used for something else. What is
//! evacuated stays alone: an evacuation moves what its roots reach, and frees all else in the region. So does a region from
//! which closures are freed, because the newest object must be such a closure.

use super::{Handle, begins, ends, replace};
use clef_base::{HashMap, HashSet};
use clef_core::{
    Action, Block, Call, Callee, Convention, FunctionId, LocalId, MakeClosure, Program, Rhs, Statement, StatementKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// Merges them.
pub(super) fn apply(program: &mut Program) {
    let special = special(program);
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        let mut extents = extents(&program.functions[id].body);
        extents.retain(|handle, _| !special.contains(&(id, *handle)));
        let same = first_of_same(extents);
        if !same.is_empty() {
            remove(&mut program.functions[id].body, &same);
            replace(program, id, &same);
        }
    }
}

/// The number of a block in the order of [`Block::each`].
type BlockNumber = usize;

/// Where a region begins, and where it ends: the number of a block, and how many statements of it that may allocate are
/// before the end.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Extent {
    block: BlockNumber,
    ends: BTreeSet<(BlockNumber, usize)>,
}

/// The extents of the regions that begin in a function.
fn extents(body: &Block) -> BTreeMap<LocalId, Extent> {
    let mut extents: BTreeMap<LocalId, Extent> = BTreeMap::new();
    let mut number = 0;
    body.each(&mut |block| {
        let mut before = 0;
        for statement in &block.statements {
            if let Some(handle) = begins(statement) {
                extents.entry(handle).or_default().block = number;
            } else if let Some(handle) = ends(statement) {
                extents.entry(handle).or_default().ends.insert((number, before));
            } else if !is_inert(statement) {
                before += 1;
            }
        }
        number += 1;
    });
    extents
}

/// Whether a statement neither allocates nor calls nor has nested blocks.
fn is_inert(statement: &Statement) -> bool {
    let Some(rhs) = statement.rhs() else { return false };
    let is_intrinsic = matches!(rhs, Rhs::Intrinsic { .. });
    match rhs.action() {
        Action::Reads(_) | Action::Writes(..) => true,
        Action::Nothing(_) => !is_intrinsic && statement.allocations().is_empty(),
        Action::Calls | Action::Regions | Action::Nests | Action::Repeats => false,
    }
}

/// For each region whose extent another one has too, the handle that replaces all of these.
fn first_of_same(extents: BTreeMap<LocalId, Extent>) -> HashMap<LocalId, LocalId> {
    let mut same: BTreeMap<Extent, Vec<LocalId>> = BTreeMap::new();
    for (handle, extent) in extents {
        same.entry(extent).or_default().push(handle);
    }
    let several = same.into_values().filter(|handles| handles.len() > 1);
    several.flat_map(|handles| handles.clone().into_iter().map(move |handle| (handle, handles[0]))).collect()
}

/// Removes where merged regions begin and end, except for the first begin and the last end. Other uses still have the old
/// handles.
fn remove(body: &mut Block, same: &HashMap<LocalId, LocalId>) {
    let mut begun = HashSet::default();
    body.each_mut(&mut |block| {
        block.statements.retain_mut(|statement| {
            let StatementKind::Let(handle, Rhs::EnterRegion) = &mut statement.kind else { return true };
            let Some(merged) = same.get(handle) else { return true };
            *handle = *merged;
            begun.insert(*merged)
        });
        let mut ended = HashSet::default();
        let mut kept: Vec<Statement> = Vec::with_capacity(block.statements.len());
        for statement in std::mem::take(&mut block.statements).into_iter().rev() {
            let merged = ends(&statement).and_then(|handle| same.get(&handle));
            if merged.is_none_or(|merged| ended.insert(*merged)) {
                kept.push(statement);
            }
        }
        kept.reverse();
        block.statements = kept;
    });
}

/// The handles of regions that are evacuated or from which closures are freed, in their function or in one that receives the
/// handle.
fn special(program: &Program) -> HashSet<Handle> {
    let mut passed = Passed::default();
    let mut work = Vec::new();
    for (id, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| match statement.rhs() {
            Some(Rhs::Evacuate { moves, .. }) => {
                work.extend(moves.iter().filter_map(|moved| moved.from.local()).map(|from| (id, from)));
            }
            Some(Rhs::PopClosure(handle)) => work.extend(handle.local().map(|handle| (id, handle))),
            Some(_) | None => {}
        });
        function.body.each_closure(&mut |_, closure| passed.capture(program, id, closure));
        function.body.each_call(&mut |call| passed.call(program, id, call));
    }
    let mut special = HashSet::default();
    while let Some((id, handle)) = work.pop() {
        if !special.insert((id, handle)) {
            continue;
        }
        work.extend(passed.to.get(&(id, handle)).into_iter().flatten());
        let function = &program.functions[id];
        let position = function.regions.iter().position(|param| *param == handle);
        if let (Convention::Closure { .. }, Some(position)) = (&function.convention, position) {
            work.extend(passed.to_closures.get(&position).into_iter().flatten());
        }
    }
    special
}

/// From where parameters and captures have their handles.
#[derive(Default)]
struct Passed {
    /// For each parameter and capture, the handles that become it.
    to: HashMap<Handle, Vec<Handle>>,
    /// For each position among the parameters of closures, the handles that calls of unknown closures pass there.
    to_closures: HashMap<usize, Vec<Handle>>,
}

impl Passed {
    fn capture(&mut self, program: &Program, id: FunctionId, closure: &MakeClosure) {
        for (capture, atom) in program.functions[closure.function].captures().iter().zip(&closure.captures) {
            if let Some(handle) = atom.local() {
                self.to.entry((closure.function, *capture)).or_default().push((id, handle));
            }
        }
    }

    fn call(&mut self, program: &Program, id: FunctionId, call: &Call) {
        for (position, atom) in call.regions.iter().enumerate() {
            let Some(handle) = atom.local() else { continue };
            match &call.callee {
                Callee::Known(callee) | Callee::Direct(callee, _) => {
                    let param = program.functions[*callee].regions[position];
                    self.to.entry((*callee, param)).or_default().push((id, handle));
                }
                Callee::Closure(_) => self.to_closures.entry(position).or_default().push((id, handle)),
            }
        }
    }
}
