//! Where a function uses each of its own regions.
//!
//! In: a function, which locals may point into which region, and the region of each allocation. Out: the blocks of the function,
//! numbered outer before inner, and for each region the positions that use it. One walk finds the uses of all regions, so that
//! the placement of a region visits its uses and nothing else.

use super::Holders;
use clef_base::{HashMap, HashSet};
use clef_core::{AllocationId, Atom, Block, End, Function, LocalId, Region, Statement, StatementKind};
use std::collections::{BTreeMap, BTreeSet};

/// The number of a block, in the order of [`Block::each`].
pub(super) type BlockNumber = usize;

/// A place in a block: the index of a statement, or [`END`].
pub(super) type Position = usize;

/// The end of a block, after all its statements.
pub(super) const END: Position = usize::MAX;

/// The uses of one region.
#[derive(Default)]
pub(super) struct Uses {
    /// For each block with uses, the positions that use the region, themselves or in nested blocks.
    pub(super) positions: HashMap<BlockNumber, BTreeSet<Position>>,
    /// The blocks in which a statement or the end itself uses the region, not only a nested block.
    pub(super) direct: HashSet<BlockNumber>,
}

impl Uses {
    /// Whether a position uses the region.
    pub(super) fn contains(&self, block: BlockNumber, position: Position) -> bool {
        self.positions.get(&block).is_some_and(|positions| positions.contains(&position))
    }
}

/// The blocks of a function and the uses of its regions.
#[derive(Default)]
pub(super) struct Index {
    /// The blocks within each position that has some.
    inner: HashMap<(BlockNumber, Position), Vec<BlockNumber>>,
    uses: BTreeMap<LocalId, Uses>,
}

impl Index {
    /// Finds the uses of the regions.
    pub(super) fn of(
        function: &Function,
        allocations: &HashMap<AllocationId, Region>,
        regions: &[LocalId],
        holders: &Holders,
    ) -> Index {
        let uses = regions.iter().map(|region| (*region, Uses::default())).collect();
        let mut builder =
            Builder { index: Index { uses, ..Index::default() }, allocations, holders, around: Vec::new(), blocks: 0 };
        builder.block(&function.body);
        builder.index
    }

    /// The blocks within a position.
    pub(super) fn inner(&self, block: BlockNumber, position: Position) -> &[BlockNumber] {
        self.inner.get(&(block, position)).map_or(&[], Vec::as_slice)
    }

    /// The uses of a region, which are forgotten.
    pub(super) fn take(&mut self, region: LocalId) -> Uses {
        self.uses.remove(&region).unwrap_or_default()
    }
}

struct Builder<'a> {
    index: Index,
    allocations: &'a HashMap<AllocationId, Region>,
    holders: &'a Holders,
    /// The positions around the current block, outermost first.
    around: Vec<(BlockNumber, Position)>,
    /// The number of blocks so far.
    blocks: usize,
}

impl Builder<'_> {
    fn block(&mut self, block: &Block) -> BlockNumber {
        let number = self.blocks;
        self.blocks += 1;
        for (position, statement) in block.statements.iter().enumerate() {
            self.statement((number, position), statement);
            if let StatementKind::Let(_, rhs) = &statement.kind {
                self.nested((number, position), &rhs.blocks());
            }
        }
        let at = (number, END);
        block.end.atoms(&mut |atom| self.atom(at, atom));
        if let End::Join { join, .. } = &block.end {
            join.params.iter().for_each(|param| self.local(at, *param));
        }
        self.nested(at, &block.end.blocks());
        number
    }

    fn nested(&mut self, at: (BlockNumber, Position), blocks: &[&Block]) {
        if blocks.is_empty() {
            return;
        }
        self.around.push(at);
        let inner = blocks.iter().map(|block| self.block(block)).collect();
        self.around.pop();
        self.index.inner.insert(at, inner);
    }

    fn statement(&mut self, at: (BlockNumber, Position), statement: &Statement) {
        statement.bound().into_iter().for_each(|local| self.local(at, local));
        statement.atoms(&mut |atom| self.atom(at, atom));
        for allocation in statement.allocations() {
            if let Some(Region::Local(region)) = self.allocations.get(&allocation) {
                self.region(at, *region);
            }
        }
    }

    fn atom(&mut self, at: (BlockNumber, Position), atom: &Atom) {
        if let Atom::Local(local) = atom {
            self.local(at, *local);
        }
    }

    fn local(&mut self, at: (BlockNumber, Position), local: LocalId) {
        self.region(at, local);
        let holders = self.holders;
        holders.get(&local).into_iter().flatten().for_each(|region| self.region(at, *region));
    }

    /// Notes a use of a local, if it is the handle of a region of interest.
    fn region(&mut self, (block, position): (BlockNumber, Position), region: LocalId) {
        let Some(uses) = self.index.uses.get_mut(&region) else { return };
        uses.direct.insert(block);
        uses.positions.entry(block).or_default().insert(position);
        for (block, position) in self.around.iter().rev() {
            if !uses.positions.entry(*block).or_default().insert(*position) {
                break;
            }
        }
    }
}
