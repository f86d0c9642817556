//! Listings of type expressions.

use super::{Dumper, path_text, variable_text};
use crate::ast::{TypeExprId, TypeExprKind};

impl Dumper<'_> {
    fn types(&mut self, text: impl std::fmt::Display, types: &[TypeExprId]) {
        self.node(text, |dumper| types.iter().for_each(|type_expr| dumper.type_expr(*type_expr)));
    }

    pub(super) fn type_expr(&mut self, type_expr: TypeExprId) {
        let ast = self.ast;
        match &ast.types[type_expr].kind {
            TypeExprKind::Error => self.line("type error"),
            TypeExprKind::Unsupported(what) => self.line(format!("type unsupported {what:?}")),
            TypeExprKind::Name { path, arguments } => self.types(format!("type {}", path_text(path)), arguments),
            TypeExprKind::Variable(variable) => self.line(format!("type {}", variable_text(variable))),
            TypeExprKind::Wildcard => self.line("type _"),
            TypeExprKind::Constrained(of, variables) => {
                let variables: Vec<String> = variables.iter().map(variable_text).collect();
                self.types(format!("type when {}", variables.join(", ")), &[*of]);
            }
            TypeExprKind::Function(parameter, result) => self.types("type ->", &[*parameter, *result]),
            TypeExprKind::Tuple(parts) => self.types("type tuple", parts),
            TypeExprKind::StructTuple(parts) => self.types("type struct tuple", parts),
            TypeExprKind::Array(element) => self.types("type array", &[*element]),
            TypeExprKind::Quotient(left, right) => self.types("type /", &[*left, *right]),
            TypeExprKind::Power(base, exponent) => self.types(format!("type ^{exponent}"), &[*base]),
            TypeExprKind::Product(left, right) => self.types("type product", &[*left, *right]),
            TypeExprKind::One => self.line("type 1"),
        }
    }
}
