//! Arithmetic of the module `Checked`, which traps on overflow.
//!
//! Sums, differences and products use the processor's overflow flag; the result of a conversion is compared with its operand.
//! On floats and strings the operators are the ordinary ones.

use super::body::Body;
use clef_base::Span;
use clef_core::{Atom, End, Rhs, Trap};
use clef_types::{IntegerType, Primitive, Type, TypeKind};

impl Body<'_, '_> {
    /// Traps if a condition holds.
    fn trap_if(&mut self, condition: Atom, span: Span) {
        let unit = self.lowering.unit();
        self.scope(unit, span, |this| {
            this.if_(condition, |_| End::Trap(Trap::Overflow, span.into()), |_| End::Yield(Atom::Unit))
        });
    }

    fn condition(&mut self, primitive: Primitive, left: Atom, right: Atom, span: Span) -> Atom {
        let bool = self.lowering.bool();
        self.bind(Rhs::Primitive(primitive, vec![left, right]), bool, span)
    }

    /// An operation on integers after an overflow check.
    pub(super) fn checked(
        &mut self,
        (overflows, operation): (Primitive, Primitive),
        atoms: Vec<Atom>,
        result: Type,
        span: Span,
    ) -> Atom {
        if self.integer_type(result).is_some() {
            let overflow = self.condition(overflows, atoms[0].clone(), atoms[1].clone(), span);
            self.trap_if(overflow, span);
        }
        self.bind(Rhs::Primitive(operation, atoms), result, span)
    }

    /// The negative of a number.
    pub(super) fn negate_checked(&mut self, value: Atom, result: Type, span: Span) -> Atom {
        if self.integer_type(result).is_none() {
            return self.bind(Rhs::Primitive(Primitive::Negate, vec![value]), result, span);
        }
        let zero = Atom::Integer(0, result);
        self.checked((Primitive::SubtractOverflows, Primitive::Subtract), vec![zero, value], result, span)
    }

    /// Converts a number to another type.
    pub(super) fn convert_checked(&mut self, value: Atom, result: Type, span: Span) -> Atom {
        let from = self.type_of(&value);
        match (self.kind(from).clone(), self.kind(result).clone()) {
            (TypeKind::Float32 | TypeKind::Float64, TypeKind::Integer(to)) => {
                self.check_float(value.clone(), to.is_signed(), to.bits(self.lowering.facts.word_bits), span);
                self.convert(value, result, span)
            }
            (TypeKind::Float32 | TypeKind::Float64, TypeKind::Char) => {
                self.check_float(value.clone(), false, CHAR_BITS, span);
                self.convert(value, result, span)
            }
            (TypeKind::Integer(from), TypeKind::Integer(to)) => self.convert_integer(value, from, to, result, span),
            (TypeKind::Integer(from), TypeKind::Char) => {
                // By way of the integer of the width of `char`, which preserves its range.
                let middle = self.lowering.types.intern(TypeKind::Integer(IntegerType::U32));
                let middle = self.convert_integer(value, from, IntegerType::U32, middle, span);
                self.convert(middle, result, span)
            }
            (TypeKind::Char, TypeKind::Integer(to)) => {
                let middle = self.lowering.types.intern(TypeKind::Integer(IntegerType::U32));
                let middle = self.convert(value, middle, span);
                self.convert_integer(middle, IntegerType::U32, to, result, span)
            }
            _ => self.convert(value, result, span),
        }
    }

    /// Traps unless a truncated float is in the range of integers of `bits` bits.
    fn check_float(&mut self, value: Atom, signed: bool, bits: u32, span: Span) {
        let float = self.lowering.types.intern(TypeKind::Float64);
        let value = self.convert(value, float, span);
        let whole = self.bind(Rhs::Primitive(Primitive::Truncate, vec![value]), float, span);
        let (least, limit) = match signed {
            true => (-power_of_two(bits - 1), power_of_two(bits - 1)),
            false => (0.0, power_of_two(bits)),
        };
        // NaN is in no range.
        let above = self.condition(Primitive::GreaterEqual, whole.clone(), Atom::Float(least, float), span);
        let below = self.condition(Primitive::Less, whole, Atom::Float(limit, float), span);
        let unit = self.lowering.unit();
        self.scope(unit, span, |this| {
            this.if_(
                above,
                |this| this.if_(below, |_| End::Yield(Atom::Unit), |_| End::Trap(Trap::Overflow, span.into())),
                |_| End::Trap(Trap::Overflow, span.into()),
            )
        });
    }

    /// An integer fits if it converts back to the same value, with the same sign.
    fn convert_integer(&mut self, value: Atom, from: IntegerType, to: IntegerType, result: Type, span: Span) -> Atom {
        let ty = self.type_of(&value);
        let converted = self.convert(value.clone(), result, span);
        let word_bits = self.lowering.facts.word_bits;
        if to.bits(word_bits) < from.bits(word_bits) {
            let back = self.convert(converted.clone(), ty, span);
            let differs = self.condition(Primitive::NotEqual, back, value.clone(), span);
            self.trap_if(differs, span);
        }
        if from.is_signed() && !to.is_signed() {
            let negative = self.condition(Primitive::Less, value, Atom::Integer(0, ty), span);
            self.trap_if(negative, span);
        } else if !from.is_signed() && to.is_signed() && to.bits(word_bits) <= from.bits(word_bits) {
            let negative = self.condition(Primitive::Less, converted.clone(), Atom::Integer(0, result), span);
            self.trap_if(negative, span);
        }
        converted
    }
}

/// The width of a character in bits.
const CHAR_BITS: u32 = 32;

fn power_of_two(exponent: u32) -> f64 {
    2f64.powi(exponent as i32)
}
