//! Checks the rules of a stack ([`super`]) in the functions of a cycle.

use super::{
    continuations::Stack,
    rewritten::{Cycle, Rewritten},
};
use clef_base::HashMap;
use clef_core::{
    Atom, Block, Call, Callee, Convention, End, Function, FunctionId, Join, JoinId, LocalId, Program, Region, Rhs,
    Statement, StatementKind, callees::Callees,
};
use std::collections::BTreeSet;

/// What is known of a cycle while its uses of holders are checked.
pub(super) struct Search<'a> {
    pub(super) program: &'a Program,
    pub(super) callees: &'a Callees,
    pub(super) cycle: &'a Cycle<'a>,
    pub(super) stack: Stack,
    /// The holders of each function.
    pub(super) holders: HashMap<FunctionId, BTreeSet<LocalId>>,
}

impl Search<'_> {
    /// Finds all holders: the least solution of where closures of the stack may go by the uses that are allowed.
    pub(super) fn find_holders(&mut self) {
        let cycle = self.cycle;
        loop {
            let before: usize = self.holders.values().map(BTreeSet::len).sum();
            for (id, member) in &cycle.members {
                let function = &member.rewritten.function;
                let mut joins: HashMap<JoinId, &Join> = HashMap::default();
                function.body.each(&mut |block| {
                    block.statements.iter().for_each(|statement| self.flow_through(*id, statement));
                    if let End::Join { join, .. } = &block.end {
                        joins.insert(join.id, join);
                    }
                    let holders = self.holders.entry(*id).or_default();
                    match &block.end {
                        End::Continue(arguments) => flow(holders, arguments, &function.params),
                        End::Jump(to, arguments) => flow(holders, arguments, &joins[to].params),
                        End::Yield(_)
                        | End::TailCall { .. }
                        | End::If { .. }
                        | End::Switch { .. }
                        | End::Join { .. }
                        | End::Trap(..) => {}
                    }
                });
                for (call, callees) in &member.calls {
                    for callee in callees {
                        let params = &cycle.members[callee].rewritten.function.params;
                        self.flow_between(*id, &call.arguments, *callee, params);
                    }
                }
            }
            if self.holders.values().map(BTreeSet::len).sum::<usize>() == before {
                return;
            }
        }
    }

    fn flow_through(&mut self, id: FunctionId, statement: &Statement) {
        let holders = self.holders.entry(id).or_default();
        match &statement.kind {
            StatementKind::Let(to, Rhs::Atom(from)) => flow(holders, std::slice::from_ref(from), &[*to]),
            StatementKind::Let(to, Rhs::Closure(closure)) if self.stack.continuations.contains(&closure.function) => {
                holders.insert(*to);
                let lambda = &self.cycle.members[&closure.function].rewritten.function;
                self.flow_between(id, &closure.captures, closure.function, lambda.captures());
            }
            StatementKind::Let(to, Rhs::Scope(block)) => {
                yields(block, &mut |value| flow(holders, std::slice::from_ref(value), &[*to]));
            }
            StatementKind::Let(..) | StatementKind::Group(_) => {}
        }
    }

    fn flow_between(&mut self, from: FunctionId, atoms: &[Atom], to: FunctionId, locals: &[LocalId]) {
        let held: Vec<LocalId> =
            atoms.iter().zip(locals).filter(|(atom, _)| self.holds(from, atom)).map(|(_, local)| *local).collect();
        self.holders.entry(to).or_default().extend(held);
    }

    /// Whether an operand of a function is a holder.
    pub(super) fn holds(&self, id: FunctionId, atom: &Atom) -> bool {
        let holders = self.holders.get(&id);
        atom.local().is_some_and(|local| holders.is_some_and(|holders| holders.contains(&local)))
    }

    /// Whether a function only makes continuations in the stack, and only passes its handles on by tail calls.
    pub(super) fn keeps_handles(&self, id: FunctionId) -> bool {
        let Rewritten { function, allocations, results, .. } = self.cycle.members[&id].rewritten;
        let handles = &self.stack.handles[&id];
        let is_handle = |atom: &Atom| atom.local().is_some_and(|local| handles.contains(&local));
        let mut kept = results.is_disjoint(handles);
        function.body.each(&mut |block| {
            for statement in &block.statements {
                if !self.stack.makes(statement) {
                    statement.atoms(&mut |atom| kept &= !is_handle(atom));
                }
                let in_stack = statement.allocations().into_iter().any(
                    |made| matches!(allocations.get(&made), Some(Region::Local(handle)) if handles.contains(handle)),
                );
                kept &= !in_stack || self.stack.makes(statement);
            }
            match &block.end {
                End::TailCall { call: Call { arguments, callee, .. }, .. } => {
                    kept &= !arguments.iter().chain(callee.closure()).any(is_handle);
                }
                end @ (End::Yield(_)
                | End::Continue(_)
                | End::If { .. }
                | End::Switch { .. }
                | End::Join { .. }
                | End::Jump(..)
                | End::Trap(..)) => end.atoms(&mut |atom| kept &= !is_handle(atom)),
            }
        });
        kept
    }

    /// Whether a function uses its holders as continuations.
    pub(super) fn is_linear(&self, id: FunctionId) -> bool {
        let function = &self.cycle.members[&id].rewritten.function;
        let is_continuation = self.stack.continuations.contains(&id);
        let holds = |local: &&LocalId| self.holds(id, &Atom::Local(**local));
        let given: Vec<&LocalId> = function.params.iter().filter(holds).collect();
        let captured: Vec<&LocalId> = function.captures().iter().filter(holds).collect();
        if is_continuation && (!given.is_empty() || !function.owned().is_empty()) {
            return false;
        }
        if given.len() + captured.len() > 1 {
            return false;
        }
        let mut uses_itself = false;
        function
            .body
            .each_atom(&mut |atom| uses_itself |= atom.local().is_some_and(|it| Some(it) == function.itself()));
        if is_continuation && uses_itself {
            return false;
        }
        let current = given.into_iter().chain(captured).next().copied();
        Path { search: self, id, joins: HashMap::default(), scope: None }.block(&function.body, current)
    }
}

