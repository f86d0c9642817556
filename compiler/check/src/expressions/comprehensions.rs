//! Comprehensions: `[ for x in xs do if p x then yield f x ]`, `[a..b]`, `[| for x in xs -> e |]`, and the
//! bodies of `seq { … }`.
//!
//! A comprehension becomes statements that collect its elements in hidden variables, or hand them out. Without an explicit
//! `yield` (`yield!` is allowed), a statement whose type is not `unit` is yielded implicitly.

use crate::{
    checker::Checker,
    expressions::ranges::Range,
    names::library::LibraryFunction,
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Binding, Mutability, NodeId, NodeKind, VariableId};
use clef_syntax::ast::{ExprId, ExprKind, LetGroup, Statement};
use clef_types::Primitive;

/// Where the elements of a comprehension go.
struct Collector {
    into: Into,
    /// The expectation on an element.
    element: Expect,
    /// Expressions of types other than `unit` are yielded.
    implicit: bool,
}

/// The destination of the elements.
#[derive(Clone, Copy)]
enum Into {
    /// A list in reverse order.
    List { collected: VariableId },
    /// A buffer with spare capacity at its end.
    Array { buffer: VariableId, count: VariableId },
    /// A sequence: each element is handed out by suspending (`yields`).
    Sequence,
}

impl<'a> Checker<'a> {
    /// A list or array comprehension.
    pub(crate) fn comprehension(&mut self, into_array: bool, body: ExprId, span: Span, expect: &Expect) -> NodeId {
        let constructor = if into_array { TypeConstructor::Array } else { self.list_constructor() };
        let element = self.element_of(constructor, expect);
        self.expect(span, expect, &Ty::of(constructor, [element.ty.clone()]));
        let of = element.ty.clone();
        let (into, bindings) = if into_array { self.array_collector(of, span) } else { self.list_collector(of, span) };
        let mut collector = Collector { into, element, implicit: !self.has_yield(body) };
        let effects = self.produce(body, &mut collector);
        let Some(result) = self.collected(into, span) else { return effects };
        let ty = self.graph.type_of(result);
        let whole = self.graph.node(NodeKind::Sequence(vec![effects, result]), ty, span);
        bindings.into_iter().rev().fold(whole, |whole, binding| self.under(Some(binding), whole))
    }

    /// The body of a sequence, of type `unit`.
    pub(crate) fn sequence_body(&mut self, body: ExprId, element: Expect) -> NodeId {
        let mut collector = Collector { into: Into::Sequence, element, implicit: !self.has_yield(body) };
        self.produce(body, &mut collector)
    }

    /// The body of a sequence that is a range.
    pub(crate) fn sequence_of_range(&mut self, range: Range, element: Expect, span: Span) -> NodeId {
        let collector = Collector { into: Into::Sequence, element, implicit: true };
        self.produce_range(range, span, &collector)
    }

    fn list_collector(&mut self, of: Ty, span: Span) -> (Into, Vec<Binding>) {
        let empty = self.empty_list(of, span);
        let (collected, binding) = self.hidden("collected", empty, Mutability::Mutable);
        (Into::List { collected }, vec![binding])
    }

    fn array_collector(&mut self, of: Ty, span: Span) -> (Into, Vec<Binding>) {
        let empty = self.graph.node(NodeKind::Array(Vec::new()), Ty::array(of), span);
        let zero = self.int_node(0, span);
        let (buffer, buffer_binding) = self.hidden("buffer", empty, Mutability::Mutable);
        let (count, count_binding) = self.hidden("count", zero, Mutability::Mutable);
        (Into::Array { buffer, count }, vec![buffer_binding, count_binding])
    }

    /// The list or array of the collected elements.
    fn collected(&mut self, into: Into, span: Span) -> Option<NodeId> {
        match into {
            Into::List { collected } => {
                let list = self.use_variable(collected, span);
                Some(self.library_call(LibraryFunction::ListCollected, vec![list], span))
            }
            Into::Array { buffer, count } => {
                let arguments = vec![self.use_variable(buffer, span), self.use_variable(count, span)];
                Some(self.library_call(LibraryFunction::ArrayCollected, arguments, span))
            }
            Into::Sequence => None,
        }
    }

