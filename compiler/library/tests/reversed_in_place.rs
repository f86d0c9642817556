//! Lists that are reversed in place are the function's own.
//!
//! `List.reverseInPlace` and `List.reverseInPlaceOnto` overwrite the nodes of their argument. In: the sources of the
//! library. Holds: their argument is a local name, or elements before such a name, that is empty at first, grows only by
//! `::`, and is not used after the call. A name may be the parameter of a local recursive function; the arguments of its
//! calls then obey the same rule. Programs cannot call these functions, and the type checker obeys the rule in what it
//! makes of comprehensions.

#![expect(clippy::wildcard_enum_match_arm, reason = "the test looks for a few constructs among many")]

use clef_base::{SourceMap, Symbol};
use clef_syntax::ast::{
    Arm, Ast, Binding, BindingHead, CollectionKind, Declaration, DeclarationKind, ExprId, ExprKind, PatternId,
    PatternKind, Statement,
};
use std::collections::{BTreeSet, HashMap, HashSet};

#[test]
fn the_library_reverses_in_place_only_lists_of_its_own() {
    for (name, text) in clef_library::SOURCES {
        assert_eq!(violations(name, text), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn misuse_in_the_library_is_caught() {
    let list = clef_library::SOURCES.iter().find(|(name, _)| *name == "library/list.clef").map(|(_, text)| *text);
    let text = list.expect("the library has lists");
    let misuses = [
        (
            "reverseInPlace yes, reverseInPlace no",
            "reverseInPlace yes, reverseInPlace yes",
            "partition: `yes` is given up twice",
        ),
        (
            "reverseInPlace (reverseInPlace chunk :: result)",
            "reverseInPlace (chunk :: result)",
            "chunks: `chunk` is used otherwise",
        ),
        ("go count list []", "go count list list", "truncate: `list` is not made here"),
    ];
    for (right, wrong, expected) in misuses {
        assert!(text.contains(right), "{right}");
        let found = violations("misuse", &text.replacen(right, wrong, 1));
        assert!(found.iter().any(|violation| violation == expected), "{expected}\n{found:?}");
    }
}

#[test]
fn misuse_is_caught() {
    let cases = [
        ("let f list =\n    reverseInPlace list", "`list` is not made here"),
        ("let f x =\n    reverseInPlace [ x ]", "a list that is not made here"),
        ("let f x =\n    g reverseInPlace x", "`reverseInPlace` without a list"),
        ("let f x =\n    let mutable r = []\n    r <- x :: r\n    reverseInPlace r, r", "`r` is used otherwise"),
        (
            "let f x =\n    let mutable r = []\n    r <- x :: r\n    reverseInPlace r, reverseInPlace r",
            "`r` is given up twice",
        ),
        ("let f x =\n    let mutable r = x\n    reverseInPlace r", "`x` is not made here"),
        ("let f x =\n    let mutable r = []\n    let s = r\n    reverseInPlace r", "`r` is used otherwise"),
        (
            "let f x =\n    let mutable r = []\n    for y in x do\n        g (reverseInPlace r)\n    ()",
            "`r` is given up twice",
        ),
        ("let f x =\n    let mutable r = []\n    g (fun y -> reverseInPlace r)", "`r` is used in another function"),
        (
            "let f x =\n    let rec go n r =\n        if n = 0 then reverseInPlace r else go (n - 1) (n :: r)\n    go 3 x",
            "`x` is not made here",
        ),
        (
            "let f x =\n    let rec go n r =\n        if n = 0 then reverseInPlace r else go (n - 1) (n :: r)\n    g (go 3)",
            "`go` without a list",
        ),
        (
            "let f x =\n    let rec go n r =\n        if n = 0 then reverseInPlace r else g (go 1 r) (go 2 r)\n    go 3 []",
            "`r` is given up twice",
        ),
    ];
    for (text, expected) in cases {
        let found = violations("misuse", text);
        assert!(found.iter().any(|violation| violation.contains(expected)), "{text}\n{found:?}");
    }
}

#[test]
fn right_use_is_let_through() {
    let text = "
let f x =
    let mutable r = []
    for y in x do
        if y > 1 then r <- y :: 2 :: r
    let first = reverseInPlace r
    r <- []
    first, reverseInPlace (x :: r)
let g x =
    let rec go rest part all =
        match rest with
        | [] ->
            match part with
            | [] -> reverseInPlace all
            | _ -> reverseInPlace (reverseInPlace part :: all)
        | head :: tail -> if head then go tail [] (reverseInPlace part :: all) else go tail (head :: part) all
    go x [] []
";
    assert_eq!(violations("right", text), Vec::<String>::new());
}

/// What is reversed in place and is not a function's own.
fn violations(name: &str, text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let (ast, _) = clef_syntax::parse(&sources, file);
    let mut violations = Vec::new();
    declarations(&ast.declarations, &mut |binding| {
        if let BindingHead::Function { name, parameters, .. } = &binding.head
            && !["reverseInPlace", "reverseInPlaceOnto"].contains(&name.symbol.as_str())
        {
            let found = check(&ast, parameters, binding.body);
            violations.extend(found.into_iter().map(|violation| format!("{}: {violation}", name.symbol)));
        }
    });
    violations
}

fn declarations(within: &[Declaration], take: &mut impl FnMut(&Binding)) {
    for declaration in within {
        match &declaration.kind {
            DeclarationKind::Let(group) => group.bindings.iter().for_each(&mut *take),
            DeclarationKind::Module { declarations: inner, .. } => declarations(inner, take),
            DeclarationKind::Effect(_)
            | DeclarationKind::Open(_)
            | DeclarationKind::Types(_)
            | DeclarationKind::ModuleAlias { .. }
            | DeclarationKind::Namespace(_)
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => {}
        }
    }
}

fn check(ast: &Ast, parameters: &[PatternId], body: ExprId) -> BTreeSet<String> {
    let mut found = Own { ast, functions: HashMap::new(), names: HashSet::new() };
    loop {
        let before = found.names.len();
        found.expr(body);
        if found.names.len() == before {
            break;
        }
    }
    if found.names.is_empty() && !found.reverses(body) {
        return BTreeSet::new();
    }
    let mut uses = Uses { own: found, made: HashMap::new(), given: HashSet::new(), depth: 0, found: BTreeSet::new() };
    for name in parameters.iter().filter_map(|&parameter| name_of(ast, parameter)) {
        if uses.own.names.contains(&name) {
            uses.found.insert(format!("`{name}` is not made here"));
        }
    }
    uses.expr(body);
    uses.found
}

fn name_of(ast: &Ast, pattern: PatternId) -> Option<Symbol> {
    match &ast.patterns[pattern].kind {
        PatternKind::Name(name) => Some(name.symbol),
        PatternKind::Annotated { pattern, .. } => name_of(ast, *pattern),
        _ => None,
    }
}

fn expr_name(ast: &Ast, expr: ExprId) -> Option<Symbol> {
    match &ast.exprs[expr].kind {
        ExprKind::Name(path) if path.segments.len() == 1 => Some(path.segments[0].symbol),
        ExprKind::Block(statements) => match statements.as_slice() {
            [Statement::Expr(only)] => expr_name(ast, *only),
            _ => None,
        },
        _ => None,
    }
}

/// A function and the arguments that it is applied to.
fn application(ast: &Ast, expr: ExprId) -> (ExprId, Vec<ExprId>) {
    match &ast.exprs[expr].kind {
        ExprKind::Apply { function, arguments } => (*function, arguments.clone()),
        _ => (expr, Vec::new()),
    }
}

fn bound_name(ast: &Ast, binding: &Binding) -> Option<Symbol> {
    match &binding.head {
        BindingHead::Function { name, .. } => Some(name.symbol),
        BindingHead::Pattern(pattern) => name_of(ast, *pattern),
    }
}

fn children(ast: &Ast, expr: ExprId) -> Vec<ExprId> {
    let arms = |arms: &[Arm]| arms.iter().flat_map(|arm| arm.guard.into_iter().chain([arm.body])).collect::<Vec<_>>();
    match &ast.exprs[expr].kind {
        ExprKind::Apply { function, arguments } => [vec![*function], arguments.clone()].concat(),
        ExprKind::Binary { left, right, .. } => vec![*left, *right],
        ExprKind::Prefix { operand, .. } => vec![*operand],
        ExprKind::Field { target, .. } => vec![*target],
        ExprKind::Lambda { body, .. } | ExprKind::Lazy(body) | ExprKind::Comprehension { body, .. } => vec![*body],
        ExprKind::Function(inner) => arms(inner),
        ExprKind::Match { scrutinee, arms: inner } => [vec![*scrutinee], arms(inner)].concat(),
        ExprKind::Block(statements) => (statements.iter())
            .flat_map(|statement| match statement {
                Statement::Expr(expr) => vec![*expr],
                Statement::Let(group) => group.bindings.iter().map(|binding| binding.body).collect(),
            })
            .collect(),
        ExprKind::If { condition, then, otherwise } => [*condition, *then].into_iter().chain(*otherwise).collect(),
        ExprKind::While { condition, body } => vec![*condition, *body],
        ExprKind::ForRange { from, to, body, .. } => vec![*from, *to, *body],
        ExprKind::ForIn { source, body, .. } => vec![*source, *body],
        ExprKind::Tuple(parts) | ExprKind::StructTuple(parts) | ExprKind::Collection { elements: parts, .. } => {
            parts.clone()
        }
        ExprKind::Record(fields) => fields.iter().map(|(_, value)| *value).collect(),
        ExprKind::RecordUpdate { base, fields } => {
            [*base].into_iter().chain(fields.iter().map(|(_, value)| *value)).collect()
        }
        ExprKind::Range { from, step, to } => [*from].into_iter().chain(*step).chain([*to]).collect(),
        ExprKind::Yield(inner) | ExprKind::YieldAll(inner) | ExprKind::Assert(inner) => vec![*inner],
        ExprKind::Index { target, index } => vec![*target, *index],
        ExprKind::Slice { target, from, to } => [*target].into_iter().chain(*from).chain(*to).collect(),
        ExprKind::Assign { target, value } => vec![*target, *value],
        ExprKind::Annotated { expr, .. } => vec![*expr],
        ExprKind::TypeApply { function, .. } => vec![*function],
        ExprKind::Interpolated(_)
        | ExprKind::Error
        | ExprKind::Unsupported(_)
        | ExprKind::Literal(_)
        | ExprKind::Name(_)
        | ExprKind::Operator(_) => Vec::new(),
    }
}

/// The names whose lists are reversed in place, and the positions at which local functions take such lists.
struct Own<'a> {
    ast: &'a Ast,
    functions: HashMap<Symbol, Vec<Option<Symbol>>>,
    names: HashSet<Symbol>,
}

impl Own<'_> {
    /// The positions at which a function takes a list that it may reverse in place.
    fn positions(&self, function: Symbol) -> Vec<usize> {
        match function.as_str() {
            "reverseInPlace" | "reverseInPlaceOnto" => vec![0],
            _ => {
                let parameters = self.functions.get(&function).map(Vec::as_slice).unwrap_or_default();
                let own = |name: &Option<Symbol>| name.is_some_and(|name| self.names.contains(&name));
                (0..parameters.len()).filter(|&position| own(&parameters[position])).collect()
            }
        }
    }

    fn reverses(&self, expr: ExprId) -> bool {
        let own = expr_name(self.ast, expr).is_some_and(|name| !self.positions(name).is_empty());
        own || children(self.ast, expr).into_iter().any(|child| self.reverses(child))
    }

    /// Finds the names in an expression.
    fn expr(&mut self, expr: ExprId) {
        let ast = self.ast;
        if let ExprKind::Block(statements) = &ast.exprs[expr].kind {
            for statement in statements {
                let Statement::Let(group) = statement else { continue };
                for binding in &group.bindings {
                    if let BindingHead::Function { name, parameters, .. } = &binding.head {
                        let names = parameters.iter().map(|&parameter| name_of(ast, parameter)).collect();
                        self.functions.insert(name.symbol, names);
                    } else if let Some(name) = bound_name(ast, binding).filter(|name| self.names.contains(name)) {
                        self.names.insert(name);
                        self.tail(binding.body);
                    }
                }
            }
        }
        if let ExprKind::Assign { target, value } = &ast.exprs[expr].kind
            && expr_name(ast, *target).is_some_and(|name| self.names.contains(&name))
        {
            self.tail(*value);
        }
        let (function, arguments) = application(ast, expr);
        if let Some(function) = expr_name(ast, function) {
            for position in self.positions(function) {
                arguments.get(position).into_iter().for_each(|&argument| self.tail(argument));
            }
        }
        children(ast, expr).into_iter().for_each(|child| self.expr(child));
    }

    /// The name that a list ends with is the function's own too.
    fn tail(&mut self, expr: ExprId) {
        match &self.ast.exprs[expr].kind {
            ExprKind::Binary { operator, right, .. } if operator.symbol.as_str() == "::" => self.tail(*right),
            _ => self.names.extend(expr_name(self.ast, expr)),
        }
    }
}

/// The walk in the order of evaluation.
struct Uses<'a> {
    own: Own<'a>,
    /// In which function each own name was bound.
    made: HashMap<Symbol, usize>,
    /// The names whose lists were given up.
    given: HashSet<Symbol>,
    /// How many functions there are around the place.
    depth: usize,
    found: BTreeSet<String>,
}

