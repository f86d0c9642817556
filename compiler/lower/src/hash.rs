//! `hash`: a number that is equal for equal values, computed by a function per compound type.
//!
//! Everything is computed in 32 bits, so that a value has the same hash on every target; the result is that number as an
//! `int`. The hash of an integer that fits into 32 bits is the integer, as in F#; a wider one combines its halves. A
//! compound value starts from a constant, and combines its parts in order as Fowler, Noll and Vo do (FNV-1a, by words
//! rather than bytes). Both float zeros have one hash, and so has every NaN.

use super::{
    Lowering,
    body::{Body, Outcome, Position},
    function::Signature,
    instance::{Key, Substitution},
};
use clef_base::{Span, Symbol, internal};
use clef_core::{Atom, Call, Callee, Convention, End, FunctionId, Inlining, Local, Rhs};
use clef_types::{
    IntegerType, Intrinsic, Primitive, Type, TypeKind,
    structural::{HASH_OF_NAN, HASH_PRIME, HASH_START},
};
use la_arena::Arena;

impl Lowering<'_> {
    /// The function that combines a compound value with a hash; for an array also from an index on.
    fn hasher(&mut self, ty: Type, elements: bool, span: Span) -> FunctionId {
        let key = Key::Hash(ty, elements);
        if let Some(id) = self.instances.get(&key) {
            return id;
        }
        let (int, hash) = (self.int(), self.types.intern(TypeKind::Integer(IntegerType::U32)));
        let mut locals = Arena::new();
        let mut fresh = |name: &str, ty| locals.alloc(Local { name: Symbol::new(name), ty, span });
        let mut params = vec![fresh("hash$", hash), fresh("value$", ty)];
        if elements {
            params.push(fresh("index$", int));
        }
        let name = if elements { "hashElements" } else { "hash" };
        let name = Symbol::new(&format!("{name}<{}>", self.type_name(ty)));
        let atoms: Vec<Atom> = params.iter().copied().map(Atom::Local).collect();
        let (convention, inlining) = (Convention::Known, Inlining::Free);
        let id = self.declare(Signature {
            name,
            convention,
            params,
            leading_captures: 0,
            result: hash,
            locals,
            inlining,
            span,
        });
        self.instances.insert(key, id);
        let mut body = Body::new(self, id, Substitution::new(&[], &[]));
        let end = match &atoms[..] {
            [hash, value, index] => body.hash_elements(hash, value, index, ty, span),
            _ => body.hash_compound(atoms[0].clone(), &atoms[1], ty, span),
        };
        body.finish(end);
        id
    }
}

impl Body<'_, '_> {
    /// `hash value`, an `int`.
    pub(super) fn hash(&mut self, value: Atom, ty: Type, span: Span) -> Atom {
        let simple = match self.kind(ty) {
            TypeKind::Unit | TypeKind::Bool | TypeKind::Char | TypeKind::Integer(_) | TypeKind::Enum(..) => true,
            TypeKind::Float32 | TypeKind::Float64 => true,
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Declared(..)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => false,
        };
        let hash = if simple {
            self.word_of(value, ty, span)
        } else {
            let start = self.hash_constant(HASH_START);
            let outcome = self.join_hash(start, value, ty, span);
            let hash = self.hash_type();
            self.value_of(outcome, hash, span)
        };
        let [half, int] = [IntegerType::I32, IntegerType::Int].map(|kind| self.integer_kind(kind));
        let signed = self.convert(hash, half, span);
        self.convert(signed, int, span)
    }

    fn hash_type(&mut self) -> Type {
        self.integer_kind(IntegerType::U32)
    }

    fn integer_kind(&mut self, kind: IntegerType) -> Type {
        self.lowering.types.intern(TypeKind::Integer(kind))
    }

    fn hash_constant(&mut self, value: u32) -> Atom {
        let ty = self.hash_type();
        Atom::Integer(value.into(), ty)
    }

    fn hash_operation(&mut self, primitive: Primitive, left: Atom, right: Atom, span: Span) -> Atom {
        let ty = self.hash_type();
        self.bind(Rhs::Primitive(primitive, vec![left, right]), ty, span)
    }

