//! Constant expressions: evaluated by the checker for `[<Literal>]` and attributes.

use crate::checker::Checker;
use clef_base::Symbol;
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Literal, NodeId, NodeKind};
use clef_types::{IntegerType, Primitive};

#[allow(clippy::wildcard_enum_match_arm, reason = "a few kinds and operators among many have constant values")]
impl Checker<'_> {
    /// The value of a checked constant expression; `None` if it has none, such as a division by zero.
    pub(crate) fn constant_value(&mut self, node: NodeId) -> Option<Literal> {
        let (function, arguments) = match &self.graph.psg.nodes[node].kind {
            NodeKind::Literal(literal) => return Some(literal.clone()),
            NodeKind::Apply { function, arguments } => (*function, arguments.clone()),
            _ => return None,
        };
        let NodeKind::Primitive(primitive) = self.graph.psg.nodes[function].kind else { return None };
        let values: Option<Vec<Literal>> = arguments.iter().map(|&argument| self.constant_value(argument)).collect();
        let ty = self.graph.type_of(node);
        let constructor = match self.inference.shallow(&ty) {
            Ty::Constructor(constructor, _) => constructor,
            Ty::Variable(_) => return None,
        };
        match (values?.as_slice(), constructor) {
            ([Literal::Integer(value)], TypeConstructor::Integer(kind)) => {
                let value = match primitive {
                    Primitive::Negate => value.checked_neg()?,
                    Primitive::BitNot => !value,
                    _ => return None,
                };
                Some(Literal::Integer(self.wrapped(value, kind)))
            }
            ([Literal::Integer(left), Literal::Integer(right)], TypeConstructor::Integer(kind)) => {
                let value = self.integer_operation(primitive, *left, *right, kind)?;
                Some(Literal::Integer(self.wrapped(value, kind)))
            }
            ([Literal::Float(value)], _) if primitive == Primitive::Negate => Some(Literal::Float(-value)),
            ([Literal::Float(left), Literal::Float(right)], TypeConstructor::Float32 | TypeConstructor::Float64) => {
                let value = match primitive {
                    Primitive::Add => left + right,
                    Primitive::Subtract => left - right,
                    Primitive::Multiply => left * right,
                    Primitive::Divide => left / right,
                    _ => return None,
                };
                // One f64 operation on f32 values, rounded to f32, equals the f32 operation.
                Some(Literal::Float(if constructor == TypeConstructor::Float32 {
                    f64::from(value as f32)
                } else {
                    value
                }))
            }
            ([Literal::String(left), Literal::String(right)], _) if primitive == Primitive::Add => {
                Some(Literal::String(Symbol::new(&format!("{left}{right}"))))
            }
            _ => None,
        }
    }

    /// An operation on integers of a type, before wrapping.
    fn integer_operation(&self, primitive: Primitive, left: i128, right: i128, kind: IntegerType) -> Option<i128> {
        let shift = right & i128::from(kind.bits(self.input.facts.word_bits) - 1);
        match primitive {
            Primitive::Add => left.checked_add(right),
            Primitive::Subtract => left.checked_sub(right),
            Primitive::Multiply => left.checked_mul(right),
            Primitive::Divide => left.checked_div(right),
            Primitive::Remainder => left.checked_rem(right),
            Primitive::BitAnd => Some(left & right),
            Primitive::BitOr => Some(left | right),
            Primitive::BitXor => Some(left ^ right),
            Primitive::ShiftLeft => Some(left << shift),
            Primitive::ShiftRight => Some(left >> shift),
            _ => None,
        }
    }

    /// The low bits of a value, as a value of a type.
    fn wrapped(&self, value: i128, kind: IntegerType) -> i128 {
        let unused = 128 - kind.bits(self.input.facts.word_bits);
        match kind.is_signed() {
            true => value << unused >> unused,
            false => ((value as u128) << unused >> unused) as i128,
        }
    }
}