impl<'a> Uses<'a> {
    fn expr(&mut self, expr: ExprId) {
        let ast = self.own.ast;
        let (function, arguments) = application(ast, expr);
        if let Some(name) = expr_name(ast, function) {
            let positions = self.own.positions(name);
            if positions.iter().any(|&position| position >= arguments.len()) {
                self.wrong(format!("`{name}` without a list"));
            }
            if !positions.is_empty() {
                for (position, &argument) in arguments.iter().enumerate() {
                    if positions.contains(&position) { self.list(argument) } else { self.expr(argument) }
                }
                return;
            }
        }
        match &ast.exprs[expr].kind {
            ExprKind::Name(path) if self.own.names.contains(&path.segments[0].symbol) => {
                self.wrong(format!("`{}` is used otherwise", path.segments[0].symbol));
            }
            ExprKind::Block(statements) => statements.iter().for_each(|statement| self.statement(statement)),
            ExprKind::Assign { target, value } => match self.own_name(*target) {
                Some(name) => {
                    self.list(*value);
                    self.here(name);
                    self.given.remove(&name);
                }
                None => children(ast, expr).into_iter().for_each(|child| self.expr(child)),
            },
            ExprKind::If { condition, then, otherwise } => {
                self.expr(*condition);
                self.branches([*then].into_iter().chain(*otherwise).map(|branch| (None, branch)).collect());
            }
            ExprKind::Match { scrutinee, arms } => {
                let only_asks = self.own_name(*scrutinee).is_some() && arms.iter().all(|arm| self.asks(arm.pattern));
                if !only_asks {
                    self.expr(*scrutinee);
                }
                self.branches(arms.iter().map(|arm| (arm.guard, arm.body)).collect());
            }
            ExprKind::While { .. } | ExprKind::ForRange { .. } | ExprKind::ForIn { .. } => {
                // The second time sees what the first gives up.
                for _ in 0..2 {
                    children(ast, expr).into_iter().for_each(|child| self.expr(child));
                }
            }
            ExprKind::Lambda { .. } | ExprKind::Function(_) | ExprKind::Lazy(_) | ExprKind::Comprehension { .. } => {
                self.depth += 1;
                children(ast, expr).into_iter().for_each(|child| self.expr(child));
                self.depth -= 1;
            }
            _ => children(ast, expr).into_iter().for_each(|child| self.expr(child)),
        }
    }

