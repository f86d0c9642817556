//! Which functions make no garbage in the regions of their callers.
//!
//! In: a program and its region summaries. Out: for each function, whether everything that it allocates in regions becomes
//! part of its result, and which parameters do. It is the greatest solution: functions that call one another may each
//! assume it of the others, since a call that does not return drops nothing.

use super::{
    kept::{After, Analysis, Interest, taken_slots},
    knowledge::Knowledge,
    transitive::Transitive,
};
use clef_base::{HashMap, HashSet, strongly_connected_components};
use clef_core::{Call, Callee, Evacuation, Function, FunctionId, Memory, Rhs, Statement};
use clef_types::Intrinsic;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the functions of a program.
pub(super) struct Frugality<'a> {
    /// The code that may drop something by overwriting memory.
    overwriting: Transitive<'a>,
    evacuation: &'a Evacuation<'a>,
    /// Those that may make garbage.
    wasteful: HashSet<FunctionId>,
    /// The parameters that may be dropped, by their indices.
    dropped: HashMap<FunctionId, BTreeSet<usize>>,
}

impl<'a> Frugality<'a> {
    /// Whether a statement, without its nested blocks, may drop something by overwriting memory.
    pub(super) fn overwrites(&self, statement: &Statement, function: &Function) -> bool {
        let calls = statement.call().is_some_and(|call| self.overwriting.is_called(call, function));
        calls || overwrites(self.evacuation, statement, function)
    }

    /// Whether all that a function allocates becomes part of its result.
    pub(super) fn is_frugal(&self, function: FunctionId) -> bool {
        !self.wasteful.contains(&function)
    }

    /// Whether all that a parameter leads to becomes part of the result.
    pub(super) fn keeps(&self, function: FunctionId, index: usize) -> bool {
        !self.dropped.get(&function).is_some_and(|dropped| dropped.contains(&index))
    }

    /// That of all functions.
    pub(super) fn of(knowledge: &Knowledge<'_>, evacuation: &'a Evacuation<'a>) -> Frugality<'a> {
        let program = knowledge.program;
        let mut callers: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
        for (id, function) in program.functions.iter() {
            callers.entry(id).or_default().insert(id);
            function.body.each_call(&mut |call| {
                if let Some(callee) = call.known_callee() {
                    callers.entry(callee).or_default().insert(id);
                }
            });
        }
        let overwriting = Transitive::new(evacuation.program(), knowledge.constants, &|_, function| {
            let mut found = false;
            function.body.each_statement(&mut |statement| found |= overwrites(evacuation, statement, function));
            found
        });
        let mut frugality =
            Frugality { overwriting, evacuation, wasteful: HashSet::default(), dropped: HashMap::default() };
        // Callees before their callers.
        let index = |id: FunctionId| id.into_raw().into_u32() as usize;
        let mut callees = vec![Vec::new(); program.functions.len()];
        for (callee, callers) in &callers {
            callers.iter().for_each(|caller| callees[index(*caller)].push(index(*callee)));
        }
        let components = strongly_connected_components(&callees);
        let due = |id: FunctionId| (components[index(id)], id);
        let mut work: BTreeSet<(usize, FunctionId)> = callers.keys().map(|id| due(*id)).collect();
        while let Some((_, id)) = work.pop_first() {
            if frugality.update(knowledge, evacuation, id) {
                work.extend(callers[&id].iter().map(|caller| due(*caller)));
            }
        }
        frugality
    }

    /// Analyses a function again; returns whether less is known of it.
    fn update(&mut self, knowledge: &Knowledge<'_>, evacuation: &Evacuation<'_>, id: FunctionId) -> bool {
        let function = &knowledge.program.functions[id];
        let calls = |call: &Call| match &call.callee {
            Callee::Known(callee) | Callee::Direct(callee, _) => {
                !knowledge.passed(*callee).is_empty() || !knowledge.captured(*callee).is_empty()
            }
            Callee::Closure(_) => true,
        };
        let allocates = |statement: &Statement| {
            statement.allocations().into_iter().any(|allocation| knowledge.in_region(allocation))
                || statement.call().is_some_and(calls)
        };
        let continues = |index: usize| self.keeps(id, index);
        let interest = Interest { allocates: &allocates, tail_allocates: &calls, continues: &continues };
        let taken = taken_slots(&knowledge.program.types, function);
        let mut analysis =
            Analysis::new(&knowledge.program.types, (function, &[&function.body]), evacuation, self, &taken, interest);
        let point = analysis.block(&function.body, &After::Return);
        let garbage = analysis.garbage;
        let dropped: BTreeSet<usize> = point.map_or_else(BTreeSet::new, |kept| {
            let params = function.params.iter().enumerate();
            params.filter(|(_, param)| !analysis.is_kept(&kept, **param)).map(|(index, _)| index).collect()
        });
        let known = self.dropped.entry(id).or_default();
        let before = known.len();
        known.extend(dropped);
        let changed = known.len() > before;
        (garbage && self.wasteful.insert(id)) || changed
    }
}

/// Whether a statement of a function overwrites pointers in a ref cell, an array or a field.
fn overwrites(evacuation: &Evacuation<'_>, statement: &Statement, function: &Function) -> bool {
    // An element that has no content yet drops nothing.
    let is_first = matches!(statement.rhs(), Some(Rhs::Intrinsic { intrinsic: Intrinsic::ArrayPut, .. }));
    match statement.rhs().and_then(|rhs| evacuation.overwritten(rhs, function)) {
        None | Some(Memory::Slot(_) | Memory::Global(_)) => false,
        Some(Memory::Reference(_) | Memory::Field { .. } | Memory::Element(_)) => !is_first,
    }
}
