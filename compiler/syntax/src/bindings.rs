//! The bindings of a file.

use crate::ast::{Ast, Binding, Declaration, DeclarationKind, ExprKind, LetGroup, Statement};

/// All bindings of a file: of modules, and in expressions.
pub fn bindings(ast: &Ast) -> Vec<&Binding> {
    let mut found = module_bindings(ast);
    for (_, expr) in ast.exprs.iter() {
        let ExprKind::Block(statements) = &expr.kind else { continue };
        for statement in statements {
            if let Statement::Let(LetGroup { bindings, .. }) = statement {
                found.extend(bindings);
            }
        }
    }
    found
}

/// The bindings of modules, with those inside others.
pub fn module_bindings(ast: &Ast) -> Vec<&Binding> {
    let mut found = Vec::new();
    of_modules(&ast.declarations, &mut found);
    found
}

fn of_modules<'a>(declarations: &'a [Declaration], found: &mut Vec<&'a Binding>) {
    for declaration in declarations {
        if let DeclarationKind::Let(group) = &declaration.kind {
            found.extend(&group.bindings);
        } else if let DeclarationKind::Module { declarations, .. } = &declaration.kind {
            of_modules(declarations, found);
        }
    }
}
