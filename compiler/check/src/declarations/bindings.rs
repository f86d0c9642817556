//! `let` in all its forms, at module level and in functions.

use crate::{
    checker::Checker,
    declarations::attributes::Attributes,
    expressions::lambda::Callable,
    patterns::pattern::Bound,
    state::{Expect, Reason},
};
use clef_analysis::matches::{Match, MatchKind};
use clef_base::{Diagnostic, HashMap, Span, Symbol, codes, diagnostic::has_errors};
use clef_infer::Ty;
use clef_psg::{Lambda, Mutability, NodeId, NodeKind, Scope, VariableId};
use clef_scopes::{Meaning, NamedTypes};
use clef_syntax::ast::{
    Binding, BindingHead, ExprId, ExprKind, LetGroup, Name, PatternId, PatternKind, Statement, TypeExprId,
    TypeVariable, Unsupported,
};

/// A checked group.
pub(crate) enum Group {
    /// One after another.
    Plain(Vec<clef_psg::Binding>),
    /// Mutually recursive functions.
    Recursive(Vec<clef_psg::Binding>),
}

/// The head of a binding that defines a function, or may do so.
struct Head {
    name: Name,
    type_parameters: Vec<TypeVariable>,
    parameters: Vec<PatternId>,
    /// `: type` around the name itself.
    annotation: Option<TypeExprId>,
}

/// A function of a recursive group.
struct Member<'a, 'g> {
    binding: &'g Binding,
    head: Head,
    callable: Callable<'a>,
    variable: VariableId,
}

/// The names that a group binds, to be declared after it.
pub(crate) type Declared = Vec<(Symbol, VariableId)>;

impl<'a> Checker<'a> {
    /// Checks a local group, and declares its names.
    pub(crate) fn local_bindings(&mut self, group: &LetGroup) -> Group {
        for binding in &group.bindings {
            let attributes = self.binding_attributes(&binding.attributes);
            self.no_local_attributes(&attributes, binding);
        }
        let (checked, declared) = self.bindings(group, Scope::Local);
        for (name, variable) in declared {
            let unused = !self.input.library && !name.as_str().starts_with('_');
            self.graph.facts(variable).warn_unused = unused;
            self.names.add_local(name, Meaning::Variable(variable));
        }
        checked
    }

