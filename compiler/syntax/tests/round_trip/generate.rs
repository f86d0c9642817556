//! Trees from choices: each choice is a byte, and when no choices are left everything is as small as possible, so that
//! a failing case shrinks.

use clef_base::{FileId, Span, Symbol};
use clef_syntax::ast::{
    Access, Arm, Ast, Binding, BindingHead, CollectionKind, Declaration, DeclarationKind, Expr, ExprId, ExprKind,
    IntegerSuffix, InterpolationPart, LetGroup, Literal, Name, Path, Pattern, PatternId, PatternKind, Statement,
    TypeExpr, TypeExprId, TypeExprKind, TypeVariable, VariableConstraint,
};

/// Generates one tree.
pub(crate) struct Generator {
    ast: Ast,
    choices: std::vec::IntoIter<u8>,
    depth: usize,
}

const NAMES: &[&str] = &["a", "b", "f", "xs", "List", "x'", "two words", "type"];
const OPERATORS: &[&str] =
    &["::", "+", "-", "*", "/", "**", "@", "^", "=", "<", "<>", "|>", "<|", "&&", "||", "&&&", "<<<", ":=", "+!", "%"];

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn name(text: &str) -> Name {
    Name { symbol: Symbol::new(text), span: nowhere() }
}

impl Generator {
    pub(crate) fn new(choices: Vec<u8>) -> Generator {
        Generator { ast: Ast::default(), choices: choices.into_iter(), depth: 0 }
    }

    pub(crate) fn ast(mut self) -> Ast {
        for _ in 0..=self.choose(3) {
            let kind = if self.choose(2) == 0 {
                DeclarationKind::Effect(self.body())
            } else {
                DeclarationKind::Let(self.group(false))
            };
            self.ast.declarations.push(Declaration { kind, span: nowhere() });
        }
        self.ast
    }

    /// One of `count` choices; the first if none are left.
    fn choose(&mut self, count: usize) -> usize {
        self.choices.next().map_or(0, |choice| usize::from(choice) % count)
    }

    fn pick(&mut self, texts: &[&str]) -> Name {
        let index = self.choose(texts.len());
        name(texts[index])
    }

    fn many<T>(&mut self, least: usize, mut make: impl FnMut(&mut Generator) -> T) -> Vec<T> {
        let count = least + self.choose(3);
        (0..count).map(|_| make(self)).collect()
    }

    fn path(&mut self) -> Path {
        Path { segments: self.many(1, |generator| generator.pick(NAMES)) }
    }

    fn expr(&mut self, kind: ExprKind) -> ExprId {
        self.ast.exprs.alloc(Expr { kind, span: nowhere() })
    }

    fn pattern_node(&mut self, kind: PatternKind) -> PatternId {
        self.ast.patterns.alloc(Pattern { kind, span: nowhere() })
    }

    fn type_node(&mut self, kind: TypeExprKind) -> TypeExprId {
        self.ast.types.alloc(TypeExpr { kind, span: nowhere() })
    }

    /// A value: nothing that is only allowed between brackets.
    fn value(&mut self) -> ExprId {
        self.depth += 1;
        let kind = if self.depth > 8 { self.leaf() } else { self.value_kind() };
        self.depth -= 1;
        self.expr(kind)
    }

    fn leaf(&mut self) -> ExprKind {
        match self.choose(4) {
            0 => ExprKind::Name(self.path()),
            1 => ExprKind::Operator(self.pick(OPERATORS)),
            _ => ExprKind::Literal(self.literal()),
        }
    }

    fn literal(&mut self) -> Literal {
        match self.choose(9) {
            0 => Literal::Unit,
            1 => Literal::Bool(self.choose(2) == 1),
            2 => Literal::Float { text: Symbol::new("1.5e10"), single: self.choose(2) == 1 },
            3 => Literal::Char(['a', '\'', '"', '\\', '\n', 'ä', '\0'][self.choose(7)]),
            4 => Literal::String(["", "a\"b", "\\\n{}", "%d ä\u{1}2"][self.choose(4)].to_owned()),
            5 => Literal::Bytes(vec![0, b'a', b'"', 0xff]),
            _ => Literal::Integer { value: self.choose(256) as u64, suffix: self.suffix(), bits: self.choose(2) == 1 },
        }
    }

