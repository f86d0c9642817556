//! Polymorphic recursion: functions of a recursive group with complete type annotations.
//!
//! A function whose type parameters, parameters and result are all annotated has its type before its body is checked, so
//! that the group may use it at several types (Mycroft, "Polymorphic type schemes and recursive definitions", 1984). The
//! constraints that operators in the body put on a type parameter are not written: they are collected, and then added to
//! the uses within the group too.

use crate::{
    checker::Checker,
    state::{Expect, WrittenUse},
};
use clef_base::{Diagnostic, HashMap, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::VariableId;
use clef_scopes::{Kind, NamedType, NamedTypes};
use clef_syntax::ast::{Binding, BindingHead, Literal, PatternId, PatternKind, TypeExprId, TypeExprKind, TypeVariable};
use clef_types::{Constraint, TypeParameter, TypeParameterId};

impl Checker<'_> {
    /// Whether a binding annotates its whole type, with type parameters.
    pub(crate) fn is_written_out(&self, binding: &Binding) -> bool {
        let BindingHead::Function { type_parameters, parameters, .. } = &binding.head else { return false };
        let Some(result) = binding.annotation else { return false };
        let written = |pattern: &PatternId| self.written_type(*pattern, type_parameters);
        !type_parameters.is_empty()
            && !type_parameters.iter().any(|parameter| parameter.measure)
            && !binding.inline
            && parameters.iter().all(written)
            && self.names_only(result, type_parameters)
    }

    fn written_type(&self, pattern: PatternId, parameters: &[TypeVariable]) -> bool {
        match &self.input.ast.patterns[pattern].kind {
            PatternKind::Annotated { annotation, .. } => self.names_only(*annotation, parameters),
            PatternKind::Literal { literal: Literal::Unit, .. } => true,
            PatternKind::Error
            | PatternKind::Unsupported(_)
            | PatternKind::Wildcard
            | PatternKind::Name(_)
            | PatternKind::Literal { .. }
            | PatternKind::Case { .. }
            | PatternKind::Tuple(_)
            | PatternKind::StructTuple(_)
            | PatternKind::Record(_)
            | PatternKind::Fields(_)
            | PatternKind::Collection { .. }
            | PatternKind::Cons { .. }
            | PatternKind::As { .. }
            | PatternKind::Or(..)
            | PatternKind::And(..) => false,
        }
    }

    /// Whether a type has no variables other than these.
    fn names_only(&self, ty: TypeExprId, parameters: &[TypeVariable]) -> bool {
        let all = |types: &[TypeExprId]| types.iter().all(|&ty| self.names_only(ty, parameters));
        match &self.input.ast.types[ty].kind {
            TypeExprKind::Error | TypeExprKind::Unsupported(_) | TypeExprKind::Wildcard => false,
            TypeExprKind::Variable(variable) => {
                parameters.iter().any(|parameter| parameter.name.symbol == variable.name.symbol)
            }
            TypeExprKind::Name { arguments, .. } => all(arguments),
            TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => all(parts),
            TypeExprKind::Array(of) | TypeExprKind::Power(of, _) | TypeExprKind::Constrained(of, _) => all(&[*of]),
            TypeExprKind::Function(one, other)
            | TypeExprKind::Quotient(one, other)
            | TypeExprKind::Product(one, other) => all(&[*one, *other]),
            TypeExprKind::One => true,
        }
    }

    /// Assigns a function its annotated type; returns the type parameters by name.
    pub(crate) fn write_type(&mut self, variable: VariableId, binding: &Binding) -> NamedTypes {
        let BindingHead::Function { type_parameters, parameters, .. } = &binding.head else {
            return HashMap::default();
        };
        let mut named = HashMap::default();
        let mut generics: Vec<TypeParameterId> = Vec::new();
        for parameter in type_parameters {
            let name = parameter.name.symbol;
            let id = self.graph.psg.type_parameters.alloc(TypeParameter { name, constraint: Constraint::None });
            self.inference.gather(id);
            named.insert(name, NamedType { ty: Ty::parameter(id), kind: Some(Kind::Type), span: parameter.name.span });
            generics.push(id);
        }
        self.type_scopes.enter(named.clone());
        let types: Vec<Ty> = parameters.iter().map(|&pattern| self.parameter_type(pattern)).collect();
        let result = binding.annotation.map_or_else(Ty::error, |annotation| self.type_expr(annotation));
        self.type_scopes.leave();
        self.graph.facts(variable).ty = Ty::functions(types.into_iter(), result);
        self.graph.facts(variable).group_open = false;
        self.graph.facts(variable).written = true;
        self.graph.psg.variables[variable].generics = generics;
        named
    }

    fn parameter_type(&mut self, pattern: PatternId) -> Ty {
        let kind = &self.input.ast.patterns[pattern].kind;
        if let PatternKind::Annotated { annotation, .. } = kind { self.type_expr(*annotation) } else { Ty::unit() }
    }

    /// Reports functions of a group without complete annotations that unify with a type parameter of an annotated function:
    /// they are monomorphic within the group, and outside there is no such parameter.
    pub(crate) fn report_bound_to_written(&mut self, written: &[VariableId], others: &[VariableId]) {
        let parameters: Vec<TypeParameterId> =
            written.iter().flat_map(|&variable| self.graph.psg.variables[variable].generics.clone()).collect();
        for &variable in others {
            let ty = self.graph.facts(variable).ty.clone();
            let Some(parameter) = self.used_parameter(&ty, &parameters) else { continue };
            let (name, span) = (self.graph.psg.variables[variable].name, self.graph.psg.variables[variable].span);
            let bound = self.graph.psg.type_parameters[parameter].name;
            let message = format!("`{name}` is used here only at the type parameter `'{bound}` of another function");
            self.report(
                Diagnostic::error(codes::LESS_GENERIC, span, message)
                    .help("annotate its type parameters and types: `let rec f<'a> (x: 'a) : 'a = …`"),
            );
            self.graph.facts(variable).ty = Ty::error();
        }
    }

    /// One of some type parameters, if a type contains it.
    fn used_parameter(&mut self, ty: &Ty, parameters: &[TypeParameterId]) -> Option<TypeParameterId> {
        match self.inference.shallow(ty) {
            Ty::Constructor(TypeConstructor::Parameter(parameter), _) if parameters.contains(&parameter) => {
                Some(parameter)
            }
            Ty::Constructor(_, parts) => parts.iter().find_map(|part| self.used_parameter(part, parameters)),
            Ty::Variable(_) => None,
        }
    }

    /// Ends a group of annotated functions: adds the constraints of their bodies to their uses.
    pub(crate) fn end_written_group(&mut self, variables: &[VariableId]) {
        let uses: Vec<WrittenUse> = std::mem::take(&mut self.deferred.written_uses);
        let (own, others): (Vec<_>, Vec<_>) = uses.into_iter().partition(|one| variables.contains(&one.variable));
        self.deferred.written_uses = others;
        // A constraint on one function's parameter may cause one on another's: iterate at most once per parameter.
        let parameters: Vec<TypeParameterId> =
            variables.iter().flat_map(|&variable| self.graph.psg.variables[variable].generics.clone()).collect();
        let mut failed = vec![false; own.len()];
        for _ in 0..=parameters.len() {
            for (one, failed) in own.iter().zip(&mut failed) {
                let generics = self.graph.psg.variables[one.variable].generics.clone();
                for (parameter, ty) in generics.iter().zip(&one.types) {
                    let constraint = self.inference.parameter_constraint(*parameter);
                    if let (Err(error), false) = (self.inference.constrain(ty, constraint), *failed) {
                        *failed = true;
                        self.report_mismatch(one.span, &Expect::anything(ty.clone()), ty, &error);
                    }
                }
            }
        }
        for parameter in parameters {
            let constraint = self.inference.parameter_constraint(parameter);
            self.inference.close_parameter(parameter);
            self.graph.psg.type_parameters[parameter].constraint = constraint.in_psg();
        }
        for &variable in variables {
            self.graph.facts(variable).written = false;
        }
    }
}
