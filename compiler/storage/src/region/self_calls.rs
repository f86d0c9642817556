//! Evacuates regions at the end of each iteration of functions that call themselves, or one another, in tail position.
//!
//! In: functions with their regions. Out: if the iterations allocate in regions of callers that hold their state, each
//! function becomes two: one for the iterations, which evacuates those regions before the next iteration; and the
//! function itself, which begins regions, passes them to the iterations instead of its callers' regions, and hands over
//! to the callers' regions what the result leads to and what was overwritten. Emptied regions of which nothing is handed
//! over share one region. State of a single function that only grows is left as it is: nothing of it could be freed. The
//! invariant is that of [`super::loops`]. [`super::cycles`] decides which regions mutually recursive functions can empty.

use super::{
    continuations::Stack,
    kept::{After, Analysis, Interest, taken_slots},
    loops::{Loops, Uses, let_, makes_in_program, new_handle, uses_handle},
};
use clef_base::{HashMap, Symbol};
use clef_core::{
    AllocationId, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Inlining, Local, LocalId, Move,
    Program, Region, Rhs, Statement, StatementKind,
};
use clef_types::{Type, TypeKind};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// How a function is transformed.
pub(super) struct Plan<'a> {
    pub(super) function: &'a Function,
    /// The handles of the regions that are emptied.
    pub(super) emptied: BTreeSet<LocalId>,
    /// Those of them that may still hold something when the iterations have ended.
    pub(super) handed_over: BTreeSet<LocalId>,
    /// Whether evacuation must also follow objects outside of these regions.
    pub(super) everywhere: bool,
    /// For a member of a cycle, the parameters that every call within the cycle passes on. Its inputs may then lie in
    /// the regions even though their points-to sets do not say so.
    pub(super) kept: Option<BTreeSet<LocalId>>,
    /// For a function outside of cycles, the parameters that later iterations do not receive and that can be
    /// overwritten. The iterations take them as well, since callers may use them.
    pub(super) dropped: Vec<LocalId>,
    /// How its iterations free what they drop.
    pub(super) frees: Frees,
}

/// How iterations free what they drop.
pub(super) enum Frees {
    /// They evacuate the regions.
    Evacuated,
    /// The regions are one stack, and this function frees its closure if it is a continuation.
    Popped(FunctionId, Rc<Stack>),
    /// They free nothing: the function only enters a cycle, so that the regions hold nothing yet when it makes its tail call.
    Nothing,
}

/// How a function is replaced.
pub(super) struct Split {
    /// The function that runs the iterations.
    iterations: Function,
    /// The original function, which calls the iterations; `None` if no call needs it, and the iterations replace it.
    begin: Option<Function>,
    /// The regions that the original function then begins.
    pub(super) begun: BTreeSet<LocalId>,
    /// The parameters that receive [`Plan::dropped`], with what they receive.
    pub(super) dropped: Vec<(LocalId, LocalId)>,
}

/// Adds the function of the iterations to a program and returns its ID.
pub(super) fn install(program: &mut Program, id: FunctionId, split: Split) -> FunctionId {
    let Split { iterations, begin, .. } = split;
    let Some(mut begin) = begin else {
        program.functions[id] = iterations;
        return id;
    };
    let mut allocations = Vec::new();
    iterations.body.each_statement(&mut |statement| allocations.extend(statement.allocations()));
    let iterations = program.functions.alloc(iterations);
    allocations.into_iter().for_each(|allocation| program.allocations[allocation].function = iterations);
    begin.body.each_call_mut(&mut |call| call.callee = Callee::Known(iterations));
    program.functions[id] = begin;
    iterations
}