    fn suffix(&mut self) -> IntegerSuffix {
        use IntegerSuffix::*;
        [None, I8, U8, I16, U16, I32, U32, I64, U64, Native, UnsignedNative][self.choose(11)]
    }

    fn value_kind(&mut self) -> ExprKind {
        match self.choose(26) {
            0..=2 => self.leaf(),
            3 => ExprKind::Field { target: self.value(), name: self.pick(NAMES) },
            4..=6 => ExprKind::Apply { function: self.value(), arguments: self.many(1, Generator::value) },
            7 => ExprKind::TypeApply {
                function: self.value(),
                arguments: self.many(1, |generator| generator.type_expr(3)),
            },
            8..=10 => ExprKind::Binary { operator: self.pick(OPERATORS), left: self.value(), right: self.value() },
            11 => ExprKind::Prefix { operator: self.pick(&["-", "!", "~~~", "+"]), operand: self.value() },
            12 => ExprKind::Lambda { parameters: self.many(1, |generator| generator.pattern(2)), body: self.body() },
            13 => ExprKind::Function(self.many(1, Generator::arm)),
            14 => ExprKind::If { condition: self.value(), then: self.body(), otherwise: Some(self.body()) },
            15 => ExprKind::Match { scrutinee: self.value(), arms: self.many(1, Generator::arm) },
            16 => ExprKind::Tuple(self.many(2, Generator::value)),
            17 => ExprKind::StructTuple(self.many(2, Generator::value)),
            18 => ExprKind::Record(self.many(1, |generator| (generator.path(), generator.value()))),
            19 => ExprKind::RecordUpdate {
                base: self.value(),
                fields: self.many(1, |generator| (generator.path(), generator.value())),
            },
            20 => ExprKind::Collection { kind: self.bracket(), elements: self.many(0, Generator::element) },
            21 => self.comprehension(),
            22 => self.selection(),
            23 => ExprKind::Annotated { expr: self.value(), annotation: self.annotation() },
            24 => ExprKind::Lazy(self.value()),
            _ => ExprKind::Interpolated(vec![
                InterpolationPart::Text("{%\"\\ä".to_owned()),
                InterpolationPart::Value {
                    expr: self.value(),
                    format: (self.choose(2) == 1).then(|| name("X4")),
                    specifier: (self.choose(3) == 1).then(|| name("%5d")),
                },
            ]),
        }
    }

    /// A value between brackets. It is no bare branch, which could make the whole a comprehension.
    fn element(&mut self) -> ExprId {
        let value = self.value();
        let may_generate = matches!(self.ast.exprs[value].kind, ExprKind::If { .. } | ExprKind::Match { .. });
        if may_generate { self.expr(ExprKind::Lazy(value)) } else { value }
    }

    fn bracket(&mut self) -> CollectionKind {
        [CollectionKind::List, CollectionKind::Array][self.choose(2)]
    }

    fn selection(&mut self) -> ExprKind {
        let target = self.value();
        match self.choose(4) {
            0 | 1 => ExprKind::Index { target, index: self.value() },
            2 => ExprKind::Slice { target, from: Some(self.value()), to: None },
            _ => ExprKind::Slice { target, from: None, to: Some(self.value()) },
        }
    }

    fn comprehension(&mut self) -> ExprKind {
        let kind = [CollectionKind::List, CollectionKind::Array, CollectionKind::Sequence][self.choose(3)];
        let value = self.value();
        let body = match self.choose(4) {
            0 => self.range(),
            1 => self.expr(ExprKind::Yield(value)),
            2 => {
                let each = self.expr(ExprKind::YieldAll(value));
                let (pattern, source) = (self.pattern(3), self.value());
                self.expr(ExprKind::ForIn { pattern, source, body: each })
            }
            _ => {
                let group = self.group(true);
                let last = self.expr(ExprKind::Yield(value));
                let first = self.value();
                let first = Statement::Expr(first);
                self.expr(ExprKind::Block(vec![Statement::Let(group), first, Statement::Expr(last)]))
            }
        };
        ExprKind::Comprehension { kind, body }
    }

