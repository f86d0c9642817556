//! Loops over ranges of integers, floats and characters: `for i = a to b`, `for i in a..b`, `for i in a..s..b`.

use crate::{
    checker::Checker,
    expressions::for_in::{Each, LoopBody},
    names::{library::LibraryFunction, paths::Found},
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, TypeConstructor};
use clef_psg::{Binding, Mutability, NodeId, NodeKind, Scope, VariableId};
use clef_scopes::Meaning;
use clef_syntax::ast::{ExprId, ExprKind, Name, PatternId, PatternKind};
use clef_types::Primitive;

/// The first element, the step and the last element of a range.
pub(crate) type Bounds = (ExprId, Option<ExprId>, ExprId);

/// The bounds of a range, checked.
pub(crate) struct Range {
    from: NodeId,
    step: Option<NodeId>,
    to: NodeId,
    kind: RangeKind,
    ty: Ty,
}

/// The kind of elements of a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RangeKind {
    Integers,
    Floats,
    Chars,
}

impl Range {
    /// Its element type.
    pub(crate) fn ty(&self) -> Ty {
        self.ty.clone()
    }
}

impl<'a> Checker<'a> {
    /// `for variable = from to to do body`, or `downto`.
    pub(crate) fn counted_loop(
        &mut self,
        name: Name,
        (from, to): (ExprId, ExprId),
        descending: bool,
        span: Span,
        make_body: LoopBody<'_, 'a>,
    ) -> NodeId {
        let bound = Expect { ty: Ty::int(), reason: Reason::Bound };
        let step = self.report_step(name, (from, to), descending);
        let from = self.expr(from, &bound);
        let to = if step { self.graph.error_node(span) } else { self.expr(to, &bound) };
        let variable = self.loop_variable(name.symbol, Ty::int(), name.span);
        let body = self.body_with_variable(variable, make_body);
        self.graph.node(NodeKind::For { variable, from, to, descending, body }, Ty::unit(), span)
    }

    /// Reports `to 10 step 2`, which is parsed as an application, unless `step` is a name of the program.
    fn report_step(&mut self, variable: Name, (from, to): (ExprId, ExprId), descending: bool) -> bool {
        let exprs = &self.input.ast.exprs;
        let mut last = to;
        while let ExprKind::Binary { right, .. } = &exprs[last].kind {
            last = *right;
        }
        let ExprKind::Apply { arguments, .. } = &exprs[last].kind else { return false };
        let [.., word, step] = arguments.as_slice() else { return false };
        let ExprKind::Name(path) = &exprs[*word].kind else { return false };
        let (word, step, first) = (exprs[*word].span, exprs[*step].span, exprs[from].span);
        let text = |span: Span| self.input.sources.text(span);
        if !matches!(text(word), "step" | "by") || !matches!(self.find_value(path), Found::Nothing) {
            return false;
        }
        let before = text(Span { start: variable.span.end, end: word.start, ..word });
        let keyword = if descending { "downto" } else { "to" };
        let Some((_, end)) = before.split_once(keyword).map(|(from, to)| (from, to.trim())) else { return false };
        let sign = if descending { "-" } else { "" };
        let range = format!(" in {} .. {sign}{} .. {end}", text(first), text(step));
        let error = Diagnostic::error(codes::UNEXPECTED_TOKEN, word, "a counting loop has no step");
        let whole = variable.span.at_end().to(step);
        self.report(error.fix("iterate over a range: `first .. step .. last`", whole, range));
        true
    }

