//! The size of variants: those that would contain themselves, and so have infinite size, and those that are large.
//!
//! In: the traced values. Out: the contents on a cycle of the relation: the variants of one hold, without an address in
//! between, a variant of the other.

use super::{cells::Content, origins::Traced, positions::Positions};
use clef_base::{HashSet, strongly_connected_components};
use clef_core::{FunctionId, Program};
use clef_types::{Type, TypeKind};
use std::collections::BTreeMap;

/// Finds these contents.
pub(super) fn endless(program: &Program, positions: &Positions, traced: &BTreeMap<Content, Traced>) -> Vec<Content> {
    let contents: Vec<Content> = traced.keys().copied().collect();
    let edges: Vec<Vec<usize>> = traced
        .values()
        .map(|found| {
            let mut held = HashSet::default();
            for lambda in &found.lambdas {
                let function = &program.functions[*lambda];
                for capture in function.captures() {
                    let ty = function.locals[*capture].ty;
                    let own = contents.iter().filter(|of| of.ty == ty);
                    held.extend(own.filter(|of| traced[of].locals.contains(&(*lambda, *capture))));
                    variants(program, positions, ty, &mut held, &mut HashSet::default());
                }
            }
            held.iter().filter_map(|of| contents.binary_search(of).ok()).collect()
        })
        .collect();
    let components = strongly_connected_components(&edges);
    let alone = |index: usize| {
        let same = components.iter().filter(|component| **component == components[index]).count() == 1;
        same && !edges[index].contains(&index)
    };
    (0..contents.len()).filter(|index| !alone(*index)).map(|index| contents[index]).collect()
}

/// Whether a function captures no more values than a limit, where each part of a tuple or an unboxed record or union counts.
pub(super) fn captures_at_most(program: &Program, lambda: FunctionId, limit: usize) -> bool {
    let function = &program.functions[lambda];
    let mut due: Vec<Type> = function.captures().iter().map(|capture| function.locals[*capture].ty).collect();
    let mut count = 0;
    while let Some(ty) = due.pop() {
        match (program.types.kind(ty), program.declared.get(&ty)) {
            (TypeKind::Tuple(parts), _) => due.extend(parts),
            (_, Some(declared)) if !declared.boxed => due.extend(declared.cases.iter().flat_map(|case| &case.fields)),
            _ => {}
        }
        // A whole counts as well as its parts, so that this ends early; strings and arrays are an address and a length.
        count += if matches!(program.types.kind(ty), TypeKind::String | TypeKind::Array(_)) { 2 } else { 1 };
        if count > limit {
            return false;
        }
    }
    true
}

/// The contents whose variants a value of a type holds: none of them in a cell.
fn variants(program: &Program, positions: &Positions, ty: Type, held: &mut HashSet<Content>, seen: &mut HashSet<Type>) {
    let parts: Vec<Type> = match program.types.kind(ty) {
        TypeKind::Tuple(parts) => parts.clone(),
        TypeKind::Declared(..) if !program.declared[&ty].boxed && seen.insert(ty) => {
            program.declared[&ty].cases.iter().flat_map(|case| case.fields.iter().copied()).collect()
        }
        TypeKind::Declared(..)
        | TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Function(..)
        | TypeKind::Reference(_)
        | TypeKind::Array(_)
        | TypeKind::NativePointer(_)
        | TypeKind::Slot(_)
        | TypeKind::Enum(..)
        | TypeKind::Parameter(_)
        | TypeKind::Region => return,
    };
    for part in parts {
        if positions.parts(ty) && matches!(program.types.kind(part), TypeKind::Function(..)) {
            held.insert(Content { ty: part, group: 0 });
        }
        variants(program, positions, part, held, seen);
    }
}
