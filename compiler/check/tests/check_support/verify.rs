//! Verifies the invariants of a checked program independently of the checker: types are compared node by node, and captures
//! are recomputed from the free variables of each lambda.

use clef_base::{HashMap, HashSet, SourceMap, Span};
use clef_psg::{
    Binding, CaptureMode, Item, LambdaId, Literal, Mutability, NodeId, NodeKind, Part, PatternId, PatternKind, Psg,
    Scope, VariableId, print::types::type_text,
};
use clef_types::{CaseId, Type, TypeKind, TypeParameterId, Types};

/// Returns the violated invariants, each with its span.
pub(crate) fn verify(psg: &Psg, sources: &SourceMap) -> Vec<String> {
    let mut verifier = Verifier { types: psg.types.clone(), graph: psg, sources, wrong: Vec::new() };
    for item in &psg.items {
        match item {
            Item::Let(binding) => drop(verifier.binding(binding)),
            Item::Recursive(bindings) => bindings.iter().for_each(|binding| drop(verifier.binding(binding))),
            Item::Effect(node) => drop(verifier.node(*node)),
        }
    }
    verifier.wrong
}

/// The free local variables of a part of the program.
type Free = Vec<VariableId>;

struct Verifier<'a> {
    /// A copy of the type table, which instances are added to.
    types: Types,
    graph: &'a Psg,
    sources: &'a SourceMap,
    wrong: Vec<String>,
}

