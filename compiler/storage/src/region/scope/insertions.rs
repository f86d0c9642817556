//! Statements to insert into the blocks of a function, all in one walk.
//!
//! In: for each statement, a block and a place in it. Out: the function with all of them. The indices of the statements that were
//! there stay valid until then.

use super::uses::BlockNumber;
use clef_base::HashMap;
use clef_core::{Block, Statement};

/// What to insert into one block.
#[derive(Default)]
struct Inserted {
    /// Before the statement with this index; in order.
    before: HashMap<usize, Vec<Statement>>,
    /// After the statement with this index, or at the start of the block for [`None`]; last one first.
    after: HashMap<Option<usize>, Vec<Statement>>,
    /// After all statements; in order.
    at_end: Vec<Statement>,
}

/// The statements to insert into a function.
#[derive(Default)]
pub(super) struct Insertions(HashMap<BlockNumber, Inserted>);

impl Insertions {
    /// Inserts directly before a statement, after what was inserted there before.
    pub(super) fn before(&mut self, block: BlockNumber, index: usize, statement: Statement) {
        self.0.entry(block).or_default().before.entry(index).or_default().push(statement);
    }

    /// Inserts directly after a statement, or at the start of the block.
    pub(super) fn after(&mut self, block: BlockNumber, index: Option<usize>, statement: Statement) {
        self.0.entry(block).or_default().after.entry(index).or_default().push(statement);
    }

    /// Inserts at the end, after what was inserted there before.
    pub(super) fn at_end(&mut self, block: BlockNumber, statement: Statement) {
        self.0.entry(block).or_default().at_end.push(statement);
    }

    /// Writes them into the body of the function.
    pub(super) fn apply(mut self, body: &mut Block) {
        let mut number = 0;
        // Statements that are inserted have no nested blocks, so that the numbers of the blocks stay the same.
        body.each_mut(&mut |block| {
            if let Some(inserted) = self.0.remove(&number) {
                inserted.apply(block);
            }
            number += 1;
        });
    }
}

impl Inserted {
    fn apply(mut self, block: &mut Block) {
        let mut statements = Vec::new();
        let after = |inserted: &mut Inserted, index| inserted.after.remove(&index).into_iter().flatten().rev();
        statements.extend(after(&mut self, None));
        for (index, statement) in std::mem::take(&mut block.statements).into_iter().enumerate() {
            statements.extend(self.before.remove(&index).into_iter().flatten());
            statements.push(statement);
            statements.extend(after(&mut self, Some(index)));
        }
        statements.append(&mut self.at_end);
        block.statements = statements;
    }
}
