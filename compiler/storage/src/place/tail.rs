//! Tail calls: which must take constant stack, and which cannot be tail calls at all.
//!
//! [`mark`] sets `required` on each tail call on a cycle of the graph of tail calls: only there can their number grow
//! without bound. [`keep_frame`] replaces tail calls, and next iterations of a function as a loop, that take something
//! in the frame by plain calls, because the frame must stay while the callee runs.

use super::summary::Summaries;
use clef_base::{HashSet, Symbol, strongly_connected_components};
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Local, LocalId, Program, Rhs, Statement,
    StatementKind,
};
use clef_types::Types;

/// Marks the tail calls on a cycle of tail calls.
pub(super) fn mark(program: &mut Program, summaries: &Summaries) {
    let index = |id: FunctionId| id.into_raw().into_u32() as usize;
    let mut edges = vec![Vec::new(); program.functions.len()];
    for (id, function) in program.functions.iter() {
        function.body.each_end(&mut |end| {
            if let End::TailCall { call, .. } = end {
                edges[index(id)].extend(summaries.targets(program, id, call).into_iter().map(index));
            }
        });
    }
    let components = strongly_connected_components(&edges);
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
        body.each_mut(&mut |block| {
            if let End::TailCall { call, required, .. } = &mut block.end {
                let callees = summaries.targets(program, id, call);
                *required = callees.into_iter().any(|callee| components[index(callee)] == components[index(id)]);
            }
        });
        program.functions[id].body = body;
    }
}

/// Replaces the tail calls of a function whose callee or arguments may hold one of the locals by plain calls.
pub(super) fn keep_frame(program: &mut Program, id: FunctionId, framed: &HashSet<LocalId>) {
    if framed.is_empty() {
        return;
    }
    let function = &mut program.functions[id];
    let mut body = std::mem::replace(&mut function.body, Block::empty());
    body.each_mut(&mut |block| {
        let mut holds = false;
        match &block.end {
            End::TailCall { .. } | End::Continue(_) => block.end.atoms(&mut |atom| {
                holds |= matches!(atom, Atom::Local(local) if framed.contains(local));
            }),
            End::Yield(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => {}
        }
        if holds {
            plain(&mut program.types, function, id, block);
        }
    });
    function.body = body;
}

/// Replaces a block's tail call by a plain call whose result is yielded.
fn plain(types: &mut Types, function: &mut Function, id: FunctionId, block: &mut Block) {
    let end = std::mem::replace(&mut block.end, End::Yield(Atom::Unit));
    let (call, place) = match end {
        End::TailCall { call, place, .. } => (call, place),
        End::Continue(arguments) => (Call::new(itself(types, function, id), arguments), function.span.into()),
        other @ (End::Yield(_)
        | End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Jump(..)
        | End::Trap(..)) => {
            block.end = other;
            return;
        }
    };
    let result = function.locals.alloc(Local { name: Symbol::new("result$"), ty: function.result, span: place.span });
    block.statements.push(Statement { kind: StatementKind::Let(result, Rhs::Call(call)), place });
    block.end = End::Yield(Atom::Local(result));
}

/// The function itself as the callee of a call within it.
fn itself(types: &mut Types, function: &mut Function, id: FunctionId) -> Callee {
    let ty = function.closure_type(types);
    let Function { convention, locals, span, .. } = function;
    match convention {
        Convention::Known => Callee::Known(id),
        Convention::Closure { itself, .. } => {
            let name = Symbol::new("itself$");
            let local = *itself.get_or_insert_with(|| locals.alloc(Local { name, ty, span: *span }));
            Callee::Direct(id, Atom::Local(local))
        }
        Convention::Exported(_) => clef_base::internal::bug("place", *span, "an exported function calls itself"),
    }
}