impl Verifier<'_> {
    fn fail(&mut self, span: Span, message: String) {
        self.wrong.push(format!("{}: {message}", self.sources.place(span)));
    }

    fn same(&mut self, span: Span, what: &str, left: Type, right: Type) {
        if left != right {
            let message = format!("{what}: {:?} is not {:?}", self.types.kind(left), self.types.kind(right));
            self.fail(span, message);
        }
    }

    fn ty(&self, node: NodeId) -> Type {
        self.graph.nodes[node].ty
    }

    fn instance(&mut self, ty: Type, parameters: &[TypeParameterId], arguments: &[Type], span: Span) -> Type {
        if parameters.len() != arguments.len() {
            self.fail(span, format!("{} types for {} parameters", arguments.len(), parameters.len()));
        }
        let replace: HashMap<_, _> = parameters.iter().copied().zip(arguments.iter().copied()).collect();
        self.types.substitute(ty, &replace)
    }

    fn binding(&mut self, binding: &Binding) -> Free {
        let span = self.graph.nodes[binding.value].span;
        self.same(span, "binding", self.graph.patterns[binding.pattern].ty, self.ty(binding.value));
        self.pattern(binding.pattern);
        self.node(binding.value)
    }

    fn nodes(&mut self, nodes: &[NodeId]) -> Free {
        let mut free = Free::new();
        for &node in nodes {
            add(&mut free, self.node(node));
        }
        free
    }

    fn unit(&mut self, node: NodeId) {
        let unit = matches!(self.types.kind(self.ty(node)), TypeKind::Unit);
        if !unit {
            self.fail(self.graph.nodes[node].span, "no unit".into());
        }
    }

    fn bool(&mut self, node: NodeId) {
        let bool = matches!(self.types.kind(self.ty(node)), TypeKind::Bool);
        if !bool {
            self.fail(self.graph.nodes[node].span, "no bool".into());
        }
    }

    /// Checks a node and its children; returns its free variables.
    fn node(&mut self, id: NodeId) -> Free {
        let node = self.graph.nodes[id].clone();
        let span = node.span;
        match node.kind {
            NodeKind::Literal(literal) => {
                self.literal(&literal, node.ty, span);
                Free::new()
            }
            NodeKind::Variable { variable, instantiation } => {
                let described = self.graph.variables[variable].clone();
                let ty = self.instance(described.ty, &described.generics, &instantiation, span);
                self.same(span, described.name.as_str(), ty, node.ty);
                if described.scope == Scope::Local { vec![variable] } else { Free::new() }
            }
            NodeKind::Primitive(_) | NodeKind::Intrinsic(_) => Free::new(),
            NodeKind::Case { case, instantiation } => {
                self.case(case, &instantiation, node.ty, span);
                Free::new()
            }
            NodeKind::Apply { function, arguments } => {
                if let Some(arity) = self.arity(function)
                    && arguments.len() > arity
                {
                    self.fail(span, format!("{} arguments for arity {arity}", arguments.len()));
                }
                match self.types.uncurry(self.ty(function), arguments.len()) {
                    Some((parameters, result)) => {
                        for (parameter, argument) in parameters.into_iter().zip(&arguments) {
                            self.same(span, "argument", parameter, self.ty(*argument));
                        }
                        self.same(span, "result", result, node.ty);
                    }
                    None => self.fail(span, "too many arguments".into()),
                }
                let mut free = self.node(function);
                add(&mut free, self.nodes(&arguments));
                free
            }
            NodeKind::Lambda(lambda) => self.lambda(lambda, node.ty),
            NodeKind::Let { binding, body } => {
                self.same(span, "let", self.ty(body), node.ty);
                let mut free = self.binding(&binding);
                let mut inner = self.node(body);
                let bound = self.bound(binding.pattern);
                inner.retain(|variable| !bound.contains(variable));
                add(&mut free, inner);
                free
            }
            NodeKind::LetRecursive { bindings, body } => {
                self.same(span, "let rec", self.ty(body), node.ty);
                let mut free = Free::new();
                let mut bound = HashSet::default();
                for binding in &bindings {
                    bound.extend(self.bound(binding.pattern));
                    add(&mut free, self.binding(binding));
                    let is_lambda = matches!(self.graph.nodes[binding.value].kind, NodeKind::Lambda(_));
                    if !is_lambda {
                        self.fail(span, "a recursive value".into());
                    }
                }
                add(&mut free, self.node(body));
                free.retain(|variable| !bound.contains(variable));
                free
            }
            NodeKind::Sequence(nodes) => {
                self.same(span, "sequence", self.ty(nodes[nodes.len() - 1]), node.ty);
                self.nodes(&nodes)
            }
            NodeKind::If { condition, then, otherwise } => {
                self.bool(condition);
                self.same(span, "then", self.ty(then), node.ty);
                self.same(span, "else", self.ty(otherwise), node.ty);
                self.nodes(&[condition, then, otherwise])
            }
            NodeKind::Match { scrutinee, arms } => {
                let mut free = self.node(scrutinee);
                for arm in arms {
                    self.pattern(arm.pattern);
                    self.same(span, "arm", self.ty(arm.body), node.ty);
                    self.same(span, "scrutinee", self.graph.patterns[arm.pattern].ty, self.ty(scrutinee));
                    let mut inner = Free::new();
                    if let Some(guard) = arm.guard {
                        self.bool(guard);
                        add(&mut inner, self.node(guard));
                    }
                    add(&mut inner, self.node(arm.body));
                    let bound = self.bound(arm.pattern);
                    inner.retain(|variable| !bound.contains(variable));
                    add(&mut free, inner);
                }
                free
            }
            NodeKind::While { condition, body } => {
                self.bool(condition);
                self.nodes(&[condition, body])
            }
            NodeKind::For { variable, from, to, body, .. } => {
                self.same(span, "from", self.ty(from), self.graph.variables[variable].ty);
                self.same(span, "to", self.ty(to), self.graph.variables[variable].ty);
                let mut free = self.nodes(&[from, to]);
                let mut inner = self.node(body);
                inner.retain(|&other| other != variable);
                add(&mut free, inner);
                free
            }
            NodeKind::Tuple(parts) => {
                let types = parts.iter().map(|&part| self.ty(part)).collect();
                let ty = self.types.intern(TypeKind::Tuple(types));
                self.same(span, "tuple", ty, node.ty);
                self.nodes(&parts)
            }
            NodeKind::AssignField { target, case, field, value } => {
                let TypeKind::Declared(owner, arguments) = self.types.kind(self.ty(target)).clone() else {
                    self.fail(span, "assignment to a field of no declared type".into());
                    return Free::new();
                };
                let (parameters, described) = (&self.graph.declared_types[owner].parameters, &self.graph.cases[case]);
                if !described.mutable.contains(&field) {
                    self.fail(span, "a field is assigned that is not mutable".into());
                }
                let ty = self.instance(described.fields[field].1, &parameters.clone(), &arguments, span);
                self.same(span, "assigned field", ty, self.ty(value));
                self.nodes(&[target, value])
            }
            NodeKind::Foreign { arguments, .. } => self.nodes(&arguments),
            NodeKind::Assign { variable, value } => {
                let described = self.graph.variables[variable].clone();
                self.same(span, "assigned", described.ty, self.ty(value));
                self.unit(id);
                if described.mutability != Mutability::Mutable {
                    self.fail(span, "assignment to an immutable variable".into());
                }
                let mut free = if described.scope == Scope::Local { vec![variable] } else { Free::new() };
                add(&mut free, self.node(value));
                free
            }
            NodeKind::Array(elements) => {
                for &element in &elements {
                    let array = self.types.intern(TypeKind::Array(self.ty(element)));
                    self.same(span, "array", array, node.ty);
                }
                self.nodes(&elements)
            }
            NodeKind::Interpolate(parts) => {
                let values: Vec<NodeId> = parts
                    .into_iter()
                    .filter_map(|part| match part {
                        Part::Text(_) => None,
                        Part::Value(value) => Some(value),
                    })
                    .collect();
                for &value in &values {
                    self.same(span, "part", self.ty(value), node.ty);
                }
                self.nodes(&values)
            }
        }
    }

    fn literal(&mut self, literal: &Literal, ty: Type, span: Span) {
        let fits = match (literal, self.types.kind(ty)) {
            (Literal::Unit, TypeKind::Unit)
            | (Literal::Bool(_), TypeKind::Bool)
            | (Literal::Char(_), TypeKind::Char)
            | (Literal::String(_), TypeKind::String)
            | (Literal::Float(_), TypeKind::Float32 | TypeKind::Float64) => true,
            (Literal::Integer(value), TypeKind::Integer(kind) | TypeKind::Enum(_, kind)) => {
                let bits = kind.bits(64);
                let (least, most) = match kind.is_signed() {
                    true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    false => (0, (1i128 << bits) - 1),
                };
                (least..=most).contains(value)
            }
            _ => false,
        };
        if !fits {
            self.fail(span, format!("{literal:?} is not a {}", type_text(self.graph, ty)));
        }
    }

    fn case(&mut self, case: CaseId, instantiation: &[Type], ty: Type, span: Span) {
        let described = self.graph.cases[case].clone();
        let parameters = self.graph.declared_types[described.owner].parameters.clone();
        let owner = self.types.intern(TypeKind::Declared(described.owner, instantiation.to_vec()));
        let fields: Vec<Type> =
            described.fields.iter().map(|(_, field)| self.instance(*field, &parameters, instantiation, span)).collect();
        let expected = match fields.as_slice() {
            [] => owner,
            [only] => self.types.intern(TypeKind::Function(*only, owner)),
            _ => {
                let tuple = self.types.intern(TypeKind::Tuple(fields));
                self.types.intern(TypeKind::Function(tuple, owner))
            }
        };
        self.same(span, "case", expected, ty);
    }

    fn arity(&self, function: NodeId) -> Option<usize> {
        let kind = &self.graph.nodes[function].kind;
        if let NodeKind::Variable { variable, .. } = kind {
            return self.graph.variables[*variable].arity;
        }
        if let NodeKind::Primitive(primitive) = kind {
            return Some(primitive.arity());
        }
        if let NodeKind::Intrinsic(intrinsic) = kind {
            return Some(intrinsic.arity());
        }
        if let NodeKind::Lambda(lambda) = kind { Some(self.graph.lambdas[*lambda].params.len()) } else { None }
    }

    /// A lambda's captures are the free variables of its body.
    fn lambda(&mut self, id: LambdaId, ty: Type) -> Free {
        let lambda = self.graph.lambdas[id].clone();
        match self.types.uncurry(ty, lambda.params.len()) {
            Some((types, result)) => {
                for (ty, param) in types.into_iter().zip(&lambda.params) {
                    self.same(lambda.span, "parameter", ty, self.graph.variables[*param].ty);
                }
                self.same(lambda.span, "body", result, self.ty(lambda.body));
            }
            None => self.fail(lambda.span, "more parameters than arrows".into()),
        }
        if let Some(name) = lambda.name {
            let arity = self.graph.variables[name].arity;
            if arity != Some(lambda.params.len()) {
                self.fail(lambda.span, format!("arity {arity:?} for {} parameters", lambda.params.len()));
            }
        }
        let mut free = self.node(lambda.body);
        let owned: HashSet<VariableId> = self.graph.owned(id).iter().map(|(variable, _)| *variable).collect();
        free.retain(|variable| !lambda.params.contains(variable) && !owned.contains(variable));
        let listed: Free = lambda.captures.iter().map(|capture| capture.variable).collect();
        let [sorted, found] = [&listed, &free].map(|variables| variables.iter().collect::<HashSet<_>>());
        if sorted != found || listed.len() != free.len() {
            let names =
                |free: &Free| free.iter().map(|&one| self.graph.variables[one].name.to_string()).collect::<Vec<_>>();
            let message = format!("captures {:?}, free {:?}", names(&listed), names(&free));
            self.fail(lambda.span, message);
        }
        for capture in &lambda.captures {
            let mutable = self.graph.variables[capture.variable].mutability == Mutability::Mutable;
            if mutable != (capture.mode == CaptureMode::Reference) {
                self.fail(lambda.span, "wrong mode".into());
            }
        }
        free
    }

    fn bound(&self, pattern: PatternId) -> HashSet<VariableId> {
        let mut found = HashSet::default();
        self.collect(pattern, &mut found);
        found
    }

    fn collect(&self, pattern: PatternId, found: &mut HashSet<VariableId>) {
        match &self.graph.patterns[pattern].kind {
            PatternKind::Wildcard | PatternKind::Literal(_) => {}
            PatternKind::Variable(variable) => drop(found.insert(*variable)),
            PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Case { fields: parts, .. } => {
                parts.iter().for_each(|&part| self.collect(part, found));
            }
            PatternKind::As(inner, variable) => {
                found.insert(*variable);
                self.collect(*inner, found);
            }
            PatternKind::Or(one, other) | PatternKind::And(one, other) => {
                self.collect(*one, found);
                self.collect(*other, found);
            }
        }
    }

    fn pattern(&mut self, id: PatternId) {
        let pattern = self.graph.patterns[id].clone();
        let span = pattern.span;
        let of = |verifier: &Verifier<'_>, part: PatternId| verifier.graph.patterns[part].ty;
        match pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Variable(variable) => {
                self.same(span, "variable", self.graph.variables[variable].ty, pattern.ty);
            }
            PatternKind::Literal(literal) => self.literal(&literal, pattern.ty, span),
            PatternKind::Tuple(parts) => {
                let types = parts.iter().map(|&part| of(self, part)).collect();
                let ty = self.types.intern(TypeKind::Tuple(types));
                self.same(span, "tuple pattern", ty, pattern.ty);
                parts.into_iter().for_each(|part| self.pattern(part));
            }
            PatternKind::Array(parts) => {
                for part in parts {
                    let array = self.types.intern(TypeKind::Array(of(self, part)));
                    self.same(span, "array pattern", array, pattern.ty);
                    self.pattern(part);
                }
            }
            PatternKind::Case { case, fields } => {
                let described = self.graph.cases[case].clone();
                let TypeKind::Declared(owner, arguments) = self.types.kind(pattern.ty).clone() else {
                    return self.fail(span, "a case of no declared type".into());
                };
                let parameters = self.graph.declared_types[owner].parameters.clone();
                if owner != described.owner || fields.len() != described.fields.len() {
                    return self.fail(span, "a case of another type, or with other fields".into());
                }
                for ((_, ty), field) in described.fields.iter().zip(fields) {
                    let ty = self.instance(*ty, &parameters, &arguments, span);
                    self.same(span, "field", ty, of(self, field));
                    self.pattern(field);
                }
            }
            PatternKind::As(inner, variable) => {
                self.same(span, "as", self.graph.variables[variable].ty, pattern.ty);
                self.pattern(inner);
            }
            PatternKind::Or(one, other) | PatternKind::And(one, other) => {
                for part in [one, other] {
                    self.same(span, "alternative", of(self, part), pattern.ty);
                    self.pattern(part);
                }
            }
        }
    }
}

fn add(free: &mut Free, more: Free) {
    for variable in more {
        if !free.contains(&variable) {
            free.push(variable);
        }
    }
}
