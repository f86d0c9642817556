//! Regions that are stacks: the closures in them are linear continuations, which free themselves when they are called.
//!
//! In: a cycle of tail calls that would evacuate its regions ([`super::cycles`]). Out: the [`Stack`] among these regions, if
//! there is one: its handles in each function of the cycle, which all denote one region that begins where the cycle does
//! (several regions that functions begin become one in [`super::self_calls`]), and its *continuations*, the lambdas whose
//! closures it holds. The code of a continuation frees its closure by an [`Rhs::PopClosure`], and nothing is evacuated.
//!
//! A local is a *holder* if it may hold such a closure. Every closure of a continuation is made by a function of the cycle,
//! in the stack, and nothing else is allocated there before the cycle is left: a tail call that leaves it may
//! allocate there, since no function of the cycle runs afterwards. In each function of the cycle:
//!
//! - At most one parameter or capture is a holder. At each point of a path at most one holder can be used, the *current*
//!   one: the parameter or capture at first.
//! - Only these use a holder, and it is the current one: a copy, a jump to a join, the end of a scope, and making a
//!   continuation that captures it, each of which makes its result the current holder; and a required tail call that stays
//!   in the cycle and calls it, or passes it to a function of the cycle. A tail call of another closure reaches no
//!   continuation. A continuation takes no holder as an argument, owns no cells and does not refer to itself: it could use
//!   memory that its call has freed.
//! - While there is a current holder, every continuation that is made captures it, and every tail call that stays in the cycle
//!   calls it or passes it on. It may be dropped only where the path leaves the cycle or returns.
//! - Handles of the stack are only passed on by tail calls and captured by continuations. Nothing that outlives the cycle is
//!   handed over from the stack.
//!
//! *Invariant:* when a function of the cycle begins, the closures of the stack that are in use are those on the chain of its
//! current holder: that closure, what it captured, and so on. No other pointer leads to the stack: holders get nowhere else,
//! not into records, cells, other closures, plain calls or results. The chain is in the order of allocation, since a closure
//! captures only what exists already. *Proof* by induction over the tail calls. Where a holder is the current one, the chain
//! of each continuation made since the beginning of the function contains it. When a continuation is called, its arguments
//! are no holders, so only what it captured remains of the chain; all this is older than the closure itself, so the closure
//! and what was allocated after it are free. When another function is called with the current holder, the chain is the
//! same.
//!
//! The closures of the stack are also no more than the chain, while the cycle goes on: whatever is made captures the current
//! holder, and whatever is called frees itself before it goes on in the cycle. So the stack takes as much as the continuations
//! in use, and what is reserved for larger ones in their places, without evacuation.
//!
//! What is called in the cycle but is not in the stack, such as the first continuation, frees nothing. Everything that is not proved
//! keeps its evacuation: a continuation that is called twice, stored, returned or dropped for another one, and two
//! continuations that are in use at a time.

use super::{
    capture_order::Orders,
    linear::Search,
    rewritten::{Cycle, Rewritten},
};
use clef_base::{HashMap, HashSet};
use clef_core::{
    Atom, Block, Function, FunctionId, LocalId, MakeClosure, Program, Region, Statement, callees::Callees,
};
use std::collections::{BTreeMap, BTreeSet};

/// The handles of the stack in each function of a cycle: those that it receives and those that it captures.
type Handles = BTreeMap<FunctionId, BTreeSet<LocalId>>;

/// What a function passes, or captures, for a local of another one.
type Passed<'a> = ((FunctionId, &'a Atom), (FunctionId, LocalId));

/// A region that is a stack.
pub(super) struct Stack {
    pub(super) handles: Handles,
    /// The lambdas whose closures it holds.
    pub(super) continuations: BTreeSet<FunctionId>,
    /// For each continuation, which of its captures are kept, in their new order: not the handles that its code does not need,
    /// since it receives one.
    pub(super) captures: BTreeMap<FunctionId, Vec<usize>>,
}

/// Where the closures of each lambda are made, in a whole program.
#[derive(Default)]
pub(super) struct Creations {
    /// For each lambda the functions that make closures of it, with the handle of the region; `None` for other storage.
    pub(super) made: HashMap<FunctionId, Vec<(FunctionId, Option<LocalId>)>>,
    /// The lambdas of which there are constant closures.
    constant: HashSet<FunctionId>,
}

impl Creations {
    /// Those of the program's functions.
    pub(super) fn of(ids: &[FunctionId], rewritten: &[Rewritten]) -> Creations {
        let mut creations = Creations::default();
        for (id, Rewritten { function, allocations, .. }) in ids.iter().zip(rewritten) {
            function.body.each_closure(&mut |_, MakeClosure { function, allocation, .. }| {
                let region = allocations.get(allocation);
                let handle = if let Some(Region::Local(handle)) = region { Some(*handle) } else { None };
                creations.made.entry(*function).or_default().push((*id, handle));
            });
            function.body.each_atom(&mut |atom| creations.constant.extend(atom.function()));
        }
        creations
    }
}

