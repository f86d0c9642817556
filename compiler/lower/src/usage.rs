//! The uses of functions and module-level values, collected in one traversal of the PSG before lowering.
//!
//! In: the PSG. Out: every function binding with its uses, every value that is specialised per use, and the reachable
//! module-level items. Nothing here depends on specialisation.

use clef_base::{HashMap, HashSet, Symbol};
use clef_psg::{
    Binding, Item, LambdaId, Mutability, NodeId, NodeKind, Part, PatternId, PatternKind, Psg, Scope, VariableId,
};
use clef_types::{Primitive, TypeKind, TypeParameterId};

/// A variable whose value is a lambda.
#[derive(Clone, Debug)]
pub(super) struct FunctionBinding {
    /// The lambda.
    pub(super) lambda: LambdaId,
    /// The type parameters in scope: those of enclosing bindings, then its own.
    pub(super) generics: Vec<TypeParameterId>,
    /// Its name, qualified by the enclosing functions.
    pub(super) path: Symbol,
    /// The number of its recursive group.
    pub(super) group: usize,
    /// Whether it is applied somewhere.
    pub(super) called: bool,
    /// Whether it is used as a value in the functions of its own group.
    pub(super) valued_within: bool,
}

/// A generalised value that is not a function: evaluated at each use, without effect.
#[derive(Clone, Debug)]
pub(super) struct Template {
    /// Its binding.
    pub(super) binding: Binding,
    /// The type parameters in scope.
    pub(super) generics: Vec<TypeParameterId>,
}

/// The result of the traversal.
#[derive(Debug, Default)]
pub(super) struct Usage {
    /// All named functions.
    pub(super) functions: HashMap<VariableId, FunctionBinding>,
    /// Generalised values.
    pub(super) templates: HashMap<VariableId, Template>,
    /// Module-level values that consist only of literals.
    pub(super) constants: HashMap<VariableId, NodeId>,
    /// The path of each unnamed lambda.
    pub(super) lambda_paths: HashMap<LambdaId, Symbol>,
    /// The indices of the items that initialise what the program uses.
    pub(super) needed_items: HashSet<usize>,
    /// Whether the entry point uses its argument.
    pub(super) reads_arguments: bool,
}

/// A larger value would take more code at each use than memory.
const LARGEST_CONSTANT: usize = 16;

/// Arithmetic operators that cannot trap and take negligible time.
const ARITHMETIC: [Primitive; 10] = [
    Primitive::Add,
    Primitive::Subtract,
    Primitive::Multiply,
    Primitive::Negate,
    Primitive::BitAnd,
    Primitive::BitOr,
    Primitive::BitXor,
    Primitive::BitNot,
    Primitive::ShiftLeft,
    Primitive::ShiftRight,
];

/// Traverses the whole PSG.
pub(super) fn analyse(psg: &Psg) -> Usage {
    let mut walker = Walker {
        psg,
        usage: Usage::default(),
        generics: Vec::new(),
        path: String::new(),
        within: Vec::new(),
        groups: 0,
        references: HashSet::default(),
    };
    let mut references = Vec::with_capacity(psg.items.len());
    for item in &psg.items {
        walker.item(item);
        references.push(std::mem::take(&mut walker.references));
    }
    let mut usage = walker.usage;
    usage.needed_items = needed_items(psg, &usage, &references);
    usage.reads_arguments = psg.entry.is_some_and(|entry| match usage.functions.get(&entry) {
        Some(function) => {
            let mut parameters = psg.lambdas[function.lambda].params.iter();
            parameters.any(|parameter| references.iter().any(|used| used.contains(parameter)))
        }
        // The entry point is the value of an expression.
        None => true,
    });
    usage
}

/// The items that are reachable from the entry point and from module-level effects in the user's files.
fn needed_items(psg: &Psg, usage: &Usage, references: &[HashSet<VariableId>]) -> HashSet<usize> {
    let mut item_of = HashMap::default();
    let mut pending = Vec::new();
    for (index, item) in psg.items.iter().enumerate() {
        let variables = match item {
            Item::Let(binding) => variables(psg, binding.pattern),
            Item::Recursive(bindings) => bindings.iter().flat_map(|binding| variables(psg, binding.pattern)).collect(),
            Item::Effect(_) => Vec::new(),
        };
        let library = !variables.is_empty() && variables.iter().all(|variable| psg.variables[*variable].marks.library);
        let on_demand =
            |variable: &VariableId| usage.functions.contains_key(variable) || usage.templates.contains_key(variable);
        let passive = !variables.is_empty() && variables.iter().all(on_demand);
        if !library && !passive {
            pending.push(index);
        }
        item_of.extend(variables.into_iter().map(|variable| (variable, index)));
    }
    let roots = psg.entry.into_iter().chain(psg.exports.iter().map(|export| export.variable));
    pending.extend(roots.filter_map(|root| item_of.get(&root).copied()));
    let mut needed = HashSet::default();
    while let Some(index) = pending.pop() {
        if needed.insert(index) {
            pending.extend(references[index].iter().filter_map(|variable| item_of.get(variable).copied()));
        }
    }
    needed
}

