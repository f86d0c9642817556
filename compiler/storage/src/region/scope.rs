//! Where a region begins and ends within a function: at the smallest scope.
//!
//! In: a function, the handle of one of its own regions, and which locals may point into which region. Out: the
//! function with [`Rhs::EnterRegion`] before the first statement that uses the region, and [`Rhs::LeaveRegion`] after
//! the last on each path. Invariant: if a block uses a region only within nested blocks, no value in it flows from one
//! of these to another, and each has a region of its own, so that an iteration of a loop frees what it allocated. A
//! tail call that takes the region becomes a plain call; tail calls that must take constant stack never take one.

use clef_base::{Span, Symbol};
use clef_core::{
    AllocationId, Atom, Block, End, Function, JoinId, Local, LocalId, Region, Rhs, Statement, StatementKind,
};
use clef_types::Type;
use std::collections::{BTreeSet, HashMap, HashSet};

/// For each local, the handles of the regions that it may point into.
pub(super) type Holders = HashMap<LocalId, BTreeSet<LocalId>>;

/// Begins and ends one region.
pub(super) fn place(
    function: &mut Function,
    allocations: &mut HashMap<AllocationId, Region>,
    unit: Type,
    region: LocalId,
    holders: &mut Holders,
) {
    let mut body = std::mem::replace(&mut function.body, Block::empty());
    let mut scope = Scope { function, allocations, unit, region, handle: region, begun: false, holders };
    if scope.block_uses(&body) {
        scope.place(&mut body);
    }
    function.body = body;
}

struct Scope<'a> {
    function: &'a mut Function,
    allocations: &'a mut HashMap<AllocationId, Region>,
    unit: Type,
    /// The handle of the region before any instance is placed.
    region: LocalId,
    /// The handle of the instance being placed.
    handle: LocalId,
    /// Whether an instance was placed.
    begun: bool,
    holders: &'a mut Holders,
}

