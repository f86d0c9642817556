//! Writes to growing texts directly, and the parts of a concatenation instead of the whole.
//!
//! Condition: the function has begun the text itself, and the concatenation is used once, by that write. A write to a stream
//! stays whole, because a console with a buffer and without a reader drops a write that does not fit.

use clef_core::{Atom, Block, Function, Local, LocalId, Program, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;
use la_arena::Arena;
use std::collections::{HashMap, HashSet};

/// Divides the writes of every function.
pub(super) fn divide(program: &mut Program) {
    for function in program.functions.values_mut() {
        let texts = begun(function);
        if !texts.is_empty() {
            let wholes = used_once(function);
            let Function { body, locals, .. } = function;
            body.each_mut(&mut |block| divide_in(block, &texts, &wholes, locals));
        }
    }
}

/// The growing texts that a function begins.
fn begun(function: &Function) -> HashSet<LocalId> {
    let mut texts = HashSet::new();
    function.body.each_statement(&mut |statement| {
        if let StatementKind::Let(local, Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, .. }) = &statement.kind {
            texts.insert(*local);
        }
    });
    texts
}

/// The parts of the concatenations that are used once.
fn used_once(function: &Function) -> HashMap<LocalId, Vec<Atom>> {
    let mut wholes = HashMap::new();
    function.body.each_statement(&mut |statement| {
        if let StatementKind::Let(local, Rhs::Concatenate { parts, .. }) = &statement.kind {
            wholes.insert(*local, (parts.clone(), 0));
        }
    });
    function.body.each_atom(&mut |atom| {
        if let Some((_, uses)) = atom.local().and_then(|local| wholes.get_mut(&local)) {
            *uses += 1;
        }
    });
    wholes.into_iter().filter(|(_, (_, uses))| *uses == 1).map(|(whole, (parts, _))| (whole, parts)).collect()
}

fn divide_in(
    block: &mut Block,
    texts: &HashSet<LocalId>,
    wholes: &HashMap<LocalId, Vec<Atom>>,
    locals: &mut Arena<Local>,
) {
    for statement in std::mem::take(&mut block.statements) {
        let Some((result, text, content)) = written(&statement, texts) else {
            block.statements.push(statement);
            continue;
        };
        let append = |local, part: &Atom| {
            let arguments = vec![text.clone(), part.clone()];
            let append = Rhs::Intrinsic { intrinsic: Intrinsic::TextAppend, arguments, allocation: None };
            Statement { kind: StatementKind::Let(local, append), span: statement.span }
        };
        let whole = std::slice::from_ref(content);
        let parts = content.local().and_then(|content| wholes.get(&content)).map_or(whole, Vec::as_slice);
        let (last, parts) = parts.split_last().unwrap_or((content, &[]));
        for part in parts {
            let local = locals.alloc(locals[result].clone());
            block.statements.push(append(local, part));
        }
        block.statements.push(append(result, last));
    }
}

/// The local, the text and the content of a write to a text that the function has begun.
fn written<'a>(statement: &'a Statement, texts: &HashSet<LocalId>) -> Option<(LocalId, &'a Atom, &'a Atom)> {
    let StatementKind::Let(result, Rhs::Intrinsic { intrinsic: Intrinsic::TextWrite, arguments, .. }) = &statement.kind
    else {
        return None;
    };
    let [text, content] = arguments.as_slice() else { return None };
    text.local().is_some_and(|text| texts.contains(&text)).then_some((*result, text, content))
}
