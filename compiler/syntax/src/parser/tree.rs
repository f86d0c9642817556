//! Construction of nodes: each has a height, so that no tree is deeper than [`MAX_DEPTH`].

use super::{MAX_DEPTH, Parser};
use crate::ast::{
    Arm, Binding, BindingHead, Expr, ExprId, ExprKind, InterpolationPart, LetGroup, Pattern, PatternId, PatternKind,
    Statement, TypeExpr, TypeExprId, TypeExprKind,
};
use clef_base::Span;
use la_arena::ArenaMap;

/// The height of each node: one more than that of its highest child.
#[derive(Default)]
pub(super) struct Heights {
    exprs: ArenaMap<ExprId, u16>,
    patterns: ArenaMap<PatternId, u16>,
    types: ArenaMap<TypeExprId, u16>,
}

/// The larger of heights.
fn highest(heights: impl Iterator<Item = u16>) -> u16 {
    heights.max().unwrap_or(0)
}

impl Heights {
    fn expr(&self, expr: ExprId) -> u16 {
        self.exprs.get(expr).copied().unwrap_or(0)
    }

    fn exprs(&self, exprs: &[ExprId]) -> u16 {
        highest(exprs.iter().map(|&expr| self.expr(expr)))
    }

    fn pattern(&self, pattern: PatternId) -> u16 {
        self.patterns.get(pattern).copied().unwrap_or(0)
    }

    fn patterns(&self, patterns: &[PatternId]) -> u16 {
        highest(patterns.iter().map(|&pattern| self.pattern(pattern)))
    }

    fn type_expr(&self, type_expr: TypeExprId) -> u16 {
        self.types.get(type_expr).copied().unwrap_or(0)
    }

    fn types(&self, types: &[TypeExprId]) -> u16 {
        highest(types.iter().map(|&type_expr| self.type_expr(type_expr)))
    }

    fn arms(&self, arms: &[Arm]) -> u16 {
        highest(arms.iter().map(|arm| {
            let guard = arm.guard.map_or(0, |guard| self.expr(guard));
            self.pattern(arm.pattern).max(guard).max(self.expr(arm.body))
        }))
    }

    fn binding(&self, binding: &Binding) -> u16 {
        let head = match &binding.head {
            BindingHead::Function { parameters, .. } => self.patterns(parameters),
            BindingHead::Pattern(pattern) => self.pattern(*pattern),
        };
        let annotation = binding.annotation.map_or(0, |annotation| self.type_expr(annotation));
        head.max(annotation).max(self.expr(binding.body))
    }

    fn group(&self, group: &LetGroup) -> u16 {
        highest(group.bindings.iter().map(|binding| self.binding(binding)))
    }

    fn statements(&self, statements: &[Statement]) -> u16 {
        highest(statements.iter().map(|statement| match statement {
            Statement::Let(group) => self.group(group),
            Statement::Expr(expr) => self.expr(*expr),
        }))
    }

    fn below_expr(&self, kind: &ExprKind) -> u16 {
        match kind {
            ExprKind::Error
            | ExprKind::Unsupported(_)
            | ExprKind::Literal(_)
            | ExprKind::Name(_)
            | ExprKind::Operator(_) => 0,
            ExprKind::Field { target, .. } => self.expr(*target),
            // Each argument adds one level to the depth of the type.
            ExprKind::Apply { function, arguments } => {
                let further = u16::try_from(arguments.len() - 1).unwrap_or(u16::MAX);
                self.expr(*function).max(self.exprs(arguments)).saturating_add(further)
            }
            ExprKind::TypeApply { function, arguments } => self.expr(*function).max(self.types(arguments)),
            ExprKind::Binary { left, right, .. } => self.exprs(&[*left, *right]),
            ExprKind::Prefix { operand, .. } => self.expr(*operand),
            ExprKind::Lambda { parameters, body } => self.patterns(parameters).max(self.expr(*body)),
            ExprKind::Function(arms) => self.arms(arms),
            ExprKind::Block(statements) => self.statements(statements),
            ExprKind::If { condition, then, otherwise } => {
                self.exprs(&[*condition, *then]).max(otherwise.map_or(0, |otherwise| self.expr(otherwise)))
            }
            ExprKind::Match { scrutinee, arms } => self.expr(*scrutinee).max(self.arms(arms)),
            ExprKind::While { condition, body } => self.exprs(&[*condition, *body]),
            ExprKind::ForRange { from, to, body, .. } => self.exprs(&[*from, *to, *body]),
            ExprKind::ForIn { pattern, source, body } => self.pattern(*pattern).max(self.exprs(&[*source, *body])),
            ExprKind::Tuple(parts) | ExprKind::StructTuple(parts) => self.exprs(parts),
            ExprKind::Record(fields) => highest(fields.iter().map(|(_, value)| self.expr(*value))),
            ExprKind::RecordUpdate { base, fields } => {
                self.expr(*base).max(highest(fields.iter().map(|(_, value)| self.expr(*value))))
            }
            ExprKind::Collection { elements, .. } => self.exprs(elements),
            ExprKind::Comprehension { body, .. } => self.expr(*body),
            ExprKind::Range { from, step, to } => self.exprs(&[*from, *to]).max(step.map_or(0, |step| self.expr(step))),
            ExprKind::Yield(expr) | ExprKind::YieldAll(expr) | ExprKind::Lazy(expr) | ExprKind::Assert(expr) => {
                self.expr(*expr)
            }
            ExprKind::Index { target, index } => self.exprs(&[*target, *index]),
            ExprKind::Slice { target, from, to } => {
                self.expr(*target).max(highest([*from, *to].into_iter().flatten().map(|limit| self.expr(limit))))
            }
            ExprKind::Assign { target, value } => self.exprs(&[*target, *value]),
            ExprKind::Annotated { expr, annotation } => self.expr(*expr).max(self.type_expr(*annotation)),
            ExprKind::Interpolated(parts) => highest(parts.iter().map(|part| match part {
                InterpolationPart::Text(_) => 0,
                InterpolationPart::Value { expr, .. } => self.expr(*expr),
            })),
        }
    }

