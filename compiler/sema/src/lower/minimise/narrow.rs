//! Captures of tuples and records of which only some parts are used: those parts are captured alone, which is smaller.

use crate::{
    core::{Atom, Block, Convention, Function, FunctionId, Local, LocalId, Program, Rhs, Statement, StatementKind},
    types::{Type, TypeKind},
};
use clef_base::Symbol;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How one capture of a function is split.
struct Split {
    /// The type of the whole is a tuple; otherwise it is a declared type of one case.
    tuple: bool,
    /// The parts, with their types.
    parts: Vec<(usize, Type)>,
}

/// Narrows what can be narrowed; whether there was anything.
pub(super) fn narrow(program: &mut Program) -> bool {
    let mut splits: BTreeMap<FunctionId, BTreeMap<usize, Split>> = BTreeMap::new();
    for (id, function) in program.functions.iter() {
        for (index, local) in function.captures().iter().enumerate() {
            if let Some(split) = split(program, function, *local) {
                splits.entry(id).or_default().insert(index, split);
            }
        }
    }
    for (id, function) in program.functions.iter_mut() {
        if let Some(splits) = splits.get(&id) {
            split_inside(function, splits);
        }
        split_at_sites(function, &splits);
    }
    !splits.is_empty()
}

/// The part of a value that a statement takes.
fn part(rhs: &Rhs) -> Option<(&Atom, usize)> {
    let (Rhs::Component(value, index) | Rhs::Field { value, case: 0, field: index }) = rhs else { return None };
    Some((value, *index))
}

fn split(program: &Program, function: &Function, local: LocalId) -> Option<Split> {
    let ty = function.locals[local].ty;
    let (tuple, types) = if let TypeKind::Tuple(parts) = program.types.kind(ty) {
        (true, parts)
    } else {
        let [only] = program.declared.get(&ty)?.cases.as_slice() else { return None };
        (false, &only.fields)
    };
    let mut used = BTreeSet::new();
    let (mut uses, mut taken) = (0, 0);
    function.body.each(&mut |block| {
        for statement in &block.statements {
            if let StatementKind::Let(_, rhs) = &statement.kind
                && let Some((value, index)) = part(rhs)
                && *value == Atom::Local(local)
            {
                used.insert(index);
                taken += 1;
            }
        }
    });
    function.body.each_atom(&mut |atom| uses += usize::from(*atom == Atom::Local(local)));
    let smaller = uses == taken && !used.is_empty() && used.len() < types.len();
    smaller.then(|| Split { tuple, parts: used.into_iter().map(|index| (index, types[index])).collect() })
}

/// Puts the parts in place of the wholes among a closure's captures, and in its body.
fn split_inside(function: &mut Function, splits: &BTreeMap<usize, Split>) {
    let Convention::Closure { captures, .. } = &mut function.convention else { return };
    let mut replaced: HashMap<(LocalId, usize), LocalId> = HashMap::new();
    let mut narrowed = Vec::new();
    for (index, whole) in captures.iter().enumerate() {
        let Some(split) = splits.get(&index) else {
            narrowed.push(*whole);
            continue;
        };
        let Local { name, span, .. } = function.locals[*whole];
        for (part, ty) in &split.parts {
            let name = Symbol::new(&format!("{name}${part}"));
            let local = function.locals.alloc(Local { name, ty: *ty, span });
            replaced.insert((*whole, *part), local);
            narrowed.push(local);
        }
    }
    *captures = narrowed;
    function.body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            if let StatementKind::Let(_, rhs) = &mut statement.kind
                && let Some((Atom::Local(whole), index)) = part(rhs)
                && let Some(local) = replaced.get(&(*whole, index))
            {
                *rhs = Rhs::Atom(Atom::Local(*local));
            }
        }
    });
}

/// Takes the parts where closures are made.
fn split_at_sites(function: &mut Function, splits: &BTreeMap<FunctionId, BTreeMap<usize, Split>>) {
    let Function { body, locals, .. } = function;
    body.each_mut(&mut |block| {
        let affected =
            |statement: &Statement| statement.closures().iter().any(|closure| splits.contains_key(&closure.function));
        if block.statements.iter().any(affected) {
            split_block(locals, block, splits);
        }
    });
}

fn split_block(
    locals: &mut la_arena::Arena<Local>,
    block: &mut Block,
    splits: &BTreeMap<FunctionId, BTreeMap<usize, Split>>,
) {
    let mut statements = Vec::with_capacity(block.statements.len());
    for mut statement in std::mem::take(&mut block.statements) {
        let span = statement.span;
        for closure in statement.closures_mut() {
            let Some(splits) = splits.get(&closure.function) else { continue };
            let mut captures = Vec::new();
            for (index, whole) in std::mem::take(&mut closure.captures).into_iter().enumerate() {
                let Some(split) = splits.get(&index) else {
                    captures.push(whole);
                    continue;
                };
                for &(part, ty) in &split.parts {
                    let local = locals.alloc(Local { name: Symbol::new("$"), ty, span });
                    let rhs = match split.tuple {
                        true => Rhs::Component(whole.clone(), part),
                        false => Rhs::Field { value: whole.clone(), case: 0, field: part },
                    };
                    statements.push(Statement { kind: StatementKind::Let(local, rhs), span });
                    captures.push(Atom::Local(local));
                }
            }
            closure.captures = captures;
        }
        statements.push(statement);
    }
    block.statements = statements;
}
