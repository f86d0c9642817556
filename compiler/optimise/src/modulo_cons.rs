//! Tail recursion modulo cons: `x :: map f rest` becomes a loop.
//!
//! In: a function that calls itself and returns the result with nodes before it. Out: a wrapper, and a function with one more
//! parameter, the nodes that were made so far, last one first. Instead of calling itself it starts again with one node more, and
//! where it returns, it reverses the nodes in place onto its result. So it takes constant stack. (D. Friedman and D. Wise, 1975;
//! the reversal replaces the writes through a pointer to the last node.)
//!
//! Condition: nothing but the creation of nodes is between the call and the end, the type is a chain of nodes, such as a list,
//! and the function calls no other function in a tail position, which would have to return first.

use crate::adopt_allocations;
use crate::names::FunctionNames;
use clef_base::{HashMap, Span, Symbol};
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Local, LocalId, Program, Rhs, Statement,
    StatementKind,
};
use clef_types::{Intrinsic, Type};

/// Rewrites every function.
pub(super) fn rewrite(program: &mut Program) {
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    let mut names = None;
    for id in ids {
        if let Some(chain) = chain(program, program.functions[id].result)
            && fits(&program.functions[id], id, &chain)
        {
            let names = names.get_or_insert_with(|| FunctionNames::of(program));
            divide(program, id, &chain, names);
        }
    }
}

/// A type whose values are chains of nodes.
struct Chain {
    ty: Type,
    /// The case of a node, whose fields are an element and the rest.
    node: usize,
    /// The case without fields.
    empty: usize,
}

fn chain(program: &Program, ty: Type) -> Option<Chain> {
    let declared = program.declared.get(&ty).filter(|declared| declared.boxed)?;
    let empty = declared.cases.first().filter(|case| case.fields.is_empty()).map(|_| 0)?;
    let mut nodes = declared.cases.iter().enumerate().filter(|(_, case)| case.fields.len() == 2);
    let (node, _) = nodes.next().filter(|(_, case)| case.fields[1] == ty && case.mutable.is_empty())?;
    nodes.next().is_none().then_some(Chain { ty, node, empty })
}

/// Whether a function calls itself before nodes, and no other function in a tail position.
fn fits(function: &Function, id: FunctionId, chain: &Chain) -> bool {
    if function.convention != Convention::Known {
        return false;
    }
    let uses = uses(function);
    let (mut found, mut calls_others) = (false, false);
    each_tail(&function.body, &mut |block| match &block.end {
        End::Yield(_) => found |= Tail::of(block, id, chain, &uses).is_some(),
        End::TailCall { .. } => calls_others = true,
        End::Continue(_) | End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Jump(..) | End::Trap(..) => {}
    });
    found && !calls_others
}

fn uses(function: &Function) -> HashMap<LocalId, usize> {
    let mut uses = HashMap::default();
    function.body.each_atom(&mut |atom| {
        if let Some(local) = atom.local() {
            *uses.entry(local).or_insert(0) += 1;
        }
    });
    uses
}

/// Visits the blocks that a function may end with.
fn each_tail<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Block)) {
    visit(block);
    block.end.blocks().into_iter().for_each(|inner| each_tail(inner, visit));
}

/// The same, for rewriting.
fn each_tail_mut(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    visit(block);
    block.end.blocks_mut().into_iter().for_each(|inner| each_tail_mut(inner, visit));
}

/// A call of the function itself, and the nodes before its result.
struct Tail {
    /// The index of the call.
    call: usize,
    arguments: Vec<Atom>,
    /// The nodes, each with its element; the first one made is next to the result.
    nodes: Vec<(Statement, Atom)>,
}

impl Tail {
    fn of(block: &Block, id: FunctionId, chain: &Chain, uses: &HashMap<LocalId, usize>) -> Option<Tail> {
        let End::Yield(result) = &block.end else { return None };
        let calls_itself = |statement: &Statement| {
            statement.call().is_some_and(|call| matches!(call.callee, Callee::Known(callee) if callee == id))
        };
        let call = block.statements.iter().rposition(calls_itself)?;
        let arguments = block.statements[call].call()?.arguments.clone();
        let [mut rest] = block.statements[call].bound()[..] else { return None };
        let mut nodes = Vec::new();
        for statement in &block.statements[call + 1..] {
            let StatementKind::Let(local, Rhs::Inject { ty, case, fields, .. }) = &statement.kind else { return None };
            let [element, tail] = fields.as_slice() else { return None };
            let is_next =
                (*ty, *case) == (chain.ty, chain.node) && tail.local() == Some(rest) && uses.get(&rest) == Some(&1);
            if !is_next || element.local() == Some(rest) {
                return None;
            }
            nodes.push((statement.clone(), element.clone()));
            rest = *local;
        }
        let is_result = result.local() == Some(rest) && uses.get(&rest) == Some(&1);
        (is_result && !nodes.is_empty()).then_some(Tail { call, arguments, nodes })
    }
}

/// Divides a function into a wrapper and a loop.
fn divide(program: &mut Program, id: FunctionId, chain: &Chain, names: &mut FunctionNames) {
    let uses = uses(&program.functions[id]);
    let mut looping = program.functions[id].clone();
    looping.name = names.fresh(&format!("{}.loop", looping.name));
    let (ty, span) = (chain.ty, looping.span);
    let local =
        |function: &mut Function, span: Span| function.locals.alloc(Local { name: Symbol::new("made$"), ty, span });
    let made = local(&mut looping, span);
    looping.params.push(made);
    let mut body = std::mem::replace(&mut looping.body, Block::empty());
    each_tail_mut(&mut body, &mut |block| match Tail::of(block, id, chain, &uses) {
        Some(tail) => {
            block.statements.truncate(tail.call);
            let mut last = made;
            for (node, element) in tail.nodes.into_iter().rev() {
                let StatementKind::Let(_, Rhs::Inject { ty, case, allocation, .. }) = node.kind else { continue };
                let next = local(&mut looping, node.place.span);
                let fields = vec![element, Atom::Local(last)];
                let rhs = Rhs::Inject { ty, case, fields, allocation, reuse: None };
                block.statements.push(Statement { kind: StatementKind::Let(next, rhs), place: node.place });
                last = next;
            }
            let mut arguments = tail.arguments;
            arguments.push(Atom::Local(last));
            block.end = End::Continue(arguments);
        }
        None => match &mut block.end {
            End::Yield(result) => {
                let whole = local(&mut looping, span);
                let arguments = vec![Atom::Local(made), result.clone()];
                let rhs = Rhs::Intrinsic { intrinsic: Intrinsic::ListReverse, arguments, allocation: None };
                block.statements.push(Statement { kind: StatementKind::Let(whole, rhs), place: span.into() });
                block.end = End::Yield(Atom::Local(whole));
            }
            End::Continue(arguments) => arguments.push(Atom::Local(made)),
            End::TailCall { .. }
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..)
            | End::Trap(..) => {}
        },
    });
    looping.body = body;
    let looping = program.functions.alloc(looping);
    let function = &mut program.functions[id];
    let params = function.params.clone();
    let nothing = local(function, span);
    let empty = Rhs::Inject { ty, case: chain.empty, fields: Vec::new(), allocation: None, reuse: None };
    let arguments = params.into_iter().chain([nothing]).map(Atom::Local).collect();
    let call = Call::new(Callee::Known(looping), arguments);
    function.joins = 0;
    function.body = Block {
        statements: vec![Statement { kind: StatementKind::Let(nothing, empty), place: span.into() }],
        end: End::TailCall { call, required: false, place: span.into() },
    };
    adopt_allocations(program, looping);
}
