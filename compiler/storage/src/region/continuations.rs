//! Regions that are stacks: the closures in them are linear continuations, which free themselves when they are called.
//!
//! In: a cycle of tail calls that would evacuate its regions ([`super::cycles`]). Out: the [`Stack`] among these regions, if
//! there is one: its handles in each function of the cycle, which all denote one region that begins where the cycle does, and
//! its *continuations*, the lambdas whose closures it holds. The code of a continuation frees its closure by an [`Rhs::PopClosure`], and nothing is evacuated.
//!
//! A local is a *holder* if it may hold such a closure. Every closure of a continuation is made by a function of the cycle,
//! in the stack, and nothing else is allocated there before the cycle is left. In each function of the cycle:
//!
//! - At most one parameter or capture is a holder. At each point of a path at most one holder can be used, the *current*
//!   one: the parameter or capture at first.
//! - Only these use a holder, and it is the current one: a copy, a jump to a join, the end of a scope, and making a
//!   continuation that captures it, each of which makes its result the current holder; and a required tail call that stays in the cycle and calls it, or
//!   passes it to a function of the cycle. A tail call of another closure reaches no continuation.
//! - While there is a current holder, every continuation that is made captures it, and every tail call that stays in the cycle
//!   calls it or passes it on. It may be dropped only where the path leaves the cycle or returns.
//! - Handles of the stack are only passed on by tail calls and captured by continuations. Nothing that outlives the cycle is handed over from the stack.
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
//! The closures of the stack are also no more than the chain: whatever is made captures the current holder, and whatever
//! is called frees itself. So the stack takes as much as the continuations in use, without evacuation.
//!
//! What is called in the cycle but is not in the stack, such as the first continuation, frees nothing. Everything that is not proved
//! keeps its evacuation: a continuation that is called twice, stored, returned or dropped for another one, and two
//! continuations that are in use at a time.

use super::{
    cycles::Cycle,
    loops::{let_, substitute},
    rewrite::Rewritten,
};
use clef_base::Symbol;
use clef_core::{
    AllocationId, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Join, JoinId, Local, LocalId,
    MakeClosure, Program, Region, Rhs, Statement, StatementKind, callees::Callees,
};
use clef_types::Type;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The handles of the stack in each function of a cycle: those that it receives and those that it captures.
type Handles = BTreeMap<FunctionId, BTreeSet<LocalId>>;

/// A region that is a stack.
pub(super) struct Stack {
    handles: Handles,
    /// The lambdas whose closures it holds.
    continuations: BTreeSet<FunctionId>,
    /// For each continuation, which of its captures are handles that its code does not need, since it receives one.
    dropped: BTreeMap<FunctionId, Vec<bool>>,
}

