//! `type … and …`: unions and records.

use crate::{checker::Checker, types::type_exprs::constraint_of};
use clef_base::{Diagnostic, HashMap, HashSet, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, TypeConstructor};
use clef_scopes::{Entity, Kind, Meaning, NamedType, NamedTypes, PatternMeaning, TypeMeaning};
use clef_syntax::ast::{
    Access, Attribute, CaseDeclaration, FieldDeclaration, Name, TypeDeclaration, TypeDeclarationKind, TypeExprId,
    TypeExprKind, TypeVariable,
};
use clef_types::{Case, CaseId, DeclaredKind, DeclaredType, DeclaredTypeId, TypeParameter, TypeParameterId};

impl Checker<'_> {
    /// One group: all its names are in scope throughout the group.
    pub(crate) fn type_group(&mut self, types: &[TypeDeclaration]) {
        let types: Vec<TypeDeclaration> = types.iter().map(|ty| self.one_case(ty, types)).collect();
        let types = types.as_slice();
        let mut declared = Vec::new();
        for ty in types {
            self.type_attributes(ty);
            declared.push(self.announce(ty));
        }
        self.abbreviations(types);
        for (ty, id) in types.iter().zip(&declared) {
            let Some(id) = *id else { continue };
            match &ty.kind {
                TypeDeclarationKind::Union(cases) => self.union(ty, id, cases),
                TypeDeclarationKind::Record(fields) => self.record_declaration(ty, id, fields),
                TypeDeclarationKind::Enum(_)
                | TypeDeclarationKind::Abbreviation(_)
                | TypeDeclarationKind::Measure
                | TypeDeclarationKind::Unsupported(_)
                | TypeDeclarationKind::Error => {}
            }
        }
        self.box_recursive(&declared.into_iter().flatten().collect::<Vec<_>>());
    }

    /// `type Foo = Bar` is a union with one case if there is no type `Bar`; returns any other declaration unchanged.
    fn one_case(&self, ty: &TypeDeclaration, group: &[TypeDeclaration]) -> TypeDeclaration {
        let mut declaration = ty.clone();
        let TypeDeclarationKind::Abbreviation(of) = ty.kind else { return declaration };
        let TypeExprKind::Name { path, arguments } = &self.input.ast.types[of].kind else { return declaration };
        let [name] = path.segments.as_slice() else { return declaration };
        let is_type = self.names.types.get(name.symbol).is_some()
            || group.iter().any(|other| other.name.symbol == name.symbol && other.name.symbol != ty.name.symbol);
        let is_case = name.symbol.as_str().starts_with(char::is_uppercase);
        if is_case && !is_type && arguments.is_empty() && !is_measure(ty) {
            let case = CaseDeclaration { name: *name, fields: Vec::new() };
            declaration.kind = TypeDeclarationKind::Union(vec![case]);
        }
        declaration
    }

    /// Declares the name of a union or record; reports unsupported types.
    fn announce(&mut self, ty: &TypeDeclaration) -> Option<DeclaredTypeId> {
        self.reject_needless_access(ty);
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
            TypeDeclarationKind::Unsupported(construct) => {
                self.report_unsupported_construct(*construct, ty.span);
                self.broken_type(ty);
                return None;
            }
            TypeDeclarationKind::Error => {
                self.broken_type(ty);
                return None;
            }
        };
        let parameters = self.type_parameters(&ty.parameters);
        let id = self.graph.psg.declared_types.alloc(DeclaredType {
            name: ty.name.symbol,
            parameters,
            kind,
            cases: Vec::new(),
            library: self.input.library,
            boxed: false,
            span: ty.name.span,
        });
        self.declare_type_once(ty, TypeMeaning::Declared(id));
        Some(id)
    }

    /// Rejects `private` or `internal` after the `=` of a type without fields or cases that it could restrict.
    fn reject_needless_access(&mut self, ty: &TypeDeclaration) {
        let is_other = match ty.kind {
            TypeDeclarationKind::Abbreviation(_) | TypeDeclarationKind::Enum(_) => true,
            TypeDeclarationKind::Union(_)
            | TypeDeclarationKind::Record(_)
            | TypeDeclarationKind::Measure
            | TypeDeclarationKind::Unsupported(_)
            | TypeDeclarationKind::Error => false,
        };
        let word = match ty.representation {
            Access::Private => "private",
            Access::Internal => "internal",
            Access::Public => return,
        };
        if is_other {
            let name = ty.name.symbol;
            let message = format!("`{word}` after `=` restricts fields or cases, and `{name}` has none");
            let help = format!("to restrict the name itself, write `type {word} {name} = …`");
            self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, ty.name.span, message).help(help));
        }
    }

    pub(crate) fn declare_type_once(&mut self, ty: &TypeDeclaration, meaning: TypeMeaning) {
        if self.names.modules[self.names.current].types.contains_key(&ty.name.symbol) {
            let message = format!("the type `{}` is defined twice in this module", ty.name.symbol);
            self.report(Diagnostic::error(codes::DEFINED_TWICE, ty.name.span, message));
        }
        self.recording.type_declared(ty.name, self.names.current, &meaning);
        self.names.declare_type(ty.name.symbol, meaning, ty.access);
    }

    /// Declares an erroneous type, so that its uses are not reported too.
    pub(crate) fn broken_type(&mut self, ty: &TypeDeclaration) {
        self.reports.broken_types = true;
        let parameters = self.type_parameters(&ty.parameters);
        self.names.declare_type(ty.name.symbol, TypeMeaning::Abbreviation(parameters, Ty::error()), ty.access);
    }

    pub(crate) fn type_parameters(&mut self, parameters: &[TypeVariable]) -> Vec<TypeParameterId> {
        let mut seen: HashMap<Symbol, Span> = HashMap::default();
        for TypeVariable { name, .. } in parameters {
            if let Some(first) = seen.insert(name.symbol, name.span) {
                let message = format!("duplicate type parameter `'{}`", name.symbol);
                let diagnostic = Diagnostic::error(codes::DEFINED_TWICE, name.span, message);
                self.report(diagnostic.also(first, "the first"));
            }
        }
        parameters
            .iter()
            .map(|parameter| {
                let name = parameter.name.symbol;
                let constraint =
                    if parameter.measure { TypeConstraint::MEASURE } else { constraint_of(parameter.constraint) };
                let id = self.graph.psg.type_parameters.alloc(TypeParameter { name, constraint: constraint.in_psg() });
                self.inference.constrain_parameter(id, constraint);
                id
            })
            .collect()
    }

    /// Runs `read` with the parameters of a declaration in scope, and no other type variable.
    pub(crate) fn with_parameters<T>(
        &mut self,
        ty: &TypeDeclaration,
        parameters: &[TypeParameterId],
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let named = |(parameter, &id): (&TypeVariable, &TypeParameterId)| {
            let kind = Some(if parameter.measure { Kind::Measure } else { Kind::Type });
            (parameter.name.symbol, NamedType { ty: Ty::parameter(id), kind, span: parameter.name.span })
        };
        let names: NamedTypes = ty.parameters.iter().zip(parameters).map(named).collect();
        self.type_scopes.enter(names);
        self.inference.enter_level();
        let value = read(self);
        self.inference.leave_level();
        self.type_scopes.leave();
        value
    }

    /// A type within a declaration; a type variable that is no parameter is reported.
    pub(crate) fn declared_type_expr(&mut self, id: TypeExprId) -> Ty {
        let errors = self.reports.diagnostics.len();
        let ty = self.type_expr(id);
        if self.reports.diagnostics.len() > errors {
            return Ty::error();
        }
        let mut type_variables = Vec::new();
        self.inference.open_variables(&ty, &mut type_variables);
        if type_variables.is_empty() {
            return ty;
        }
        let name = type_variables.iter().find_map(|&type_variable| self.inference.open(type_variable).2);
        let span = self.input.ast.types[id].span;
        let diagnostic = match name {
            Some(name) => {
                let message = format!("`'{name}` is not a parameter of this type");
                Diagnostic::error(codes::UNKNOWN_TYPE, span, message)
                    .help(format!("add it after the name: `<'{name}>`"))
            }
            None => Diagnostic::error(codes::UNKNOWN_TYPE, span, "a field needs an explicit type"),
        };
        self.report(diagnostic);
        Ty::error()
    }

    fn union(&mut self, ty: &TypeDeclaration, id: DeclaredTypeId, cases: &[CaseDeclaration]) {
        let qualified = is_qualified(ty);
        let access = self.representation(ty, id);
        let parameters = self.graph.psg.declared_types[id].parameters.clone();
        self.report_twice(cases.iter().map(|case| case.name), "case");
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
            self.recording.declared(case.name.span, Entity::Case(case_id));
            self.record_fields(case_id, case.fields.iter().map(|(name, _)| *name));
            if !qualified {
                self.declare_case(case.name.symbol, case_id, access);
            }
        }
        self.inference.declare_fields(id, (parameters, all));
    }

    fn record_fields(&mut self, case: CaseId, fields: impl Iterator<Item = Option<Name>>) {
        for (position, name) in fields.enumerate() {
            if let Some(name) = name {
                self.recording.declared(name.span, Entity::Field(case, position));
            }
        }
    }

    /// The access to the fields or cases of a type: at most that to its name.
    fn representation(&mut self, ty: &TypeDeclaration, id: DeclaredTypeId) -> Access {
        let access = ty.access.max(ty.representation);
        if ty.representation != Access::Public {
            self.declared.representations.insert(id, self.names.visibility(access));
        }
        access
    }

    /// Reports duplicate cases or fields of one type.
    fn report_twice(&mut self, names: impl Iterator<Item = Name>, what: &str) {
        let mut seen: HashMap<Symbol, Span> = HashMap::default();
        for name in names {
            if let Some(first) = seen.insert(name.symbol, name.span) {
                let message = format!("the {what} `{}` is defined twice in this type", name.symbol);
                let diagnostic = Diagnostic::error(codes::DEFINED_TWICE, name.span, message);
                self.report(diagnostic.also(first, "first defined here"));
            }
        }
    }

    /// Rejects mutable fields in a `[<Struct>]`: it is copied when passed, so that an assignment would be lost.
    fn reject_mutable_struct(&mut self, ty: &TypeDeclaration, fields: &[FieldDeclaration]) {
        let is_struct = has_attribute(ty, "Struct");
        if let (true, Some(field)) = (is_struct, fields.iter().find(|field| field.mutable)) {
            self.report(
                Diagnostic::error(
                    codes::NOT_IN_CLEF,
                    field.name.span,
                    "a `[<Struct>]` record cannot have mutable fields",
                )
                .note("it is passed by value, and an assignment to a field of one copy does not affect other copies")
                .help("remove `[<Struct>]`, or copy the record with `{ r with … }`"),
            );
        }
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
        let tag = self.graph.psg.declared_types[owner].cases.len() as u32;
        let interned =
            fields.iter().map(|(name, ty)| (*name, self.inference.finish(ty, &mut self.graph.psg.types))).collect();
        let case = self.graph.psg.cases.alloc(Case { name, owner, tag, fields: interned, mutable: Vec::new(), span });
        self.graph.psg.declared_types[owner].cases.push(case);
        self.declared.case_fields.insert(case, fields.into_iter().map(|(_, ty)| ty).collect());
        case
    }

    fn record_declaration(&mut self, ty: &TypeDeclaration, id: DeclaredTypeId, fields: &[FieldDeclaration]) {
        let parameters = self.graph.psg.declared_types[id].parameters.clone();
        let typed: Vec<(Option<Symbol>, Ty)> = self.with_parameters(ty, &parameters, |this| {
            let typed = |field: &FieldDeclaration| (Some(field.name.symbol), this.declared_type_expr(field.annotation));
            fields.iter().map(typed).collect()
        });
        self.report_twice(fields.iter().map(|field| field.name), "field");
        let all = typed.iter().map(|(_, ty)| ty.clone()).collect();
        let case = self.add_case(id, ty.name.symbol, ty.name.span, typed);
        self.record_fields(case, fields.iter().map(|field| Some(field.name)));
        let mutable = fields.iter().enumerate().filter(|(_, field)| field.mutable).map(|(position, _)| position);
        self.graph.psg.cases[case].mutable = mutable.collect();
        // Copies of a record with mutable fields share its identity.
        self.graph.psg.declared_types[id].boxed = !self.graph.psg.cases[case].mutable.is_empty();
        self.reject_mutable_struct(ty, fields);
        let qualified = is_qualified(ty);
        let access = self.representation(ty, id);
        for field in fields {
            self.names.declare_field(field.name.symbol, id, access, qualified);
        }
        self.inference.declare_fields(id, (parameters, all));
        // A record with mutable fields is a reference, not plain data.
        self.inference.set_plain(id, !self.graph.psg.declared_types[id].boxed);
    }

    /// Boxes the recursive types of a group: unions first, so that records stay unboxed where possible, then what still
    /// contains itself.
    fn box_recursive(&mut self, group: &[DeclaredTypeId]) {
        for kind in [DeclaredKind::Union, DeclaredKind::Record] {
            let recursive: Vec<_> = group
                .iter()
                .copied()
                .filter(|&id| self.graph.psg.declared_types[id].kind == kind)
                .filter(|&id| self.contains(id, id, &mut HashSet::default()))
                .collect();
            for id in recursive {
                self.graph.psg.declared_types[id].boxed = true;
                self.inference.set_plain(id, false);
            }
        }
    }

    /// Whether values of a type contain values of another without a box in between.
    fn contains(&self, outer: DeclaredTypeId, inner: DeclaredTypeId, seen: &mut HashSet<DeclaredTypeId>) -> bool {
        let cases = &self.graph.psg.declared_types[outer].cases;
        let fields = cases.iter().filter_map(|case| self.declared.case_fields.get(case)).flatten();
        let mut contained = Vec::new();
        fields.for_each(|field| self.contained_types(field, &mut contained));
        contained.into_iter().any(|next| next == inner || (seen.insert(next) && self.contains(next, inner, seen)))
    }

    /// The declared types whose values a value of a type directly contains, conservatively including type arguments, but nothing
    /// behind a pointer.
    fn contained_types(&self, ty: &Ty, found: &mut Vec<DeclaredTypeId>) {
        let Ty::Constructor(constructor, parts) = ty else { return };
        match constructor {
            TypeConstructor::Function
            | TypeConstructor::Reference
            | TypeConstructor::Array
            | TypeConstructor::NativePointer => return,
            TypeConstructor::Declared(declared) if self.graph.psg.declared_types[*declared].boxed => return,
            TypeConstructor::Declared(declared) => found.push(*declared),
            TypeConstructor::Unit
            | TypeConstructor::Bool
            | TypeConstructor::Char
            | TypeConstructor::String
            | TypeConstructor::Integer(_)
            | TypeConstructor::Float32
            | TypeConstructor::Float64
            | TypeConstructor::Enum(..)
            | TypeConstructor::Tuple
            | TypeConstructor::Parameter(_)
            | TypeConstructor::MeasureOne
            | TypeConstructor::MeasureBase(_)
            | TypeConstructor::MeasurePower(_)
            | TypeConstructor::MeasureProduct
            | TypeConstructor::Error => {}
        }
        parts.iter().for_each(|part| self.contained_types(part, found));
    }
}

/// Whether a declaration is marked `[<Measure>]`.
pub(crate) fn is_measure(ty: &TypeDeclaration) -> bool {
    has_attribute(ty, "Measure")
}

/// Whether a declaration is marked `[<RequireQualifiedAccess>]`.
fn is_qualified(ty: &TypeDeclaration) -> bool {
    has_attribute(ty, "RequireQualifiedAccess")
}

fn has_attribute(ty: &TypeDeclaration, name: &str) -> bool {
    let last = |attribute: &Attribute| attribute.name.segments.last().map(|name| name.symbol);
    ty.attributes.iter().any(|attribute| last(attribute).is_some_and(|last| last.as_str() == name))
}
