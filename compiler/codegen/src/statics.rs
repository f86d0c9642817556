//! The static memory that a program's one-time allocations take.
//!
//! In: a program with storage, the target's layouts, and which files are the program's own. Out: the bytes of each
//! allocation and of each module-level value in static memory, so that what cannot fit is rejected before it is laid
//! out. What is in flash is not included: strings, tables and constants.

use crate::{constant_data::constants, layout::Layouts, report::allocated};
use clef_base::{Bytes, FileId, Span};
use clef_core::{Program, Rhs, Storage};
use clef_descriptors::Target;

/// Something in static memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Static {
    /// Where it is made; for an allocation in the library, the next place in the program after the call.
    pub span: Span,
    /// Its size; [`Bytes::MAX`] is larger than any memory.
    pub size: Bytes,
}

/// Everything in static memory.
pub fn statics(program: &Program, target: &Target, is_own: &dyn Fn(FileId) -> bool) -> Vec<Static> {
    let layouts = Layouts::new(program, target);
    let constants = constants(program);
    let mut found: Vec<Static> = program
        .globals
        .iter()
        .filter(|(id, _)| constants.global(*id).is_none())
        .map(|(_, global)| Static { span: global.span, size: layouts.extent(&layouts.repr(global.ty)).size })
        .collect();
    for function in program.functions.values() {
        // Entries found in the library that have no place in the program yet.
        let mut without_place = found.len()..found.len();
        function.body.each_statement(&mut |statement| {
            if is_own(statement.place.span.file) {
                found[without_place.clone()].iter_mut().for_each(|one| one.span = statement.place.span);
                without_place = found.len()..found.len();
            }
            let Some(rhs) = statement.rhs() else { return };
            let made = rhs.allocation().filter(|id| constants.allocation(*id).is_none());
            let Some(allocation) = made.map(|id| &program.allocations[id]) else { return };
            let is_static = allocation.decision.as_ref().is_some_and(|decision| decision.storage == Storage::Static);
            if is_static {
                let one = allocated(program, &layouts, allocation.kind).size;
                found.push(Static { span: allocation.span, size: one.saturating_mul(count(rhs)) });
                if is_own(allocation.span.file) {
                    without_place = found.len()..found.len();
                } else {
                    without_place.end = found.len();
                }
            }
        });
    }
    found
}

/// The number of elements; one for what is no array.
fn count(rhs: &Rhs) -> u64 {
    rhs.element_count().map_or(1, |count| u64::try_from(count).unwrap_or(0))
}
