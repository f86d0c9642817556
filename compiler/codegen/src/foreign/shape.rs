//! Plain data as C sees it: scalars, and structs whose fields lie in order, each at the next multiple of its alignment.
//!
//! A record of Clef is flat in registers and in closures; nested records have the padding of C only here, and in memory
//! that pointers point to.

use crate::layout::Repr;
use clef_base::{Bytes, Extent, internal::bug};
use clef_core::Program;
use clef_types::{Type, TypeKind};

/// Plain data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// `unit`.
    Nothing,
    /// One machine value.
    Scalar(Scalar),
    /// Fields in order.
    Struct(Vec<Shape>),
}

/// A machine value of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    /// `bool`: a byte of which one bit is significant.
    Truth,
    /// An integer.
    Integer {
        /// Its width.
        bits: u32,
        /// Whether it has negative values.
        signed: bool,
    },
    /// `float`.
    Float32,
    /// `double`.
    Float64,
    /// An address.
    Pointer,
}

impl Scalar {
    /// Size in bytes, and alignment.
    pub(crate) fn bytes(self, pointer_bytes: u64) -> u64 {
        match self {
            Scalar::Truth => 1,
            Scalar::Integer { bits, .. } => u64::from(bits / 8),
            Scalar::Float32 => 4,
            Scalar::Float64 => 8,
            Scalar::Pointer => pointer_bytes,
        }
    }

    /// The value in registers.
    pub(crate) fn repr(self) -> Repr {
        match self {
            Scalar::Truth => Repr::Integer(1),
            Scalar::Integer { bits, .. } => Repr::Integer(bits),
            Scalar::Float32 => Repr::Float32,
            Scalar::Float64 => Repr::Float64,
            Scalar::Pointer => Repr::Pointer,
        }
    }
}

impl Shape {
    /// The shape of a type that the checker has found to be plain.
    pub(crate) fn of(program: &Program, ty: Type, word_bits: u32) -> Shape {
        let fields =
            |fields: &[Type]| Shape::Struct(fields.iter().map(|ty| Shape::of(program, *ty, word_bits)).collect());
        match program.types.kind(ty) {
            TypeKind::Unit => Shape::Nothing,
            TypeKind::Bool => Shape::Scalar(Scalar::Truth),
            TypeKind::Char => Shape::Scalar(Scalar::Integer { bits: 32, signed: false }),
            TypeKind::Integer(integer) | TypeKind::Enum(_, integer) => {
                Shape::Scalar(Scalar::Integer { bits: integer.bits(word_bits), signed: integer.is_signed() })
            }
            TypeKind::Float32 => Shape::Scalar(Scalar::Float32),
            TypeKind::Float64 => Shape::Scalar(Scalar::Float64),
            TypeKind::NativePointer(_) => Shape::Scalar(Scalar::Pointer),
            TypeKind::Tuple(parts) => fields(parts),
            TypeKind::Declared(..) => match program.declared.get(&ty).map(|declared| declared.cases.as_slice()) {
                Some([case]) => fields(&case.fields),
                Some(_) | None => bug("generate", None, "a union is not plain data"),
            },
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => bug("generate", None, "a type is not plain data"),
        }
    }

    /// Size and alignment.
    pub(crate) fn extent(&self, pointer_bytes: u64) -> Extent {
        match self {
            Shape::Nothing => Extent::EMPTY,
            Shape::Scalar(scalar) => Extent::scalar(Bytes(scalar.bytes(pointer_bytes))),
            Shape::Struct(fields) => {
                fields.iter().fold(Extent::EMPTY, |whole, field| whole.with(field.extent(pointer_bytes))).padded()
            }
        }
    }

    /// The scalars, left to right, each with its offset.
    pub(crate) fn scalars(&self, pointer_bytes: u64) -> Vec<(u64, Scalar)> {
        let mut found = Vec::new();
        self.collect(0, pointer_bytes, &mut found);
        found
    }

    fn collect(&self, start: u64, pointer_bytes: u64, found: &mut Vec<(u64, Scalar)>) {
        match self {
            Shape::Nothing => {}
            Shape::Scalar(scalar) => found.push((start, *scalar)),
            Shape::Struct(fields) => {
                let mut end = 0_u64;
                for field in fields {
                    let extent = field.extent(pointer_bytes);
                    end = end.next_multiple_of(extent.align.0);
                    field.collect(start + end, pointer_bytes, found);
                    end += extent.size.0;
                }
            }
        }
    }
}
