//! Patterns.

use super::Printer;
use crate::ast::{CollectionKind, Path, PatternId, PatternKind};

/// How tightly a pattern binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    As,
    Or,
    And,
    Cons,
    Case,
    Atom,
}

impl Printer<'_> {
    /// A pattern outside brackets.
    pub(super) fn pattern(&mut self, pattern: PatternId) {
        self.pattern_at(pattern, Level::As);
    }

    /// A pattern as a parameter.
    pub(super) fn atomic_pattern(&mut self, pattern: PatternId) {
        self.pattern_at(pattern, Level::Atom);
    }

    fn pattern_at(&mut self, pattern: PatternId, place: Level) {
        let needed = place > self.pattern_level(pattern);
        self.parenthesised(needed, |printer| printer.bare_pattern(pattern));
    }

    /// Tuples and annotations carry their own parentheses.
    fn pattern_level(&self, pattern: PatternId) -> Level {
        match &self.ast.patterns[pattern].kind {
            PatternKind::As { .. } => Level::As,
            PatternKind::Or(..) => Level::Or,
            PatternKind::And(..) => Level::And,
            PatternKind::Cons { .. } => Level::Cons,
            PatternKind::Case { .. } | PatternKind::Literal { negative: true, .. } => Level::Case,
            PatternKind::Unsupported(_) => Level::Case,
            PatternKind::Error
            | PatternKind::Wildcard
            | PatternKind::Name(_)
            | PatternKind::Literal { .. }
            | PatternKind::Tuple(_)
            | PatternKind::StructTuple(_)
            | PatternKind::Record(_)
            | PatternKind::Fields(_)
            | PatternKind::Collection { .. }
            | PatternKind::Annotated { .. } => Level::Atom,
        }
    }

    fn bare_pattern(&mut self, pattern: PatternId) {
        let ast = self.ast;
        match &ast.patterns[pattern].kind {
            PatternKind::Error => self.write("(:)"),
            PatternKind::Unsupported(what) => self.unsupported_pattern(*what),
            PatternKind::Wildcard => self.write("_"),
            PatternKind::Name(name) => self.name(*name),
            PatternKind::Literal { literal, negative, measure } => {
                self.write(if *negative { "-" } else { "" });
                self.literal(literal);
                if let Some(measure) = measure {
                    self.type_arguments(&[*measure]);
                }
            }
            PatternKind::Case { path, argument } => {
                self.path(path);
                if let Some(argument) = argument {
                    self.write(" ");
                    self.atomic_pattern(*argument);
                }
            }
            PatternKind::Tuple(parts) => self.tuple_pattern(parts),
            PatternKind::StructTuple(parts) => {
                self.write("struct ");
                self.tuple_pattern(parts);
            }
            PatternKind::Record(fields) => self.record_pattern(fields),
            PatternKind::Fields(fields) => {
                self.write("(");
                self.separated(fields, "; ", |printer, (name, pattern)| {
                    printer.name(*name);
                    printer.write(" = ");
                    printer.pattern_at(*pattern, Level::And);
                });
                self.write(")");
            }
            PatternKind::Collection { kind, elements } => {
                let array = *kind == CollectionKind::Array;
                self.write(if array { "[|" } else { "[" });
                self.separated(elements, "; ", |printer, element| printer.pattern_at(*element, Level::And));
                self.write(if array { "|]" } else { "]" });
            }
            PatternKind::Cons { head, tail } => self.infix_pattern("::", (*head, Level::Case), (*tail, Level::Cons)),
            PatternKind::As { pattern, name } => {
                self.pattern_at(*pattern, Level::As);
                self.write(" as ");
                self.name(*name);
            }
            PatternKind::Or(left, right) => self.infix_pattern("|", (*left, Level::Or), (*right, Level::And)),
            PatternKind::And(left, right) => self.infix_pattern("&", (*left, Level::And), (*right, Level::Cons)),
            PatternKind::Annotated { pattern, annotation } => {
                self.write("(");
                self.pattern_at(*pattern, Level::And);
                self.write(": ");
                self.type_expr(*annotation);
                self.write(")");
            }
        }
    }

    fn infix_pattern(&mut self, operator: &str, left: (PatternId, Level), right: (PatternId, Level)) {
        self.pattern_at(left.0, left.1);
        self.write(format_args!(" {operator} "));
        self.pattern_at(right.0, right.1);
    }

    fn tuple_pattern(&mut self, parts: &[PatternId]) {
        self.write("(");
        self.separated(parts, ", ", |printer, part| printer.pattern_at(*part, Level::And));
        self.write(")");
    }

    fn record_pattern(&mut self, fields: &[(Path, PatternId)]) {
        self.write("{ ");
        self.separated(fields, "; ", |printer, (path, pattern)| {
            printer.path(path);
            printer.write(" = ");
            printer.pattern_at(*pattern, Level::And);
        });
        self.write(" }");
    }
}
