//! What the rewriting of functions leaves for those that look at several of them.
//!
//! Out: functions with their regions, and the cycles of tail calls between them.

use super::{
    loops::PointsTo,
    self_calls::{Plan, Split},
};
use clef_base::HashMap;
use clef_core::{AllocationId, Atom, Call, Function, FunctionId, LocalId, Region};
use std::collections::{BTreeMap, BTreeSet};

/// A function with its regions.
pub(super) struct Rewritten {
    pub(super) function: Function,
    /// The region of each allocation that lies in one.
    pub(super) allocations: HashMap<AllocationId, Region>,
    /// How its iterations become a separate function, if they evacuate regions.
    pub(super) split: Option<Split>,
    /// For each local, the handles of the regions that it may point into.
    pub(super) points_to: PointsTo,
    /// The handles that it receives of the regions that its result may point into.
    pub(super) results: BTreeSet<LocalId>,
    /// The handle of the region of the iteration, if it allocates there.
    pub(super) iteration: Option<LocalId>,
    /// The locals that may point into the program's region.
    pub(super) program_holders: BTreeSet<LocalId>,
    /// The handles of regions that begin for the state of a loop.
    pub(super) of_loops: BTreeSet<LocalId>,
}

/// Functions that call one another in tail position.
pub(super) struct Cycle<'a> {
    pub(super) members: BTreeMap<FunctionId, Member<'a>>,
}

/// A function of a cycle.
pub(super) struct Member<'a> {
    pub(super) rewritten: &'a Rewritten,
    /// Its calls that stay in the cycle, and their callees.
    pub(super) calls: Vec<(&'a Call, Vec<FunctionId>)>,
    /// Whether it can be the first function of the cycle to be called.
    pub(super) is_entered: bool,
}

impl Member<'_> {
    /// Whether each call of a function passes on all regions that the first function began: those that are handed over
    /// at the end, and that of the iteration, which replaces all others.
    pub(super) fn passes_all_on(&self, plan: &Plan<'_>) -> bool {
        let Plan { emptied, handed_over, .. } = plan;
        let iteration = self.rewritten.iteration.filter(|iteration| emptied.contains(iteration));
        let one_for_all = iteration.is_some() || emptied.is_subset(handed_over);
        let mut all = emptied.intersection(handed_over).copied().chain(iteration);
        one_for_all && all.all(|handle| self.calls.iter().all(|(call, _)| call.regions.contains(&Atom::Local(handle))))
    }
}
