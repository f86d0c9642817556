//! Loops over ranges of integers: `for i = a to b`, `for i in a..b`, `for i in a..s..b`.

use super::{
    Checker,
    names::Meaning,
    refused::Later,
    report::{Expect, Reason},
    ty::{Need, Ty},
};
use crate::{
    primitive::Primitive,
    psg::{self, Binding, Mutability, NodeId, NodeKind, Scope, VariableId},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_syntax::ast::{ExprId, ExprKind, Name, PatternId, PatternKind};

impl Checker<'_> {
    /// `for variable = from to to do body`, or `downto`.
    pub(super) fn counted_loop(
        &mut self,
        name: Name,
        (from, to): (ExprId, ExprId),
        descending: bool,
        body: ExprId,
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        self.expect(span, expect, &Ty::unit());
        let bound = Expect { ty: Ty::int(), reason: Reason::Bound };
        let from = self.expr(from, &bound);
        let to = self.expr(to, &bound);
        let variable = self.loop_variable(name.symbol, Ty::int(), name.span);
        let body = self.loop_body(variable, body);
        self.node(NodeKind::For { variable, from, to, descending, body }, Ty::unit(), span)
    }

    /// `for pattern in source do body`.
    pub(super) fn for_in(
        &mut self,
        pattern: PatternId,
        source: ExprId,
        body: ExprId,
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        let ast = self.ast;
        self.expect(span, expect, &Ty::unit());
        let ExprKind::Range { from, step, to } = &ast.exprs[source].kind else {
            self.report_later(Later::ForInCollections, ast.exprs[source].span);
            return self.error_node(span);
        };
        let ty = self.inference.fresh_with(Need::INTEGER, None);
        let bound = Expect { ty: ty.clone(), reason: Reason::Bound };
        let from = self.expr(*from, &bound);
        let step = step.map(|step| self.expr(step, &bound));
        let to = self.expr(*to, &bound);
        let Some(variable) = self.range_variable(pattern, &ty) else { return self.error_node(span) };
        match step {
            None => {
                let body = self.loop_body(variable, body);
                self.node(NodeKind::For { variable, from, to, descending: false, body }, Ty::unit(), span)
            }
            Some(step) => self.stepped_loop(variable, [from, step, to], body, ty, span),
        }
    }

    fn loop_variable(&mut self, name: Symbol, ty: Ty, span: Span) -> VariableId {
        self.new_variable(name, ty, Mutability::Immutable, Scope::Local, span)
    }

    /// The variable of a loop over a range: a name, perhaps annotated, or `_`.
    fn range_variable(&mut self, pattern: PatternId, ty: &Ty) -> Option<VariableId> {
        let ast = self.ast;
        let span = ast.patterns[pattern].span;
        let kind = &ast.patterns[pattern].kind;
        if let PatternKind::Annotated { pattern, annotation } = kind {
            let annotated = self.type_expr(*annotation);
            let wanted = Expect { ty: ty.clone(), reason: Reason::Bound };
            self.expect(ast.types[*annotation].span, &wanted, &annotated);
            return self.range_variable(*pattern, ty);
        }
        if let PatternKind::Name(name) = kind {
            return Some(self.loop_variable(name.symbol, ty.clone(), span));
        }
        if let PatternKind::Wildcard = kind {
            return Some(self.fresh_variable("index", ty.clone(), span));
        }
        if !matches!(kind, PatternKind::Error) {
            self.report_later(Later::ForInPatterns, span);
        }
        None
    }

    fn loop_body(&mut self, variable: VariableId, body: ExprId) -> NodeId {
        let mark = self.names.mark();
        let name = self.psg.variables[variable].name;
        self.names.add_local(name, Meaning::Variable(variable));
        let body = self.statement(body);
        self.names.reset(mark);
        body
    }

    /// A loop with a step, as a `while`:
    ///
    /// ```text
    /// let from, step, to = …
    /// assert (step <> 0)
    /// let mutable next = from
    /// let mutable more = if step > 0 then from <= to else from >= to
    /// while more do
    ///     let variable = next
    ///     body
    ///     next <- variable + step
    ///     more <- if step > 0 then next > variable && next <= to else next < variable && next >= to
    /// ```
    ///
    /// `next > variable` ends the loop where the addition wraps around.
    fn stepped_loop(&mut self, variable: VariableId, bounds: [NodeId; 3], body: ExprId, ty: Ty, span: Span) -> NodeId {
        if let NodeKind::Literal(psg::Literal::Integer(0)) = self.psg.nodes[bounds[1]].kind {
            let at = self.span_of(bounds[1]);
            self.report(Diagnostic::error(codes::ZERO_STEP, at, "a range with the step 0 never ends"));
        }
        let names = bounds.map(|bound| self.hidden("bound", bound, Mutability::Immutable));
        let [(from, from_binding), (step, step_binding), (to, to_binding)] = names;
        let builder = Builder { ty, span };
        let check = builder.nonzero(self, step);
        let start = self.use_variable(from, span);
        let (next, next_binding) = self.hidden("next", start, Mutability::Mutable);
        let more_value = builder.first(self, step, from, to);
        let (more, more_binding) = self.hidden("more", more_value, Mutability::Mutable);
        let condition = self.use_variable(more, span);
        let turn = self.turn(&builder, variable, body, [step, to, next, more]);
        let turns = self.node(NodeKind::While { condition, body: turn }, Ty::unit(), span);
        let mut result = turns;
        for binding in [more_binding, next_binding] {
            result = self.under(Some(binding), result);
        }
        result = self.node(NodeKind::Sequence(vec![check, result]), Ty::unit(), span);
        for binding in [to_binding, step_binding, from_binding] {
            result = self.under(Some(binding), result);
        }
        result
    }

    fn turn(&mut self, builder: &Builder, variable: VariableId, body: ExprId, state: [VariableId; 4]) -> NodeId {
        let [step, to, next, more] = state;
        let span = builder.span;
        let body = self.loop_body(variable, body);
        let value = builder.operation(self, Primitive::Add, variable, step);
        let advance = self.node(NodeKind::Assign { variable: next, value }, Ty::unit(), span);
        let value = builder.following(self, step, variable, next, to);
        let decide = self.node(NodeKind::Assign { variable: more, value }, Ty::unit(), span);
        let sequence = self.node(NodeKind::Sequence(vec![body, advance, decide]), Ty::unit(), span);
        let value = self.use_variable(next, span);
        let pattern = self.pattern(psg::PatternKind::Variable(variable), builder.ty.clone(), span);
        self.under(Some(Binding { pattern, value }), sequence)
    }

    /// A variable of the compiler's own and its binding.
    fn hidden(&mut self, stem: &str, value: NodeId, mutability: Mutability) -> (VariableId, Binding) {
        let (ty, span) = (self.type_of(value), self.span_of(value));
        let variable = self.fresh_variable(stem, ty.clone(), span);
        self.psg.variables[variable].mutability = mutability;
        let pattern = self.pattern(psg::PatternKind::Variable(variable), ty, span);
        (variable, Binding { pattern, value })
    }
}

