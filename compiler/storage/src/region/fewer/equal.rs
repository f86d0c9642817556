//! Parameters of known functions that all callers give the same handle.
//!
//! All parameters of a function are taken as the same at first, and told apart where a call passes different handles, until
//! nothing changes: the greatest solution over the program.

use super::{remove_parameters, replace};
use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, Callee, Convention, FunctionId, LocalId, Program, Rhs, StatementKind};

/// For each parameter of a known function, the first one that is the same.
type Firsts = HashMap<FunctionId, Vec<usize>>;

/// Merges them.
pub(super) fn apply(program: &mut Program) {
    let firsts = firsts(program);
    let mut removed: HashMap<FunctionId, HashSet<usize>> = HashMap::default();
    for (id, firsts) in firsts {
        let later = firsts.iter().enumerate().filter(|(position, first)| position != *first);
        let later: Vec<(usize, usize)> = later.map(|(position, first)| (position, *first)).collect();
        if later.is_empty() {
            continue;
        }
        let regions = program.functions[id].regions.clone();
        let other: HashMap<LocalId, LocalId> =
            later.iter().map(|(position, first)| (regions[*position], regions[*first])).collect();
        replace(program, id, &other);
        move_once(&mut program.functions[id].body);
        removed.insert(id, later.into_iter().map(|(position, _)| position).collect());
    }
    remove_parameters(program, &removed);
}

/// Lets each evacuation move a region once.
fn move_once(body: &mut Block) {
    body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            if let StatementKind::Let(_, Rhs::Evacuate { moves, .. }) = &mut statement.kind {
                let mut from = Vec::new();
                moves.retain(|moved| {
                    let is_first = !from.contains(&moved.from);
                    from.push(moved.from.clone());
                    is_first
                });
            }
        }
    });
}

fn firsts(program: &Program) -> Firsts {
    let known = program.functions.iter().filter(|(_, function)| function.convention == Convention::Known);
    let mut firsts: Firsts = known.map(|(id, function)| (id, vec![0; function.regions.len()])).collect();
    firsts.retain(|_, firsts| firsts.len() > 1);
    let mut callers: HashMap<FunctionId, HashSet<FunctionId>> = HashMap::default();
    for (id, function) in program.functions.iter() {
        function.body.each_call(&mut |call| {
            if let Callee::Known(callee) = call.callee
                && firsts.contains_key(&callee)
            {
                callers.entry(id).or_default().insert(callee);
            }
        });
    }
    let mut work: Vec<FunctionId> = callers.keys().copied().collect();
    while let Some(caller) = work.pop() {
        let changed = tell_apart(program, caller, &mut firsts);
        work.extend(changed.into_iter().filter(|changed| callers.contains_key(changed)));
    }
    firsts
}

/// Tells apart the parameters to which the calls of a function pass different handles; returns the functions that changed.
fn tell_apart(program: &Program, caller: FunctionId, firsts: &mut Firsts) -> Vec<FunctionId> {
    let regions = &program.functions[caller].regions;
    let mut changed = Vec::new();
    program.functions[caller].body.each_call(&mut |call| {
        let Callee::Known(callee) = call.callee else { return };
        let own = firsts.get(&caller);
        let same = |atom: &Atom| {
            let position = atom.local().and_then(|local| regions.iter().position(|param| *param == local));
            match (position, own) {
                (Some(position), Some(own)) => Atom::Local(regions[own[position]]),
                (Some(_) | None, _) => atom.clone(),
            }
        };
        let passed: Vec<Atom> = call.regions.iter().map(same).collect();
        let Some(params) = firsts.get_mut(&callee) else { return };
        let before = params.clone();
        for position in 0..params.len() {
            let equal = |other: &usize| before[*other] == before[position] && passed[*other] == passed[position];
            params[position] = (0..position).find(equal).unwrap_or(position);
        }
        if *params != before {
            changed.push(callee);
        }
    });
    changed
}
