//! Tells whether rewrites have changed a program.
//!
//! In: a program. Out: a hash of its functions; equal programs have equal hashes. If different ones had, optimisation
//! would end early, with a correct program. Names, spans and what only describes the code do not count.

use clef_base::FxHasher;
use clef_core::Program;
use std::hash::{Hash as _, Hasher as _};

/// The hash of the functions of a program.
pub(super) fn of(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    for (id, function) in program.functions.iter() {
        (id, &function.convention, &function.params, function.leading_captures).hash(&mut hasher);
        (function.result, function.inlining, &function.body).hash(&mut hasher);
    }
    hasher.finish()
}
