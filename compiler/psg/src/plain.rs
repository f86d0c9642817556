//! Plain data: values whose layout every language knows.
//!
//! In: a type. Out: a [`Plain`], or the part of the type that is not plain. Plain are numbers, booleans, characters,
//! pointers, and tuples and records of them. A tuple or record is laid out like a C struct: its fields in order, each at the
//! next multiple of its alignment. The representation of other types is internal to the compiler.

use crate::Psg;
use clef_base::{Bytes, Extent, HashMap};
use clef_types::{DeclaredKind, TargetFacts, Type, TypeKind, Types};

/// A plain type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plain {
    /// `unit`: no bits.
    Unit,
    /// A scalar of this size, which is also its alignment.
    Scalar(Bytes),
    /// Fields in order.
    Struct(Vec<Plain>),
}

/// A part of a type that is not plain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsuitable {
    /// The part.
    pub part: Type,
    /// What it is.
    pub kind: TypeKind,
}

impl Plain {
    /// The plain representation of a type.
    pub fn of(psg: &Psg, types: &mut Types, ty: Type, facts: TargetFacts) -> Result<Plain, Unsuitable> {
        let kind = types.kind(ty).clone();
        let word = Bytes(u64::from(facts.word_bits / u8::BITS));
        let parts: Vec<Type> = match &kind {
            TypeKind::Unit => return Ok(Plain::Unit),
            TypeKind::Bool => return Ok(Plain::Scalar(Bytes(1))),
            TypeKind::Char | TypeKind::Float32 => return Ok(Plain::Scalar(Bytes(4))),
            TypeKind::Float64 => return Ok(Plain::Scalar(Bytes(8))),
            TypeKind::Integer(integer) | TypeKind::Enum(_, integer) => {
                return Ok(Plain::Scalar(Bytes(u64::from(integer.bits(facts.word_bits) / u8::BITS))));
            }
            TypeKind::NativePointer(_) => return Ok(Plain::Scalar(word)),
            TypeKind::Tuple(parts) => parts.clone(),
            TypeKind::Declared(declared, arguments) => {
                let data = &psg.declared_types[*declared];
                if data.kind != DeclaredKind::Record || data.boxed {
                    return Err(Unsuitable { part: ty, kind });
                }
                let replace: HashMap<_, _> = data.parameters.iter().copied().zip(arguments.iter().copied()).collect();
                let fields = data.cases.iter().flat_map(|case| &psg.cases[*case].fields);
                fields.map(|(_, field)| types.substitute(*field, &replace)).collect()
            }
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => return Err(Unsuitable { part: ty, kind }),
        };
        let fields: Result<Vec<Plain>, Unsuitable> =
            parts.into_iter().map(|part| Plain::of(psg, types, part, facts)).collect();
        fields.map(Plain::Struct)
    }

    /// The size, a multiple of the alignment, and the alignment.
    pub fn extent(&self) -> Extent {
        match self {
            Plain::Unit => Extent::EMPTY,
            Plain::Scalar(size) => Extent::scalar(*size),
            Plain::Struct(fields) => {
                fields.iter().fold(Extent::EMPTY, |whole, field| whole.with(field.extent())).padded()
            }
        }
    }
}

/// Whether values of a type may cross the FFI boundary: plain ones; `unit` is nothing there.
pub fn fits_ffi_boundary(psg: &mut Psg, ty: Type) -> Result<(), Unsuitable> {
    let mut types = std::mem::take(&mut psg.types);
    let plain = Plain::of(psg, &mut types, ty, TargetFacts { word_bits: u64::BITS });
    psg.types = types;
    plain.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_types::IntegerType;

    fn layout(kinds: &[TypeKind], word_bits: u32) -> (u64, u64) {
        let (psg, mut types) = (Psg::default(), Types::default());
        let parts = kinds.iter().map(|kind| types.intern(kind.clone())).collect();
        let ty = types.intern(TypeKind::Tuple(parts));
        let plain = Plain::of(&psg, &mut types, ty, TargetFacts { word_bits }).expect("it is plain");
        (plain.extent().size.0, plain.extent().align.0)
    }

    #[test]
    fn fields_lie_where_c_puts_them() {
        let byte = TypeKind::Integer(IntegerType::U8);
        let short = TypeKind::Integer(IntegerType::I16);
        let word = TypeKind::Integer(IntegerType::Int);
        assert_eq!(layout(&[byte.clone(), short, byte.clone()], 32), (6, 2));
        assert_eq!(layout(&[byte.clone(), TypeKind::Float64, byte.clone()], 32), (24, 8));
        assert_eq!(layout(&[byte.clone(), word.clone()], 32), (8, 4));
        assert_eq!(layout(&[byte, word], 64), (16, 8));
    }

    #[test]
    fn the_part_that_is_not_plain_is_named() {
        let (psg, mut types) = (Psg::default(), Types::default());
        let (unit, string) = (types.intern(TypeKind::Unit), types.intern(TypeKind::String));
        let pair = types.intern(TypeKind::Tuple(vec![unit, string]));
        let unsuitable =
            Plain::of(&psg, &mut types, pair, TargetFacts { word_bits: 32 }).expect_err("a string is not plain data");
        assert_eq!(unsuitable, Unsuitable { part: string, kind: TypeKind::String });
    }
}