impl Scope<'_> {
    fn local_uses(&self, local: LocalId) -> bool {
        local == self.region || self.holders.get(&local).is_some_and(|regions| regions.contains(&self.region))
    }

    fn atom_uses(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Local(local) if self.local_uses(*local))
    }

    /// Whether a statement itself uses the region, not only its nested blocks.
    fn uses_directly(&self, statement: &Statement) -> bool {
        let mut uses = statement.bound().into_iter().any(|local| self.local_uses(local));
        statement.atoms(&mut |atom| uses |= self.atom_uses(atom));
        let here = Some(&Region::Local(self.region));
        uses || statement.allocations().iter().any(|allocation| self.allocations.get(allocation) == here)
    }

    fn end_uses_directly(&self, end: &End) -> bool {
        let mut uses = false;
        end.atoms(&mut |atom| uses |= self.atom_uses(atom));
        if let End::Join { join, .. } = end {
            uses |= join.params.iter().any(|param| self.local_uses(*param));
        }
        uses
    }

    fn statement_uses(&self, statement: &Statement) -> bool {
        self.uses_directly(statement) || nested(statement).into_iter().any(|block| self.block_uses(block))
    }

    fn end_uses(&self, end: &End) -> bool {
        self.end_uses_directly(end) || end.blocks().into_iter().any(|block| self.block_uses(block))
    }

    fn block_uses(&self, block: &Block) -> bool {
        block.statements.iter().any(|statement| self.statement_uses(statement)) || self.end_uses(&block.end)
    }

    /// Begins and ends the region in a block that uses it, or instances of it in nested blocks.
    fn place(&mut self, block: &mut Block) {
        let direct = block.statements.iter().any(|statement| self.uses_directly(statement))
            || self.end_uses_directly(&block.end);
        if direct {
            return self.begin(block);
        }
        let statements = block.statements.iter_mut().flat_map(nested_mut);
        for nested in statements.chain(block.end.blocks_mut()) {
            if self.block_uses(nested) {
                self.place(nested);
            }
        }
    }

    /// Begins an instance of the region in a block.
    fn begin(&mut self, block: &mut Block) {
        let uses: Vec<usize> =
            (0..block.statements.len()).filter(|index| self.statement_uses(&block.statements[*index])).collect();
        let first = uses.first().copied().unwrap_or(block.statements.len());
        self.end_in(block, &mut HashSet::new());
        self.take_handle(block);
        let span = block.statements.get(first).map_or(self.function.span, |statement| statement.span);
        let enter = Statement { kind: StatementKind::Let(self.handle, Rhs::EnterRegion), span };
        block.statements.insert(first, enter);
    }

    /// Gives the instance in a block its own handle, unless it is the first.
    fn take_handle(&mut self, block: &mut Block) {
        if !std::mem::replace(&mut self.begun, true) {
            return;
        }
        let copy = self.function.locals[self.region].clone();
        self.handle = self.function.locals.alloc(copy);
        let (region, handle) = (self.region, self.handle);
        block.each_atom_mut(&mut |atom| {
            if *atom == Atom::Local(region) {
                *atom = Atom::Local(handle);
            }
        });
        block.each(&mut |block| {
            for statement in &block.statements {
                self.hold_copy(&statement.bound(), &statement.allocations());
            }
            if let End::Join { join, .. } = &block.end {
                self.hold_copy(&join.params, &[]);
            }
        });
    }

    /// Assigns what an instance binds and allocates to its handle.
    fn hold_copy(&mut self, locals: &[LocalId], allocations: &[AllocationId]) {
        for allocation in allocations {
            if self.allocations.get(allocation) == Some(&Region::Local(self.region)) {
                self.allocations.insert(*allocation, Region::Local(self.handle));
            }
        }
        for local in locals {
            if let Some(regions) = self.holders.get_mut(local)
                && regions.remove(&self.region)
            {
                regions.insert(self.handle);
            }
        }
    }

    /// Ends the region after its last use on each path through a block in which it is live. `inner` are the joins
    /// within its lifetime, which end it themselves.
    fn end_in(&mut self, block: &mut Block, inner: &mut HashSet<JoinId>) {
        if self.end_uses(&block.end) || jumps_to(&block.end, inner) {
            return self.end_at_end(block, inner);
        }
        let last = block.statements.iter().rposition(|statement| self.statement_uses(statement));
        let at = last.map_or(0, |last| last + 1);
        let span = last.map_or(self.function.span, |last| block.statements[last].span);
        let leave = self.leave(span);
        block.statements.insert(at, leave);
    }

    fn end_at_end(&mut self, block: &mut Block, inner: &mut HashSet<JoinId>) {
        match &mut block.end {
            End::If { .. } | End::Switch { .. } => {
                block.end.blocks_mut().into_iter().for_each(|block| self.end_in(block, inner));
            }
            End::Join { join, scope } => {
                inner.insert(join.id);
                self.end_in(scope, inner);
                self.end_in(&mut join.body, inner);
            }
            End::Jump(join, _) if inner.contains(join) => {}
            End::TailCall { .. } => {
                self.plain_call(block);
                let leave = self.leave(self.function.span);
                block.statements.push(leave);
            }
            End::Yield(_) | End::Continue(_) | End::Jump(..) => {
                let leave = self.leave(self.function.span);
                block.statements.push(leave);
            }
            End::Trap(..) => {}
        }
    }

    fn leave(&mut self, span: Span) -> Statement {
        let name = Symbol::new("left$");
        let local = self.function.locals.alloc(Local { name, ty: self.unit, span });
        Statement { kind: StatementKind::Let(local, Rhs::LeaveRegion(Atom::Local(self.region))), span }
    }

    /// Replaces a tail call by a plain call, so that the region can end after it.
    fn plain_call(&mut self, block: &mut Block) {
        let end = std::mem::replace(&mut block.end, End::Yield(Atom::Unit));
        if let End::TailCall { call, span, .. } = end {
            let name = Symbol::new("result$");
            let result = self.function.locals.alloc(Local { name, ty: self.function.result, span });
            block.statements.push(Statement { kind: StatementKind::Let(result, Rhs::Call(call)), span });
            block.end = End::Yield(Atom::Local(result));
        }
    }
}

fn nested(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::Let(_, rhs) => rhs.blocks(),
        StatementKind::Group(_) => Vec::new(),
    }
}

fn nested_mut(statement: &mut Statement) -> Vec<&mut Block> {
    match &mut statement.kind {
        StatementKind::Let(_, rhs) => rhs.blocks_mut(),
        StatementKind::Group(_) => Vec::new(),
    }
}

/// Whether an end jumps to one of the joins.
fn jumps_to(end: &End, joins: &HashSet<JoinId>) -> bool {
    match end {
        End::Jump(join, _) => joins.contains(join),
        End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Yield(_)
        | End::TailCall { .. }
        | End::Continue(_)
        | End::Trap(..) => end.blocks().into_iter().any(|block| jumps_to(&block.end, joins)),
    }
}
