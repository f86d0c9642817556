//! `let` at module level: items of the program, constants, intrinsics, and the entry point.

use crate::{
    checker::Checker,
    declarations::attributes::Attributes,
    declarations::bindings::Group,
    state::{Expect, IntrinsicFacts, Reason},
};
use clef_base::{Diagnostic, HashMap, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, TypeConstructor};
use clef_psg::{Item, Scope, VariableId};
use clef_scopes::{Entity, Meaning, PatternMeaning};
use clef_syntax::ast::{Access, Binding, BindingHead, LetGroup, Name, PatternId, PatternKind};
use clef_types::{Intrinsic, IntrinsicConstraint};

impl Checker<'_> {
    /// A group at module level.
    pub(crate) fn module_bindings(&mut self, group: &LetGroup) {
        if let [binding] = group.bindings.as_slice() {
            let attributes = self.binding_attributes(&binding.attributes);
            if let Some(intrinsic) = attributes.intrinsic {
                self.intrinsic(intrinsic, binding);
                return;
            }
            if let Some(foreign) = attributes.import {
                self.import(foreign, binding, &attributes);
                return;
            }
            self.module_group(group, &attributes);
        } else {
            let read: Vec<Attributes> =
                group.bindings.iter().map(|binding| self.binding_attributes(&binding.attributes)).collect();
            if let Some(import) = read.iter().find_map(|attributes| attributes.import) {
                let message = "a foreign function cannot be part of a recursive group";
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, import.span, message));
            }
            let attributes =
                Attributes { entry: read.iter().any(|attributes| attributes.entry), ..Attributes::default() };
            self.module_group(group, &attributes);
        }
    }

    fn module_group(&mut self, group: &LetGroup, attributes: &Attributes) {
        group.bindings.iter().for_each(|binding| self.check_placement(binding));
        let errors = self.reports.diagnostics.len();
        let (checked, declared) = self.bindings(group, Scope::Module);
        let failed = self.reports.diagnostics.len() > errors;
        for (name, variable) in declared {
            let span = self.graph.psg.variables[variable].span;
            let binding = binding_of(group, span);
            let access = binding.map(|binding| binding.access).unwrap_or_default();
            self.declare_module_value(name, variable, access);
            let attributes_of = |binding: &Binding| self.binding_attributes_quietly(&binding.attributes);
            let Attributes { export, interrupt, test, should_trap, .. } =
                binding.map(attributes_of).unwrap_or_default();
            if let Some(foreign) = export {
                self.export(foreign, variable);
            }
            if let Some(handler) = interrupt {
                self.handler(handler, variable);
            }
            if test {
                self.test_case(variable, should_trap);
            }
            let unseen = access == Access::Private && !name.as_str().starts_with('_');
            self.graph.facts(variable).warn_unused = unseen && !self.input.library && !attributes.entry && !test;
            if attributes.literal && !failed {
                self.constant_binding(&checked, name, variable);
                self.names.declare_pattern(name, PatternMeaning::Constant(variable), access);
            }
            if attributes.entry {
                self.entry(variable);
            }
            if attributes.view {
                self.declare_view(variable);
            }
        }
        match checked {
            Group::Plain(bindings) => self.graph.psg.items.extend(bindings.into_iter().map(Item::Let)),
            Group::Recursive(bindings) if bindings.is_empty() => {}
            Group::Recursive(bindings) => self.graph.psg.items.push(Item::Recursive(bindings)),
        }
    }

    /// `[<View>]`: comparison, `hash` and `%A` use the result of the function in place of its argument.
    fn declare_view(&mut self, variable: VariableId) {
        let ty = self.graph.facts(variable).ty.clone();
        let parameter = self.as_function(&ty).map(|(parameter, _)| self.inference.shallow(&parameter));
        let Some(Ty::Constructor(TypeConstructor::Declared(declared), _)) = parameter else {
            clef_base::internal::bug("check", None, "a view is a function of a union or record")
        };
        self.graph.psg.views.insert(declared, variable);
    }

    /// Declares the name of a module-level variable.
    pub(crate) fn declare_module_value(&mut self, name: Symbol, variable: VariableId, access: Access) {
        if let Some(before) = self.declared_before(name) {
            let span = self.graph.psg.variables[variable].span;
            let message = format!("`{name}` is defined twice in this module");
            let diagnostic = Diagnostic::error(codes::DEFINED_TWICE, span, message).also(before, "first defined here");
            self.report(diagnostic);
        }
        self.names.declare_value(name, Meaning::Variable(variable), access);
    }

    /// Reports `Section` and `Align` on bindings without storage or code of their own.
    fn check_placement(&mut self, binding: &Binding) {
        let attributes = self.binding_attributes_quietly(&binding.attributes);
        let placed = attributes.section.is_some() || attributes.align.is_some();
        if placed && (attributes.literal || binding.inline || !self.binds_one_name(binding)) {
            let message =
                "`Section` and `Align` are only allowed on a function that is not `inline`, or on a stored value";
            self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, binding.attributes[0].span, message));
        }
    }

    /// The earlier definition of a name in the current module.
    fn declared_before(&self, name: Symbol) -> Option<Span> {
        match self.names.modules[self.names.current].values.get(&name)?.meaning {
            Meaning::Variable(variable) => Some(self.graph.psg.variables[variable].span),
            Meaning::Case(_) | Meaning::EnumValue(..) | Meaning::Intrinsic(_) | Meaning::Builtin(_) => None,
        }
    }

    /// `[<Literal>]`: its value replaces each use of its name.
    fn constant_binding(&mut self, checked: &Group, name: Symbol, variable: VariableId) {
        let value = match checked {
            Group::Plain(bindings) => bindings.first().map(|binding| binding.value),
            Group::Recursive(_) => None,
        };
        let literal = value.and_then(|value| {
            self.settle_products();
            Some((self.constant_value(value)?, self.graph.type_of(value)))
        });
        match literal {
            Some(constant) => {
                self.declared.constants.insert(variable, constant);
            }
            None => {
                let span = value.map_or(self.graph.psg.variables[variable].span, |value| self.graph.span_of(value));
                let message = format!("the value of the `[<Literal>]` `{name}` is not a constant");
                self.report(Diagnostic::error(codes::NOT_A_LITERAL, span, message));
            }
        }
    }

    fn entry(&mut self, variable: VariableId) {
        let span = self.graph.psg.variables[variable].span;
        if let Some(other) = self.graph.psg.entry.replace(variable) {
            let first = self.graph.psg.variables[other].span;
            self.report(
                Diagnostic::error(codes::ENTRY_POINT, span, "a program can have only one entry point")
                    .also(first, "the first"),
            );
        }
        self.graph.facts(variable).used = true;
    }

    /// Gives the parameter of an entry point, if it is a plain name, the type of the program's arguments before the body.
    pub(crate) fn expect_arguments(&mut self, binding: &Binding, parameters: &[PatternId], ty: &Ty) {
        let [parameter] = parameters else { return };
        let is_name = matches!(self.input.ast.patterns[*parameter].kind, PatternKind::Name(_));
        if !is_name || !self.binding_attributes_quietly(&binding.attributes).entry {
            return;
        }
        let result = self.inference.fresh();
        let main = Ty::function(Ty::array(Ty::string()), result);
        if self.inference.unify(ty, &main).is_err() {
            clef_base::internal::bug("check", binding.span, "the entry point has already been checked");
        }
    }

    /// Unifies the type of an entry point with `string array -> int` or `unit -> int` before generalisation.
    pub(crate) fn constrain_entry(&mut self, binding: &Binding, variable: VariableId) {
        if !self.binding_attributes_quietly(&binding.attributes).entry {
            return;
        }
        let span = self.graph.psg.variables[variable].span;
        let ty = self.graph.facts(variable).ty.clone();
        let Some((parameter, result)) = self.as_function(&ty) else {
            let shown = self.show(&ty);
            self.report(
                Diagnostic::error(
                    codes::ENTRY_POINT,
                    span,
                    format!("the entry point must be a function, but has type `{shown}`"),
                )
                .help("add a parameter: `let main _ = …`"),
            );
            return;
        };
        if self.graph.psg.variables[variable].arity != Some(1) {
            self.report(Diagnostic::error(codes::ENTRY_POINT, span, "the entry point must have one parameter"));
            return;
        }
        let wanted = match self.inference.shallow(&parameter) {
            Ty::Constructor(TypeConstructor::Unit, _) => Ty::unit(),
            Ty::Constructor(..) | Ty::Variable(_) => Ty::of(TypeConstructor::Array, [Ty::string()]),
        };
        let reason = Reason::Nothing;
        self.expect(span, &Expect { ty: wanted, reason }, &parameter);
        let reason = Reason::EntryPoint;
        let body = self.input.ast.exprs[binding.body].span;
        self.expect(body, &Expect { ty: Ty::int(), reason }, &result);
    }

    /// `[<Intrinsic("name")>] let f (x: t) : u = …`: the annotations determine the type; the body is ignored.
    fn intrinsic(&mut self, name: Symbol, binding: &Binding) {
        let Some(intrinsic) = Intrinsic::named(name.as_str()) else {
            let message = format!("unknown intrinsic `{name}`");
            self.report(Diagnostic::error(codes::UNKNOWN_ATTRIBUTE, binding.attributes[0].span, message));
            return;
        };
        self.inference.enter_level();
        self.type_scopes.enter(HashMap::default());
        let (declared, ty) = self.intrinsic_type(binding);
        self.type_scopes.leave();
        self.constrain_generics(intrinsic, &ty, binding.span);
        self.inference.leave_level();
        let variable = self.new_variable(
            declared.symbol,
            ty.clone(),
            clef_psg::Mutability::Immutable,
            Scope::Module,
            declared.span,
        );
        self.generalise_group(&[variable], &[], &HashMap::default(), (true, true));
        let generics = self.graph.psg.variables[variable].generics.clone();
        self.declared.intrinsics.push(IntrinsicFacts { intrinsic, variable, generics, ty });
        let index = self.declared.intrinsics.len() - 1;
        self.recording.declared(declared.span, Entity::Intrinsic(index));
        let meaning = Meaning::Intrinsic(index);
        self.names.declare_value(declared.symbol, meaning, binding.access);
    }

    /// Adds the constraints of an intrinsic to its generic types.
    fn constrain_generics(&mut self, intrinsic: Intrinsic, ty: &Ty, span: Span) {
        let constraint = match intrinsic.properties().constraint {
            IntrinsicConstraint::Nothing => return,
            IntrinsicConstraint::Number => TypeConstraint::NUMBER,
            IntrinsicConstraint::Float => TypeConstraint::FLOAT,
            IntrinsicConstraint::Integer => TypeConstraint::INTEGER,
            IntrinsicConstraint::Bits => TypeConstraint::BITS,
            IntrinsicConstraint::Plain => TypeConstraint::UNMANAGED,
        };
        let mut type_variables = Vec::new();
        self.inference.open_variables(ty, &mut type_variables);
        for type_variable in type_variables {
            if self.inference.constrain(&Ty::Variable(type_variable), constraint).is_err() {
                clef_base::internal::bug("check", span, "the types of an intrinsic do not satisfy its constraints");
            }
        }
    }

    fn intrinsic_type(&mut self, binding: &Binding) -> (Name, Ty) {
        let ast = self.input.ast;
        let result = match binding.annotation {
            Some(annotation) => self.type_expr(annotation),
            None => self.inference.fresh(),
        };
        match &binding.head {
            BindingHead::Function { name, parameters, .. } => {
                let types: Vec<Ty> = parameters.iter().map(|&parameter| self.annotated_type(parameter)).collect();
                (*name, Ty::functions(types.into_iter(), result))
            }
            BindingHead::Pattern(pattern) => {
                if let PatternKind::Annotated { pattern: inner, annotation } = &ast.patterns[*pattern].kind {
                    let ty = self.type_expr(*annotation);
                    return (self.pattern_name(*inner, binding.span), ty);
                }
                (self.pattern_name(*pattern, binding.span), result)
            }
        }
    }

    fn pattern_name(&self, pattern: PatternId, span: Span) -> Name {
        let PatternKind::Name(name) = &self.input.ast.patterns[pattern].kind else {
            clef_base::internal::bug("check", span, "a library intrinsic must have a name")
        };
        *name
    }

    fn annotated_type(&mut self, pattern: PatternId) -> Ty {
        let kind = &self.input.ast.patterns[pattern].kind;
        if let PatternKind::Annotated { annotation, .. } = kind {
            return self.type_expr(*annotation);
        }
        if let PatternKind::Literal { .. } = kind { Ty::unit() } else { self.inference.fresh() }
    }
}

/// The binding of a group that contains a span.
fn binding_of(group: &LetGroup, span: Span) -> Option<&Binding> {
    group.bindings.iter().find(|binding| binding.span.start <= span.start && span.end <= binding.span.end)
}
