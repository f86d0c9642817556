//! Functions of the library whose traps name the place of the call take the place of each call.
//!
//! In: Core out of `lower`. Out: the same without calls of functions of [`Inlining::AtCall`], but from the closures that
//! stand for these functions as values: what traps there names the library. Condition: such a function does not call
//! itself. Every level does this, since the place of a trap is part of what a program does.

use super::inline::{Graph, copy, starts_again, without_tail_calls};
use crate::core::{Block, Call, Callee, Convention, End, FunctionId, Inlining, Program, Rhs, Statement, StatementKind};
use clef_base::{Span, internal};

/// Puts the bodies where they are called, callees first.
pub(super) fn expand(program: &mut Program) {
    if !program.functions.iter().any(|(_, function)| function.inlining == Inlining::AtCall) {
        return;
    }
    let graph = Graph::of(program);
    for id in graph.order.clone() {
        let function = &mut program.functions[id];
        let moves = function.inlining == Inlining::AtCall && function.convention == Convention::Known;
        if moves && (graph.recursive.contains(&id) || starts_again(function)) {
            internal::bug("simplify", function.span, "a function that takes the place of its calls calls itself");
        }
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        block(program, id, &mut body);
        program.functions[id].body = body;
    }
}

/// The function that is to take the place of a call. A call within its own span is made by a closure that stands for it.
fn wanted(program: &Program, call: &Call, span: Span) -> Option<FunctionId> {
    let Callee::Known(callee) = call.callee else { return None };
    let function = &program.functions[callee];
    (function.inlining == Inlining::AtCall && !function.span.contains(span)).then_some(callee)
}

fn block(program: &mut Program, id: FunctionId, of: &mut Block) {
    for mut statement in std::mem::take(&mut of.statements) {
        if let StatementKind::Let(_, rhs) = &mut statement.kind {
            rhs.blocks_mut().into_iter().for_each(|inner| block(program, id, inner));
        }
        of.statements.push(expanded(program, id, statement));
    }
    match &mut of.end {
        End::TailCall { call, span, .. } => {
            if let Some(callee) = wanted(program, call, *span) {
                let mut body = moved(program, id, callee, call.clone(), *span);
                of.statements.append(&mut body.statements);
                of.end = body.end;
            }
        }
        end @ (End::Yield(_)
        | End::Continue(_)
        | End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Jump(..)
        | End::Trap(..)) => end.blocks_mut().into_iter().for_each(|inner| block(program, id, inner)),
    }
}

fn expanded(program: &mut Program, id: FunctionId, statement: Statement) -> Statement {
    let span = statement.span;
    let StatementKind::Let(local, Rhs::Call(call)) = &statement.kind else { return statement };
    let Some(callee) = wanted(program, call, span) else { return statement };
    let mut body = moved(program, id, callee, call.clone(), span);
    let result = program.functions[callee].result;
    without_tail_calls(&mut program.functions[id].locals, &mut body, result);
    Statement { kind: StatementKind::Let(*local, Rhs::Scope(Box::new(body))), span }
}

/// The body of a callee, all of it at the place of the call.
fn moved(program: &mut Program, id: FunctionId, callee: FunctionId, call: Call, place: Span) -> Block {
    let mut body = copy(program, id, callee, call, place);
    body.each_mut(&mut |block| {
        block.statements.iter_mut().for_each(|statement| statement.span = place);
        match &mut block.end {
            End::TailCall { span, .. } | End::Trap(_, span) => *span = place,
            End::Yield(_)
            | End::Continue(_)
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..) => {}
        }
    });
    body
}
