//! Type expressions and measures.

use super::Printer;
use crate::ast::{TypeExprId, TypeExprKind, TypeVariable, VariableConstraint};

/// How tightly a type binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Function,
    Tuple,
    Quotient,
    Product,
    Power,
    Atom,
}

impl Printer<'_> {
    pub(super) fn type_expr(&mut self, type_expr: TypeExprId) {
        self.type_at(type_expr, Level::Function);
    }

    /// A type as an operand of `*`.
    pub(super) fn factor_type(&mut self, type_expr: TypeExprId) {
        self.type_at(type_expr, Level::Atom);
    }

    fn type_at(&mut self, type_expr: TypeExprId, place: Level) {
        let needed = place > self.type_level(type_expr);
        self.parenthesised(needed, |printer| printer.bare_type(type_expr));
    }

    fn type_level(&self, type_expr: TypeExprId) -> Level {
        match &self.ast.types[type_expr].kind {
            TypeExprKind::Function(..) | TypeExprKind::Constrained(..) => Level::Function,
            TypeExprKind::Tuple(_) => Level::Tuple,
            TypeExprKind::Quotient(..) => Level::Quotient,
            TypeExprKind::Product(..) => Level::Product,
            TypeExprKind::Power(..) => Level::Power,
            TypeExprKind::Error
            | TypeExprKind::Unsupported(_)
            | TypeExprKind::Name { .. }
            | TypeExprKind::Variable(_)
            | TypeExprKind::Wildcard
            | TypeExprKind::StructTuple(_)
            | TypeExprKind::Array(_)
            | TypeExprKind::One => Level::Atom,
        }
    }

    fn bare_type(&mut self, type_expr: TypeExprId) {
        let ast = self.ast;
        match &ast.types[type_expr].kind {
            TypeExprKind::Error => self.write("(:)"),
            TypeExprKind::Unsupported(what) => self.unsupported_type(*what),
            TypeExprKind::Name { path, arguments } => {
                self.path(path);
                if !arguments.is_empty() {
                    self.type_arguments(arguments);
                }
            }
            TypeExprKind::Variable(variable) => self.type_variable(variable),
            TypeExprKind::Wildcard => self.write("_"),
            TypeExprKind::Constrained(of, variables) => {
                self.type_at(*of, Level::Function);
                self.constraints(variables);
            }
            TypeExprKind::Function(parameter, result) => {
                self.type_at(*parameter, Level::Tuple);
                self.write(" -> ");
                self.type_at(*result, Level::Function);
            }
            TypeExprKind::Tuple(parts) => self.tuple_type(parts),
            TypeExprKind::StructTuple(parts) => {
                self.write("struct (");
                self.tuple_type(parts);
                self.write(")");
            }
            TypeExprKind::Array(element) => {
                self.type_at(*element, Level::Atom);
                self.write("[]");
            }
            TypeExprKind::Quotient(left, right) => {
                self.type_at(*left, Level::Quotient);
                self.write(" / ");
                self.type_at(*right, Level::Product);
            }
            TypeExprKind::Power(base, exponent) => {
                self.type_at(*base, Level::Atom);
                self.write(format_args!("^{exponent}"));
            }
            TypeExprKind::Product(left, right) => {
                self.type_at(*left, Level::Product);
                self.write(" ");
                self.type_at(*right, Level::Power);
            }
            TypeExprKind::One => self.write("1"),
        }
    }

    fn tuple_type(&mut self, parts: &[TypeExprId]) {
        self.separated(parts, " * ", |printer, part| printer.type_at(*part, Level::Quotient));
    }

    pub(super) fn type_variable(&mut self, variable: &TypeVariable) {
        self.write(if variable.measure { "[<Measure>] " } else { "" });
        let mark = if variable.resolved_statically { "^" } else { "'" };
        self.write(format_args!("{mark}{}", variable.name.symbol));
    }

    /// ` when 'a : comparison and …`; nothing if there are no constraints.
    pub(super) fn constraints(&mut self, variables: &[TypeVariable]) {
        let mut word = " when ";
        for variable in variables {
            let constraint = match variable.constraint {
                VariableConstraint::Nothing => continue,
                VariableConstraint::Equality => "equality",
                VariableConstraint::Comparison => "comparison",
            };
            self.write(word);
            self.type_variable(&TypeVariable { measure: false, ..*variable });
            self.write(format_args!(" : {constraint}"));
            word = " and ";
        }
    }

    /// `<a, b>`; a space separates `<` and `^`, and functions are in parentheses: an arrow could be that of an arm.
    pub(super) fn type_arguments(&mut self, arguments: &[TypeExprId]) {
        let before = self.out.len() + 1;
        self.write("<");
        self.separated(arguments, ", ", |printer, argument| printer.type_at(*argument, Level::Tuple));
        if self.out[before..].starts_with('^') {
            self.out.insert(before, ' ');
        }
        self.write(">");
    }
}
