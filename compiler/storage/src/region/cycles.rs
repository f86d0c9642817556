//! Cycles of functions that call one another in tail position, closures among them: which of their regions they empty.
//!
//! In: all functions with their regions. Out: for each cycle that passes on what it makes, a [`Plan`] for each of its
//! functions, which [`super::self_calls`] carries out. A known function begins its own regions, which the iterations
//! use instead of its callers'; a closure takes part only if nothing but the cycle calls it. A function *empties* a
//! region if, whichever function of the cycle was called first, the region is one that this first function began.
//! Invariant: objects made earlier do not point into the emptied regions, except those that can be overwritten and that
//! every iteration passes on. So everything still in use is reachable from what the next iteration receives.

use super::{
    continuations::{Creations, Stack},
    entries::can_take_part,
    loops::{Uses, makes_in_program},
    rewrite::Rewriter,
    rewritten::{Cycle, Member, Rewritten},
    self_calls::{Frees, Plan, Split, implicit_inputs, received_handles},
};
use clef_base::{HashMap, strongly_connected_components};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, LocalId, Program, Statement, callees::Callees};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// The handles of the regions that each function of a cycle empties.
type Emptied = BTreeMap<FunctionId, BTreeSet<LocalId>>;

impl Rewriter<'_, '_> {
    /// Makes the functions of cycles of tail calls that pass on what they make evacuate it; returns those cycles.
    /// `entries` are those of [`super::entries`].
    pub(super) fn split_cycles(
        &mut self,
        ids: &[FunctionId],
        entries: &[FunctionId],
        rewritten: &mut [Rewritten],
    ) -> Vec<Vec<FunctionId>> {
        let program = self.knowledge.program;
        let callees = Callees::of(program);
        let index: HashMap<FunctionId, usize> = ids.iter().enumerate().map(|(index, id)| (*id, index)).collect();
        let mut split = Vec::new();
        let cycles = cycles(program, &callees, ids, entries, rewritten);
        let entered = entered(program, &callees, &cycles);
        let creations = if cycles.is_empty() { Creations::default() } else { Creations::of(ids, rewritten) };
        for ids in cycles {
            let functions = ids.iter().map(|id| (*id, &rewritten[index[id]])).collect();
            let cycle = Cycle::new(program, &callees, functions, &entered);
            let stack = Stack::find(program, &callees, &cycle, &creations).map(Rc::new);
            let in_stack = stack.clone().and_then(|stack| self.plans_with_stack(&cycle, entries, &stack));
            let stack = stack.filter(|_| in_stack.is_some());
            let Some(plans) = in_stack.or_else(|| self.plans(&cycle, entries)) else { continue };
            let done: Vec<Split> = plans.iter().map(|(of, plan)| self.loops(&of.points_to).carry_out(plan)).collect();
            for (id, done) in ids.iter().zip(done) {
                let Rewritten { function, allocations, split, .. } = &mut rewritten[index[id]];
                if let Some(stack) = &stack {
                    stack.apply_to_allocations(*id, function, allocations);
                }
                *split = Some(done);
            }
            split.push(ids);
        }
        split
    }

