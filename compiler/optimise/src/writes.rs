//! Joins writes of literals that follow one another to one stream.
//!
//! Condition: nothing is between the writes. The result is short, because a console with a buffer and without a reader
//! drops a write that does not fit as a whole.

use clef_base::Symbol;
use clef_core::{Atom, Block, Program, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;

/// Joins writes in every function.
pub(super) fn join(program: &mut Program) {
    for (_, function) in program.functions.iter_mut() {
        block(&mut function.body);
    }
}

/// The longest joined text in bytes.
const LONGEST: usize = 128;

fn block(of: &mut Block) {
    for statement in &mut of.statements {
        if let StatementKind::Let(_, rhs) = &mut statement.kind {
            rhs.blocks_mut().into_iter().for_each(block);
        }
    }
    for index in 1..of.statements.len() {
        let [.., first, second] = &mut of.statements[..=index] else { continue };
        let (Some((stream, before)), Some((other, after))) = (written(first), written(second)) else { continue };
        let text = before.as_str().to_owned() + after.as_str();
        if stream == other && text.len() <= LONGEST {
            let arguments = vec![Atom::String(Symbol::new(&text))];
            replace(first, Rhs::Atom(Atom::Unit));
            replace(second, Rhs::Intrinsic { intrinsic: stream, arguments, allocation: None });
        }
    }
    of.end.blocks_mut().into_iter().for_each(block);
}

/// The intrinsic that names the stream, and the text, if the statement writes a literal.
fn written(statement: &Statement) -> Option<(Intrinsic, Symbol)> {
    let StatementKind::Let(_, Rhs::Intrinsic { intrinsic, arguments, .. }) = &statement.kind else { return None };
    let is_write = matches!(intrinsic, Intrinsic::ConsoleWrite | Intrinsic::ConsoleError);
    match arguments.as_slice() {
        [Atom::String(text)] if is_write => Some((*intrinsic, *text)),
        _ => None,
    }
}

fn replace(statement: &mut Statement, with: Rhs) {
    if let StatementKind::Let(_, rhs) = &mut statement.kind {
        *rhs = with;
    }
}