    /// Whether a pattern only tells an empty list from others.
    fn asks(&self, pattern: PatternId) -> bool {
        match &self.own.ast.patterns[pattern].kind {
            PatternKind::Wildcard => true,
            PatternKind::Collection { elements, .. } => elements.is_empty(),
            _ => false,
        }
    }

    fn own_name(&self, expr: ExprId) -> Option<Symbol> {
        expr_name(self.own.ast, expr).filter(|name| self.own.names.contains(name))
    }

    /// Of several branches one is taken.
    fn branches(&mut self, branches: Vec<(Option<ExprId>, ExprId)>) {
        let before = self.given.clone();
        let mut after = before.clone();
        for (guard, branch) in branches {
            self.given = before.clone();
            guard.into_iter().for_each(|guard| self.expr(guard));
            self.expr(branch);
            after.extend(self.given.iter().copied());
        }
        self.given = after;
    }

    fn statement(&mut self, statement: &Statement) {
        let group = match statement {
            Statement::Expr(expr) => return self.expr(*expr),
            Statement::Let(group) => group,
        };
        for binding in &group.bindings {
            match &binding.head {
                BindingHead::Function { parameters, .. } => self.function(parameters, binding.body),
                BindingHead::Pattern(pattern) => match name_of(self.own.ast, *pattern) {
                    Some(name) if self.own.names.contains(&name) => {
                        self.list(binding.body);
                        self.make(name);
                    }
                    Some(_) | None => self.expr(binding.body),
                },
            }
        }
    }

