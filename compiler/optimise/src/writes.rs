//! Joins writes of literals that follow one another to one stream.
//!
//! Condition: nothing is between the writes, so that nothing can observe the first of them alone.

use clef_base::Symbol;
use clef_core::{Atom, Block, Program, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;

/// Joins writes in every function.
pub(super) fn join(program: &mut Program) {
    for (_, function) in program.functions.iter_mut() {
        block(&mut function.body);
    }
}

fn block(of: &mut Block) {
    for statement in &mut of.statements {
        if let StatementKind::Let(_, rhs) = &mut statement.kind {
            rhs.blocks_mut().into_iter().for_each(block);
        }
    }
    let to_one_stream = |one: &Statement, other: &Statement| {
        let (one, other) = (written(one), written(other));
        one.zip(other).is_some_and(|((stream, _), (other, _))| stream == other)
    };
    for run in of.statements.chunk_by_mut(to_one_stream).filter(|run| run.len() > 1) {
        let text: String = run.iter().filter_map(written).map(|(_, text)| text.as_str()).collect();
        let Some((last, others)) = run.split_last_mut() else { continue };
        others.iter_mut().for_each(|write| replace(write, Rhs::Atom(Atom::Unit)));
        if let Some((stream, _)) = written(last) {
            let arguments = vec![Atom::String(Symbol::new(&text))];
            replace(last, Rhs::Intrinsic { intrinsic: stream, arguments, allocation: None });
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