/// Builds the arithmetic of a stepped loop.
struct Builder {
    /// The type of the range.
    ty: Ty,
    span: Span,
}

impl Builder {
    fn operation(
        &self,
        checker: &mut Checker<'_>,
        primitive: Primitive,
        left: VariableId,
        right: VariableId,
    ) -> NodeId {
        let arguments = vec![checker.use_variable(left, self.span), checker.use_variable(right, self.span)];
        let result = if primitive == Primitive::Add { self.ty.clone() } else { Ty::bool() };
        checker.primitive_call(primitive, arguments, result, self.span)
    }

    fn with_zero(&self, checker: &mut Checker<'_>, primitive: Primitive, step: VariableId) -> NodeId {
        let step = checker.use_variable(step, self.span);
        let zero = checker.node(NodeKind::Literal(psg::Literal::Integer(0)), self.ty.clone(), self.span);
        checker.primitive_call(primitive, vec![step, zero], Ty::bool(), self.span)
    }

    fn nonzero(&self, checker: &mut Checker<'_>, step: VariableId) -> NodeId {
        let condition = self.with_zero(checker, Primitive::NotEqual, step);
        let function = checker.assert_function(self.span);
        checker.node(NodeKind::Apply { function, arguments: vec![condition] }, Ty::unit(), self.span)
    }

    fn if_upward(&self, checker: &mut Checker<'_>, step: VariableId, then: NodeId, otherwise: NodeId) -> NodeId {
        let condition = self.with_zero(checker, Primitive::Greater, step);
        checker.node(NodeKind::If { condition, then, otherwise }, Ty::bool(), self.span)
    }

    fn first(&self, checker: &mut Checker<'_>, step: VariableId, from: VariableId, to: VariableId) -> NodeId {
        let up = self.operation(checker, Primitive::LessEqual, from, to);
        let down = self.operation(checker, Primitive::GreaterEqual, from, to);
        self.if_upward(checker, step, up, down)
    }

    fn following(
        &self,
        checker: &mut Checker<'_>,
        step: VariableId,
        present: VariableId,
        next: VariableId,
        to: VariableId,
    ) -> NodeId {
        let [up, down] = [(Primitive::Greater, Primitive::LessEqual), (Primitive::Less, Primitive::GreaterEqual)].map(
            |(moved, within)| {
                let condition = self.operation(checker, moved, next, present);
                let then = self.operation(checker, within, next, to);
                let otherwise = checker.bool_node(false, self.span);
                checker.node(NodeKind::If { condition, then, otherwise }, Ty::bool(), self.span)
            },
        );
        self.if_upward(checker, step, up, down)
    }
}