    fn below_pattern(&self, kind: &PatternKind) -> u16 {
        match kind {
            PatternKind::Error | PatternKind::Unsupported(_) | PatternKind::Wildcard | PatternKind::Name(_) => 0,
            PatternKind::Literal { measure, .. } => measure.map_or(0, |measure| self.type_expr(measure)),
            PatternKind::Case { argument, .. } => argument.map_or(0, |argument| self.pattern(argument)),
            PatternKind::Tuple(parts)
            | PatternKind::StructTuple(parts)
            | PatternKind::Collection { elements: parts, .. } => self.patterns(parts),
            PatternKind::Record(fields) => highest(fields.iter().map(|(_, pattern)| self.pattern(*pattern))),
            PatternKind::Fields(fields) => highest(fields.iter().map(|(_, pattern)| self.pattern(*pattern))),
            PatternKind::Cons { head, tail } => self.patterns(&[*head, *tail]),
            PatternKind::As { pattern, .. } => self.pattern(*pattern),
            PatternKind::Or(left, right) | PatternKind::And(left, right) => self.patterns(&[*left, *right]),
            PatternKind::Annotated { pattern, annotation } => self.pattern(*pattern).max(self.type_expr(*annotation)),
        }
    }

    fn below_type(&self, kind: &TypeExprKind) -> u16 {
        match kind {
            TypeExprKind::Error
            | TypeExprKind::Unsupported(_)
            | TypeExprKind::Variable(_)
            | TypeExprKind::Wildcard
            | TypeExprKind::One => 0,
            TypeExprKind::Name { arguments, .. } => self.types(arguments),
            TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => self.types(parts),
            TypeExprKind::Array(element) | TypeExprKind::Power(element, _) | TypeExprKind::Constrained(element, _) => {
                self.type_expr(*element)
            }
            TypeExprKind::Function(left, right)
            | TypeExprKind::Quotient(left, right)
            | TypeExprKind::Product(left, right) => self.types(&[*left, *right]),
        }
    }
}

impl Parser {
    /// Adds an expression.
    pub(super) fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let height = self.heights.below_expr(&kind) + 1;
        let too_deep = self.is_too_deep(height, span);
        let kind = if too_deep { ExprKind::Error } else { kind };
        let id = self.ast.exprs.alloc(Expr { kind, span });
        self.heights.exprs.insert(id, if too_deep { 1 } else { height });
        id
    }

    /// Adds a pattern.
    pub(super) fn pattern_node(&mut self, kind: PatternKind, span: Span) -> PatternId {
        let height = self.heights.below_pattern(&kind) + 1;
        let too_deep = self.is_too_deep(height, span);
        let kind = if too_deep { PatternKind::Error } else { kind };
        let id = self.ast.patterns.alloc(Pattern { kind, span });
        self.heights.patterns.insert(id, if too_deep { 1 } else { height });
        id
    }

    /// Adds a type expression.
    pub(super) fn type_node(&mut self, kind: TypeExprKind, span: Span) -> TypeExprId {
        let height = self.heights.below_type(&kind) + 1;
        let too_deep = self.is_too_deep(height, span);
        let kind = if too_deep { TypeExprKind::Error } else { kind };
        let id = self.ast.types.alloc(TypeExpr { kind, span });
        self.heights.types.insert(id, if too_deep { 1 } else { height });
        id
    }

    fn is_too_deep(&mut self, height: u16, span: Span) -> bool {
        let too_deep = usize::from(height) > MAX_DEPTH;
        if too_deep {
            let start = Span { end: span.end.min(span.start + 1), ..span };
            self.abandon(start, MAX_DEPTH);
        }
        too_deep
    }

    pub(super) fn error_expr(&mut self, span: Span) -> ExprId {
        self.expr(ExprKind::Error, span)
    }

    pub(super) fn expr_span(&self, expr: ExprId) -> Span {
        self.ast.exprs[expr].span
    }

    pub(super) fn pattern_span(&self, pattern: PatternId) -> Span {
        self.ast.patterns[pattern].span
    }

    pub(super) fn type_span(&self, type_expr: TypeExprId) -> Span {
        self.ast.types[type_expr].span
    }
}
