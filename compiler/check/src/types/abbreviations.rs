//! The abbreviations of a group, resolved in order of their dependencies.
//!
//! In: a group whose unions, records and enums are declared. Out: its abbreviations of types and units of measure,
//! declared too; cyclic ones are reported.

use crate::checker::Checker;
use clef_base::{Diagnostic, Symbol, codes};
use clef_scopes::TypeMeaning;
use clef_syntax::ast::{Ast, TypeDeclaration, TypeDeclarationKind, TypeExprId, TypeExprKind};

/// The progress of an abbreviation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unread,
    /// The types that it uses are being read.
    Begun,
    Read,
}

impl Checker<'_> {
    /// Reads all abbreviations of a group.
    pub(crate) fn abbreviations(&mut self, types: &[TypeDeclaration]) {
        let mut states = vec![State::Unread; types.len()];
        for index in 0..types.len() {
            self.abbreviation_at(types, index, &mut states);
        }
    }

    fn abbreviation_at(&mut self, types: &[TypeDeclaration], index: usize, states: &mut [State]) {
        let ty = &types[index];
        let TypeDeclarationKind::Abbreviation(of) = ty.kind else { return };
        if states[index] != State::Unread {
            return;
        }
        states[index] = State::Begun;
        let mut used = Vec::new();
        used_names(self.input.ast, of, &mut used);
        for name in used {
            let Some(other) = types.iter().position(|ty| ty.name.symbol == name) else { continue };
            self.abbreviation_at(types, other, states);
            if states[other] == State::Begun {
                self.report_endless(ty, &types[other]);
                self.broken_type(ty);
                states[index] = State::Read;
                return;
            }
        }
        states[index] = State::Read;
        match crate::types::type_declarations::is_measure(ty) {
            true => self.measure_abbreviation(ty, of),
            false => self.abbreviation(ty, of),
        }
    }

    /// Reports a cyclic abbreviation.
    fn report_endless(&mut self, ty: &TypeDeclaration, used: &TypeDeclaration) {
        let name = ty.name.symbol;
        let message = format!("the type abbreviation `{name}` is cyclic");
        let diagnostic = Diagnostic::error(codes::INFINITE_TYPE, ty.name.span, message);
        let diagnostic = match used.name.symbol == name {
            true => diagnostic,
            false => diagnostic.also(used.name.span, format!("through `{}`", used.name.symbol)),
        };
        self.report(diagnostic.help("declare a recursive type as a union or a record"));
    }

    fn abbreviation(&mut self, ty: &TypeDeclaration, of: TypeExprId) {
        let parameters = self.type_parameters(&ty.parameters);
        let meaning = self.with_parameters(ty, &parameters, |this| this.declared_type_expr(of));
        let meaning = self.bounded(meaning, ty.name.span);
        self.declare_type_once(ty, TypeMeaning::Abbreviation(parameters, meaning));
    }
}

/// The unqualified names that a type expression uses.
fn used_names(ast: &Ast, id: TypeExprId, found: &mut Vec<Symbol>) {
    match &ast.types[id].kind {
        TypeExprKind::Name { path, arguments } => {
            if let [name] = path.segments.as_slice() {
                found.push(name.symbol);
            }
            arguments.iter().for_each(|argument| used_names(ast, *argument, found));
        }
        TypeExprKind::Function(one, other) | TypeExprKind::Quotient(one, other) | TypeExprKind::Product(one, other) => {
            used_names(ast, *one, found);
            used_names(ast, *other, found);
        }
        TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => {
            parts.iter().for_each(|part| used_names(ast, *part, found));
        }
        TypeExprKind::Array(of) | TypeExprKind::Power(of, _) | TypeExprKind::Constrained(of, _) => {
            used_names(ast, *of, found);
        }
        TypeExprKind::Error
        | TypeExprKind::Unsupported(_)
        | TypeExprKind::Variable(_)
        | TypeExprKind::Wildcard
        | TypeExprKind::One => {}
    }
}