    fn no_local_attributes(&mut self, attributes: &Attributes, binding: &Binding) {
        if attributes.require_module_level() {
            let message = "this attribute is only allowed on a module-level binding";
            self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, binding.attributes[0].span, message));
        }
    }

    /// The node of a local group with its body.
    pub(crate) fn let_nodes(&mut self, group: Group, body: NodeId, span: Span) -> NodeId {
        let ty = self.graph.type_of(body);
        match group {
            Group::Plain(bindings) => bindings
                .into_iter()
                .rev()
                .fold(body, |body, binding| self.graph.node(NodeKind::Let { binding, body }, ty.clone(), span)),
            Group::Recursive(bindings) if bindings.is_empty() => body,
            Group::Recursive(bindings) => self.graph.node(NodeKind::LetRecursive { bindings, body }, ty, span),
        }
    }

    /// Checks a group. Its names are not declared yet, except within a recursive group.
    pub(crate) fn bindings(&mut self, group: &LetGroup, scope: Scope) -> (Group, Declared) {
        if group.resource {
            self.report_misplaced_use(group.span);
        }
        let mut declared = Vec::new();
        if group.recursive {
            let bindings = self.recursive(group, scope, &mut declared);
            return (Group::Recursive(bindings), declared);
        }
        let mut bindings = Vec::with_capacity(group.bindings.len());
        for binding in &group.bindings {
            let function =
                if let BindingHead::Function { name, .. } = &binding.head { Some(name.symbol) } else { None };
            if let Some(name) = function {
                self.frames.enter_definition(name, Span { end: group.span.start + 3, ..group.span });
            }
            self.binding_of_parts(binding, scope, &mut declared, &mut bindings);
            if function.is_some() {
                self.frames.leave_definition();
            }
        }
        (Group::Plain(bindings), declared)
    }

    fn report_misplaced_use(&mut self, span: Span) {
        self.report(
            Diagnostic::error(codes::NOT_DISPOSABLE, span, "`use` is only allowed in a block of a function")
                .note("the value is disposed of at the end of the block")
                .fix("use `let` instead", Span { end: span.start + 3, ..span }, "let"),
        );
    }

    /// `let a, b = x, y` as two bindings, so that each is generalised by itself; any other binding as it is.
    fn binding_of_parts(
        &mut self,
        binding: &Binding,
        scope: Scope,
        declared: &mut Declared,
        bindings: &mut Vec<clef_psg::Binding>,
    ) {
        if let Some(pattern) = self.pattern_of_record(binding) {
            return self.binding_of_record(pattern, binding, scope, declared, bindings);
        }
        let Some(parts) = self.parts_of(binding) else {
            bindings.push(self.binding(binding, scope, declared));
            return;
        };
        let before = declared.len();
        for part in &parts {
            self.binding_of_parts(part, scope, declared, bindings);
        }
        let mut seen: HashMap<Symbol, VariableId> = HashMap::default();
        for &(name, variable) in &declared[before..] {
            if let (Some(first), Scope::Local) = (seen.insert(name, variable), scope) {
                let [first, second] = [first, variable].map(|variable| self.graph.psg.variables[variable].span);
                let message = format!("`{name}` is bound twice in this pattern");
                let diagnostic = Diagnostic::error(codes::BOUND_TWICE, second, message);
                self.report(diagnostic.also(first, "first bound here"));
            }
        }
    }

    /// The pattern of a binding that matches a record expression with a record pattern.
    fn pattern_of_record(&self, binding: &Binding) -> Option<PatternId> {
        let BindingHead::Pattern(pattern) = binding.head else { return None };
        let mut kind = &self.input.ast.patterns[pattern].kind;
        while let PatternKind::Annotated { pattern, .. } = kind {
            kind = &self.input.ast.patterns[*pattern].kind;
        }
        let mut body = binding.body;
        while let ExprKind::Block(statements) = &self.input.ast.exprs[body].kind
            && let [Statement::Expr(only)] = statements.as_slice()
        {
            body = *only;
        }
        let is_record =
            matches!((kind, &self.input.ast.exprs[body].kind), (PatternKind::Record(_), ExprKind::Record(_)));
        (is_record && !binding.mutable).then_some(pattern)
    }

    /// `let { F = f; G = g } = { … }`: binds the record, then each name by itself, so that each is generalised.
    fn binding_of_record(
        &mut self,
        pattern: PatternId,
        binding: &Binding,
        scope: Scope,
        declared: &mut Declared,
        bindings: &mut Vec<clef_psg::Binding>,
    ) {
        let span = self.input.ast.patterns[pattern].span;
        self.enter_binding(&[]);
        let ty = self.inference.fresh();
        let mut bound = Bound::new(Scope::Local, Mutability::Immutable);
        let checked = self.match_pattern(pattern, &Expect::anything(ty.clone()), &mut bound);
        let mut expect = Expect::anything(ty.clone());
        if let Some(annotation) = binding.annotation {
            self.annotate(&mut expect, annotation);
        }
        let value = self.expr(binding.body, &expect);
        let named = self.leave_binding();
        self.look_at_later(Match { span, arms: vec![(checked, false)], kind: MatchKind::Binding });
        let generic = self.is_value(value);
        let name = Symbol::new(&self.graph.generated_name("record"));
        let record = self.new_variable(name, ty.clone(), Mutability::Immutable, scope, span);
        self.generalise_group(&[record], &[], &named, (false, generic));
        self.warn_less_generic(&[], named);
        let whole = self.graph.pattern(clef_psg::PatternKind::Variable(record), ty, span);
        bindings.push(clef_psg::Binding { pattern: whole, value });
        let reported = self.reports.diagnostics.len();
        let names: Vec<(Symbol, VariableId)> = bound.names().collect();
        for (name, first) in names {
            let place = self.graph.psg.variables[first].span;
            self.enter_binding(&[]);
            let scrutinee = self.use_variable(record, span);
            let mut inner = Bound::new(Scope::Local, Mutability::Immutable);
            let expect = Expect::anything(self.graph.type_of(scrutinee));
            let pattern = self.match_pattern(pattern, &expect, &mut inner);
            let part = inner.names().find(|(other, _)| *other == name).map_or(first, |(_, part)| part);
            let body = self.use_variable(part, place);
            let ty = self.graph.type_of(body);
            let arms = vec![clef_psg::Arm { pattern, guard: None, body }];
            let value = self.graph.node(NodeKind::Match { scrutinee, arms }, ty.clone(), span);
            let named = self.leave_binding();
            let variable = self.new_variable(name, ty.clone(), Mutability::Immutable, scope, place);
            self.generalise_group(&[variable], &[], &named, (false, generic));
            if !generic && scope == Scope::Module {
                self.deferred.restricted.push(variable);
            }
            declared.push((name, variable));
            let pattern = self.graph.pattern(clef_psg::PatternKind::Variable(variable), ty, place);
            bindings.push(clef_psg::Binding { pattern, value });
        }
        // Errors in the pattern are reported once.
        self.reports.diagnostics.truncate(reported);
    }

    /// The component bindings, if a tuple pattern is bound to a tuple expression.
    fn parts_of(&self, binding: &Binding) -> Option<Vec<Binding>> {
        let ast = self.input.ast;
        let BindingHead::Pattern(pattern) = binding.head else { return None };
        let PatternKind::Tuple(patterns) = &ast.patterns[pattern].kind else { return None };
        let mut body = binding.body;
        while let ExprKind::Block(statements) = &ast.exprs[body].kind
            && let [Statement::Expr(only)] = statements.as_slice()
        {
            body = *only;
        }
        let ExprKind::Tuple(values) = &ast.exprs[body].kind else { return None };
        if binding.annotation.is_some() || !binding.attributes.is_empty() || patterns.len() != values.len() {
            return None;
        }
        let part = |(&pattern, &body): (&PatternId, &ExprId)| Binding {
            head: BindingHead::Pattern(pattern),
            body,
            span: ast.patterns[pattern].span,
            ..binding.clone()
        };
        Some(patterns.iter().zip(values).map(part).collect())
    }

    /// The name, parameters and annotation of a binding that binds one name.
    fn head(&self, binding: &Binding) -> Option<Head> {
        match &binding.head {
            BindingHead::Function { name, type_parameters, parameters } => Some(Head {
                name: *name,
                type_parameters: type_parameters.clone(),
                parameters: parameters.clone(),
                annotation: None,
            }),
            BindingHead::Pattern(pattern) => self.name_head(*pattern),
        }
    }

    /// Whether a binding binds one name.
    pub(crate) fn binds_one_name(&self, binding: &Binding) -> bool {
        self.head(binding).is_some()
    }

    fn name_head(&self, pattern: PatternId) -> Option<Head> {
        let kind = &self.input.ast.patterns[pattern].kind;
        if let PatternKind::Annotated { pattern, annotation } = kind {
            let head = self.name_head(*pattern)?;
            return head.annotation.is_none().then_some(Head { annotation: Some(*annotation), ..head });
        }
        let PatternKind::Name(name) = kind else { return None };
        Some(Head { name: *name, type_parameters: Vec::new(), parameters: Vec::new(), annotation: None })
    }

    fn binding(&mut self, binding: &Binding, scope: Scope, declared: &mut Declared) -> clef_psg::Binding {
        let Some(head) = self.head(binding) else { return self.pattern_binding(binding, scope, declared) };
        let callable = match binding.mutable {
            true => None,
            false => self.callable(&head.parameters, binding.body, binding.span),
        };
        let before = self.reports.diagnostics.len();
        self.enter_binding(&head.type_parameters);
        let mutability = if binding.mutable { Mutability::Mutable } else { Mutability::Immutable };
        let fresh = self.inference.fresh();
        let variable = self.new_variable(head.name.symbol, fresh.clone(), mutability, scope, head.name.span);
        self.mark(variable, binding);
        self.graph.facts(variable).bound_by_let = true;
        self.expect_arguments(binding, &head.parameters, &fresh);
        let mut expect = Expect::anything(fresh.clone());
        if let Some(annotation) = head.annotation {
            self.annotate(&mut expect, annotation);
        }
        let value = match callable {
            Some(callable) => {
                self.graph.psg.variables[variable].arity = Some(callable.arity());
                self.function(&callable, Some(variable), binding.annotation, &expect)
            }
            None if self.is_computed(binding, &head) => self.computed(binding, variable, &mut expect),
            None => {
                if let Some(annotation) = binding.annotation {
                    self.annotate(&mut expect, annotation);
                }
                self.expr(binding.body, &expect)
            }
        };
        let named = self.leave_binding();
        self.constrain_entry(binding, variable);
        self.constrain_test(binding, variable);
        let generic = mutability == Mutability::Immutable && self.is_value(value);
        self.generalise_group(&[variable], &head.type_parameters, &named, (binding.inline, generic));
        if !generic && scope == Scope::Module && !has_errors(&self.reports.diagnostics[before..]) {
            self.deferred.restricted.push(variable);
        }
        self.check_declared_parameters(&head.type_parameters, &named);
        self.warn_less_generic(&head.type_parameters, named);
        declared.push((head.name.symbol, variable));
        let pattern = self.graph.pattern(clef_psg::PatternKind::Variable(variable), fresh, head.name.span);
        clef_psg::Binding { pattern, value }
    }

    /// Whether a binding has type parameters only, and is evaluated at each use: `let size<'a> = sizeof<'a>`.
    fn is_computed(&self, binding: &Binding, head: &Head) -> bool {
        let mut body = binding.body;
        while let ExprKind::Block(statements) = &self.input.ast.exprs[body].kind
            && let [Statement::Expr(only)] = statements.as_slice()
        {
            body = *only;
        }
        let kind = &self.input.ast.exprs[body].kind;
        let is_value = if let ExprKind::Collection { elements, .. } = kind {
            elements.is_empty()
        } else if let ExprKind::Apply { function, .. } = kind {
            matches!(&self.input.ast.exprs[*function].kind, ExprKind::Name(path)
                if path.segments.last().is_some_and(|name| self.names.patterns.get(name.symbol).is_some()))
        } else {
            matches!(kind, ExprKind::Name(_) | ExprKind::Operator(_) | ExprKind::Literal(_) | ExprKind::Error)
        };
        !self.input.library
            && !head.type_parameters.is_empty()
            && !binding.mutable
            && binding.attributes.is_empty()
            && !is_value
    }

    /// The function of unit for a value that is evaluated at each use.
    fn computed(&mut self, binding: &Binding, variable: VariableId, expect: &mut Expect) -> NodeId {
        self.frames.enter();
        let mut inner = Expect::anything(self.inference.fresh());
        if let Some(annotation) = binding.annotation {
            self.annotate(&mut inner, annotation);
        }
        let parameter = self.fresh_variable("unit", Ty::unit(), binding.span);
        let body = self.expr(binding.body, &inner);
        let captures = self.frames.leave();
        let ty = Ty::function(Ty::unit(), self.graph.type_of(body));
        self.expect(binding.span, expect, &ty);
        self.graph.psg.variables[variable].arity = Some(1);
        self.graph.facts(variable).computed = true;
        let lambda = Lambda { name: Some(variable), params: vec![parameter], body, captures, span: binding.span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        self.graph.node(NodeKind::Lambda(lambda), ty, binding.span)
    }

    fn annotate(&mut self, expect: &mut Expect, annotation: TypeExprId) {
        let span = self.input.ast.types[annotation].span;
        let ty = self.type_expr(annotation);
        self.expect(span, &Expect::anything(expect.ty.clone()), &ty);
        expect.reason = Reason::Annotation(span);
    }

    /// Enters the level and the type variable scope of a binding.
    fn enter_binding(&mut self, type_parameters: &[TypeVariable]) {
        self.inference.enter_level();
        self.type_scopes.enter(HashMap::default());
        for &parameter in type_parameters {
            self.declare_type_variable(parameter);
        }
    }

    fn leave_binding(&mut self) -> NamedTypes {
        self.inference.leave_level();
        self.type_scopes.leave()
    }

    fn mark(&mut self, variable: VariableId, binding: &Binding) {
        let attributes = self.binding_attributes_quietly(&binding.attributes);
        let marks = &mut self.graph.psg.variables[variable].marks;
        marks.inline = binding.inline;
        marks.no_inline = attributes.no_inline;
        marks.trap_at_call = attributes.trap_at_call;
        marks.section = attributes.section;
        marks.align = attributes.align;
    }

    /// `let (a, b) = …`: nothing is generalised.
    fn pattern_binding(&mut self, binding: &Binding, scope: Scope, declared: &mut Declared) -> clef_psg::Binding {
        let BindingHead::Pattern(pattern) = &binding.head else {
            clef_base::internal::bug("check", binding.span, "a function's head names it")
        };
        if let PatternKind::Unsupported(construct) = &self.input.ast.patterns[*pattern].kind {
            return self.unsupported_binding(*construct, self.input.ast.patterns[*pattern].span);
        }
        let mutability = if binding.mutable { Mutability::Mutable } else { Mutability::Immutable };
        let ty = self.inference.fresh();
        let mut bound = Bound::new(scope, mutability);
        let checked = self.match_pattern(*pattern, &Expect::anything(ty.clone()), &mut bound);
        let mut expect = Expect::anything(ty);
        if let Some(annotation) = binding.annotation {
            self.annotate(&mut expect, annotation);
        }
        if matches!(self.graph.psg.patterns[checked].kind, clef_psg::PatternKind::Literal(clef_psg::Literal::Unit)) {
            expect.reason = Reason::Scrutinee(self.graph.psg.patterns[checked].span);
        }
        let value = self.expr(binding.body, &expect);
        let span = self.graph.psg.patterns[checked].span;
        self.look_at_later(Match { span, arms: vec![(checked, false)], kind: MatchKind::Binding });
        if scope == Scope::Module {
            self.deferred.restricted.extend(bound.variables());
        }
        declared.extend(bound.names());
        clef_psg::Binding { pattern: checked, value }
    }

    /// A binding whose head is not part of the language; the names it would bind are unknown.
    fn unsupported_binding(&mut self, construct: Unsupported, span: Span) -> clef_psg::Binding {
        self.report_unsupported_construct(construct, span);
        let pattern = self.error_pattern(span);
        clef_psg::Binding { pattern, value: self.graph.error_node(span) }
    }

    /// `let rec … and …`: all names are in scope and monomorphic until all bodies are checked.
    fn recursive<'g>(&mut self, group: &'g LetGroup, scope: Scope, declared: &mut Declared) -> Vec<clef_psg::Binding> {
        let mark = self.names.mark();
        self.enter_binding(&[]);
        let members: Vec<Member<'a, 'g>> =
            group.bindings.iter().filter_map(|binding| self.group_member(binding, scope)).collect();
        let mut named = HashMap::default();
        let mut parameters_of = Vec::with_capacity(members.len());
        for member in &members {
            let written = self.is_written_out(member.binding);
            parameters_of.push(written.then(|| self.write_type(member.variable, member.binding)));
        }
        let (written, others): (Vec<_>, Vec<_>) =
            members.iter().zip(&parameters_of).partition(|(_, parameters)| parameters.is_some());
        let [written, others]: [Vec<&Member<'a, 'g>>; 2] =
            [written, others].map(|members| members.into_iter().map(|(member, _)| member).collect());
        let bindings = (members.iter().zip(&parameters_of))
            .map(|(member, parameters)| self.group_member_body(member, parameters.as_ref(), &mut named))
            .collect();
        self.leave_binding();
        self.names.reset(mark);
        for member in &members {
            self.constrain_entry(member.binding, member.variable);
            self.constrain_test(member.binding, member.variable);
            declared.push((member.head.name.symbol, member.variable));
        }
        let [written, variables]: [Vec<VariableId>; 2] =
            [&written, &others].map(|members| members.iter().map(|member| member.variable).collect());
        if !written.is_empty() {
            self.end_written_group(&written);
            self.report_bound_to_written(&written, &variables);
        }
        if variables.is_empty() {
            return bindings;
        }
        let inline = others.iter().any(|member| member.binding.inline);
        let parameters: Vec<TypeVariable> =
            others.iter().flat_map(|member| member.head.type_parameters.iter().copied()).collect();
        self.generalise_group(&variables, &parameters, &named, (inline, true));
        self.check_declared_parameters(&parameters, &named);
        self.warn_less_generic(&parameters, named);
        bindings
    }

    /// A member of a recursive group, with its name in scope; `None` if it is not a function, which is reported.
    fn group_member<'g>(&mut self, binding: &'g Binding, scope: Scope) -> Option<Member<'a, 'g>> {
        let head = self.head(binding);
        let callable = head.as_ref().and_then(|head| self.callable(&head.parameters, binding.body, binding.span));
        let (Some(head), Some(callable), false) = (head, callable, binding.mutable) else {
            self.recursive_value(binding, scope);
            return None;
        };
        let ty = self.inference.fresh();
        let variable = self.new_variable(head.name.symbol, ty, Mutability::Immutable, scope, head.name.span);
        self.mark(variable, binding);
        self.graph.psg.variables[variable].arity = Some(callable.arity());
        self.graph.facts(variable).group_open = true;
        self.names.add_local(head.name.symbol, Meaning::Variable(variable));
        Some(Member { binding, head, callable, variable })
    }

    /// Checks the body of a member; its type parameters are known if its type is written out.
    fn group_member_body(
        &mut self,
        member: &Member<'a, '_>,
        parameters: Option<&NamedTypes>,
        named: &mut NamedTypes,
    ) -> clef_psg::Binding {
        let Member { binding, head, callable, variable } = member;
        let written = parameters.is_some();
        self.type_scopes.enter(parameters.cloned().unwrap_or_default());
        for &parameter in head.type_parameters.iter().filter(|_| !written) {
            self.declare_type_variable(parameter);
        }
        let ty = self.graph.facts(*variable).ty.clone();
        let mut expect = Expect::anything(ty.clone());
        if let Some(annotation) = head.annotation {
            self.annotate(&mut expect, annotation);
        }
        let value = self.function(callable, Some(*variable), binding.annotation, &expect);
        let own = self.type_scopes.leave();
        if !written {
            named.extend(own);
        }
        let pattern = self.graph.pattern(clef_psg::PatternKind::Variable(*variable), ty, head.name.span);
        clef_psg::Binding { pattern, value }
    }

    /// Reports a value in a recursive group; declares its name for what follows.
    fn recursive_value(&mut self, binding: &Binding, scope: Scope) {
        if let Some(head) = self.head(binding) {
            let Name { symbol, span } = head.name;
            let variable = self.new_variable(symbol, Ty::error(), Mutability::Immutable, scope, span);
            self.names.add_local(symbol, Meaning::Variable(variable));
        }
        let span = match &binding.head {
            BindingHead::Function { name, .. } => name.span,
            BindingHead::Pattern(pattern) => self.input.ast.patterns[*pattern].span,
        };
        if let BindingHead::Pattern(pattern) = &binding.head
            && let PatternKind::Unsupported(construct) = &self.input.ast.patterns[*pattern].kind
        {
            self.report_unsupported_construct(*construct, span);
            return;
        }
        self.infer(binding.body);
        self.report(
            Diagnostic::error(codes::RECURSIVE_VALUE, span, "only functions can be defined by `let rec`")
                .note("a recursive value would be used before it is computed")
                .help("add a parameter, or use `let` without `rec`"),
        );
    }

    /// Whether a node is a syntactic value, so that its type may be generalised (the value restriction: Wright, "Simple
    /// imperative polymorphism", 1995).
    fn is_value(&self, node: NodeId) -> bool {
        if self.is_constant(node) {
            return true;
        }
        match &self.graph.psg.nodes[node].kind {
            NodeKind::Tuple(parts) => parts.iter().all(|&part| self.is_value(part)),
            // An array without elements cannot be assigned to.
            NodeKind::Array(elements) => elements.is_empty(),
            NodeKind::Apply { function, arguments } => {
                matches!(self.graph.psg.nodes[*function].kind, NodeKind::Case { case, .. } if self.graph.psg.cases[case].mutable.is_empty())
                    && arguments.iter().all(|&argument| self.is_value(argument))
            }
            NodeKind::Literal(_)
            | NodeKind::Primitive(_)
            | NodeKind::Intrinsic(_)
            | NodeKind::Case { .. }
            | NodeKind::Lambda(_)
            | NodeKind::Variable { .. }
            | NodeKind::Let { .. }
            | NodeKind::LetRecursive { .. }
            | NodeKind::Sequence(_)
            | NodeKind::If { .. }
            | NodeKind::Match { .. }
            | NodeKind::While { .. }
            | NodeKind::For { .. }
            | NodeKind::Assign { .. }
            | NodeKind::AssignField { .. }
            | NodeKind::Foreign { .. }
            | NodeKind::Interpolate(_) => false,
        }
    }
}
