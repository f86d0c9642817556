//! Application by juxtaposition, and its arity.

use crate::{
    checker::Checker,
    names::paths::Applied,
    state::{Expect, Reason},
};
use clef_base::words::ordinal;
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{LARGEST_TYPE, Ty, TypeConstructor};
use clef_psg::{NodeId, NodeKind, VariableId};
use clef_scopes::Entity;
use clef_syntax::ast::{ExprId, ExprKind};
use std::sync::Arc;

impl Checker<'_> {
    /// `f a b …`.
    pub(crate) fn application(&mut self, id: ExprId, expect: &Expect) -> NodeId {
        let node = self.application_towards(id, Some(&expect.ty));
        let node = self.function_value(node);
        let node = self.giving_sequences(node, &expect.ty);
        self.expected(node, expect)
    }

    /// An application; an expected result type is propagated before the arguments are checked.
    pub(crate) fn application_towards(&mut self, id: ExprId, result: Option<&Ty>) -> NodeId {
        let ast = self.input.ast;
        let span = ast.exprs[id].span;
        let ExprKind::Apply { function: head, arguments } = &ast.exprs[id].kind else {
            clef_base::internal::bug("check", span, "expected an application")
        };
        let head = *head;
        if self.is_name_of(head) && arguments.len() == 1 {
            return self.name_of(arguments[0], span);
        }
        if let Some(printf) = self.printf_named(head) {
            let name = Span {
                start: self.input.ast.exprs[head].span.end - printf.name().len() as u32,
                ..self.input.ast.exprs[head].span
            };
            self.recording.used(name, Entity::Builtin(Symbol::new(printf.name())));
            return self.printf(printf, head, arguments, span);
        }
        match self.applied(head) {
            Applied::Value(function) if self.is_known_elsewhere(head, function) => {
                // Further errors follow from its meaning in other languages.
                let reported = self.reports.diagnostics.len();
                for argument in arguments {
                    self.infer(*argument);
                }
                self.reports.diagnostics.truncate(reported);
                self.graph.error_node(span)
            }
            Applied::Value(function) => {
                if let Some(made) = self.case_with_fields(function, arguments[0], span) {
                    return if arguments.len() == 1 { made } else { self.apply(made, &arguments[1..], span) };
                }
                if let Some(result) = result {
                    self.foresee(function, arguments.len(), result);
                }
                self.apply(function, arguments, span)
            }
            Applied::Member(target, name) => match self.method_call(target, name, arguments, span) {
                Some(node) => node,
                None => {
                    let function = self.field(target, name);
                    self.apply(function, arguments, span)
                }
            },
        }
    }

    /// Unifies the result of a function after `arguments` arguments with the expected type, if possible. If it is not, the
    /// mismatch is reported after the arguments are checked.
    fn foresee(&mut self, function: NodeId, arguments: usize, result: &Ty) {
        if let Ty::Variable(_) = self.inference.shallow(result) {
            return;
        }
        let mut ty = self.graph.type_of(function);
        for _ in 0..arguments {
            let Ty::Constructor(TypeConstructor::Function, parts) = self.inference.shallow(&ty) else { return };
            ty = parts[1].clone();
        }
        let (mut ty, mut result) = (ty, result.clone());
        while let (
            Ty::Constructor(TypeConstructor::Function, parts),
            Ty::Constructor(TypeConstructor::Function, others),
        ) = (self.inference.shallow(&ty), self.inference.shallow(&result))
        {
            let taken = self.flexible(&parts[0]);
            self.inference.unify_if_possible(&taken, &others[0]);
            (ty, result) = (parts[1].clone(), others[1].clone());
        }
        self.inference.unify_if_possible(&ty, &result);
    }

    /// Checks arguments against a function's type, then builds the calls.
    pub(crate) fn apply(&mut self, function: NodeId, arguments: &[ExprId], span: Span) -> NodeId {
        let mut nodes = Vec::with_capacity(arguments.len());
        let mut ty = self.graph.type_of(function);
        let components = self.component_count(&ty);
        for (index, &argument) in arguments.iter().enumerate() {
            let Some((parameter, result)) = self.as_function(&ty) else {
                self.report_too_many(function, index, arguments, &ty);
                for &argument in &arguments[index..] {
                    self.infer(argument);
                }
                return self.graph.error_node(span);
            };
            let reason = Reason::Argument {
                function: self.function_name(function),
                number: index + 1,
                place: self.graph.span_of(function),
                definition: self.own_definition(function),
            };
            let reported = self.reports.diagnostics.len();
            nodes.push(self.expr(argument, &Expect { ty: parameter, reason }));
            ty = result;
            if self.reports.diagnostics.len() == reported + 1
                && (self.propose_curried(argument, &ty)
                    || index == 0 && components == Some(arguments.len()) && self.propose_tuple(arguments))
            {
                return self.graph.error_node(span);
            }
        }
        // `(f a) b`: the effects of `f a` happen before `b` is evaluated.
        match self.merges(function, nodes.len()) || nodes.iter().all(|&argument| self.is_constant(argument)) {
            true => self.call_merged(function, nodes, span),
            false => self.make_call(function, nodes, span),
        }
    }

    /// The number of components of the tuple that a function takes.
    fn component_count(&mut self, function: &Ty) -> Option<usize> {
        let Ty::Constructor(TypeConstructor::Function, parts) = self.inference.shallow(function) else { return None };
        let Ty::Constructor(TypeConstructor::Tuple, components) = self.inference.shallow(&parts[0]) else {
            return None;
        };
        Some(components.len())
    }

    /// `f a b`, where `f` takes a tuple: adds the fix to the error just reported.
    fn propose_tuple(&mut self, arguments: &[ExprId]) -> bool {
        let spans: Vec<Span> = arguments.iter().map(|&argument| self.input.ast.exprs[argument].span).collect();
        let Some(diagnostic) =
            self.reports.diagnostics.pop_if(|last| last.primary.as_ref().is_some_and(|at| at.span == spans[0]))
        else {
            return false;
        };
        let texts: Vec<&str> = spans.iter().map(|&span| self.input.sources.text(span)).collect();
        let tuple = format!("({})", texts.join(", "));
        let whole = spans[0].to(spans[spans.len() - 1]);
        let diagnostic = diagnostic.note("this function takes one argument, a tuple");
        self.reports.diagnostics.push(diagnostic.fix("separate the components with commas", whole, tuple));
        true
    }

    /// `f (a, b)`, where `f` is curried: adds the fix to the error just reported.
    fn propose_curried(&mut self, argument: ExprId, rest: &Ty) -> bool {
        let ast = self.input.ast;
        let ExprKind::Tuple(parts) = &ast.exprs[argument].kind else { return false };
        let mut ty = rest.clone();
        for _ in 1..parts.len() {
            let Ty::Constructor(TypeConstructor::Function, of) = self.inference.shallow(&ty) else { return false };
            ty = of[1].clone();
        }
        let texts: Vec<&str> = parts.iter().map(|&part| self.input.sources.text(ast.exprs[part].span)).collect();
        let place = ast.exprs[argument].span;
        let Some(diagnostic) =
            self.reports.diagnostics.pop_if(|last| last.primary.as_ref().is_some_and(|at| at.span == place))
        else {
            return false;
        };
        let diagnostic = diagnostic.note("this function takes curried arguments, but this is a tuple");
        let simple = texts.iter().all(|text| text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '"'));
        self.reports.diagnostics.push(match simple {
            true => diagnostic.help(format!("remove the commas: `{}`", texts.join(" "))),
            false => diagnostic.help("remove the commas, and put each argument that is not a name in parentheses"),
        });
        true
    }

    /// The parameter and result of a type that is, or may be, a function type.
    pub(crate) fn as_function(&mut self, ty: &Ty) -> Option<(Ty, Ty)> {
        match self.inference.shallow(ty) {
            Ty::Constructor(TypeConstructor::Function, parts) => Some((parts[0].clone(), parts[1].clone())),
            Ty::Constructor(TypeConstructor::Error, _) => Some((self.inference.fresh(), Ty::error())),
            variable @ Ty::Variable(_) => {
                let (parameter, result) = (self.inference.fresh(), self.inference.fresh());
                let function = Ty::function(parameter.clone(), result.clone());
                self.inference.unify(&variable, &function).ok()?;
                Some((parameter, result))
            }
            Ty::Constructor(..) => None,
        }
    }

    /// A call with checked arguments. All arguments are evaluated before the call. The call has at most as many as the known
    /// arity of the function, and its result is applied to the rest.
    pub(crate) fn make_call(&mut self, function: NodeId, mut arguments: Vec<NodeId>, span: Span) -> NodeId {
        if arguments.is_empty() {
            return function;
        }
        self.settle_products();
        let arity = self.known_arity(function).unwrap_or(arguments.len());
        if arguments.len() <= arity {
            return self.call(function, arguments, span);
        }
        let mut names = Vec::new();
        if !arguments[arity..].iter().all(|&argument| self.is_constant(argument)) {
            for argument in &mut arguments {
                let (name, atom) = self.named(*argument);
                names.push(name);
                *argument = atom;
            }
        }
        let rest = arguments.split_off(arity);
        let here = self.graph.span_of(function).to(self.graph.span_of(arguments[arity - 1]));
        let inner = self.call(function, arguments, here);
        let outer = self.call(inner, rest, span);
        names.into_iter().rev().fold(outer, |call, name| self.under(name, call))
    }

    /// A call of a function that takes all arguments at once, as far as its arity is known.
    fn call(&mut self, function: NodeId, arguments: Vec<NodeId>, span: Span) -> NodeId {
        let mut ty = self.graph.type_of(function);
        for _ in &arguments {
            ty = self.as_function(&ty).map_or_else(Ty::error, |(_, result)| result);
        }
        let ty = self.bounded(ty, span);
        self.graph.node(NodeKind::Apply { function, arguments }, ty, span)
    }

    /// Returns the type; one that is too large is reported.
    pub(crate) fn bounded(&mut self, ty: Ty, span: Span) -> Ty {
        if self.inference.is_within(&ty, &mut { LARGEST_TYPE }) {
            return ty;
        }
        self.report_large(span);
        Ty::error()
    }

    /// Reports a type that is too large.
    pub(crate) fn report_large(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                codes::TOO_MANY_INSTANCES,
                span,
                format!("the type of this expression has more than {LARGEST_TYPE} parts"),
            )
            .help("use a declared type, whose size does not grow with each use"),
        );
    }

    /// The number of arguments that a function takes before it has effects, if known.
    pub(crate) fn known_arity(&self, function: NodeId) -> Option<usize> {
        if let NodeKind::Variable { variable, .. } = &self.graph.psg.nodes[function].kind {
            return self.graph.psg.variables[*variable].arity;
        }
        if let NodeKind::Primitive(primitive) = &self.graph.psg.nodes[function].kind {
            return Some(primitive.arity());
        }
        if let NodeKind::Intrinsic(intrinsic) = &self.graph.psg.nodes[function].kind {
            return Some(intrinsic.arity());
        }
        if let NodeKind::Case { .. } = &self.graph.psg.nodes[function].kind {
            return Some(1);
        }
        if let NodeKind::Lambda(lambda) = &self.graph.psg.nodes[function].kind {
            return Some(self.graph.psg.lambdas[*lambda].params.len());
        }
        None
    }

    /// The function's name for messages.
    fn function_name(&self, function: NodeId) -> Option<Arc<str>> {
        let text = self.input.sources.text(self.graph.span_of(function));
        (text.len() <= 40 && !text.contains(char::is_whitespace)).then(|| text.into())
    }

    /// The variable that a node refers to.
    pub(crate) fn variable_of(&self, node: NodeId) -> Option<VariableId> {
        if let NodeKind::Variable { variable, .. } = self.graph.psg.nodes[node].kind { Some(variable) } else { None }
    }

    /// Reports surplus arguments.
    fn report_too_many(&mut self, function: NodeId, taken: usize, arguments: &[ExprId], ty: &Ty) {
        let place = self.input.ast.exprs[arguments[taken]].span;
        let at = self.graph.span_of(function);
        let shown = self.show(ty);
        let name = self.function_name(function).map_or("this".into(), |name| format!("`{name}`"));
        if let NodeKind::Case { case, .. } = self.graph.psg.nodes[function].kind {
            let declared = self.graph.psg.cases[case].span;
            let diagnostic = match taken {
                0 => Diagnostic::error(codes::WRONG_FIELD_COUNT, place, format!("the case {name} has no fields")),
                _ => Diagnostic::error(codes::WRONG_FIELD_COUNT, place, format!("the case {name} takes one argument"))
                    .help("pass several fields as a tuple: `Case (a, b)`"),
            };
            self.report(diagnostic.label("superfluous").also(declared, "declared here"));
            return;
        }
        let mut diagnostic = match taken {
            0 => {
                Diagnostic::error(codes::NOT_A_FUNCTION, at, format!("{name} is not a function and cannot be applied"))
                    .label(format!("this has type `{shown}`"))
                    .also(place, "the argument")
            }
            1 => self.too_many(place, format!("{name} takes one argument, but this is a second"), at, &shown),
            count => {
                let article = if matches!(count + 1, 8 | 11 | 18) { "an" } else { "a" };
                let message = format!("{name} takes {count} arguments, but this is {article} {}", ordinal(count + 1));
                self.too_many(place, message, at, &shown)
            }
        };
        if let Some(variable) = self.variable_of(function) {
            let span = self.graph.psg.variables[variable].span;
            diagnostic = diagnostic.also(span, "defined here");
        }
        if self.starts_new_line(at, place) {
            diagnostic = diagnostic.help("if the next line is a new expression, align it with the line before");
        }
        self.report(diagnostic);
    }

    fn too_many(&self, place: Span, message: String, at: Span, shown: &str) -> Diagnostic {
        Diagnostic::error(codes::TOO_MANY_ARGUMENTS, place, message)
            .label("superfluous")
            .also(at, format!("its result is `{shown}`, which is not a function"))
    }

    fn starts_new_line(&self, before: Span, after: Span) -> bool {
        self.input.sources.line_column(before).line != self.input.sources.line_column(after).line
    }
}
