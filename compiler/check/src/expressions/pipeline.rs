//! Pipelines and composition: `|>`, `<|`, `||>`, `<||`, `>>`, `<<`.
//!
//! Both operands are evaluated from left to right, before the call. An operand is bound to a variable, unless it has no
//! effect and cannot change in between; a function applied to arguments and a piped one becomes one call.

use crate::{
    checker::Checker,
    state::{Expect, Reason},
};
use clef_base::Span;
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Binding, Lambda, Mutability, NodeId, NodeKind, PatternKind};
use clef_syntax::ast::{ExprId, ExprKind};

/// A binding for an operand, if it needs one.
type Named = Option<Binding>;

impl Checker<'_> {
    /// `x |> f`.
    pub(crate) fn pipe_forward(&mut self, left: ExprId, right: ExprId, span: Span, result: &Ty) -> NodeId {
        let value = self.infer(left);
        let function = self.piped_function(right, &[value], result);
        let values = self.converted_arguments(function, vec![value]);
        self.call_piped(values, function, span)
    }

    /// `(a, b) ||> f`.
    pub(crate) fn pipe_pair_forward(&mut self, left: ExprId, right: ExprId, span: Span, result: &Ty) -> NodeId {
        let (binding, values) = self.pair(left);
        let function = self.piped_function(right, &values, result);
        let values = self.converted_arguments(function, values);
        let call = self.call_piped(values, function, span);
        self.under(binding, call)
    }

    /// `f <| x`.
    pub(crate) fn pipe_backward(&mut self, left: ExprId, right: ExprId, span: Span, result: &Ty) -> NodeId {
        let wanted = Ty::function(self.inference.fresh(), result.clone());
        let function = self.function_towards(left, &Expect::anything(wanted));
        let ty = self.graph.type_of(function);
        let Some((parameter, _)) = self.as_function(&ty) else { return self.no_function(function, right, span) };
        let reason = Reason::Argument {
            function: None,
            number: 1,
            place: self.graph.span_of(function),
            definition: self.own_definition(function),
        };
        let value = self.expr(right, &Expect { ty: parameter, reason });
        if self.is_constant(value) || self.merges(function, 1) {
            return self.call_merged(function, vec![value], span);
        }
        let (name, function) = self.named(function);
        let call = self.make_call(function, vec![value], span);
        self.under(name, call)
    }

    /// `f <|| (a, b)`.
    pub(crate) fn pipe_pair_backward(&mut self, left: ExprId, right: ExprId, span: Span, result: &Ty) -> NodeId {
        let types = [self.inference.fresh(), self.inference.fresh()];
        let wanted = Ty::functions(types.into_iter(), result.clone());
        let function = self.function_towards(left, &Expect::anything(wanted));
        let (function_name, function) = self.named(function);
        let (binding, values) = self.pair(right);
        self.accept(function, &values);
        let values = self.converted_arguments(function, values);
        let call = self.call_merged(function, values, span);
        let call = self.under(binding, call);
        self.under(function_name, call)
    }

    /// `f >> g`, or `g << f`: a function that applies `f`, then `g`. What is known of its type, and of the type of the left
    /// operand, is propagated to the operands.
    pub(crate) fn compose(
        &mut self,
        (left, right): (ExprId, ExprId),
        forward: bool,
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        let (argument, result) = match self.inference.shallow(&expect.ty) {
            Ty::Constructor(TypeConstructor::Function, parts) => (parts[0].clone(), parts[1].clone()),
            Ty::Constructor(..) | Ty::Variable(_) => (self.inference.fresh(), self.inference.fresh()),
        };
        let middle = self.inference.fresh();
        let wanted = if forward { (argument.clone(), middle) } else { (middle, result.clone()) };
        let one = self.function_towards(left, &expect.part(Ty::function(wanted.0, wanted.1)));
        let ty = self.graph.type_of(one);
        let Some((taken, given)) = self.as_function(&ty) else {
            self.infer_function(right);
            return self.report_no_function(one, span);
        };
        let wanted = if forward { Ty::function(given, result) } else { Ty::function(argument, self.flexible(&taken)) };
        let reason = Reason::Piped(self.graph.span_of(one));
        let other = self.function_towards(right, &Expect { ty: wanted, reason });
        let (one_name, one) = self.named(one);
        let (other_name, other) = self.named(other);
        let (first, second) = if forward { (one, other) } else { (other, one) };
        let ty = self.graph.type_of(first);
        let Some((argument, middle)) = self.as_function(&ty) else { return self.report_no_function(first, span) };
        self.accept_types(second, &[(middle, self.graph.span_of(first))]);
        self.frames.enter();
        let taken = self.flexible(&argument);
        let parameter = self.fresh_variable("argument", taken.clone(), span);
        let (first, second) = (self.again(first), self.again(second));
        let given = self.use_variable(parameter, span);
        let given = self.converted(given, &argument);
        let inner = self.make_call(first, vec![given], span);
        let inner = self.converted_arguments(second, vec![inner]);
        let body = self.make_call(second, inner, span);
        let captures = self.frames.leave();
        let ty = Ty::function(taken, self.graph.type_of(body));
        let lambda = Lambda { name: None, params: vec![parameter], body, captures, span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        let node = self.graph.node(NodeKind::Lambda(lambda), ty, span);
        let node = self.under(other_name, node);
        self.under(one_name, node)
    }

    /// A function with an expected type, which only propagates to its parameters: the caller unifies the type of the node.
    fn function_towards(&mut self, id: ExprId, expect: &Expect) -> NodeId {
        let ast = self.input.ast;
        #[allow(
            clippy::wildcard_enum_match_arm,
            reason = "only a few kinds of expression determine the types of \
                                                           parameters"
        )]
        match &ast.exprs[id].kind {
            ExprKind::Lambda { .. } | ExprKind::Function(_) => self.expr(id, expect),
            ExprKind::Apply { .. } => self.application_towards(id, Some(&expect.ty)),
            ExprKind::Binary { operator, left, right } => match self.is_composition(*operator) {
                Some(forward) => self.compose((*left, *right), forward, ast.exprs[id].span, expect),
                None => self.infer(id),
            },
            _ => self.infer_function(id),
        }
    }

    /// The function to the right of `|>`, whose first parameters have the types of the piped values.
    fn piped_function(&mut self, right: ExprId, values: &[NodeId], result: &Ty) -> NodeId {
        let types: Vec<Ty> = values.iter().map(|&value| self.graph.type_of(value)).collect();
        let reason = Reason::Piped(self.graph.span_of(values[0]));
        let wanted = Expect { ty: Ty::functions(types.into_iter(), result.clone()), reason };
        let function = self.function_towards(right, &wanted);
        if !matches!(self.input.ast.exprs[right].kind, ExprKind::Lambda { .. } | ExprKind::Function(_)) {
            self.accept(function, values);
        }
        function
    }

    /// Unifies the parameters of a function with the types of values.
    fn accept(&mut self, function: NodeId, values: &[NodeId]) {
        let types: Vec<(Ty, Span)> =
            values.iter().map(|&value| (self.graph.type_of(value), self.graph.span_of(value))).collect();
        self.accept_types(function, &types);
    }

    fn accept_types(&mut self, function: NodeId, types: &[(Ty, Span)]) {
        let mut ty = self.graph.type_of(function);
        for (value, span) in types {
            let Some((parameter, result)) = self.as_function(&ty) else {
                self.report_no_function(function, *span);
                return;
            };
            let reason = Reason::PipedInto(self.graph.span_of(function));
            let taken = self.flexible(&parameter);
            self.expect(*span, &Expect { ty: taken, reason }, value);
            ty = result;
        }
    }

    fn no_function(&mut self, function: NodeId, argument: ExprId, span: Span) -> NodeId {
        self.infer(argument);
        self.report_no_function(function, span)
    }

    fn report_no_function(&mut self, function: NodeId, span: Span) -> NodeId {
        let ty = self.graph.type_of(function);
        let shown = self.show(&ty);
        let at = self.graph.span_of(function);
        self.report(
            clef_base::Diagnostic::error(clef_base::codes::NOT_A_FUNCTION, at, "expected a function")
                .label(format!("this has type `{shown}`")),
        );
        self.graph.error_node(span)
    }

    /// A call of a function with values, all evaluated in that order before it.
    fn call_piped(&mut self, values: Vec<NodeId>, function: NodeId, span: Span) -> NodeId {
        if self.is_pure(function) && self.merges(function, values.len()) {
            return self.call_merged(function, values, span);
        }
        let mut names = Vec::new();
        let mut atoms = Vec::new();
        for value in values {
            let (name, atom) = self.named(value);
            names.push(name);
            atoms.push(atom);
        }
        let call = self.call_merged(function, atoms, span);
        names.into_iter().rev().fold(call, |call, name| self.under(name, call))
    }

    /// `f a` and further arguments as one call.
    pub(crate) fn call_merged(&mut self, function: NodeId, mut values: Vec<NodeId>, span: Span) -> NodeId {
        if let NodeKind::Apply { function: inner, arguments } = &self.graph.psg.nodes[function].kind {
            let (inner, mut arguments) = (*inner, arguments.clone());
            if self.known_arity(inner).is_none_or(|arity| arguments.len() < arity) {
                arguments.append(&mut values);
                return self.make_call(inner, arguments, span);
            }
        }
        self.make_call(function, values, span)
    }

    /// Whether a function or partial application takes `more` further arguments before it has effects.
    pub(crate) fn merges(&self, function: NodeId, more: usize) -> bool {
        let NodeKind::Apply { function: inner, arguments } = &self.graph.psg.nodes[function].kind else { return true };
        self.known_arity(*inner).is_some_and(|arity| arguments.len() + more <= arity)
    }

    /// Whether the order of evaluation of an expression is unobservable.
    fn is_pure(&self, node: NodeId) -> bool {
        let NodeKind::Apply { function, arguments } = &self.graph.psg.nodes[node].kind else {
            return self.is_constant(node);
        };
        let partial = self.known_arity(*function).is_some_and(|arity| arguments.len() < arity);
        partial && self.is_constant(*function) && arguments.iter().all(|&argument| self.is_constant(argument))
    }

    /// Whether an expression is an immutable value.
    pub(crate) fn is_constant(&self, node: NodeId) -> bool {
        let kind = &self.graph.psg.nodes[node].kind;
        if let NodeKind::Variable { variable, .. } = kind {
            return self.graph.psg.variables[*variable].mutability == Mutability::Immutable;
        }
        matches!(
            kind,
            NodeKind::Literal(_)
                | NodeKind::Primitive(_)
                | NodeKind::Intrinsic(_)
                | NodeKind::Case { .. }
                | NodeKind::Lambda(_)
        )
    }

    /// Binds an expression to a name, unless it can be duplicated.
    pub(crate) fn named(&mut self, node: NodeId) -> (Named, NodeId) {
        let repeatable = self.is_constant(node) && !matches!(self.graph.psg.nodes[node].kind, NodeKind::Lambda(_));
        if repeatable {
            return (None, node);
        }
        let (ty, span) = (self.graph.type_of(node), self.graph.span_of(node));
        let variable = self.fresh_variable("operand", ty.clone(), span);
        let pattern = self.graph.pattern(PatternKind::Variable(variable), ty, span);
        let atom = self.use_variable(variable, span);
        (Some(Binding { pattern, value: node }), atom)
    }

    /// `let name in body`.
    pub(crate) fn under(&mut self, name: Named, body: NodeId) -> NodeId {
        let Some(binding) = name else { return body };
        let (ty, span) = (self.graph.type_of(body), self.graph.span_of(body));
        self.graph.node(NodeKind::Let { binding, body }, ty, span)
    }

    /// Duplicates a value that can be used again, as seen from this scope.
    pub(crate) fn again(&mut self, node: NodeId) -> NodeId {
        let (ty, span, kind) =
            (self.graph.type_of(node), self.graph.span_of(node), self.graph.psg.nodes[node].kind.clone());
        if let NodeKind::Variable { variable, .. } = kind {
            self.capture(variable, span);
        }
        let generic = match self.variable_of(node) {
            Some(variable) => !self.graph.psg.variables[variable].generics.is_empty(),
            None => matches!(kind, NodeKind::Case { .. }),
        };
        let copy = self.graph.node(kind, ty, span);
        if !generic {
            self.repeat_group_use(node, copy);
            return copy;
        }
        if let Some(types) = self.graph.instantiation(node) {
            self.graph.instantiations.push((copy, types));
        }
        copy
    }

    /// A use within an open group gets its types when the group is generalised, and so does its copy.
    fn repeat_group_use(&mut self, node: NodeId, copy: NodeId) {
        if let Some(&(_, variable)) = self.deferred.group_uses.iter().rev().find(|(of, _)| *of == node) {
            self.deferred.group_uses.push((copy, variable));
        }
    }

    /// The components of a pair, each duplicable; a binding destructures the pair.
    fn pair(&mut self, id: ExprId) -> (Named, Vec<NodeId>) {
        let span = self.input.ast.exprs[id].span;
        let types = [self.inference.fresh(), self.inference.fresh()];
        let ty = Ty::tuple(types.to_vec());
        let value = self.expr(id, &Expect::anything(ty.clone()));
        let variables = types.clone().map(|ty| self.fresh_variable("operand", ty, span));
        let parts = [0, 1]
            .map(|index| self.graph.pattern(PatternKind::Variable(variables[index]), types[index].clone(), span))
            .to_vec();
        let pattern = self.graph.pattern(PatternKind::Tuple(parts), ty, span);
        let atoms = variables.map(|variable| self.use_variable(variable, span)).to_vec();
        (Some(Binding { pattern, value }), atoms)
    }
}
