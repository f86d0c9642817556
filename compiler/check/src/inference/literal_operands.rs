//! Operands that consist of numbers without a suffix: `2 * x`, `x - (1 + 1)`, `let y: byte = 1 + 2`.
//!
//! Such an operand has the type of the other operand, or the expected type of the result. It has no effects, so that a left
//! one may be checked after the right operand.

use crate::{checker::Checker, state::Expect};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::NodeId;
use clef_syntax::ast::{ExprId, ExprKind, IntegerSuffix, Literal};

/// The operands of an operator, the left one checked.
pub(crate) struct Operands {
    pub(crate) left: NodeId,
    pub(crate) right: Operand,
}

/// A right operand.
#[derive(Clone, Copy)]
pub(crate) enum Operand {
    /// Not checked yet.
    Expression(ExprId),
    /// Checked before the literals on the left.
    Checked(NodeId),
}

/// The number types that literals may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Literals {
    /// Any.
    Integers,
    /// Float types only: there is a fraction among them.
    Floats,
}

impl Checker<'_> {
    /// The number type that a type is known to be.
    pub(crate) fn number_of(&mut self, ty: &Ty) -> Option<TypeConstructor> {
        match self.inference.shallow(ty) {
            Ty::Constructor(constructor, _) if constructor.is_number() => Some(constructor),
            Ty::Constructor(..) | Ty::Variable(_) => None,
        }
    }

    /// The operands of an operator whose operands have one type, `hint` if it is known from the result.
    pub(crate) fn operands(&mut self, left: ExprId, right: ExprId, hint: Option<TypeConstructor>) -> Operands {
        let waits = match (self.literals(left), self.literals(right)) {
            (Some(_), None) | (Some(Literals::Integers), Some(Literals::Floats)) => true,
            (Some(_), Some(_)) | (None, _) => false,
        };
        if !waits {
            return Operands { left: self.operand(left, hint), right: Operand::Expression(right) };
        }
        let right = self.operand(right, hint);
        let ty = self.graph.type_of(right);
        let hint = self.number_of(&ty).or(hint);
        Operands { left: self.operand(left, hint), right: Operand::Checked(right) }
    }

    /// An operand; literals take the number type, if it is known and possible.
    pub(crate) fn operand(&mut self, id: ExprId, hint: Option<TypeConstructor>) -> NodeId {
        match (hint, self.literals(id)) {
            (Some(constructor @ TypeConstructor::Integer(_)), Some(Literals::Integers))
            | (Some(constructor @ (TypeConstructor::Float32 | TypeConstructor::Float64)), Some(_)) => {
                let measure = self.inference.fresh_measure(true);
                self.expr(id, &Expect::anything(Ty::of(constructor, [measure])))
            }
            _ => self.infer(id),
        }
    }

    /// The right operand, checked against its type.
    pub(crate) fn right_operand(&mut self, operand: Operand, wanted: &Expect) -> NodeId {
        match operand {
            Operand::Expression(id) => self.expr(id, wanted),
            Operand::Checked(node) => self.expected(node, wanted),
        }
    }

    /// Whether an expression consists of numbers without a suffix, and operators between them.
    fn literals(&self, id: ExprId) -> Option<Literals> {
        #[allow(clippy::wildcard_enum_match_arm, reason = "a few kinds among many are literals")]
        match &self.input.ast.exprs[id].kind {
            ExprKind::Literal(Literal::Integer { suffix: IntegerSuffix::None, .. }) => Some(Literals::Integers),
            ExprKind::Literal(Literal::Float { single: false, .. }) => Some(Literals::Floats),
            ExprKind::Prefix { operator, operand } if matches!(operator.symbol.as_str(), "-" | "+" | "~~~") => {
                self.literals(*operand)
            }
            ExprKind::Binary { operator, left, right } => match operator.symbol.as_str() {
                "+" | "-" | "*" | "/" | "%" | "&&&" | "|||" | "^^^" => {
                    let (left, right) = (self.literals(*left)?, self.literals(*right)?);
                    Some(if left == Literals::Floats { left } else { right })
                }
                "<<<" | ">>>" => self.literals(*left),
                _ => None,
            },
            _ => None,
        }
    }
}
