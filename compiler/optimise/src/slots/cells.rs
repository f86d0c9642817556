//! Groups of cells of function values that the same values may be stored in.
//!
//! In: a program. Out: [`Cells`]. A *cell* is an array, a ref cell or a slot of function values, or a module-level variable that
//! holds one. Cells that one local may refer to are in one group: through copies of addresses, parameters and results of known functions,
//! captures, joins and module-level values. A group is *closed* if all its cells are created there and used only by operations
//! that access their content. Then what is read from it was stored in it, and its function values may be stored differently
//! from all others of their type.

use clef_base::HashMap;
use clef_core::{
    AllocationId, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, GlobalId, JoinId, LocalId,
    MakeClosure, Memory, Program, Rhs, StatementKind,
};
use clef_types::{Intrinsic, Type, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// What refers to cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Holder {
    Local(FunctionId, LocalId),
    Global(GlobalId),
    /// The result of a function.
    Result(FunctionId),
}

/// The stored function values of a type that are traced together: those in a closed group of cells, by its number, or all
/// others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Content {
    /// Their type.
    pub(super) ty: Type,
    /// The group, counted from 1; 0 for all others.
    pub(super) group: u32,
}

/// The closed groups of cells of a program.
pub(super) struct Cells {
    groups: HashMap<Holder, Content>,
    allocations: HashMap<AllocationId, Content>,
}

impl Cells {
    /// Finds the groups of a program.
    pub(super) fn of(program: &Program) -> Cells {
        let mut finder = Finder { program, index: HashMap::default(), parents: vec![OTHERS], created: Vec::new() };
        for (id, function) in program.functions.iter() {
            finder.function(id, function);
        }
        finder.finish()
    }

    /// The function values of a type that may be stored in a module-level variable.
    pub(super) fn global(&self, global: GlobalId, ty: Type) -> Content {
        self.content(Holder::Global(global), ty)
    }

    /// The function values of a type that may be stored in the cells of a local.
    pub(super) fn local(&self, id: FunctionId, local: LocalId, ty: Type) -> Content {
        self.content(Holder::Local(id, local), ty)
    }

    /// The function values of a type that may be stored in the cells of a function's result.
    pub(super) fn result(&self, id: FunctionId, ty: Type) -> Content {
        self.content(Holder::Result(id), ty)
    }

    /// The function values of a type that may be stored in the memory of an allocation.
    pub(super) fn allocation(&self, allocation: AllocationId, ty: Type) -> Content {
        self.allocations.get(&allocation).copied().unwrap_or(Content { ty, group: 0 })
    }

    /// The function values of a type that may be stored in some memory, which a function accesses.
    pub(super) fn memory(&self, id: FunctionId, memory: Memory<'_>, ty: Type) -> Content {
        match memory {
            Memory::Slot(Atom::Local(local))
            | Memory::Reference(Atom::Local(local))
            | Memory::Element(Atom::Local(local)) => self.local(id, *local, ty),
            Memory::Global(global) => self.global(global, ty),
            Memory::Slot(_) | Memory::Reference(_) | Memory::Element(_) | Memory::Field { .. } => {
                Content { ty, group: 0 }
            }
        }
    }

    /// The contents of all closed groups.
    pub(super) fn contents(&self) -> BTreeSet<Content> {
        self.groups.values().copied().collect()
    }

    /// Makes one group of several; with a group 0 among them, its cells are not closed any more.
    pub(super) fn merge(&mut self, groups: &[BTreeSet<u32>]) {
        let mut to: BTreeMap<u32, u32> = BTreeMap::new();
        for one in groups {
            // A group may be in several of the sets.
            let merged: BTreeSet<u32> = one.iter().map(|group| *to.get(group).unwrap_or(group)).collect();
            let Some(least) = merged.first().copied() else { continue };
            to.values_mut().filter(|group| merged.contains(group)).for_each(|group| *group = least);
            to.extend(one.iter().chain(&merged).map(|group| (*group, least)));
        }
        let contents = self.groups.values_mut().chain(self.allocations.values_mut());
        for content in contents {
            content.group = *to.get(&content.group).unwrap_or(&content.group);
        }
        self.groups.retain(|_, content| content.group != 0);
        self.allocations.retain(|_, content| content.group != 0);
    }

    fn content(&self, holder: Holder, ty: Type) -> Content {
        self.groups.get(&holder).copied().unwrap_or(Content { ty, group: 0 })
    }
}

/// The root of all groups that are not closed.
const OTHERS: usize = 0;

/// The function that is visited.
struct Within<'program, 'a> {
    id: FunctionId,
    function: &'program Function,
    joins: &'a HashMap<JoinId, Vec<LocalId>>,
}

/// Unites the holders of the same cells (Tarjan, "Efficiency of a good but not linear set union algorithm", 1975).
struct Finder<'program> {
    program: &'program Program,
    index: HashMap<Holder, usize>,
    parents: Vec<usize>,
    /// The allocations of cells, with what refers to them first.
    created: Vec<(AllocationId, Holder)>,
}

