//! The approximate size of code: one for each statement and each end that is more than a value.

use clef_core::{Block, End};

/// The size of a block including nested blocks.
pub(super) fn size(block: &Block) -> usize {
    let mut size = 0;
    block.each(&mut |block| {
        size += block.statements.len();
        size += match block.end {
            End::Yield(_) => 0,
            End::TailCall { .. }
            | End::Continue(_)
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..)
            | End::Trap(..) => 1,
        };
    });
    size
}
