//! Writes to growing texts directly: the parts of a concatenation instead of the whole, and what a concatenation adds to the
//! text itself.
//!
//! Condition: the function has begun the text itself, and the concatenation is used once, by that write; or the finished text
//! is used once, as the first part of a concatenation. A write to a stream stays whole, because a console with a buffer and
//! without a reader drops a write that does not fit.

use clef_base::{HashMap, HashSet, Span, Symbol};
use clef_core::{Atom, Block, Function, Local, LocalId, Place, Program, Rhs, Statement, StatementKind};
use clef_types::{Intrinsic, TypeKind};
use la_arena::Arena;

/// Divides the writes of every function.
pub(super) fn divide(program: &mut Program) {
    let unit = program.types.intern(TypeKind::Unit);
    for function in program.functions.values_mut() {
        let texts = begun(function);
        if !texts.is_empty() {
            let wholes = used_once(function);
            let Function { body, locals, .. } = function;
            body.each_mut(&mut |block| divide_in(block, &texts, &wholes, locals));
            let ended = ended(function);
            let Function { body, locals, .. } = function;
            body.each_mut(&mut |block| {
                lengthen(block, &ended, &mut |span| locals.alloc(Local { name: Symbol::new("$"), ty: unit, span }))
            });
        }
    }
}

/// The growing texts that a function begins.
fn begun(function: &Function) -> HashSet<LocalId> {
    let mut texts = HashSet::default();
    function.body.each_statement(&mut |statement| {
        if let StatementKind::Let(local, Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, .. }) = &statement.kind {
            texts.insert(*local);
        }
    });
    texts
}

/// The parts of the concatenations that are used once.
fn used_once(function: &Function) -> HashMap<LocalId, Vec<Atom>> {
    let mut wholes = HashMap::default();
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

/// The strings of growing texts that are used once.
fn ended(function: &Function) -> HashSet<LocalId> {
    let mut strings = HashMap::default();
    function.body.each_statement(&mut |statement| strings.extend(end(statement).map(|(string, _)| (string, 0))));
    function.body.each_atom(&mut |atom| {
        if let Some(uses) = atom.local().and_then(|local| strings.get_mut(&local)) {
            *uses += 1;
        }
    });
    strings.into_iter().filter(|(_, uses)| *uses == 1).map(|(string, _)| string).collect()
}

/// The string and the text of a statement that ends a growing text.
fn end(statement: &Statement) -> Option<(LocalId, &Atom)> {
    match &statement.kind {
        StatementKind::Let(string, Rhs::Intrinsic { intrinsic: Intrinsic::TextEnd, arguments, .. }) => {
            Some((*string, arguments.first()?))
        }
        StatementKind::Let(..) | StatementKind::Group(_) => None,
    }
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
        let append = |local, part: &Atom| append(local, text, part, statement.place);
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

fn append(local: LocalId, text: &Atom, part: &Atom, place: Place) -> Statement {
    let arguments = vec![text.clone(), part.clone()];
    let append = Rhs::Intrinsic { intrinsic: Intrinsic::TextAppend, arguments, allocation: None };
    Statement { kind: StatementKind::Let(local, append), place }
}

/// Appends what the concatenations of a block add to a text that ends before them, and ends it there. No other text may begin
/// or end in between, so that texts stay nested.
fn lengthen(block: &mut Block, ended: &HashSet<LocalId>, fresh: &mut dyn FnMut(Span) -> LocalId) {
    // The statement that ends the latest text, if no other text has begun since.
    let mut latest = None;
    for statement in std::mem::take(&mut block.statements) {
        let begins =
            matches!(&statement.kind, StatementKind::Let(_, Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, .. }));
        if begins || end(&statement).is_some() {
            latest = (!begins).then_some(block.statements.len());
        }
        let added = latest.and_then(|latest| Some((latest, added(block.statements.get(latest)?, &statement, ended)?)));
        let (Some((end, (text, parts))), StatementKind::Let(whole, _)) = (added, &statement.kind) else {
            block.statements.push(statement);
            continue;
        };
        let mut ending = block.statements.remove(end);
        block
            .statements
            .extend(parts.iter().map(|part| append(fresh(statement.place.span), &text, part, statement.place)));
        if let StatementKind::Let(string, _) = &mut ending.kind {
            *string = *whole;
        }
        latest = Some(block.statements.len());
        block.statements.push(ending);
    }
}

/// The text and what a concatenation adds to it, if its first part is the string of that text.
fn added<'a>(ending: &Statement, statement: &'a Statement, ended: &HashSet<LocalId>) -> Option<(Atom, &'a [Atom])> {
    let StatementKind::Let(_, Rhs::Concatenate { parts, .. }) = &statement.kind else { return None };
    let (string, text) = end(ending)?;
    let (first, rest) = parts.split_first()?;
    (first.local() == Some(string) && ended.contains(&string)).then(|| (text.clone(), rest))
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
