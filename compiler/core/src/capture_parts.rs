//! Closures capture the components of a tuple, or the fields of a record, that they use, rather than the whole.
//!
//! In: Core before storage assignment. Out: the same program with smaller closures. Conditions: the code only takes the
//! capture apart, and does not use at least one component, so that the closure never gets larger; and the value is not
//! boxed. A boxed value is a single pointer already, and may have mutable fields, which must be read when the closure
//! is called and not when it is created. A record has one case, so its fields can be read where the closure is created.

use super::{
    Atom, Block, Convention, Declared, Function, FunctionId, Local, LocalId, Program, Rhs, Statement, StatementKind,
};
use clef_base::{HashMap, Symbol};
use clef_types::{Type, TypeKind};
use std::collections::BTreeMap;

/// The parts of a capture that are used, with their types.
type Parts = BTreeMap<usize, Type>;

/// For each closure function, the captures to be replaced, by their position.
type Plan = HashMap<FunctionId, BTreeMap<usize, Parts>>;

/// Captures parts where not all are used; returns whether anything changed.
pub fn capture_parts(program: &mut Program) -> bool {
    let plan: Plan = program.functions.iter().map(|(id, function)| (id, wanted(program, function))).collect();
    if plan.values().all(BTreeMap::is_empty) {
        return false;
    }
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        take_parts(&mut program.functions[id], &program.declared, &plan[&id]);
        pass_parts(program, id, &plan);
    }
    true
}

/// The captures of a function of which only parts are used.
fn wanted(program: &Program, function: &Function) -> BTreeMap<usize, Parts> {
    let captures = function.captures().iter().enumerate();
    captures.filter_map(|(position, &capture)| Some((position, parts(program, function, capture)?))).collect()
}

fn parts(program: &Program, function: &Function, capture: LocalId) -> Option<Parts> {
    let whole = components(program, function.locals[capture].ty)?;
    let (mut uses, mut parts) = (0, 0);
    let mut used = Parts::new();
    function.body.each_atom(&mut |atom| uses += usize::from(*atom == Atom::Local(capture)));
    function.body.each_statement(&mut |statement| {
        if let StatementKind::Let(local, rhs) = &statement.kind
            && let Some(index) = part(rhs, capture)
        {
            parts += 1;
            used.insert(index, function.locals[*local].ty);
        }
    });
    // A capture without uses is dropped by `inputs`, with the closure if that is then empty.
    (uses == parts && parts > 0 && used.len() < whole).then_some(used)
}

/// The number of components of a value that can be taken apart anywhere.
fn components(program: &Program, ty: Type) -> Option<usize> {
    if let TypeKind::Tuple(parts) = program.types.kind(ty) {
        return Some(parts.len());
    }
    let declared = program.declared.get(&ty)?;
    match declared.cases.as_slice() {
        [case] if !declared.boxed => Some(case.fields.len()),
        _ => None,
    }
}

/// The index of the part of a local that is computed.
fn part(rhs: &Rhs, whole: LocalId) -> Option<usize> {
    let whole = Atom::Local(whole);
    if let Rhs::Component(value, index) | Rhs::Field { value, field: index, .. } = rhs {
        return (*value == whole).then_some(*index);
    }
    None
}

/// Replaces captures by their parts in a closure's code.
fn take_parts(function: &mut Function, declared: &HashMap<Type, Declared>, plan: &BTreeMap<usize, Parts>) {
    let Convention::Closure { captures, .. } = &mut function.convention else { return };
    for (&position, parts) in plan.iter().rev() {
        let whole = captures[position];
        let Local { name, span, ty } = function.locals[whole];
        let names = declared.get(&ty).and_then(|declared| declared.cases.first()).map(|case| case.names.as_slice());
        let field = |index: usize| names.and_then(|names| names.get(index).copied().flatten());
        let fresh: BTreeMap<usize, LocalId> = parts
            .iter()
            .map(|(&index, &ty)| {
                (index, function.locals.alloc(Local { name: part_name(name, field(index), index), ty, span }))
            })
            .collect();
        captures.splice(position..=position, fresh.values().copied());
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                if let StatementKind::Let(_, rhs) = &mut statement.kind
                    && let Some(index) = part(rhs, whole)
                {
                    *rhs = Rhs::Atom(Atom::Local(fresh[&index]));
                }
            }
        });
    }
}

/// The name of a part of a capture, as the source would access it: `point.x`, `pair.Item1`.
fn part_name(whole: Symbol, field: Option<Symbol>, index: usize) -> Symbol {
    let field = field.map_or_else(|| format!("Item{}", index + 1), |field| field.to_string());
    Symbol::new(&format!("{whole}.{field}"))
}

/// Takes the values apart where closures are created.
fn pass_parts(program: &mut Program, id: FunctionId, plan: &Plan) {
    let function = &mut program.functions[id];
    let mut body = std::mem::replace(&mut function.body, Block::empty());
    let types = &program.types;
    body.each_mut(&mut |block| {
        for mut statement in std::mem::take(&mut block.statements) {
            let place = statement.place;
            for closure in statement.closures_mut() {
                for (&position, parts) in plan[&closure.function].iter().rev() {
                    let whole = closure.captures[position].clone();
                    let mut given = Vec::new();
                    for (&index, &ty) in parts {
                        let local = function.locals.alloc(Local { name: Symbol::new("$"), ty, span: place.span });
                        let rhs = read(types, function, &whole, index);
                        block.statements.push(Statement { kind: StatementKind::Let(local, rhs), place });
                        given.push(Atom::Local(local));
                    }
                    closure.captures.splice(position..=position, given);
                }
            }
            block.statements.push(statement);
        }
    });
    program.functions[id].body = body;
}

/// The computation of a part.
fn read(types: &clef_types::Types, function: &Function, whole: &Atom, index: usize) -> Rhs {
    let tuple =
        matches!(whole, Atom::Local(local) if matches!(types.kind(function.locals[*local].ty), TypeKind::Tuple(_)));
    if tuple {
        Rhs::Component(whole.clone(), index)
    } else {
        Rhs::Field { value: whole.clone(), case: 0, field: index }
    }
}
