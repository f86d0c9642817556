//! Evacuates regions at the back edge of loops that make their state again in each iteration.
//!
//! In: a function with its handles, before its own regions begin and end. Out: the same function, where each `while`
//! loop that allocates in a region that lives across its iterations allocates in a region of its own instead. That
//! region is evacuated at the end of an iteration, from objects that may have been overwritten with pointers into it;
//! after the loop its content moves to the region that it replaces. Invariant: the loop's region is empty before the
//! loop, so objects made earlier that cannot be overwritten do not point into it, and all other pointers into it are
//! reachable from the roots: what the loop uses, what is used after it, and what callers may use. Native pointers are
//! not followed, so what they may lead to is not moved.
//!
//! [`super::self_calls`] does the same for functions that call themselves in tail position.

use super::{
    frugal::Frugality,
    kept::{Analysis, Interest, taken_slots},
    order::Order,
    roots::{Root, Writer},
    self_calls::implicit_inputs,
    transitive::Transitive,
};
use clef_base::{HashMap, Span, Symbol};
use clef_core::{
    AllocationId, Atom, Block, Call, End, Function, Local, LocalId, Move, Place, Region, Rhs, Statement, StatementKind,
};
use clef_types::{Type, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// For each local, the handles of all regions that it may point into.
pub(super) type PointsTo = HashMap<LocalId, BTreeSet<LocalId>>;

/// The state for rewriting loops.
pub(super) struct Loops<'a> {
    pub(super) writer: Writer<'a>,
    /// The type of handles.
    pub(super) handle: Type,
    pub(super) points_to: &'a PointsTo,
    /// For each type, by its number, whether closures that capture handles are reachable from its values.
    pub(super) allocators: &'a [bool],
    /// See [`Evacuation::relinked`].
    pub(super) relinked: &'a [bool],
    pub(super) frugality: &'a Frugality<'a>,
    /// See [`Loops::grown`].
    pub(super) makers: &'a Transitive<'a>,
    /// The functions that reuse nodes.
    pub(super) reusers: &'a Transitive<'a>,
    /// The handles of the regions that begin for the state of a loop, and those that they replace in it.
    pub(super) begun: BTreeMap<LocalId, LocalId>,
}

/// What is known of a function while its loops are rewritten.
struct Around {
    order: Order,
    /// See [`taken_slots`].
    taken: BTreeSet<LocalId>,
    /// The explicit and implicit inputs.
    given: BTreeSet<LocalId>,
    /// For each handle, the locals that may point into its region.
    pointing: HashMap<LocalId, Vec<LocalId>>,
}

