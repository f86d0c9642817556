//! The functions of the console on a serial line of the board, in images for other boards: they do nothing. Nothing calls these functions, and
//! they are removed; without optimisation the runtime still refers to them.

use clef_core::{Convention, Program};
use clef_mlir::{Build, Function, Signature};
use clef_types::console_symbol::{self, is_of_console};

/// Defines the functions, unless the program exports them.
pub(crate) fn define(build: &Build<'_>, program: &Program) {
    let is_own = |convention: &Convention| matches!(convention, Convention::Exported(symbol) if is_of_console(*symbol));
    if program.functions.values().any(|function| is_own(&function.convention)) {
        return;
    }
    let int = build.int(32);
    let send = Signature::c([int], None);
    build.define(&Function::new(console_symbol::SEND, send).external()).ret(None);
    let receive = Signature::c([], Some(int));
    let mut emit = build.define(&Function::new(console_symbol::RECEIVE, receive).external());
    let nothing = emit.iconst(int, 0);
    emit.ret(Some(nothing));
}