impl Stack {
    /// The stack among the regions of a cycle.
    pub(super) fn find(
        program: &Program,
        callees: &Callees,
        cycle: &Cycle<'_>,
        creations: &Creations,
    ) -> Option<Stack> {
        let continuations = continuations(cycle, creations)?;
        let handles = handles(cycle, creations, &continuations)?;
        let stack = Stack { handles, continuations, captures: BTreeMap::new() };
        let mut search = Search { program, callees, cycle, stack, holders: HashMap::default() };
        search.find_holders();
        if !cycle.members.keys().all(|id| search.keeps_handles(*id) && search.is_linear(*id)) {
            return None;
        }
        let orders = Orders { search: &search, creations, found: BTreeMap::new() }.of_all()?;
        Some(Stack { captures: orders, ..search.stack })
    }

    /// The handles that a function receives for the stack.
    pub(super) fn received(&self, id: FunctionId, function: &Function) -> BTreeSet<LocalId> {
        function.regions.iter().copied().filter(|region| self.handles[&id].contains(region)).collect()
    }

    /// The one handle that a function uses, if it has any.
    pub(super) fn handle(&self, id: FunctionId, function: &Function) -> Option<LocalId> {
        let handles = &self.handles[&id];
        function.regions.iter().chain(function.captures()).copied().find(|handle| handles.contains(handle))
    }

    /// Whether a statement within a block makes a continuation.
    pub(super) fn makes_within(&self, block: &Block) -> bool {
        let mut found = false;
        block.each_statement(&mut |statement| found |= self.makes(statement));
        found
    }

    /// Whether a statement makes a continuation.
    pub(super) fn makes(&self, statement: &Statement) -> bool {
        statement.closures().iter().any(|closure| self.continuations.contains(&closure.function))
    }
}

/// The lambdas of a cycle whose closures are all made by its functions, in regions that these received. None if there is no such
/// lambda, or if only some of the closures of one are.
fn continuations(cycle: &Cycle<'_>, creations: &Creations) -> Option<BTreeSet<FunctionId>> {
    let mut found = BTreeSet::new();
    for id in cycle.members.keys() {
        let Some(made) = creations.made.get(id) else { continue };
        let is_there =
            |(maker, handle): &&(FunctionId, Option<LocalId>)| handle.is_some() && cycle.members.contains_key(maker);
        let there = made.iter().filter(is_there).count();
        if there == 0 {
            continue;
        }
        if there < made.len() || creations.constant.contains(id) {
            return None;
        }
        found.insert(*id);
    }
    (!found.is_empty()).then_some(found)
}

/// The handles that denote the region in which continuations are made: what calls of a cycle pass, and continuations capture,
/// for each of them, and what they pass and capture them for. None if something else is passed or captured for one.
fn handles(cycle: &Cycle<'_>, creations: &Creations, continuations: &BTreeSet<FunctionId>) -> Option<Handles> {
    let mut handles: Handles = cycle.members.keys().map(|id| (*id, BTreeSet::new())).collect();
    for (maker, handle) in continuations.iter().flat_map(|lambda| &creations.made[lambda]) {
        handles.entry(*maker).or_default().extend(handle);
    }
    let mut passed: Vec<Passed<'_>> = Vec::new();
    for (id, member) in &cycle.members {
        for (call, callees) in &member.calls {
            for callee in callees {
                let regions = call.regions.iter().zip(&cycle.members[callee].rewritten.function.regions);
                passed.extend(regions.map(|(from, to)| ((*id, from), (*callee, *to))));
            }
        }
        member.rewritten.function.body.each_closure(&mut |_, MakeClosure { function, captures, .. }| {
            if continuations.contains(function) {
                let captures = captures.iter().zip(cycle.members[function].rewritten.function.captures());
                passed.extend(captures.map(|(from, to)| ((*id, from), (*function, *to))));
            }
        });
    }
    loop {
        let mut changed = false;
        for ((from, atom), (to, local)) in &passed {
            match atom.local() {
                Some(atom) if handles[from].contains(&atom) => {
                    changed |= handles.entry(*to).or_default().insert(*local);
                }
                Some(atom) if handles[to].contains(local) => {
                    changed |= handles.entry(*from).or_default().insert(atom);
                }
                None if handles[to].contains(local) => return None,
                Some(_) | None => {}
            }
        }
        if !changed {
            break;
        }
    }
    let is_given = |(id, handles): (&FunctionId, &BTreeSet<LocalId>)| {
        let function = &cycle.members[id].rewritten.function;
        let captures = if continuations.contains(id) { function.captures() } else { &[] };
        handles.iter().all(|handle| function.regions.contains(handle) || captures.contains(handle))
    };
    handles.iter().all(is_given).then_some(handles)
}
