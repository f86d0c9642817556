//! Types whose values can hold a closure.

use clef_base::HashSet;
use clef_psg::Psg;
use clef_types::{DeclaredTypeId, Type, TypeKind, Types};

/// Whether a value of the type can hold a closure; a type parameter can.
pub(super) fn holds_closure(psg: &Psg, types: &Types, ty: Type) -> bool {
    holds(psg, types, ty, &mut HashSet::default(), true)
}

fn holds(psg: &Psg, types: &Types, ty: Type, seen: &mut HashSet<DeclaredTypeId>, parameter: bool) -> bool {
    match types.kind(ty) {
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::NativePointer(_)
        | TypeKind::Region => false,
        TypeKind::Function(..) | TypeKind::Slot(_) => true,
        TypeKind::Parameter(_) => parameter,
        TypeKind::Reference(of) | TypeKind::Array(of) => holds(psg, types, *of, seen, parameter),
        TypeKind::Tuple(parts) => parts.iter().any(|&part| holds(psg, types, part, seen, parameter)),
        TypeKind::Declared(declared, arguments) => {
            arguments.iter().any(|&argument| holds(psg, types, argument, seen, parameter))
                || seen.insert(*declared) && fields_hold(psg, types, *declared, seen)
        }
    }
}

/// Whether a field holds a closure whatever the type's arguments are.
fn fields_hold(psg: &Psg, types: &Types, declared: DeclaredTypeId, seen: &mut HashSet<DeclaredTypeId>) -> bool {
    let mut fields = psg.declared_types[declared].cases.iter().flat_map(|&case| &psg.cases[case].fields);
    fields.any(|&(_, field)| holds(psg, types, field, seen, false))
}