/// Where the closures of each lambda are made, in a whole program.
#[derive(Default)]
pub(super) struct Creations {
    /// For each lambda the functions that make closures of it, with the handle of the region; `None` for other storage.
    made: HashMap<FunctionId, Vec<(FunctionId, Option<LocalId>)>>,
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
        let mut stack = Stack { handles, continuations, dropped: BTreeMap::new() };
        for lambda in &stack.continuations {
            let function = &cycle.members[lambda].rewritten.function;
            let used = stack.handle(*lambda, function)?;
            let is_dropped = |capture: &LocalId| *capture != used && stack.handles[lambda].contains(capture);
            stack.dropped.insert(*lambda, function.captures().iter().map(is_dropped).collect());
        }
        let mut search = Search { program, callees, cycle, stack, holders: HashMap::new() };
        search.find_holders();
        let is_stack = cycle.members.keys().all(|id| search.keeps_handles(*id) && search.is_linear(*id));
        is_stack.then_some(search.stack)
    }

    /// The handles that a function receives for the stack.
    pub(super) fn received(&self, id: FunctionId, function: &Function) -> BTreeSet<LocalId> {
        function.regions.iter().copied().filter(|region| self.handles[&id].contains(region)).collect()
    }

    /// The one handle that a function uses, if it has any.
    fn handle(&self, id: FunctionId, function: &Function) -> Option<LocalId> {
        let handles = &self.handles[&id];
        function.regions.iter().chain(function.captures()).copied().find(|handle| handles.contains(handle))
    }

    /// What replaces each handle of a function.
    fn replaced(&self, id: FunctionId, function: &Function) -> BTreeMap<LocalId, LocalId> {
        let used = self.handle(id, function);
        self.handles[&id].iter().filter_map(|handle| Some((*handle, used?))).collect()
    }

    /// Makes a function use one handle of the stack, and lets the closure whose code it is free itself: where it makes the first
    /// continuation, which then takes its place, and otherwise before the next function of the cycle is called.
    pub(super) fn apply(&self, id: FunctionId, function: &mut Function, unit: Type) {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        substitute(&mut body, &mut HashMap::new(), &self.replaced(id, function));
        body.each_mut(&mut |block| {
            for closure in block.statements.iter_mut().flat_map(Statement::closures_mut) {
                if let Some(dropped) = self.dropped.get(&closure.function) {
                    let mut dropped = dropped.iter();
                    closure.captures.retain(|_| !dropped.next().is_some_and(|dropped| *dropped));
                }
            }
        });
        if let (true, Some(handle)) = (self.continuations.contains(&id), self.handle(id, function)) {
            self.pop_in(function, &mut body, (handle, unit));
        }
        function.body = body;
        if let (Convention::Closure { captures, .. }, Some(dropped)) = (&mut function.convention, self.dropped.get(&id))
        {
            let mut dropped = dropped.iter();
            captures.retain(|_| !dropped.next().is_some_and(|dropped| *dropped));
        }
    }

    /// Makes the allocations of a function use its one handle.
    pub(super) fn apply_to_allocations(
        &self,
        id: FunctionId,
        function: &Function,
        allocations: &mut HashMap<AllocationId, Region>,
    ) {
        let replaced = self.replaced(id, function);
        for region in allocations.values_mut() {
            if let Region::Local(handle) = region
                && let Some(used) = replaced.get(handle)
            {
                *handle = *used;
            }
        }
    }

    fn pop_in(&self, function: &mut Function, block: &mut Block, (handle, unit): (LocalId, Type)) {
        let span = function.span;
        let mut pop = |block: &mut Block, at: usize| {
            let popped = function.locals.alloc(Local { name: Symbol::new("popped$"), ty: unit, span });
            block.statements.insert(at, let_(popped, Rhs::PopClosure(Atom::Local(handle)), span));
        };
        let end = block.statements.len();
        if let Some(first) = block.statements.iter().position(|statement| self.leads_to_one(statement)) {
            return pop(block, first);
        }
        match &mut block.end {
            End::TailCall { required: true, .. } => pop(block, end),
            End::Join { scope, .. } if self.goes_on(scope) => pop(block, end),
            End::Join { join, .. } => self.pop_in(function, &mut join.body, (handle, unit)),
            End::If { .. } | End::Switch { .. } => {
                block.end.blocks_mut().into_iter().for_each(|block| self.pop_in(function, block, (handle, unit)));
            }
            End::Yield(_) | End::TailCall { .. } | End::Continue(_) | End::Jump(..) | End::Trap(..) => {}
        }
    }

    /// Whether a block makes a continuation or may end with a call that stays in the cycle.
    fn goes_on(&self, block: &Block) -> bool {
        block.statements.iter().any(|statement| self.leads_to_one(statement))
            || matches!(block.end, End::TailCall { required: true, .. })
            || block.end.blocks().into_iter().any(|block| self.goes_on(block))
    }

    /// Whether a statement within a block makes a continuation.
    fn makes_within(&self, block: &Block) -> bool {
        let mut found = false;
        block.each_statement(&mut |statement| found |= self.makes(statement));
        found
    }

    /// Whether a statement, or one in its nested blocks, makes a continuation.
    fn leads_to_one(&self, statement: &Statement) -> bool {
        let blocks = statement.rhs().map(Rhs::blocks).unwrap_or_default();
        self.makes(statement) || blocks.into_iter().any(|block| self.makes_within(block))
    }

    /// Whether a statement makes a continuation.
    fn makes(&self, statement: &Statement) -> bool {
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
    let mut passed: Vec<((FunctionId, &Atom), (FunctionId, LocalId))> = Vec::new();
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

struct Search<'a> {
    program: &'a Program,
    callees: &'a Callees,
    cycle: &'a Cycle<'a>,
    stack: Stack,
    /// The holders of each function.
    holders: HashMap<FunctionId, BTreeSet<LocalId>>,
}