/// The variables that a pattern binds, from left to right.
pub(super) fn variables(psg: &Psg, pattern: PatternId) -> Vec<VariableId> {
    let mut found = Vec::new();
    collect_variables(psg, pattern, &mut found);
    found
}

fn collect_variables(psg: &Psg, pattern: PatternId, found: &mut Vec<VariableId>) {
    match &psg.patterns[pattern].kind {
        PatternKind::Wildcard | PatternKind::Literal(_) => {}
        PatternKind::Variable(variable) => found.push(*variable),
        PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Case { fields: parts, .. } => {
            parts.iter().for_each(|part| collect_variables(psg, *part, found));
        }
        PatternKind::As(inner, variable) => {
            collect_variables(psg, *inner, found);
            found.push(*variable);
        }
        // Both sides of `Or` bind the same variables.
        PatternKind::Or(left, _) => collect_variables(psg, *left, found),
        PatternKind::And(left, right) => {
            collect_variables(psg, *left, found);
            collect_variables(psg, *right, found);
        }
    }
}

struct Walker<'psg> {
    psg: &'psg Psg,
    usage: Usage,
    generics: Vec<TypeParameterId>,
    path: String,
    within: Vec<usize>,
    groups: usize,
    references: HashSet<VariableId>,
}

impl Walker<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Let(binding) => self.binding(*binding, true),
            Item::Recursive(bindings) => self.recursive(bindings),
            Item::Effect(node) => self.node(*node),
        }
    }

    /// The variable and the lambda, if the binding is that of a function.
    fn function(&self, binding: Binding) -> Option<(VariableId, LambdaId)> {
        let PatternKind::Variable(variable) = self.psg.patterns[binding.pattern].kind else { return None };
        let NodeKind::Lambda(lambda) = self.psg.nodes[binding.value].kind else { return None };
        (self.psg.variables[variable].mutability == Mutability::Immutable).then_some((variable, lambda))
    }

    /// The number of literals in a value that consists only of literals, arithmetic that cannot trap, and unboxed tuples,
    /// records and cases of these. It is built at each use, so that it is available before anything has run.
    fn constants_in(&self, node: NodeId) -> Option<usize> {
        let all = |nodes: &[NodeId]| nodes.iter().try_fold(0, |sum, node| Some(sum + self.constants_in(*node)?));
        let is_plain = |node: NodeId| {
            let NodeKind::Case { case, .. } = self.psg.nodes[node].kind else { return false };
            !self.psg.declared_types[self.psg.cases[case].owner].boxed
        };
        #[allow(clippy::wildcard_enum_match_arm, reason = "a few kinds among many are constants")]
        match &self.psg.nodes[node].kind {
            NodeKind::Literal(_) => Some(1),
            NodeKind::Tuple(items) => all(items),
            NodeKind::Case { case, .. } => (is_plain(node) && self.psg.cases[*case].fields.is_empty()).then_some(1),
            NodeKind::Apply { function, arguments } if is_plain(*function) || self.is_arithmetic(*function, node) => {
                all(arguments)
            }
            NodeKind::Variable { variable, .. } => self.constants_in(*self.usage.constants.get(variable)?),
            _ => None,
        }
    }

    /// Whether a function is an arithmetic operator or conversion that cannot trap, with a number as result.
    fn is_arithmetic(&self, function: NodeId, result: NodeId) -> bool {
        let NodeKind::Primitive(primitive) = self.psg.nodes[function].kind else { return false };
        let is_number =
            |ty| matches!(self.psg.types.kind(ty), TypeKind::Integer(_) | TypeKind::Float32 | TypeKind::Float64);
        let of_number =
            |ty| if let TypeKind::Function(from, _) = self.psg.types.kind(ty) { is_number(*from) } else { false };
        let converts = primitive == Primitive::Convert && of_number(self.psg.nodes[function].ty);
        is_number(self.psg.nodes[result].ty) && (converts || ARITHMETIC.contains(&primitive))
    }

    fn binding(&mut self, binding: Binding, module: bool) {
        if let Some((variable, lambda)) = self.function(binding) {
            self.groups += 1;
            self.declare(variable, lambda, self.groups);
            return self.body(variable, lambda);
        }
        let depth = self.generics.len();
        for variable in variables(self.psg, binding.pattern) {
            let own = &self.psg.variables[variable].generics;
            if !own.is_empty() {
                let generics = self.generics[..depth].iter().chain(own).copied().collect();
                self.usage.templates.insert(variable, Template { binding, generics });
                self.generics.extend(own);
            }
        }
        if let (PatternKind::Variable(variable), true, Some(0..=LARGEST_CONSTANT)) =
            (&self.psg.patterns[binding.pattern].kind, module, self.constants_in(binding.value))
            && self.psg.variables[*variable].mutability == Mutability::Immutable
            && self.psg.variables[*variable].marks.section.is_none()
            && self.psg.variables[*variable].generics.is_empty()
        {
            self.usage.constants.insert(*variable, binding.value);
        }
        self.node(binding.value);
        self.generics.truncate(depth);
    }

    fn recursive(&mut self, bindings: &[Binding]) {
        self.groups += 1;
        let group = self.groups;
        for binding in bindings {
            if let Some((variable, lambda)) = self.function(*binding) {
                self.declare(variable, lambda, group);
            }
        }
        for binding in bindings {
            match self.function(*binding) {
                Some((variable, lambda)) => self.body(variable, lambda),
                None => self.node(binding.value),
            }
        }
    }

    fn declare(&mut self, variable: VariableId, lambda: LambdaId, group: usize) {
        let data = &self.psg.variables[variable];
        let path = match data.scope {
            Scope::Module => data.path,
            Scope::Local if self.path.is_empty() => data.name,
            Scope::Local => Symbol::new(&format!("{}.{}", self.path, data.name)),
        };
        let generics = self.generics.iter().chain(&data.generics).copied().collect();
        // A closure that represents it calls it.
        let called = data.marks.trap_at_call;
        let function = FunctionBinding { lambda, generics, path, group, called, valued_within: false };
        self.usage.functions.insert(variable, function);
    }

    fn body(&mut self, variable: VariableId, lambda: LambdaId) {
        let function = &self.usage.functions[&variable];
        let (path, group) = (function.path.as_str().to_owned(), function.group);
        let depth = self.generics.len();
        self.generics.extend(&self.psg.variables[variable].generics);
        self.within.push(group);
        let outer = std::mem::replace(&mut self.path, path);
        self.node(self.psg.lambdas[lambda].body);
        self.path = outer;
        self.within.pop();
        self.generics.truncate(depth);
    }

    fn lambda(&mut self, lambda: LambdaId) {
        let outer = self.path.clone();
        self.path = if outer.is_empty() { "fun".into() } else { format!("{outer}.fun") };
        self.usage.lambda_paths.insert(lambda, Symbol::new(&self.path));
        self.node(self.psg.lambdas[lambda].body);
        self.path = outer;
    }

    fn used(&mut self, variable: VariableId, called: bool) {
        self.references.insert(variable);
        if let Some(function) = self.usage.functions.get_mut(&variable) {
            function.called |= called;
            function.valued_within |= !called && self.within.contains(&function.group);
        }
    }

    fn nodes(&mut self, nodes: &[NodeId]) {
        nodes.iter().for_each(|node| self.node(*node));
    }

    fn node(&mut self, mut node: NodeId) {
        // Long chains of `let` and `;` are traversed in a loop, since they may exceed the stack depth.
        loop {
            match &self.psg.nodes[node].kind {
                NodeKind::Let { binding, body } => {
                    self.binding(*binding, false);
                    node = *body;
                }
                NodeKind::LetRecursive { bindings, body } => {
                    self.recursive(bindings);
                    node = *body;
                }
                NodeKind::Sequence(nodes) => {
                    let Some((last, effects)) = nodes.split_last() else { return };
                    self.nodes(effects);
                    node = *last;
                }
                NodeKind::Literal(_) | NodeKind::Primitive(_) | NodeKind::Intrinsic(_) | NodeKind::Case { .. } => {
                    return;
                }
                NodeKind::Variable { variable, .. } => return self.used(*variable, false),
                NodeKind::Lambda(lambda) => return self.lambda(*lambda),
                NodeKind::Apply { function, arguments } => {
                    if let NodeKind::Variable { variable, .. } = self.psg.nodes[*function].kind {
                        self.used(variable, true);
                    } else {
                        self.node(*function);
                    }
                    return self.nodes(arguments);
                }
                NodeKind::If { condition, then, otherwise } => {
                    self.nodes(&[*condition, *then]);
                    node = *otherwise;
                }
                NodeKind::Match { scrutinee, arms } => {
                    self.node(*scrutinee);
                    for arm in arms {
                        arm.guard.into_iter().for_each(|guard| self.node(guard));
                        self.node(arm.body);
                    }
                    return;
                }
                NodeKind::While { condition, body } => return self.nodes(&[*condition, *body]),
                NodeKind::For { from, to, body, .. } => return self.nodes(&[*from, *to, *body]),
                NodeKind::AssignField { target, value, .. } => {
                    self.node(*target);
                    node = *value;
                }
                NodeKind::Tuple(parts) | NodeKind::Array(parts) | NodeKind::Foreign { arguments: parts, .. } => {
                    return self.nodes(parts);
                }
                NodeKind::Assign { variable, value } => {
                    self.references.insert(*variable);
                    node = *value;
                }
                NodeKind::Interpolate(parts) => {
                    for part in parts {
                        match part {
                            Part::Text(_) => {}
                            Part::Value(value) => self.node(*value),
                        }
                    }
                    return;
                }
            }
        }
    }
}
