//! Parameters that `^` makes strings, as an operator on bits in other languages would not.

use crate::{
    ast::{Ast, BindingHead, ExprId, ExprKind, Name, PatternId, PatternKind},
    bindings::bindings,
};
use clef_base::Span;

/// The operator `^` between a parameter of a function and another variable, and whether the parameter is on its left. The function is
/// found by the place of its name, and the parameter by its number, from one.
pub fn joining(ast: &Ast, function: Span, number: usize) -> Option<(Span, bool)> {
    let binding = bindings(ast).into_iter().find(|binding| match &binding.head {
        BindingHead::Function { name, .. } => name.span == function,
        BindingHead::Pattern(_) => false,
    })?;
    let BindingHead::Function { parameters, .. } = &binding.head else { return None };
    let parameter = named(ast, *parameters.get(number.checked_sub(1)?)?)?;
    let body = ast.exprs[binding.body].span;
    ast.exprs.iter().filter(|(_, expr)| body.contains(expr.span)).find_map(|(_, expr)| {
        let ExprKind::Binary { operator, left, right } = expr.kind else { return None };
        let operands = [variable(ast, left)?, variable(ast, right)?].map(|operand| operand.symbol == parameter.symbol);
        (operator.symbol.as_str() == "^" && operands.contains(&true)).then_some((operator.span, operands[0]))
    })
}

/// The variable that an expression is.
fn variable(ast: &Ast, expr: ExprId) -> Option<Name> {
    match &ast.exprs[expr].kind {
        ExprKind::Name(path) if path.segments.len() == 1 => Some(path.segments[0]),
        _ => None,
    }
}

/// The name of a parameter without annotation.
fn named(ast: &Ast, parameter: PatternId) -> Option<Name> {
    match ast.patterns[parameter].kind {
        PatternKind::Name(name) => Some(name),
        _ => None,
    }
}
