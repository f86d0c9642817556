//! Region inference: in which region each allocation lies, and where each region begins and ends.
//!
//! In: Core in which `place` has decided what is static and what is in a frame. Out: the same program where all else lies
//! in the program's region or in one that a [`Rhs::EnterRegion`] begins; functions take the handles of the regions that
//! they allocate in for their callers, and closures capture those of the regions that they were made with. Then holds,
//! and [`verify`] checks: a handle is used only between the beginning and the end of its region, on each path a region
//! that begins ends once, and no value that may point into a region is used when it has ended.
//!
//! The inference is that of Tofte and Talpin, "Region-Based Memory Management" (Information and Computation 1997), with
//! region polymorphism for recursive functions. Types are monomorphic here, so each function has finitely many places,
//! and the least summaries of all functions are found by iteration. Three things differ. What a function value takes and
//! gives is chosen anew by each call, also of an unknown closure: all closures of a type share one summary, and their
//! callers pass the handles. No pointer dangles: what a closure captures lives as long as the closure. Regions need not
//! nest, because the runtime keeps them as lists of pages.

pub mod bound;
mod classes;
mod constrain;
mod cycles;
mod entries;
mod interior;
mod knowledge;
mod loops;
mod module_state;
mod order;
mod private_state;
mod rewrite;
mod scope;
mod shape;
mod signature;
#[cfg(test)]
mod tests;
mod turns;
mod verify;

use clef_core::{ConstantTypes, Evacuation, FunctionId, Program, Storage};
use clef_types::TypeKind;
use knowledge::Knowledge;
use module_state::ProgramHolders;
use private_state::PrivateState;
use rewrite::{Rewriter, Rewritten};
use std::collections::{HashMap, HashSet};

/// Decides the regions of all allocations that are in one.
pub fn infer(program: &mut Program) {
    let constants = ConstantTypes::new(&mut program.types);
    let unit = program.types.intern(TypeKind::Unit);
    let handle = program.types.intern(TypeKind::Region);
    let entries = entries::outline(program);
    let mut types = program.types.clone();
    let evacuation = Evacuation::new(program);
    let mut knowledge = Knowledge::new(program, constants);
    knowledge.summarise();
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    let allocates: HashSet<FunctionId> = ids.iter().copied().filter(|id| !knowledge.captured(*id).is_empty()).collect();
    let allocators = evacuation.leading_to(|ty| evacuation.lambdas(ty).iter().any(|lambda| allocates.contains(lambda)));
    let relinked = evacuation.relinked();
    let state = PrivateState::new(program, &knowledge.constants, &evacuation, &allocates);
    let mut rewriter = Rewriter {
        knowledge,
        evacuation: &evacuation,
        types: &mut types,
        allocators: &allocators,
        relinked: &relinked,
        state,
        unit,
        handle,
    };
    let mut rewritten: Vec<Rewritten> = ids.iter().map(|id| rewriter.rewrite(*id)).collect();
    let cycles = rewriter.split_cycles(&ids, &entries, &mut rewritten);
    program.types = types;
    let mut holders = ProgramHolders::new();
    let mut turns_of = HashMap::new();
    for (id, rewritten) in ids.into_iter().zip(rewritten) {
        for (allocation, region) in rewritten.allocations {
            if let Some(decision) = &mut program.allocations[allocation].decision {
                decision.storage = Storage::Region(region);
            }
        }
        program.functions[id] = rewritten.function;
        if let Some(split) = rewritten.split {
            let turns = turns::install(program, id, split);
            holders.insert(turns, rewritten.program_holders.clone());
            turns_of.insert(id, turns);
        }
        holders.insert(id, rewritten.program_holders);
    }
    for cycle in cycles {
        cycles::join(program, &cycle, &turns_of);
    }
    module_state::evacuate(program, holders);
    if cfg!(debug_assertions)
        && let Err((span, message)) = interior::verify(program)
    {
        clef_base::internal::bug("region", Some(span), message);
    }
}
