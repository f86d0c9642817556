//! `type … and …`: unions, records and abbreviations.

use super::{
    Checker, NamedType,
    names::{Meaning, PatternMeaning, TypeMeaning},
    refused::Later,
    ty::{Head, Need, Ty},
    types::Kind,
};
use crate::psg::{
    Case, CaseId, Constraint, DeclaredKind, DeclaredType, DeclaredTypeId, TypeParameter, TypeParameterId,
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_syntax::ast::{
    Access, Attribute, CaseDeclaration, FieldDeclaration, TypeDeclaration, TypeDeclarationKind, TypeExprId,
    TypeVariable,
};
use std::collections::{HashMap, HashSet};

impl Checker<'_> {
    /// One group: all its names are in scope in all of it.
    pub(super) fn type_group(&mut self, types: &[TypeDeclaration]) {
        let mut declared = Vec::new();
        for ty in types {
            self.type_attributes(ty);
            declared.push(self.announce(ty));
        }
        for (ty, id) in types.iter().zip(&declared) {
            if let TypeDeclarationKind::Abbreviation(of) = &ty.kind {
                match is_measure(ty) {
                    true => self.measure_abbreviation(ty, *of),
                    false => self.abbreviation(ty, *of),
                }
            }
            if let (None, TypeDeclarationKind::Union(_) | TypeDeclarationKind::Record(_)) = (id, &ty.kind) {
                clef_base::internal::bug("check", ty.span, "a union or record is announced first");
            }
        }
        for (ty, id) in types.iter().zip(&declared) {
            let Some(id) = *id else { continue };
            match &ty.kind {
                TypeDeclarationKind::Union(cases) => self.union(ty, id, cases),
                TypeDeclarationKind::Record(fields) => self.record_declaration(ty, id, fields),
                TypeDeclarationKind::Enum(_)
                | TypeDeclarationKind::Abbreviation(_)
                | TypeDeclarationKind::Measure
                | TypeDeclarationKind::Refused(_)
                | TypeDeclarationKind::Error => {}
            }
        }
        self.box_recursive(&declared.into_iter().flatten().collect::<Vec<_>>());
    }

    /// Makes a union or record known by name; reports what is no type of this version.
    fn announce(&mut self, ty: &TypeDeclaration) -> Option<DeclaredTypeId> {
        let kind = match &ty.kind {
            TypeDeclarationKind::Union(_) => DeclaredKind::Union,
            TypeDeclarationKind::Record(_) => DeclaredKind::Record,
            TypeDeclarationKind::Abbreviation(_) => return None,
            TypeDeclarationKind::Enum(values) => {
                self.enum_declaration(ty, values);
                return None;
            }
            TypeDeclarationKind::Measure => {
                self.measure_declaration(ty);
                return None;
            }
            TypeDeclarationKind::Refused(refused) => {
                self.report_refused(*refused, ty.span);
                self.broken_type(ty);
                return None;
            }
            TypeDeclarationKind::Error => {
                self.broken_type(ty);
                return None;
            }
        };
        let parameters = self.type_parameters(&ty.parameters);
        let id = self.psg.declared_types.alloc(DeclaredType {
            name: ty.name.symbol,
            parameters,
            kind,
            cases: Vec::new(),
            boxed: false,
            span: ty.name.span,
        });
        self.declare_type_once(ty, TypeMeaning::Declared(id));
        Some(id)
    }

    pub(super) fn declare_type_once(&mut self, ty: &TypeDeclaration, meaning: TypeMeaning) {
        if self.names.modules[self.names.current].types.contains_key(&ty.name.symbol) {
            let message = format!("the type `{}` is defined twice in this module", ty.name.symbol);
            self.report(Diagnostic::error(codes::DEFINED_TWICE, ty.name.span, message));
        }
        self.names.declare_type(ty.name.symbol, meaning, ty.access);
    }

    /// Declares a type that was reported, so that its uses are not reported too.
    pub(super) fn broken_type(&mut self, ty: &TypeDeclaration) {
        let parameters = self.type_parameters(&ty.parameters);
        self.names.declare_type(ty.name.symbol, TypeMeaning::Abbreviation(parameters, Ty::error()), ty.access);
    }

    fn type_parameters(&mut self, parameters: &[TypeVariable]) -> Vec<TypeParameterId> {
        parameters
            .iter()
            .map(|parameter| {
                let name = parameter.name.symbol;
                let id = self.psg.type_parameters.alloc(TypeParameter { name, constraint: Constraint::None });
                if parameter.measure {
                    self.inference.parameter_needs.insert(id, Need::MEASURE);
                }
                id
            })
            .collect()
    }

    /// Reads types in which the parameters of a declaration are known, and no other variable.
    fn with_parameters<T>(
        &mut self,
        ty: &TypeDeclaration,
        parameters: &[TypeParameterId],
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let named = |(parameter, &id): (&TypeVariable, &TypeParameterId)| {
            let kind = Some(if parameter.measure { Kind::Measure } else { Kind::Type });
            (parameter.name.symbol, NamedType { ty: Ty::parameter(id), kind, span: parameter.name.span })
        };
        let names: HashMap<Symbol, NamedType> = ty.parameters.iter().zip(parameters).map(named).collect();
        self.type_variables.push(names);
        self.inference.level += 1;
        let value = read(self);
        self.inference.level -= 1;
        self.type_variables.pop();
        value
    }

    /// A type within a declaration; a variable that is no parameter is reported.
    fn declared_type_expr(&mut self, id: TypeExprId) -> Ty {
        let errors = self.diagnostics.len();
        let ty = self.type_expr(id);
        if self.diagnostics.len() > errors {
            return Ty::error();
        }
        let mut unknowns = Vec::new();
        self.inference.unknowns(&ty, &mut unknowns);
        if unknowns.is_empty() {
            return ty;
        }
        let name = unknowns.iter().find_map(|&unknown| self.inference.open(unknown).2);
        let span = self.ast.types[id].span;
        let diagnostic = match name {
            Some(name) => {
                let message = format!("`'{name}` is no parameter of this type");
                Diagnostic::error(codes::UNKNOWN_TYPE, span, message)
                    .help(format!("add it behind the name: `<'{name}>`"))
            }
            None => Diagnostic::error(codes::UNKNOWN_TYPE, span, "the type of a field must be written out"),
        };
        self.report(diagnostic);
        Ty::error()
    }

    fn abbreviation(&mut self, ty: &TypeDeclaration, of: TypeExprId) {
        let parameters = self.type_parameters(&ty.parameters);
        let meaning = self.with_parameters(ty, &parameters, |this| this.declared_type_expr(of));
        self.declare_type_once(ty, TypeMeaning::Abbreviation(parameters, meaning));
    }

    fn union(&mut self, ty: &TypeDeclaration, id: DeclaredTypeId, cases: &[CaseDeclaration]) {
        let qualified = (ty.attributes.iter()).any(|attribute| {
            attribute.name.segments.last().is_some_and(|n| n.symbol.as_str() == "RequireQualifiedAccess")
        });
        let parameters = self.psg.declared_types[id].parameters.clone();
        let mut all = Vec::new();
        for case in cases {
            let fields: Vec<(Option<Symbol>, Ty)> = self.with_parameters(ty, &parameters, |this| {
                let typed = |(name, ty): &(Option<clef_syntax::ast::Name>, TypeExprId)| {
                    (name.map(|name| name.symbol), this.declared_type_expr(*ty))
                };
                case.fields.iter().map(typed).collect()
            });
            all.extend(fields.iter().map(|(_, ty)| ty.clone()));
            let case_id = self.add_case(id, case.name.symbol, case.name.span, fields);
            if !qualified {
                self.declare_case(case.name.symbol, case_id, ty.access);
            }
        }
        self.inference.field_types.insert(id, (parameters, all));
    }

    fn declare_case(&mut self, name: Symbol, case: CaseId, access: Access) {
        self.names.declare_value(name, Meaning::Case(case), access);
        self.names.declare_pattern(name, PatternMeaning::Case(case), access);
    }

    fn add_case(
        &mut self,
        owner: DeclaredTypeId,
        name: Symbol,
        span: Span,
        fields: Vec<(Option<Symbol>, Ty)>,
    ) -> CaseId {
        let tag = self.psg.declared_types[owner].cases.len() as u32;
        let interned = fields.iter().map(|(name, ty)| (*name, self.inference.finish(ty, &mut self.psg))).collect();
        let case = self.psg.cases.alloc(Case { name, owner, tag, fields: interned, span });
        self.psg.declared_types[owner].cases.push(case);
        self.case_fields.insert(case, fields.into_iter().map(|(_, ty)| ty).collect());
        case
    }

    fn record_declaration(&mut self, ty: &TypeDeclaration, id: DeclaredTypeId, fields: &[FieldDeclaration]) {
        let parameters = self.psg.declared_types[id].parameters.clone();
        let typed: Vec<(Option<Symbol>, Ty)> = self.with_parameters(ty, &parameters, |this| {
            let typed = |field: &FieldDeclaration| (Some(field.name.symbol), this.declared_type_expr(field.annotation));
            fields.iter().map(typed).collect()
        });
        for field in fields.iter().filter(|field| field.mutable) {
            self.report_later(Later::MutableFields, field.name.span);
        }
        let all = typed.iter().map(|(_, ty)| ty.clone()).collect();
        self.add_case(id, ty.name.symbol, ty.name.span, typed);
        for field in fields {
            self.record_fields.entry(field.name.symbol).or_default().push(id);
        }
        self.inference.field_types.insert(id, (parameters, all));
    }

    /// Boxes the types of a group that contain themselves: unions first, so that records stay plain where they can, then
    /// what still contains itself.
    fn box_recursive(&mut self, group: &[DeclaredTypeId]) {
        for kind in [DeclaredKind::Union, DeclaredKind::Record] {
            let recursive: Vec<_> = group
                .iter()
                .copied()
                .filter(|&id| self.psg.declared_types[id].kind == kind)
                .filter(|&id| self.contains(id, id, &mut HashSet::new()))
                .collect();
            for id in recursive {
                self.psg.declared_types[id].boxed = true;
            }
        }
    }

    /// Whether values of a type contain values of another without a box between them.
    fn contains(&self, outer: DeclaredTypeId, inner: DeclaredTypeId, seen: &mut HashSet<DeclaredTypeId>) -> bool {
        let cases = &self.psg.declared_types[outer].cases;
        let fields = cases.iter().filter_map(|case| self.case_fields.get(case)).flatten();
        let mut mentioned = Vec::new();
        fields.for_each(|field| self.contained_types(field, &mut mentioned));
        mentioned.into_iter().any(|next| next == inner || (seen.insert(next) && self.contains(next, inner, seen)))
    }

    /// The declared types whose values a value of a type contains, as far as its name tells: the arguments of a type too,
    /// but nothing that stands behind a pointer.
    fn contained_types(&self, ty: &Ty, found: &mut Vec<DeclaredTypeId>) {
        let Ty::Head(head, parts) = ty else { return };
        match head {
            Head::Function | Head::Reference | Head::Array => return,
            Head::Declared(declared) if self.psg.declared_types[*declared].boxed => return,
            Head::Declared(declared) => found.push(*declared),
            Head::Unit
            | Head::Bool
            | Head::Char
            | Head::String
            | Head::Integer(_)
            | Head::Float32
            | Head::Float64
            | Head::Enum(..)
            | Head::Tuple
            | Head::Parameter(_)
            | Head::MeasureOne
            | Head::MeasureBase(_)
            | Head::MeasurePower(_)
            | Head::MeasureProduct
            | Head::Error => {}
        }
        parts.iter().for_each(|part| self.contained_types(part, found));
    }
}

/// Whether a declaration is marked `[<Measure>]`.
fn is_measure(ty: &TypeDeclaration) -> bool {
    let last = |attribute: &Attribute| attribute.name.segments.last().map(|name| name.symbol);
    ty.attributes.iter().any(|attribute| last(attribute).is_some_and(|name| name.as_str() == "Measure"))
}
