//! Closures with private state, such as a random number generator or a task of a scheduler, created by code that runs once.
//!
//! Such a closure overwrites what it captured with objects that it makes in a region whose handle it captured too. Wherever
//! it is called, that region grows, and a loop that calls it cannot empty the region, which is not the loop's own. So code
//! that runs once creates such closures in the program's region, which the program's main loops evacuate
//! ([`super::module_state`]).
//!
//! In: the classes of a function that runs once. Out: the same, where the regions reachable from such closures are the
//! program's. The regions are the function's own, so that no caller sees a difference.

use super::{
    classes::{Class, Classes},
    constrain::Solved,
    module_state::{self, ProgramHolders},
    shape::Slot,
};
use clef_base::HashSet;
use clef_core::{ConstantTypes, Evacuation, Function, FunctionId, Program};
use std::collections::BTreeSet;

/// The closures of a program that keep state.
pub(super) struct PrivateState {
    /// The functions that run once.
    once: HashSet<FunctionId>,
    /// For each type, by its number, whether such a closure is reachable from its values; empty if there is none.
    types: Vec<bool>,
}

impl PrivateState {
    /// Finds them. `allocators` are the functions whose closures capture handles.
    pub(super) fn new(
        program: &Program,
        constants: &ConstantTypes,
        evacuation: &Evacuation<'_>,
        allocators: &HashSet<FunctionId>,
    ) -> PrivateState {
        let overwriting = module_state::overwriting(program, *constants, evacuation, &ProgramHolders::default());
        let lambdas: HashSet<FunctionId> = allocators.intersection(&overwriting.functions).copied().collect();
        if lambdas.is_empty() {
            return PrivateState { once: HashSet::default(), types: Vec::new() };
        }
        let types = evacuation.leading_to(|ty| evacuation.lambdas(ty).iter().any(|lambda| lambdas.contains(lambda)));
        PrivateState { once: clef_core::functions_that_run_once(program), types }
    }

    /// Unifies the regions of a function that are reachable from such closures with the program's: all that such a value is in,
    /// or none, since what an object of the program's region refers to must be there too.
    pub(super) fn promote(&self, (id, function): (FunctionId, &Function), solved: &mut Solved) {
        if !self.once.contains(&id) {
            return;
        }
        let memberships = solved.classes.memberships();
        let (mut promoted, mut values) = (BTreeSet::new(), Vec::new());
        for (local, classes) in &solved.locals {
            let regions = solved.classes.regions(classes, &memberships);
            if self.types.get(function.locals[*local].ty.number() as usize).copied().unwrap_or_default() {
                promoted.extend(&regions);
            }
            values.push(regions);
        }
        let mut others: BTreeSet<Class> = solved.positions.iter().map(|class| solved.classes.find(*class)).collect();
        others.retain(|class| promoted.contains(class) && !solved.classes.is_program(*class));
        loop {
            let mixed = values.iter().filter(|regions| !regions.is_disjoint(&others));
            let found: BTreeSet<Class> =
                mixed.flatten().copied().filter(|class| promoted.contains(class) && !others.contains(class)).collect();
            if found.is_empty() {
                break;
            }
            others.extend(found);
        }
        for class in promoted.difference(&others) {
            solved.classes.unify(*class, Classes::program(Slot::Region));
        }
    }
}