    /// Combines a hash with a word.
    fn join_word(&mut self, hash: Atom, word: Atom, span: Span) -> Atom {
        let mixed = self.hash_operation(Primitive::BitXor, hash, word, span);
        let prime = self.hash_constant(HASH_PRIME);
        self.hash_operation(Primitive::Multiply, mixed, prime, span)
    }

    /// Combines a hash with a value.
    fn join_hash(&mut self, hash: Atom, value: Atom, ty: Type, span: Span) -> Outcome {
        match self.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64 => {
                let word = self.word_of(value, ty, span);
                Outcome::Value(self.join_word(hash, word, span))
            }
            TypeKind::String => {
                let callee = Callee::Known(self.lowering.text_function("hashString", span));
                Outcome::Call(Call::new(callee, vec![hash, value]))
            }
            TypeKind::Tuple(_) | TypeKind::Declared(..) | TypeKind::Reference(_) | TypeKind::Array(_) => {
                let callee = Callee::Known(self.lowering.hasher(ty, false, span));
                Outcome::Call(Call::new(callee, vec![hash, value]))
            }
            TypeKind::Function(..)
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => {
                let name = self.lowering.type_name(ty);
                internal::bug("lower", span, format!("hash of a value of type `{name}`"))
            }
        }
    }

    /// The 32-bit word of a value without parts.
    fn word_of(&mut self, value: Atom, ty: Type, span: Span) -> Atom {
        let hash = self.hash_type();
        match self.kind(ty).clone() {
            TypeKind::Bool => {
                let [one, zero] = [1, 0].map(|value| self.hash_constant(value));
                self.scope(hash, span, |this| this.if_(value, |_| End::Yield(one), |_| End::Yield(zero)))
            }
            TypeKind::Char => self.convert(value, hash, span),
            TypeKind::Integer(integer) => self.integer_word(value, integer, span),
            TypeKind::Float32 | TypeKind::Float64 => {
                let float = self.lowering.types.intern(TypeKind::Float64);
                let value = self.convert(value, float, span);
                self.float_word(value, float, span)
            }
            TypeKind::Unit
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
            | TypeKind::Region => self.hash_constant(0),
        }
    }

    /// The combined halves of an integer of more than 32 bits. The upper half of a signed one counts only as far as it differs
    /// from the sign extension of the lower one, so that a number has one hash in every width.
    fn integer_word(&mut self, value: Atom, integer: IntegerType, span: Span) -> Atom {
        let hash = self.hash_type();
        let low = self.convert(value.clone(), hash, span);
        if integer.bits(self.lowering.facts.word_bits) <= 32 {
            return low;
        }
        let ty = self.integer_kind(integer);
        let value = self.convert(value, ty, span);
        let amount = self.integer(32);
        let high = self.bind(Rhs::Primitive(Primitive::ShiftRight, vec![value, amount]), ty, span);
        let high = self.convert(high, hash, span);
        let joined = self.hash_operation(Primitive::BitXor, low.clone(), high, span);
        if !integer.is_signed() {
            return joined;
        }
        let half = self.integer_kind(IntegerType::I32);
        let signed = self.convert(low, half, span);
        let amount = self.integer(31);
        let sign = self.bind(Rhs::Primitive(Primitive::ShiftRight, vec![signed, amount]), half, span);
        let sign = self.convert(sign, hash, span);
        self.hash_operation(Primitive::BitXor, joined, sign, span)
    }

    fn float_word(&mut self, value: Atom, float: Type, span: Span) -> Atom {
        let (bool, hash) = (self.lowering.bool(), self.hash_type());
        let is_number = self.bind(Rhs::Primitive(Primitive::Equal, vec![value.clone(), value.clone()]), bool, span);
        let not_a_number = self.hash_constant(HASH_OF_NAN);
        self.scope(hash, span, |this| {
            this.if_(
                is_number,
                |this| {
                    // Adding zero normalises the negative zero.
                    let zero = Atom::Float(0.0, float);
                    let value = this.bind(Rhs::Primitive(Primitive::Add, vec![value, zero]), float, span);
                    let long = this.integer_kind(IntegerType::I64);
                    let bits = this.intrinsic(Intrinsic::FloatBits, vec![value], long, span);
                    let unsigned = this.integer_kind(IntegerType::U64);
                    let bits = this.convert(bits, unsigned, span);
                    End::Yield(this.integer_word(bits, IntegerType::U64, span))
                },
                |_| End::Yield(not_a_number),
            )
        })
    }

    fn hash_compound(&mut self, hash: Atom, value: &Atom, ty: Type, span: Span) -> End {
        let (value, ty) = self.viewed(value.clone(), ty, span);
        let value = &value;
        match self.kind(ty).clone() {
            TypeKind::Tuple(types) => {
                let mut parts = Vec::with_capacity(types.len());
                for (index, part) in types.into_iter().enumerate() {
                    parts.push((self.bind(Rhs::Component(value.clone(), index), part, span), part));
                }
                self.hash_parts(hash, parts, span)
            }
            TypeKind::Reference(content) => {
                let inner = self.bind(Rhs::ReadReference(value.clone()), content, span);
                self.hash_parts(hash, vec![(inner, content)], span)
            }
            TypeKind::Array(_) => {
                let callee = Callee::Known(self.lowering.hasher(ty, true, span));
                let arguments = vec![hash, value.clone(), self.integer(0)];
                let result = self.hash_type();
                self.end_with(Outcome::Call(Call::new(callee, arguments)), result, span, Position::Tail)
            }
            TypeKind::Declared(declared, _) => {
                let count = self.psg.declared_types[declared].cases.len();
                if count == 1 {
                    return self.hash_case(hash, value, ty, 0, span);
                }
                let int = self.lowering.int();
                let scrutinee = self.bind(Rhs::Tag(value.clone()), int, span);
                let mut cases = Vec::with_capacity(count);
                for case in 0..count {
                    let hash = hash.clone();
                    cases.push((case as i128, self.block(|this| this.hash_case(hash, value, ty, case, span))));
                }
                End::Switch { scrutinee, cases, default: None }
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
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => internal::bug("lower", span, "a hash function for a simple type"),
        }
    }

    /// The tag, then the fields.
    fn hash_case(&mut self, hash: Atom, value: &Atom, ty: Type, case: usize, span: Span) -> End {
        let TypeKind::Declared(declared, _) = *self.kind(ty) else { return End::Yield(hash) };
        let id = self.psg.declared_types[declared].cases[case];
        let tag = self.hash_constant(case as u32);
        let hash = self.join_word(hash, tag, span);
        let mut parts = Vec::new();
        for (field, part) in self.lowering.case_fields(id, ty).fields.into_iter().enumerate() {
            parts.push((self.bind(Rhs::Field { value: value.clone(), case, field }, part, span), part));
        }
        self.hash_parts(hash, parts, span)
    }

    /// Combines parts from left to right; the last one by a tail call, if it is compound.
    fn hash_parts(&mut self, mut hash: Atom, parts: Vec<(Atom, Type)>, span: Span) -> End {
        let result = self.hash_type();
        let last = parts.len();
        for (index, (part, ty)) in parts.into_iter().enumerate() {
            let outcome = self.join_hash(hash, part, ty, span);
            if index + 1 == last {
                return self.end_with(outcome, result, span, Position::Tail);
            }
            hash = self.value_of(outcome, result, span);
        }
        End::Yield(hash)
    }

    fn hash_elements(&mut self, hash: &Atom, value: &Atom, index: &Atom, ty: Type, span: Span) -> End {
        let TypeKind::Array(of) = *self.kind(ty) else { return End::Yield(hash.clone()) };
        let (bool, int, result) = (self.lowering.bool(), self.lowering.int(), self.hash_type());
        let length = self.array_length(value.clone(), span);
        let inside = self.bind(Rhs::Primitive(Primitive::Less, vec![index.clone(), length]), bool, span);
        self.if_(
            inside,
            |this| {
                let element = this.array_element(value.clone(), index.clone(), of, span);
                let outcome = this.join_hash(hash.clone(), element, of, span);
                let hash = this.value_of(outcome, result, span);
                let one = this.integer(1);
                let next = this.bind(Rhs::Primitive(Primitive::Add, vec![index.clone(), one]), int, span);
                End::Continue(vec![hash, value.clone(), next])
            },
            |_| End::Yield(hash.clone()),
        )
    }
}
