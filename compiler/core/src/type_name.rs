//! Types in source syntax, for listings and for the names of instances.

use clef_types::{Type, TypeKind, Types};

/// The precedence of the position of a type: what needs parentheses there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Anywhere; nothing needs parentheses.
    Open,
    /// Left of an arrow: functions need parentheses.
    Argument,
    /// A component of a tuple: functions and tuples need parentheses.
    Component,
}

/// Writes `ty`; `declared` names an instance of a declared type.
pub fn type_name(types: &Types, declared: &dyn Fn(Type) -> String, ty: Type) -> String {
    write(types, declared, ty, Place::Open)
}

fn write(types: &Types, declared: &dyn Fn(Type) -> String, ty: Type, place: Place) -> String {
    let parenthesised = |text: String, needed: bool| if needed { format!("({text})") } else { text };
    let within = |part: Type, place: Place| write(types, declared, part, place);
    match types.kind(ty) {
        TypeKind::Unit => "unit".into(),
        TypeKind::Bool => "bool".into(),
        TypeKind::Char => "char".into(),
        TypeKind::String => "string".into(),
        TypeKind::Integer(integer) | TypeKind::Enum(_, integer) => integer.name().into(),
        TypeKind::Float32 => "float32".into(),
        TypeKind::Float64 => "float".into(),
        TypeKind::Function(argument, result) => {
            let text = format!("{} -> {}", within(*argument, Place::Argument), within(*result, Place::Open));
            parenthesised(text, place >= Place::Argument)
        }
        TypeKind::Tuple(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| within(*part, Place::Component)).collect();
            parenthesised(parts.join(" * "), place >= Place::Component)
        }
        TypeKind::Reference(of) => format!("{} ref", within(*of, Place::Component)),
        TypeKind::Array(of) => format!("{} array", within(*of, Place::Component)),
        TypeKind::NativePointer(of) => format!("nativeptr<{}>", within(*of, Place::Open)),
        TypeKind::Declared(..) => declared(ty),
        TypeKind::Parameter(parameter) => format!("'{}", parameter.into_raw()),
        TypeKind::Slot(of) => format!("slot<{}>", within(*of, Place::Open)),
        TypeKind::Region => "region".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_types::IntegerType;

    #[test]
    fn parenthesises_only_where_needed() {
        let mut types = Types::default();
        let int = types.intern(TypeKind::Integer(IntegerType::Int));
        let unary = types.intern(TypeKind::Function(int, int));
        let higher = types.intern(TypeKind::Function(unary, unary));
        let pair = types.intern(TypeKind::Tuple(vec![int, higher]));
        let nested = types.intern(TypeKind::Tuple(vec![pair, int]));
        let cell = types.intern(TypeKind::Reference(unary));
        let name = |ty| type_name(&types, &|_| String::new(), ty);
        assert_eq!(name(higher), "(int -> int) -> int -> int");
        assert_eq!(name(nested), "(int * ((int -> int) -> int -> int)) * int");
        assert_eq!(name(cell), "(int -> int) ref");
    }
}
