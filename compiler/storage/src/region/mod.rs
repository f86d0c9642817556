//! Region inference: in which region each allocation is, and where each region begins and ends.
//!
//! In: Core in which `place` has decided what is static and what is in a frame. Out: the same program where all other
//! allocations are in the program's region or in one that an [`Rhs::EnterRegion`] begins; functions take the handles of the
//! regions that they allocate in for their callers, and closures capture the handles of the regions that they were created
//! with. Guarantee, checked by [`verify`]: a handle is used only between the beginning and the end of its region, a region
//! that begins ends exactly once on each path, and no value that may point into a region is used after it has ended.
//!
//! The inference is that of Tofte and Talpin, "Region-Based Memory Management" (Information and Computation 1997), with
//! region polymorphism for recursive functions. Types are monomorphic here, so each function has finitely many slots, and
//! the least summaries of all functions are found by iteration. Three things differ. Each call chooses the regions of the
//! parameters and the result of a function value, even of an unknown closure: all closures of a type share one summary, and
//! their callers pass the handles. No pointer dangles: what a closure captures lives as long as the closure. Regions need
//! not nest, because the runtime keeps them as lists of pages.

pub mod bound;
mod capture_order;
mod certain;
mod classes;
mod constrain;
mod continuations;
mod cycles;
mod entries;
mod fewer;
mod frugal;
mod interior;
mod kept;
mod knowledge;
mod linear;
mod loops;
mod module_state;
mod nested;
mod order;
mod popping;
mod private_state;
mod reused;
mod rewrite;
mod rewritten;
mod roots;
mod scope;
mod self_calls;
mod shape;
mod signature;
#[cfg(test)]
mod tests;
mod transitive;
mod verify;

use certain::LoopRegions;
use clef_base::{HashMap, HashSet};
use clef_core::{AllocationKind, ConstantTypes, Evacuation, Function, FunctionId, Memory, Program, Rhs, Storage};
use clef_types::TypeKind;
use frugal::Frugality;
use knowledge::Knowledge;
use module_state::ProgramHolders;
use private_state::PrivateState;
use rewrite::Rewriter;
use rewritten::Rewritten;
use transitive::Transitive;

/// Whether a function allocates in a region, other than where it reuses a node. All cells count, since those of private state
/// are moved to regions later.
fn makes_more(knowledge: &Knowledge<'_>, function: &Function) -> bool {
    let mut found = false;
    function.body.each_statement(&mut |statement| {
        let reuses = matches!(statement.rhs(), Some(Rhs::Inject { reuse: Some(_), .. }));
        let mut made = statement.allocations().into_iter();
        found |= made.any(|allocation| {
            let is_cell = matches!(knowledge.program.allocations[allocation].kind, AllocationKind::Reference(_));
            is_cell || (!reuses && knowledge.in_region(allocation))
        });
    });
    found
}

/// Whether a function overwrites memory that its inputs may lead to with pointers.
fn writes_to_inputs(evacuation: &Evacuation<'_>, function: &Function) -> bool {
    let (mut found, mut own) = (false, HashSet::default());
    function.body.each_statement(&mut |statement| {
        if let Some(Rhs::Slot(_)) = statement.rhs() {
            own.extend(statement.bound());
        }
        found |= match statement.rhs().and_then(|rhs| evacuation.overwritten(rhs, function)) {
            None | Some(Memory::Global(_)) => false,
            Some(Memory::Slot(slot)) => slot.local().is_some_and(|slot| !own.contains(&slot)),
            Some(Memory::Reference(_) | Memory::Field { .. } | Memory::Element(_)) => true,
        };
    });
    found
}

/// Decides the region of every allocation that is in one.
pub fn infer(program: &mut Program) {
    let constants = ConstantTypes::new(&mut program.types);
    let unit = program.types.intern(TypeKind::Unit);
    let handle = program.types.intern(TypeKind::Region);
    let entries = entries::outline(program);
    let mut types = program.types.clone();
    let mut knowledge = Knowledge::new(program, constants);
    knowledge.summarise();
    let apart = reused::apart(&mut knowledge);
    let found = knowledge.found();
    reused::remove(program, &apart);
    let evacuation = Evacuation::new(program);
    let knowledge = Knowledge::of(program, constants, found);
    let ids: Vec<FunctionId> = program.functions.iter().map(|(id, _)| id).collect();
    let allocates: HashSet<FunctionId> = ids.iter().copied().filter(|id| !knowledge.captured(*id).is_empty()).collect();
    let allocators = evacuation.leading_to(|ty| evacuation.lambdas(ty).iter().any(|lambda| allocates.contains(lambda)));
    let relinked = evacuation.relinked();
    let frugality = Frugality::of(&knowledge, &evacuation);
    let makers = Transitive::new(program, constants, &|_, function| makes_more(&knowledge, function));
    let reusers = Transitive::new(program, constants, &|_, function| reused::reuses(&function.body));
    let writers = Transitive::new(program, constants, &|_, function| writes_to_inputs(&evacuation, function));
    let state = PrivateState::new(program, &knowledge.constants, &evacuation, &allocates);
    let mut rewriter = Rewriter {
        knowledge,
        evacuation: &evacuation,
        types: &mut types,
        allocators: &allocators,
        relinked: &relinked,
        frugality: &frugality,
        makers: &makers,
        reusers: &reusers,
        writers: &writers,
        state,
        unit,
        handle,
    };
    let mut rewritten: Vec<Rewritten> = ids.iter().map(|id| rewriter.rewrite(*id)).collect();
    let cycles = rewriter.split_cycles(&ids, &entries, &mut rewritten);
    program.types = types;
    let mut holders = ProgramHolders::default();
    let (mut iterations_of, mut of_loops) = (HashMap::default(), LoopRegions::new());
    for (id, rewritten) in ids.into_iter().zip(rewritten) {
        for (allocation, region) in rewritten.allocations {
            if let Some(decision) = &mut program.allocations[allocation].decision {
                decision.storage = Storage::Region(region);
            }
        }
        program.functions[id] = rewritten.function;
        of_loops.insert(id, rewritten.of_loops.clone());
        if let Some(split) = rewritten.split {
            let mut held = rewritten.program_holders.clone();
            let received = split.dropped.iter().filter(|(_, dropped)| rewritten.program_holders.contains(dropped));
            held.extend(received.map(|(param, _)| *param));
            let begun = split.begun.clone();
            let iterations = self_calls::install(program, id, split);
            of_loops.insert(iterations, rewritten.of_loops);
            of_loops.entry(id).or_default().extend(begun);
            holders.insert(iterations, held);
            iterations_of.insert(id, iterations);
        }
        holders.insert(id, rewritten.program_holders);
    }
    for cycle in cycles {
        cycles::join(program, &cycle, &iterations_of);
    }
    certain::mark(program, &of_loops);
    module_state::evacuate(program, holders);
    fewer::leave_out(program);
    nested::apply(program, constants);
    if cfg!(debug_assertions)
        && let Err((span, message)) = interior::verify(program)
    {
        clef_base::internal::bug("region", Some(span), message);
    }
}
