//! Replaces calls of known functions by their bodies.
//!
//! Condition: the function is not on a cycle of calls, does not start again, is not marked `[<NoInline>]`, and is
//! small, or called from one place only, or marked `inline` and not large; the caller does not grow beyond a limit. The
//! arguments are operands, already evaluated, so the order of evaluation does not change.

use super::{Limits, rename::Renaming, size::size};
use clef_base::{HashMap, HashSet, Symbol, strongly_connected_components};
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Inlined, Inlining, Local, LocalId, Place,
    Program, Rhs, Statement, StatementKind,
};
use clef_types::Type;
use la_arena::Arena;

/// Inlines into every function, callees first.
pub(super) fn inline(program: &mut Program, limits: &Limits) {
    let graph = Graph::of(program);
    for id in graph.order.clone() {
        let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
        let budget = limits.caller.saturating_sub(size(&body));
        let mut pass = Inliner { program, graph: &graph, limits, id, budget };
        pass.block(&mut body);
        program.functions[id].body = body;
    }
}

/// The call graph.
pub(super) struct Graph {
    /// The functions on a cycle of calls.
    pub(super) recursive: HashSet<FunctionId>,
    /// The number of calls of each function.
    sites: HashMap<FunctionId, usize>,
    /// Callees first.
    pub(super) order: Vec<FunctionId>,
}

impl Graph {
    pub(super) fn of(program: &Program) -> Graph {
        let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
        let index: HashMap<FunctionId, usize> = ids.iter().enumerate().map(|(index, &id)| (id, index)).collect();
        let mut edges = vec![Vec::new(); ids.len()];
        let mut sites: HashMap<FunctionId, usize> = HashMap::default();
        for (id, function) in program.functions.iter() {
            function.body.each_call(&mut |call| match &call.callee {
                Callee::Known(callee) | Callee::Direct(callee, _) => {
                    *sites.entry(*callee).or_default() += 1;
                    edges[index[&id]].push(index[callee]);
                }
                Callee::Closure(_) => {}
            });
        }
        let components = strongly_connected_components(&edges);
        let mut members = vec![0; ids.len()];
        components.iter().for_each(|&component| members[component] += 1);
        let recursive = ids
            .iter()
            .enumerate()
            .filter(|&(node, _)| members[components[node]] > 1 || edges[node].contains(&node))
            .map(|(_, &id)| id)
            .collect();
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|&node| components[node]);
        Graph { recursive, sites, order: order.into_iter().map(|node| ids[node]).collect() }
    }
}

struct Inliner<'a> {
    program: &'a mut Program,
    graph: &'a Graph,
    limits: &'a Limits,
    /// The caller.
    id: FunctionId,
    /// The size by which the caller may still grow.
    budget: usize,
}

impl Inliner<'_> {
    /// Whether a call is to be replaced.
    fn wanted(&mut self, call: &Call) -> Option<FunctionId> {
        let Callee::Known(callee) = call.callee else { return None };
        let function = &self.program.functions[callee];
        if self.graph.recursive.contains(&callee) || function.inlining == Inlining::Never || starts_again(function) {
            return None;
        }
        let size = size(&function.body);
        let limit = match function.inlining {
            Inlining::Always => self.limits.marked,
            Inlining::Free | Inlining::AtCall | Inlining::Never if self.graph.sites.get(&callee) == Some(&1) => {
                self.limits.once
            }
            Inlining::Free | Inlining::AtCall | Inlining::Never => self.limits.small,
        };
        if size > limit || size > self.budget {
            return None;
        }
        self.budget -= size;
        Some(callee)
    }

    fn block(&mut self, block: &mut Block) {
        for statement in std::mem::take(&mut block.statements) {
            self.statement(statement, &mut block.statements);
        }
        let End::TailCall { call, .. } = &block.end else {
            block.end.blocks_mut().into_iter().for_each(|block| self.block(block));
            return;
        };
        if let Some(callee) = self.wanted(call) {
            let End::TailCall { call, place, .. } = std::mem::replace(&mut block.end, End::Yield(Atom::Unit)) else {
                return;
            };
            let mut body = copy(self.program, self.id, callee, call, place);
            block.statements.append(&mut body.statements);
            block.end = body.end;
        }
    }

    fn statement(&mut self, mut statement: Statement, into: &mut Vec<Statement>) {
        if let StatementKind::Let(_, rhs) = &mut statement.kind {
            rhs.blocks_mut().into_iter().for_each(|block| self.block(block));
        }
        let place = statement.place;
        match statement.kind {
            StatementKind::Let(local, Rhs::Call(call)) => match self.wanted(&call) {
                Some(callee) => {
                    let mut body = copy(self.program, self.id, callee, call, place);
                    let ty = self.program.functions[callee].result;
                    without_tail_calls(&mut self.program.functions[self.id].locals, &mut body, ty);
                    let kind = StatementKind::Let(local, Rhs::Scope(Box::new(body)));
                    into.push(Statement { kind, place });
                }
                None => into.push(Statement { kind: StatementKind::Let(local, Rhs::Call(call)), place }),
            },
            kind @ (StatementKind::Let(..) | StatementKind::Group(_)) => into.push(Statement { kind, place }),
        }
    }
}

/// The body of a callee in a caller, after the bindings of its parameters.
pub(super) fn copy(program: &mut Program, caller: FunctionId, callee: FunctionId, call: Call, place: Place) -> Block {
    let Program { functions, allocations, .. } = program;
    let from = functions[callee].clone();
    let replaced = Inlined { callee: from.origin, definition: from.span, call: place };
    let mut renaming = Renaming::new(&from, &mut functions[caller], caller, allocations, Some(replaced));
    let start = renaming.place(from.span.into());
    let bind = |(&param, argument): (&LocalId, Atom)| {
        let kind = StatementKind::Let(renaming.bind(param), Rhs::Atom(argument));
        Statement { kind, place: start }
    };
    let mut statements: Vec<Statement> = from.params.iter().zip(call.arguments).map(bind).collect();
    let mut body = renaming.block(&from.body);
    renaming.copied();
    statements.append(&mut body.statements);
    Block { statements, end: body.end }
}

/// A scope has no tail calls: the value of each becomes that of its block.
pub(super) fn without_tail_calls(locals: &mut Arena<Local>, body: &mut Block, ty: Type) {
    body.each_mut(&mut |block| match std::mem::replace(&mut block.end, End::Yield(Atom::Unit)) {
        End::TailCall { call, place, .. } => {
            let result = locals.alloc(Local { name: Symbol::new("result$"), ty, span: place.span });
            block.statements.push(Statement { kind: StatementKind::Let(result, Rhs::Call(call)), place });
            block.end = End::Yield(Atom::Local(result));
        }
        end @ (End::Yield(_)
        | End::Continue(_)
        | End::If { .. }
        | End::Switch { .. }
        | End::Join { .. }
        | End::Jump(..)
        | End::Trap(..)) => block.end = end,
    });
}

pub(super) fn starts_again(function: &Function) -> bool {
    let mut again = false;
    function.body.each_end(&mut |end| again |= matches!(end, End::Continue(_)));
    again || function.convention != Convention::Known
}