impl Loops<'_> {
    /// Rewrites all loops within a function.
    pub(super) fn rewrite(&mut self, function: &mut Function, allocations: &mut HashMap<AllocationId, Region>) {
        let around = Around {
            order: Order::of(function),
            taken: taken_slots(self.writer.types, function),
            given: inputs(function).collect(),
            pointing: self.pointing(),
        };
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        self.block(function, allocations, &around, &mut body);
        function.body = body;
    }

    /// Inner loops before outer ones.
    fn block(
        &mut self,
        function: &mut Function,
        allocations: &mut HashMap<AllocationId, Region>,
        around: &Around,
        block: &mut Block,
    ) {
        for mut statement in std::mem::take(&mut block.statements) {
            if let StatementKind::Let(_, rhs) = &mut statement.kind {
                rhs.blocks_mut().into_iter().for_each(|block| self.block(function, allocations, around, block));
            }
            if let StatementKind::Let(_, Rhs::While { .. }) = &statement.kind {
                block.statements.extend(self.repeat(function, allocations, around, statement));
            } else {
                block.statements.push(statement);
            }
        }
        block.end.blocks_mut().into_iter().for_each(|block| self.block(function, allocations, around, block));
    }

    /// A loop with the statements before and after it.
    fn repeat(
        &mut self,
        function: &mut Function,
        allocations: &mut HashMap<AllocationId, Region>,
        around: &Around,
        mut statement: Statement,
    ) -> Vec<Statement> {
        let span = statement.place.span;
        let StatementKind::Let(result, rhs) = &mut statement.kind else { return vec![statement] };
        let uses = Uses::of(&rhs.blocks(), allocations);
        let outside: Vec<LocalId> = uses.used.difference(&uses.bound).copied().collect();
        let allocated = |handle: &LocalId| uses.allocated.contains(handle) && !uses.bound.contains(handle);
        let mut state: BTreeSet<LocalId> = BTreeSet::new();
        for local in &outside {
            state.extend(self.pointed_regions(*local).filter(allocated));
        }
        let all = state.clone();
        let grown = !state.is_disjoint(&self.grown(function, &rhs.blocks(), allocations));
        let native = self.native_regions(function, outside.iter().copied());
        state.retain(|handle| !native.contains(handle));
        let relinked = self.relinked_regions(function);
        state.retain(|handle| !relinked.contains(handle));
        // Objects in the other regions may point into the loop's.
        let others: BTreeSet<LocalId> = all.difference(&state).copied().collect();
        let made_elsewhere = !others.is_empty() || makes_in_program(&rhs.blocks(), allocations);
        if !grown || self.reuses_in(function, &rhs.blocks(), allocations, &others) {
            return vec![statement];
        }
        let grows = !state.is_empty() && self.grows(function, rhs, allocations, (&state, &outside), &around.taken);
        if state.is_empty() || grows {
            return vec![statement];
        }
        let is_live = |local| around.order.lives_through(local, &around.order.loops[result]);
        let holders = self.holders(function, &outside, around, is_live, &state);
        let by_closures = |holder: &LocalId| self.leads_to_allocator(function.locals[*holder].ty);
        let everywhere = made_elsewhere || holders.iter().any(by_closures);
        let roots: Vec<Root> = holders.iter().filter_map(|holder| self.writer.root(function, *holder)).collect();
        let own: BTreeMap<LocalId, LocalId> =
            state.iter().map(|handle| (*handle, new_handle(function, self.handle, span))).collect();
        self.begun.extend(own.iter().map(|(replaced, own)| (*own, *replaced)));
        for block in rhs.blocks_mut() {
            substitute(block, allocations, &own);
        }
        if let Rhs::While { body, .. } = rhs {
            let back = own.values().map(|own| Move { from: Atom::Local(*own), to: None }).collect();
            let iteration = std::mem::replace(&mut **body, Block::empty());
            self.writer.append_iteration(function, body, iteration, span);
            body.statements.extend(self.writer.evacuate(function, back, (&roots, everywhere), span));
        }
        let mut all: Vec<Statement> = own.values().map(|handle| let_(*handle, Rhs::EnterRegion, span)).collect();
        all.push(statement);
        let out = own.iter().map(|(to, from)| Move { from: Atom::Local(*from), to: Some(Atom::Local(*to)) }).collect();
        all.extend(self.writer.evacuate(function, out, (&roots, everywhere), span));
        for handle in own.values() {
            all.push(self.writer.leave(function, *handle, span));
        }
        all
    }

    /// The locals that may point into the regions of a loop: those that the loop uses; those used after the loop, since the
    /// loop may overwrite an object reachable from them and then drop it; and for the same reason those that callers may use.
    fn holders(
        &self,
        function: &Function,
        used: &[LocalId],
        around: &Around,
        is_live: impl Fn(LocalId) -> bool,
        state: &BTreeSet<LocalId>,
    ) -> BTreeSet<LocalId> {
        let used: BTreeSet<&LocalId> = used.iter().collect();
        let pointing = state.iter().filter_map(|handle| around.pointing.get(handle)).flatten().copied();
        let is_holder = |local: &LocalId| {
            let is_needed = around.given.contains(local) || is_live(*local);
            used.contains(local) || (is_needed && self.writer.root(function, *local).is_some())
        };
        pointing.filter(is_holder).collect()
    }

    /// For each handle, the locals that may point into its region.
    fn pointing(&self) -> HashMap<LocalId, Vec<LocalId>> {
        let mut pointing: HashMap<LocalId, Vec<LocalId>> = HashMap::default();
        for (local, handles) in self.points_to {
            handles.iter().for_each(|handle| pointing.entry(*handle).or_default().push(*local));
        }
        pointing
    }

    /// Whether a loop's state only grows: an iteration drops nothing that it allocates in the state's regions and nothing of
    /// the slots that may point into them, so that nothing could be freed.
    fn grows(
        &self,
        function: &Function,
        rhs: &Rhs,
        allocations: &HashMap<AllocationId, Region>,
        (state, outside): (&BTreeSet<LocalId>, &[LocalId]),
        taken: &BTreeSet<LocalId>,
    ) -> bool {
        let Rhs::While { condition, body } = rhs else { return false };
        let holds_state = |local: &LocalId| self.pointed_regions(*local).any(|handle| state.contains(&handle));
        let is_slot = |local: &LocalId| matches!(self.writer.types.kind(function.locals[*local].ty), TypeKind::Slot(_));
        let slots: Vec<LocalId> =
            outside.iter().copied().filter(|local| is_slot(local) && holds_state(local)).collect();
        let allocates = |statement: &Statement| uses_handle(statement, allocations, state);
        let interest = Interest { allocates: &allocates, tail_allocates: &|_| true, continues: &|_| true };
        let blocks: [&Block; 2] = [condition, body];
        let mut analysis = Analysis::new(
            self.writer.types,
            (function, &blocks),
            self.writer.evacuation,
            self.frugality,
            taken,
            interest,
        );
        let kept = analysis.of(outside.iter().copied());
        let before = analysis.iteration(condition, body, &kept);
        analysis.only_grows(&before, slots.into_iter())
    }

    /// The handles of regions in which blocks make more than they use again: not those in which they only reuse nodes. Where
    /// a node is in another region, the new one that replaces it is in use, and the other region does not grow.
    pub(super) fn grown(
        &self,
        function: &Function,
        blocks: &[&Block],
        allocations: &HashMap<AllocationId, Region>,
    ) -> BTreeSet<LocalId> {
        let mut grown = BTreeSet::new();
        let mut visit = |block: &Block| {
            for statement in &block.statements {
                let grows = statement.call().map_or_else(
                    || !matches!(statement.rhs(), Some(Rhs::Inject { reuse: Some(_), .. })),
                    |call| self.makers.is_called(call, function),
                );
                if grows {
                    Uses::add(statement, allocations, &mut grown);
                }
            }
            if let End::TailCall { call, .. } = &block.end
                && self.makers.is_called(call, function)
            {
                call.atoms(&mut |atom| grown.extend(atom.local()));
            }
        };
        blocks.iter().for_each(|block| block.each(&mut visit));
        grown
    }

    /// Whether code may reuse nodes in some of the regions that it allocates in. If these are not emptied but others are, a
    /// node that is reused could lead to one in an emptied region after nothing but a variable that is not used any more
    /// leads to it, so nothing is emptied.
    pub(super) fn reuses_in(
        &self,
        function: &Function,
        blocks: &[&Block],
        allocations: &HashMap<AllocationId, Region>,
        others: &BTreeSet<LocalId>,
    ) -> bool {
        let is_other = |local: Option<LocalId>| local.is_some_and(|local| others.contains(&local));
        let by_call = |call: &Call| {
            let takes_one = call.regions.iter().any(|region| is_other(region.local()));
            self.reusers.is_called(call, function) && (takes_one || call.callee.closure().is_some())
        };
        let mut found = false;
        let mut visit = |block: &Block| {
            for statement in &block.statements {
                if let Some(Rhs::Inject { allocation: Some(allocation), reuse: Some(_), .. }) = statement.rhs() {
                    let region = allocations.get(allocation);
                    found |= matches!(region, Some(Region::Local(handle)) if others.contains(handle));
                }
            }
            block.statements.iter().filter_map(Statement::call).for_each(|call| found |= by_call(call));
            if let End::TailCall { call, .. } = &block.end {
                found |= by_call(call);
            }
        };
        blocks.iter().for_each(|block| block.each(&mut visit));
        found && !others.is_empty()
    }

    /// The handles of the regions that a local may point into.
    fn pointed_regions(&self, local: LocalId) -> impl Iterator<Item = LocalId> {
        self.points_to.get(&local).into_iter().flatten().copied()
    }

    /// The regions that native pointers may lead to, which evacuation does not follow: those that a local may point
    /// into if a native pointer is reachable from it.
    pub(super) fn native_regions(
        &self,
        function: &Function,
        locals: impl Iterator<Item = LocalId>,
    ) -> BTreeSet<LocalId> {
        let native = locals.filter(|local| self.writer.evacuation.leads_to_native(function.locals[*local].ty));
        native.flat_map(|local| self.pointed_regions(local)).collect()
    }

    /// The regions that an object used by callers may point into although no root leads to it any more: the function
    /// may have unlinked it from memory reachable from its inputs.
    pub(super) fn relinked_regions(&self, function: &Function) -> BTreeSet<LocalId> {
        let is_relinked = |local: &LocalId| self.relinked[function.locals[*local].ty.number() as usize];
        inputs(function).filter(is_relinked).flat_map(|local| self.pointed_regions(local)).collect()
    }

    /// Whether a closure that may allocate in regions whose handles it captured is reachable from a value.
    pub(super) fn leads_to_allocator(&self, ty: Type) -> bool {
        self.allocators.get(ty.number() as usize).is_some_and(|leads| *leads)
    }
}