impl Search<'_> {
    /// Finds all holders: the least solution of where closures of the stack may go by the uses that are allowed.
    fn find_holders(&mut self) {
        let cycle = self.cycle;
        loop {
            let before: usize = self.holders.values().map(BTreeSet::len).sum();
            for (id, member) in &cycle.members {
                let function = &member.rewritten.function;
                let mut joins: HashMap<JoinId, &Join> = HashMap::new();
                function.body.each(&mut |block| {
                    block.statements.iter().for_each(|statement| self.flow_through(*id, statement));
                    if let End::Join { join, .. } = &block.end {
                        joins.insert(join.id, join);
                    }
                    let holders = self.holders.entry(*id).or_default();
                    match &block.end {
                        End::Continue(arguments) => flow(holders, arguments, &function.params),
                        End::Jump(to, arguments) => flow(holders, arguments, &joins[to].params),
                        End::Yield(_)
                        | End::TailCall { .. }
                        | End::If { .. }
                        | End::Switch { .. }
                        | End::Join { .. }
                        | End::Trap(..) => {}
                    }
                });
                for (call, callees) in &member.calls {
                    for callee in callees {
                        let params = &cycle.members[callee].rewritten.function.params;
                        self.flow_between(*id, &call.arguments, *callee, params);
                    }
                }
            }
            if self.holders.values().map(BTreeSet::len).sum::<usize>() == before {
                return;
            }
        }
    }

    fn flow_through(&mut self, id: FunctionId, statement: &Statement) {
        let holders = self.holders.entry(id).or_default();
        match &statement.kind {
            StatementKind::Let(to, Rhs::Atom(from)) => flow(holders, std::slice::from_ref(from), &[*to]),
            StatementKind::Let(to, Rhs::Closure(closure)) if self.stack.continuations.contains(&closure.function) => {
                holders.insert(*to);
                let lambda = &self.cycle.members[&closure.function].rewritten.function;
                self.flow_between(id, &closure.captures, closure.function, lambda.captures());
            }
            StatementKind::Let(to, Rhs::Scope(block)) => {
                yields(block, &mut |value| flow(holders, std::slice::from_ref(value), &[*to]));
            }
            StatementKind::Let(..) | StatementKind::Group(_) => {}
        }
    }

    fn flow_between(&mut self, from: FunctionId, atoms: &[Atom], to: FunctionId, locals: &[LocalId]) {
        let held: Vec<LocalId> =
            atoms.iter().zip(locals).filter(|(atom, _)| self.holds(from, atom)).map(|(_, local)| *local).collect();
        self.holders.entry(to).or_default().extend(held);
    }

    fn holds(&self, id: FunctionId, atom: &Atom) -> bool {
        let holders = self.holders.get(&id);
        atom.local().is_some_and(|local| holders.is_some_and(|holders| holders.contains(&local)))
    }

    /// Whether a function only makes continuations in the stack, and only passes its handles on by tail calls.
    fn keeps_handles(&self, id: FunctionId) -> bool {
        let Rewritten { function, allocations, results, .. } = self.cycle.members[&id].rewritten;
        let handles = &self.stack.handles[&id];
        let is_handle = |atom: &Atom| atom.local().is_some_and(|local| handles.contains(&local));
        let mut kept = results.is_disjoint(handles);
        function.body.each(&mut |block| {
            for statement in &block.statements {
                if !self.stack.makes(statement) {
                    statement.atoms(&mut |atom| kept &= !is_handle(atom));
                }
                let in_stack = statement.allocations().into_iter().any(
                    |made| matches!(allocations.get(&made), Some(Region::Local(handle)) if handles.contains(handle)),
                );
                kept &= !in_stack || self.stack.makes(statement);
            }
            match &block.end {
                End::TailCall { call: Call { arguments, callee, .. }, .. } => {
                    kept &= !arguments.iter().chain(callee.closure()).any(is_handle);
                }
                other => other.atoms(&mut |atom| kept &= !is_handle(atom)),
            }
        });
        kept
    }

    /// Whether a function uses its holders as continuations.
    fn is_linear(&self, id: FunctionId) -> bool {
        let function = &self.cycle.members[&id].rewritten.function;
        let is_continuation = self.stack.continuations.contains(&id);
        let holds = |local: &&LocalId| self.holds(id, &Atom::Local(**local));
        let given: Vec<&LocalId> = function.params.iter().filter(holds).collect();
        let captured: Vec<&LocalId> = function.captures().iter().filter(holds).collect();
        if is_continuation && (!given.is_empty() || !function.owned().is_empty()) {
            return false;
        }
        if given.len() + captured.len() > 1 {
            return false;
        }
        let mut uses_itself = false;
        function
            .body
            .each_atom(&mut |atom| uses_itself |= atom.local().is_some_and(|it| Some(it) == function.itself()));
        if is_continuation && uses_itself {
            return false;
        }
        let current = given.into_iter().chain(captured).next().copied();
        Path { search: self, id, joins: HashMap::new(), scope: None }.block(&function.body, current)
    }
}

