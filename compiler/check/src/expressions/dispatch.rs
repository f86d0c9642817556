//! Expressions: one function that dispatches to a file per construct.

use crate::{
    checker::Checker,
    expressions::unsupported::Later,
    state::{Expect, Reason},
};
use clef_base::Span;
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind};
use clef_syntax::ast::{CollectionKind, ExprId, ExprKind};
use clef_types::Intrinsic;

impl Checker<'_> {
    /// Checks an expression without an expectation.
    pub(crate) fn infer(&mut self, id: ExprId) -> NodeId {
        let ty = self.inference.fresh();
        self.expr(id, &Expect::anything(ty))
    }

    /// Checks an expression against an expectation. An erroneous expression fits any expectation, and so does whatever it is
    /// passed to.
    pub(crate) fn expr(&mut self, id: ExprId, expect: &Expect) -> NodeId {
        let wanted = self.flexible_expectation(id, expect);
        let node = self.construct_of(id, &wanted);
        let node = self.converted(node, &expect.ty);
        let ty = self.graph.type_of(node);
        if let Ty::Constructor(TypeConstructor::Error, _) = ty {
            self.expect(self.graph.span_of(node), expect, &ty);
        }
        node
    }

    fn construct_of(&mut self, id: ExprId, expect: &Expect) -> NodeId {
        let ast = self.input.ast;
        let span = ast.exprs[id].span;
        match &ast.exprs[id].kind {
            ExprKind::Error => self.graph.error_node(span),
            ExprKind::Unsupported(construct) => {
                self.report_unsupported_construct(*construct, span);
                self.graph.error_node(span)
            }
            ExprKind::Literal(literal) => self.literal(literal, false, span, expect),
            ExprKind::Name(path) => self.name(path, expect),
            ExprKind::Operator(name) => self.operator_value(*name, expect),
            ExprKind::Field { target, name } => {
                let target = self.infer(*target);
                let field = self.field(target, *name);
                self.expected(field, expect)
            }
            ExprKind::Apply { .. } => self.application(id, expect),
            ExprKind::TypeApply { function, arguments } => self.type_application(*function, arguments, span, expect),
            ExprKind::Binary { operator, left, right } => self.binary(*operator, *left, *right, span, expect),
            ExprKind::Prefix { operator, operand } => self.prefix(*operator, *operand, span, expect),
            ExprKind::Lambda { .. } | ExprKind::Function(_) => self.lambda_expression(id, expect),
            ExprKind::Block(statements) => self.block(statements, span, expect),
            ExprKind::If { condition, then, otherwise } => {
                self.conditional(*condition, *then, *otherwise, span, expect)
            }
            ExprKind::Match { scrutinee, arms } => {
                let scrutinee = self.infer(*scrutinee);
                self.match_expression(scrutinee, arms, span, expect)
            }
            ExprKind::While { condition, body } => {
                self.expect(span, expect, &Ty::unit());
                self.while_loop(*condition, span, &mut |this| this.statement(*body))
            }
            ExprKind::ForRange { variable, from, to, descending, body } => {
                self.expect(span, expect, &Ty::unit());
                let body = &mut |this: &mut Self| this.statement(*body);
                self.counted_loop(*variable, (*from, *to), *descending, span, body)
            }
            ExprKind::ForIn { pattern, source, body } => {
                self.expect(span, expect, &Ty::unit());
                self.for_in(*pattern, *source, span, &mut |this| this.statement(*body))
            }
            ExprKind::Tuple(parts) | ExprKind::StructTuple(parts) => self.tuple(parts, span, expect),
            ExprKind::Record(fields) => self.record(fields, span, expect),
            ExprKind::RecordUpdate { base, fields } => self.record_update(*base, fields, span, expect),
            ExprKind::Assign { target, value } => self.assignment(*target, *value, span, expect),
            ExprKind::Annotated { expr, annotation } => {
                let ty = self.type_expr(*annotation);
                let reason = Reason::Annotation(ast.types[*annotation].span);
                let node = self.expr(*expr, &Expect { ty, reason });
                self.expected(node, expect)
            }
            ExprKind::Assert(condition) => self.assertion(*condition, span, expect),
            ExprKind::Interpolated(parts) => self.interpolated(parts, span, expect),
            ExprKind::Collection { kind: CollectionKind::List, elements } => {
                self.list_expression(elements, span, expect)
            }
            ExprKind::Collection { kind: CollectionKind::Array, elements } => {
                self.array_expression(elements, span, expect)
            }
            ExprKind::Comprehension { kind: CollectionKind::List, body } => {
                self.comprehension(false, *body, span, expect)
            }
            ExprKind::Comprehension { kind: CollectionKind::Array, body } => {
                self.comprehension(true, *body, span, expect)
            }
            ExprKind::Collection { kind: CollectionKind::Sequence, .. } => {
                clef_base::internal::bug("check", span, "a sequence must be a comprehension")
            }
            ExprKind::Comprehension { kind: CollectionKind::Sequence, body } => self.sequence(*body, span, expect),
            ExprKind::Range { .. } => self.later(Later::RangeExpressions, span),
            ExprKind::Yield(value) | ExprKind::YieldAll(value) => self.misplaced_yield(*value, span),
            ExprKind::Index { target, index } => {
                let node = self.index(*target, *index, span);
                self.expected(node, expect)
            }
            ExprKind::Slice { target, from, to } => {
                let node = self.slice(*target, *from, *to, span);
                self.expected(node, expect)
            }
            ExprKind::Lazy(expression) => self.lazy(*expression, span, expect),
        }
    }

    /// Reports a construct that this version does not compile.
    fn later(&mut self, construct: Later, span: Span) -> NodeId {
        self.report_later(construct, span);
        self.graph.error_node(span)
    }

    /// Checks a node's type against the expectation.
    pub(crate) fn expected(&mut self, node: NodeId, expect: &Expect) -> NodeId {
        let (ty, span) = (self.graph.type_of(node), self.graph.span_of(node));
        let reports = self.reports.diagnostics.len();
        self.expect(span, expect, &ty);
        if self.reports.diagnostics.len() > reports {
            self.show_origin(node);
        }
        node
    }

    fn tuple(&mut self, parts: &[ExprId], span: Span, expect: &Expect) -> NodeId {
        let wanted = self.tuple_parts(&expect.ty, parts.len());
        let nodes: Vec<NodeId> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| match &wanted {
                Some(types) => self.expr(*part, &expect.part(types[index].clone())),
                None => self.infer(*part),
            })
            .collect();
        let ty = Ty::tuple(nodes.iter().map(|&node| self.graph.type_of(node)).collect());
        if wanted.is_none() {
            self.expect(span, expect, &ty);
        }
        let ty = self.bounded(ty, span);
        self.graph.node(NodeKind::Tuple(nodes), ty, span)
    }

    /// The component types of a type that is known to be a tuple of `count` components.
    fn tuple_parts(&mut self, ty: &Ty, count: usize) -> Option<Vec<Ty>> {
        match self.inference.shallow(ty) {
            Ty::Constructor(TypeConstructor::Tuple, parts) if parts.len() == count => Some(parts.to_vec()),
            Ty::Constructor(..) | Ty::Variable(_) => None,
        }
    }

    fn assertion(&mut self, condition: ExprId, span: Span, expect: &Expect) -> NodeId {
        let condition = self.expr(condition, &Expect { ty: Ty::bool(), reason: Reason::Condition("assert") });
        let function = self.assert_function(span);
        self.expect(span, expect, &Ty::unit());
        self.graph.node(NodeKind::Apply { function, arguments: vec![condition] }, Ty::unit(), span)
    }

    /// The intrinsic for `assert`.
    pub(crate) fn assert_function(&mut self, span: Span) -> NodeId {
        self.graph.node(NodeKind::Intrinsic(Intrinsic::Assert), Ty::function(Ty::bool(), Ty::unit()), span)
    }
}