    /// Adds a checked value to the collected elements.
    fn collect(&mut self, value: NodeId, collector: &Collector) -> NodeId {
        let span = self.graph.span_of(value);
        match collector.into {
            Into::List { collected } => {
                let before = self.use_variable(collected, span);
                let value = self.list_node(value, before, collector.element.ty.clone(), span);
                self.graph.node(NodeKind::Assign { variable: collected, value }, Ty::unit(), span)
            }
            Into::Array { buffer, count } => {
                let arguments = vec![self.use_variable(buffer, span), self.use_variable(count, span), value];
                let pushed = self.library_call(LibraryFunction::ArrayPush, arguments, span);
                let keep = self.graph.node(NodeKind::Assign { variable: buffer, value: pushed }, Ty::unit(), span);
                let (present, one) = (self.use_variable(count, span), self.int_node(1, span));
                let next = self.primitive_call(Primitive::Add, vec![present, one], Ty::int(), span);
                let advance = self.graph.node(NodeKind::Assign { variable: count, value: next }, Ty::unit(), span);
                self.graph.node(NodeKind::Sequence(vec![keep, advance]), Ty::unit(), span)
            }
            Into::Sequence => {
                let node = self.graph.node(NodeKind::Sequence(vec![value]), Ty::unit(), span);
                self.deferred.yields.insert(node);
                node
            }
        }
    }

    /// Compiles part of a comprehension to statements.
    fn produce(&mut self, id: ExprId, to: &mut Collector) -> NodeId {
        let ast = self.input.ast;
        let span = ast.exprs[id].span;
        match &ast.exprs[id].kind {
            ExprKind::Block(statements) => {
                let mark = self.names.mark();
                let node = self.produce_statements(statements, span, to);
                self.names.reset(mark);
                node
            }
            ExprKind::If { condition, then, otherwise } => {
                let wanted = Expect { ty: Ty::bool(), reason: Reason::Condition("if") };
                let condition = self.expr(*condition, &wanted);
                let then = self.produce(*then, to);
                let otherwise = match otherwise {
                    Some(otherwise) => self.produce(*otherwise, to),
                    None => self.graph.unit_node(span.at_end()),
                };
                self.graph.node(NodeKind::If { condition, then, otherwise }, Ty::unit(), span)
            }
            ExprKind::Match { scrutinee, arms } => {
                let scrutinee = self.infer(*scrutinee);
                self.match_with(scrutinee, arms, Ty::unit(), span, &mut |this, _, body| this.produce(body, to))
            }
            ExprKind::While { condition, body } => {
                self.while_loop(*condition, span, &mut |this| this.produce(*body, to))
            }
            ExprKind::ForRange { variable, from, to: last, descending, body } => {
                self.counted_loop(*variable, (*from, *last), *descending, span, &mut |this| this.produce(*body, to))
            }
            ExprKind::ForIn { pattern, source, body } => {
                self.for_in(*pattern, *source, span, &mut |this| this.produce(*body, to))
            }
            ExprKind::Range { from, step, to: last } => {
                let range = self.range((*from, *step, *last), &to.element);
                self.expect(span, &to.element, &range.ty());
                self.produce_range(range, span, to)
            }
            ExprKind::Yield(value) => self.yield_value(*value, to),
            ExprKind::YieldAll(source) => self.yield_all(*source, span, to),
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
            | ExprKind::Interpolated(_) => match to.implicit {
                true => self.yield_or_do(id, to),
                false => self.statement(id),
            },
        }
    }

    fn produce_statements(&mut self, statements: &[Statement], span: Span, to: &mut Collector) -> NodeId {
        let mut effects = Vec::new();
        for (index, statement) in statements.iter().enumerate() {
            match statement {
                Statement::Let(group) if group.resource => {
                    effects.push(self.produce_with_resource(group, &statements[index + 1..], span, to));
                    break;
                }
                Statement::Let(group) => {
                    let bound = self.local_bindings(group);
                    let rest = self.produce_statements(&statements[index + 1..], span, to);
                    effects.push(self.let_nodes(bound, rest, group.span.to(span.at_end())));
                    break;
                }
                Statement::Expr(id) => effects.push(self.produce(*id, to)),
            }
        }
        match effects.len() {
            0 => self.graph.unit_node(span),
            1 => effects[0],
            _ => self.graph.node(NodeKind::Sequence(effects), Ty::unit(), span),
        }
    }

