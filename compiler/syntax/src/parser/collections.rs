//! Lists and arrays, given by elements or by a comprehension.

use super::Parser;
use crate::{
    ast::{CollectionKind, ExprId, ExprKind, Statement},
    token::{Punctuation, TokenKind},
};

impl Parser {
    /// `[…]` or `[|…|]`.
    pub(super) fn collection(&mut self, opener: Punctuation) -> ExprId {
        let start = self.span();
        self.bump();
        let kind = if opener == Punctuation::LeftArray { CollectionKind::Array } else { CollectionKind::List };
        let statements = self.deeper(Parser::bracket_statements, |_| Vec::new());
        self.close_bracket(opener.closer().unwrap_or(opener));
        let span = self.span_from(start);
        let elements = if self.yields_any(&statements) { None } else { elements_of(&statements) };
        match elements {
            Some(elements) => self.expr(ExprKind::Collection { kind, elements }, span),
            None => {
                let body = self.block_of(statements, start);
                self.expr(ExprKind::Comprehension { kind, body }, span)
            }
        }
    }

    /// The content of brackets, as statements.
    pub(super) fn bracket_statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        if self.eat_kind(&TokenKind::Begin) {
            let field_column = self.field_column.take();
            self.statements(&mut statements, false);
            self.field_column = field_column;
            self.close_block();
        }
        statements
    }

    fn yields_any(&self, statements: &[Statement]) -> bool {
        statements.iter().any(|statement| match statement {
            Statement::Let(_) => true,
            Statement::Expr(expr) => self.yields(*expr, true),
        })
    }

    /// Whether an expression between brackets yields elements instead of being an element. Loops and conditions without
    /// `yield` do so `implicitly`, but not in parentheses.
    fn yields(&self, expr: ExprId, implicitly: bool) -> bool {
        let implicitly = implicitly && !self.parenthesised.contains(&expr);
        let yields = |expr: ExprId| self.yields(expr, implicitly);
        match &self.ast.exprs[expr].kind {
            ExprKind::Yield(_) | ExprKind::YieldAll(_) | ExprKind::Range { .. } => true,
            ExprKind::While { body, .. } | ExprKind::ForRange { body, .. } | ExprKind::ForIn { body, .. } => {
                implicitly || yields(*body)
            }
            ExprKind::If { then, otherwise, .. } => otherwise.map_or(implicitly, yields) || yields(*then),
            ExprKind::Match { arms, .. } => arms.iter().any(|arm| yields(arm.body)),
            ExprKind::Block(statements) => statements.iter().any(|statement| match statement {
                Statement::Let(_) => false,
                Statement::Expr(expr) => yields(*expr),
            }),
            ExprKind::Error
            | ExprKind::Unsupported(_)
            | ExprKind::Literal(_)
            | ExprKind::Name(_)
            | ExprKind::Operator(_)
            | ExprKind::Field { .. }
            | ExprKind::Apply { .. }
            | ExprKind::TypeApply { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Prefix { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Function(_)
            | ExprKind::Tuple(_)
            | ExprKind::StructTuple(_)
            | ExprKind::Record(_)
            | ExprKind::RecordUpdate { .. }
            | ExprKind::Collection { .. }
            | ExprKind::Comprehension { .. }
            | ExprKind::Index { .. }
            | ExprKind::Slice { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Annotated { .. }
            | ExprKind::Lazy(_)
            | ExprKind::Assert(_)
            | ExprKind::Interpolated(_) => false,
        }
    }
}

/// The statements as elements, if all of them are expressions.
fn elements_of(statements: &[Statement]) -> Option<Vec<ExprId>> {
    statements
        .iter()
        .map(|statement| match statement {
            Statement::Let(_) => None,
            Statement::Expr(expr) => Some(*expr),
        })
        .collect()
}
