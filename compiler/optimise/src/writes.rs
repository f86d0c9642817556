//! Joins writes of literals that follow one another to one stream or to one text.
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
        let (Some((target, before)), Some((other, after))) = (written(first), written(second)) else { continue };
        let text = before.as_str().to_owned() + after.as_str();
        if target == other && text.len() <= LONGEST {
            let arguments = target.1.iter().cloned().chain([Atom::String(Symbol::new(&text))]).collect();
            let intrinsic = target.0;
            replace(first, Rhs::Atom(Atom::Unit));
            replace(second, Rhs::Intrinsic { intrinsic, arguments, allocation: None });
        }
    }
    of.end.blocks_mut().into_iter().for_each(block);
}

/// The target of a write: an intrinsic that names a stream, or one with a text.
type Target = (Intrinsic, Option<Atom>);

/// The target and the text, if the statement writes a literal.
fn written(statement: &Statement) -> Option<(Target, Symbol)> {
    let StatementKind::Let(_, Rhs::Intrinsic { intrinsic, arguments, .. }) = &statement.kind else { return None };
    match (intrinsic, arguments.as_slice()) {
        (Intrinsic::ConsoleWrite | Intrinsic::ConsoleError, [Atom::String(text)]) => Some(((*intrinsic, None), *text)),
        (Intrinsic::TextAppend | Intrinsic::TextWrite, [target, Atom::String(text)]) => {
            Some(((*intrinsic, Some(target.clone())), *text))
        }
        _ => None,
    }
}

fn replace(statement: &mut Statement, with: Rhs) {
    if let StatementKind::Let(_, rhs) = &mut statement.kind {
        *rhs = with;
    }
}