impl Loops<'_> {
    /// Splits a function if that frees memory. `results` are the handles of the regions that its result may point into.
    pub(super) fn split(
        &mut self,
        function: &mut Function,
        allocations: &mut HashMap<AllocationId, Region>,
        results: &BTreeSet<LocalId>,
    ) -> Option<Split> {
        let state = self.state(function, allocations)?;
        // Whatever the iterations allocate may become reachable from the result.
        let uses = Uses::of(&[&function.body], allocations);
        let given = received_handles(function, self.handle);
        let native = self.native(function);
        let is_emptied = |handle: &LocalId| uses.allocated.contains(handle) && !native.contains(handle);
        let emptied: BTreeSet<LocalId> = given.iter().copied().filter(is_emptied).collect();
        debug_assert!(state.is_subset(&emptied), "a region of the state has no allocation");
        let before = || implicit_inputs(function).into_iter().chain(function.params.iter().copied());
        let handed_over = &self.overwritable_regions(function, before()) | results;
        let is_other = |handle: &LocalId| uses.allocated.contains(handle) && native.contains(handle);
        let others: BTreeSet<LocalId> = given.iter().copied().filter(is_other).collect();
        if self.reuses_in(function, &[&function.body], allocations, &others) {
            return None;
        }
        let made_elsewhere = !others.is_empty() || makes_in_program(&[&function.body], allocations);
        let by_closures =
            |local: LocalId| self.holds(local, &emptied) && self.leads_to_allocator(function.locals[local].ty);
        let everywhere = made_elsewhere || before().any(by_closures);
        let dropped = self.dropped(function, &emptied);
        let frees = Frees::Evacuated;
        Some(self.carry_out(&Plan { function, emptied, handed_over, everywhere, kept: None, dropped, frees }))
    }

    /// The parameters that may point into regions and that not every iteration passes on unchanged.
    fn dropped(&self, function: &Function, emptied: &BTreeSet<LocalId>) -> Vec<LocalId> {
        let mut passed_on = vec![true; function.params.len()];
        function.body.each_end(&mut |end| {
            if let End::Continue(next) = end {
                for (index, argument) in next.iter().enumerate() {
                    passed_on[index] &= *argument == Atom::Local(function.params[index]);
                }
            }
        });
        let dropped = function.params.iter().zip(passed_on).filter(|(_, passed_on)| !passed_on);
        let can = |param: &LocalId| {
            self.holds(*param, emptied) && self.writer.evacuation.overwritable(function.locals[*param].ty)
        };
        dropped.map(|(param, _)| *param).filter(can).collect()
    }

    /// The regions that objects which can be overwritten may point into.
    pub(super) fn overwritable_regions(
        &self,
        function: &Function,
        locals: impl Iterator<Item = LocalId>,
    ) -> BTreeSet<LocalId> {
        let can = locals.filter(|local| self.writer.evacuation.overwritable(function.locals[*local].ty));
        can.filter_map(|local| self.points_to.get(&local)).flatten().copied().collect()
    }

    /// Replaces a function. A function called from outside of its cycle begins regions; closures are not.
    pub(super) fn carry_out(&mut self, plan: &Plan<'_>) -> Split {
        if plan.kept.is_some() && plan.function.convention != Convention::Known {
            let iterations = self.iterations_in_place(plan);
            return Split { begin: None, iterations, begun: BTreeSet::new(), dropped: Vec::new() };
        }
        let (iterations, dropped) = self.iterations(plan);
        let (begin, begun) = self.begin(plan);
        Split { begin: Some(begin), iterations, begun, dropped }
    }

    /// The handles of the callers' regions that hold state which each iteration makes again.
    fn state(&self, function: &Function, allocations: &HashMap<AllocationId, Region>) -> Option<BTreeSet<LocalId>> {
        let mut required = false;
        function.body.each_end(&mut |end| required |= matches!(end, End::TailCall { required: true, .. }));
        if required || !continues(&function.body) {
            return None;
        }
        let mut iteration = Uses::default();
        iteration_uses(&function.body, allocations, &mut iteration);
        let given = received_handles(function, self.handle);
        let native = self.native(function);
        let held: BTreeSet<LocalId> =
            function.params.iter().filter_map(|param| self.points_to.get(param)).flatten().copied().collect();
        let grown = self.grown(function, &[&function.body], allocations);
        let is_state = |handle: &LocalId| {
            iteration.allocated.contains(handle)
                && grown.contains(handle)
                && held.contains(handle)
                && !native.contains(handle)
        };
        let state: BTreeSet<LocalId> = given.into_iter().filter(is_state).collect();
        let grows = || {
            let walked = walked(function);
            let allocates = |statement: &Statement| uses_handle(statement, allocations, &state);
            let interest = Interest { allocates: &allocates, tail_allocates: &|_| true, continues: &|_| true };
            let taken = taken_slots(self.writer.types, function);
            let of = (function, &[&function.body][..]);
            let mut analysis =
                Analysis::new(self.writer.types, of, self.writer.evacuation, self.frugality, &taken, interest);
            let before = analysis.block(&function.body, &After::Leave);
            let holds_state = |param: &LocalId| self.holds(*param, &state) && !walked.contains(param);
            analysis.only_grows(&before, function.params.iter().copied().filter(holds_state))
        };
        (!state.is_disjoint(&grown) && !grows()).then_some(state)
    }

    /// The regions that cannot be evacuated: native pointers in the inputs or the result may lead to them, or something
    /// that roots do not lead to ([`Loops::relinked_regions`]).
    pub(super) fn native(&self, function: &Function) -> BTreeSet<LocalId> {
        let holders = function.params.iter().chain(function.captures()).copied();
        let mut native = self.native_regions(function, holders);
        native.extend(self.relinked_regions(function));
        if !self.writer.evacuation.leads_to_native(function.result) {
            return native;
        }
        let mut results = Vec::new();
        collect_results(&function.body, &mut results);
        for atom in results {
            if let Atom::Local(local) = atom {
                native.extend(self.points_to.get(local).into_iter().flatten());
                native.insert(*local);
            }
        }
        native
    }

    /// Whether an input of a function may point into the regions that the function empties.
    fn may_hold(&self, plan: &Plan<'_>, given: LocalId) -> bool {
        plan.kept.is_some() || self.holds(given, &plan.emptied)
    }

    /// Whether a local may point into one of the regions.
    pub(super) fn holds(&self, local: LocalId, handles: &BTreeSet<LocalId>) -> bool {
        self.points_to.get(&local).is_some_and(|regions| !regions.is_disjoint(handles))
    }

    /// The function that begins the regions, runs the iterations and hands over the result, with these regions.
    fn begin(&mut self, plan: &Plan<'_>) -> (Function, BTreeSet<LocalId>) {
        let function = plan.function;
        let span = function.span;
        let mut begin = Function::clone(function);
        let own = self.own_regions(plan, &mut begin);
        let begun: BTreeSet<LocalId> = own.values().copied().collect();
        let argument = |local: &LocalId| Atom::Local(*own.get(local).unwrap_or(local));
        let arguments =
            implicit_inputs(function).iter().chain(&plan.dropped).chain(&function.params).map(argument).collect();
        let regions = function.regions.iter().map(argument).collect();
        // `install` fills in the callee.
        let call = Call { callee: Callee::Closure(Atom::Unit), arguments, regions };
        let result = begin.locals.alloc(Local { name: Symbol::new("result$"), ty: function.result, span });
        let mut statements: Vec<Statement> = begun.iter().map(|own| let_(*own, Rhs::EnterRegion, span)).collect();
        statements.push(let_(result, Rhs::Call(call), span));
        let out = own.iter().filter(|(to, _)| plan.handed_over.contains(to));
        let out: Vec<Move> =
            out.map(|(to, from)| Move { from: Atom::Local(*from), to: Some(Atom::Local(*to)) }).collect();
        let mut value = result;
        if !out.is_empty() {
            let mut roots = vec![result];
            roots.extend(self.overwritten(plan));
            let (evacuation, after) = self.writer.evacuation_of(&mut begin, out, &roots, plan.everywhere, span);
            value = begin.locals.alloc(Local { name: Symbol::new("moved$"), ty: function.result, span });
            statements.push(evacuation);
            statements.push(let_(value, Rhs::Component(Atom::Local(after), 0), span));
        }
        for handle in &begun {
            statements.push(self.writer.leave(&mut begin, *handle, span));
        }
        begin.body = Block { statements, end: End::Yield(Atom::Local(value)) };
        begin.joins = 0;
        (begin, begun)
    }

    /// The region that replaces each of the emptied ones.
    fn own_regions(&mut self, plan: &Plan<'_>, begin: &mut Function) -> BTreeMap<LocalId, LocalId> {
        let Plan { function, emptied, handed_over, .. } = plan;
        let mut common = None;
        let mut own = BTreeMap::new();
        for handle in emptied {
            let mut fresh = || new_handle(begin, self.handle, function.span);
            let region = if handed_over.contains(handle) { fresh() } else { *common.get_or_insert_with(fresh) };
            own.insert(*handle, region);
        }
        own
    }

    /// The inputs that may be overwritten with pointers into the regions.
    fn overwritten(&self, plan: &Plan<'_>) -> Vec<LocalId> {
        let function = plan.function;
        let given = implicit_inputs(function).into_iter().chain(function.params.iter().copied());
        let can = |local: &LocalId| {
            plan.kept.as_ref().map_or_else(|| self.may_hold(plan, *local), |kept| kept.contains(local))
                && self.writer.evacuation.overwritable(function.locals[*local].ty)
        };
        given.filter(can).collect()
    }

    /// The function of the iterations, with the parameters that receive [`Plan::dropped`]. It takes the captures as
    /// parameters.
    fn iterations(&mut self, plan: &Plan<'_>) -> (Function, Vec<(LocalId, LocalId)>) {
        let function = plan.function;
        let mut iterations = Function::clone(function);
        let implicit = implicit_inputs(function);
        iterations.name = Symbol::new(&format!("{}.iterations", function.name));
        let dropped: Vec<LocalId> =
            plan.dropped.iter().map(|param| iterations.locals.alloc(iterations.locals[*param].clone())).collect();
        iterations.leading_captures += implicit.len() + dropped.len();
        iterations.params = implicit.iter().chain(&dropped).chain(&function.params).copied().collect();
        iterations.convention = Convention::Known;
        iterations.inlining = Inlining::Free;
        let received = dropped.iter().copied().zip(plan.dropped.iter().copied()).collect();
        self.free(&mut iterations, plan, &dropped);
        (iterations, received)
    }

    /// The same function, which frees what it drops before each next iteration.
    fn iterations_in_place(&mut self, plan: &Plan<'_>) -> Function {
        let mut iterations = Function::clone(plan.function);
        self.free(&mut iterations, plan, &[]);
        iterations
    }

    /// Frees what is dropped before each next iteration. `dropped` are the parameters that receive [`Plan::dropped`].
    fn free(&mut self, iterations: &mut Function, plan: &Plan<'_>, dropped: &[LocalId]) {
        match &plan.frees {
            Frees::Evacuated => {
                let mut body = std::mem::replace(&mut iterations.body, Block::empty());
                self.back_edges(iterations, &mut body, plan, dropped);
                iterations.body = body;
            }
            Frees::Popped(id, stack) => stack.apply(*id, iterations, self.writer.types.intern(TypeKind::Unit)),
            Frees::Nothing => {}
        }
    }

    /// Evacuates before each next iteration. `dropped` are the parameters that receive [`Plan::dropped`].
    fn back_edges(&mut self, iterations: &mut Function, block: &mut Block, plan: &Plan<'_>, dropped: &[LocalId]) {
        let Plan { function, emptied, .. } = plan;
        let own = |index: usize| function.params.get(index).is_none_or(|param| self.may_hold(plan, *param));
        let mut next: Vec<&mut Atom> = Vec::new();
        let goes_on = match &mut block.end {
            End::Continue(arguments) => {
                next.extend(arguments);
                implicit_inputs(function).into_iter().chain(dropped.iter().copied()).collect()
            }
            End::TailCall { call, required: true, .. } => {
                next.extend(&mut call.arguments);
                next.extend(call.callee.closure_mut());
                Vec::new()
            }
            End::Yield(_)
            | End::TailCall { .. }
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..)
            | End::Trap(..) => {
                block.end.blocks_mut().into_iter().for_each(|block| self.back_edges(iterations, block, plan, dropped));
                return;
            }
        };
        let span = function.span;
        let mut roots = Vec::new();
        let mut set = Vec::new();
        for (index, argument) in next.into_iter().enumerate() {
            let Atom::Local(local) = argument else { continue };
            let ty = iterations.locals[*local].ty;
            if own(index) && self.writer.evacuation.has_pointers(ty) {
                let moved = iterations.locals.alloc(Local { name: Symbol::new("moved$"), ty, span });
                set.push((moved, roots.len()));
                roots.push(*local);
                *argument = Atom::Local(moved);
            }
        }
        roots.extend(self.overwritten(plan).into_iter().filter(|local| goes_on.contains(local)));
        roots.extend(dropped);
        if let End::Continue(arguments) = &mut block.end {
            arguments.splice(0..0, goes_on.iter().map(|local| Atom::Local(*local)));
        }
        let moves = emptied.iter().map(|handle| Move { from: Atom::Local(*handle), to: None }).collect();
        let (evacuation, after) = self.writer.evacuation_of(iterations, moves, &roots, plan.everywhere, span);
        block.statements.push(evacuation);
        for (moved, index) in set {
            block.statements.push(let_(moved, Rhs::Component(Atom::Local(after), index), span));
        }
    }
}

