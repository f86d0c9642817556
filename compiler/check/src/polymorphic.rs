//! Polymorphic recursion: functions of a recursive group whose types are written out.
//!
//! A function whose type parameters, parameters and result are all annotated has its type before its body is read, so that
//! the group may use it at several types (Mycroft, "Polymorphic type schemes and recursive definitions", 1984). What
//! operators in the body demand of a type parameter is not written: it is gathered, and then demanded of the uses within
//! the group too.

use super::{
    Checker, NamedType,
    report::Expect,
    ty::{Head, Need, Ty},
    types::Kind,
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_psg::VariableId;
use clef_syntax::ast::{Binding, BindingHead, Literal, PatternId, PatternKind, TypeExprId, TypeExprKind, TypeVariable};
use clef_types::{Constraint, TypeParameter, TypeParameterId};
use std::collections::HashMap;

/// A use, within its group, of a function whose type is written out.
#[derive(Clone)]
pub(super) struct WrittenUse {
    pub(super) variable: VariableId,
    pub(super) types: Vec<Ty>,
    pub(super) span: Span,
}

impl Checker<'_> {
    /// Whether a binding writes its whole type, with type parameters.
    pub(super) fn is_written_out(&self, binding: &Binding) -> bool {
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
        match &self.ast.patterns[pattern].kind {
            PatternKind::Annotated { annotation, .. } => self.names_only(*annotation, parameters),
            PatternKind::Literal { literal: Literal::Unit, .. } => true,
            PatternKind::Error
            | PatternKind::Refused(_)
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

    /// Whether a type has no variables but these.
    fn names_only(&self, ty: TypeExprId, parameters: &[TypeVariable]) -> bool {
        let all = |types: &[TypeExprId]| types.iter().all(|&ty| self.names_only(ty, parameters));
        match &self.ast.types[ty].kind {
            TypeExprKind::Error | TypeExprKind::Refused(_) | TypeExprKind::Wildcard => false,
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

    /// Gives a function the type that its binding writes: the type parameters by name.
    pub(super) fn write_type(&mut self, variable: VariableId, binding: &Binding) -> HashMap<Symbol, NamedType> {
        let BindingHead::Function { type_parameters, parameters, .. } = &binding.head else { return HashMap::new() };
        let mut named = HashMap::new();
        let mut generics: Vec<TypeParameterId> = Vec::new();
        for parameter in type_parameters {
            let name = parameter.name.symbol;
            let id = self.psg.type_parameters.alloc(TypeParameter { name, constraint: Constraint::None });
            self.inference.parameter_needs.insert(id, Need::NOTHING);
            self.inference.gathering.insert(id);
            named.insert(name, NamedType { ty: Ty::parameter(id), kind: Some(Kind::Type), span: parameter.name.span });
            generics.push(id);
        }
        self.type_variables.push(named.clone());
        let types: Vec<Ty> = parameters.iter().map(|&pattern| self.parameter_type(pattern)).collect();
        let result = binding.annotation.map_or_else(Ty::error, |annotation| self.type_expr(annotation));
        self.type_variables.pop();
        self.variable_facts(variable).ty = Ty::functions(types.into_iter(), result);
        self.variable_facts(variable).group_open = false;
        self.variable_facts(variable).written = true;
        self.psg.variables[variable].generics = generics;
        named
    }

    fn parameter_type(&mut self, pattern: PatternId) -> Ty {
        let kind = &self.ast.patterns[pattern].kind;
        if let PatternKind::Annotated { annotation, .. } = kind { self.type_expr(*annotation) } else { Ty::unit() }
    }

    /// Reports functions of a group whose types are not written out, and are bound to a type parameter of one whose type
    /// is: they have one type within the group, and that has none outside.
    pub(super) fn report_bound_to_written(&mut self, written: &[VariableId], others: &[VariableId]) {
        let parameters: Vec<TypeParameterId> =
            written.iter().flat_map(|&variable| self.psg.variables[variable].generics.clone()).collect();
        for &variable in others {
            let ty = self.variable_facts(variable).ty.clone();
            let Some(parameter) = self.mentioned_parameter(&ty, &parameters) else { continue };
            let (name, span) = (self.psg.variables[variable].name, self.psg.variables[variable].span);
            let bound = self.psg.type_parameters[parameter].name;
            let message = format!("`{name}` is used here for the type parameter `'{bound}` of another function alone");
            self.report(
                Diagnostic::error(codes::LESS_GENERIC, span, message)
                    .help("write its type parameters and types out too: `let rec f<'a> (x: 'a) : 'a = …`"),
            );
            self.variable_facts(variable).ty = Ty::error();
        }
    }

    /// One of some type parameters that a type contains.
    fn mentioned_parameter(&mut self, ty: &Ty, parameters: &[TypeParameterId]) -> Option<TypeParameterId> {
        match self.inference.shallow(ty) {
            Ty::Head(Head::Parameter(parameter), _) if parameters.contains(&parameter) => Some(parameter),
            Ty::Head(_, parts) => parts.iter().find_map(|part| self.mentioned_parameter(part, parameters)),
            Ty::Unknown(_) => None,
        }
    }

    /// Ends a group of functions whose types are written out: what their bodies demand is demanded of their uses.
    pub(super) fn end_written_group(&mut self, variables: &[VariableId]) {
        let uses: Vec<WrittenUse> = std::mem::take(&mut self.written_uses);
        let (own, others): (Vec<_>, Vec<_>) = uses.into_iter().partition(|one| variables.contains(&one.variable));
        self.written_uses = others;
        // A demand on one function's parameter may lead to one on another's: as often as there are parameters.
        let parameters: Vec<TypeParameterId> =
            variables.iter().flat_map(|&variable| self.psg.variables[variable].generics.clone()).collect();
        let mut failed = vec![false; own.len()];
        for _ in 0..=parameters.len() {
            for (one, failed) in own.iter().zip(&mut failed) {
                let generics = self.psg.variables[one.variable].generics.clone();
                for (parameter, ty) in generics.iter().zip(&one.types) {
                    let need = self.inference.parameter_needs.get(parameter).copied().unwrap_or_default();
                    if let (Err(clash), false) = (self.inference.demand(ty, need), *failed) {
                        *failed = true;
                        self.report_mismatch(one.span, &Expect::anything(ty.clone()), ty, &clash);
                    }
                }
            }
        }
        for parameter in parameters {
            let need = self.inference.parameter_needs.get(&parameter).copied().unwrap_or_default();
            self.inference.gathering.remove(&parameter);
            self.psg.type_parameters[parameter].constraint = need.constraint();
        }
        for &variable in variables {
            self.variable_facts(variable).written = false;
        }
    }
}