/// Visits the operands that a block yields, not those of scopes within it.
fn yields<'block>(block: &'block Block, visit: &mut dyn FnMut(&'block Atom)) {
    if let End::Yield(value) = &block.end {
        visit(value);
    }
    block.end.blocks().into_iter().for_each(|block| yields(block, visit));
}

/// Copies go from atoms to locals within a function.
fn flow(holders: &mut BTreeSet<LocalId>, atoms: &[Atom], locals: &[LocalId]) {
    for (atom, local) in atoms.iter().zip(locals) {
        if atom.local().is_some_and(|local| holders.contains(&local)) {
            holders.insert(*local);
        }
    }
}

/// The holder that can be used.
type Current = Option<LocalId>;

/// The walk along the paths of a function.
struct Path<'s> {
    search: &'s Search<'s>,
    id: FunctionId,
    /// The joins in scope, and the current holder at each that was reached.
    joins: HashMap<JoinId, (&'s Join, Option<Current>)>,
    /// The local that the innermost scope binds, and the current holder after it, if its end was reached.
    scope: Option<(LocalId, Option<Current>)>,
}

impl<'s> Path<'s> {
    /// Whether a block uses holders as continuations.
    fn block(&mut self, block: &'s Block, mut current: Current) -> bool {
        if !block.statements.iter().all(|statement| self.statement(statement, &mut current)) {
            return false;
        }
        match &block.end {
            End::Yield(value) => self.end(value, current),
            End::Trap(..) => true,
            End::If { condition: chosen, .. } | End::Switch { scrutinee: chosen, .. } => {
                !self.holds(chosen) && block.end.blocks().into_iter().all(|block| self.block(block, current))
            }
            End::Continue(arguments) => {
                let is_known = self.function().convention == Convention::Known;
                is_known && self.passes(arguments.iter(), current)
            }
            End::TailCall { call, required, .. } => self.tail_call(call, *required, current),
            End::Jump(to, arguments) => self.jump(*to, arguments, current),
            End::Join { join, scope } => {
                self.joins.insert(join.id, (join, None));
                if !self.block(scope, current) {
                    return false;
                }
                let reached = self.joins.remove(&join.id).and_then(|(_, reached)| reached);
                reached.is_none_or(|current| self.block(&join.body, current))
            }
        }
    }

