//! Stores function values by value: what can be overwritten holds the lambda's tag and its captures, not the address of
//! a closure. Replacing a handler then overwrites it and allocates nothing.
//!
//! In: Core before storage assignment. Out: the same program, where ref cells, elements of arrays, mutable fields and
//! variables, and the records, tuples, unions and lists in them, hold *variants* for function values: values of a union that
//! [`clef_types::stored_function`] declares, with a case for each lambda that may be stored there and its captures as
//! fields (Reynolds, "Definitional interpreters for higher-order programming languages", 1972, for stored functions
//! only). A store takes the available captures and needs no closure; a call of a value that was read selects the lambda
//! by the tag; any other use creates the closure again, which is not observable, since closures have no identity.
//!
//! Condition, for the values of a function type in each closed group of cells, and for all others of the type: the origin of
//! each stored value is known (through parameters and results of known functions, joins and captures, which then pass
//! variants on); a lambda captures something; there are few lambdas; and no variant would contain itself. Otherwise addresses
//! are stored: see [`clef_core::Program::stored`]. A local on the paths to two groups makes them one.

mod cells;
mod origins;
mod positions;
mod rewrite;
mod sizes;
mod variants;

use cells::Content;
use clef_base::HashMap;
use clef_core::{AddressReason, FunctionId, LocalId, Program, StoredFunctions};
use origins::{Index, Traced};
use positions::Positions;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of lambdas of a variant: each use of one has a branch for each.
const MAX_LAMBDAS: usize = 16;

/// The maximum number of values that a lambda in a node captures, parts of tuples and records counted one by one: all nodes
/// of its type are as large as the largest variant.
const MAX_IN_NODE: usize = 3;

/// The function values that are stored by value.
struct Plan {
    positions: Positions,
    /// The lambdas of all that is stored by value, in the order of their tags.
    lambdas: BTreeMap<Content, Vec<FunctionId>>,
    /// The locals that hold variants, with their functions.
    locals: HashMap<(FunctionId, LocalId), Content>,
    /// The functions that return variants.
    results: HashMap<FunctionId, Content>,
}

/// Stores function values by value where possible.
pub(super) fn store_by_value(program: &mut Program) {
    let (plan, by_address) = plan(program);
    let by_address = by_address.into_iter().map(|(of, reason)| StoredFunctions { ty: of.ty, kept: Err(reason) });
    program.stored = by_address.collect();
    if !plan.lambdas.is_empty() {
        rewrite::rewrite(program, &plan);
    }
}

/// What is traced: by value, constants without captures, or by address.
struct Sorted {
    traced: BTreeMap<Content, Traced>,
    constants: BTreeMap<Content, Traced>,
    by_address: BTreeMap<Content, AddressReason>,
}

fn plan(program: &Program) -> (Plan, Vec<(Content, AddressReason)>) {
    let mut positions = Positions::of(program);
    let (mut index, mut sorted) = traced(program, &positions);
    while let Some(shared) = shared(&index, &sorted) {
        positions.cells.merge(&shared);
        (index, sorted) = traced(program, &positions);
    }
    for of in sizes::endless(program, &positions, &sorted.traced) {
        sorted.traced.remove(&of);
        sorted.by_address.insert(of, AddressReason::Endless);
    }
    drop(index);
    let mut plan =
        Plan { positions, lambdas: BTreeMap::new(), locals: HashMap::default(), results: HashMap::default() };
    for (of, found) in sorted.traced {
        plan.lambdas.insert(of, found.lambdas.into_iter().collect());
        plan.locals.extend(found.locals.into_iter().map(|local| (local, of)));
        plan.results.extend(found.results.into_iter().map(|result| (result, of)));
    }
    (plan, sorted.by_address.into_iter().collect())
}

/// Traces all stored function values.
fn traced<'program>(program: &'program Program, positions: &Positions) -> (Index<'program>, Sorted) {
    let mut sorted = Sorted { traced: BTreeMap::new(), constants: BTreeMap::new(), by_address: BTreeMap::new() };
    let contents = positions.contents();
    if contents.is_empty() {
        return (Index::default(), sorted);
    }
    let index = Index::of(program, positions);
    for of in contents {
        match trace(program, &index, positions, of) {
            Ok(found) if is_constant(program, &found) => {
                sorted.constants.insert(of, found);
            }
            Ok(found) => {
                sorted.traced.insert(of, found);
            }
            Err(reason) => {
                sorted.by_address.insert(of, reason);
            }
        }
    }
    (index, sorted)
}

/// The groups of cells that share a local or a result, which has one representation.
fn shared(index: &Index<'_>, sorted: &Sorted) -> Option<Vec<BTreeSet<u32>>> {
    let mut locals: HashMap<(FunctionId, LocalId), u32> = HashMap::default();
    let mut results: HashMap<FunctionId, u32> = HashMap::default();
    let mut shared: BTreeSet<BTreeSet<u32>> = BTreeSet::new();
    let mut note = |first: u32, second: u32| {
        if first != second {
            shared.insert([first, second].into());
        }
    };
    let read = index.reads.iter().flat_map(|(of, locals)| locals.iter().map(|local| (*local, of.group)));
    locals.extend(read);
    for (of, found) in sorted.traced.iter().chain(&sorted.constants) {
        found.locals.iter().for_each(|local| note(*locals.entry(*local).or_insert(of.group), of.group));
        found.results.iter().for_each(|result| note(*results.entry(*result).or_insert(of.group), of.group));
    }
    (!shared.is_empty()).then(|| shared.into_iter().collect())
}

/// Traces stored function values.
fn trace(program: &Program, index: &Index<'_>, positions: &Positions, of: Content) -> Result<Traced, AddressReason> {
    let found = origins::trace(program, index, positions, of).map_err(AddressReason::Unknown)?;
    if found.lambdas.len() > MAX_LAMBDAS && !is_constant(program, &found) {
        return Err(AddressReason::Many(found.lambdas.len()));
    }
    if positions.in_nodes(of)
        && found.lambdas.iter().any(|lambda| !sizes::captures_at_most(program, *lambda, MAX_IN_NODE))
    {
        return Err(AddressReason::Large);
    }
    Ok(found)
}

/// Whether no stored lambda captures anything.
fn is_constant(program: &Program, found: &Traced) -> bool {
    found.lambdas.iter().all(|lambda| program.functions[*lambda].captures().is_empty())
}

impl Plan {
    /// Whether values are stored by value.
    fn stores(&self, of: Content) -> bool {
        self.lambdas.contains_key(&of)
    }

    /// The tag of a lambda among the variants of what is stored.
    fn tag(&self, of: Content, lambda: FunctionId) -> usize {
        let tag = self.lambdas[&of].iter().position(|known| *known == lambda);
        tag.unwrap_or_else(|| clef_base::internal::bug("slots", None, "an unexpected lambda is stored"))
    }
}