    /// `use` and the statements after it. Rejected in sequences: an enumeration may stop early, and would not dispose of the
    /// resource.
    fn produce_with_resource(
        &mut self,
        group: &LetGroup,
        rest: &[Statement],
        span: Span,
        to: &mut Collector,
    ) -> NodeId {
        if let Into::Sequence = to.into {
            self.report_resource_of_sequence(group.span);
        }
        let Some(resource) = self.resource(group) else {
            self.produce_statements(rest, span, to);
            return self.graph.error_node(span);
        };
        let disposal = self.disposal(&resource, group.span);
        let rest = self.produce_statements(rest, span, to);
        let whole = group.span.to(span.at_end());
        let effects = std::iter::once(rest).chain(disposal).collect();
        let body = self.graph.node(NodeKind::Sequence(effects), Ty::unit(), whole);
        self.graph.node(NodeKind::Let { binding: resource.binding, body }, Ty::unit(), whole)
    }

    fn produce_range(&mut self, range: Range, span: Span, to: &Collector) -> NodeId {
        self.range_elements(range, span, &mut |this, element| this.collect(element, to))
    }

    /// `yield value`.
    fn yield_value(&mut self, value: ExprId, to: &mut Collector) -> NodeId {
        let node = self.expr(value, &to.element);
        self.first_yield(node, to);
        self.collect(node, to)
    }

    /// The first element determines the element type, unless it is already known.
    fn first_yield(&mut self, node: NodeId, to: &mut Collector) {
        let span = self.graph.span_of(node);
        to.element = to.element.or_because(|| Reason::Element(span));
    }

    /// `yield! source`.
    fn yield_all(&mut self, source: ExprId, span: Span, to: &mut Collector) -> NodeId {
        let source = self.infer(source);
        self.for_each(source, span, &mut |this, element| {
            let ty = this.graph.type_of(element);
            this.expect(this.graph.span_of(source), &to.element.clone(), &ty);
            this.first_yield(source, to);
            this.collect(element, to)
        })
    }

    /// An expression statement: its value is yielded unless it is `unit`.
    fn yield_or_do(&mut self, id: ExprId, to: &mut Collector) -> NodeId {
        let node = self.infer(id);
        let ty = self.graph.type_of(node);
        if let Ty::Constructor(TypeConstructor::Unit | TypeConstructor::Error, _) = self.inference.shallow(&ty) {
            return node;
        }
        self.expect(self.graph.span_of(node), &to.element.clone(), &ty);
        self.first_yield(node, to);
        self.collect(node, to)
    }

    /// `yield` outside a comprehension.
    pub(crate) fn misplaced_yield(&mut self, value: ExprId, span: Span) -> NodeId {
        self.infer(value);
        self.report(
            Diagnostic::error(codes::MISPLACED_YIELD, span, "`yield` is not allowed here")
                .note("`yield` must be a statement of `seq { … }`, `[ … ]` or `[| … |]`, or of a loop or branch in it"),
        );
        self.graph.error_node(span)
    }

    /// Whether part of a comprehension contains `yield`; `yield!` does not disable implicit yields.
    fn has_yield(&self, id: ExprId) -> bool {
        match &self.input.ast.exprs[id].kind {
            ExprKind::Yield(_) => true,
            ExprKind::Block(statements) => statements.iter().any(|statement| match statement {
                Statement::Let(_) => false,
                Statement::Expr(id) => self.has_yield(*id),
            }),
            ExprKind::If { then, otherwise, .. } => {
                self.has_yield(*then) || otherwise.is_some_and(|otherwise| self.has_yield(otherwise))
            }
            ExprKind::Match { arms, .. } => arms.iter().any(|arm| self.has_yield(arm.body)),
            ExprKind::While { body, .. } | ExprKind::ForRange { body, .. } | ExprKind::ForIn { body, .. } => {
                self.has_yield(*body)
            }
            ExprKind::YieldAll(_)
            | ExprKind::Range { .. }
            | ExprKind::Error
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
