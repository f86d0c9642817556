//! Which expressions fit on a line.

use super::Printer;
use crate::ast::{ExprId, ExprKind, InterpolationPart};

impl Printer<'_> {
    /// Whether an expression is written on one line: it contains nothing that needs its own lines.
    pub(super) fn is_flat(&self, expr: ExprId) -> bool {
        let all = |exprs: &[ExprId]| exprs.iter().all(|expr| self.is_flat(*expr));
        match &self.ast.exprs[expr].kind {
            ExprKind::Block(_)
            | ExprKind::Match { .. }
            | ExprKind::Function(_)
            | ExprKind::While { .. }
            | ExprKind::ForRange { .. }
            | ExprKind::ForIn { .. } => false,
            ExprKind::Error
            | ExprKind::Unsupported(_)
            | ExprKind::Literal(_)
            | ExprKind::Name(_)
            | ExprKind::Operator(_) => true,
            ExprKind::Field { target, .. } => self.is_flat(*target),
            ExprKind::Apply { function, arguments } => self.is_flat(*function) && all(arguments),
            ExprKind::TypeApply { function, .. } => self.is_flat(*function),
            ExprKind::Binary { left, right, .. } => all(&[*left, *right]),
            ExprKind::Prefix { operand, .. } => self.is_flat(*operand),
            ExprKind::Lambda { body, .. } => self.is_flat(*body),
            ExprKind::If { condition, then, otherwise } => {
                all(&[*condition, *then]) && otherwise.is_none_or(|otherwise| self.is_flat(otherwise))
            }
            ExprKind::Tuple(parts) | ExprKind::StructTuple(parts) => all(parts),
            ExprKind::Record(fields) => fields.iter().all(|(_, value)| self.is_flat(*value)),
            ExprKind::RecordUpdate { base, fields } => {
                self.is_flat(*base) && fields.iter().all(|(_, value)| self.is_flat(*value))
            }
            ExprKind::Collection { elements, .. } => all(elements),
            ExprKind::Comprehension { body, .. } => self.is_flat(*body),
            ExprKind::Range { from, step, to } => all(&[*from, *to]) && step.is_none_or(|step| self.is_flat(step)),
            ExprKind::Yield(value) | ExprKind::YieldAll(value) | ExprKind::Lazy(value) | ExprKind::Assert(value) => {
                self.is_flat(*value)
            }
            ExprKind::Index { target, index } => all(&[*target, *index]),
            ExprKind::Slice { target, from, to } => {
                self.is_flat(*target) && [*from, *to].into_iter().flatten().all(|limit| self.is_flat(limit))
            }
            ExprKind::Assign { target, value } => all(&[*target, *value]),
            ExprKind::Annotated { expr, .. } => self.is_flat(*expr),
            ExprKind::Interpolated(parts) => parts.iter().all(|part| match part {
                InterpolationPart::Text(_) => true,
                InterpolationPart::Value { expr, .. } => self.is_flat(*expr),
            }),
        }
    }
}
