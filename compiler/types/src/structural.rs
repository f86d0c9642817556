//! Conventions of the operations that follow the structure of values, `hash` and `%A`, shared by compiled programs and the
//! interpreter.

use crate::{DeclaredType, IntegerType};

/// The initial hash of a compound value: FNV-1a over words of 32 bits (Fowler, Noll and Vo, "The FNV non-cryptographic hash
/// algorithm").
pub const HASH_START: u32 = 2_166_136_261;

/// The factor by which a hash is multiplied for each part.
pub const HASH_PRIME: u32 = 16_777_619;

/// The hash of every NaN.
pub const HASH_OF_NAN: u32 = 0x7ff8_0000;

/// The maximum number of elements of a list or an array that `%A` shows.
pub const MAX_ELEMENTS: i128 = 100;

/// The suffix that `%A` writes after an integer, so that it parses as one of its type.
pub fn integer_suffix(integer: IntegerType) -> &'static str {
    match integer {
        IntegerType::I8 => "y",
        IntegerType::U8 => "uy",
        IntegerType::I16 => "s",
        IntegerType::U16 => "us",
        IntegerType::I32 | IntegerType::Int => "",
        IntegerType::U32 | IntegerType::UInt => "u",
        IntegerType::I64 => "L",
        IntegerType::U64 => "UL",
        IntegerType::NativeInt => "n",
        IntegerType::UNativeInt => "un",
    }
}

/// The output of `%A` for a value of a library type whose elements are computed on demand.
pub fn opaque(declared: &DeclaredType) -> Option<&'static str> {
    match declared.name.as_str() {
        _ if !declared.library => None,
        "seq" => Some("<seq>"),
        "Lazy" => Some("<lazy>"),
        _ => None,
    }
}
