//! Which allocations may lie in flash: nothing writes to them.
//!
//! In: a program before its regions are decided. Out: the nodes and arrays whose memory is never written after it is
//! made. A node is written if its type has mutable fields, if its memory may be used for another node, or if
//! `list_reverse` relinks it; an array if it may be one that `array_set` or `array_put` receives. Both are found by the
//! flow of values between locals, in all functions at once: an array is followed to all places that it may reach, the
//! operand of `list_reverse` back to the nodes that it may be. Where a value goes through something that is not
//! followed, the answer is that it is written.

use clef_base::{HashMap, HashSet};
use clef_core::{
    AllocationId, AllocationKind, Atom, Block, Call, Callee, Convention, End, FunctionId, GlobalId, JoinId, LocalId,
    Program, Rhs, Statement, StatementKind,
};
use clef_types::{Intrinsic, Type, TypeKind};

/// Somewhere that a value can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Local(FunctionId, LocalId),
    Global(GlobalId),
    /// The result of a function.
    Result(FunctionId),
}

/// The allocations that nothing writes to.
pub(super) struct Unwritten {
    written: HashSet<AllocationId>,
    /// The types of nodes that may be written.
    types: HashSet<Type>,
}

impl Unwritten {
    /// Those of a program; the memory of nodes of `reused` types may be used for others.
    pub(super) fn of(program: &Program, reused: &HashSet<Type>) -> Unwritten {
        let moves = Moves::of(program);
        let mut types = reused.clone();
        let is_mutable = |ty: &&Type| program.declared[ty].cases.iter().any(|case| !case.mutable.is_empty());
        types.extend(program.declared.keys().filter(is_mutable));
        let mut written = moves.written_arrays(program);
        moves.relinked(program, &mut written, &mut types);
        Unwritten { written, types }
    }

    /// Whether nothing writes to an allocation.
    pub(super) fn contains(&self, program: &Program, id: AllocationId) -> bool {
        !self.written.contains(&id)
            && match program.allocations[id].kind {
                AllocationKind::Node(ty, _) => !self.types.contains(&ty),
                AllocationKind::Array(_) => true,
                AllocationKind::Closure(_)
                | AllocationKind::Reference(_)
                | AllocationKind::String
                | AllocationKind::Memory(_) => false,
            }
    }
}

/// How arrays and nodes flow between places.
#[derive(Default)]
struct Moves {
    /// For each place, those whose value it may have.
    before: HashMap<Place, Vec<Place>>,
    /// The arrays and nodes that are made, where they are bound.
    made: HashMap<Place, (AllocationId, Vec<Place>)>,
    /// The places that a value reaches in a way that is not followed.
    lost: HashSet<Place>,
    /// The places whose value comes from something that is not followed.
    unknown: HashSet<Place>,
    /// The operands of `list_reverse`, with their types.
    reversed: Vec<(Place, Type)>,
}

impl Moves {
    fn of(program: &Program) -> Moves {
        let mut moves = Moves::default();
        for (id, function) in program.functions.iter() {
            if function.convention != Convention::Known {
                moves.unknown.extend(function.params.iter().map(|param| Place::Local(id, *param)));
                moves.lost.insert(Place::Result(id));
            }
            let mut walk =
                Walk { program, id, moves: &mut moves, joins: HashMap::default(), evacuated: HashMap::default() };
            walk.block(&function.body, Place::Result(id));
        }
        moves
    }

    /// The arrays that may be written, or that are not followed to all places.
    fn written_arrays(&self, program: &Program) -> HashSet<AllocationId> {
        let mut lost = self.lost.clone();
        let mut open: Vec<Place> = lost.iter().copied().collect();
        while let Some(place) = open.pop() {
            let before = self.before.get(&place).into_iter().flatten();
            open.extend(before.copied().filter(|before| lost.insert(*before)));
        }
        let made = self.made.iter().filter(|(place, _)| lost.contains(place)).map(|(_, (allocation, _))| *allocation);
        made.filter(|id| matches!(program.allocations[*id].kind, AllocationKind::Array(_))).collect()
    }

