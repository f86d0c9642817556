//! Which nodes can take the memory of others.
//!
//! In: a program before its storage is assigned, a target and the size of a page. Out: the program, where an operation has a
//! [`Reuse`] only if the runtime can tell whether its node lies in the region of the new one: both fit in a page, which
//! begins with the address of its region. A block of several pages does not.

use crate::layout::Layouts;
use clef_base::{Bytes, HashSet};
use clef_core::{Program, Reuse, Rhs, StatementKind};
use clef_descriptors::Target;
use clef_types::Type;

/// Removes the other ones.
pub fn keep_reusable(program: &mut Program, target: &Target, page: Bytes) {
    let unsuitable: HashSet<(Type, usize)> = {
        let layouts = Layouts::new(program, target);
        let header = u64::from(target.pointer_bits.bits() / 8) * 2;
        let is_suitable = |(ty, case): &(Type, usize)| {
            let extent = layouts.node(*ty, *case).extent;
            let size = extent.size.0.next_multiple_of(header / 2);
            extent.size.0 > 0 && extent.align.0 <= header && size + header <= page.0
        };
        reused(program).into_iter().filter(|node| !is_suitable(node)).collect()
    };
    if unsuitable.is_empty() {
        return;
    }
    for function in program.functions.values_mut() {
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                if let StatementKind::Let(_, Rhs::Inject { ty, case, reuse, .. }) = &mut statement.kind
                    && unsuitable.contains(&(*ty, *case))
                {
                    *reuse = None;
                }
            }
        });
    }
}

/// The cases whose nodes may be reused.
fn reused(program: &Program) -> HashSet<(Type, usize)> {
    let mut reused = HashSet::default();
    for function in program.functions.values() {
        function.body.each_statement(&mut |statement| {
            if let Some(Rhs::Inject { ty, case, reuse: Some(Reuse { .. }), .. }) = statement.rhs() {
                reused.insert((*ty, *case));
            }
        });
    }
    reused
}