    /// The plans for the functions of a cycle that use a stack, if the cycle can begin it and nothing else has to be freed.
    fn plans_with_stack<'a>(
        &mut self,
        cycle: &Cycle<'a>,
        entries: &[FunctionId],
        stack: &Rc<Stack>,
    ) -> Option<Vec<(&'a Rewritten, Plan<'a>)>> {
        let kept = cycle.kept();
        let mut others = self.emptied(cycle, &kept);
        let mut plans = Vec::new();
        for (id, member) in &cycle.members {
            let received = stack.received(*id, &member.rewritten.function);
            let mut plan = self.plan((*id, member), received, &kept, entries);
            if !plan.emptied.is_subset(&self.own(*id, member, &kept)) || !plan.emptied.is_disjoint(&plan.handed_over) {
                return None;
            }
            others.entry(*id).or_default().retain(|handle| !plan.emptied.contains(handle));
            plan.handed_over = BTreeSet::new();
            plan.frees = Frees::Popped(*id, stack.clone());
            plans.push((member.rewritten, plan));
        }
        (!self.allocates_in(cycle, &others) || !self.drops_in(cycle, &others)).then_some(plans)
    }

    /// The plan for a function of a cycle that empties these regions.
    fn plan<'a>(
        &mut self,
        (id, member): (FunctionId, &Member<'a>),
        emptied: BTreeSet<LocalId>,
        kept: &BTreeSet<(FunctionId, usize)>,
        entries: &[FunctionId],
    ) -> Plan<'a> {
        let Rewritten { function, points_to, results, .. } = member.rewritten;
        let params = function.params.iter().enumerate().filter(|(index, _)| kept.contains(&(id, *index)));
        let kept: BTreeSet<LocalId> = params.map(|(_, param)| *param).collect();
        let handed_over = &self.loops(points_to).overwritable_regions(function, kept.iter().copied()) | results;
        let frees = if entries.contains(&id) { Frees::Nothing } else { Frees::Evacuated };
        Plan { function, emptied, handed_over, everywhere: false, kept: Some(kept), dropped: Vec::new(), frees }
    }

    /// Whether a cycle allocates in regions other than by what its tail calls lead to.
    fn allocates_in(&self, cycle: &Cycle<'_>, regions: &Emptied) -> bool {
        cycle.members.iter().any(|(id, member)| {
            let Rewritten { function, allocations, .. } = member.rewritten;
            let mut used = BTreeSet::new();
            function.body.each(&mut |block| used.extend(Uses::of_statements(&block.statements, allocations)));
            !used.is_disjoint(&regions[id])
        })
    }

    fn drops_in(&mut self, cycle: &Cycle<'_>, regions: &Emptied) -> bool {
        cycle.members.iter().any(|(id, member)| self.drops(*id, member, &regions[id]))
    }

    /// The plans for the functions of a cycle, if it passes on what it makes.
    fn plans<'a>(&mut self, cycle: &Cycle<'a>, entries: &[FunctionId]) -> Option<Vec<(&'a Rewritten, Plan<'a>)>> {
        let kept = cycle.kept();
        let emptied = self.emptied(cycle, &kept);
        if !cycle.members.iter().any(|(id, member)| self.makes_state(member, &emptied[id])) {
            return None;
        }
        if !self.drops_in(cycle, &emptied) {
            return None;
        }
        let mut plans = Vec::new();
        for (id, member) in &cycle.members {
            plans.push((member, self.plan((*id, member), emptied[id].clone(), &kept, entries)));
        }
        let others: Vec<BTreeSet<LocalId>> =
            cycle.members.iter().map(|(id, member)| self.not_emptied(member, &emptied[id])).collect();
        for (member, others) in cycle.members.values().zip(&others) {
            let Rewritten { function, points_to, allocations, .. } = member.rewritten;
            if self.loops(points_to).reuses_in(function, &[&function.body], allocations, others) {
                return None;
            }
        }
        let in_program = |member: &Member<'_>| {
            let Rewritten { function, allocations, .. } = member.rewritten;
            makes_in_program(&[&function.body], allocations)
        };
        let makes_elsewhere = others.iter().any(|others| !others.is_empty()) || cycle.members.values().any(in_program);
        let passes_all_on = plans.iter().all(|(member, plan)| member.passes_all_on(plan));
        let everywhere = !passes_all_on || makes_elsewhere || self.receives_allocators(cycle);
        plans.iter_mut().for_each(|(_, plan)| plan.everywhere = everywhere);
        Some(plans.into_iter().map(|(member, plan)| (member.rewritten, plan)).collect())
    }

    /// The regions that each function can empty.
    fn emptied(&mut self, cycle: &Cycle<'_>, kept: &BTreeSet<(FunctionId, usize)>) -> Emptied {
        let mut emptied: Emptied =
            cycle.members.iter().map(|(id, member)| (*id, self.own(*id, member, kept))).collect();
        loop {
            let mut changed = false;
            for (id, member) in &cycle.members {
                for (call, callees) in &member.calls {
                    for callee in callees {
                        let own = emptied[id].clone();
                        let given = cycle.members[callee].rewritten.function.regions.iter().zip(&call.regions);
                        let others = given.filter(|(_, from)| from.local().is_none_or(|from| !own.contains(&from)));
                        let theirs = emptied.entry(*callee).or_default();
                        others.for_each(|(region, _)| changed |= theirs.remove(region));
                    }
                }
            }
            if !changed {
                return emptied;
            }
        }
    }

    /// The regions that a function can empty when it is the first of the cycle to be called.
    fn own(&mut self, id: FunctionId, member: &Member<'_>, kept: &BTreeSet<(FunctionId, usize)>) -> BTreeSet<LocalId> {
        let Rewritten { function, points_to, .. } = member.rewritten;
        let writes = self.writers.functions.contains(&id);
        let loops = self.loops(points_to);
        let mut others = loops.native(function);
        let passed_on = member.calls.iter().flat_map(|(call, _)| passed_on(call)).filter_map(Atom::local);
        others.extend(loops.native_regions(function, passed_on));
        if function.convention == Convention::Known && member.is_entered && writes {
            let lost = function.params.iter().enumerate().filter(|(index, _)| !kept.contains(&(id, *index)));
            others.extend(loops.overwritable_regions(function, lost.map(|(_, param)| *param)));
        }
        function.regions.iter().copied().filter(|region| !others.contains(region)).collect()
    }

    /// Whether a function passes on what it made in the regions that are emptied.
    fn makes_state(&mut self, member: &Member<'_>, emptied: &BTreeSet<LocalId>) -> bool {
        let loops = self.loops(&member.rewritten.points_to);
        let mut passed_on = member.calls.iter().flat_map(|(call, _)| passed_on(call)).filter_map(Atom::local);
        passed_on.any(|local| loops.holds(local, emptied))
    }

    /// Whether a function may drop something that it made in the regions that are emptied, or that it received in them. If no
    /// function of a cycle does, there is nothing to free, and regions of the cycle's own would only make each call copy the
    /// state of its callers.
    fn drops(&mut self, id: FunctionId, member: &Member<'_>, emptied: &BTreeSet<LocalId>) -> bool {
        let frugality = self.frugality;
        let Rewritten { function, points_to, .. } = member.rewritten;
        let loops = self.loops(points_to);
        let mut params = function.params.iter().enumerate();
        !frugality.is_frugal(id)
            || params.any(|(index, param)| !frugality.keeps(id, index) && loops.holds(*param, emptied))
    }

    /// The regions that a function of a cycle allocates in and that are not emptied: something in them may point into the
    /// emptied ones.
    fn not_emptied(&self, member: &Member<'_>, emptied: &BTreeSet<LocalId>) -> BTreeSet<LocalId> {
        let Rewritten { function, allocations, .. } = member.rewritten;
        let allocated = Uses::of(&[&function.body], allocations).allocated;
        let given = received_handles(function, self.handle).into_iter();
        given.filter(|handle| allocated.contains(handle) && !emptied.contains(handle)).collect()
    }

    /// Whether closures that the cycle receives may allocate in regions that are not emptied.
    fn receives_allocators(&mut self, cycle: &Cycle<'_>) -> bool {
        cycle.members.values().any(|member| {
            let Rewritten { function, points_to, .. } = member.rewritten;
            let loops = self.loops(points_to);
            let mut before = implicit_inputs(function).into_iter().chain(function.params.iter().copied());
            before.any(|local| loops.leads_to_allocator(function.locals[local].ty))
        })
    }
}