    /// The bounds of `from..to` or `from..step..to`, from left to right. A known element type is propagated to the bounds.
    pub(crate) fn range(&mut self, (from, step, to): Bounds, element: &Expect) -> Range {
        let reported = self.reports.diagnostics.len();
        let from = match self.inference.shallow(&element.ty) {
            Ty::Constructor(..) => self.expr(from, element),
            Ty::Variable(_) => self.infer(from),
        };
        let given = self.graph.type_of(from);
        let (kind, ty) = match self.inference.shallow(&given) {
            _ if self.reports.diagnostics.len() > reported => (RangeKind::Integers, Ty::error()),
            Ty::Constructor(TypeConstructor::Float32 | TypeConstructor::Float64, _) => (RangeKind::Floats, given),
            Ty::Constructor(TypeConstructor::Char, _) => (RangeKind::Chars, given),
            Ty::Constructor(..) | Ty::Variable(_) => (RangeKind::Integers, self.integer_bound(from)),
        };
        let bound = Expect { ty: ty.clone(), reason: Reason::Bound };
        let step = step.map(|step| self.expr(step, &bound));
        let to = self.expr(to, &bound);
        if let (RangeKind::Chars, Some(step)) = (kind, step) {
            let at = self.graph.span_of(step);
            let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, at, "a range of characters cannot have a step");
            self.report(diagnostic.help("use a range of integers, and convert each with `char`"));
        }
        Range { from, step, to, kind, ty }
    }

    /// The type of a bound that must be an integer.
    fn integer_bound(&mut self, from: NodeId) -> Ty {
        let ty = self.inference.fresh_with(TypeConstraint::INTEGER, None);
        let errors = self.reports.diagnostics.len();
        let given = self.graph.type_of(from);
        self.expect(self.graph.span_of(from), &Expect { ty: ty.clone(), reason: Reason::Bound }, &given);
        if self.reports.diagnostics.len() > errors { Ty::error() } else { ty }
    }

    /// A range whose bounds can be duplicated, and the bindings that evaluate them.
    pub(crate) fn evaluated(&mut self, range: Range) -> (Range, Vec<Binding>) {
        let mut bindings = Vec::new();
        let mut evaluate = |bound| {
            let (name, atom) = self.named(bound);
            bindings.extend(name);
            atom
        };
        let (from, step, to) = (evaluate(range.from), range.step.map(&mut evaluate), evaluate(range.to));
        (Range { from, step, to, ..range }, bindings)
    }

    /// Duplicates an evaluated range, as seen from this scope.
    pub(crate) fn evaluated_again(&mut self, range: Range) -> Range {
        let (from, step) = (self.again(range.from), range.step.map(|step| self.again(step)));
        Range { from, step, to: self.again(range.to), ..range }
    }

    /// A loop over a range: `pattern` is matched with each element in order.
    pub(crate) fn range_loop(
        &mut self,
        range: Range,
        pattern: PatternId,
        span: Span,
        make_body: LoopBody<'_, 'a>,
    ) -> NodeId {
        let direct = range.kind != RangeKind::Chars;
        match self.range_variable(pattern, &range.ty).filter(|_| direct) {
            Some(variable) => {
                let body = &mut |this: &mut Checker<'a>| this.body_with_variable(variable, make_body);
                self.range_loop_over(range, variable, span, body)
            }
            None => {
                self.range_elements(range, span, &mut |this, element| this.matched_body(pattern, element, make_body))
            }
        }
    }

    /// A loop over a range with a body for each element.
    pub(crate) fn range_elements(&mut self, range: Range, span: Span, each: Each<'_, 'a>) -> NodeId {
        let (from_span, ty) = (self.graph.span_of(range.from), range.ty());
        if range.kind != RangeKind::Chars {
            let variable = self.fresh_variable("element", ty, from_span);
            return self.range_loop_over(range, variable, span, &mut |this| {
                let element = this.use_variable(variable, from_span);
                each(this, element)
            });
        }
        let variable = self.fresh_variable("code", Ty::int(), from_span);
        let [from, to] = [range.from, range.to].map(|bound| {
            let at = self.graph.span_of(bound);
            self.primitive_call(Primitive::Convert, vec![bound], Ty::int(), at)
        });
        let codes = Range { from, step: None, to, kind: RangeKind::Integers, ty: Ty::int() };
        self.range_loop_over(codes, variable, span, &mut |this| {
            let code = this.use_variable(variable, from_span);
            let element = this.primitive_call(Primitive::Convert, vec![code], ty.clone(), from_span);
            each(this, element)
        })
    }

    fn range_loop_over(
        &mut self,
        range: Range,
        variable: VariableId,
        span: Span,
        make_body: LoopBody<'_, 'a>,
    ) -> NodeId {
        let Range { from, step, to, kind, ty } = range;
        let step = match (kind, step) {
            (RangeKind::Floats, None) => {
                let one = NodeKind::Literal(clef_psg::Literal::Float(1.0));
                self.graph.node(one, ty.clone(), self.graph.span_of(from))
            }
            (_, Some(step)) => step,
            (RangeKind::Integers | RangeKind::Chars, None) => {
                let body = make_body(self);
                return self.graph.node(
                    NodeKind::For { variable, from, to, descending: false, body },
                    Ty::unit(),
                    span,
                );
            }
        };
        self.stepped_loop(variable, [from, step, to], make_body, &StepBuilder { ty, kind, span })
    }

    fn loop_variable(&mut self, name: Symbol, ty: Ty, span: Span) -> VariableId {
        self.new_variable(name, ty, Mutability::Immutable, Scope::Local, span)
    }

    /// The variable of a loop over a range whose pattern is a name, perhaps annotated, or `_`.
    fn range_variable(&mut self, pattern: PatternId, ty: &Ty) -> Option<VariableId> {
        let ast = self.input.ast;
        let span = ast.patterns[pattern].span;
        let kind = &ast.patterns[pattern].kind;
        if let PatternKind::Annotated { pattern, annotation } = kind {
            let annotated = self.type_expr(*annotation);
            let wanted = Expect { ty: ty.clone(), reason: Reason::Bound };
            self.expect(ast.types[*annotation].span, &wanted, &annotated);
            return self.range_variable(*pattern, ty);
        }
        if let PatternKind::Name(name) = kind
            && self.names.patterns.get(name.symbol).is_none()
        {
            return Some(self.loop_variable(name.symbol, ty.clone(), span));
        }
        if let PatternKind::Wildcard = kind {
            return Some(self.fresh_variable("index", ty.clone(), span));
        }
        None
    }

    fn body_with_variable(&mut self, variable: VariableId, make_body: LoopBody<'_, 'a>) -> NodeId {
        let mark = self.names.mark();
        let name = self.graph.psg.variables[variable].name;
        self.names.add_local(name, Meaning::Variable(variable));
        let body = make_body(self);
        self.names.reset(mark);
        body
    }

    /// A loop with a step, as a `while`:
    ///
    /// ```text
    /// let from, step, to = …
    /// if step = 0 then trap // unless the step is a literal
    /// let mutable next = from
    /// let mutable more = if step > 0 then from <= to else from >= to
    /// while more do
    ///     let variable = next
    ///     body
    ///     next <- variable + step
    ///     more <- if step > 0 then next > variable && next <= to else next < variable && next >= to
    /// ```
    ///
    /// `next > variable` ends the loop on overflow.
    fn stepped_loop(
        &mut self,
        variable: VariableId,
        bounds: [NodeId; 3],
        make_body: LoopBody<'_, 'a>,
        builder: &StepBuilder,
    ) -> NodeId {
        let span = builder.span;
        let step = self.graph.psg.nodes[bounds[1]].clone();
        let known = if let NodeKind::Literal(clef_psg::Literal::Integer(step)) = step.kind { Some(step) } else { None };
        if known == Some(0) {
            self.report(Diagnostic::error(codes::ZERO_STEP, step.span, "a range with the step 0 never ends"));
        }
        let names = bounds.map(|bound| self.hidden("bound", bound, Mutability::Immutable));
        let [(from, from_binding), (step, step_binding), (to, to_binding)] = names;
        let check = known.is_none().then(|| builder.nonzero(self, step));
        let start = self.use_variable(from, span);
        let (next, next_binding) = self.hidden("next", start, Mutability::Mutable);
        let more_value = builder.first(self, step, from, to);
        let (more, more_binding) = self.hidden("more", more_value, Mutability::Mutable);
        let condition = self.use_variable(more, span);
        let body = self.stepped_body(builder, variable, make_body, [step, to, next, more]);
        let loop_node = self.graph.node(NodeKind::While { condition, body }, Ty::unit(), span);
        let mut result = loop_node;
        for binding in [more_binding, next_binding] {
            result = self.under(Some(binding), result);
        }
        if let Some(check) = check {
            result = self.graph.node(NodeKind::Sequence(vec![check, result]), Ty::unit(), span);
        }
        for binding in [to_binding, step_binding, from_binding] {
            result = self.under(Some(binding), result);
        }
        result
    }

    fn stepped_body(
        &mut self,
        builder: &StepBuilder,
        variable: VariableId,
        make_body: LoopBody<'_, 'a>,
        state: [VariableId; 4],
    ) -> NodeId {
        let [step, to, next, more] = state;
        let span = builder.span;
        let body = make_body(self);
        let value = builder.operation(self, Primitive::Add, variable, step);
        let advance = self.graph.node(NodeKind::Assign { variable: next, value }, Ty::unit(), span);
        let value = builder.following(self, step, variable, next, to);
        let decide = self.graph.node(NodeKind::Assign { variable: more, value }, Ty::unit(), span);
        let sequence = self.graph.node(NodeKind::Sequence(vec![body, advance, decide]), Ty::unit(), span);
        let value = self.use_variable(next, span);
        let pattern = self.graph.pattern(clef_psg::PatternKind::Variable(variable), builder.ty.clone(), span);
        self.under(Some(Binding { pattern, value }), sequence)
    }

    /// A compiler-generated variable and its binding.
    pub(crate) fn hidden(&mut self, stem: &str, value: NodeId, mutability: Mutability) -> (VariableId, Binding) {
        let (ty, span) = (self.graph.type_of(value), self.graph.span_of(value));
        let variable = self.fresh_variable(stem, ty.clone(), span);
        self.graph.psg.variables[variable].mutability = mutability;
        let pattern = self.graph.pattern(clef_psg::PatternKind::Variable(variable), ty, span);
        (variable, Binding { pattern, value })
    }
}

