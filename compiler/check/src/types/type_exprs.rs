//! Type expressions.

use crate::{checker::Checker, state::Expect};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, TypeConstructor};
use clef_scopes::{Entry, Kind, NamedType, Place, TypeMeaning};
use clef_syntax::ast::{Path, TypeExprId, TypeExprKind, TypeVariable, VariableConstraint};
use clef_types::TypeParameterId;

/// The type constraint of a source constraint.
pub(crate) fn constraint_of(constraint: VariableConstraint) -> TypeConstraint {
    match constraint {
        VariableConstraint::Nothing => TypeConstraint::NOTHING,
        VariableConstraint::Equality => TypeConstraint::EQUALITY,
        VariableConstraint::Comparison => TypeConstraint::COMPARISON,
    }
}

impl Checker<'_> {
    /// The type that a type expression denotes.
    pub(crate) fn type_expr(&mut self, id: TypeExprId) -> Ty {
        let ast = self.input.ast;
        let span = ast.types[id].span;
        match &ast.types[id].kind {
            TypeExprKind::Error => Ty::error(),
            TypeExprKind::Unsupported(construct) => {
                self.report_unsupported_construct(*construct, span);
                Ty::error()
            }
            TypeExprKind::Name { path, arguments } => self.named_type(path, arguments, span),
            TypeExprKind::Variable(variable) => self.type_variable(*variable, Kind::Type),
            TypeExprKind::Wildcard => self.inference.fresh(),
            TypeExprKind::Constrained(of, variables) => {
                let ty = self.type_expr(*of);
                variables.iter().for_each(|variable| self.constrain(*variable));
                ty
            }
            TypeExprKind::Function(argument, result) => {
                let argument = self.type_expr(*argument);
                Ty::function(argument, self.type_expr(*result))
            }
            TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => {
                Ty::tuple(parts.iter().map(|part| self.type_expr(*part)).collect())
            }
            TypeExprKind::Array(of) => {
                let of = self.type_expr(*of);
                Ty::array(of)
            }
            TypeExprKind::Quotient(..) | TypeExprKind::Power(..) | TypeExprKind::Product(..) | TypeExprKind::One => {
                let written = self.input.sources.text(span).to_owned();
                self.report_bare_measure(&written, span)
            }
        }
    }

    /// `'a`: the variable in scope, or a new one of the innermost binding.
    pub(crate) fn type_variable(&mut self, variable: TypeVariable, kind: Kind) -> Ty {
        let name = variable.name.symbol;
        if self.type_scopes.find(name).is_none() {
            self.declare_type_variable(variable);
        }
        let Some(named) = self.type_scopes.find(name) else { return self.inference.fresh() };
        let ty = named.ty.clone();
        if *named.kind.get_or_insert(kind) == kind {
            if kind == Kind::Measure && self.inference.constrain(&ty, TypeConstraint::MEASURE).is_err() {
                clef_base::internal::bug(
                    "check",
                    variable.name.span,
                    "a type variable is a unit of measure from its first use",
                );
            }
            return ty;
        }
        let first = named.span;
        let message = match kind {
            Kind::Type => format!("expected a type, found the unit of measure `'{name}`"),
            Kind::Measure => format!("expected a unit of measure, found the type `'{name}`"),
        };
        let diagnostic = Diagnostic::error(codes::WRONG_MEASURE, variable.name.span, message);
        self.report(match kind {
            Kind::Type => diagnostic.also(first, "first used here"),
            Kind::Measure => diagnostic
                .also(first, "first used here")
                .help(format!("declare a parameter that is a unit as `<[<Measure>] '{name}>`")),
        });
        match kind {
            Kind::Type => Ty::error(),
            Kind::Measure => self.inference.fresh_measure(true),
        }
    }

    /// `'a : comparison`.
    fn constrain(&mut self, variable: TypeVariable) {
        let ty = self.type_variable(variable, Kind::Type);
        self.constrain_argument(&ty, constraint_of(variable.constraint), variable.name.span);
    }

    /// Constrains a type in the source; reports a violation.
    fn constrain_argument(&mut self, ty: &Ty, constraint: TypeConstraint, span: Span) {
        if let Err(error) = self.inference.constrain(ty, constraint) {
            self.report_mismatch(span, &Expect::anything(Ty::error()), ty, &error);
        }
    }

    /// A new named type variable of the innermost binding.
    pub(crate) fn declare_type_variable(&mut self, variable: TypeVariable) {
        let constraint = if variable.measure { TypeConstraint::MEASURE } else { constraint_of(variable.constraint) };
        let ty = self.inference.fresh_with(constraint, Some(variable.name.symbol));
        let kind = variable.measure.then_some(Kind::Measure);
        self.type_scopes.declare(variable.name.symbol, NamedType { ty, kind, span: variable.name.span });
    }

    fn named_type(&mut self, path: &Path, arguments: &[TypeExprId], span: Span) -> Ty {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let Some(entry) = self.type_meaning(&symbols) else {
            self.watch_path(path, Place::Type);
            self.report_unknown_type(path);
            return Ty::error();
        };
        self.record_type(path, &entry);
        self.check_visible(path.segments[path.segments.len() - 1].symbol, &entry, span);
        if let (TypeMeaning::Simple(Ty::Constructor(constructor, _)), [measure]) = (&entry.meaning, arguments)
            && constructor.is_number()
        {
            let measure = self.measure_expr(*measure);
            return self.inference.number(*constructor, &measure);
        }
        let kinds = self.argument_kinds(&entry.meaning);
        let kinds = kinds.into_iter().chain(std::iter::repeat(Kind::Type));
        let types: Vec<Ty> = arguments
            .iter()
            .zip(kinds)
            .map(|(argument, kind)| match kind {
                Kind::Type => self.type_expr(*argument),
                Kind::Measure => self.measure_expr(*argument),
            })
            .collect();
        self.apply_type(path, entry.meaning, types, span)
    }

    /// The parameters of a type that the source declares.
    fn parameters_of<'t>(&'t self, meaning: &'t TypeMeaning) -> &'t [TypeParameterId] {
        match meaning {
            TypeMeaning::Declared(declared) => &self.graph.psg.declared_types[*declared].parameters,
            TypeMeaning::Abbreviation(parameters, _) => parameters,
            TypeMeaning::Simple(_)
            | TypeMeaning::Reference
            | TypeMeaning::Array
            | TypeMeaning::NativePointer
            | TypeMeaning::Measure(_) => &[],
        }
    }

    /// Constrains the arguments of a type by its declaration.
    fn constrain_arguments(&mut self, meaning: &TypeMeaning, types: &[Ty], span: Span) {
        let parameters = self.parameters_of(meaning).to_vec();
        for (parameter, ty) in parameters.iter().zip(types) {
            let constraint = self.inference.parameter_constraint(*parameter);
            if !constraint.contains(TypeConstraint::MEASURE) {
                self.constrain_argument(ty, constraint, span);
            }
        }
    }

    /// The kinds of a type's arguments, as far as it has parameters.
    fn argument_kinds(&self, meaning: &TypeMeaning) -> Vec<Kind> {
        let parameters = self.parameters_of(meaning);
        let kind = |&parameter| match self.inference.is_measure_parameter(parameter) {
            true => Kind::Measure,
            false => Kind::Type,
        };
        parameters.iter().map(kind).collect()
    }

    fn apply_type(&mut self, path: &Path, meaning: TypeMeaning, types: Vec<Ty>, span: Span) -> Ty {
        let wanted = match &meaning {
            TypeMeaning::Simple(_) | TypeMeaning::Measure(_) => 0,
            TypeMeaning::Reference | TypeMeaning::Array | TypeMeaning::NativePointer => 1,
            TypeMeaning::Declared(declared) => self.graph.psg.declared_types[*declared].parameters.len(),
            TypeMeaning::Abbreviation(parameters, _) => parameters.len(),
        };
        if types.len() != wanted {
            let name = path.segments[path.segments.len() - 1].symbol;
            let takes = match wanted {
                0 => "takes no type arguments".into(),
                1 => "takes one type argument".into(),
                count => format!("takes {count} type arguments"),
            };
            let message = format!("the type `{name}` {takes}, but {} are given", types.len());
            self.report(Diagnostic::error(codes::WRONG_TYPE_ARGUMENTS, span, message));
            return Ty::error();
        }
        self.constrain_arguments(&meaning, &types, span);
        match meaning {
            TypeMeaning::Simple(ty) => ty,
            TypeMeaning::Reference => Ty::reference(types[0].clone()),
            TypeMeaning::Array => Ty::array(types[0].clone()),
            TypeMeaning::NativePointer => Ty::of(TypeConstructor::NativePointer, types),
            TypeMeaning::Declared(declared) => Ty::of(TypeConstructor::Declared(declared), types),
            TypeMeaning::Abbreviation(parameters, ty) => {
                let replace = parameters.into_iter().zip(types).collect();
                self.inference.substitute(&ty, &replace)
            }
            TypeMeaning::Measure(_) => {
                let written = path.segments[path.segments.len() - 1].symbol;
                self.report_bare_measure(written.as_str(), span)
            }
        }
    }

    /// The meaning of a dotted name as a type.
    pub(crate) fn type_meaning(&self, path: &[Symbol]) -> Option<Entry<TypeMeaning>> {
        let (name, qualifier) = path.split_last()?;
        if qualifier.is_empty() {
            return self.names.types.get(*name).cloned();
        }
        let modules = self.names.find_modules(qualifier);
        modules.iter().find_map(|&module| self.names.modules[module].types.get(name)).cloned()
    }
}
