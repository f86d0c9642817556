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

use classes::Classes;
use clef_base::strongly_connected_components;
use clef_core::{
    AllocationId, Atom, Callee, ConstantTypes, Evacuation, FunctionId, Program, Rhs, StatementKind, Storage,
};
use clef_types::{Type, TypeKind};
use constrain::solve;
use module_state::ProgramHolders;
use private_state::PrivateState;
use rewrite::{Rewriter, Rewritten};
use shape::Shapes;
use signature::{Signature, Summary};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The type of a closure as far as its callers know it: its parameters and its result.
type ClosureType = (Vec<Type>, Type);

/// What is known of the regions of a program.
struct Knowledge<'program> {
    program: &'program Program,
    shapes: Shapes<'program>,
    constants: ConstantTypes,
    signatures: HashMap<FunctionId, Signature>,
    summaries: HashMap<FunctionId, Summary>,
    /// What holds of every closure of a type.
    closures: HashMap<ClosureType, Summary>,
    /// The functions of closures of each type.
    members: HashMap<ClosureType, Vec<FunctionId>>,
}

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

impl<'program> Knowledge<'program> {
    fn new(program: &'program Program, constants: ConstantTypes) -> Knowledge<'program> {
        let mut shapes = Shapes::new(program);
        let mut signatures = HashMap::new();
        let mut summaries = HashMap::new();
        let mut members: HashMap<ClosureType, Vec<FunctionId>> = HashMap::new();
        for (id, function) in program.functions.iter() {
            let signature = Signature::new(&mut shapes, function);
            summaries.insert(id, Summary::least(signature.slots.len()));
            if !signature.itself.is_empty() {
                members.entry(closure_type(program, id)).or_default().push(id);
            }
            signatures.insert(id, signature);
        }
        let closures = HashMap::new();
        Knowledge { program, shapes, constants, signatures, summaries, closures, members }
    }

    /// Whether an allocation lies in a region.
    fn in_region(&self, allocation: AllocationId) -> bool {
        let decision = &self.program.allocations[allocation].decision;
        decision.as_ref().is_some_and(|decision| matches!(decision.storage, Storage::Region(_)))
    }

    /// The positions of a function for which its callers pass handles, in this order.
    fn passed(&self, id: FunctionId) -> BTreeSet<usize> {
        let signature = &self.signatures[&id];
        let by_calls = |id: &FunctionId| self.summaries[id].allocated.range(signature.of_each_call());
        if signature.itself.is_empty() {
            return by_calls(&id).copied().collect();
        }
        self.passed_to(&closure_type(self.program, id))
    }

    /// The positions of the closures of a type for which their callers pass handles.
    fn passed_to(&self, ty: &ClosureType) -> BTreeSet<usize> {
        let members = self.members.get(ty).into_iter().flatten();
        let of_member = |id: &FunctionId| {
            self.summaries[id].allocated.range(self.signatures[id].of_each_call()).copied().collect::<Vec<usize>>()
        };
        members.flat_map(of_member).collect()
    }

    /// The positions of a closure's function of which the closure captures the handle.
    fn captured(&self, id: FunctionId) -> Vec<usize> {
        let signature = &self.signatures[&id];
        if signature.itself.is_empty() {
            return Vec::new();
        }
        self.summaries[&id].allocated.range(signature.of_making()).copied().collect()
    }

    /// Finds the least summaries of all functions.
    fn summarise(&mut self) {
        let uses = self.uses();
        let index = |id: FunctionId| id.into_raw().into_u32() as usize;
        let edges: Vec<Vec<usize>> = uses.iter().map(|uses| uses.iter().copied().map(index).collect()).collect();
        let components = strongly_connected_components(&edges);
        let mut users: HashMap<FunctionId, BTreeSet<(usize, FunctionId)>> = HashMap::new();
        let mut due = BTreeSet::new();
        for ((id, _), uses) in self.program.functions.iter().zip(&uses) {
            let user = (components[index(id)], id);
            due.insert(user);
            uses.iter().for_each(|used| {
                users.entry(*used).or_default().insert(user);
            });
        }
        while let Some((_, id)) = due.pop_first() {
            if self.update(id) {
                due.extend(users.get(&id).into_iter().flatten());
            }
        }
    }

    /// Infers one function anew; says whether what others know of it changed.
    fn update(&mut self, id: FunctionId) -> bool {
        let mut solved = solve(self, id);
        let summary = Summary::read(&mut solved.classes, &solved.positions);
        if self.summaries[&id] == summary {
            return false;
        }
        self.summaries.insert(id, summary);
        if !self.signatures[&id].itself.is_empty() {
            let ty = closure_type(self.program, id);
            let common = self.common(&ty);
            self.closures.insert(ty, common);
        }
        true
    }

    /// What holds of all closures of a type.
    fn common(&mut self, ty: &ClosureType) -> Summary {
        let signature = Signature::of_closure(&mut self.shapes, &ty.0, ty.1);
        let mut classes = Classes::new();
        let positions = signature.fresh(&mut classes);
        for member in &self.members[ty] {
            self.summaries[member].prefix(positions.len()).instantiate(&mut classes, 0, &positions);
        }
        while classes.close_program() {}
        Summary::read(&mut classes, &positions)
    }

    /// For each function, those whose summaries its own depends on.
    fn uses(&self) -> Vec<BTreeSet<FunctionId>> {
        let program = self.program;
        let uses = program.functions.iter().map(|(_, function)| {
            let mut uses = BTreeSet::new();
            function.body.each_call(&mut |call| match &call.callee {
                Callee::Known(id) | Callee::Direct(id, _) => {
                    uses.insert(*id);
                }
                Callee::Closure(closure) => {
                    let params = call.arguments.iter().map(|atom| self.constants.of(atom, function)).collect();
                    let result = called_result(program, self.constants.of(closure, function), call.arguments.len());
                    uses.extend(self.members.get(&(params, result)).into_iter().flatten());
                }
            });
            function.body.each_statement(&mut |statement| {
                if let StatementKind::Let(_, Rhs::Closure(_)) | StatementKind::Group(_) = &statement.kind {
                    uses.extend(statement.closures().iter().map(|closure| closure.function));
                }
            });
            function.body.each_atom(&mut |atom| {
                if let Atom::Function(id, _) = atom {
                    uses.insert(*id);
                }
            });
            uses
        });
        uses.collect()
    }
}

/// The type of the closures of a function.
fn closure_type(program: &Program, id: FunctionId) -> ClosureType {
    let function = &program.functions[id];
    (function.params.iter().map(|param| function.locals[*param].ty).collect(), function.result)
}

/// What a closure of a type gives for so many arguments.
fn called_result(program: &Program, closure: Type, arguments: usize) -> Type {
    program.types.uncurry(closure, arguments).map_or(closure, |(_, result)| result)
}
