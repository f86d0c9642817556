//! The least region summaries of all functions, which callers instantiate.
//!
//! In: Core with its shapes. Out: a [`Knowledge`] whose summaries are a fixed point: inferring any function again changes none.

use super::{
    classes::Classes,
    constrain::solve,
    shape::Shapes,
    signature::{Signature, Summary},
};
use clef_base::{HashMap, strongly_connected_components};
use clef_core::{AllocationId, Callee, ConstantTypes, FunctionId, Program, Rhs, StatementKind, Storage};
use clef_types::Type;
use std::collections::BTreeSet;

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
    /// For the closures of each type, the positions for which their callers pass handles.
    passed_to: HashMap<ClosureType, BTreeSet<usize>>,
}

/// What [`Knowledge::summarise`] finds.
pub(super) struct Found {
    summaries: HashMap<FunctionId, Summary>,
    closures: HashMap<ClosureType, Summary>,
    passed_to: HashMap<ClosureType, BTreeSet<usize>>,
}

impl<'program> Knowledge<'program> {
    pub(super) fn new(program: &'program Program, constants: ConstantTypes) -> Knowledge<'program> {
        let mut shapes = Shapes::new(program);
        let mut signatures = HashMap::default();
        let mut summaries = HashMap::default();
        let mut members: HashMap<ClosureType, Vec<FunctionId>> = HashMap::default();
        for (id, function) in program.functions.iter() {
            let signature = Signature::new(&mut shapes, function);
            summaries.insert(id, Summary::least(signature.slots.len()));
            if !signature.itself.is_empty() {
                members.entry(closure_type(program, id)).or_default().push(id);
            }
            signatures.insert(id, signature);
        }
        let (closures, passed_to) = (HashMap::default(), HashMap::default());
        Knowledge { program, shapes, constants, signatures, summaries, closures, members, passed_to }
    }

    /// Ends with what [`Knowledge::summarise`] has found.
    pub(super) fn found(self) -> Found {
        Found { summaries: self.summaries, closures: self.closures, passed_to: self.passed_to }
    }

    /// The knowledge of a program whose functions have these summaries.
    pub(super) fn of(program: &'program Program, constants: ConstantTypes, found: Found) -> Knowledge<'program> {
        let Found { summaries, closures, passed_to } = found;
        Knowledge { summaries, closures, passed_to, ..Knowledge::new(program, constants) }
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
        self.passed_to.get(ty).cloned().unwrap_or_default()
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
        let Dependencies { nodes, uses } = self.dependencies();
        let components = strongly_connected_components(&uses);
        let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); nodes.len()];
        let mut due = BTreeSet::new();
        for (node, used) in uses.iter().enumerate() {
            let user = (components[node], node);
            due.insert(user);
            used.iter().for_each(|used| users[*used].push(user));
        }
        while let Some((_, node)) = due.pop_first() {
            let changed = match &nodes[node] {
                Node::Function(id) => self.update(*id),
                Node::Closures(ty) => self.update_closures(ty),
            };
            if changed {
                due.extend(&users[node]);
            }
        }
        self.passed_to =
            self.members.iter().map(|(ty, members)| (ty.clone(), self.allocated_at_calls(members))).collect();
    }

    /// The positions of closures at which some of them allocate for their callers.
    fn allocated_at_calls(&self, members: &[FunctionId]) -> BTreeSet<usize> {
        let of_member =
            |id: &FunctionId| self.summaries[id].allocated.range(self.signatures[id].of_each_call()).copied();
        members.iter().flat_map(of_member).collect()
    }

    /// Infers one function again; returns whether its summary changed.
    fn update(&mut self, id: FunctionId) -> bool {
        let mut solved = solve(self, id);
        let summary = Summary::read(&mut solved.classes, &solved.positions);
        let changed = self.summaries[&id] != summary;
        self.summaries.insert(id, summary);
        changed
    }

    /// Combines the summaries of the closures of a type again; returns whether the result changed.
    fn update_closures(&mut self, ty: &ClosureType) -> bool {
        let common = self.common(ty);
        let changed = self.closures.get(ty) != Some(&common);
        self.closures.insert(ty.clone(), common);
        changed
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

    /// What each summary depends on.
    fn dependencies(&self) -> Dependencies {
        let program = self.program;
        let mut nodes: Vec<Node> = program.functions.iter().map(|(id, _)| Node::Function(id)).collect();
        let index = |id: FunctionId| id.into_raw().into_u32() as usize;
        let mut types = HashMap::default();
        for ty in program.functions.iter().map(|(id, _)| closure_type(program, id)) {
            if self.members.contains_key(&ty) && !types.contains_key(&ty) {
                types.insert(ty.clone(), nodes.len());
                nodes.push(Node::Closures(ty));
            }
        }
        let used_by = |node: &Node| match node {
            Node::Closures(ty) => self.members[ty].iter().copied().map(index).collect(),
            Node::Function(id) => {
                let Uses { functions, closures } = self.uses(*id);
                let closures = closures.iter().filter_map(|ty| types.get(ty)).copied();
                functions.into_iter().map(index).chain(closures).collect::<BTreeSet<usize>>().into_iter().collect()
            }
        };
        let uses = nodes.iter().map(used_by).collect();
        Dependencies { nodes, uses }
    }

    /// What the summary of a function depends on.
    fn uses(&self, id: FunctionId) -> Uses {
        let function = &self.program.functions[id];
        let mut uses = Uses::default();
        function.body.each_call(&mut |call| match &call.callee {
            Callee::Known(id) | Callee::Direct(id, _) => uses.functions.push(*id),
            Callee::Closure(closure) => {
                let params = call.arguments.iter().map(|atom| self.constants.of(atom, function)).collect();
                let closure = self.constants.of(closure, function);
                uses.closures.push((params, called_result(self.program, closure, call.arguments.len())));
            }
        });
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(_, Rhs::Closure(_)) | StatementKind::Group(_) = &statement.kind {
                uses.functions.extend(statement.closures().iter().map(|closure| closure.function));
            }
        });
        function.body.each_atom(&mut |atom| uses.functions.extend(atom.function()));
        uses
    }
}

/// Something with a summary.
enum Node {
    Function(FunctionId),
    /// The closures of a type, which share one.
    Closures(ClosureType),
}

/// For each node, those whose summaries its own depends on.
struct Dependencies {
    nodes: Vec<Node>,
    uses: Vec<Vec<usize>>,
}

/// What the summary of a function depends on.
#[derive(Default)]
struct Uses {
    functions: Vec<FunctionId>,
    closures: Vec<ClosureType>,
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