/// The explicit and implicit inputs of a function.
pub(super) fn inputs(function: &Function) -> impl Iterator<Item = LocalId> {
    implicit_inputs(function).into_iter().chain(function.params.iter().copied())
}

/// A statement that binds a local.
pub(super) fn let_(local: LocalId, rhs: Rhs, place: impl Into<Place>) -> Statement {
    Statement { kind: StatementKind::Let(local, rhs), place: place.into() }
}

/// A local for the handle of a region.
pub(super) fn new_handle(function: &mut Function, handle: Type, span: Span) -> LocalId {
    function.locals.alloc(Local { name: Symbol::new("region$"), ty: handle, span })
}

/// Whether a statement itself, not a block within it, uses one of the handles.
pub(super) fn uses_handle(
    statement: &Statement,
    allocations: &HashMap<AllocationId, Region>,
    state: &BTreeSet<LocalId>,
) -> bool {
    let mut uses = false;
    statement.atoms(&mut |atom| uses |= matches!(atom, Atom::Local(local) if state.contains(local)));
    let made = statement.allocations();
    uses || made
        .iter()
        .any(|made| matches!(allocations.get(made), Some(Region::Local(handle)) if state.contains(handle)))
}

/// What blocks bind and use.
#[derive(Default)]
pub(super) struct Uses {
    pub(super) bound: BTreeSet<LocalId>,
    /// Locals that are operands, including handles.
    pub(super) used: BTreeSet<LocalId>,
    /// The same, and the handles of regions that are allocated in.
    pub(super) allocated: BTreeSet<LocalId>,
}

