//! Functions that call themselves, or one another, in tail position: their regions are evacuated where a turn ends.
//!
//! In: functions with their regions. Out: if turns allocate in regions of callers in which their state lies, two functions
//! for each: one for the turns, which evacuates those regions before the next turn; and the function itself, which begins
//! regions, gives them to the turns in place of its callers', and hands over to the callers' what the result leads to, or
//! what was overwritten. One region stands for all of which nothing is left then.
//! State of a single function that only grows is left as it is: nothing of it would be free. What holds is as in
//! [`super::loops`]. [`super::cycles`] says which regions functions that call one another can empty.

use super::loops::{Loops, Uses, let_, new_handle};
use clef_base::Symbol;
use clef_core::{
    AllocationId, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Inlining, Local, LocalId, Move,
    Program, Region, Rhs, Statement, StatementKind,
};
use clef_types::{Intrinsic, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is done about a function.
pub(super) struct Plan<'a> {
    pub(super) function: &'a Function,
    /// The handles of the regions that are emptied.
    pub(super) emptied: BTreeSet<LocalId>,
    /// Those of them in which something may lie when the turns have ended.
    pub(super) handed_over: BTreeSet<LocalId>,
    /// Whether what lies elsewhere must be followed.
    pub(super) everywhere: bool,
    /// If it is one of a cycle, the parameters that are handed on as long as the cycle goes round. What it is given may lie in
    /// the regions then, although nothing in it says so.
    pub(super) kept: Option<BTreeSet<LocalId>>,
    /// If it is none of a cycle, the parameters that later turns do not get, and that can be overwritten. Turns are given
    /// them too, since callers may use them.
    pub(super) dropped: Vec<LocalId>,
    /// Whether it only enters a cycle, so that nothing lies in the regions that are emptied when it goes on.
    pub(super) is_entry: bool,
}

/// How a function is replaced.
pub(super) struct Split {
    /// The turns.
    turns: Function,
    /// What stays, and calls the turns, which are a function of their own then; nothing if nothing begins with this one.
    begin: Option<Function>,
}

/// Adds the turns to a program; gives their function.
pub(super) fn install(program: &mut Program, id: FunctionId, split: Split) -> FunctionId {
    let Split { turns, begin } = split;
    let Some(mut begin) = begin else {
        program.functions[id] = turns;
        return id;
    };
    let mut allocations = Vec::new();
    turns.body.each_statement(&mut |statement| allocations.extend(statement.allocations()));
    let turns = program.functions.alloc(turns);
    allocations.into_iter().for_each(|allocation| program.allocations[allocation].function = turns);
    begin.body.each_call_mut(&mut |call| call.callee = Callee::Known(turns));
    program.functions[id] = begin;
    turns
}

