//! The abbreviations of a group, read in an order in which each knows those that it mentions.
//!
//! In: a group whose unions, records and enums are known by name. Out: its abbreviations, of types and of units of
//! measure, known too; those that stand for themselves are reported.

use super::{Checker, names::TypeMeaning};
use clef_base::{Diagnostic, Symbol, codes};
use clef_syntax::ast::{Ast, TypeDeclaration, TypeDeclarationKind, TypeExprId, TypeExprKind};

/// How far an abbreviation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unread,
    /// What it mentions is being read.
    Begun,
    Read,
}

impl Checker<'_> {
    /// Reads all abbreviations of a group.
    pub(super) fn abbreviations(&mut self, types: &[TypeDeclaration]) {
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
        let mut mentioned = Vec::new();
        mentioned_names(self.ast, of, &mut mentioned);
        for name in mentioned {
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
        match super::type_declarations::is_measure(ty) {
            true => self.measure_abbreviation(ty, of),
            false => self.abbreviation(ty, of),
        }
    }

    /// Reports an abbreviation that leads to itself.
    fn report_endless(&mut self, ty: &TypeDeclaration, mentioned: &TypeDeclaration) {
        let name = ty.name.symbol;
        let message = format!("the abbreviation `{name}` stands for itself");
        let diagnostic = Diagnostic::error(codes::INFINITE_TYPE, ty.name.span, message);
        let diagnostic = match mentioned.name.symbol == name {
            true => diagnostic,
            false => diagnostic.also(mentioned.name.span, format!("by way of `{}`", mentioned.name.symbol)),
        };
        self.report(diagnostic.help("a type that contains itself is a union or a record"));
    }

    fn abbreviation(&mut self, ty: &TypeDeclaration, of: TypeExprId) {
        let parameters = self.type_parameters(&ty.parameters);
        let meaning = self.with_parameters(ty, &parameters, |this| this.declared_type_expr(of));
        let meaning = self.bounded(meaning, ty.name.span);
        self.declare_type_once(ty, TypeMeaning::Abbreviation(parameters, meaning));
    }
}

/// The names without a module that a type expression mentions.
fn mentioned_names(ast: &Ast, id: TypeExprId, found: &mut Vec<Symbol>) {
    match &ast.types[id].kind {
        TypeExprKind::Name { path, arguments } => {
            if let [name] = path.segments.as_slice() {
                found.push(name.symbol);
            }
            arguments.iter().for_each(|argument| mentioned_names(ast, *argument, found));
        }
        TypeExprKind::Function(one, other) | TypeExprKind::Quotient(one, other) | TypeExprKind::Product(one, other) => {
            mentioned_names(ast, *one, found);
            mentioned_names(ast, *other, found);
        }
        TypeExprKind::Tuple(parts) | TypeExprKind::StructTuple(parts) => {
            parts.iter().for_each(|part| mentioned_names(ast, *part, found));
        }
        TypeExprKind::Array(of) | TypeExprKind::Power(of, _) | TypeExprKind::Constrained(of, _) => {
            mentioned_names(ast, *of, found);
        }
        TypeExprKind::Error
        | TypeExprKind::Refused(_)
        | TypeExprKind::Variable(_)
        | TypeExprKind::Wildcard
        | TypeExprKind::One => {}
    }
}
