//! The order of the captures of continuations: a closure that takes the place of another one captures the same values at the
//! same places where it can, so that they need not be moved.

use super::{continuations::Creations, linear::Search};
use clef_core::{Atom, FunctionId, LocalId};
use std::collections::BTreeMap;

/// Finds the orders.
pub(super) struct Orders<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) creations: &'a Creations,
    /// Those that are known.
    pub(super) found: BTreeMap<FunctionId, Vec<usize>>,
}

impl Orders<'_> {
    /// For each continuation the indices of the captures that it keeps, in their new order. None if one has no handle of the stack.
    pub(super) fn of_all(mut self) -> Option<BTreeMap<FunctionId, Vec<usize>>> {
        let lambdas = &self.search.stack.continuations;
        let kept: BTreeMap<FunctionId, Vec<usize>> =
            lambdas.iter().map(|lambda| Some((*lambda, self.kept(*lambda)?))).collect::<Option<_>>()?;
        let mut pending: Vec<FunctionId> = lambdas.iter().copied().collect();
        while !pending.is_empty() {
            let is_ready = |lambda: &FunctionId| {
                self.replaced(*lambda).is_none_or(|(replaced, _)| self.found.contains_key(&replaced))
            };
            // Where all wait for one another, any can be first.
            let next = pending.iter().position(is_ready).unwrap_or_default();
            let lambda = pending.swap_remove(next);
            let order = self.order(lambda, kept[&lambda].clone());
            self.found.insert(lambda, order);
        }
        Some(self.found)
    }

    /// The captures that a continuation keeps: no handle of the stack other than the one that it uses.
    fn kept(&self, lambda: FunctionId) -> Option<Vec<usize>> {
        let function = &self.search.cycle.members[&lambda].rewritten.function;
        let stack = &self.search.stack;
        let used = stack.handle(lambda, function)?;
        let is_kept = |capture: &LocalId| *capture == used || !stack.handles[&lambda].contains(capture);
        let captures = function.captures().iter().enumerate();
        Some(captures.filter(|(_, capture)| is_kept(capture)).map(|(index, _)| index).collect())
    }

    /// The continuation whose closures those of another one replace, and what these capture. None if they are made elsewhere too.
    fn replaced(&self, lambda: FunctionId) -> Option<(FunctionId, &[Atom])> {
        let [(maker, _)] = &self.creations.made[&lambda][..] else { return None };
        let is_other = *maker != lambda && self.search.stack.continuations.contains(maker);
        let mut operands = None;
        self.search.cycle.members[maker].rewritten.function.body.each_closure(&mut |_, closure| {
            if closure.function == lambda {
                operands = Some(&closure.captures[..]);
            }
        });
        operands.filter(|_| is_other).map(|operands| (*maker, operands))
    }

    fn order(&self, lambda: FunctionId, mut kept: Vec<usize>) -> Vec<usize> {
        let mut slots: Vec<Option<usize>> = vec![None; kept.len()];
        match self
            .replaced(lambda)
            .and_then(|(replaced, operands)| Some((replaced, operands, self.found.get(&replaced)?)))
        {
            Some((replaced, operands, order)) => {
                let before = self.search.cycle.members[&replaced].rewritten.function.captures();
                for (slot, index) in slots.iter_mut().zip(order) {
                    *slot = kept
                        .iter()
                        .position(|own| operands[*own].local() == Some(before[*index]))
                        .map(|at| kept.remove(at));
                }
            }
            // What they replace is unknown, but all capture a continuation.
            None => {
                let captures = self.search.cycle.members[&lambda].rewritten.function.captures();
                let held = kept.iter().position(|index| self.search.holds(lambda, &Atom::Local(captures[*index])));
                if let (Some(first), Some(at)) = (slots.first_mut(), held) {
                    *first = Some(kept.remove(at));
                }
            }
        }
        let mut others = kept.into_iter();
        slots.into_iter().filter_map(|slot| slot.or_else(|| others.next())).collect()
    }
}