    fn function(&mut self, parameters: &[PatternId], body: ExprId) {
        self.depth += 1;
        for name in parameters.iter().filter_map(|&parameter| name_of(self.own.ast, parameter)) {
            if self.own.names.contains(&name) {
                self.make(name);
            }
        }
        self.expr(body);
        self.depth -= 1;
    }

    fn make(&mut self, name: Symbol) {
        if self.made.insert(name, self.depth).is_some_and(|depth| depth != self.depth) {
            self.wrong(format!("`{name}` names several lists"));
        }
        self.given.remove(&name);
    }

    /// A list that is given up.
    fn list(&mut self, expr: ExprId) {
        let ast = self.own.ast;
        if let Some(name) = expr_name(ast, expr) {
            self.here(name);
            if !self.given.insert(name) {
                self.wrong(format!("`{name}` is given up twice"));
            }
            return;
        }
        let (function, _) = application(ast, expr);
        let fresh = expr_name(ast, function).is_some_and(|name| ["reverseInPlace", "rev"].contains(&name.as_str()));
        match &ast.exprs[expr].kind {
            ExprKind::Collection { kind: CollectionKind::List, elements } if elements.is_empty() => {}
            ExprKind::Binary { operator, left, right } if operator.symbol.as_str() == "::" => {
                self.expr(*left);
                self.list(*right);
            }
            ExprKind::Apply { .. } if fresh => self.expr(expr),
            ExprKind::Block(statements) => match statements.as_slice() {
                [Statement::Expr(only)] => self.list(*only),
                _ => self.wrong("a list that is not made here"),
            },
            _ => self.wrong("a list that is not made here"),
        }
    }

    fn wrong(&mut self, message: impl Into<String>) {
        self.found.insert(message.into());
    }

    /// A name that is used stands in the function that made it.
    fn here(&mut self, name: Symbol) {
        match self.made.get(&name) {
            None => self.wrong(format!("`{name}` is not made here")),
            Some(depth) if *depth != self.depth => self.wrong(format!("`{name}` is used in another function")),
            Some(_) => {}
        }
    }
}
