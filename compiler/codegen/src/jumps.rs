//! The blocks of MLIR that the code of a function jumps to by name.

use crate::code::Code;
use clef_base::HashMap;
use clef_core::JoinId;
use clef_mlir::{Block, Value};

/// The targets of jumps. A join is known from the emission of its scope on, which is before all jumps to it.
#[derive(Default)]
pub(crate) struct Jumps<'m> {
    joins: HashMap<JoinId, Block<'m>>,
    /// Where the body begins, if it restarts itself.
    start: Option<Block<'m>>,
}

impl<'m> Jumps<'m> {
    /// For a body that restarts at a block.
    pub(crate) fn with_start(start: Block<'m>) -> Jumps<'m> {
        Jumps { joins: HashMap::default(), start: Some(start) }
    }

    /// Adds a join.
    pub(crate) fn add(&mut self, join: JoinId, block: Block<'m>) {
        self.joins.insert(join, block);
    }

    /// Jumps to a join.
    pub(crate) fn to_join(&self, code: &mut Code<'_, '_, 'm>, join: JoinId, arguments: &[Value<'m>]) {
        match self.joins.get(&join) {
            Some(block) => code.emit.br(*block, arguments),
            None => code.bug("a jump is outside of the scope of its join"),
        }
    }

    /// Starts the body again.
    pub(crate) fn restart(&self, code: &mut Code<'_, '_, 'm>, arguments: &[Value<'m>]) {
        match self.start {
            Some(start) => code.emit.br(start, arguments),
            None => code.bug("a body without a start block restarts"),
        }
    }
}
