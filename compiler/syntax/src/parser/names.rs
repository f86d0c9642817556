//! The names that declarations use and declare.
//!
//! In: the syntax tree. Out: for each declaration, its free names (the first names of all paths that nothing in it
//! binds) and the names that it declares. A name in a pattern binds a variable, unless it is a constant of the module.
//! The walk keeps an explicit stack, since a chain of operators may be of any length.

use crate::ast::{
    Arm, Ast, Binding, BindingHead, Declaration, DeclarationKind, ExprId, ExprKind, InterpolationPart, LetGroup, Path,
    PatternId, PatternKind, Statement, TypeDeclaration, TypeDeclarationKind, TypeExprId, TypeExprKind,
};
use clef_base::{HashMap, HashSet, Symbol};

/// Names of the three kinds.
#[derive(Clone, Default, Debug)]
pub(super) struct NameSet {
    /// Variables, functions, operators and cases.
    pub(super) values: HashSet<Symbol>,
    /// Names that precede a dot and are not local variables.
    pub(super) modules: HashSet<Symbol>,
    /// Types.
    pub(super) types: HashSet<Symbol>,
}

impl NameSet {
    fn extend(&mut self, other: NameSet) {
        self.values.extend(other.values);
        self.modules.extend(other.modules);
        self.types.extend(other.types);
    }

    fn remove(&mut self, other: &NameSet) {
        self.values.retain(|name| !other.values.contains(name));
        self.modules.retain(|name| !other.modules.contains(name));
        self.types.retain(|name| !other.types.contains(name));
    }

    /// Adds the path of a value or case.
    fn value(&mut self, path: &Path) {
        let first = path.segments[0].symbol;
        self.values.insert(first);
        if path.segments.len() > 1 {
            self.modules.insert(first);
        }
    }

    /// Adds the path of a type.
    fn ty(&mut self, path: &Path) {
        let first = path.segments[0].symbol;
        match path.segments.len() {
            1 => self.types.insert(first),
            _ => self.modules.insert(first),
        };
    }
}

/// The names that declarations add to their module.
pub(super) fn declared(ast: &Ast, declarations: &[Declaration]) -> NameSet {
    let mut names = NameSet::default();
    declarations.iter().for_each(|declaration| names.extend(declared_by(ast, declaration)));
    names
}

/// The names that a declaration adds to its module.
pub(super) fn declared_by(ast: &Ast, declaration: &Declaration) -> NameSet {
    let mut names = NameSet::default();
    match &declaration.kind {
        DeclarationKind::Let(group) => {
            group.bindings.iter().for_each(|binding| names.values.extend(bound_by(ast, binding)));
        }
        DeclarationKind::Types(types) => types.iter().for_each(|declared| declared_type(declared, &mut names)),
        DeclarationKind::Module { attributes, name, declarations, .. } => {
            if attributes.iter().any(|attribute| is_named(&attribute.name, "AutoOpen")) {
                names.extend(declared(ast, declarations));
            }
            names.modules.insert(name.symbol);
        }
        DeclarationKind::ModuleAlias { name, .. } => {
            names.modules.insert(name.symbol);
        }
        DeclarationKind::Effect(_)
        | DeclarationKind::Open(_)
        | DeclarationKind::Namespace(_)
        | DeclarationKind::Unsupported(_)
        | DeclarationKind::Error => {}
    }
    names
}

fn declared_type(declared: &TypeDeclaration, names: &mut NameSet) {
    names.types.insert(declared.name.symbol);
    names.modules.insert(declared.name.symbol);
    if let TypeDeclarationKind::Union(cases) = &declared.kind {
        names.values.extend(cases.iter().map(|case| case.name.symbol));
    }
}

fn bound_by(ast: &Ast, binding: &Binding) -> Vec<Symbol> {
    match &binding.head {
        BindingHead::Function { name, .. } => vec![name.symbol],
        BindingHead::Pattern(pattern) => {
            let constants = HashSet::default();
            let mut walk = Walk::new(ast, &constants);
            walk.steps.push(Step::Pattern(*pattern));
            walk.run();
            walk.bound
        }
    }
}

fn is_named(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.symbol.as_str() == name)
}

/// Whether a binding is a constant, which exists before anything runs.
pub(super) fn is_constant(binding: &Binding) -> bool {
    binding.attributes.iter().any(|attribute| is_named(&attribute.name, "Literal"))
}