impl<'program> Finder<'program> {
    fn root(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn unite(&mut self, first: usize, second: usize) {
        let (first, second) = (self.root(first), self.root(second));
        // The root of all that are not closed stays one.
        self.parents[first.max(second)] = first.min(second);
    }

    fn node(&mut self, holder: Holder) -> usize {
        let count = self.parents.len();
        let node = *self.index.entry(holder).or_insert(count);
        if node == count {
            self.parents.push(node);
        }
        node
    }

    /// The type of the function values in the cells of a type.
    fn content(&self, ty: Type) -> Option<Type> {
        let kinds = &self.program.types;
        let (TypeKind::Array(content) | TypeKind::Reference(content) | TypeKind::Slot(content)) = kinds.kind(ty) else {
            return None;
        };
        matches!(kinds.kind(*content), TypeKind::Function(..)).then_some(*content)
    }

    /// The node of a local that refers to cells.
    fn local(&mut self, id: FunctionId, local: LocalId) -> Option<usize> {
        self.content(self.program.functions[id].locals[local].ty)?;
        Some(self.node(Holder::Local(id, local)))
    }

    fn atom(&mut self, id: FunctionId, atom: &Atom) -> Option<usize> {
        if let Atom::Local(local) = atom { self.local(id, *local) } else { None }
    }

    /// Records that a local may refer to what an operand refers to.
    fn flow(&mut self, from: (FunctionId, &Atom), to: (FunctionId, LocalId)) {
        match (self.atom(from.0, from.1), self.local(to.0, to.1)) {
            (Some(first), Some(second)) => self.unite(first, second),
            (None, Some(node)) | (Some(node), None) => self.unite(OTHERS, node),
            (None, None) => {}
        }
    }

    /// Records a use of an operand that is not followed.
    fn open(&mut self, id: FunctionId, atom: &Atom) {
        if let Some(node) = self.atom(id, atom) {
            self.unite(OTHERS, node);
        }
    }

    /// Records that the origin of a local is not followed.
    fn open_local(&mut self, id: FunctionId, local: LocalId) {
        self.open(id, &Atom::Local(local));
    }

    fn function(&mut self, id: FunctionId, function: &'program Function) {
        let is_known = function.convention == Convention::Known;
        if !is_known {
            function.params.iter().for_each(|param| self.open_local(id, *param));
        }
        let joins = function.body.join_params();
        let to = is_known.then_some(Holder::Result(id));
        self.block(&Within { id, function, joins: &joins }, &function.body, to);
    }

    /// Visits a block, whose value goes to a holder that is followed, or to nothing such.
    fn block(&mut self, within: &Within<'program, '_>, block: &'program Block, to: Option<Holder>) {
        let id = within.id;
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Let(local, Rhs::Scope(inner)) => {
                    self.block(within, inner, Some(Holder::Local(id, *local)));
                }
                StatementKind::Let(_, Rhs::While { condition, body }) => {
                    [condition, body].into_iter().for_each(|inner| self.block(within, inner, None));
                }
                StatementKind::Let(local, rhs) => self.operation(id, *local, rhs),
                StatementKind::Group(members) => members.iter().for_each(|(_, closure)| self.closure(id, closure)),
            }
        }
        match &block.end {
            End::Yield(atom) => self.yielded(id, atom, to),
            End::TailCall { call, .. } => {
                self.call(id, call);
                self.returned(call, to);
            }
            End::Continue(arguments) => self.pass(id, arguments, (id, &within.function.params)),
            End::Jump(join, arguments) => self.pass(id, arguments, (id, &within.joins[join])),
            end @ (End::If { .. } | End::Switch { .. } | End::Join { .. } | End::Trap(..)) => {
                end.atoms(&mut |atom| self.open(id, atom));
            }
        }
        block.end.blocks().into_iter().for_each(|inner| self.block(within, inner, to));
    }

    /// Records that a value goes to a holder.
    fn yielded(&mut self, id: FunctionId, atom: &Atom, to: Option<Holder>) {
        let to = to.filter(|to| self.refers(*to)).map(|to| self.node(to));
        match (self.atom(id, atom), to) {
            (Some(from), Some(to)) => self.unite(from, to),
            (None, Some(node)) | (Some(node), None) => self.unite(OTHERS, node),
            (None, None) => {}
        }
    }

    /// Records that the result of a call goes to a holder.
    fn returned(&mut self, call: &Call, to: Option<Holder>) {
        let from = match &call.callee {
            Callee::Known(callee) => Some(Holder::Result(*callee)).filter(|result| self.refers(*result)),
            Callee::Direct(..) | Callee::Closure(_) => None,
        };
        let nodes = [from, to.filter(|to| self.refers(*to))].map(|holder| holder.map(|holder| self.node(holder)));
        match nodes {
            [Some(from), Some(to)] => self.unite(from, to),
            [Some(node), None] | [None, Some(node)] => self.unite(OTHERS, node),
            [None, None] => {}
        }
    }

    /// Whether a holder refers to cells, by its type.
    fn refers(&self, holder: Holder) -> bool {
        self.content_of(holder).is_some()
    }

    /// The type of the function values in the cells that a holder refers to.
    fn content_of(&self, holder: Holder) -> Option<Type> {
        self.content(match holder {
            Holder::Local(id, local) => self.program.functions[id].locals[local].ty,
            Holder::Global(global) => self.program.globals[global].ty,
            Holder::Result(id) => self.program.functions[id].result,
        })
    }

    fn pass(&mut self, id: FunctionId, arguments: &[Atom], (to, params): (FunctionId, &[LocalId])) {
        arguments.iter().zip(params).for_each(|(argument, param)| self.flow((id, argument), (to, *param)));
    }

    fn closure(&mut self, id: FunctionId, closure: &MakeClosure) {
        let captures = self.program.functions[closure.function].captures();
        self.pass(id, &closure.captures, (closure.function, captures));
    }

    fn call(&mut self, id: FunctionId, call: &Call) {
        match &call.callee {
            Callee::Known(callee) => self.pass(id, &call.arguments, (*callee, &self.program.functions[*callee].params)),
            Callee::Direct(..) | Callee::Closure(_) => call.arguments.iter().for_each(|atom| self.open(id, atom)),
        }
    }

    fn operation(&mut self, id: FunctionId, local: LocalId, rhs: &'program Rhs) {
        if let Some(holder) = rhs.accessed().and_then(Memory::holder) {
            // Only the cell itself: a cell in another one is not followed.
            let mut first = true;
            rhs.atoms(&mut |atom| {
                if !(std::mem::take(&mut first) && atom == holder) {
                    self.open(id, atom);
                }
            });
            self.open_local(id, local);
            return;
        }
        if self.creates(id, local, rhs) {
            return rhs.atoms(&mut |atom| self.open(id, atom));
        }
        if let Rhs::Closure(closure) = rhs {
            self.closure(id, closure);
        } else if let Rhs::Call(call) = rhs {
            self.call(id, call);
            self.returned(call, Some(Holder::Local(id, local)));
        } else if let Rhs::Atom(atom) = rhs {
            self.flow((id, atom), (id, local));
        } else if let Rhs::ReadGlobal(global) = rhs {
            self.global(*global, (id, &Atom::Local(local)));
        } else if let Rhs::WriteGlobal(global, atom) = rhs {
            self.global(*global, (id, atom));
        } else if !matches!(rhs, Rhs::Intrinsic { intrinsic: Intrinsic::ArrayLength, .. }) {
            rhs.atoms(&mut |atom| self.open(id, atom));
            self.open_local(id, local);
        }
    }

    /// Records what a module-level value refers to, or that it is a variable of function values, which is a cell.
    fn global(&mut self, global: GlobalId, (id, atom): (FunctionId, &Atom)) {
        let declared = &self.program.globals[global];
        let is_cell = declared.mutable && matches!(self.program.types.kind(declared.ty), TypeKind::Function(..));
        let node = self.node(Holder::Global(global));
        match self.atom(id, atom) {
            Some(referred) => self.unite(node, referred),
            None if is_cell => {}
            None => self.unite(OTHERS, node),
        }
    }

    /// Whether an operation creates a cell.
    fn creates(&mut self, id: FunctionId, local: LocalId, rhs: &Rhs) -> bool {
        let Some(_) = self.local(id, local) else { return false };
        let allocation = if let Rhs::Slot(_) = rhs {
            return true;
        } else if let Rhs::MakeReference { allocation, .. } | Rhs::Array { allocation, .. } = rhs {
            *allocation
        } else if let Rhs::Intrinsic { intrinsic: Intrinsic::ArrayZero, allocation: Some(allocation), .. } = rhs {
            *allocation
        } else {
            return false;
        };
        self.created.push((allocation, Holder::Local(id, local)));
        true
    }

    /// Numbers the closed groups in the order of the program.
    fn finish(mut self) -> Cells {
        let mut holders: Vec<(usize, Holder)> = self.index.iter().map(|(holder, node)| (*node, *holder)).collect();
        holders.sort_unstable();
        let mut numbers: HashMap<usize, u32> = HashMap::default();
        let mut groups = HashMap::default();
        for (node, holder) in holders {
            let root = self.root(node);
            if root == OTHERS {
                continue;
            }
            let next = numbers.len() as u32 + 1;
            let group = *numbers.entry(root).or_insert(next);
            let variable =
                if let Holder::Global(global) = holder { Some(self.program.globals[global].ty) } else { None };
            let ty = self.content_of(holder).or(variable);
            groups.extend(ty.map(|ty| (holder, Content { ty, group })));
        }
        let created = self.created.into_iter();
        let allocations =
            created.filter_map(|(allocation, holder)| Some((allocation, *groups.get(&holder)?))).collect();
        Cells { groups, allocations }
    }
}
