//! Rewrites the functions of a cycle that has a stack.
//!
//! In: a function of the cycle and its stack. Out: the same function, which uses one handle of the stack, and frees the closure
//! whose code it is, if that is a continuation.

use super::{
    continuations::Stack,
    loops::{let_, substitute},
};
use clef_base::{HashMap, Symbol};
use clef_core::{
    AllocationId, Atom, Block, Convention, End, Function, FunctionId, Local, LocalId, Region, Rhs, Statement,
};
use clef_types::Type;
use std::collections::BTreeMap;

impl Stack {
    /// What replaces each handle of a function.
    fn replaced(&self, id: FunctionId, function: &Function) -> BTreeMap<LocalId, LocalId> {
        let used = self.handle(id, function);
        self.handles[&id].iter().filter_map(|handle| Some((*handle, used?))).collect()
    }

    /// Makes a function use one handle of the stack, and lets the closure whose code it is free itself: where it makes the first
    /// continuation, which then takes its place, and otherwise before the next function of the cycle is called.
    pub(super) fn apply(&self, id: FunctionId, function: &mut Function, unit: Type) {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        substitute(&mut body, &mut HashMap::default(), &self.replaced(id, function));
        body.each_mut(&mut |block| {
            for closure in block.statements.iter_mut().flat_map(Statement::closures_mut) {
                if let Some(kept) = self.captures.get(&closure.function) {
                    closure.captures = kept.iter().map(|index| closure.captures[*index].clone()).collect();
                }
            }
        });
        if let (true, Some(handle)) = (self.continuations.contains(&id), self.handle(id, function)) {
            self.pop_in(function, &mut body, (handle, unit));
        }
        function.body = body;
        if let (Convention::Closure { captures, .. }, Some(kept)) = (&mut function.convention, self.captures.get(&id)) {
            *captures = kept.iter().map(|index| captures[*index]).collect();
        }
    }

    /// Makes the allocations of a function use its one handle.
    pub(super) fn apply_to_allocations(
        &self,
        id: FunctionId,
        function: &Function,
        allocations: &mut HashMap<AllocationId, Region>,
    ) {
        let replaced = self.replaced(id, function);
        for region in allocations.values_mut() {
            if let Region::Local(handle) = region
                && let Some(used) = replaced.get(handle)
            {
                *handle = *used;
            }
        }
    }

    fn pop_in(&self, function: &mut Function, block: &mut Block, (handle, unit): (LocalId, Type)) {
        let span = function.span;
        let mut pop = |block: &mut Block, at: usize| {
            let popped = function.locals.alloc(Local { name: Symbol::new("popped$"), ty: unit, span });
            block.statements.insert(at, let_(popped, Rhs::PopClosure(Atom::Local(handle)), span));
        };
        let end = block.statements.len();
        if let Some(first) = block.statements.iter().position(|statement| self.leads_to_one(statement)) {
            return pop(block, first);
        }
        match &mut block.end {
            End::TailCall { required: true, .. } => pop(block, end),
            End::Join { scope, .. } if self.goes_on(scope) => pop(block, end),
            End::Join { join, .. } => self.pop_in(function, &mut join.body, (handle, unit)),
            End::If { .. } | End::Switch { .. } => {
                block.end.blocks_mut().into_iter().for_each(|block| self.pop_in(function, block, (handle, unit)));
            }
            End::Yield(_) | End::TailCall { .. } | End::Continue(_) | End::Jump(..) | End::Trap(..) => {}
        }
    }

    /// Whether a block makes a continuation or may end with a call that stays in the cycle.
    fn goes_on(&self, block: &Block) -> bool {
        block.statements.iter().any(|statement| self.leads_to_one(statement))
            || matches!(block.end, End::TailCall { required: true, .. })
            || block.end.blocks().into_iter().any(|block| self.goes_on(block))
    }

    /// Whether a statement, or one in its nested blocks, makes a continuation.
    fn leads_to_one(&self, statement: &Statement) -> bool {
        let blocks = statement.rhs().map(Rhs::blocks).unwrap_or_default();
        self.makes(statement) || blocks.into_iter().any(|block| self.makes_within(block))
    }
}
