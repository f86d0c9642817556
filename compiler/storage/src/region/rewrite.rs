//! Writes the result of inference into a function.
//!
//! In: a function, and the summaries of all. Out: the function with the handles that it takes, captures, passes and
//! begins, and the region of each of its allocations.

use super::{
    classes::Class,
    constrain::{Solved, solve},
    frugal::Frugality,
    knowledge::{Knowledge, called_result},
    loops::{Loops, PointsTo, new_handle},
    private_state::PrivateState,
    rewritten::Rewritten,
    roots::Writer,
    scope,
    signature::Signature,
    transitive::Transitive,
    verify,
};
use clef_base::HashMap;
use clef_core::{AllocationId, Atom, Block, Callee, Convention, Evacuation, Function, FunctionId, LocalId, Region};
use clef_types::{Type, Types};
use std::collections::{BTreeMap, BTreeSet};

/// Rewrites functions.
pub(super) struct Rewriter<'a, 'program> {
    pub(super) knowledge: Knowledge<'program>,
    pub(super) evacuation: &'a Evacuation<'program>,
    pub(super) types: &'a mut Types,
    /// For each type, by its number, whether closures that capture handles are reachable from its values.
    pub(super) allocators: &'a [bool],
    /// See [`Evacuation::relinked`].
    pub(super) relinked: &'a [bool],
    pub(super) frugality: &'a Frugality<'a>,
    /// See [`Loops::grown`].
    pub(super) makers: &'a Transitive<'a>,
    /// The functions that reuse nodes.
    pub(super) reusers: &'a Transitive<'a>,
    /// The functions that may overwrite memory reachable from their inputs with pointers.
    pub(super) writers: &'a Transitive<'a>,
    pub(super) state: PrivateState,
    pub(super) unit: Type,
    /// The type of handles.
    pub(super) handle: Type,
}

impl Rewriter<'_, '_> {
    /// Writes the regions of a function.
    pub(super) fn rewrite(&mut self, id: FunctionId) -> Rewritten {
        let knowledge = &mut self.knowledge;
        let mut solved = solve(knowledge, id);
        let mut function = knowledge.program.functions[id].clone();
        self.state.promote((id, &function), &mut solved);
        let mut handles = take_handles(knowledge, id, &mut solved, &mut function, self.handle);
        let own = own_regions(&mut solved, &mut function, &mut handles, self.handle);
        let all = solved.allocations.clone().into_iter();
        let in_region = all.filter(|(allocation, _)| knowledge.in_region(*allocation));
        let mut allocations: HashMap<AllocationId, Region> =
            in_region.map(|(allocation, class)| (allocation, region(&mut solved, &handles, class))).collect();
        pass_handles(knowledge, &mut solved, &mut function, &handles);
        let points_to = holders(&mut solved, &handles);
        let program_holders = program_holders(&mut solved);
        let Signature { result, iteration, .. } = &knowledge.signatures[&id];
        let memberships = solved.classes.memberships();
        let results = solved.classes.regions(&solved.positions[result.clone()], &memberships);
        let results = results.iter().filter_map(|class| handles.get(class)).copied().collect();
        let iteration = handles.get(&solved.classes.find(solved.positions[*iteration])).copied();
        let mut loops = Loops {
            writer: Writer { evacuation: self.evacuation, types: self.types },
            handle: self.handle,
            points_to: &points_to,
            allocators: self.allocators,
            relinked: self.relinked,
            frugality: self.frugality,
            makers: self.makers,
            reusers: self.reusers,
            begun: BTreeMap::new(),
        };
        loops.rewrite(&mut function, &mut allocations);
        let of_loops = std::mem::take(&mut loops.begun);
        let mut holds = holders(&mut solved, &own);
        let own: Vec<LocalId> = own.into_values().collect();
        scope::place(&mut function, &mut allocations, self.unit, &own, &mut holds);
        if cfg!(debug_assertions)
            && let Err(message) = verify::verify(&function, &allocations, &holds, self.handle)
        {
            clef_base::internal::bug("region", function.span, format!("in {}: {message}", function.name));
        }
        function.held = held(&function, [&points_to, &holds], &of_loops);
        let split = loops.split(&mut function, &mut allocations, &results);
        let of_loops = of_loops.into_keys().collect();
        Rewritten { function, allocations, split, points_to, results, iteration, program_holders, of_loops }
    }

    pub(super) fn loops<'l>(&'l mut self, points_to: &'l PointsTo) -> Loops<'l> {
        let Rewriter { evacuation, types, handle, allocators, relinked, frugality, makers, reusers, .. } = self;
        let writer = Writer { evacuation, types };
        Loops {
            writer,
            handle: *handle,
            points_to,
            allocators,
            relinked,
            frugality,
            makers,
            reusers,
            begun: BTreeMap::new(),
        }
    }
}

