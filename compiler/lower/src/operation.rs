//! Operators on evaluated operands.

use super::body::{Body, Outcome};
use clef_base::Span;
use clef_core::{AllocationKind, Atom, End, Rhs, Trap};
use clef_types::{Primitive, Type, TypeKind};

impl Body<'_, '_> {
    /// Applies an operator; `result` is its result type.
    pub(super) fn operation(&mut self, primitive: Primitive, atoms: Vec<Atom>, result: Type, span: Span) -> Outcome {
        use Primitive::*;
        let operand = self.type_of(&atoms[0]);
        let value = match primitive {
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | Compare => {
                return self.compare(primitive, &atoms[0], &atoms[1], span);
            }
            Divide | Remainder if self.integer_type(operand).is_some() => {
                self.check_divisor(&atoms[1], operand, span);
                self.bind(Rhs::Primitive(primitive, atoms), result, span)
            }
            Minimum | Maximum if !self.is_number(operand) => self.extreme(primitive, atoms, result, span),
            Add | AddChecked if *self.kind(operand) == TypeKind::String => self.concatenate(atoms, span),
            AddChecked => self.checked((AddOverflows, Add), atoms, result, span),
            SubtractChecked => self.checked((SubtractOverflows, Subtract), atoms, result, span),
            MultiplyChecked => self.checked((MultiplyOverflows, Multiply), atoms, result, span),
            NegateChecked => self.negate_checked(atoms[0].clone(), result, span),
            Convert | ConvertChecked if *self.kind(operand) == TypeKind::String => {
                self.convert_string(atoms[0].clone(), result, span)
            }
            ConvertChecked => self.convert_checked(atoms[0].clone(), result, span),
            Hash => self.hash(atoms[0].clone(), operand, span),
            MakeReference => {
                let allocation = self.allocation(AllocationKind::Reference(operand), span);
                let value = atoms[0].clone();
                self.bind(Rhs::MakeReference { value, allocation }, result, span)
            }
            ReadReference => self.bind(Rhs::ReadReference(atoms[0].clone()), result, span),
            WriteReference => {
                self.run(Rhs::WriteReference(atoms[0].clone(), atoms[1].clone()), span);
                Atom::Unit
            }
            Convert if operand == result => atoms[0].clone(),
            Text(format) => self.format(format, atoms[0].clone(), span),
            Add | Subtract | Multiply | Divide | Remainder | Power | Negate | BitAnd | BitOr | BitXor | BitNot
            | ShiftLeft | ShiftRight | AddOverflows | SubtractOverflows | MultiplyOverflows | Not | Convert
            | Absolute | Sign | Minimum | Maximum | SquareRoot | Floor | Ceiling | Truncate | Round | Elementary(_)
            | ArcTangent2 => self.bind(Rhs::Primitive(primitive, atoms), result, span),
        };
        Outcome::Value(value)
    }

    /// Traps if a divisor is zero.
    fn check_divisor(&mut self, divisor: &Atom, ty: Type, span: Span) {
        if matches!(divisor, Atom::Integer(value, _) if *value != 0) {
            return;
        }
        let (bool, unit) = (self.lowering.bool(), self.lowering.unit());
        let zero = Rhs::Primitive(Primitive::Equal, vec![divisor.clone(), Atom::Integer(0, ty)]);
        let zero = self.bind(zero, bool, span);
        self.scope(unit, span, |this| {
            this.if_(zero, |_| End::Trap(Trap::DivisionByZero, span.into()), |_| End::Yield(Atom::Unit))
        });
    }

    /// `min` and `max` by order.
    fn extreme(&mut self, primitive: Primitive, atoms: Vec<Atom>, result: Type, span: Span) -> Atom {
        let [first, second] = [atoms[0].clone(), atoms[1].clone()];
        let bool = self.lowering.bool();
        let less = self.compare(Primitive::Less, &first, &second, span);
        let less = self.value_of(less, bool, span);
        let (if_less, otherwise) = if primitive == Primitive::Minimum { (first, second) } else { (second, first) };
        self.scope(result, span, |this| this.if_(less, |_| End::Yield(if_less), |_| End::Yield(otherwise)))
    }

    /// Whether a type is an integer or float type.
    pub(super) fn is_number(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Integer(_) | TypeKind::Float32 | TypeKind::Float64)
    }
}