impl Loops<'_> {
    /// Splits a function whose turns are worth it. `results` are the handles of the regions that its result may point into.
    pub(super) fn split(
        &mut self,
        function: &mut Function,
        allocations: &mut HashMap<AllocationId, Region>,
        results: &BTreeSet<LocalId>,
    ) -> Option<Split> {
        let state = self.state(function, allocations)?;
        // Whatever the turns allocate may come to lie in what the result leads to.
        let uses = Uses::of(&[&function.body], allocations);
        let given = given(function, self.handle);
        let native = self.native(function);
        let is_emptied = |handle: &LocalId| uses.allocated.contains(handle) && !native.contains(handle);
        let emptied: BTreeSet<LocalId> = given.iter().copied().filter(is_emptied).collect();
        debug_assert!(state.is_subset(&emptied), "a region of the state is not allocated in");
        let before = || lifted(function).into_iter().chain(function.params.iter().copied());
        let handed_over = &self.overwritable_regions(function, before()) | results;
        let made_elsewhere = given.iter().any(|handle| uses.allocated.contains(handle) && native.contains(handle));
        let by_closures =
            |local: LocalId| self.holds(local, &emptied) && self.leads_to_allocator(function.locals[local].ty);
        let everywhere = made_elsewhere || before().any(by_closures);
        let dropped = self.dropped(function, &emptied);
        Some(self.carry_out(&Plan { function, emptied, handed_over, everywhere, kept: None, dropped, is_entry: false }))
    }

    /// The parameters that may come to point into regions, and that not every turn hands on to the next as they are.
    fn dropped(&self, function: &Function, emptied: &BTreeSet<LocalId>) -> Vec<LocalId> {
        let mut handed_on = vec![true; function.params.len()];
        function.body.each_end(&mut |end| {
            if let End::Continue(next) = end {
                for (index, argument) in next.iter().enumerate() {
                    handed_on[index] &= *argument == Atom::Local(function.params[index]);
                }
            }
        });
        let dropped = function.params.iter().zip(handed_on).filter(|(_, handed_on)| !handed_on);
        let can =
            |param: &LocalId| self.holds(*param, emptied) && self.evacuation.overwritable(function.locals[*param].ty);
        dropped.map(|(param, _)| *param).filter(can).collect()
    }

    /// The regions that may be pointed into from what can be overwritten.
    pub(super) fn overwritable_regions(
        &self,
        function: &Function,
        locals: impl Iterator<Item = LocalId>,
    ) -> BTreeSet<LocalId> {
        let can = locals.filter(|local| self.evacuation.overwritable(function.locals[*local].ty));
        can.filter_map(|local| self.mentions.get(&local)).flatten().copied().collect()
    }

    /// Replaces a function. What is called from outside of its cycle begins regions; that is no closure.
    pub(super) fn carry_out(&mut self, plan: &Plan<'_>) -> Split {
        if plan.kept.is_some() && plan.function.convention != Convention::Known {
            return Split { begin: None, turns: self.turns_in_place(plan) };
        }
        Split { begin: Some(self.begin(plan)), turns: self.turns(plan) }
    }

    /// The handles of the callers' regions in which state lies that is made anew.
    fn state(&self, function: &Function, allocations: &HashMap<AllocationId, Region>) -> Option<BTreeSet<LocalId>> {
        let mut required = false;
        function.body.each_end(&mut |end| required |= matches!(end, End::TailCall { required: true, .. }));
        if required || !continues(&function.body) {
            return None;
        }
        let mut turn = Uses::default();
        turn_uses(&function.body, allocations, &mut turn);
        let given = given(function, self.handle);
        let native = self.native(function);
        let held: BTreeSet<LocalId> =
            function.params.iter().filter_map(|param| self.mentions.get(param)).flatten().copied().collect();
        let is_state =
            |handle: &LocalId| turn.allocated.contains(handle) && held.contains(handle) && !native.contains(handle);
        let state: BTreeSet<LocalId> = given.into_iter().filter(is_state).collect();
        let grows =
            || Growth { loops: self, function, allocations, state: &state }.only(&function.body, &mut Vec::new());
        (!state.is_empty() && !grows()).then_some(state)
    }

    /// The regions that stay as they are: native pointers may lead to them, of what a function is given and of what it
    /// gives, or something that roots do not lead to ([`Loops::relinked_regions`]).
    pub(super) fn native(&self, function: &Function) -> BTreeSet<LocalId> {
        let holders = function.params.iter().chain(function.captures()).copied();
        let mut native = self.native_regions(function, holders);
        native.extend(self.relinked_regions(function));
        if !self.evacuation.leads_to_native(function.result) {
            return native;
        }
        let mut results = Vec::new();
        collect_results(&function.body, &mut results);
        for atom in results {
            if let Atom::Local(local) = atom {
                native.extend(self.mentions.get(local).into_iter().flatten());
                native.insert(*local);
            }
        }
        native
    }

    /// Whether something that a function is given may point into the regions that it empties.
    fn may_hold(&self, plan: &Plan<'_>, given: LocalId) -> bool {
        plan.kept.is_some() || self.holds(given, &plan.emptied)
    }

    /// Whether a local may point into one of the regions.
    pub(super) fn holds(&self, local: LocalId, handles: &BTreeSet<LocalId>) -> bool {
        self.mentions.get(&local).is_some_and(|mentioned| !mentioned.is_disjoint(handles))
    }

    /// The function that begins the regions, runs the turns and hands the result over.
    fn begin(&mut self, plan: &Plan<'_>) -> Function {
        let function = plan.function;
        let span = function.span;
        let mut begin = Function::clone(function);
        let own = self.own_regions(plan, &mut begin);
        let begun: BTreeSet<LocalId> = own.values().copied().collect();
        let argument = |local: &LocalId| Atom::Local(*own.get(local).unwrap_or(local));
        let arguments = lifted(function).iter().chain(&plan.dropped).chain(&function.params).map(argument).collect();
        let regions = function.regions.iter().map(argument).collect();
        // The callee is put in when it is known.
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
            let (evacuation, after) = self.evacuation_of(&mut begin, out, &roots, plan.everywhere, span);
            value = begin.locals.alloc(Local { name: Symbol::new("moved$"), ty: function.result, span });
            statements.push(evacuation);
            statements.push(let_(value, Rhs::Component(Atom::Local(after), 0), span));
        }
        for handle in begun {
            statements.push(self.leave(&mut begin, handle, span));
        }
        begin.body = Block { statements, end: End::Yield(Atom::Local(value)) };
        begin.joins = 0;
        begin
    }

    /// The region that stands for each of those that are emptied.
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

    /// What callers gave that may be overwritten with pointers into the regions.
    fn overwritten(&self, plan: &Plan<'_>) -> Vec<LocalId> {
        let function = plan.function;
        let given = lifted(function).into_iter().chain(function.params.iter().copied());
        let can = |local: &LocalId| {
            plan.kept.as_ref().map_or_else(|| self.may_hold(plan, *local), |kept| kept.contains(local))
                && self.evacuation.overwritable(function.locals[*local].ty)
        };
        given.filter(can).collect()
    }

    /// The turns: they take what the function captures as parameters.
    fn turns(&mut self, plan: &Plan<'_>) -> Function {
        let function = plan.function;
        let mut turns = Function::clone(function);
        let lifted = lifted(function);
        turns.name = Symbol::new(&format!("{}.turns", function.name));
        let dropped: Vec<LocalId> =
            plan.dropped.iter().map(|param| turns.locals.alloc(turns.locals[*param].clone())).collect();
        turns.lifted += lifted.len() + dropped.len();
        turns.params = lifted.iter().chain(&dropped).chain(&function.params).copied().collect();
        turns.convention = Convention::Known;
        turns.inlining = Inlining::Free;
        if plan.is_entry {
            return turns;
        }
        let mut body = std::mem::replace(&mut turns.body, Block::empty());
        self.back_edges(&mut turns, &mut body, plan, &dropped);
        turns.body = body;
        turns
    }

    /// The same function, which evacuates before each next turn.
    fn turns_in_place(&mut self, plan: &Plan<'_>) -> Function {
        let mut turns = Function::clone(plan.function);
        let mut body = std::mem::replace(&mut turns.body, Block::empty());
        self.back_edges(&mut turns, &mut body, plan, &[]);
        turns.body = body;
        turns
    }

    /// Evacuates before each next turn. `dropped` are the parameters for what was [`Plan::dropped`].
    fn back_edges(&mut self, turns: &mut Function, block: &mut Block, plan: &Plan<'_>, dropped: &[LocalId]) {
        let Plan { function, emptied, .. } = plan;
        let own = |index: usize| function.params.get(index).is_none_or(|param| self.may_hold(plan, *param));
        let mut next: Vec<&mut Atom> = Vec::new();
        let goes_on = match &mut block.end {
            End::Continue(arguments) => {
                next.extend(arguments);
                lifted(function).into_iter().chain(dropped.iter().copied()).collect()
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
                block.end.blocks_mut().into_iter().for_each(|block| self.back_edges(turns, block, plan, dropped));
                return;
            }
        };
        let span = function.span;
        let mut roots = Vec::new();
        let mut set = Vec::new();
        for (index, argument) in next.into_iter().enumerate() {
            let Atom::Local(local) = argument else { continue };
            let ty = turns.locals[*local].ty;
            if own(index) && self.evacuation.has_pointers(ty) {
                let moved = turns.locals.alloc(Local { name: Symbol::new("moved$"), ty, span });
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
        let (evacuation, after) = self.evacuation_of(turns, moves, &roots, plan.everywhere, span);
        block.statements.push(evacuation);
        for (moved, index) in set {
            block.statements.push(let_(moved, Rhs::Component(Atom::Local(after), index), span));
        }
    }
}

/// What a function has besides its parameters: its captures and the closure itself.
pub(super) fn lifted(function: &Function) -> Vec<LocalId> {
    function.captures().iter().copied().chain(function.itself()).collect()
}

/// The handles that a function gets.
pub(super) fn given(function: &Function, handle: Type) -> Vec<LocalId> {
    let captured = function.captures().iter().filter(|capture| function.locals[**capture].ty == handle);
    function.regions.iter().chain(captured).copied().collect()
}

/// Whether a block may end with the next turn.
fn continues(block: &Block) -> bool {
    matches!(block.end, End::Continue(_)) || block.end.blocks().into_iter().any(continues)
}

/// What a function's result is, or is made of by the calls that end it, with the regions that they are given.
fn collect_results<'a>(block: &'a Block, results: &mut Vec<&'a Atom>) {
    match &block.end {
        End::Yield(value) => results.push(value),
        End::TailCall { call, .. } => results.extend(call.arguments.iter().chain(&call.regions)),
        End::Continue(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => {
            block.end.blocks().into_iter().for_each(|block| collect_results(block, results));
        }
    }
}

/// What is bound and used where the next turn may follow.
fn turn_uses(block: &Block, allocations: &HashMap<AllocationId, Region>, uses: &mut Uses) {
    if !continues(block) {
        return;
    }
    uses.add_statements(&block.statements, allocations);
    if let End::Join { join, scope } = &block.end
        && continues(&join.body)
    {
        uses.add_block(scope, allocations);
        return turn_uses(&join.body, allocations, uses);
    }
    block.end.blocks().into_iter().for_each(|block| turn_uses(block, allocations, uses));
}

/// Looks whether state only grows: nothing that a turn allocates, and nothing of its own state, is left behind.
struct Growth<'a, 'loops> {
    loops: &'a Loops<'loops>,
    function: &'a Function,
    allocations: &'a HashMap<AllocationId, Region>,
    state: &'a BTreeSet<LocalId>,
}

impl<'a> Growth<'a, '_> {
    /// Whether it does on all ways from a block to the next turn. `path` are the statements that lead to the block.
    fn only(&self, block: &'a Block, path: &mut Vec<&'a Statement>) -> bool {
        if !continues(block) {
            return true;
        }
        let length = path.len();
        path.extend(&block.statements);
        let mut grows = block.end.blocks().into_iter().all(|block| self.only(block, path));
        if let End::Continue(next) = &block.end {
            grows = self.keeps_all(path, next);
        }
        if let End::Join { join, scope } = &block.end
            && continues(&join.body)
        {
            let mut uses = Uses::default();
            uses.add_block(scope, self.allocations);
            grows &= uses.allocated.is_disjoint(self.state);
        }
        path.truncate(length);
        grows
    }

    /// Whether the next turn is given all that the statements allocate, and all state of this turn.
    fn keeps_all(&self, path: &[&'a Statement], next: &'a [Atom]) -> bool {
        let mut kept: BTreeSet<LocalId> = BTreeSet::new();
        let keep = |kept: &mut BTreeSet<LocalId>, atom: &Atom| {
            if let Atom::Local(local) = atom {
                kept.insert(*local);
            }
        };
        next.iter().for_each(|atom| keep(&mut kept, atom));
        for statement in path.iter().rev() {
            if !statement.bound().iter().any(|local| kept.contains(local)) {
                if self.allocates(statement) {
                    return false;
                }
                continue;
            }
            match &statement.kind {
                StatementKind::Let(
                    _,
                    Rhs::Atom(_)
                    | Rhs::Tuple(_)
                    | Rhs::Inject { .. }
                    | Rhs::Array { .. }
                    | Rhs::MakeReference { .. }
                    | Rhs::Closure(_)
                    | Rhs::Intrinsic { intrinsic: Intrinsic::TextEnd, .. },
                )
                | StatementKind::Group(_) => statement.atoms(&mut |atom| keep(&mut kept, atom)),
                // A text is kept as it is, its parts are not.
                StatementKind::Let(_, Rhs::Concatenate { .. } | Rhs::Intrinsic { .. }) => {}
                StatementKind::Let(..) if self.allocates(statement) => return false,
                StatementKind::Let(..) => {}
            }
        }
        self.function.params.iter().all(|param| kept.contains(param) || !self.loops.holds(*param, self.state))
    }

    /// Whether a statement may allocate in the regions of the state.
    fn allocates(&self, statement: &'a Statement) -> bool {
        let mut uses = Uses::default();
        uses.add_statements(std::slice::from_ref(statement), self.allocations);
        !uses.allocated.is_disjoint(self.state)
    }
}