impl<'a> Cycle<'a> {
    fn new(
        program: &Program,
        callees: &Callees,
        functions: BTreeMap<FunctionId, &'a Rewritten>,
        entered: &BTreeSet<FunctionId>,
    ) -> Cycle<'a> {
        let mut members = BTreeMap::new();
        for (id, rewritten) in &functions {
            let mut calls = Vec::new();
            rewritten.function.body.each_end(&mut |end| {
                if let End::TailCall { call, required: true, .. } = end {
                    let mut reached = callees.of_call(program, *id, call);
                    reached.retain(|callee| functions.contains_key(callee));
                    calls.push((call, reached));
                }
            });
            members.insert(*id, Member { rewritten, calls, is_entered: entered.contains(id) });
        }
        Cycle { members }
    }

    /// The parameters, by function and index, that every call within the cycle passes on to such parameters.
    fn kept(&self) -> BTreeSet<(FunctionId, usize)> {
        let mut kept = BTreeSet::new();
        for (id, member) in &self.members {
            kept.extend((0..member.rewritten.function.params.len()).map(|index| (*id, index)));
        }
        loop {
            let stays = |(id, index): &(FunctionId, usize)| {
                let member = &self.members[id];
                let param = Atom::Local(member.rewritten.function.params[*index]);
                let to = |callee: FunctionId, arguments: &[Atom]| {
                    arguments
                        .iter()
                        .enumerate()
                        .any(|(at, argument)| *argument == param && kept.contains(&(callee, at)))
                };
                let mut stays = true;
                member.rewritten.function.body.each_end(&mut |end| {
                    if let End::Continue(next) = end {
                        stays &= to(*id, next);
                    }
                });
                let mut calls = member.calls.iter();
                stays && calls.all(|(call, callees)| callees.iter().all(|callee| to(*callee, &call.arguments)))
            };
            let remaining: BTreeSet<(FunctionId, usize)> = kept.iter().copied().filter(stays).collect();
            if remaining.len() == kept.len() {
                return kept;
            }
            kept = remaining;
        }
    }
}

