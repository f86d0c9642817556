//! Comparisons of primitive values; lowering makes functions that compare compound values.

use crate::{arithmetic::Operands, code::Code, function::FunctionEmitter};
use clef_core::Atom;
use clef_mlir::{FloatPredicate, IntPredicate, Value};
use clef_types::{Primitive, TypeKind};

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// `=`, `<` and the like.
    pub(crate) fn comparison(&mut self, primitive: Primitive, left: &Atom, right: &Atom) -> Value<'m> {
        match self.locals.kind(left) {
            TypeKind::Unit => {
                let holds = matches!(primitive, Primitive::Equal | Primitive::LessEqual | Primitive::GreaterEqual);
                self.code.emit.bconst(holds)
            }
            TypeKind::String => self.string_comparison(primitive, left, right),
            _ => {
                let operands = self.operands(left);
                let (left, right) = (self.value(left), self.value(right));
                match operands {
                    Operands::Float => self.code.emit.fcmp(float_predicate(primitive), left, right),
                    Operands::Signed => self.code.emit.icmp(signed_predicate(primitive), left, right),
                    Operands::Unsigned => self.code.emit.icmp(unsigned_predicate(primitive), left, right),
                }
            }
        }
    }

    fn string_comparison(&mut self, primitive: Primitive, left: &Atom, right: &Atom) -> Value<'m> {
        if matches!(primitive, Primitive::Equal | Primitive::NotEqual) {
            let arguments = [self.string_parts(left), self.string_parts(right)].concat();
            let truth = self.code.emit.bool();
            let equal = self.code.runtime("clef_string_equal", truth, &arguments);
            return if primitive == Primitive::Equal { equal } else { self.code.emit.not(equal) };
        }
        let order = self.string_order(left, right);
        let zero = self.code.emit.zero(order.ty());
        self.code.emit.icmp(signed_predicate(primitive), order, zero)
    }

    fn string_order(&mut self, left: &Atom, right: &Atom) -> Value<'m> {
        let arguments = [self.string_parts(left), self.string_parts(right)].concat();
        let half = self.code.emit.int(32);
        self.code.runtime("clef_string_compare", half, &arguments)
    }

    /// `compare`: -1, 0 or 1 as `int`. On floats, NaN equals itself and is less than all others.
    pub(crate) fn compare(&mut self, left: &Atom, right: &Atom) -> Value<'m> {
        match self.locals.kind(left) {
            TypeKind::Unit => self.code.word_constant(0),
            TypeKind::String => {
                let order = self.string_order(left, right);
                let word = self.code.word();
                if self.code.shared.layouts.word_bits() > 32 { self.code.emit.sext(order, word) } else { order }
            }
            _ => {
                let operands = self.operands(left);
                let (left, right) = (self.value(left), self.value(right));
                let order = self.code.three_way(operands, left, right);
                if operands == Operands::Float { self.code.order_of_nan(order, left, right) } else { order }
            }
        }
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// One if greater, minus one if less, otherwise zero, as `int`.
    pub(crate) fn three_way(&mut self, operands: Operands, left: Value<'m>, right: Value<'m>) -> Value<'m> {
        let (less, greater) = match operands {
            Operands::Float => {
                (self.emit.fcmp(FloatPredicate::Olt, left, right), self.emit.fcmp(FloatPredicate::Ogt, left, right))
            }
            Operands::Signed => {
                (self.emit.icmp(IntPredicate::Slt, left, right), self.emit.icmp(IntPredicate::Sgt, left, right))
            }
            Operands::Unsigned => {
                (self.emit.icmp(IntPredicate::Ult, left, right), self.emit.icmp(IntPredicate::Ugt, left, right))
            }
        };
        self.difference(greater, less)
    }

    /// The first boolean minus the second, as `int`.
    fn difference(&mut self, first: Value<'m>, second: Value<'m>) -> Value<'m> {
        let word = self.word();
        let (first, second) = (self.emit.zext(first, word), self.emit.zext(second, word));
        self.emit.sub(first, second)
    }

    fn order_of_nan(&mut self, order: Value<'m>, left: Value<'m>, right: Value<'m>) -> Value<'m> {
        let left_is_nan = self.emit.fcmp(FloatPredicate::Uno, left, left);
        let right_is_nan = self.emit.fcmp(FloatPredicate::Uno, right, right);
        let among_nan = self.difference(right_is_nan, left_is_nan);
        let unordered = self.emit.fcmp(FloatPredicate::Uno, left, right);
        self.emit.select(unordered, among_nan, order)
    }
}

/// `<>` is the only comparison that is true if an operand is NaN.
fn float_predicate(primitive: Primitive) -> FloatPredicate {
    match signed_predicate(primitive) {
        IntPredicate::Eq => FloatPredicate::Oeq,
        IntPredicate::Ne => FloatPredicate::Une,
        IntPredicate::Slt | IntPredicate::Ult => FloatPredicate::Olt,
        IntPredicate::Sle | IntPredicate::Ule => FloatPredicate::Ole,
        IntPredicate::Sgt | IntPredicate::Ugt => FloatPredicate::Ogt,
        IntPredicate::Sge | IntPredicate::Uge => FloatPredicate::Oge,
    }
}

fn unsigned_predicate(primitive: Primitive) -> IntPredicate {
    match signed_predicate(primitive) {
        IntPredicate::Slt => IntPredicate::Ult,
        IntPredicate::Sle => IntPredicate::Ule,
        IntPredicate::Sgt => IntPredicate::Ugt,
        IntPredicate::Sge => IntPredicate::Uge,
        other @ (IntPredicate::Eq
        | IntPredicate::Ne
        | IntPredicate::Ult
        | IntPredicate::Ule
        | IntPredicate::Ugt
        | IntPredicate::Uge) => other,
    }
}

fn signed_predicate(primitive: Primitive) -> IntPredicate {
    match primitive {
        Primitive::Equal => IntPredicate::Eq,
        Primitive::NotEqual => IntPredicate::Ne,
        Primitive::Less => IntPredicate::Slt,
        Primitive::LessEqual => IntPredicate::Sle,
        Primitive::Greater => IntPredicate::Sgt,
        Primitive::GreaterEqual => IntPredicate::Sge,
        _ => clef_base::internal::bug("generate", None, format!("{primitive:?} is not a comparison")),
    }
}
