//! Stores function values by value: what can be overwritten holds the lambda's tag and its captures, not the address of
//! a closure. Replacing a handler then overwrites it and allocates nothing.
//!
//! In: Core before storage assignment. Out: the same program, where ref cells, elements of arrays, mutable fields and
//! variables, and the records, tuples and unions in them, hold *variants* for function values: values of a union that
//! [`clef_types::STORED_FUNCTION`] declares, with a case for each lambda that may be stored there and its captures as
//! fields (Reynolds, "Definitional interpreters for higher-order programming languages", 1972, for stored functions
//! only). A store takes the available captures and needs no closure; a call of a value that was read selects the lambda
//! by the tag; any other use creates the closure again, which is not observable, since closures have no identity.
//!
//! Condition, for all values of a function type at once: the origin of each stored value is known (through parameters
//! and results of known functions, joins and captures, which then pass variants on); a lambda captures something; there
//! are few lambdas; and no variant would contain itself. Otherwise addresses are stored: see
//! [`clef_core::Program::stored`].

mod origins;
mod positions;
mod rewrite;
mod sizes;
mod variants;

use clef_core::{AddressReason, FunctionId, Holders, LocalId, Program, StoredFunctions};
use clef_types::{Type, TypeKind};
use origins::{Index, Traced};
use positions::Positions;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The maximum number of lambdas of a variant: each use of one has a branch for each.
const MAX_LAMBDAS: usize = 16;

/// The function values that are stored by value.
struct Plan {
    positions: Positions,
    /// The lambdas of each function type that is stored by value, in the order of their tags.
    lambdas: BTreeMap<Type, Vec<FunctionId>>,
    /// The locals that hold variants, with their functions.
    locals: HashSet<(FunctionId, LocalId)>,
    /// The functions that return variants.
    results: HashSet<FunctionId>,
    /// The types of `lambdas` whose variants lead to constants only.
    constant: BTreeSet<Type>,
}

/// Stores function values by value where possible.
pub(super) fn store_by_value(program: &mut Program) {
    let (plan, by_address, constants) = plan(program);
    program.stored_constants = constants;
    let by_address = by_address.into_iter().map(|(ty, reason)| StoredFunctions { ty, kept: Err(reason) });
    program.stored = by_address.collect();
    if !plan.lambdas.is_empty() {
        rewrite::rewrite(program, &plan);
        let variants = program.stored.iter().filter(|stored| plan.constant.contains(&stored.ty));
        let variants = variants.filter_map(|stored| Some(stored.kept.as_ref().ok()?.0));
        program.stored_constants.extend(variants);
    }
}

fn plan(program: &Program) -> (Plan, Vec<(Type, AddressReason)>, BTreeSet<Type>) {
    let positions = Positions::of(program);
    let (mut by_address, mut constants) = (Vec::new(), BTreeSet::new());
    let mut traced: BTreeMap<Type, Traced> = BTreeMap::new();
    if positions.functions.is_empty() {
        return (Plan::of(positions), by_address, constants);
    }
    let index = Index::of(program, &positions);
    for &ty in &positions.functions {
        match trace(program, &index, &positions, ty) {
            Ok(Some(found)) => {
                traced.insert(ty, found);
            }
            Ok(None) => {
                constants.insert(ty);
            }
            Err(reason) => by_address.push((ty, reason)),
        }
    }
    for ty in sizes::endless(program, &positions, &traced) {
        traced.remove(&ty);
        by_address.push((ty, AddressReason::Endless));
    }
    let is_constant = |found: &Traced| lead_to_constants(program, &index, &positions, &constants, &found.lambdas);
    let constant = traced.iter().filter(|(_, found)| is_constant(found)).map(|(ty, _)| *ty).collect();
    drop(index);
    let mut plan = Plan { constant, ..Plan::of(positions) };
    for (ty, found) in traced {
        plan.lambdas.insert(ty, found.lambdas.into_iter().collect());
        plan.locals.extend(found.locals);
        plan.results.extend(found.results);
    }
    (plan, by_address, constants)
}

/// Whether what some lambdas capture leads to constants only: it has no parts in memory, or is a function without captures.
fn lead_to_constants(
    program: &Program,
    index: &Index<'_>,
    positions: &Positions,
    constants: &BTreeSet<Type>,
    lambdas: &BTreeSet<FunctionId>,
) -> bool {
    let mut holders = Holders::except(constants.iter().copied());
    let captures = lambdas.iter().flat_map(|lambda| {
        let function = &program.functions[*lambda];
        let types = function.captures().iter().map(|capture| function.locals[*capture].ty);
        types.enumerate().map(move |(place, ty)| (ty, (*lambda, place)))
    });
    let held: Vec<(Type, (FunctionId, usize))> = captures.filter(|(ty, _)| holders.holds(program, *ty)).collect();
    // What can be overwritten itself may become a variant.
    let is_function =
        |ty: &Type| matches!(program.types.kind(*ty), TypeKind::Function(..)) && !positions.functions.contains(ty);
    if !held.iter().all(|(ty, _)| is_function(ty)) {
        return false;
    }
    let places: Vec<(FunctionId, usize)> = held.into_iter().map(|(_, place)| place).collect();
    let found = origins::trace_captures(program, index, positions, &places);
    found.is_ok_and(|found| found.lambdas.iter().all(|lambda| program.functions[*lambda].captures().is_empty()))
}

/// Traces the stored values of a function type; `None` if all are constants.
fn trace(
    program: &Program,
    index: &Index<'_>,
    positions: &Positions,
    ty: Type,
) -> Result<Option<Traced>, AddressReason> {
    let found = origins::trace(program, index, positions, ty).map_err(AddressReason::Unknown)?;
    let captures = |lambda: &FunctionId| !program.functions[*lambda].captures().is_empty();
    if !found.lambdas.iter().any(captures) {
        return Ok(None);
    }
    if found.lambdas.len() > MAX_LAMBDAS {
        return Err(AddressReason::Many(found.lambdas.len()));
    }
    Ok(Some(found))
}

impl Plan {
    /// One that stores no function values by value.
    fn of(positions: Positions) -> Plan {
        let (lambdas, locals, results) = (BTreeMap::new(), HashSet::new(), HashSet::new());
        Plan { positions, lambdas, locals, results, constant: BTreeSet::new() }
    }

    /// Whether values of a function type are stored by value.
    fn stores(&self, ty: Type) -> bool {
        self.lambdas.contains_key(&ty)
    }

    /// The tag of a lambda among the variants of a type.
    fn tag(&self, ty: Type, lambda: FunctionId) -> usize {
        let tag = self.lambdas[&ty].iter().position(|known| *known == lambda);
        tag.unwrap_or_else(|| clef_base::internal::bug("slots", None, "an unexpected lambda is stored"))
    }
}
