//! Operators: chains of one level, broken before each operator, and tuples, broken after each comma.

use super::{Layout, STEP};
use clef_syntax::{
    ast::{ExprId, ExprKind, Name},
    parser::operators::{Associativity, infix_level},
};

impl Layout<'_> {
    pub(super) fn chain(&mut self, expr: ExprId, operator: Name, column: usize) {
        if operator.symbol.as_str() == ":=" {
            return self.reference(expr, column);
        }
        let (operands, operators) = self.operands(expr, operator);
        let indices: Vec<usize> = operators.iter().map(|name| self.index_at(name.span.start)).collect();
        let is_down = |index: usize| self.pieces[index].starts_line || self.pieces[index].is_forced_down();
        let broken = indices.iter().any(|&index| is_down(index) || is_down(index + 1));
        let (end, _) = self.extent(self.position, self.ast.exprs[expr].span);
        let broken = broken || !self.first_line_fits(end);
        self.expr(operands[0]);
        for (index, operand) in operands.iter().enumerate().skip(1) {
            if broken {
                self.newline(column);
            }
            self.flow(indices[index - 1] + 1, column);
            self.expr(*operand);
        }
    }

    /// `target := value`.
    fn reference(&mut self, expr: ExprId, column: usize) {
        let ast = self.ast;
        if let ExprKind::Binary { left, right, .. } = &ast.exprs[expr].kind {
            self.expr(*left);
            self.token();
            self.body(*right, column + STEP);
        }
    }

    /// The operands and operators of the same level, from left to right, without those in parentheses.
    fn operands(&self, expr: ExprId, operator: Name) -> (Vec<ExprId>, Vec<Name>) {
        let level = infix_level(operator.symbol.as_str());
        let is_right = level.is_some_and(|level| level.associativity() == Associativity::Right);
        let (mut operands, mut operators) = (Vec::new(), Vec::new());
        let mut rest = expr;
        let mut from = self.position;
        while let ExprKind::Binary { operator, left, right } = &self.ast.exprs[rest].kind {
            let operator_level = infix_level(operator.symbol.as_str());
            let wrapped = is_right && self.extent(from, self.ast.exprs[rest].span).1
                || !is_right && self.is_wrapped_before(rest, operators.last());
            if operator_level != level || level.is_none() && rest != expr || wrapped && rest != expr {
                break;
            }
            operators.push(*operator);
            if is_right {
                operands.push(*left);
                from = self.index_at(operator.span.start) + 1;
                rest = *right;
            } else {
                operands.push(*right);
                rest = *left;
            }
        }
        operands.push(rest);
        if !is_right {
            operands.reverse();
            operators.reverse();
        }
        (operands, operators)
    }

    /// Whether the left operand of an operator is in parentheses.
    fn is_wrapped_before(&self, expr: ExprId, operator: Option<&Name>) -> bool {
        let Some(operator) = operator else { return false };
        let end = self.index_at(self.ast.exprs[expr].span.end);
        end < self.index_at(operator.span.start)
    }

    pub(super) fn tuple(&mut self, parts: &[ExprId], column: usize) {
        let mut at = self.position;
        let mut broken = false;
        for part in parts {
            // The comma before the part may start the line instead.
            broken |= at > self.position && self.pieces[at - 1..=at].iter().any(|piece| piece.starts_line);
            at = self.extent(at, self.ast.exprs[*part].span).0 + 1;
        }
        let broken = broken || !self.first_line_fits(at - 1);
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.token();
                if broken {
                    self.newline(column);
                }
            }
            self.expr(*part);
        }
    }
}