impl Uses {
    /// Those of blocks, including nested ones.
    pub(super) fn of(blocks: &[&Block], allocations: &HashMap<AllocationId, Region>) -> Uses {
        let mut uses = Uses::default();
        blocks.iter().for_each(|block| uses.add_block(block, allocations));
        uses
    }

    /// Adds those of a block.
    pub(super) fn add_block(&mut self, block: &Block, allocations: &HashMap<AllocationId, Region>) {
        block.each(&mut |block| {
            block.statements.iter().for_each(|statement| self.statement(statement, allocations));
            self.end(&block.end);
        });
    }

    /// Adds those of statements and their nested blocks.
    pub(super) fn add_statements(&mut self, statements: &[Statement], allocations: &HashMap<AllocationId, Region>) {
        for statement in statements {
            self.statement(statement, allocations);
            if let StatementKind::Let(_, rhs) = &statement.kind {
                rhs.blocks().into_iter().for_each(|block| self.add_block(block, allocations));
            }
        }
    }

    /// The operands of statements, without nested blocks, and the handles of regions that they allocate in.
    pub(super) fn of_statements(
        statements: &[Statement],
        allocations: &HashMap<AllocationId, Region>,
    ) -> BTreeSet<LocalId> {
        let mut allocated = BTreeSet::new();
        statements.iter().for_each(|statement| Uses::add(statement, allocations, &mut allocated));
        allocated
    }

    fn statement(&mut self, statement: &Statement, allocations: &HashMap<AllocationId, Region>) {
        self.bound.extend(statement.bound());
        statement.atoms(&mut |atom| self.used.extend(atom.local()));
        Uses::add(statement, allocations, &mut self.allocated);
    }

    /// Adds the operands of a statement, and the handles of regions that it allocates in.
    fn add(statement: &Statement, allocations: &HashMap<AllocationId, Region>, allocated: &mut BTreeSet<LocalId>) {
        statement.atoms(&mut |atom| allocated.extend(atom.local()));
        for allocation in statement.allocations() {
            if let Some(Region::Local(handle)) = allocations.get(&allocation) {
                allocated.insert(*handle);
            }
        }
    }

    fn end(&mut self, end: &End) {
        end.atoms(&mut |atom| self.atom(atom));
        if let End::Join { join, .. } = end {
            self.bound.extend(&join.params);
        }
    }

    fn atom(&mut self, atom: &Atom) {
        if let Atom::Local(local) = atom {
            self.used.insert(*local);
            self.allocated.insert(*local);
        }
    }
}

/// Whether blocks allocate in the program's region, or pass it on.
pub(super) fn makes_in_program(blocks: &[&Block], allocations: &HashMap<AllocationId, Region>) -> bool {
    let mut found = false;
    let mut visit = |block: &Block| {
        for statement in &block.statements {
            statement.atoms(&mut |atom| found |= *atom == Atom::ProgramRegion);
            let mut made = statement.allocations().into_iter();
            found |= made.any(|made| matches!(allocations.get(&made), Some(Region::Program)));
        }
        block.end.atoms(&mut |atom| found |= *atom == Atom::ProgramRegion);
    };
    blocks.iter().for_each(|block| block.each(&mut visit));
    found
}

/// Replaces handles by others.
pub(super) fn substitute(
    block: &mut Block,
    allocations: &mut HashMap<AllocationId, Region>,
    handles: &BTreeMap<LocalId, LocalId>,
) {
    block.each_atom_mut(&mut |atom| {
        if let Atom::Local(local) = atom
            && let Some(handle) = handles.get(local)
        {
            *atom = Atom::Local(*handle);
        }
    });
    block.each_statement(&mut |statement| {
        for allocation in statement.allocations() {
            if let Some(Region::Local(region)) = allocations.get_mut(&allocation)
                && let Some(handle) = handles.get(region)
            {
                *region = *handle;
            }
        }
    });
}
