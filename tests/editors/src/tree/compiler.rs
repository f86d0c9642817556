//! The outline of the compiler's tree.

use super::Outline;
use clef_base::{SourceMap, Span, diagnostic::has_errors};
use clef_syntax::{
    ast::{
        Arm, Ast, Attribute, Binding, BindingHead, CollectionKind, Declaration, DeclarationKind, ExprId, ExprKind,
        InterpolationPart, LetGroup, Name, Path, PatternId, PatternKind, Statement, TypeDeclaration,
        TypeDeclarationKind, TypeExprId, TypeExprKind, TypeVariable,
    },
    lexer,
};

/// A program that the compiler's parser accepts.
pub struct Parsed {
    /// Its outline.
    pub outline: Outline,
    /// Its text without the branches of `#if` that are not compiled: their characters are spaces.
    pub text: String,
}

/// Parses a program; `None` if it has syntax errors or constructs that are not in Clef.
pub fn parse(name: &str, text: &str) -> Option<Parsed> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let (ast, diagnostics) = clef_syntax::parse(&sources, file);
    if has_errors(&diagnostics) {
        return None;
    }
    let mut reader = Reader { ast: &ast, is_clef: true };
    let outline = reader.file();
    let (tokens, _) = lexer::lex(file, text, &|name| sources.is_defined(file, name));
    let spans: Vec<(usize, usize)> =
        tokens.iter().map(|token| (token.span.start as usize, token.span.end as usize)).collect();
    reader.is_clef.then(|| Parsed { outline, text: compiled(text, &spans) })
}

/// Replaces what is between directives and has no token by spaces.
fn compiled(text: &str, tokens: &[(usize, usize)]) -> String {
    let mut result = String::new();
    let (mut start, mut depth) = (0, 0u32);
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let word = line.trim_start().strip_prefix('#').map(str::trim_start);
        let has_token = tokens.iter().any(|(from, to)| *from < end && *to > start);
        let directive = word.filter(|_| !has_token);
        depth += u32::from(directive.is_some_and(|word| word.starts_with("if")));
        if depth > 0 && !has_token {
            result.extend(line.chars().map(|c| if c == '\n' { c } else { ' ' }));
            result.extend(line.chars().flat_map(|c| std::iter::repeat_n(' ', c.len_utf8() - 1)));
        } else {
            result.push_str(line);
        }
        depth -= u32::from(depth > 0 && directive.is_some_and(|word| word.starts_with("endif")));
        start = end;
    }
    result
}

struct Reader<'a> {
    ast: &'a Ast,
    /// Whether no construct was found that is not in Clef.
    is_clef: bool,
}

fn leaf(kind: &'static str, span: Span) -> Outline {
    Outline::leaf(kind, span.start as usize, span.end as usize)
}

fn name(name: &Name) -> Outline {
    leaf("name", name.span)
}

fn path(path: &Path) -> Outline {
    Outline::node("path", path.segments.iter().map(name).collect())
}