    /// Adds the nodes that `list_reverse` may relink, and the types of those that are not known.
    fn relinked(&self, program: &Program, written: &mut HashSet<AllocationId>, types: &mut HashSet<Type>) {
        let mut seen = HashSet::default();
        let mut open = self.reversed.clone();
        while let Some((place, ty)) = open.pop() {
            if !seen.insert(place) {
                continue;
            }
            if self.unknown.contains(&place) {
                types.insert(ty);
            }
            if let Some((allocation, parts)) = self.made.get(&place) {
                written.insert(*allocation);
                let is_rest = |part: &&Place| matches!(part, Place::Local(function, local) if program.functions[*function].locals[*local].ty == ty);
                open.extend(parts.iter().filter(is_rest).map(|part| (*part, ty)));
            }
            open.extend(self.before.get(&place).into_iter().flatten().map(|before| (*before, ty)));
        }
    }
}

/// Collects the moves of one function.
struct Walk<'a> {
    program: &'a Program,
    id: FunctionId,
    moves: &'a mut Moves,
    joins: HashMap<JoinId, Vec<LocalId>>,
    /// The roots of each evacuation: the components of its result are the roots after it.
    evacuated: HashMap<LocalId, Vec<Atom>>,
}

impl Walk<'_> {
    fn local(&self, local: LocalId) -> Place {
        Place::Local(self.id, local)
    }

    /// The place of an operand that is an array, a node, or a slot of one.
    fn place(&self, atom: &Atom) -> Option<Place> {
        let local = atom.local()?;
        let mut ty = self.program.functions[self.id].locals[local].ty;
        if let TypeKind::Slot(content) = self.program.types.kind(ty) {
            ty = *content;
        }
        let is_node = || self.program.declared.get(&ty).is_some_and(|declared| declared.boxed);
        let is_array = matches!(self.program.types.kind(ty), TypeKind::Array(_));
        (is_array || is_node()).then(|| self.local(local))
    }

    fn go(&mut self, atom: &Atom, to: Place) {
        if let Some(from) = self.place(atom) {
            self.copy(from, to);
        }
    }

    fn copy(&mut self, from: Place, to: Place) {
        self.moves.before.entry(to).or_default().push(from);
    }

    fn lose(&mut self, atom: &Atom) {
        self.moves.lost.extend(self.place(atom));
    }

    fn block(&mut self, block: &Block, to: Place) {
        block.statements.iter().for_each(|statement| self.statement(statement));
        match &block.end {
            End::Yield(atom) => self.go(atom, to),
            End::TailCall { call, .. } => self.call(call, to),
            End::Continue(arguments) => {
                let params = self.program.functions[self.id].params.clone();
                arguments.iter().zip(params).for_each(|(argument, param)| self.go(argument, self.local(param)));
            }
            End::Jump(join, arguments) => {
                let params = self.joins.get(join).cloned().unwrap_or_default();
                arguments.iter().zip(params).for_each(|(argument, param)| self.go(argument, self.local(param)));
            }
            End::Join { join, .. } => {
                self.joins.insert(join.id, join.params.clone());
            }
            End::If { .. } | End::Switch { .. } | End::Trap(..) => {}
        }
        block.end.blocks().into_iter().for_each(|inner| self.block(inner, to));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let(local, rhs) => self.rhs(*local, rhs),
            StatementKind::Group(members) => members.iter().for_each(|(_, closure)| {
                self.captured(closure.function, &closure.captures);
            }),
        }
    }

    fn rhs(&mut self, local: LocalId, rhs: &Rhs) {
        let to = self.local(local);
        match rhs {
            Rhs::Atom(atom) | Rhs::Slot(atom) | Rhs::ReadSlot(atom) => self.go(atom, to),
            Rhs::WriteSlot(slot, value) => {
                if let Some(slot) = self.place(slot) {
                    self.go(value, slot);
                }
            }
            Rhs::ReadGlobal(global) => self.copy(Place::Global(*global), to),
            Rhs::WriteGlobal(global, value) => self.go(value, Place::Global(*global)),
            Rhs::Array { elements: parts, allocation }
            | Rhs::Inject { fields: parts, allocation: Some(allocation), .. } => {
                parts.iter().for_each(|part| self.lose(part));
                let parts = parts.iter().filter_map(|part| self.place(part)).collect();
                self.moves.made.insert(to, (*allocation, parts));
            }
            // A case without fields.
            Rhs::Inject { fields, .. } if fields.is_empty() => {}
            Rhs::Closure(closure) => {
                self.captured(closure.function, &closure.captures);
                self.moves.unknown.insert(to);
            }
            Rhs::Call(call) => self.call(call, to),
            Rhs::Intrinsic { intrinsic, arguments, .. } => self.intrinsic(*intrinsic, arguments, to),
            Rhs::Scope(block) => self.block(block, to),
            Rhs::While { condition, body } => [condition, body].into_iter().for_each(|block| self.block(block, to)),
            Rhs::Evacuate { roots, .. } => {
                self.evacuated.insert(local, roots.clone());
            }
            Rhs::Component(tuple, index) if self.root(tuple, *index).is_some() => {
                self.root(tuple, *index).into_iter().for_each(|root| self.go(&root, to));
            }
            // What is read of a value does not write to it.
            Rhs::Tag(_) | Rhs::Field { .. } | Rhs::Component(..) => {
                self.moves.unknown.insert(to);
            }
            Rhs::Primitive(..)
            | Rhs::Concatenate { .. }
            | Rhs::Foreign { .. }
            | Rhs::FunctionAddress(_)
            | Rhs::Arity(_)
            | Rhs::Tuple(_)
            | Rhs::Inject { .. }
            | Rhs::WriteField { .. }
            | Rhs::MakeReference { .. }
            | Rhs::ReadReference(_)
            | Rhs::WriteReference(..)
            | Rhs::EnterRegion
            | Rhs::LeaveRegion(_)
            | Rhs::PopClosure(_) => {
                rhs.atoms(&mut |atom| self.lose(atom));
                self.moves.unknown.insert(to);
            }
        }
    }

    /// The root of an evacuation that a component of its result replaces.
    fn root(&self, tuple: &Atom, index: usize) -> Option<Atom> {
        self.evacuated.get(&tuple.local()?)?.get(index).cloned()
    }

    /// A slot that a closure captures by reference is written by the closure too.
    fn captured(&mut self, function: FunctionId, captures: &[Atom]) {
        let Convention::Closure { captures: params, .. } = &self.program.functions[function].convention else { return };
        for (atom, param) in captures.iter().zip(params) {
            let to = Place::Local(function, *param);
            self.go(atom, to);
            let is_slot = |local: LocalId| {
                matches!(self.program.types.kind(self.program.functions[self.id].locals[local].ty), TypeKind::Slot(_))
            };
            if let Some(from) = self.place(atom)
                && atom.local().is_some_and(is_slot)
            {
                self.copy(to, from);
            }
        }
    }

    fn call(&mut self, call: &Call, to: Place) {
        if let Callee::Known(callee) = call.callee {
            let params = &self.program.functions[callee].params;
            for (argument, param) in call.arguments.iter().zip(params) {
                self.go(argument, Place::Local(callee, *param));
            }
            self.copy(Place::Result(callee), to);
        } else {
            call.arguments.iter().for_each(|argument| self.lose(argument));
            self.moves.unknown.insert(to);
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: &[Atom], to: Place) {
        self.moves.unknown.insert(to);
        if intrinsic == Intrinsic::ListReverse {
            let ty = arguments[0].local().map(|local| self.program.functions[self.id].locals[local].ty);
            self.moves.reversed.extend(self.place(&arguments[0]).zip(ty));
        } else if !matches!(intrinsic, Intrinsic::ArrayGet | Intrinsic::ArrayLength) {
            arguments.iter().for_each(|argument| self.lose(argument));
        }
    }
}