    fn range(&mut self) -> ExprId {
        let (from, to) = (self.value(), self.value());
        let step = (self.choose(2) == 1).then(|| self.value());
        self.expr(ExprKind::Range { from, step, to })
    }

    /// The body after `=`, `->` or `do`: a value, a sequence, or an effect.
    fn body(&mut self) -> ExprId {
        if self.depth > 6 {
            return self.value();
        }
        self.depth += 1;
        let body = match self.choose(8) {
            1 => self.block(),
            2 => self.effect(),
            _ => self.value(),
        };
        self.depth -= 1;
        body
    }

    fn block(&mut self) -> ExprId {
        let mut statements = self.many(1, |generator| match generator.choose(3) {
            0 => Statement::Let(generator.group(true)),
            1 => Statement::Expr(generator.effect()),
            _ => Statement::Expr(generator.body()),
        });
        let last = self.body();
        statements.push(Statement::Expr(last));
        self.expr(ExprKind::Block(statements))
    }

    fn effect(&mut self) -> ExprId {
        let kind = match self.choose(6) {
            0 => ExprKind::While { condition: self.value(), body: self.body() },
            1 => ExprKind::ForRange {
                variable: self.pick(NAMES),
                from: self.value(),
                to: self.value(),
                descending: self.choose(2) == 1,
                body: self.body(),
            },
            2 => {
                let source = if self.choose(2) == 1 { self.range() } else { self.value() };
                ExprKind::ForIn { pattern: self.pattern(3), source, body: self.body() }
            }
            3 => ExprKind::Assign { target: self.value(), value: self.value() },
            4 => ExprKind::If { condition: self.value(), then: self.body(), otherwise: None },
            _ => ExprKind::Assert(self.value()),
        };
        self.expr(kind)
    }

    fn arm(&mut self) -> Arm {
        let pattern = self.pattern(3);
        let guard = (self.choose(3) == 1).then(|| self.value());
        Arm { pattern, guard, body: self.body() }
    }

    fn group(&mut self, local: bool) -> LetGroup {
        let recursive = self.choose(3) == 1;
        let resource = local && !recursive && self.choose(4) == 1;
        let bindings = if recursive { self.many(1, Generator::binding) } else { vec![self.binding()] };
        LetGroup { recursive, resource, bindings, span: nowhere() }
    }

    fn binding(&mut self) -> Binding {
        let head = match self.choose(3) {
            0 => BindingHead::Pattern(self.pattern_node(PatternKind::Name(name("value")))),
            1 => BindingHead::Pattern(self.pattern(2)),
            _ => self.function_head(),
        };
        Binding {
            attributes: Vec::new(),
            documentation: (self.choose(5) == 1).then(|| "First.\n\nSecond.".to_owned()),
            mutable: self.choose(5) == 1,
            inline: self.choose(5) == 1,
            access: [Access::Public, Access::Private, Access::Internal][self.choose(3)],
            head,
            annotation: (self.choose(3) == 1).then(|| self.annotation()),
            body: self.body(),
            span: nowhere(),
        }
    }

    fn function_head(&mut self) -> BindingHead {
        let variable = TypeVariable {
            name: name("t"),
            resolved_statically: false,
            measure: self.choose(4) == 0,
            constraint: self.constraint(),
        };
        let type_parameters = if self.choose(3) == 1 { vec![variable] } else { Vec::new() };
        let parameters = self.many(1, |generator| generator.pattern(2));
        // The first, `::`, cannot be defined.
        let name = if self.choose(4) == 1 { self.pick(&OPERATORS[1..]) } else { self.pick(NAMES) };
        BindingHead::Function { name, type_parameters, parameters }
    }