impl Reader<'_> {
    fn unsupported(&mut self) -> Outline {
        self.is_clef = false;
        Outline::node("unsupported", Vec::new())
    }

    fn file(&mut self) -> Outline {
        let mut parts = Vec::new();
        if let Some(header) = &self.ast.header {
            parts.extend(self.attributes(&header.attributes));
            parts.push(Outline::node(if header.namespace { "namespace" } else { "module" }, vec![path(&header.path)]));
        }
        parts.extend(self.declarations(&self.ast.declarations));
        Outline::node("file", parts)
    }

    fn declarations(&mut self, declarations: &[Declaration]) -> Vec<Outline> {
        declarations.iter().flat_map(|declaration| self.declaration(declaration)).collect()
    }

    fn declaration(&mut self, declaration: &Declaration) -> Vec<Outline> {
        vec![match &declaration.kind {
            DeclarationKind::Let(group) => self.group(group),
            DeclarationKind::Effect(expr) => self.expr(*expr),
            DeclarationKind::Open(opened) => Outline::node("open", vec![path(opened)]),
            DeclarationKind::Types(types) => {
                return types.iter().map(|declared| self.type_declaration(declared)).collect();
            }
            DeclarationKind::Module { attributes, access: _, name: module, declarations } => {
                let mut parts = self.attributes(attributes);
                parts.push(name(module));
                parts.extend(self.declarations(declarations));
                Outline::node("inner module", parts)
            }
            DeclarationKind::ModuleAlias { name: short, path: module } => {
                Outline::node("alias", vec![name(short), path(module)])
            }
            DeclarationKind::Namespace(named) => Outline::node("namespace", vec![path(named)]),
            DeclarationKind::Unsupported(_) | DeclarationKind::Error => self.unsupported(),
        }]
    }

    fn attributes(&mut self, attributes: &[Attribute]) -> Vec<Outline> {
        attributes
            .iter()
            .map(|attribute| {
                let mut parts = vec![path(&attribute.name)];
                parts.extend(attribute.argument.map(|argument| self.expr(argument)));
                Outline::node("attribute", parts)
            })
            .collect()
    }

    fn group(&mut self, group: &LetGroup) -> Outline {
        Outline::node("let", group.bindings.iter().map(|binding| self.binding(binding)).collect())
    }

    fn binding(&mut self, binding: &Binding) -> Outline {
        let mut parts = self.attributes(&binding.attributes);
        match &binding.head {
            BindingHead::Function { name: function, type_parameters, parameters } => {
                let mut head = vec![name(function)];
                head.extend(type_parameters.iter().map(variable));
                head.extend(parameters.iter().map(|parameter| self.pattern(*parameter)));
                parts.push(Outline::node("function", head));
            }
            BindingHead::Pattern(pattern) => parts.push(self.pattern(*pattern)),
        }
        parts.extend(binding.annotation.map(|annotation| self.type_expr(annotation)));
        parts.push(self.expr(binding.body));
        Outline::node("binding", parts)
    }

    fn type_declaration(&mut self, declared: &TypeDeclaration) -> Outline {
        let mut parts = self.attributes(&declared.attributes);
        let mut head = vec![name(&declared.name)];
        head.extend(declared.parameters.iter().map(variable));
        head.sort_by_key(|part| part.place);
        parts.extend(head);
        match &declared.kind {
            TypeDeclarationKind::Record(fields) => parts.extend(fields.iter().map(|field| {
                let parts = vec![name(&field.name), self.type_expr(field.annotation)];
                Outline::node("field", parts)
            })),
            TypeDeclarationKind::Union(cases) => parts.extend(cases.iter().map(|case| {
                let mut parts = vec![name(&case.name)];
                for (field, annotation) in &case.fields {
                    parts.extend(field.as_ref().map(name));
                    parts.push(self.type_expr(*annotation));
                }
                Outline::node("case", parts)
            })),
            TypeDeclarationKind::Enum(cases) => {
                parts.extend(
                    cases.iter().map(|(case, value)| Outline::node("case", vec![name(case), self.expr(*value)])),
                );
            }
            TypeDeclarationKind::Abbreviation(annotation) => parts.push(self.type_expr(*annotation)),
            TypeDeclarationKind::Measure => {}
            TypeDeclarationKind::Unsupported(_) | TypeDeclarationKind::Error => parts.push(self.unsupported()),
        }
        Outline::node("type", parts)
    }

    fn exprs(&mut self, exprs: &[ExprId]) -> Vec<Outline> {
        exprs.iter().map(|expr| self.expr(*expr)).collect()
    }

    fn arms(&mut self, arms: &[Arm]) -> Vec<Outline> {
        arms.iter()
            .map(|arm| {
                let mut parts = vec![self.pattern(arm.pattern)];
                parts.extend(arm.guard.map(|guard| self.expr(guard)));
                parts.push(self.expr(arm.body));
                Outline::node("arm", parts)
            })
            .collect()
    }

    fn fields(&mut self, fields: &[(Path, ExprId)]) -> Vec<Outline> {
        fields.iter().map(|(field, value)| Outline::node("field", vec![path(field), self.expr(*value)])).collect()
    }

    fn statements(&mut self, statements: &[Statement]) -> Vec<Outline> {
        statements
            .iter()
            .map(|statement| match statement {
                Statement::Let(group) => self.group(group),
                Statement::Expr(expr) => self.expr(*expr),
            })
            .collect()
    }

    fn expr(&mut self, id: ExprId) -> Outline {
        let expr = &self.ast.exprs[id];
        let (kind, parts) = match &expr.kind {
            ExprKind::Error | ExprKind::Unsupported(_) => return self.unsupported(),
            ExprKind::Literal(_) => return leaf("literal", expr.span),
            ExprKind::Name(named) => return path(named),
            ExprKind::Operator(operator) => return leaf("operator", operator.span),
            ExprKind::Field { target, name: field } => ("field of", vec![self.expr(*target), name(field)]),
            ExprKind::Apply { function, arguments } => {
                let mut parts = vec![self.expr(*function)];
                parts.extend(self.exprs(arguments));
                ("apply", parts)
            }
            ExprKind::TypeApply { function, arguments } => {
                let mut parts = vec![self.expr(*function)];
                parts.extend(arguments.iter().map(|argument| self.type_expr(*argument)));
                ("apply to types", parts)
            }
            ExprKind::Binary { operator, left, right } => {
                ("binary", vec![self.expr(*left), leaf("operator", operator.span), self.expr(*right)])
            }
            ExprKind::Prefix { operator, operand } => {
                ("prefix", vec![leaf("operator", operator.span), self.expr(*operand)])
            }
            ExprKind::Lambda { parameters, body } => {
                let mut parts = self.patterns(parameters);
                parts.push(self.expr(*body));
                ("lambda", parts)
            }
            ExprKind::Function(arms) => ("function of arms", self.arms(arms)),
            ExprKind::Block(statements) => ("block", self.statements(statements)),
            ExprKind::If { condition, then, otherwise } => {
                let mut parts = self.exprs(&[*condition, *then]);
                parts.extend(otherwise.map(|otherwise| self.expr(otherwise)));
                ("if", parts)
            }
            ExprKind::Match { scrutinee, arms } => {
                let mut parts = vec![self.expr(*scrutinee)];
                parts.extend(self.arms(arms));
                ("match", parts)
            }
            ExprKind::While { condition, body } => ("while", self.exprs(&[*condition, *body])),
            ExprKind::ForRange { variable, from, to, descending: _, body } => {
                let mut parts = vec![name(variable)];
                parts.extend(self.exprs(&[*from, *to, *body]));
                ("for range", parts)
            }
            ExprKind::ForIn { pattern, source, body } => {
                ("for in", vec![self.pattern(*pattern), self.expr(*source), self.expr(*body)])
            }
            ExprKind::Tuple(exprs) => ("tuple", self.exprs(exprs)),
            ExprKind::StructTuple(exprs) => ("struct tuple", self.exprs(exprs)),
            ExprKind::Record(fields) => ("record", self.fields(fields)),
            ExprKind::RecordUpdate { base, fields } => {
                let mut parts = vec![self.expr(*base)];
                parts.extend(self.fields(fields));
                ("record copy", parts)
            }
            ExprKind::Collection { kind, elements } => {
                return Outline::brackets(collection(*kind), self.exprs(elements));
            }
            ExprKind::Comprehension { kind, body } => {
                return Outline::brackets(collection(*kind), vec![self.expr(*body)]);
            }
            ExprKind::Range { from, step, to } => {
                let mut parts = vec![self.expr(*from)];
                parts.extend(step.map(|step| self.expr(step)));
                parts.push(self.expr(*to));
                ("range", parts)
            }
            ExprKind::Yield(value) => ("yield", vec![self.expr(*value)]),
            ExprKind::YieldAll(value) => ("yield!", vec![self.expr(*value)]),
            ExprKind::Index { target, index } => ("index", self.exprs(&[*target, *index])),
            ExprKind::Slice { target, from, to } => {
                let limits: Vec<ExprId> = [Some(*target), *from, *to].into_iter().flatten().collect();
                ("slice", self.exprs(&limits))
            }
            ExprKind::Assign { target, value } => ("assign", self.exprs(&[*target, *value])),
            ExprKind::Annotated { expr, annotation } => {
                ("annotated", vec![self.expr(*expr), self.type_expr(*annotation)])
            }
            ExprKind::Lazy(value) => ("lazy", vec![self.expr(*value)]),
            ExprKind::Assert(value) => ("assert", vec![self.expr(*value)]),
            ExprKind::Interpolated(segments) => {
                let values = segments.iter().filter_map(|segment| match segment {
                    InterpolationPart::Text(_) => None,
                    InterpolationPart::Value { expr, .. } => Some(self.expr(*expr)),
                });
                ("interpolated", values.collect())
            }
        };
        Outline::node(kind, parts)
    }

    fn patterns(&mut self, patterns: &[PatternId]) -> Vec<Outline> {
        patterns.iter().map(|pattern| self.pattern(*pattern)).collect()
    }

    fn pattern(&mut self, id: PatternId) -> Outline {
        let pattern = &self.ast.patterns[id];
        let (kind, parts) = match &pattern.kind {
            PatternKind::Error | PatternKind::Unsupported(_) => return self.unsupported(),
            PatternKind::Wildcard => return leaf("wildcard", pattern.span),
            PatternKind::Name(named) => ("path", vec![name(named)]),
            PatternKind::Literal { .. } => return leaf("literal", pattern.span),
            PatternKind::Case { path: case, argument: None } => return path(case),
            PatternKind::Case { path: case, argument: Some(argument) } => {
                ("case", vec![path(case), self.pattern(*argument)])
            }
            PatternKind::Tuple(parts) => ("tuple", self.patterns(parts)),
            PatternKind::StructTuple(parts) => ("struct tuple", self.patterns(parts)),
            PatternKind::Record(fields) => {
                let field = |(field, value): &(Path, PatternId)| {
                    Outline::node("field", vec![path(field), self.pattern(*value)])
                };
                ("record", fields.iter().map(field).collect())
            }
            PatternKind::Fields(fields) => {
                let field = |(field, value): &(Name, PatternId)| {
                    Outline::node("field", vec![name(field), self.pattern(*value)])
                };
                ("fields", fields.iter().map(field).collect())
            }
            PatternKind::Collection { kind, elements } => (collection(*kind), self.patterns(elements)),
            PatternKind::Cons { head, tail } => ("cons", self.patterns(&[*head, *tail])),
            PatternKind::As { pattern, name: whole } => ("as", vec![self.pattern(*pattern), name(whole)]),
            PatternKind::Or(left, right) => ("or", self.patterns(&[*left, *right])),
            PatternKind::And(left, right) => ("and", self.patterns(&[*left, *right])),
            PatternKind::Annotated { pattern, annotation } => {
                ("annotated", vec![self.pattern(*pattern), self.type_expr(*annotation)])
            }
        };
        Outline::node(kind, parts)
    }

    /// The names and variables of a type.
    fn type_expr(&mut self, id: TypeExprId) -> Outline {
        let mut parts = Vec::new();
        self.names_of_type(id, &mut parts);
        parts.sort_by_key(|part| part.place);
        Outline::node("of type", parts)
    }

    fn names_of_type(&mut self, id: TypeExprId, into: &mut Vec<Outline>) {
        match &self.ast.types[id].kind {
            TypeExprKind::Error | TypeExprKind::Unsupported(_) => self.is_clef = false,
            TypeExprKind::Name { path, arguments } => {
                into.extend(path.segments.iter().map(name));
                arguments.iter().for_each(|argument| self.names_of_type(*argument, into));
            }
            TypeExprKind::Variable(named) => into.push(variable(named)),
            TypeExprKind::Wildcard => into.push(leaf("wildcard", self.ast.types[id].span)),
            TypeExprKind::One => {}
            TypeExprKind::Constrained(inner, _) | TypeExprKind::Array(inner) | TypeExprKind::Power(inner, _) => {
                self.names_of_type(*inner, into);
            }
            TypeExprKind::Function(left, right)
            | TypeExprKind::Quotient(left, right)
            | TypeExprKind::Product(left, right) => {
                self.names_of_type(*left, into);
                self.names_of_type(*right, into);
            }
            TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => {
                parts.iter().for_each(|part| self.names_of_type(*part, into));
            }
        }
    }
}

fn variable(variable: &TypeVariable) -> Outline {
    leaf("variable", variable.name.span)
}

fn collection(kind: CollectionKind) -> &'static str {
    match kind {
        CollectionKind::List => "list",
        CollectionKind::Array => "array",
        CollectionKind::Sequence => "sequence",
    }
}
