//! Type expressions.

use super::{
    Checker, NamedType,
    names::{Entry, TypeMeaning},
    refused::Later,
    ty::{Head, Ty},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_syntax::ast::{Path, TypeExprId, TypeExprKind, TypeVariable};

impl Checker<'_> {
    /// The type that a type expression stands for.
    pub(super) fn type_expr(&mut self, id: TypeExprId) -> Ty {
        let ast = self.ast;
        let span = ast.types[id].span;
        match &ast.types[id].kind {
            TypeExprKind::Error => Ty::error(),
            TypeExprKind::Refused(refused) => {
                self.report_refused(*refused, span);
                Ty::error()
            }
            TypeExprKind::Name { path, arguments } => self.named_type(path, arguments, span),
            TypeExprKind::Variable(variable) => self.type_variable(*variable),
            TypeExprKind::Wildcard => self.inference.fresh(),
            TypeExprKind::Function(argument, result) => {
                let argument = self.type_expr(*argument);
                Ty::function(argument, self.type_expr(*result))
            }
            TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => {
                Ty::tuple(parts.iter().map(|part| self.type_expr(*part)).collect())
            }
            TypeExprKind::Array(of) => {
                let of = self.type_expr(*of);
                self.array_type(of, span)
            }
            TypeExprKind::Quotient(..) | TypeExprKind::Power(..) | TypeExprKind::Product(..) | TypeExprKind::One => {
                self.report_later(Later::MeasureTypes, span);
                Ty::error()
            }
        }
    }

    fn array_type(&mut self, of: Ty, span: Span) -> Ty {
        if self.in_entry_head {
            return Ty::of(Head::Array, [of]);
        }
        self.report_later(Later::ArrayTypes, span);
        Ty::error()
    }

    /// `'a`: the one in scope, or a new one of the innermost binding.
    fn type_variable(&mut self, variable: TypeVariable) -> Ty {
        let name = variable.name.symbol;
        if let Some(named) = self.type_variables.iter().rev().find_map(|names| names.get(&name)) {
            return named.ty.clone();
        }
        self.declare_type_variable(variable)
    }

    /// A new named type variable of the innermost binding.
    pub(super) fn declare_type_variable(&mut self, variable: TypeVariable) -> Ty {
        let ty = self.inference.fresh_with(super::ty::Need::NOTHING, Some(variable.name.symbol));
        if let Some(names) = self.type_variables.last_mut() {
            names.insert(variable.name.symbol, NamedType { ty: ty.clone(), span: variable.name.span });
        }
        ty
    }

    fn named_type(&mut self, path: &Path, arguments: &[TypeExprId], span: Span) -> Ty {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let Some(entry) = self.type_meaning(&symbols) else {
            self.report_unknown_type(path);
            return Ty::error();
        };
        self.check_visible(path.segments[path.segments.len() - 1].symbol, &entry, span);
        if let TypeMeaning::Unsupported(plural) = entry.meaning {
            self.report_unsupported(plural, span);
            return Ty::error();
        }
        let is_number = matches!(&entry.meaning, TypeMeaning::Simple(Ty::Head(head, _))
            if matches!(head, Head::Integer(_) | Head::Float32 | Head::Float64));
        if is_number && arguments.len() == 1 {
            self.report_later(Later::MeasureTypes, span);
            return Ty::error();
        }
        let types: Vec<Ty> = arguments.iter().map(|argument| self.type_expr(*argument)).collect();
        self.apply_type(path, entry.meaning, types, span)
    }

    fn apply_type(&mut self, path: &Path, meaning: TypeMeaning, types: Vec<Ty>, span: Span) -> Ty {
        let wanted = match &meaning {
            TypeMeaning::Simple(_) | TypeMeaning::Unsupported(_) => 0,
            TypeMeaning::Reference | TypeMeaning::Array => 1,
            TypeMeaning::Declared(declared) => self.psg.declared_types[*declared].parameters.len(),
            TypeMeaning::Abbreviation(parameters, _) => parameters.len(),
        };
        if types.len() != wanted {
            let name = path.segments[path.segments.len() - 1].symbol;
            let takes = match wanted {
                0 => "takes no type arguments".into(),
                1 => "takes one type argument".into(),
                count => format!("takes {count} type arguments"),
            };
            let message = format!("the type `{name}` {takes}, and {} are given", types.len());
            self.report(Diagnostic::error(codes::WRONG_TYPE_ARGUMENTS, span, message));
            return Ty::error();
        }
        match meaning {
            TypeMeaning::Simple(ty) => ty,
            TypeMeaning::Reference => Ty::reference(types[0].clone()),
            TypeMeaning::Array => self.array_type(types[0].clone(), span),
            TypeMeaning::Declared(declared) => Ty::of(Head::Declared(declared), types),
            TypeMeaning::Abbreviation(parameters, ty) => {
                let replace = parameters.into_iter().zip(types).collect();
                self.inference.substitute(&ty, &replace)
            }
            TypeMeaning::Unsupported(_) => Ty::error(),
        }
    }

    /// What a dotted name stands for as a type.
    pub(super) fn type_meaning(&self, path: &[Symbol]) -> Option<Entry<TypeMeaning>> {
        let (name, qualifier) = path.split_last()?;
        if qualifier.is_empty() {
            return self.names.types.get(*name).cloned();
        }
        let modules = self.names.find_modules(qualifier);
        modules.iter().find_map(|&module| self.names.modules[module].types.get(name)).cloned()
    }
}