/// The handles that the function receives from its callers and its closure, by their classes. A class of the program needs none, even
/// where a handle is passed because other closures of the type need it: its region must be known as the program's, which no loop
/// may replace by a region of its own.
fn take_handles(
    knowledge: &Knowledge<'_>,
    id: FunctionId,
    solved: &mut Solved,
    function: &mut Function,
    ty: Type,
) -> BTreeMap<Class, LocalId> {
    let mut handles = BTreeMap::new();
    let mut take = |local: LocalId, position: usize| {
        let class = solved.positions[position];
        if !solved.classes.is_program(class) {
            handles.entry(solved.classes.find(class)).or_insert(local);
        }
    };
    for position in knowledge.passed(id) {
        let local = new_handle(function, ty, function.span);
        function.regions.push(local);
        take(local, position);
    }
    for position in knowledge.captured(id) {
        let local = new_handle(function, ty, function.span);
        if let Convention::Closure { captures, .. } = &mut function.convention {
            captures.push(local);
        }
        take(local, position);
    }
    handles
}

/// The regions that begin and end within the function, with a handle for each.
fn own_regions(
    solved: &mut Solved,
    function: &mut Function,
    handles: &mut BTreeMap<Class, LocalId>,
    ty: Type,
) -> BTreeMap<Class, LocalId> {
    let seen: BTreeSet<Class> = solved.positions.iter().map(|class| solved.classes.find(*class)).collect();
    let own = solved.classes.allocated().into_iter().filter(|class| !seen.contains(class));
    let own: BTreeMap<Class, LocalId> = own.map(|class| (class, new_handle(function, ty, function.span))).collect();
    handles.extend(&own);
    own
}

/// The region of a class. If nothing is allocated in it, it has no handle, and any region will do.
fn region(solved: &mut Solved, handles: &BTreeMap<Class, LocalId>, class: Class) -> Region {
    let root = solved.classes.find(class);
    handles.get(&root).map_or(Region::Program, |local| Region::Local(*local))
}

/// The handle of a class as an operand.
fn operand(solved: &mut Solved, handles: &BTreeMap<Class, LocalId>, class: Class) -> Atom {
    match region(solved, handles, class) {
        Region::Program => Atom::ProgramRegion,
        Region::Local(local) => Atom::Local(local),
    }
}

/// Passes to each call, and adds to the captures of each closure, the handles required there.
fn pass_handles(
    knowledge: &Knowledge<'_>,
    solved: &mut Solved,
    function: &mut Function,
    handles: &BTreeMap<Class, LocalId>,
) {
    let mut body = std::mem::replace(&mut function.body, Block::empty());
    let mut calls = std::mem::take(&mut solved.calls).into_iter();
    body.each_call_mut(&mut |call| {
        let Some(positions) = calls.next() else { return };
        let passed = match &call.callee {
            Callee::Known(id) | Callee::Direct(id, _) => knowledge.passed(*id),
            Callee::Closure(closure) => {
                let params = call.arguments.iter().map(|atom| knowledge.constants.of(atom, function)).collect();
                let closure = knowledge.constants.of(closure, function);
                let result = called_result(knowledge.program, closure, call.arguments.len());
                knowledge.passed_to(&(params, result))
            }
        };
        call.regions = passed.into_iter().map(|position| operand(solved, handles, positions[position])).collect();
    });
    body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            let locals = statement.bound();
            for (local, closure) in locals.into_iter().zip(statement.closures_mut()) {
                let start = knowledge.signatures[&closure.function].itself.start;
                let positions = solved.creations[&local].clone();
                for position in knowledge.captured(closure.function) {
                    closure.captures.push(operand(solved, handles, positions[position - start]));
                }
            }
        }
    });
    function.body = body;
}

/// The locals that may point into the program's region: any region that callers choose may be that one, and any effect
/// that they choose may keep it alive.
fn program_holders(solved: &mut Solved) -> BTreeSet<LocalId> {
    let memberships = solved.classes.memberships();
    let chosen: BTreeSet<Class> = solved.positions.iter().map(|class| solved.classes.find(*class)).collect();
    let mut holders = BTreeSet::new();
    for (local, classes) in &solved.locals {
        let reached = solved.classes.reached(classes, &memberships, |_| true);
        if reached.iter().any(|class| chosen.contains(class) || solved.classes.is_program(*class)) {
            holders.insert(*local);
        }
    }
    holders
}

/// For each local, which of the handles' regions it may point into.
fn holders(solved: &mut Solved, own: &BTreeMap<Class, LocalId>) -> HashMap<LocalId, BTreeSet<LocalId>> {
    let memberships = solved.classes.memberships();
    let mut holders = HashMap::default();
    for (local, classes) in &solved.locals {
        let regions = solved.classes.regions(classes, &memberships);
        let own: BTreeSet<LocalId> = regions.iter().filter_map(|region| own.get(region)).copied().collect();
        if !own.is_empty() {
            holders.insert(*local, own);
        }
    }
    holders
}

/// For each region, the locals of the source that may point into it. The regions of loops replace others within these loops.
fn held(
    function: &Function,
    pointers: [&PointsTo; 2],
    of_loops: &BTreeMap<LocalId, LocalId>,
) -> HashMap<LocalId, Vec<LocalId>> {
    let mut held: HashMap<LocalId, BTreeSet<LocalId>> = HashMap::default();
    for (local, regions) in pointers.into_iter().flatten() {
        if !function.locals[*local].name.as_str().contains('$') {
            for region in regions {
                held.entry(*region).or_default().insert(*local);
            }
        }
    }
    for (own, replaced) in of_loops {
        if let Some(locals) = held.get(replaced).cloned() {
            held.entry(*own).or_default().extend(locals);
        }
    }
    held.into_iter().map(|(region, locals)| (region, locals.into_iter().collect())).collect()
}