/// The cycles of tail calls that can evacuate their regions, with their entries. Only the cycle itself calls its
/// closures.
fn cycles(
    program: &Program,
    callees: &Callees,
    ids: &[FunctionId],
    entries: &[FunctionId],
    rewritten: &[Rewritten],
) -> Vec<Vec<FunctionId>> {
    let index: HashMap<FunctionId, usize> = ids.iter().enumerate().map(|(index, id)| (*id, index)).collect();
    let mut edges = vec![Vec::new(); ids.len()];
    for (from, (id, rewritten)) in ids.iter().zip(rewritten).enumerate() {
        rewritten.function.body.each_end(&mut |end| {
            if let End::TailCall { call, required: true, .. } = end {
                edges[from].extend(callees.of_call(program, *id, call).iter().map(|callee| index[callee]));
            }
        });
    }
    let mut components = strongly_connected_components(&edges);
    let is_cyclic: BTreeSet<usize> =
        (0..ids.len()).filter(|from| edges[*from].iter().any(|to| components[*to] == components[*from])).collect();
    for entry in entries {
        // Nothing in the cycle calls the entry, but it is a member all the same.
        let mut entered = edges[index[entry]].iter().filter(|to| is_cyclic.contains(to));
        if let Some(to) = entered.next() {
            components[index[entry]] = components[*to];
        }
    }
    let mut unsuitable = BTreeSet::new();
    for (from, (id, rewritten)) in ids.iter().zip(rewritten).enumerate() {
        if !can_take_part(&rewritten.function) {
            unsuitable.insert(components[from]);
        }
        let mut enter = |call: &Call, required: bool| {
            if call.callee.closure().is_some() {
                let entered = callees.of_call(program, *id, call).into_iter().map(|callee| components[index[&callee]]);
                unsuitable.extend(entered.filter(|component| !required || *component != components[from]));
            }
        };
        rewritten.function.body.each(&mut |block| {
            block.statements.iter().filter_map(Statement::call).for_each(|call| enter(call, false));
            if let End::TailCall { call, required, .. } = &block.end {
                enter(call, *required);
            }
        });
    }
    let mut cycles: BTreeMap<usize, Vec<FunctionId>> = BTreeMap::new();
    for (from, component) in components.iter().enumerate() {
        let in_cycle = edges[from].iter().any(|to| components[*to] == *component);
        if in_cycle && !unsuitable.contains(component) {
            cycles.entry(*component).or_default().push(ids[from]);
        }
    }
    cycles.into_values().collect()
}

/// The functions that are called other than by tail calls of their cycle.
fn entered(program: &Program, callees: &Callees, cycles: &[Vec<FunctionId>]) -> BTreeSet<FunctionId> {
    let cycle_of: HashMap<FunctionId, usize> =
        (0..).zip(cycles).flat_map(|(cycle, ids)| ids.iter().map(move |id| (*id, cycle))).collect();
    let mut entered = BTreeSet::from([program.start]);
    for (id, function) in program.functions.iter() {
        let own = cycle_of.get(&id);
        let mut enter = |call: &Call, required: bool| {
            let reached = callees.of_call(program, id, call).into_iter();
            entered.extend(reached.filter(|callee| own.is_none() || !required || cycle_of.get(callee) != own));
        };
        function.body.each(&mut |block| {
            block.statements.iter().filter_map(Statement::call).for_each(|call| enter(call, false));
            if let End::TailCall { call, required, .. } = &block.end {
                enter(call, *required);
            }
        });
    }
    entered
}

/// What a call passes on.
fn passed_on(call: &Call) -> impl Iterator<Item = &Atom> {
    call.arguments.iter().chain(call.callee.closure())
}

/// Makes the iterations of a cycle call each other.
pub(super) fn join(program: &mut Program, cycle: &[FunctionId], iterations: &HashMap<FunctionId, FunctionId>) {
    for id in cycle {
        program.functions[iterations[id]].body.each_mut(&mut |block| {
            if let End::TailCall { call, required: true, .. } = &mut block.end
                && let Callee::Known(callee) = &mut call.callee
                && cycle.contains(callee)
            {
                *callee = iterations[callee];
            }
        });
    }
}
