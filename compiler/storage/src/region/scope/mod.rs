//! Where a region begins and ends within a function: at the smallest scope.
//!
//! In: a function, the handles of its own regions, and which locals may point into which region. Out: the function with
//! [`Rhs::EnterRegion`] before the first statement that uses a region, and [`Rhs::LeaveRegion`] after the last on each path.
//! Invariant: if a block uses a region only within nested blocks, no value in it flows from one of these to another, and each
//! has a region of its own, so that an iteration of a loop frees what it allocated. A tail call that takes the region becomes
//! a plain call; tail calls that must take constant stack never take one.
//!
//! The time is that of one walk and of the uses of the regions.

mod insertions;
mod uses;

use clef_base::{HashMap, HashSet, Symbol};
use clef_core::{
    AllocationId, Atom, Block, End, Function, JoinId, Local, LocalId, Place, Region, Rhs, Statement, StatementKind,
};
use clef_types::Type;
use insertions::Insertions;
use std::collections::BTreeSet;
use uses::{BlockNumber, END, Index, Position, Uses};

/// For each local, the handles of the regions that it may point into.
pub(super) type Holders = HashMap<LocalId, BTreeSet<LocalId>>;

/// Begins and ends the regions of a function.
pub(super) fn place(
    function: &mut Function,
    allocations: &mut HashMap<AllocationId, Region>,
    unit: Type,
    regions: &[LocalId],
    holders: &mut Holders,
) {
    if regions.is_empty() {
        return;
    }
    let mut index = Index::of(function, allocations, regions, holders);
    let mut body = std::mem::replace(&mut function.body, Block::empty());
    let (mut insertions, mut plain_calls) = (Insertions::default(), HashMap::default());
    for region in regions {
        let uses = index.take(*region);
        let mut scope = Scope {
            function,
            allocations,
            unit,
            region: *region,
            handle: *region,
            begun: false,
            uses,
            index: &index,
            plain_calls: &mut plain_calls,
            insertions: &mut insertions,
            holders,
        };
        scope.place(&mut body, 0);
    }
    insertions.apply(&mut body);
    function.body = body;
}

/// The placement of one region.
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
    uses: Uses,
    index: &'a Index,
    /// The blocks whose tail call became a plain call, with the index of its statement.
    plain_calls: &'a mut HashMap<BlockNumber, usize>,
    insertions: &'a mut Insertions,
    holders: &'a mut Holders,
}

