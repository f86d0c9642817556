//! Makes nodes in the memory of nodes that are not used any more.
//!
//! In: a program. Out: the same program, where an [`Rhs::Inject`] of a boxed type becomes an [`Rhs::Reuse`] of a node of
//! the same case, if the function has taken that node apart, nothing else refers to it on any path, and nothing uses it
//! afterwards. `Node (insert x left, value, right)` then writes one field of the node that was matched: a loop that
//! replaces its state by a changed one makes no garbage.
//!
//! The idea is that of reuse in "Perceus: Garbage Free Reference Counting with Reuse" (Reinking, Xie, de Moura and
//! Leijen, PLDI 2021). Here nothing is counted: that there is one reference follows from an analysis of the whole program
//! in the style of ownership types. [`ownership`] assumes that every value is the only reference to its nodes, and drops
//! the assumption where a use contradicts it; [`solve`] does so across calls. A node from which code, or memory that can be overwritten, is reachable is not
//! reused, and one that was reachable from a ref cell, an array, a closure or a module-level value counts as shared.

mod held;
mod ownership;
mod place;
mod sites;
mod solve;
mod state;

use clef_base::HashMap;
use clef_core::{Atom, Evacuation, Function, FunctionId, Program, Reuse, Rhs, StatementKind};
use clef_types::{Type, TypeKind};
use held::{Held, MOST};
use place::Places;
use sites::Sites;
use std::collections::BTreeSet;

/// Reuses nodes in a whole program.
pub(super) fn reuse(program: &mut Program) {
    let found: HashMap<FunctionId, Sites> = program
        .functions
        .iter()
        .map(|(id, function)| (id, sites::find(program, function)))
        .filter(|(_, sites)| !sites.is_empty())
        .collect();
    let evacuation = Evacuation::new(program);
    let leads_to_code = evacuation.leading_to(|ty| matches!(program.types.kind(ty), TypeKind::Function(..)));
    let is_data = |ty: &Type| {
        !leads_to_code[ty.number() as usize] && !evacuation.overwritable(*ty) && !evacuation.leads_to_native(*ty)
    };
    let types: BTreeSet<Type> = found
        .iter()
        .flat_map(|(id, sites)| sites.values().map(|node| program.functions[*id].locals[*node].ty))
        .filter(is_data)
        .collect();
    let types: Vec<Type> = types.into_iter().collect();
    for some in types.chunks(MOST) {
        let held = Held::new(program, some);
        let of_types = |id: FunctionId, sites: &Sites| -> Sites {
            let function = &program.functions[id];
            let chosen = sites.iter().filter(|(_, node)| some.contains(&function.locals[**node].ty));
            chosen.map(|(made, node)| (*made, *node)).collect()
        };
        let candidates = found.iter().map(|(id, sites)| (*id, of_types(*id, sites))).collect();
        for (id, sites) in solve::solve(program, &held, candidates) {
            let places = Places::of(program, &program.functions[id]);
            rewrite(&mut program.functions[id], &sites, &places);
        }
    }
}

/// Replaces the chosen allocations of a function.
fn rewrite(function: &mut Function, sites: &Sites, places: &Places) {
    if sites.is_empty() {
        return;
    }
    function.body.each_mut(&mut |block| {
        for statement in &mut block.statements {
            let StatementKind::Let(made, rhs) = &mut statement.kind else { continue };
            let (Rhs::Inject { case, fields, reuse, .. }, Some(node)) = (&mut *rhs, sites.get(made)) else { continue };
            let stays = |(position, field): (usize, &Atom)| places.is_field(field, *node, *case, position);
            let stays = fields.iter().enumerate().map(stays).collect();
            *reuse = Some(Reuse { node: Atom::Local(*node), stays, is_certain: false });
        }
    });
}