/// The implicit inputs of a function: its captures and the closure itself.
pub(super) fn implicit_inputs(function: &Function) -> Vec<LocalId> {
    function.captures().iter().copied().chain(function.itself()).collect()
}

/// The handles that a function receives.
pub(super) fn received_handles(function: &Function, handle: Type) -> Vec<LocalId> {
    let captured = function.captures().iter().filter(|capture| function.locals[**capture].ty == handle);
    function.regions.iter().chain(captured).copied().collect()
}

/// Whether a block may end with the next iteration.
fn continues(block: &Block) -> bool {
    matches!(block.end, End::Continue(_)) || block.end.blocks().into_iter().any(continues)
}

/// The atoms that a function's result is, or that the calls which end it take as arguments and regions.
fn collect_results<'a>(block: &'a Block, results: &mut Vec<&'a Atom>) {
    match &block.end {
        End::Yield(value) => results.push(value),
        End::TailCall { call, .. } => results.extend(call.arguments.iter().chain(&call.regions)),
        End::Continue(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => {
            block.end.blocks().into_iter().for_each(|block| collect_results(block, results));
        }
    }
}

/// What is bound and used on the paths to the next iteration.
fn iteration_uses(block: &Block, allocations: &HashMap<AllocationId, Region>, uses: &mut Uses) {
    if !continues(block) {
        return;
    }
    uses.add_statements(&block.statements, allocations);
    if let End::Join { join, scope } = &block.end
        && continues(&join.body)
    {
        uses.add_block(scope, allocations);
        return iteration_uses(&join.body, allocations, uses);
    }
    block.end.blocks().into_iter().for_each(|block| iteration_uses(block, allocations, uses));
}