    fn pattern(&mut self, depth: usize) -> PatternId {
        let choices = if depth == 0 { 3 } else { 13 };
        let kind = match self.choose(choices) {
            0 => PatternKind::Wildcard,
            1 => PatternKind::Name(self.pick(NAMES)),
            2 => self.literal_pattern(),
            3 => PatternKind::Case { path: self.path(), argument: Some(self.pattern(depth - 1)) },
            4 => {
                let field = |generator: &mut Self| (generator.pick(NAMES), generator.pattern(depth - 1));
                let fields = self.many(1, field);
                let fields = self.pattern_node(PatternKind::Fields(fields));
                PatternKind::Case { path: self.path(), argument: Some(fields) }
            }
            5 => PatternKind::Tuple(self.many(2, |generator| generator.pattern(depth - 1))),
            6 => PatternKind::StructTuple(self.many(2, |generator| generator.pattern(depth - 1))),
            7 => PatternKind::Record(self.many(1, |generator| (generator.path(), generator.pattern(depth - 1)))),
            8 => PatternKind::Collection {
                kind: self.bracket(),
                elements: self.many(0, |generator| generator.pattern(depth - 1)),
            },
            9 => PatternKind::Cons { head: self.pattern(depth - 1), tail: self.pattern(depth - 1) },
            10 => PatternKind::As { pattern: self.pattern(depth - 1), name: self.pick(NAMES) },
            11 => PatternKind::Or(self.pattern(depth - 1), self.pattern(depth - 1)),
            _ => PatternKind::Annotated { pattern: self.pattern(depth - 1), annotation: self.annotation() },
        };
        self.pattern_node(kind)
    }

    fn literal_pattern(&mut self) -> PatternKind {
        let literal = self.literal();
        let is_number = matches!(literal, Literal::Integer { .. } | Literal::Float { .. });
        let measure = (is_number && self.choose(4) == 1).then(|| self.type_expr(2));
        PatternKind::Literal { literal, negative: is_number && self.choose(2) == 1, measure }
    }

    fn constraint(&mut self) -> VariableConstraint {
        [VariableConstraint::Nothing, VariableConstraint::Equality, VariableConstraint::Comparison][self.choose(3)]
    }

    /// A type, possibly with a constraint.
    fn annotation(&mut self) -> TypeExprId {
        let annotation = self.type_expr(3);
        let constraint = self.constraint();
        if self.choose(6) != 1 || constraint == VariableConstraint::Nothing {
            return annotation;
        }
        let variable = TypeVariable { name: name("a"), resolved_statically: false, measure: false, constraint };
        let kind = TypeExprKind::Constrained(annotation, vec![variable]);
        self.ast.types.alloc(TypeExpr { kind, span: nowhere() })
    }

    fn type_expr(&mut self, depth: usize) -> TypeExprId {
        let choices = if depth == 0 { 3 } else { 9 };
        let kind = match self.choose(choices) {
            0 => TypeExprKind::Name { path: self.path(), arguments: Vec::new() },
            1 => TypeExprKind::Variable(TypeVariable {
                name: name("a"),
                resolved_statically: self.choose(2) == 1,
                measure: false,
                constraint: VariableConstraint::Nothing,
            }),
            2 => TypeExprKind::Wildcard,
            3 => TypeExprKind::Name {
                path: self.path(),
                arguments: self.many(1, |generator| generator.type_expr(depth - 1)),
            },
            4 | 5 => TypeExprKind::Function(self.type_expr(depth - 1), self.type_expr(depth - 1)),
            6 => TypeExprKind::Tuple(self.many(2, |generator| generator.type_expr(depth - 1))),
            7 => TypeExprKind::StructTuple(self.many(2, |generator| generator.type_expr(depth - 1))),
            _ => TypeExprKind::Array(self.type_expr(depth - 1)),
        };
        self.type_node(kind)
    }
}