/// Visits the operands that a block yields, not those of scopes within it.
fn yields<'block>(block: &'block Block, visit: &mut dyn FnMut(&'block Atom)) {
    if let End::Yield(value) = &block.end {
        visit(value);
    }
    block.end.blocks().into_iter().for_each(|block| yields(block, visit));
}

/// Copies go from atoms to locals within a function.
fn flow(holders: &mut BTreeSet<LocalId>, atoms: &[Atom], locals: &[LocalId]) {
    for (atom, local) in atoms.iter().zip(locals) {
        if atom.local().is_some_and(|local| holders.contains(&local)) {
            holders.insert(*local);
        }
    }
}

/// The holder that can be used.
type Current = Option<LocalId>;

/// The walk along the paths of a function.
struct Path<'s> {
    search: &'s Search<'s>,
    id: FunctionId,
    /// The joins in scope, and the current holder at each that was reached.
    joins: HashMap<JoinId, (&'s Join, Option<Current>)>,
    /// The local that the innermost scope binds, and the current holder after it, if its end was reached.
    scope: Option<(LocalId, Option<Current>)>,
}

impl<'s> Path<'s> {
    /// Whether a block uses holders as continuations.
    fn block(&mut self, block: &'s Block, mut current: Current) -> bool {
        if !block.statements.iter().all(|statement| self.statement(statement, &mut current)) {
            return false;
        }
        match &block.end {
            End::Yield(value) => self.end(value, current),
            End::Trap(..) => true,
            End::If { condition: chosen, .. } | End::Switch { scrutinee: chosen, .. } => {
                !self.holds(chosen) && block.end.blocks().into_iter().all(|block| self.block(block, current))
            }
            End::Continue(arguments) => {
                let is_known = self.function().convention == Convention::Known;
                is_known && self.passes(arguments.iter(), current)
            }
            End::TailCall { call, required, .. } => self.tail_call(call, *required, current),
            End::Jump(to, arguments) => self.jump(*to, arguments, current),
            End::Join { join, scope } => {
                self.joins.insert(join.id, (join, None));
                if !self.block(scope, current) {
                    return false;
                }
                let reached = self.joins.remove(&join.id).and_then(|(_, reached)| reached);
                reached.is_none_or(|current| self.block(&join.body, current))
            }
        }
    }