/// The parameters that always receive a part of what such a parameter had in the iteration before, as the rest of a list
/// that a loop walks: what they hold was made before the loop.
fn walked(function: &Function) -> BTreeSet<LocalId> {
    let mut walked: BTreeSet<LocalId> = function.params.iter().copied().collect();
    loop {
        let parts = parts_of(function, walked.clone());
        let mut next = walked.clone();
        function.body.each_end(&mut |end| {
            if let End::Continue(arguments) = end {
                for (param, argument) in function.params.iter().zip(arguments) {
                    if matches!(argument, Atom::Local(local) if !parts.contains(local)) {
                        next.remove(param);
                    }
                }
            }
        });
        if next.len() == walked.len() {
            return walked;
        }
        walked = next;
    }
}

/// The locals that are parts of given ones.
fn parts_of(function: &Function, whole: BTreeSet<LocalId>) -> BTreeSet<LocalId> {
    let mut parts = whole;
    // Statements come after those that bind their operands.
    function.body.each_statement(&mut |statement| {
        let StatementKind::Let(part, rhs) = &statement.kind else { return };
        if let Rhs::Atom(of) | Rhs::Component(of, _) | Rhs::Field { value: of, .. } = rhs
            && matches!(of, Atom::Local(of) if parts.contains(of))
        {
            parts.insert(*part);
        }
    });
    parts
}
