//! The types of the functions that the language itself defines.

use crate::checker::Checker;
use clef_base::Span;
use clef_infer::{Ty, TypeConstraint};
use clef_scopes::Builtin;
use clef_types::Primitive;

impl Checker<'_> {
    /// The operation of a built-in function, and a fresh instance of its type.
    pub(crate) fn builtin_signature(&mut self, builtin: Builtin, span: Span) -> (Primitive, Ty) {
        match builtin {
            Builtin::Convert(constructor) => {
                let from = self.inference.fresh_with(TypeConstraint::CONVERTIBLE, None);
                (Primitive::Convert, Ty::function(from, Ty::simple(constructor)))
            }
            Builtin::ConvertChecked(constructor) => {
                let from = self.inference.fresh_with(TypeConstraint::CONVERTIBLE, None);
                (Primitive::ConvertChecked, Ty::function(from, Ty::simple(constructor)))
            }
            Builtin::Primitive(primitive) => (primitive, self.primitive_type(primitive, span)),
            Builtin::Printf(_) => clef_base::internal::bug("check", span, "a format function has no fixed signature"),
            Builtin::Enum => {
                let (from, to) = (self.inference.fresh(), self.inference.fresh());
                self.deferred.enum_conversions.push((from.clone(), to.clone(), span));
                (Primitive::Convert, Ty::function(from, to))
            }
        }
    }

    /// A fresh instance of an operation's type.
    pub(crate) fn primitive_type(&mut self, primitive: Primitive, span: Span) -> Ty {
        use Primitive::*;
        if let Multiply | MultiplyChecked | Divide | SquareRoot = primitive {
            return self.product_type(primitive, span);
        }
        let of = self.inference.fresh_with(operand_constraint(primitive), None);
        let one = |result: Ty| Ty::function(of.clone(), result);
        let two = |result: Ty| Ty::function(of.clone(), Ty::function(of.clone(), result));
        match primitive {
            Add | Subtract | Multiply | Divide | Remainder | Power | BitAnd | BitOr | BitXor | Minimum | Maximum
            | ArcTangent2 | AddChecked | SubtractChecked | MultiplyChecked => two(of.clone()),
            ShiftLeft | ShiftRight => one(Ty::function(Ty::int(), of.clone())),
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | AddOverflows | SubtractOverflows
            | MultiplyOverflows => two(Ty::bool()),
            Compare => two(Ty::int()),
            Negate | NegateChecked | BitNot | Absolute | SquareRoot | Floor | Ceiling | Truncate | Round
            | Elementary(_) => one(of.clone()),
            Sign | Hash => one(Ty::int()),
            Not => Ty::function(Ty::bool(), Ty::bool()),
            MakeReference => one(Ty::reference(of.clone())),
            ReadReference => Ty::function(Ty::reference(of.clone()), of),
            WriteReference => Ty::function(Ty::reference(of.clone()), Ty::function(of, Ty::unit())),
            Text(_) => one(Ty::string()),
            Convert | ConvertChecked => clef_base::internal::bug("check", None, "a conversion has no shared signature"),
        }
    }
}

/// The constraint of a primitive on its operands.
pub(crate) fn operand_constraint(primitive: Primitive) -> TypeConstraint {
    use Primitive::*;
    match primitive {
        Add | AddChecked => TypeConstraint::ADDITIVE,
        Subtract | SubtractChecked | Multiply | MultiplyChecked | Divide | Remainder => TypeConstraint::NUMBER,
        Power => TypeConstraint::FLOAT.and(TypeConstraint::PLAIN),
        SquareRoot | Floor | Ceiling | Truncate | Round | Elementary(_) | ArcTangent2 => TypeConstraint::FLOAT,
        Negate | NegateChecked | Absolute | Sign => TypeConstraint::SIGNED,
        BitAnd | BitOr | BitXor | BitNot => TypeConstraint::BITS.and(TypeConstraint::PLAIN),
        ShiftLeft | ShiftRight => TypeConstraint::INTEGER.and(TypeConstraint::PLAIN),
        Equal | NotEqual => TypeConstraint::EQUALITY,
        Less | LessEqual | Greater | GreaterEqual | Compare | Minimum | Maximum => TypeConstraint::COMPARISON,
        Convert | ConvertChecked => TypeConstraint::CONVERTIBLE,
        AddOverflows | SubtractOverflows | MultiplyOverflows => TypeConstraint::INTEGER,
        Hash => TypeConstraint::EQUALITY,
        Not | MakeReference | ReadReference | WriteReference | Text(_) => TypeConstraint::NOTHING,
    }
}