/// Builds the arithmetic of a stepped loop.
struct StepBuilder {
    /// The type of the range.
    ty: Ty,
    kind: RangeKind,
    span: Span,
}

impl StepBuilder {
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
        let zero = match self.kind {
            RangeKind::Floats => clef_psg::Literal::Float(0.0),
            RangeKind::Integers | RangeKind::Chars => clef_psg::Literal::Integer(0),
        };
        let zero = checker.graph.node(NodeKind::Literal(zero), self.ty.clone(), self.span);
        checker.primitive_call(primitive, vec![step, zero], Ty::bool(), self.span)
    }

    fn nonzero(&self, checker: &mut Checker<'_>, step: VariableId) -> NodeId {
        let condition = self.with_zero(checker, Primitive::Equal, step);
        let function = checker.construct_function(LibraryFunction::RangeZeroStep, self.span);
        let arguments = vec![checker.graph.unit_node(self.span)];
        let then = checker.graph.node(NodeKind::Apply { function, arguments }, Ty::unit(), self.span);
        let otherwise = checker.graph.unit_node(self.span);
        checker.graph.node(NodeKind::If { condition, then, otherwise }, Ty::unit(), self.span)
    }

    fn if_upward(&self, checker: &mut Checker<'_>, step: VariableId, then: NodeId, otherwise: NodeId) -> NodeId {
        let condition = self.with_zero(checker, Primitive::Greater, step);
        checker.graph.node(NodeKind::If { condition, then, otherwise }, Ty::bool(), self.span)
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
                let otherwise = checker.graph.bool_node(false, self.span);
                checker.graph.node(NodeKind::If { condition, then, otherwise }, Ty::bool(), self.span)
            },
        );
        self.if_upward(checker, step, up, down)
    }
}
