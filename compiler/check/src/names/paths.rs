//! Dotted names in expressions: splits them into the module path and the selection of fields.

use crate::{checker::Checker, state::Expect};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, TypeConstructor};
use clef_psg::{Literal, NodeId, NodeKind};
use clef_scopes::{Builtin, Entry, Meaning, Member, Place, TypeMeaning, Visibility};
use clef_syntax::ast::{Access, ExprId, ExprKind, Name, Path, TypeExprId};
use clef_types::{CaseId, DeclaredKind, DeclaredTypeId, IntegerType, Intrinsic, Primitive};

/// The resolution of a path.
pub(crate) enum Found {
    /// A value, and the number of segments that name it.
    Value(Entry<Meaning>, usize),
    /// Nothing.
    Nothing,
}

/// The function of an application.
pub(crate) enum Applied {
    /// A value.
    Value(NodeId),
    /// A member of a value.
    Member(NodeId, Name),
}

impl Checker<'_> {
    /// A name as an expression.
    pub(crate) fn name(&mut self, path: &Path, expect: &Expect) -> NodeId {
        let node = self.path(path);
        let node = self.function_value(node);
        let node = self.giving_sequences(node, &expect.ty);
        self.expected(node, expect)
    }

    /// The value of a path, with its field selections.
    pub(crate) fn path(&mut self, path: &Path) -> NodeId {
        let (mut node, fields) = self.path_value(path);
        for field in fields {
            node = self.field(node, *field);
        }
        node
    }

    /// The value that a path begins with, and the fields that are selected from it.
    pub(crate) fn path_value<'p>(&mut self, path: &'p Path) -> (NodeId, &'p [Name]) {
        match self.find_value(path) {
            Found::Value(entry, used) => {
                let span = path.segments[0].span.to(path.segments[used - 1].span);
                let Name { symbol: name, span: own } = path.segments[used - 1];
                self.check_visible(name, &entry, span);
                self.record_qualifier(&path.segments[..used - 1]);
                self.recording.value_used(own, name, &entry.meaning);
                (self.meaning(entry.meaning, span), &path.segments[used..])
            }
            Found::Nothing => {
                self.watch_path(path, Place::Value);
                self.report_unknown_value(path);
                (self.graph.error_node(path.span()), &[])
            }
        }
    }

    /// The function of an application: a method with its value, or any value.
    pub(crate) fn applied(&mut self, id: ExprId) -> Applied {
        let ast = self.input.ast;
        let kind = &ast.exprs[id].kind;
        if let ExprKind::Field { target, name } = kind {
            let target = self.infer(*target);
            self.watch_member(target, *name);
            return Applied::Member(target, *name);
        }
        let ExprKind::Name(path) = kind else { return Applied::Value(self.infer_function(id)) };
        let (mut node, fields) = self.path_value(path);
        let Some((last, front)) = fields.split_last() else { return Applied::Value(node) };
        for field in front {
            node = self.field(node, *field);
        }
        self.watch_member(node, *last);
        Applied::Member(node, *last)
    }

    pub(crate) fn find_value(&self, path: &Path) -> Found {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let mut found = Found::Nothing;
        for end in 0..symbols.len() {
            let (qualifier, name) = (&symbols[..end], symbols[end]);
            let entry = match qualifier {
                [] => self.names.values.get(name).cloned(),
                _ => self.find_qualified(qualifier, name),
            };
            let Some(entry) = entry else { continue };
            // A variable shadows modules of its name. A case, which has no fields, does not, nor does the library function `Map`.
            let gives_way = match entry.meaning {
                Meaning::Case(_) => true,
                Meaning::Variable(variable) => self.graph.psg.variables[variable].marks.library,
                Meaning::EnumValue(..) | Meaning::Intrinsic(_) | Meaning::Builtin(_) => false,
            } && end + 1 < symbols.len();
            found = Found::Value(entry, end + 1);
            if !gives_way {
                break;
            }
        }
        found
    }

    /// A value in a module, or a case qualified by its type.
    fn find_qualified(&self, qualifier: &[Symbol], name: Symbol) -> Option<Entry<Meaning>> {
        let modules = self.names.find_modules(qualifier);
        if let Some(entry) = modules.iter().find_map(|&module| self.names.modules[module].values.get(&name)) {
            return Some(entry.clone());
        }
        let (entry, member) = self.find_member_of_type(qualifier, name)?;
        let meaning = match member {
            Member::Case(case) => Meaning::Case(case),
            Member::EnumValue(id, index) => Meaning::EnumValue(id, index),
        };
        Some(Entry { meaning, visibility: entry.visibility })
    }

    /// `Type.Case`, where the type may be qualified.
    pub(crate) fn find_member_of_type(
        &self,
        qualifier: &[Symbol],
        name: Symbol,
    ) -> Option<(Entry<TypeMeaning>, Member)> {
        let entry = self.type_meaning(qualifier)?;
        let member = self.member_named(&entry.meaning, name)?;
        let visibility = match member {
            Member::Case(case) => self.declared.representations.get(&self.graph.psg.cases[case].owner),
            Member::EnumValue(..) => None,
        };
        Some((Entry { visibility: visibility.copied().unwrap_or(entry.visibility), ..entry }, member))
    }

    fn member_named(&self, of: &TypeMeaning, name: Symbol) -> Option<Member> {
        match of {
            TypeMeaning::Declared(declared) => self.case_named(*declared, name),
            TypeMeaning::Simple(ty) | TypeMeaning::Abbreviation(_, ty) => match ty {
                Ty::Constructor(TypeConstructor::Declared(declared), _) => self.case_named(*declared, name),
                Ty::Constructor(TypeConstructor::Enum(id, _), _) => {
                    let index = self.graph.psg.enums[*id].values.iter().position(|value| value.name == name)?;
                    Some(Member::EnumValue(*id, index))
                }
                Ty::Constructor(..) | Ty::Variable(_) => None,
            },
            TypeMeaning::Reference | TypeMeaning::Array | TypeMeaning::NativePointer | TypeMeaning::Measure(_) => None,
        }
    }

    /// The names that can follow a type name.
    pub(crate) fn member_names(&self, of: &TypeMeaning) -> Vec<Symbol> {
        match of {
            TypeMeaning::Declared(declared) => self.case_names(*declared),
            TypeMeaning::Simple(ty) | TypeMeaning::Abbreviation(_, ty) => match ty {
                Ty::Constructor(TypeConstructor::Declared(declared), _) => self.case_names(*declared),
                Ty::Constructor(TypeConstructor::Enum(id, _), _) => {
                    self.graph.psg.enums[*id].values.iter().map(|value| value.name).collect()
                }
                Ty::Constructor(..) | Ty::Variable(_) => Vec::new(),
            },
            TypeMeaning::Reference | TypeMeaning::Array | TypeMeaning::NativePointer | TypeMeaning::Measure(_) => {
                Vec::new()
            }
        }
    }

    fn case_names(&self, declared: DeclaredTypeId) -> Vec<Symbol> {
        match self.graph.psg.declared_types[declared].kind {
            DeclaredKind::Union => self.graph.psg.declared_types[declared]
                .cases
                .iter()
                .map(|&case| self.graph.psg.cases[case].name)
                .collect(),
            DeclaredKind::Record => Vec::new(),
        }
    }

    fn case_named(&self, declared: DeclaredTypeId, name: Symbol) -> Option<Member> {
        let cases = &self.graph.psg.declared_types[declared].cases;
        cases.iter().copied().find(|&case| self.graph.psg.cases[case].name == name).map(Member::Case)
    }

    /// Reports a name that is private to another module.
    pub(crate) fn check_visible<T>(&mut self, name: Symbol, entry: &Entry<T>, span: Span) {
        if self.names.is_visible(entry.visibility) {
            return;
        }
        let message = self.seen_by(&format!("`{name}` is"), entry.visibility);
        self.report(Diagnostic::error(codes::PRIVATE_NAME, span, message));
    }

    /// Reports the use of a record's fields where its representation is not visible.
    pub(crate) fn check_representation(&mut self, record: DeclaredTypeId, span: Span) {
        let Some(&visibility) = self.declared.representations.get(&record) else { return };
        if self.names.is_visible(visibility) {
            return;
        }
        let message =
            self.seen_by(&format!("the fields of `{}` are", self.graph.psg.declared_types[record].name), visibility);
        let diagnostic = Diagnostic::error(codes::PRIVATE_NAME, span, message);
        self.report(diagnostic.help("use the functions that its module provides"));
    }

    /// Describes a restricted visibility.
    pub(crate) fn seen_by(&self, what: &str, visibility: Visibility) -> String {
        match (visibility.access, self.names.modules[visibility.module].path.as_str()) {
            (Access::Internal, _) => format!("{what} internal to another project"),
            (Access::Private | Access::Public, "") => format!("{what} private to another module"),
            (Access::Private | Access::Public, module) => format!("{what} private to the module `{module}`"),
        }
    }

    /// The node for the meaning of a name.
    pub(crate) fn meaning(&mut self, meaning: Meaning, span: Span) -> NodeId {
        match meaning {
            Meaning::Variable(variable) => {
                let used = self.use_variable(variable, span);
                match self.graph.facts(variable).computed {
                    true => {
                        let unit = self.graph.node(NodeKind::Literal(Literal::Unit), Ty::unit(), span);
                        self.make_call(used, vec![unit], span)
                    }
                    false => used,
                }
            }
            Meaning::Case(case) => self.case_value(case, span),
            Meaning::EnumValue(id, index) => self.enum_value(id, index, span),
            Meaning::Intrinsic(index) => self.intrinsic_value(index, span),
            Meaning::Builtin(Builtin::Printf(printf)) => self.report_no_format(printf, span),
            Meaning::Builtin(builtin) => {
                let (primitive, ty) = self.builtin_signature(builtin, span);
                self.graph.node(NodeKind::Primitive(primitive), ty, span)
            }
        }
    }

    fn intrinsic_value(&mut self, index: usize, span: Span) -> NodeId {
        let facts = &self.declared.intrinsics[index];
        let (intrinsic, generics, ty) = (facts.intrinsic, facts.generics.clone(), facts.ty.clone());
        let types = self.inference.instantiate(&generics);
        let replace = generics.into_iter().zip(types.iter().cloned()).collect();
        let ty = self.inference.substitute(&ty, &replace);
        if intrinsic == Intrinsic::FieldValue {
            return self.graph.node(NodeKind::Primitive(Primitive::Convert), ty, span);
        }
        let node = self.graph.node(NodeKind::Intrinsic(intrinsic), ty, span);
        if !types.is_empty() {
            self.graph.instantiations.push((node, types));
        }
        node
    }

    /// A case: a value if it has no fields, otherwise a function of one argument.
    pub(crate) fn case_value(&mut self, case: CaseId, span: Span) -> NodeId {
        let (fields, owner, types) = self.instantiate_case(case);
        let ty = match fields.len() {
            0 => owner,
            1 => Ty::function(fields[0].clone(), owner),
            _ => Ty::function(Ty::tuple(fields), owner),
        };
        let node = self.graph.node(NodeKind::Case { case, instantiation: Vec::new() }, ty, span);
        if !types.is_empty() {
            self.graph.instantiations.push((node, types));
        }
        node
    }

    /// The field types of a case and its own type, instantiated, with the type arguments.
    pub(crate) fn instantiate_case(&mut self, case: CaseId) -> (Vec<Ty>, Ty, Vec<Ty>) {
        let owner = self.graph.psg.cases[case].owner;
        let parameters = self.graph.psg.declared_types[owner].parameters.clone();
        let types = self.inference.instantiate(&parameters);
        let replace = parameters.into_iter().zip(types.iter().cloned()).collect();
        let fields = self.declared.case_fields.get(&case).cloned().unwrap_or_default();
        let fields = fields.iter().map(|field| self.inference.substitute(field, &replace)).collect();
        (fields, Ty::of(TypeConstructor::Declared(owner), types.clone()), types)
    }

    /// `(+)`: an operator as a value.
    pub(crate) fn operator_value(&mut self, name: Name, expect: &Expect) -> NodeId {
        if let Some(lambda) = self.logical_operator_value(name) {
            return self.expected(lambda, expect);
        }
        let path = Path { segments: vec![name] };
        self.name(&path, expect)
    }

    /// `e.name`: a field of a record, or a member of another type.
    pub(crate) fn field(&mut self, target: NodeId, name: Name) -> NodeId {
        self.watch_member(target, name);
        let span = self.graph.span_of(target).to(name.span);
        let ty = self.graph.type_of(target);
        match self.inference.shallow(&ty) {
            Ty::Constructor(TypeConstructor::Error, _) => return self.graph.error_node(span),
            Ty::Variable(_) => self.settle_products(),
            Ty::Constructor(..) => {}
        }
        if let Some(field) = self.record_field(target, name, span) {
            return field;
        }
        if let Some(member) = self.member(target, name, span) {
            return member;
        }
        self.report_no_field(&ty, name, span)
    }

    /// A call of a primitive.
    pub(crate) fn primitive_call(
        &mut self,
        primitive: Primitive,
        arguments: Vec<NodeId>,
        result: Ty,
        span: Span,
    ) -> NodeId {
        let types: Vec<Ty> = arguments.iter().map(|&argument| self.graph.type_of(argument)).collect();
        let ty = Ty::functions(types.into_iter(), result.clone());
        let function = self.graph.node(NodeKind::Primitive(primitive), ty, span);
        self.graph.node(NodeKind::Apply { function, arguments }, result, span)
    }

    /// `sizeof<type>`: computed from a null pointer of that type.
    fn size_of(&mut self, argument: TypeExprId, span: Span) -> NodeId {
        let of = self.type_expr(argument);
        if let Err(error) = self.inference.constrain(&of, TypeConstraint::UNMANAGED) {
            let place = self.input.ast.types[argument].span;
            self.report_mismatch(place, &Expect::anything(of.clone()), &of, &error);
        }
        let (address, pointer) = (
            Ty::simple(TypeConstructor::Integer(IntegerType::NativeInt)),
            Ty::of(TypeConstructor::NativePointer, [of]),
        );
        let zero = self.graph.node(NodeKind::Literal(Literal::Integer(0)), address, span);
        let null = self.intrinsic_call(Intrinsic::PointerOfAddress, vec![zero], pointer, span);
        self.intrinsic_call(Intrinsic::SizeOf, vec![null], Ty::int(), span)
    }

    /// `f<int>`: a name with explicit type arguments.
    pub(crate) fn type_application(
        &mut self,
        function: ExprId,
        arguments: &[TypeExprId],
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        let ast = self.input.ast;
        if let ExprKind::Name(path) = &ast.exprs[function].kind
            && let ([name], [argument]) = (path.segments.as_slice(), arguments)
            && name.symbol.as_str() == "sizeof"
            && self.names.values.get(name.symbol).is_none()
        {
            let node = self.size_of(*argument, span);
            return self.expected(node, expect);
        }
        if let ([argument], true) = (arguments, self.is_name_of(function)) {
            let node = self.name_of_type(*argument, span);
            return self.expected(node, expect);
        }
        if let (ExprKind::Literal(literal), [measure]) = (&ast.exprs[function].kind, arguments) {
            return self.measured_literal(literal, false, *measure, span, expect);
        }
        let node = self.infer_function(function);
        // A value that is evaluated at each use is a call.
        let used = if let NodeKind::Apply { function, .. } = self.graph.psg.nodes[node].kind { function } else { node };
        let own = self.graph.instantiations.last().filter(|(of, _)| *of == used).map(|(_, types)| types.clone());
        let own = own.unwrap_or_default();
        let mut types = Vec::with_capacity(arguments.len());
        for (index, &argument) in arguments.iter().enumerate() {
            let measure = own.get(index).is_some_and(|own| self.inference.is_measure(own));
            types.push(if measure { self.measure_expr(argument) } else { self.type_expr(argument) });
        }
        if let ([of], true) = (types.as_slice(), self.is_enum_conversion(node)) {
            self.enum_conversion(node, of, span);
            return self.expected(node, expect);
        }
        if own.len() == types.len() {
            for ((own, given), argument) in own.iter().zip(&types).zip(arguments) {
                self.expect(ast.types[*argument].span, &Expect::anything(own.clone()), given);
            }
        } else if !matches!(self.graph.type_of(node), Ty::Constructor(TypeConstructor::Error, _)) {
            let message = match own.len() {
                0 => "this has no type parameters".into(),
                1 => format!("this has one type parameter, but {} type arguments are given", types.len()),
                count => format!("this has {count} type parameters, but {} type arguments are given", types.len()),
            };
            self.report(Diagnostic::error(codes::WRONG_TYPE_ARGUMENTS, span, message));
        }
        self.expected(node, expect)
    }
}