/// The names of the constants among declarations.
fn constants(ast: &Ast, declarations: &[Declaration]) -> HashSet<Symbol> {
    let mut names = HashSet::default();
    for declaration in declarations {
        let DeclarationKind::Let(group) = &declaration.kind else { continue };
        for binding in &group.bindings {
            if is_constant(binding) {
                names.extend(bound_by(ast, binding));
            }
        }
    }
    names
}

/// The names that each declaration of a module uses from the module or from outside it.
pub(super) fn used(ast: &Ast, declarations: &[Declaration]) -> Vec<NameSet> {
    let constants = constants(ast, declarations);
    declarations.iter().map(|declaration| used_by(ast, declaration, &constants)).collect()
}

fn used_by(ast: &Ast, declaration: &Declaration, outer: &HashSet<Symbol>) -> NameSet {
    let mut walk = Walk::new(ast, outer);
    match &declaration.kind {
        DeclarationKind::Let(group) => group.bindings.iter().for_each(|binding| walk.binding(binding)),
        DeclarationKind::Effect(effect) => walk.steps.push(Step::Expr(*effect)),
        DeclarationKind::Types(types) => types.iter().for_each(|declared| walk.type_declaration(declared)),
        DeclarationKind::Module { declarations, .. } => {
            let own = declared(ast, declarations);
            let mut constants = constants(ast, declarations);
            constants.extend(outer);
            for declaration in declarations {
                walk.used.extend(used_by(ast, declaration, &constants));
            }
            walk.used.remove(&own);
        }
        DeclarationKind::Open(path) | DeclarationKind::ModuleAlias { path, .. } => {
            walk.used.modules.insert(path.segments[0].symbol);
        }
        DeclarationKind::Namespace(_) | DeclarationKind::Unsupported(_) | DeclarationKind::Error => {}
    }
    walk.steps.reverse();
    walk.run();
    walk.used
}

/// A pending step; the last one runs first.
enum Step {
    Expr(ExprId),
    Type(TypeExprId),
    /// Binds the variables of a pattern to the end of the scope, and records the names that it uses.
    Pattern(PatternId),
    Bind(Symbol),
    /// Opens a scope.
    Open,
    /// Closes a scope.
    Close,
}

struct Walk<'a> {
    ast: &'a Ast,
    /// The constants, which patterns use rather than bind.
    constants: &'a HashSet<Symbol>,
    steps: Vec<Step>,
    /// The local names in scope, and the number of bindings of each.
    bound: Vec<Symbol>,
    in_scope: HashMap<Symbol, usize>,
    /// The number of bound names at the start of each open scope.
    scopes: Vec<usize>,
    used: NameSet,
}

