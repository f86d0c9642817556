//! Expressions as operands: with parentheses where the precedence requires them.

use super::Printer;
use crate::{
    ast::{CollectionKind, ExprId, ExprKind, InterpolationPart, Literal, Name, Path},
    parser::operators::{Associativity, Level, infix_level},
};

/// The positions of expressions, by what they accept without parentheses, from everything to little.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A line or the body of a construct: everything.
    Line,
    /// An operand: operators of this level or tighter ones.
    Operand(Level),
    /// An argument: only atomic expressions.
    Atom,
}

impl Printer<'_> {
    /// An expression in a position, in parentheses if it binds too loosely for it.
    pub(super) fn expr(&mut self, expr: ExprId, place: Place) {
        if place <= self.place_of(expr) {
            return self.bare(expr);
        }
        self.write("(");
        if self.is_flat(expr) {
            self.bare(expr);
        } else {
            self.indented(|printer| printer.lines(expr));
            self.line();
        }
        self.write(")");
    }

    pub(super) fn atom(&mut self, expr: ExprId) {
        self.expr(expr, Place::Atom);
    }

    /// An element, a field's value, a condition: anything except a construct that extends to the end of a line.
    pub(super) fn operand(&mut self, expr: ExprId) {
        self.expr(expr, Place::Operand(Level::Or));
    }

    /// The tightest position that accepts an expression without parentheses.
    fn place_of(&self, expr: ExprId) -> Place {
        match &self.ast.exprs[expr].kind {
            ExprKind::Binary { operator, .. } => {
                infix_level(operator.symbol.as_str()).map_or(Place::Line, Place::Operand)
            }
            ExprKind::Apply { .. } | ExprKind::Prefix { .. } | ExprKind::Lazy(_) | ExprKind::Assert(_) => {
                Place::Operand(Level::Application)
            }
            ExprKind::Comprehension { kind: CollectionKind::Sequence, .. } => Place::Operand(Level::Application),
            ExprKind::If { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Function(_)
            | ExprKind::Block(_)
            | ExprKind::Match { .. }
            | ExprKind::While { .. }
            | ExprKind::ForRange { .. }
            | ExprKind::ForIn { .. }
            | ExprKind::Range { .. }
            | ExprKind::Yield(_)
            | ExprKind::YieldAll(_)
            | ExprKind::Assign { .. } => Place::Line,
            ExprKind::Error
            | ExprKind::Unsupported(_)
            | ExprKind::Literal(_)
            | ExprKind::Name(_)
            | ExprKind::Operator(_)
            | ExprKind::Field { .. }
            | ExprKind::TypeApply { .. }
            | ExprKind::Tuple(_)
            | ExprKind::StructTuple(_)
            | ExprKind::Record(_)
            | ExprKind::RecordUpdate { .. }
            | ExprKind::Collection { .. }
            | ExprKind::Comprehension { .. }
            | ExprKind::Index { .. }
            | ExprKind::Slice { .. }
            | ExprKind::Annotated { .. }
            | ExprKind::Interpolated(_) => Place::Atom,
        }
    }

    /// An expression without parentheses of its own.
    pub(super) fn bare(&mut self, expr: ExprId) {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Error => self.write("_"),
            ExprKind::Unsupported(what) => self.unsupported_expr(*what),
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Name(path) => self.path(path),
            ExprKind::Operator(name) => self.operator(*name),
            ExprKind::Apply { function, arguments } => {
                self.atom(*function);
                for argument in arguments {
                    self.write(" ");
                    self.atom(*argument);
                }
            }
            ExprKind::Binary { operator, left, right } => self.binary(*operator, *left, *right),
            ExprKind::Prefix { operator, operand } => {
                self.name(*operator);
                self.atom(*operand);
            }
            ExprKind::Field { target, name } => {
                self.target(*target, true);
                self.write(".");
                self.name(*name);
            }
            ExprKind::TypeApply { function, arguments } => {
                self.target(*function, false);
                self.type_arguments(arguments);
            }
            ExprKind::Index { target, index } => self.selection(*target, |printer| printer.operand(*index)),
            ExprKind::Slice { target, from, to } => self.selection(*target, |printer| {
                from.iter().for_each(|from| printer.operand(*from));
                printer.write(" .. ");
                to.iter().for_each(|to| printer.operand(*to));
            }),
            ExprKind::Tuple(parts) => self.tuple(parts),
            ExprKind::StructTuple(parts) => {
                self.write("struct ");
                self.tuple(parts);
            }
            ExprKind::Record(fields) => {
                self.write("{ ");
                self.fields(fields);
                self.write(" }");
            }
            ExprKind::RecordUpdate { base, fields } => {
                self.write("{ ");
                self.atom(*base);
                self.write(" with ");
                self.fields(fields);
                self.write(" }");
            }
            ExprKind::Collection { kind, elements } => {
                let (opener, closer) = brackets(*kind);
                self.write(opener);
                self.separated(elements, "; ", |printer, element| printer.operand(*element));
                self.write(closer);
            }
            ExprKind::Comprehension { kind, body } => self.comprehension(*kind, *body),
            ExprKind::Annotated { expr, annotation } => {
                self.write("(");
                self.operand(*expr);
                self.write(" : ");
                self.type_expr(*annotation);
                self.write(")");
            }
            ExprKind::Interpolated(parts) => self.interpolated(parts),
            ExprKind::Lambda { parameters, body } => self.lambda(parameters, *body),
            ExprKind::Function(arms) => self.function(arms),
            ExprKind::Block(_) => self.atom(expr),
            ExprKind::If { .. } => self.conditional(expr),
            ExprKind::Match { scrutinee, arms } => self.match_expression(*scrutinee, arms),
            ExprKind::While { condition, body } => self.while_loop(*condition, *body),
            ExprKind::ForRange { variable, from, to, descending, body } => {
                let word = if *descending { "downto" } else { "to" };
                self.for_range(*variable, (*from, word, *to), *body);
            }
            ExprKind::ForIn { pattern, source, body } => self.for_in(*pattern, *source, *body),
            ExprKind::Range { from, step, to } => self.range(*from, *step, *to),
            ExprKind::Yield(value) => self.keyword("yield", *value),
            ExprKind::YieldAll(value) => self.keyword("yield!", *value),
            ExprKind::Lazy(value) => self.keyword_atom("lazy", *value),
            ExprKind::Assert(value) => self.keyword_atom("assert", *value),
            ExprKind::Assign { target, value } => {
                self.operand(*target);
                self.write(" <- ");
                self.operand(*value);
            }
        }
    }

    fn binary(&mut self, operator: Name, left: ExprId, right: ExprId) {
        let level = infix_level(operator.symbol.as_str());
        let (left_place, right_place) = match level {
            None => (Place::Operand(Level::Or), Place::Operand(Level::Or)),
            Some(level) => match level.associativity() {
                Associativity::Left => (Place::Operand(level), Place::Operand(level.tighter())),
                Associativity::Right => (Place::Operand(level.tighter()), Place::Operand(level)),
            },
        };
        self.expr(left, left_place);
        self.write(format_args!(" {} ", operator.symbol));
        self.expr(right, right_place);
    }

    /// `target.[content]`.
    fn selection(&mut self, target: ExprId, content: impl FnOnce(&mut Self)) {
        self.target(target, false);
        self.write(".[");
        content(self);
        self.write("]");
    }

    /// The target of a selection. A field of a name is in parentheses, because without them it would be one path.
    fn target(&mut self, target: ExprId, is_field: bool) {
        let needed = match &self.ast.exprs[target].kind {
            ExprKind::Name(_) => is_field,
            ExprKind::Literal(literal) => {
                is_field || !matches!(literal, Literal::Integer { .. } | Literal::Float { .. })
            }
            _ => false,
        };
        if needed {
            self.parenthesised(true, |printer| printer.bare(target));
        } else {
            self.atom(target);
        }
    }

    fn tuple(&mut self, parts: &[ExprId]) {
        self.write("(");
        self.separated(parts, ", ", |printer, part| printer.operand(*part));
        self.write(")");
    }

    fn fields(&mut self, fields: &[(Path, ExprId)]) {
        self.separated(fields, "; ", |printer, (path, value)| {
            printer.path(path);
            printer.write(" = ");
            printer.operand(*value);
        });
    }

    /// Brackets around a comprehension.
    fn comprehension(&mut self, kind: CollectionKind, body: ExprId) {
        let (opener, closer) = brackets(kind);
        self.write(opener);
        if self.is_flat(body) {
            let space = if kind == CollectionKind::Sequence { " " } else { "" };
            self.write(space);
            self.bare(body);
            self.write(space);
        } else {
            self.indented(|printer| printer.lines(body));
            self.line();
        }
        self.write(closer);
    }

    /// The expression of a hole. It must not start with a brace, because two braces are an escaped one.
    fn hole(&mut self, expr: ExprId) {
        let start = self.out.len();
        self.operand(expr);
        if self.out[start..].starts_with('{') {
            self.out.insert(start, '(');
            self.out.push(')');
        }
    }

    fn interpolated(&mut self, parts: &[InterpolationPart]) {
        self.write("$\"");
        for part in parts {
            match part {
                InterpolationPart::Text(text) => self.interpolated_text(text),
                InterpolationPart::Value { expr, format, specifier } => {
                    specifier.iter().for_each(|specifier| self.write(specifier.symbol));
                    self.write("{");
                    self.hole(*expr);
                    format.iter().for_each(|format| self.write(format_args!(":{}", format.symbol)));
                    self.write("}");
                }
            }
        }
        self.write("\"");
    }
}

fn brackets(kind: CollectionKind) -> (&'static str, &'static str) {
    match kind {
        CollectionKind::List => ("[", "]"),
        CollectionKind::Array => ("[|", "|]"),
        CollectionKind::Sequence => ("seq {", "}"),
    }
}