    /// Whether a value that may be a holder can be that of the innermost scope.
    fn end(&mut self, value: &Atom, current: Current) -> bool {
        let is_held = self.holds(value);
        let Some((local, reached)) = &mut self.scope else { return !is_held };
        let after = if is_held { Some(*local) } else { current };
        (!is_held || value.local() == current) && *reached.get_or_insert(after) == after
    }

    fn statement(&mut self, statement: &'s Statement, current: &mut Current) -> bool {
        match &statement.kind {
            StatementKind::Let(to, Rhs::Atom(from)) if self.holds(from) => {
                let is_current = from.local() == *current;
                *current = Some(*to);
                is_current
            }
            StatementKind::Let(to, Rhs::Closure(closure)) if self.search.stack.makes(statement) => {
                let captures_it = self.passes(closure.captures.iter(), *current);
                *current = Some(*to);
                captures_it
            }
            StatementKind::Let(to, Rhs::Scope(block)) => {
                let outer = self.scope.replace((*to, None));
                let is_linear = self.block(block, *current);
                let inner = std::mem::replace(&mut self.scope, outer);
                *current = inner.and_then(|(_, reached)| reached).unwrap_or(*current);
                is_linear
            }
            StatementKind::Let(_, rhs) => {
                let mut unused = true;
                rhs.atoms(&mut |atom| unused &= !self.holds(atom));
                for block in rhs.blocks() {
                    block.each_atom(&mut |atom| unused &= !self.holds(atom));
                    unused &= !self.search.stack.makes_within(block);
                }
                unused
            }
            StatementKind::Group(_) => {
                let mut unused = !self.search.stack.makes(statement);
                statement.atoms(&mut |atom| unused &= !self.holds(atom));
                unused
            }
        }
    }

    fn tail_call(&self, call: &Call, required: bool, current: Current) -> bool {
        let Search { program, callees, cycle, stack, .. } = self.search;
        let reached = callees.of_call(program, self.id, call);
        let is_member = |callee: &FunctionId| cycle.members.contains_key(callee);
        let passed = || call.arguments.iter().chain(call.callee.closure());
        if !required || !reached.iter().any(is_member) {
            return !passed().any(|atom| self.holds(atom));
        }
        let reaches_known = match &call.callee {
            Callee::Known(_) => true,
            Callee::Direct(_, closure) | Callee::Closure(closure) if self.holds(closure) => true,
            // Another closure: the current holder is an argument, for functions of the cycle only.
            Callee::Direct(..) | Callee::Closure(_) => {
                !reached.iter().any(|callee| stack.continuations.contains(callee))
                    && (reached.iter().all(is_member) || !call.arguments.iter().any(|atom| self.holds(atom)))
            }
        };
        reaches_known && self.passes(passed(), current)
    }

    fn jump(&mut self, to: JoinId, arguments: &[Atom], current: Current) -> bool {
        let held: Vec<usize> = (0..arguments.len()).filter(|at| self.holds(&arguments[*at])).collect();
        let Some((join, reached)) = self.joins.get_mut(&to) else { return false };
        let after = match held[..] {
            [] => current,
            [at] if arguments[at].local() == current => Some(join.params[at]),
            _ => return false,
        };
        *reached.get_or_insert(after) == after
    }

    /// Whether the current holder is exactly one of some operands, and no other holder is.
    fn passes<'x>(&self, atoms: impl Iterator<Item = &'x Atom>, current: Current) -> bool {
        let mut held = atoms.filter(|atom| self.holds(atom)).map(Atom::local);
        held.next().flatten() == current && held.next().is_none()
    }

    fn holds(&self, atom: &Atom) -> bool {
        self.search.holds(self.id, atom)
    }

    fn function(&self) -> &'s Function {
        &self.search.cycle.members[&self.id].rewritten.function
    }
}