impl<'a> Walk<'a> {
    fn new(ast: &'a Ast, constants: &'a HashSet<Symbol>) -> Walk<'a> {
        let (steps, bound, scopes) = (Vec::new(), Vec::new(), Vec::new());
        Walk { ast, constants, steps, bound, in_scope: HashMap::default(), scopes, used: NameSet::default() }
    }

    fn run(&mut self) {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Expr(expr) => {
                    // The steps are pushed in order, so reverse them for the stack.
                    let before = self.steps.len();
                    self.expr(expr);
                    self.steps[before..].reverse();
                }
                Step::Type(ty) => self.ty(ty),
                Step::Pattern(pattern) => self.pattern(pattern),
                Step::Bind(name) => self.bind(name),
                Step::Open => self.scopes.push(self.bound.len()),
                Step::Close => self.close(),
            }
        }
    }

    fn bind(&mut self, name: Symbol) {
        self.bound.push(name);
        *self.in_scope.entry(name).or_default() += 1;
    }

    fn close(&mut self) {
        let Some(start) = self.scopes.pop() else { return };
        for name in self.bound.drain(start..) {
            self.in_scope.entry(name).and_modify(|count| *count -= 1);
        }
    }

    fn is_local(&self, name: Symbol) -> bool {
        self.in_scope.get(&name).is_some_and(|count| *count > 0)
    }

    fn operator(&mut self, name: Symbol) {
        if !self.is_local(name) {
            self.used.values.insert(name);
        }
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = ExprId>) {
        self.steps.extend(exprs.into_iter().map(Step::Expr));
    }

    /// Adds steps in their own scope.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        self.steps.push(Step::Open);
        inside(self);
        self.steps.push(Step::Close);
    }

    fn expr(&mut self, expr: ExprId) {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Error | ExprKind::Unsupported(_) | ExprKind::Literal(_) => {}
            ExprKind::Name(path) => {
                if !self.is_local(path.segments[0].symbol) {
                    self.used.value(path);
                }
            }
            ExprKind::Operator(name) => self.operator(name.symbol),
            ExprKind::Field { target, .. } => self.exprs([*target]),
            ExprKind::Apply { function, arguments } => {
                self.exprs([*function].into_iter().chain(arguments.iter().copied()))
            }
            ExprKind::TypeApply { function, arguments } => {
                self.exprs([*function]);
                self.steps.extend(arguments.iter().copied().map(Step::Type));
            }
            ExprKind::Binary { operator, left, right } => {
                self.operator(operator.symbol);
                self.exprs([*left, *right]);
            }
            ExprKind::Prefix { operator, operand } => {
                self.operator(operator.symbol);
                self.operator(Symbol::new(&format!("~{}", operator.symbol)));
                self.exprs([*operand]);
            }
            ExprKind::Lambda { parameters, body } => self.scoped(|walk| {
                walk.steps.extend(parameters.iter().copied().map(Step::Pattern));
                walk.exprs([*body]);
            }),
            ExprKind::Function(arms) => self.arms(arms),
            ExprKind::Match { scrutinee, arms } => {
                self.exprs([*scrutinee]);
                self.arms(arms);
            }
            ExprKind::Block(statements) => self.scoped(|walk| walk.statements(statements)),
            ExprKind::If { condition, then, otherwise } => {
                self.exprs([*condition, *then].into_iter().chain(*otherwise));
            }
            ExprKind::While { condition, body } => self.exprs([*condition, *body]),
            ExprKind::ForRange { variable, from, to, body, .. } => {
                self.exprs([*from, *to]);
                self.scoped(|walk| {
                    walk.steps.push(Step::Bind(variable.symbol));
                    walk.exprs([*body]);
                });
            }
            ExprKind::ForIn { pattern, source, body } => {
                self.exprs([*source]);
                self.scoped(|walk| {
                    walk.steps.push(Step::Pattern(*pattern));
                    walk.exprs([*body]);
                });
            }
            ExprKind::Tuple(parts) | ExprKind::StructTuple(parts) | ExprKind::Collection { elements: parts, .. } => {
                self.exprs(parts.iter().copied())
            }
            ExprKind::Record(fields) => self.fields(fields),
            ExprKind::RecordUpdate { base, fields } => {
                self.exprs([*base]);
                self.fields(fields);
            }
            ExprKind::Range { from, step, to } => self.exprs([*from].into_iter().chain(*step).chain([*to])),
            ExprKind::Comprehension { body, .. } => self.exprs([*body]),
            ExprKind::Yield(inner) | ExprKind::YieldAll(inner) | ExprKind::Lazy(inner) | ExprKind::Assert(inner) => {
                self.exprs([*inner]);
            }
            ExprKind::Index { target, index } => self.exprs([*target, *index]),
            ExprKind::Slice { target, from, to } => self.exprs([*target].into_iter().chain(*from).chain(*to)),
            ExprKind::Assign { target, value } => self.exprs([*target, *value]),
            ExprKind::Annotated { expr, annotation } => {
                self.exprs([*expr]);
                self.steps.push(Step::Type(*annotation));
            }
            ExprKind::Interpolated(parts) => self.exprs(parts.iter().filter_map(|part| match part {
                InterpolationPart::Text(_) => None,
                InterpolationPart::Value { expr, .. } => Some(*expr),
            })),
        }
    }

    fn fields(&mut self, fields: &[(Path, ExprId)]) {
        for (path, value) in fields {
            self.field_name(path);
            self.exprs([*value]);
        }
    }

    /// A field that is qualified with its module or type.
    fn field_name(&mut self, path: &Path) {
        if path.segments.len() > 1 {
            self.used.modules.insert(path.segments[0].symbol);
        }
    }

    fn arms(&mut self, arms: &[Arm]) {
        for arm in arms {
            self.scoped(|walk| {
                walk.steps.push(Step::Pattern(arm.pattern));
                walk.exprs(arm.guard.into_iter().chain([arm.body]));
            });
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Expr(expr) => self.exprs([*expr]),
                Statement::Let(group) => self.local_group(group),
            }
        }
    }

    fn local_group(&mut self, group: &LetGroup) {
        if group.recursive {
            group.bindings.iter().for_each(|binding| self.bind_head(binding));
        }
        group.bindings.iter().for_each(|binding| self.binding(binding));
        if !group.recursive {
            group.bindings.iter().for_each(|binding| self.bind_head(binding));
        }
    }

    fn bind_head(&mut self, binding: &Binding) {
        self.steps.push(match &binding.head {
            BindingHead::Function { name, .. } => Step::Bind(name.symbol),
            BindingHead::Pattern(pattern) => Step::Pattern(*pattern),
        });
    }

    /// A binding, without the names that it binds in the outer scope.
    fn binding(&mut self, binding: &Binding) {
        self.exprs(binding.attributes.iter().filter_map(|attribute| attribute.argument));
        self.steps.extend(binding.annotation.map(Step::Type));
        if let BindingHead::Pattern(pattern) = &binding.head
            && !is_constant(binding)
        {
            self.scoped(|walk| walk.steps.push(Step::Pattern(*pattern)));
        }
        self.scoped(|walk| {
            if let BindingHead::Function { parameters, .. } = &binding.head {
                walk.steps.extend(parameters.iter().copied().map(Step::Pattern));
            }
            walk.exprs([binding.body]);
        });
    }

    /// The order of these steps does not matter, because the variables of a pattern are in scope only after it.
    fn pattern(&mut self, pattern: PatternId) {
        let ast = self.ast;
        match &ast.patterns[pattern].kind {
            PatternKind::Error | PatternKind::Unsupported(_) | PatternKind::Wildcard => {}
            PatternKind::Literal { measure, .. } => self.steps.extend(measure.map(Step::Type)),
            PatternKind::Name(name) if self.constants.contains(&name.symbol) => {
                self.used.values.insert(name.symbol);
            }
            PatternKind::Name(name) => self.bind(name.symbol),
            PatternKind::Case { path, argument } => {
                self.used.value(path);
                self.steps.extend(argument.map(Step::Pattern));
            }
            PatternKind::Tuple(parts)
            | PatternKind::StructTuple(parts)
            | PatternKind::Collection { elements: parts, .. } => {
                self.steps.extend(parts.iter().copied().map(Step::Pattern));
            }
            PatternKind::Record(fields) => {
                for (path, pattern) in fields {
                    self.field_name(path);
                    self.steps.push(Step::Pattern(*pattern));
                }
            }
            PatternKind::Fields(fields) => {
                self.steps.extend(fields.iter().map(|(_, pattern)| Step::Pattern(*pattern)));
            }
            PatternKind::Cons { head: left, tail: right }
            | PatternKind::Or(left, right)
            | PatternKind::And(left, right) => self.steps.extend([Step::Pattern(*left), Step::Pattern(*right)]),
            PatternKind::As { pattern, name } => {
                self.bind(name.symbol);
                self.steps.push(Step::Pattern(*pattern));
            }
            PatternKind::Annotated { pattern, annotation } => {
                self.steps.extend([Step::Pattern(*pattern), Step::Type(*annotation)]);
            }
        }
    }

    fn ty(&mut self, ty: TypeExprId) {
        let ast = self.ast;
        match &ast.types[ty].kind {
            TypeExprKind::Error
            | TypeExprKind::Unsupported(_)
            | TypeExprKind::Variable(_)
            | TypeExprKind::Wildcard
            | TypeExprKind::One => {}
            TypeExprKind::Name { path, arguments } => {
                self.used.ty(path);
                self.steps.extend(arguments.iter().copied().map(Step::Type));
            }
            TypeExprKind::Constrained(inner, _) | TypeExprKind::Array(inner) | TypeExprKind::Power(inner, _) => {
                self.steps.push(Step::Type(*inner));
            }
            TypeExprKind::Function(left, right)
            | TypeExprKind::Quotient(left, right)
            | TypeExprKind::Product(left, right) => self.steps.extend([Step::Type(*left), Step::Type(*right)]),
            TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => {
                self.steps.extend(parts.iter().copied().map(Step::Type));
            }
        }
    }

    fn type_declaration(&mut self, declared: &TypeDeclaration) {
        match &declared.kind {
            TypeDeclarationKind::Record(fields) => {
                self.steps.extend(fields.iter().map(|field| Step::Type(field.annotation)));
            }
            TypeDeclarationKind::Union(cases) => {
                let fields = cases.iter().flat_map(|case| &case.fields);
                self.steps.extend(fields.map(|(_, ty)| Step::Type(*ty)));
            }
            TypeDeclarationKind::Abbreviation(ty) => self.steps.push(Step::Type(*ty)),
            TypeDeclarationKind::Enum(_)
            | TypeDeclarationKind::Measure
            | TypeDeclarationKind::Unsupported(_)
            | TypeDeclarationKind::Error => {}
        }
    }
}
