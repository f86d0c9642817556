//! The nodes that values lead to.
//!
//! In: the types whose nodes may be reused. Out: for each type, which of these its values lead to through tuples, cases
//! and nodes: not through ref cells, arrays, closures and types with mutable fields, since what is reached that way counts as
//! shared.

use clef_base::strongly_connected_components;
use clef_core::{Declared, Program};
use clef_types::{Type, TypeKind};

/// A set of types whose nodes may be reused, with a bit for each.
pub(super) type Mask = u64;

/// The most types in a set.
pub(super) const MOST: usize = Mask::BITS as usize;

/// For each type, by its number, the types that its values lead to.
pub(super) struct Held(Vec<Mask>, Vec<Mask>);

impl Held {
    /// For types whose nodes may be reused, at most [`MOST`].
    pub(super) fn new(program: &Program, reused: &[Type]) -> Held {
        let parts: Vec<Vec<usize>> = program.types.all().map(|ty| parts(program, ty)).collect();
        let mut own = vec![0; parts.len()];
        reused.iter().enumerate().for_each(|(bit, ty)| own[ty.number() as usize] = 1 << bit);
        let components = strongly_connected_components(&parts);
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|ty| components[*ty]);
        // The parts of a component have smaller numbers.
        let mut masks = vec![0; parts.len()];
        for ty in order {
            let led = parts[ty].iter().fold(own[ty], |mask, part| mask | masks[components[*part]]);
            masks[components[ty]] |= led;
        }
        Held(components.into_iter().map(|component| masks[component]).collect(), own)
    }

    /// What the values of a type lead to.
    pub(super) fn of(&self, ty: Type) -> Mask {
        self.0[ty.number() as usize]
    }

    /// The type itself, if its nodes may be reused.
    pub(super) fn own(&self, ty: Type) -> Mask {
        self.1[ty.number() as usize]
    }
}

/// A type without fields that can be overwritten.
pub(super) fn constant(program: &Program, ty: Type) -> Option<&Declared> {
    program.declared.get(&ty).filter(|declared| declared.cases.iter().all(|case| case.mutable.is_empty()))
}

/// The types of the parts of a value.
fn parts(program: &Program, ty: Type) -> Vec<usize> {
    let number = |ty: &Type| ty.number() as usize;
    match program.types.kind(ty) {
        TypeKind::Tuple(parts) => parts.iter().map(number).collect(),
        TypeKind::Declared(..) => {
            let cases = constant(program, ty).into_iter().flat_map(|declared| &declared.cases);
            cases.flat_map(|case| &case.fields).map(number).collect()
        }
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Function(..)
        | TypeKind::Reference(_)
        | TypeKind::Array(_)
        | TypeKind::NativePointer(_)
        | TypeKind::Slot(_)
        | TypeKind::Parameter(_)
        | TypeKind::Region => Vec::new(),
    }
}
