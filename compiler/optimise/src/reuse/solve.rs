//! The assumptions about parameters and results, for a whole program.
//!
//! In: the candidates of each function. Out: those that can be reused. What each parameter loses by its calls is the least
//! solution, if all candidates are reused; which arguments and results are the only references is the greatest one for
//! that. Candidates that fail are dropped, and it starts again without them, since then less is moved.

use super::{
    held::{Held, Mask},
    ownership::{ALL, Findings, Given, findings, is_known, moves},
    place::Places,
    sites::Sites,
};
use clef_base::{HashMap, strongly_connected_components};
use clef_core::{FunctionId, LocalId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// After this number of rounds, no node of a type is reused for which a candidate fails.
const ROUNDS: usize = 6;

/// What is assumed of functions.
#[derive(Default)]
pub(super) struct Summaries {
    moved: HashMap<(FunctionId, usize), Mask>,
    params: HashMap<(FunctionId, usize), Mask>,
    results: HashMap<FunctionId, Mask>,
    unknown: BTreeSet<FunctionId>,
}

impl Summaries {
    /// The types whose nodes are moved out of a parameter.
    pub(super) fn moved(&self, function: FunctionId, index: usize) -> Mask {
        if self.unknown.contains(&function) { ALL } else { self.moved.get(&(function, index)).copied().unwrap_or(0) }
    }

    /// The types for which all arguments are the only references.
    pub(super) fn param(&self, function: FunctionId, index: usize) -> Mask {
        if self.unknown.contains(&function) { 0 } else { self.params.get(&(function, index)).copied().unwrap_or(ALL) }
    }

    /// The types for which the result is the only reference.
    pub(super) fn result(&self, function: FunctionId) -> Mask {
        self.results.get(&function).copied().unwrap_or(ALL)
    }
}

/// Decides which candidates are reused.
pub(super) fn solve(
    program: &Program,
    held: &Held,
    mut candidates: HashMap<FunctionId, Sites>,
) -> HashMap<FunctionId, Sites> {
    let leads = |id: &FunctionId| {
        let function = &program.functions[*id];
        let mut types = function.locals.values().map(|local| local.ty).chain([function.result]);
        types.any(|ty| leads_to(program, held, ty))
    };
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).filter(leads).collect();
    let places = ids.iter().map(|id| (*id, Places::of(program, &program.functions[*id]))).collect();
    let components = components(program);
    let mut round = 0;
    loop {
        round += 1;
        let mut solver = Solver::new(program, held, &ids, &places, &candidates, &components);
        solver.solve_moves();
        let failed = solver.solve_unique();
        if failed.is_empty() {
            return candidates;
        }
        let ty = |id: FunctionId, made: LocalId| program.functions[id].locals[made].ty;
        let types: BTreeSet<_> = failed.iter().map(|(id, made)| ty(*id, *made)).collect();
        for (id, sites) in &mut candidates {
            sites.retain(|made, _| {
                let fails = failed.contains(&(*id, *made)) || (round > ROUNDS && types.contains(&ty(*id, *made)));
                !fails
            });
        }
    }
}

fn number(id: FunctionId) -> usize {
    id.into_raw().into_u32() as usize
}

/// The component of each function in the graph of calls, by its number.
fn components(program: &Program) -> Vec<usize> {
    let mut callees = vec![Vec::new(); program.functions.len()];
    for (id, function) in program.functions.iter() {
        function.body.each_call(&mut |call| callees[number(id)].extend(call.known_callee().map(number)));
    }
    strongly_connected_components(&callees)
}

/// Whether values of a type, or the content of slots of it, lead to nodes that may be reused.
fn leads_to(program: &Program, held: &Held, ty: clef_types::Type) -> bool {
    let content = if let clef_types::TypeKind::Slot(content) = program.types.kind(ty) { *content } else { ty };
    held.of(content) != 0
}

struct Solver<'a> {
    program: &'a Program,
    held: &'a Held,
    ids: &'a [FunctionId],
    places: &'a HashMap<FunctionId, Places>,
    candidates: &'a HashMap<FunctionId, Sites>,
    none: Sites,
    callers: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    /// The component of each function in the graph of calls, by its number: those of callees are smaller.
    components: &'a [usize],
    summaries: Summaries,
}

impl<'a> Solver<'a> {
    fn new(
        program: &'a Program,
        held: &'a Held,
        ids: &'a [FunctionId],
        places: &'a HashMap<FunctionId, Places>,
        candidates: &'a HashMap<FunctionId, Sites>,
        components: &'a [usize],
    ) -> Solver<'a> {
        let mut callers: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
        for id in ids {
            program.functions[*id].body.each_call(&mut |call| {
                if let Some(callee) = call.known_callee() {
                    callers.entry(callee).or_default().insert(*id);
                }
            });
            // A function that continues with its next iteration calls itself.
            callers.entry(*id).or_default().insert(*id);
        }
        let unknown = program.functions.iter().filter(|(_, function)| !is_known(function)).map(|(id, _)| id).collect();
        let summaries = Summaries { unknown, ..Summaries::default() };
        Solver { program, held, ids, places, candidates, none: Sites::new(), callers, components, summaries }
    }

    fn given(&self, id: FunctionId) -> Given<'_> {
        Given {
            types: &self.program.types,
            declared: &self.program.declared,
            id,
            function: &self.program.functions[id],
            held: self.held,
            places: &self.places[&id],
            sites: self.candidates.get(&id).unwrap_or(&self.none),
            summaries: &self.summaries,
        }
    }

    /// A function in the order in which functions are analysed: callees before their callers.
    fn due(&self, id: FunctionId) -> (usize, FunctionId) {
        (self.components[number(id)], id)
    }

    fn callers(&self, id: FunctionId) -> impl Iterator<Item = FunctionId> {
        self.callers.get(&id).into_iter().flatten().copied().filter(|caller| self.places.contains_key(caller))
    }

    fn solve_moves(&mut self) {
        let mut work: BTreeSet<(usize, FunctionId)> = self.ids.iter().map(|id| self.due(*id)).collect();
        while let Some((_, id)) = work.pop_first() {
            let moved = moves(&self.given(id));
            for (index, param) in self.program.functions[id].params.iter().enumerate() {
                let moved = moved.get(param).copied().unwrap_or(0);
                let known = self.summaries.moved.entry((id, index)).or_default();
                if *known | moved != *known {
                    *known |= moved;
                    work.extend(self.callers(id).map(|caller| self.due(caller)));
                }
            }
        }
    }

    /// Returns the candidates that fail.
    fn solve_unique(&mut self) -> BTreeSet<(FunctionId, LocalId)> {
        let mut work: BTreeSet<(usize, FunctionId)> = self.ids.iter().map(|id| self.due(*id)).collect();
        let mut failed: HashMap<FunctionId, Vec<LocalId>> = HashMap::default();
        while let Some((_, id)) = work.pop_first() {
            let Findings { passed, result, failed: here, .. } = findings(&self.given(id));
            failed.insert(id, here);
            for (param, unique) in passed {
                let known = self.summaries.params.entry(param).or_insert(ALL);
                if *known & unique != *known {
                    *known &= unique;
                    work.extend(self.places.contains_key(&param.0).then(|| self.due(param.0)));
                }
            }
            let known = self.summaries.results.entry(id).or_insert(ALL);
            if *known & result != *known {
                *known &= result;
                work.extend(self.callers(id).map(|caller| self.due(caller)));
            }
        }
        failed.into_iter().flat_map(|(id, made)| made.into_iter().map(move |made| (id, made))).collect()
    }
}
