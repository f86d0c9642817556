//! Functions: `fun`, `function`, and bindings with parameters.
//!
//! Directly nested lambdas are merged, as long as the parameter patterns in between cannot fail. Parameters that are names
//! become parameters of the lambda; other patterns are matched at the start of the body, from left to right.

use crate::{
    checker::Checker,
    patterns::pattern::Bound,
    state::{Expect, Reason},
};
use clef_analysis::matches::{Match, MatchKind};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Binding, Lambda, Mutability, NodeId, NodeKind, Scope, VariableId};
use clef_syntax::ast::{Arm, Ast, ExprId, ExprKind, Literal, PatternId, PatternKind, Statement, TypeExprId};

/// The body of a lambda.
#[derive(Clone, Copy)]
enum Tail<'a> {
    /// Evaluates an expression.
    Body(ExprId),
    /// Matches one more argument: `function`.
    Arms(&'a [Arm], Span),
}

/// A function in the source.
pub(crate) struct Callable<'a> {
    parameters: Vec<PatternId>,
    /// The number of them to the left of the binding's `=`.
    own: usize,
    tail: Tail<'a>,
    span: Span,
}

impl Callable<'_> {
    /// The number of parameters.
    pub(crate) fn arity(&self) -> usize {
        self.parameters.len() + usize::from(matches!(self.tail, Tail::Arms(..)))
    }

    /// The span after the parameters.
    fn end(&self, ast: &Ast) -> Span {
        match self.tail {
            Tail::Body(body) => ast.exprs[body].span,
            Tail::Arms(_, span) => span,
        }
    }
}

