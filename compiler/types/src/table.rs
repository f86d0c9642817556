//! Types, interned: a [`Type`] is a number, equal exactly when the types are equal.
//!
//! The same table serves the PSG, where [`TypeKind::Parameter`] is a generalised variable, and Core, which has none, but has
//! [`TypeKind::Slot`]. Inference variables are never interned.

use crate::{DeclaredTypeId, EnumId, TypeParameterId};
use clef_base::HashMap;

/// An interned type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Type(u32);

impl Type {
    /// Its number, for symbols that are distinct for distinct types.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The kind of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// `unit`.
    Unit,
    /// `bool`.
    Bool,
    /// `char`: a Unicode scalar value of 32 bits.
    Char,
    /// `string`: pointer and length of UTF-8 bytes.
    String,
    /// An integer.
    Integer(IntegerType),
    /// `float32`.
    Float32,
    /// `float`.
    Float64,
    /// `a -> b`, curried.
    Function(Type, Type),
    /// `a * b`; at least two components. `struct` tuples are the same: tuples are values.
    Tuple(Vec<Type>),
    /// `'t ref`.
    Reference(Type),
    /// `'t array`.
    Array(Type),
    /// `nativeptr<'t>`.
    NativePointer(Type),
    /// A declared union or record, applied to its arguments; `option`, `Result`, `list`, `seq` and `Lazy` are declared by
    /// the library.
    Declared(DeclaredTypeId, Vec<Type>),
    /// An enum over an integer type; in Core it is that integer type.
    Enum(EnumId, IntegerType),
    /// A generalised type variable; not in Core.
    Parameter(TypeParameterId),
    /// The address of a `let mutable` slot; only in Core, where a closure captures it.
    Slot(Type),
    /// The handle of a region; only in Core.
    Region,
}

/// The integer types. `int` and `uint` are the target's word and not the same type as `int32` or `int64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IntegerType {
    /// `int8`, `sbyte`.
    I8,
    /// `uint8`, `byte`.
    U8,
    /// `int16`.
    I16,
    /// `uint16`.
    U16,
    /// `int32`.
    I32,
    /// `uint32`.
    U32,
    /// `int64`.
    I64,
    /// `uint64`.
    U64,
    /// `int`.
    Int,
    /// `uint`.
    UInt,
    /// `nativeint`.
    NativeInt,
    /// `unativeint`.
    UNativeInt,
}

impl IntegerType {
    /// All of them.
    pub const ALL: [IntegerType; 12] = {
        use IntegerType::*;
        [I8, U8, I16, U16, I32, U32, I64, U64, Int, UInt, NativeInt, UNativeInt]
    };

    /// The suffix of its literals; `int` has none, and `uint` has that of `uint32`.
    pub fn suffix(self) -> Option<&'static str> {
        use IntegerType::*;
        Some(match self {
            I8 => "y",
            U8 => "uy",
            I16 => "s",
            U16 => "us",
            I32 => "l",
            U32 => "u",
            I64 => "L",
            U64 => "UL",
            NativeInt => "n",
            UNativeInt => "un",
            Int | UInt => return None,
        })
    }

    /// The width in bits, given the width of a word.
    pub fn bits(self, word_bits: u32) -> u32 {
        use IntegerType::*;
        match self {
            I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 => 32,
            I64 | U64 => 64,
            Int | UInt | NativeInt | UNativeInt => word_bits,
        }
    }

    /// Whether it has negative values.
    pub fn is_signed(self) -> bool {
        use IntegerType::*;
        match self {
            I8 | I16 | I32 | I64 | Int | NativeInt => true,
            U8 | U16 | U32 | U64 | UInt | UNativeInt => false,
        }
    }

    /// The signed type of the same width.
    pub fn signed(self) -> IntegerType {
        use IntegerType::*;
        match self {
            I8 | U8 => I8,
            I16 | U16 => I16,
            I32 | U32 => I32,
            I64 | U64 => I64,
            Int | UInt => Int,
            NativeInt | UNativeInt => NativeInt,
        }
    }

    /// The type of the same width without sign.
    pub fn unsigned(self) -> IntegerType {
        use IntegerType::*;
        match self {
            I8 | U8 => U8,
            I16 | U16 => U16,
            I32 | U32 => U32,
            I64 | U64 => U64,
            Int | UInt => UInt,
            NativeInt | UNativeInt => UNativeInt,
        }
    }

    /// The value of the type with the low bits of an exact value.
    pub fn wrap(self, exact: i128, word_bits: u32) -> i128 {
        let bits = self.bits(word_bits);
        let low = exact & ((1 << bits) - 1);
        if self.is_signed() && low >> (bits - 1) == 1 { low - (1 << bits) } else { low }
    }

    /// The source name.
    pub fn name(self) -> &'static str {
        use IntegerType::*;
        match self {
            I8 => "int8",
            U8 => "byte",
            I16 => "int16",
            U16 => "uint16",
            I32 => "int32",
            U32 => "uint32",
            I64 => "int64",
            U64 => "uint64",
            Int => "int",
            UInt => "uint",
            NativeInt => "nativeint",
            UNativeInt => "unativeint",
        }
    }
}

impl TypeKind {
    /// A description of a string that converts to this type: `an int`.
    pub fn converted(&self) -> Option<String> {
        let name = match self {
            TypeKind::Integer(integer) => integer.name(),
            TypeKind::Float32 => "float32",
            TypeKind::Float64 => "float",
            TypeKind::Char => "char",
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Enum(..)
            | TypeKind::Declared(..)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => return None,
        };
        let article = if name.starts_with('i') { "an" } else { "a" };
        Some(format!("{article} {name}"))
    }
}

