//! The least region summaries of all functions, which callers instantiate.
//!
//! In: Core with its shapes. Out: a [`Knowledge`] whose summaries are a fixed point: inferring any function again changes none.

use super::{
    classes::Classes,
    constrain::solve,
    shape::Shapes,
    signature::{Signature, Summary},
};
use clef_base::strongly_connected_components;
use clef_core::{AllocationId, Atom, Callee, ConstantTypes, FunctionId, Program, Rhs, StatementKind, Storage};
use clef_types::Type;
use std::collections::{BTreeSet, HashMap};

/// The type of a closure as far as its callers know it: its parameters and its result.
pub(super) type ClosureType = (Vec<Type>, Type);

/// What is known of the regions of a program.
pub(super) struct Knowledge<'program> {
    pub(super) program: &'program Program,
    pub(super) shapes: Shapes<'program>,
    pub(super) constants: ConstantTypes,
    pub(super) signatures: HashMap<FunctionId, Signature>,
    pub(super) summaries: HashMap<FunctionId, Summary>,
    /// The summary that all closures of a type share.
    pub(super) closures: HashMap<ClosureType, Summary>,
    /// The functions of closures of each type.
    members: HashMap<ClosureType, Vec<FunctionId>>,
}

impl<'program> Knowledge<'program> {
    pub(super) fn new(program: &'program Program, constants: ConstantTypes) -> Knowledge<'program> {
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
    pub(super) fn in_region(&self, allocation: AllocationId) -> bool {
        let decision = &self.program.allocations[allocation].decision;
        decision.as_ref().is_some_and(|decision| matches!(decision.storage, Storage::Region(_)))
    }

    /// The positions of a function for which its callers pass handles, in order.
    pub(super) fn passed(&self, id: FunctionId) -> BTreeSet<usize> {
        let signature = &self.signatures[&id];
        let by_calls = |id: &FunctionId| self.summaries[id].allocated.range(signature.of_each_call());
        if signature.itself.is_empty() {
            return by_calls(&id).copied().collect();
        }
        self.passed_to(&closure_type(self.program, id))
    }

    /// The positions of the closures of a type for which their callers pass handles.
    pub(super) fn passed_to(&self, ty: &ClosureType) -> BTreeSet<usize> {
        let members = self.members.get(ty).into_iter().flatten();
        let of_member = |id: &FunctionId| {
            self.summaries[id].allocated.range(self.signatures[id].of_each_call()).copied().collect::<Vec<usize>>()
        };
        members.flat_map(of_member).collect()
    }

    /// The positions for which a closure of a function captures the handle.
    pub(super) fn captured(&self, id: FunctionId) -> Vec<usize> {
        let signature = &self.signatures[&id];
        if signature.itself.is_empty() {
            return Vec::new();
        }
        self.summaries[&id].allocated.range(signature.of_creation()).copied().collect()
    }

    /// Finds the least summaries of all functions.
    pub(super) fn summarise(&mut self) {
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

    /// Infers one function again; returns whether what others know of it changed.
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

    /// The common summary of all closures of a type.
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
pub(super) fn closure_type(program: &Program, id: FunctionId) -> ClosureType {
    let function = &program.functions[id];
    (function.params.iter().map(|param| function.locals[*param].ty).collect(), function.result)
}

/// The type of the result of a closure of a type after `arguments` arguments.
pub(super) fn called_result(program: &Program, closure: Type, arguments: usize) -> Type {
    program.types.uncurry(closure, arguments).map_or(closure, |(_, result)| result)
}