impl<'a> Checker<'a> {
    /// The function of some parameters and a body; `None` without parameters.
    pub(crate) fn callable(&self, parameters: &[PatternId], body: ExprId, span: Span) -> Option<Callable<'a>> {
        let ast = self.input.ast;
        let mut all = parameters.to_vec();
        let mut at = body;
        loop {
            let simple = all.iter().all(|&parameter| self.cannot_fail(parameter));
            let kind = &ast.exprs[at].kind;
            if let ExprKind::Block(statements) = kind
                && let [Statement::Expr(only)] = statements.as_slice()
            {
                at = *only;
            } else if let (ExprKind::Lambda { parameters, body }, true) = (kind, simple) {
                all.extend(parameters);
                at = *body;
            } else if let (ExprKind::Function(arms), true) = (kind, simple) {
                let tail = Tail::Arms(arms, ast.exprs[at].span);
                return Some(Callable { parameters: all, own: parameters.len(), tail, span });
            } else {
                break;
            }
        }
        (!all.is_empty()).then_some(Callable { parameters: all, own: parameters.len(), tail: Tail::Body(at), span })
    }

    /// Whether a parameter's pattern is a name, `_`, `()` or a tuple of such.
    pub(crate) fn cannot_fail(&self, pattern: PatternId) -> bool {
        match &self.input.ast.patterns[pattern].kind {
            PatternKind::Name(name) => self.names.patterns.get(name.symbol).is_none(),
            PatternKind::Wildcard | PatternKind::Literal { literal: Literal::Unit, .. } => true,
            PatternKind::Tuple(parts) | PatternKind::StructTuple(parts) => {
                parts.iter().all(|&part| self.cannot_fail(part))
            }
            PatternKind::Annotated { pattern, .. } | PatternKind::As { pattern, .. } => self.cannot_fail(*pattern),
            PatternKind::Error
            | PatternKind::Unsupported(_)
            | PatternKind::Literal { .. }
            | PatternKind::Case { .. }
            | PatternKind::Record(_)
            | PatternKind::Fields(_)
            | PatternKind::Collection { .. }
            | PatternKind::Cons { .. }
            | PatternKind::Or(..)
            | PatternKind::And(..) => false,
        }
    }

    /// `fun` or `function` as an expression.
    pub(crate) fn lambda_expression(&mut self, id: ExprId, expect: &Expect) -> NodeId {
        let span = self.input.ast.exprs[id].span;
        match self.callable(&[], id, span) {
            Some(callable) => self.function(&callable, None, None, expect),
            None => self.graph.error_node(span),
        }
    }

    /// Checks a function; its node is a lambda.
    pub(crate) fn function(
        &mut self,
        callable: &Callable<'a>,
        name: Option<VariableId>,
        annotation: Option<TypeExprId>,
        expect: &Expect,
    ) -> NodeId {
        let mark = self.names.mark();
        self.frames.enter();
        let (types, result) = self.expected_parameters(callable.arity(), &expect.ty);
        let mut params = Vec::with_capacity(types.len());
        let mut taken_apart = Vec::new();
        let mut names = Vec::new();
        for (pattern, ty) in callable.parameters.iter().zip(&types) {
            let (variable, rest) = self.parameter(*pattern, ty, &mut names);
            params.push(variable);
            taken_apart.extend(rest);
        }
        let wanted = self.result_expectation(callable, annotation, &types, result.clone(), expect);
        let whole = Ty::functions(types.iter().cloned(), result);
        self.expect(callable.span, expect, &whole);
        let body = match callable.tail {
            Tail::Body(body) => self.expr(body, &wanted),
            Tail::Arms(arms, span) => {
                let argument = self.fresh_variable("argument", types[types.len() - 1].clone(), span);
                params.push(argument);
                let scrutinee = self.use_variable(argument, Span { end: span.start + 8, ..span });
                self.match_expression(scrutinee, arms, span, &wanted)
            }
        };
        let body = taken_apart.into_iter().rev().fold(body, |body, binding| self.under(Some(binding), body));
        let captures = self.frames.leave();
        self.names.reset(mark);
        let lambda = self.graph.psg.lambdas.alloc(Lambda { name, params, body, captures, span: callable.span });
        self.graph.node(NodeKind::Lambda(lambda), whole, callable.span)
    }

    /// Types for the parameters and the result, taken from the expected type as far as it is a function type.
    fn expected_parameters(&mut self, count: usize, expected: &Ty) -> (Vec<Ty>, Ty) {
        let mut types = Vec::with_capacity(count);
        let mut rest = Some(expected.clone());
        for _ in 0..count {
            let parts = rest.take().and_then(|ty| match self.inference.shallow(&ty) {
                Ty::Constructor(TypeConstructor::Function, parts) => Some((parts[0].clone(), parts[1].clone())),
                Ty::Constructor(..) | Ty::Variable(_) => None,
            });
            match parts {
                Some((parameter, result)) => {
                    types.push(parameter);
                    rest = Some(result);
                }
                None => types.push(self.inference.fresh()),
            }
        }
        let result = match rest {
            Some(result) => result,
            None => self.inference.fresh(),
        };
        (types, result)
    }

    /// The expectation on the body: from an annotation, or from the expected type of the function.
    fn result_expectation(
        &mut self,
        callable: &Callable<'a>,
        annotation: Option<TypeExprId>,
        types: &[Ty],
        result: Ty,
        expect: &Expect,
    ) -> Expect {
        let Some(annotation) = annotation else { return expect.part(result) };
        let span = self.input.ast.types[annotation].span;
        let ty = self.type_expr(annotation);
        let own = Ty::functions(types[callable.own..].iter().cloned(), result.clone());
        let reason = Reason::Annotation(span);
        let place = match (callable.parameters.first(), callable.own) {
            (Some(&first), 0) => self.input.ast.patterns[first].span.to(callable.end(self.input.ast)),
            _ => span,
        };
        self.expect(place, &Expect { ty, reason: reason.clone() }, &own);
        Expect { ty: result, reason }
    }

    /// The variable of a parameter, and the pattern match if the parameter is not a name.
    fn parameter(
        &mut self,
        pattern: PatternId,
        ty: &Ty,
        names: &mut Vec<(Symbol, VariableId)>,
    ) -> (VariableId, Option<Binding>) {
        let ast = self.input.ast;
        let span = ast.patterns[pattern].span;
        let mut bound = Bound::new(Scope::Local, Mutability::Immutable);
        let kind = &ast.patterns[pattern].kind;
        let checked = self.match_pattern(pattern, &Expect::anything(ty.clone()), &mut bound);
        self.declare_bound(&bound);
        for (name, variable) in bound.names() {
            if let Some((_, first)) = names.iter().find(|(other, _)| *other == name) {
                self.report_second_parameter(name, variable, *first);
            }
        }
        names.extend(bound.names());
        if let clef_psg::PatternKind::Variable(variable) = self.graph.psg.patterns[checked].kind {
            return (variable, None);
        }
        let variable = self.fresh_variable("argument", ty.clone(), span);
        let plain = matches!(kind, PatternKind::Wildcard | PatternKind::Literal { literal: Literal::Unit, .. });
        let ignored = matches!(self.graph.psg.patterns[checked].kind, clef_psg::PatternKind::Wildcard);
        if plain || ignored {
            return (variable, None);
        }
        self.look_at_later(Match { span, arms: vec![(checked, false)], kind: MatchKind::Binding });
        let value = self.use_variable(variable, span);
        (variable, Some(Binding { pattern: checked, value }))
    }
    fn report_second_parameter(&mut self, name: Symbol, second: VariableId, first: VariableId) {
        let [first, second] = [first, second].map(|variable| self.graph.psg.variables[variable].span);
        let message = format!("duplicate parameter `{name}`");
        self.report(Diagnostic::error(codes::BOUND_TWICE, second, message).also(first, "the first"));
    }
}
