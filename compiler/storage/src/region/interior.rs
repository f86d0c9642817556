//! Checks that evacuation moves whole objects.
//!
//! In: a program with its regions. Out: the first violation of: no root of an evacuation points into the middle of an
//! object that the evacuation may move. Only the address of a cell that a closure owns ([`Convention::Closure`]) points
//! into the middle of an object, the closure. Such an address is used in the closure's code and in the known functions
//! that it calls, and the closure does not move meanwhile: loops and functions entered there empty their own regions,
//! which begin after the closure was made. Only the required tail calls of the code itself evacuate regions that may
//! hold the closure, so the condition is that neither they nor the evacuation before them use an owned cell.

use clef_base::Span;
use clef_core::{Block, Convention, End, Function, LocalId, Program, Rhs, StatementKind};

/// Checks all functions; returns the source location of the first violation and a message.
pub(super) fn verify(program: &Program) -> Result<(), (Span, String)> {
    program.functions.values().try_for_each(verify_function)
}

fn verify_function(function: &Function) -> Result<(), (Span, String)> {
    let Convention::Closure { owned, .. } = &function.convention else { return Ok(()) };
    if owned.is_empty() {
        return Ok(());
    }
    let mut violation = Ok(());
    function.body.each(&mut |block| {
        let End::TailCall { required: true, place, .. } = block.end else { return };
        for local in moved_at_end(block) {
            if owned.contains(&local) {
                let message = format!(
                    "{}: `{}`, which is owned by a closure, is moved separately",
                    function.name, function.locals[local].name
                );
                violation = Err((place.span, message));
            }
        }
    });
    violation
}

/// The roots of the evacuations of a block that ends with a tail call, and the arguments of the call.
fn moved_at_end(block: &Block) -> Vec<LocalId> {
    let mut found = Vec::new();
    block.end.atoms(&mut |atom| found.extend(atom.local()));
    for statement in &block.statements {
        if let StatementKind::Let(_, Rhs::Evacuate { roots, .. }) = &statement.kind {
            found.extend(roots.iter().filter_map(|root| root.local()));
        }
    }
    found
}
