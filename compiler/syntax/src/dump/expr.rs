//! Listings of expressions.

use super::{Dumper, collection_text, literal_text, path_text};
use crate::ast::{Arm, ExprId, ExprKind, InterpolationPart, Path, Statement};

impl Dumper<'_> {
    fn exprs(&mut self, text: impl std::fmt::Display, exprs: &[ExprId]) {
        self.node(text, |dumper| exprs.iter().for_each(|expr| dumper.expr(*expr)));
    }

    pub(super) fn expr(&mut self, expr: ExprId) {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Error => self.line("error"),
            ExprKind::Unsupported(what) => self.line(format!("unsupported {what:?}")),
            ExprKind::Literal(literal) => self.line(format!("literal {}", literal_text(literal))),
            ExprKind::Name(path) => self.line(format!("name {}", path_text(path))),
            ExprKind::Operator(name) => self.line(format!("operator {}", name.symbol)),
            ExprKind::Field { target, name } => self.exprs(format!("field {}", name.symbol), &[*target]),
            ExprKind::Apply { function, arguments } => self.node("apply", |dumper| {
                dumper.expr(*function);
                arguments.iter().for_each(|argument| dumper.expr(*argument));
            }),
            ExprKind::TypeApply { function, arguments } => self.node("type apply", |dumper| {
                dumper.expr(*function);
                arguments.iter().for_each(|argument| dumper.type_expr(*argument));
            }),
            ExprKind::Binary { operator, left, right } => {
                self.exprs(format!("binary {}", operator.symbol), &[*left, *right]);
            }
            ExprKind::Prefix { operator, operand } => self.exprs(format!("prefix {}", operator.symbol), &[*operand]),
            ExprKind::Lambda { parameters, body } => self.node("lambda", |dumper| {
                parameters.iter().for_each(|parameter| dumper.pattern(*parameter));
                dumper.expr(*body);
            }),
            ExprKind::Function(arms) => self.node("function", |dumper| dumper.arms(arms)),
            ExprKind::Block(statements) => self.node("block", |dumper| dumper.statements(statements)),
            ExprKind::If { condition, then, otherwise } => {
                self.exprs("if", &[*condition, *then]);
                if let Some(otherwise) = otherwise {
                    self.exprs("else", &[*otherwise]);
                }
            }
            ExprKind::Match { scrutinee, arms } => self.node("match", |dumper| {
                dumper.expr(*scrutinee);
                dumper.arms(arms);
            }),
            ExprKind::While { condition, body } => self.exprs("while", &[*condition, *body]),
            ExprKind::ForRange { variable, from, to, descending, body } => {
                let word = if *descending { "downto" } else { "to" };
                self.exprs(format!("for {} {word}", variable.symbol), &[*from, *to, *body]);
            }
            ExprKind::ForIn { pattern, source, body } => self.node("for in", |dumper| {
                dumper.pattern(*pattern);
                dumper.expr(*source);
                dumper.expr(*body);
            }),
            ExprKind::Tuple(parts) => self.exprs("tuple", parts),
            ExprKind::StructTuple(parts) => self.exprs("struct tuple", parts),
            ExprKind::Record(fields) => self.node("record", |dumper| dumper.fields(fields)),
            ExprKind::RecordUpdate { base, fields } => self.node("record update", |dumper| {
                dumper.expr(*base);
                dumper.fields(fields);
            }),
            ExprKind::Collection { kind, elements } => self.exprs(collection_text(*kind), elements),
            ExprKind::Comprehension { kind, body } => {
                self.exprs(format!("{} comprehension", collection_text(*kind)), &[*body]);
            }
            ExprKind::Range { from, step, to } => self.node("range", |dumper| {
                dumper.expr(*from);
                dumper.optional("step", *step);
                dumper.expr(*to);
            }),
            ExprKind::Yield(value) => self.exprs("yield", &[*value]),
            ExprKind::YieldAll(value) => self.exprs("yield!", &[*value]),
            ExprKind::Index { target, index } => self.exprs("index", &[*target, *index]),
            ExprKind::Slice { target, from, to } => self.node("slice", |dumper| {
                dumper.expr(*target);
                dumper.optional("from", *from);
                dumper.optional("to", *to);
            }),
            ExprKind::Assign { target, value } => self.exprs("assign", &[*target, *value]),
            ExprKind::Annotated { expr, annotation } => self.node("annotated", |dumper| {
                dumper.expr(*expr);
                dumper.type_expr(*annotation);
            }),
            ExprKind::Lazy(value) => self.exprs("lazy", &[*value]),
            ExprKind::Assert(value) => self.exprs("assert", &[*value]),
            ExprKind::Interpolated(parts) => self.node("interpolated", |dumper| dumper.parts(parts)),
        }
    }

    fn optional(&mut self, role: &str, expr: Option<ExprId>) {
        if let Some(expr) = expr {
            self.exprs(role, &[expr]);
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Let(group) => self.group(group),
                Statement::Expr(expr) => self.expr(*expr),
            }
        }
    }

    fn arms(&mut self, arms: &[Arm]) {
        for arm in arms {
            self.node("arm", |dumper| {
                dumper.pattern(arm.pattern);
                dumper.optional("when", arm.guard);
                dumper.expr(arm.body);
            });
        }
    }

    fn fields(&mut self, fields: &[(Path, ExprId)]) {
        for (path, value) in fields {
            self.exprs(format!("field {}", path_text(path)), &[*value]);
        }
    }

    fn parts(&mut self, parts: &[InterpolationPart]) {
        for part in parts {
            match part {
                InterpolationPart::Text(text) => self.line(format!("text {text:?}")),
                InterpolationPart::Value { expr, format, specifier } => {
                    let format = format.map_or(String::new(), |name| format!(" format {:?}", name.symbol.as_str()));
                    let specifier = specifier.map_or(String::new(), |name| format!(" specifier {}", name.symbol));
                    self.exprs(format!("value{format}{specifier}"), &[*expr]);
                }
            }
        }
    }
}