impl Scope<'_> {
    /// The positions of a block that use the region, in order, with the statement of a tail call that became a plain call.
    fn positions(&self, block: BlockNumber) -> Vec<Position> {
        let plain = self.plain_calls.get(&block).copied();
        let positions = self.uses.positions.get(&block).into_iter().flatten();
        positions.map(|position| if *position == END { plain.unwrap_or(END) } else { *position }).collect()
    }

    /// Begins and ends the region in a block that uses it, or instances of it in nested blocks.
    fn place(&mut self, block: &mut Block, number: BlockNumber) {
        if self.uses.direct.contains(&number) {
            return self.begin(block, number);
        }
        for position in self.positions(number) {
            let inner = self.index.inner(number, position);
            for (nested, inner) in nested_mut(block, position).into_iter().zip(inner) {
                self.place(nested, *inner);
            }
        }
    }

    /// Begins an instance of the region in a block.
    fn begin(&mut self, block: &mut Block, number: BlockNumber) {
        self.plain_call(block, number);
        self.take_handle(block, number);
        let first = self.positions(number).first().copied().filter(|first| *first != END);
        let place = first.map_or(self.function.span.into(), |first| block.statements[first].place);
        let enter = Statement { kind: StatementKind::Let(self.handle, Rhs::EnterRegion), place };
        match first {
            Some(first) => self.insertions.before(number, first, enter),
            None => self.insertions.at_end(number, enter),
        }
        self.end_in(block, number, &mut HashSet::default());
    }

    /// Gives the instance in a block its own handle, unless it is the first.
    fn take_handle(&mut self, block: &mut Block, number: BlockNumber) {
        if !std::mem::replace(&mut self.begun, true) {
            return;
        }
        let copy = self.function.locals[self.region].clone();
        self.handle = self.function.locals.alloc(copy);
        self.rename(block, number);
    }

    /// Names the handle of the instance in the uses within a block.
    fn rename(&mut self, block: &mut Block, number: BlockNumber) {
        let (region, handle) = (self.region, self.handle);
        let mut rename = |atom: &mut Atom| {
            if *atom == Atom::Local(region) {
                *atom = Atom::Local(handle);
            }
        };
        for position in self.positions(number) {
            if let Some(statement) = block.statements.get_mut(position) {
                statement.atoms_mut(&mut rename);
                self.hold_copy(&statement.bound(), &statement.allocations());
            } else {
                block.end.atoms_mut(&mut rename);
                if let End::Join { join, .. } = &block.end {
                    self.hold_copy(&join.params, &[]);
                }
            }
            let inner = self.index.inner(number, position);
            for (nested, inner) in nested_mut(block, position).into_iter().zip(inner) {
                self.rename(nested, *inner);
            }
        }
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
    fn end_in(&mut self, block: &mut Block, number: BlockNumber, inner: &mut HashSet<JoinId>) {
        self.plain_call(block, number);
        let last = self.positions(number).last().copied();
        if last == Some(END) || jumps_to(&block.end, inner) {
            return self.end_at_end(block, number, inner);
        }
        let place = last.map_or(self.function.span.into(), |last| block.statements[last].place);
        let leave = self.leave(place);
        self.insertions.after(number, last, leave);
    }

    fn end_at_end(&mut self, block: &mut Block, number: BlockNumber, inner: &mut HashSet<JoinId>) {
        let nested = self.index.inner(number, END);
        match &mut block.end {
            End::If { .. } | End::Switch { .. } => {
                for (block, number) in block.end.blocks_mut().into_iter().zip(nested) {
                    self.end_in(block, *number, inner);
                }
            }
            End::Join { join, .. } => {
                inner.insert(join.id);
                for (block, number) in block.end.blocks_mut().into_iter().zip(nested) {
                    self.end_in(block, *number, inner);
                }
            }
            End::Jump(join, _) if inner.contains(join) => {}
            End::Yield(_) | End::Continue(_) | End::Jump(..) => {
                let leave = self.leave(self.function.span.into());
                self.insertions.at_end(number, leave);
            }
            End::TailCall { .. } | End::Trap(..) => {}
        }
    }

    fn leave(&mut self, place: Place) -> Statement {
        let name = Symbol::new("left$");
        let local = self.function.locals.alloc(Local { name, ty: self.unit, span: place.span });
        Statement { kind: StatementKind::Let(local, Rhs::LeaveRegion(Atom::Local(self.handle))), place }
    }

    /// Replaces a tail call that uses the region by a plain call, so that the region can end after it.
    fn plain_call(&mut self, block: &mut Block, number: BlockNumber) {
        let End::TailCall { call, place, .. } = &block.end else { return };
        if !self.uses.contains(number, END) {
            return;
        }
        let (call, place) = (call.clone(), *place);
        let result = Local { name: Symbol::new("result$"), ty: self.function.result, span: place.span };
        let result = self.function.locals.alloc(result);
        self.plain_calls.insert(number, block.statements.len());
        block.statements.push(Statement { kind: StatementKind::Let(result, Rhs::Call(call)), place });
        block.end = End::Yield(Atom::Local(result));
    }
}

/// The blocks within a position.
fn nested_mut(block: &mut Block, position: Position) -> Vec<&mut Block> {
    match block.statements.get_mut(position) {
        None => block.end.blocks_mut(),
        Some(Statement { kind: StatementKind::Let(_, rhs), .. }) => rhs.blocks_mut(),
        Some(Statement { kind: StatementKind::Group(_), .. }) => Vec::new(),
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