    /// Whether a value that may be a holder can be that of the innermost scope.
    fn end(&mut self, value: &Atom, current: Current) -> bool {
        let is_held = self.holds(value);
        let Some((local, reached)) = &mut self.scope else { return !is_held };
        let after = if is_held { Some(*local) } else { current };
        (!is_held || value.local() == current) && *reached.get_or_insert(after) == after
    }

    fn statement(&mut self, statement: &'s Statement, current: &mut Current) -> bool {
        match &statement.kind {
            StatementKind::Let(to, Rhs::Atom(from)) if self.holds(from) => {
                let is_current = from.local() == *current;
                *current = Some(*to);
                is_current
            }
            StatementKind::Let(to, Rhs::Closure(closure)) if self.search.stack.makes(statement) => {
                let captures_it = self.passes(closure.captures.iter(), *current);
                *current = Some(*to);
                captures_it
            }
            StatementKind::Let(to, Rhs::Scope(block)) => {
                let outer = self.scope.replace((*to, None));
                let is_linear = self.block(block, *current);
                let inner = std::mem::replace(&mut self.scope, outer);
                *current = inner.and_then(|(_, reached)| reached).unwrap_or(*current);
                is_linear
            }
            StatementKind::Let(_, rhs) => {
                let mut unused = true;
                rhs.atoms(&mut |atom| unused &= !self.holds(atom));
                for block in rhs.blocks() {
                    block.each_atom(&mut |atom| unused &= !self.holds(atom));
                    unused &= !self.search.stack.makes_within(block);
                }
                unused
            }
            StatementKind::Group(_) => {
                let mut unused = !self.search.stack.makes(statement);
                statement.atoms(&mut |atom| unused &= !self.holds(atom));
                unused
            }
        }
    }

    fn tail_call(&self, call: &Call, required: bool, current: Current) -> bool {
        let Search { program, callees, cycle, stack, .. } = self.search;
        let reached = callees.of_call(program, self.id, call);
        let is_member = |callee: &FunctionId| cycle.members.contains_key(callee);
        let passed = || call.arguments.iter().chain(call.callee.closure());
        if !required || !reached.iter().any(is_member) {
            return !passed().any(|atom| self.holds(atom));
        }
        let reaches_known = match &call.callee {
            Callee::Known(_) => true,
            Callee::Direct(_, closure) | Callee::Closure(closure) if self.holds(closure) => true,
            // Another closure: the current holder is an argument, for functions of the cycle only.
            Callee::Direct(..) | Callee::Closure(_) => {
                !reached.iter().any(|callee| stack.continuations.contains(callee))
                    && (reached.iter().all(is_member) || !call.arguments.iter().any(|atom| self.holds(atom)))
            }
        };
        reaches_known && self.passes(passed(), current)
    }

    fn jump(&mut self, to: JoinId, arguments: &[Atom], current: Current) -> bool {
        let held: Vec<usize> = (0..arguments.len()).filter(|at| self.holds(&arguments[*at])).collect();
        let Some((join, reached)) = self.joins.get_mut(&to) else { return false };
        let after = match held[..] {
            [] => current,
            [at] if arguments[at].local() == current => Some(join.params[at]),
            _ => return false,
        };
        *reached.get_or_insert(after) == after
    }

    /// Whether the current holder is exactly one of some operands, and no other holder is.
    fn passes<'x>(&self, atoms: impl Iterator<Item = &'x Atom>, current: Current) -> bool {
        let mut held = atoms.filter(|atom| self.holds(atom)).map(Atom::local);
        held.next().flatten() == current && held.next().is_none()
    }

    fn holds(&self, atom: &Atom) -> bool {
        self.search.holds(self.id, atom)
    }

    fn function(&self) -> &'s Function {
        &self.search.cycle.members[&self.id].rewritten.function
    }
}