/// The number of parts of types, where shared parts count at each occurrence; at most [`usize::MAX`].
#[derive(Debug, Default)]
pub struct Sizes {
    known: Vec<usize>,
}

impl Sizes {
    /// The size of a type. Its parts were interned before it.
    pub fn of(&mut self, types: &Types, ty: Type) -> usize {
        while self.known.len() <= ty.0 as usize {
            let mut size: usize = 1;
            let known = &self.known;
            types.each_part(Type(known.len() as u32), &mut |part| size = size.saturating_add(known[part.0 as usize]));
            self.known.push(size);
        }
        self.known[ty.0 as usize]
    }
}

/// The table of all types of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Types {
    kinds: Vec<TypeKind>,
    numbers: HashMap<TypeKind, Type>,
}

impl Types {
    /// Interns a type.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        if let Some(&number) = self.numbers.get(&kind) {
            return number;
        }
        let number = Type(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.numbers.insert(kind, number);
        number
    }

    /// All types, by their numbers.
    pub fn all(&self) -> impl Iterator<Item = Type> + use<> {
        (0..self.kinds.len() as u32).map(Type)
    }

    /// The type of a number.
    pub fn numbered(&self, number: usize) -> Type {
        debug_assert!(number < self.kinds.len(), "no type has the number {number}");
        Type(number as u32)
    }

    /// The kind of a type.
    pub fn kind(&self, of: Type) -> &TypeKind {
        &self.kinds[of.0 as usize]
    }

    /// Visits the component types of a type.
    fn each_part(&self, of: Type, each: &mut impl FnMut(Type)) {
        match self.kind(of) {
            TypeKind::Function(argument, result) => [*argument, *result].into_iter().for_each(each),
            TypeKind::Tuple(parts) | TypeKind::Declared(_, parts) => parts.iter().copied().for_each(each),
            TypeKind::Reference(content)
            | TypeKind::Array(content)
            | TypeKind::NativePointer(content)
            | TypeKind::Slot(content) => each(*content),
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Parameter(_)
            | TypeKind::Region => {}
        }
    }

    /// The content type of a cell, a slot, an array or a pointer.
    pub fn content(&self, of: Type) -> Option<Type> {
        match self.kind(of) {
            TypeKind::Array(content)
            | TypeKind::Reference(content)
            | TypeKind::Slot(content)
            | TypeKind::NativePointer(content) => Some(*content),
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Declared(..)
            | TypeKind::Parameter(_)
            | TypeKind::Region => None,
        }
    }

    /// Replaces every enum by its integer type, and returns the types that were enums. They remain distinct from that type, and
    /// from each other, so that it is still known which values have names.
    pub fn erase_enums(&mut self) -> HashMap<Type, EnumId> {
        let mut erased = HashMap::default();
        for (number, kind) in self.kinds.iter_mut().enumerate() {
            if let TypeKind::Enum(id, of) = *kind {
                self.numbers.remove(kind);
                *kind = TypeKind::Integer(of);
                erased.insert(Type(number as u32), id);
            }
        }
        erased
    }

    /// The type parameters in a type.
    pub fn parameters(&self, ty: Type) -> Vec<TypeParameterId> {
        let mut found = Vec::new();
        self.collect_parameters(ty, &mut found);
        found
    }

    fn collect_parameters(&self, ty: Type, found: &mut Vec<TypeParameterId>) {
        match self.kind(ty) {
            TypeKind::Parameter(parameter) => found.push(*parameter),
            TypeKind::Function(argument, result) => {
                self.collect_parameters(*argument, found);
                self.collect_parameters(*result, found);
            }
            TypeKind::Tuple(parts) | TypeKind::Declared(_, parts) => {
                parts.iter().for_each(|part| self.collect_parameters(*part, found));
            }
            TypeKind::Reference(of) | TypeKind::Array(of) | TypeKind::NativePointer(of) | TypeKind::Slot(of) => {
                self.collect_parameters(*of, found);
            }
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region => {}
        }
    }

    /// Replaces type parameters by types.
    pub fn substitute(&mut self, within: Type, replace: &HashMap<TypeParameterId, Type>) -> Type {
        if replace.is_empty() {
            return within;
        }
        let one = |types: &mut Types, part: Type| types.substitute(part, replace);
        let kind = match self.kind(within).clone() {
            TypeKind::Parameter(parameter) => return replace.get(&parameter).copied().unwrap_or(within),
            TypeKind::Function(argument, result) => {
                let argument = one(self, argument);
                TypeKind::Function(argument, one(self, result))
            }
            TypeKind::Tuple(parts) => TypeKind::Tuple(parts.into_iter().map(|part| one(self, part)).collect()),
            TypeKind::Declared(declared, arguments) => {
                TypeKind::Declared(declared, arguments.into_iter().map(|argument| one(self, argument)).collect())
            }
            TypeKind::Reference(of) => TypeKind::Reference(one(self, of)),
            TypeKind::Array(of) => TypeKind::Array(one(self, of)),
            TypeKind::NativePointer(of) => TypeKind::NativePointer(one(self, of)),
            TypeKind::Slot(of) => TypeKind::Slot(one(self, of)),
            // The type itself: a former enum has the kind of an integer, but is a type of its own.
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region => return within,
        };
        self.intern(kind)
    }

    /// The parameter types and the result of a function type, up to its `arity`-th arrow.
    pub fn uncurry(&self, function: Type, arity: usize) -> Option<(Vec<Type>, Type)> {
        let mut parameters = Vec::with_capacity(arity);
        let mut rest = function;
        for _ in 0..arity {
            let TypeKind::Function(argument, result) = self.kind(rest) else { return None };
            parameters.push(*argument);
            rest = *result;
        }
        Some((parameters, rest))
    }
}
