//! The equality constraints between the regions of one function: which slots each construct unifies.
//!
//! In: a function, and what is known of the functions that it calls and creates closures of. Out: [`Solved`], its
//! classes and their positions. Invariant: everything reachable from a local is in regions of its classes, so that a
//! region may end once no local with that class is used any more. The order of statements does not matter.

use super::{
    classes::{Class, Classes, PROGRAM},
    knowledge::Knowledge,
    reused::{self, Site},
    shape::{EFFECT, KEPT, Slot},
    signature::Signature,
};
use clef_base::{HashMap, HashSet};
use clef_core::{
    AllocationId, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, JoinId, LocalId, MakeClosure, Rhs,
    Statement, StatementKind,
};
use clef_types::{Intrinsic, Reach, Type, TypeKind};
use std::{collections::BTreeSet, rc::Rc};

/// The regions of a function.
pub(super) struct Solved {
    pub(super) classes: Classes,
    /// The classes of each local, one for each slot of its type's shape.
    pub(super) locals: HashMap<LocalId, Rc<[Class]>>,
    /// The classes of the positions of the function's signature.
    pub(super) positions: Vec<Class>,
    /// For each call, in the order of [`Block::each_call`], the classes of the callee's positions that a call chooses.
    pub(super) calls: Vec<Vec<Class>>,
    /// For each closure with captures, by its local, the classes of the positions chosen where it is created.
    pub(super) creations: HashMap<LocalId, Vec<Class>>,
    /// The region of each allocation.
    pub(super) allocations: HashMap<AllocationId, Class>,
}

/// Infers the regions of a function from the current summaries.
pub(super) fn solve(knowledge: &mut Knowledge<'_>, id: FunctionId) -> Solved {
    let function = &knowledge.program.functions[id];
    let mut classes = Classes::new();
    let mut locals = HashMap::default();
    for (local, declared) in function.locals.iter() {
        let shape = knowledge.shapes.of(declared.ty);
        let own: Rc<[Class]> = shape.iter().map(|slot| classes.fresh(*slot)).collect();
        locals.insert(local, own);
    }
    let mut constraints = Constraints {
        id,
        function,
        joins: function.body.join_params(),
        strings: strings(&function.body),
        passed_on: Vec::new(),
        solved: Solved {
            classes,
            locals,
            positions: Vec::new(),
            calls: Vec::new(),
            creations: HashMap::default(),
            allocations: HashMap::default(),
        },
        knowledge,
    };
    constraints.positions();
    constraints.block(&function.body);
    constraints.values(&function.body, Destination::Result);
    constraints.close();
    constraints.merge_reused();
    constraints.solved
}

impl Solved {
    /// Whether two values are in the same regions.
    pub(super) fn are_together(&mut self, one: LocalId, other: LocalId) -> bool {
        self.are_together_but(one, other, usize::MAX)
    }

    /// Whether two values are in the same regions, except for one slot of their shape.
    fn are_together_but(&mut self, one: LocalId, other: LocalId, except: usize) -> bool {
        let (one, other) = (self.locals[&one].clone(), self.locals[&other].clone());
        let mut pairs = one.iter().zip(other.iter()).enumerate().filter(|(slot, _)| *slot != except);
        pairs.all(|(_, (one, other))| self.classes.find(*one) == self.classes.find(*other))
    }
}

/// Where the value of a block goes.
#[derive(Clone, Copy)]
enum Destination {
    Local(LocalId),
    Result,
}

struct Constraints<'a, 'program> {
    id: FunctionId,
    function: &'program Function,
    joins: HashMap<JoinId, Vec<LocalId>>,
    /// For each string built in this function, from the local that begins it, the local of the finished string.
    strings: HashMap<LocalId, LocalId>,
    /// What is passed to a tail call that must take constant stack.
    passed_on: Vec<Class>,
    solved: Solved,
    knowledge: &'a mut Knowledge<'program>,
}

impl<'program> Constraints<'_, 'program> {
    /// Uses the classes of parameters and captures for the positions of the signature, and fresh ones for the others.
    fn positions(&mut self) {
        let signature = &self.knowledge.signatures[&self.id];
        let mut positions = signature.fresh(&mut self.solved.classes);
        let locals = self.function.params.iter().zip(&signature.params);
        let captures = self.function.captures().iter().zip(&signature.captures);
        // A closure without captures is a constant and in no region.
        let itself = self.function.itself().filter(|_| !signature.captures.is_empty());
        for (local, range) in locals.chain(captures).chain(itself.iter().zip([&signature.itself])) {
            positions[range.clone()].copy_from_slice(&self.solved.locals[local]);
        }
        if !signature.itself.is_empty() {
            let effect = positions[signature.itself.start + EFFECT];
            for capture in &positions[signature.itself.end..] {
                self.solved.classes.contain(effect, *capture);
            }
            for (local, range) in self.function.captures().iter().zip(&signature.captures) {
                if self.function.owned().contains(local) {
                    self.solved.classes.unify(positions[range.start], positions[signature.itself.start]);
                }
            }
        }
        self.solved.positions = positions;
        // Other languages pass no handles.
        if let Convention::Exported(_) = self.function.convention {
            self.of_program(&self.solved.positions.clone());
        }
    }

    fn of(&self, local: LocalId) -> Rc<[Class]> {
        self.solved.locals[&local].clone()
    }

    fn ty(&self, atom: &Atom) -> Type {
        self.knowledge.constants.of(atom, self.function)
    }

    /// The classes of an operand.
    fn atom(&mut self, atom: &Atom) -> Rc<[Class]> {
        match atom {
            Atom::Local(local) => self.of(*local),
            Atom::String(_) => Rc::new([self.solved.classes.fresh(Slot::Region)]),
            Atom::Function(id, _) => self.creation(*id, &[]).into(),
            Atom::Unit | Atom::Bool(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Char(_) | Atom::ProgramRegion => {
                Rc::default()
            }
        }
    }

    /// Merges the regions of nodes that may be reused with those of the nodes that take their memory, if both are the
    /// function's own, and the function goes on with the nodes that they lead to: then little is in memory for longer than
    /// without.
    fn merge_reused(&mut self) {
        let sites = reused::sites(&self.function.body);
        if sites.is_empty() {
            return;
        }
        let moved = moved(&self.function.body);
        let seen: BTreeSet<Class> =
            self.solved.positions.iter().map(|class| self.solved.classes.find(*class)).collect();
        for Site { node, made, case } in sites {
            let ty = self.function.locals[node].ty;
            let fields = self.knowledge.program.declared[&ty].cases[case].fields.iter().enumerate();
            let mut next = fields.filter(|(_, field)| **field == ty).map(|(field, _)| field);
            let Some(slot) = self.knowledge.shapes.node(ty) else { continue };
            if !next.all(|field| moved.contains(&(node, field))) {
                continue;
            }
            let (one, other) = (self.of(node)[slot], self.of(made)[slot]);
            let classes = &mut self.solved.classes;
            let mut is_own = |class: Class| !seen.contains(&classes.find(class)) && !classes.is_program(class);
            if is_own(one) && is_own(other) && self.solved.are_together_but(node, made, slot) {
                self.solved.classes.unify(one, other);
            }
        }
    }

    fn same(&mut self, atom: &Atom, to: &[Class]) {
        let from = self.atom(atom);
        self.solved.classes.unify_all(&from, to);
    }

    fn destination(&self, to: Destination) -> Vec<Class> {
        match to {
            Destination::Local(local) => self.of(local).to_vec(),
            Destination::Result => self.solved.positions[self.signature().result.clone()].to_vec(),
        }
    }

    fn signature(&self) -> &Signature {
        &self.knowledge.signatures[&self.id]
    }

    /// All statements and tail calls within a block, outer before inner.
    fn block(&mut self, block: &'program Block) {
        block.each(&mut |block| {
            block.statements.iter().for_each(|statement| self.statement(statement));
            if let End::TailCall { call, required, .. } = &block.end {
                let result = self.destination(Destination::Result);
                let positions = self.call(call, &result, *required);
                self.solved.calls.push(positions);
            }
        });
    }

    /// The values that a block, and the blocks of its end, yield.
    fn values(&mut self, block: &'program Block, to: Destination) {
        match &block.end {
            End::Yield(atom) => {
                let destination = self.destination(to);
                self.same(atom, &destination);
            }
            End::Continue(arguments) => {
                for (argument, param) in arguments.iter().zip(&self.function.params) {
                    let param = self.of(*param);
                    self.same(argument, &param);
                }
            }
            End::Jump(join, arguments) => {
                let params = self.joins.get(join).cloned().unwrap_or_default();
                for (argument, param) in arguments.iter().zip(params) {
                    let param = self.of(param);
                    self.same(argument, &param);
                }
            }
            End::If { .. } | End::Switch { .. } | End::Join { .. } | End::TailCall { .. } | End::Trap(..) => {}
        }
        block.end.blocks().into_iter().for_each(|block| self.values(block, to));
    }

    fn statement(&mut self, statement: &'program Statement) {
        match &statement.kind {
            StatementKind::Let(local, rhs) => self.rhs(*local, rhs),
            StatementKind::Group(members) => {
                for (local, closure) in members {
                    self.closure(*local, closure);
                }
            }
        }
    }

    /// Records that a local's value is allocated in the region of its first slot, or of the given one.
    fn allocated(&mut self, allocation: Option<AllocationId>, class: Option<Class>) {
        if let (Some(allocation), Some(class)) = (allocation, class) {
            self.solved.allocations.insert(allocation, class);
            if self.knowledge.in_region(allocation) {
                self.solved.classes.allocate(class);
            }
        }
    }

    fn rhs(&mut self, local: LocalId, rhs: &'program Rhs) {
        let own = self.of(local);
        match rhs {
            Rhs::Atom(atom) | Rhs::Slot(atom) | Rhs::ReadSlot(atom) => self.same(atom, &own),
            Rhs::WriteSlot(slot, value) => {
                let slot = self.atom(slot);
                self.same(value, &slot);
            }
            Rhs::Intrinsic { intrinsic, arguments, allocation } => {
                self.intrinsic(local, *intrinsic, arguments, *allocation);
            }
            Rhs::Concatenate { allocation, .. } => self.allocated(Some(*allocation), own.first().copied()),
            Rhs::Call(call) => {
                let positions = self.call(call, &own, false);
                self.solved.calls.push(positions);
            }
            Rhs::Closure(closure) => self.closure(local, closure),
            Rhs::Tuple(parts) => {
                let components = self.knowledge.shapes.components(self.function.locals[local].ty);
                for (part, positions) in parts.iter().zip(components.iter()) {
                    self.same(part, &at(&own, positions));
                }
            }
            Rhs::Component(tuple, index) => {
                let components = self.knowledge.shapes.components(self.ty(tuple));
                let tuple = self.atom(tuple);
                self.solved.classes.unify_all(&at(&tuple, &components[*index]), &own);
            }
            Rhs::Array { elements, allocation } => {
                elements.iter().for_each(|element| self.same(element, &own[1..]));
                self.allocated(Some(*allocation), own.first().copied());
            }
            Rhs::Inject { ty, case, fields, allocation, .. } => {
                for (field, content) in fields.iter().enumerate() {
                    self.field(*ty, (*case, field), &own, content);
                }
                let node = self.knowledge.shapes.node(*ty).map(|node| own[node]);
                self.allocated(*allocation, node);
            }
            Rhs::Field { value, case, field } => {
                let slots = self.knowledge.shapes.field(self.ty(value), *case, *field);
                let value = self.atom(value);
                self.solved.classes.unify_all(&at(&value, &slots), &own);
            }
            Rhs::WriteField { value, case, field, content } => {
                let of = self.atom(value);
                self.field(self.ty(value), (*case, *field), &of, content);
            }
            Rhs::MakeReference { value, allocation } => {
                self.same(value, &own[1..]);
                self.allocated(Some(*allocation), own.first().copied());
            }
            Rhs::ReadReference(cell) => {
                let cell = self.atom(cell);
                self.solved.classes.unify_all(&cell[1..], &own);
            }
            Rhs::WriteReference(cell, value) => {
                let cell = self.atom(cell);
                self.same(value, &cell[1..]);
            }
            Rhs::ReadGlobal(_) => self.of_program(&own),
            Rhs::WriteGlobal(_, value) => self.escapes(value),
            // A foreign function may return its arguments. It promises to keep nothing beyond the call.
            Rhs::Foreign { arguments, .. } => {
                for argument in arguments {
                    for given in self.atom(argument).iter() {
                        own.iter().for_each(|class| {
                            self.solved.classes.unify(*given, *class);
                        });
                    }
                }
            }
            Rhs::Scope(block) => self.values(block, Destination::Local(local)),
            Rhs::While { condition, body } => {
                [condition, body].into_iter().for_each(|block| self.values(block, Destination::Local(local)));
            }
            // Numbers, booleans and handles point to nothing.
            Rhs::Primitive(..)
            | Rhs::Arity(_)
            | Rhs::Tag(_)
            | Rhs::FunctionAddress(_)
            | Rhs::EnterRegion
            | Rhs::LeaveRegion(_)
            | Rhs::PopClosure(_)
            | Rhs::Evacuate { .. } => {}
        }
    }

    /// Makes a value live as long as the program.
    fn escapes(&mut self, atom: &Atom) {
        let classes = self.atom(atom);
        self.of_program(&classes);
    }

    /// Unifies slots with the program's region.
    fn of_program(&mut self, slots: &[Class]) {
        for class in slots {
            let slot = if self.solved.classes.is_effect(*class) { Slot::Effect } else { Slot::Region };
            self.solved.classes.unify(*class, Classes::program(slot));
        }
    }

    fn field(&mut self, ty: Type, (case, field): (usize, usize), whole: &[Class], content: &Atom) {
        let slots = self.knowledge.shapes.field(ty, case, field);
        self.same(content, &at(whole, &slots));
    }

    fn intrinsic(
        &mut self,
        local: LocalId,
        intrinsic: Intrinsic,
        arguments: &[Atom],
        allocation: Option<AllocationId>,
    ) {
        let own = self.of(local);
        match intrinsic.properties().reach {
            Reach::FirstArgument => {
                let first = self.atom(&arguments[0]);
                self.solved.classes.unify(first[0], own[0]);
            }
            Reach::AllArguments => arguments.iter().for_each(|argument| self.same(argument, &own)),
            Reach::ReadsElement => {
                let array = self.atom(&arguments[0]);
                self.solved.classes.unify_all(&array[1..], &own);
            }
            Reach::WritesElement => {
                let array = self.atom(&arguments[0]);
                self.same(&arguments[2], &array[1..]);
            }
            // Pointers are not followed: an address stored there, or in a number, may be used at any time.
            Reach::ReadsThroughPointer => self.of_program(&own),
            Reach::WritesThroughPointer => self.escapes(&arguments[1]),
            Reach::RevealsAddress => self.escapes(&arguments[0]),
            Reach::Nothing => self.fresh_memory(local, intrinsic, allocation),
        }
    }

    /// An intrinsic whose result is in memory of its own, if in any. A string's buffer is in the region of the finished string.
    fn fresh_memory(&mut self, local: LocalId, intrinsic: Intrinsic, allocation: Option<AllocationId>) {
        let own = self.of(local);
        if intrinsic == Intrinsic::TextBegin {
            let end = self.strings.get(&local).map(|end| self.of(*end)[0]);
            return self.allocated(allocation, Some(end.unwrap_or(PROGRAM)));
        }
        if intrinsic == Intrinsic::TextEnd && !self.strings.values().any(|end| *end == local) {
            self.of_program(&own);
        }
        self.allocated(allocation, own.first().copied());
    }

    fn closure(&mut self, local: LocalId, closure: &'program MakeClosure) {
        let own = self.of(local);
        let made = &self.knowledge.program.functions[closure.function];
        let mut captures: Vec<Class> = Vec::new();
        for (capture, captured) in closure.captures.iter().zip(made.captures()) {
            // A cell that the closure owns is in the region of the closure; it is created with the cell's content.
            captures.extend(made.owned().contains(captured).then_some(own[0]));
            captures.extend(self.atom(capture).iter());
        }
        let positions = self.creation(closure.function, &captures);
        self.solved.classes.unify_all(&positions[..own.len()], &own);
        self.allocated(Some(closure.allocation), own.first().copied());
        self.solved.creations.insert(local, positions);
    }

    /// The positions that the creation of a closure chooses: its own three slots, and its captures.
    fn creation(&mut self, id: FunctionId, captures: &[Class]) -> Vec<Class> {
        let Signature { itself, slots, .. } = &self.knowledge.signatures[&id];
        let start = itself.start;
        let mut positions: Vec<Class> =
            slots[itself.clone()].iter().map(|slot| self.solved.classes.fresh(*slot)).collect();
        positions.extend(captures);
        self.knowledge.summaries[&id].instantiate(&mut self.solved.classes, start, &positions);
        positions
    }

    /// The positions that a call chooses.
    fn call(&mut self, call: &'program Call, result: &[Class], required: bool) -> Vec<Class> {
        let mut positions: Vec<Class> = Vec::new();
        for argument in &call.arguments {
            positions.extend(self.atom(argument).iter());
        }
        positions.extend(result);
        let iteration = if required {
            self.solved.positions[self.signature().iteration]
        } else {
            self.solved.classes.fresh(Slot::Region)
        };
        positions.push(iteration);
        let closure = call.callee.closure().map(|closure| self.atom(closure)).unwrap_or_default();
        if required {
            self.passed_on.extend(&positions[..positions.len() - 1 - result.len()]);
            self.passed_on.extend(closure.iter());
        }
        let chosen = positions.len();
        positions.extend(closure.iter());
        match call.callee {
            Callee::Known(id) | Callee::Direct(id, _) => {
                self.knowledge.summaries[&id].instantiate(&mut self.solved.classes, 0, &positions);
            }
            Callee::Closure(_) => {
                let params: Vec<Type> = call.arguments.iter().map(|argument| self.ty(argument)).collect();
                let result_type = self.called_result(call);
                if let Some(summary) = self.knowledge.closures.get(&(params, result_type)) {
                    summary.instantiate(&mut self.solved.classes, 0, &positions);
                }
            }
        }
        positions.truncate(chosen);
        positions
    }

    /// The type of the result of a call of an unknown closure.
    fn called_result(&self, call: &Call) -> Type {
        let mut ty = call.callee.closure().map_or(self.function.result, |closure| self.ty(closure));
        for _ in &call.arguments {
            if let TypeKind::Function(_, result) = self.knowledge.program.types.kind(ty) {
                ty = *result;
            }
        }
        ty
    }

    /// Applies these rules to a fixed point: an effect of the program keeps alive only the program's regions; what
    /// calls see of captures is the kept region; what an effect visible to callers keeps alive has a position that they
    /// see; what is passed on to a tail call is in the region of the iteration.
    fn close(&mut self) {
        let signature = &self.knowledge.signatures[&self.id];
        let Solved { classes, positions, .. } = &mut self.solved;
        loop {
            let mut changed = classes.close_program();
            let seen: HashSet<Class> =
                positions[signature.of_each_call()].iter().map(|class| classes.find(*class)).collect();
            for capture in &positions[signature.itself.end..] {
                let root = classes.find(*capture);
                if seen.contains(&root) && !classes.is_program(root) {
                    let own = if classes.is_effect(*capture) { EFFECT } else { KEPT };
                    changed |= classes.unify(root, positions[signature.itself.start + own]);
                }
            }
            let all: BTreeSet<Class> = positions.iter().map(|class| classes.find(*class)).collect();
            let memberships = classes.memberships();
            for (position, slot) in signature.slots.iter().enumerate() {
                if *slot == Slot::Effect {
                    let kept = positions[Signature::kept_beside(position)];
                    for region in classes.regions(&[positions[position]], &memberships) {
                        if !all.contains(&region) && !classes.is_program(region) {
                            changed |= classes.unify(region, kept);
                        }
                    }
                }
            }
            let iteration = positions[signature.iteration];
            for region in classes.regions(&self.passed_on, &memberships) {
                if !all.contains(&region) && !classes.is_program(region) {
                    changed |= classes.unify(region, iteration);
                }
            }
            if !changed {
                return self.keep_captures();
            }
        }
    }

    /// An effect that callers see and that keeps a capture alive keeps all that this closure keeps alive.
    fn keep_captures(&mut self) {
        let signature = &self.knowledge.signatures[&self.id];
        if signature.itself.is_empty() {
            return;
        }
        let Solved { classes, positions, .. } = &mut self.solved;
        let seen: HashSet<Class> = positions[signature.of_type()].iter().map(|class| classes.find(*class)).collect();
        let captures = positions[signature.itself.end..].iter();
        let own: HashSet<Class> = captures.map(|class| classes.find(*class)).collect();
        let memberships = classes.memberships();
        for position in signature.of_each_call() {
            if signature.slots[position] != Slot::Effect {
                continue;
            }
            let captured = |class: &Class| own.contains(class) && !seen.contains(class);
            if classes.reached(&[positions[position]], &memberships, |_| true).iter().any(captured) {
                classes.contain(positions[position], positions[signature.itself.start + EFFECT]);
            }
        }
    }
}

/// The classes of a part of a value.
fn at(whole: &[Class], positions: &[usize]) -> Vec<Class> {
    positions.iter().map(|position| whole[*position]).collect()
}

/// The fields that are read out of nodes and then become parts of other values, or are what a loop goes on with.
fn moved(body: &Block) -> HashSet<(LocalId, usize)> {
    let mut used = HashSet::default();
    let mut read = Vec::new();
    body.each(&mut |block| {
        let mut take = |atom: &Atom| used.extend(atom.local());
        for statement in &block.statements {
            let StatementKind::Let(local, rhs) = &statement.kind else { continue };
            if let Rhs::Field { value: Atom::Local(node), field, .. } = rhs {
                read.push((*local, *node, *field));
            } else if let Rhs::Inject { fields, .. } = rhs {
                fields.iter().for_each(&mut take);
            } else if let Rhs::WriteSlot(_, content) = rhs {
                take(content);
            }
        }
        if let End::Continue(_) | End::Jump(..) | End::Yield(_) = &block.end {
            block.end.atoms(&mut take);
        }
    });
    read.into_iter().filter(|(local, ..)| used.contains(local)).map(|(_, node, field)| (node, field)).collect()
}

/// For each string built in a body, from the local that begins it, the local of the finished string.
fn strings(body: &Block) -> HashMap<LocalId, LocalId> {
    let mut strings = HashMap::default();
    body.each_statement(&mut |statement| {
        if let StatementKind::Let(end, Rhs::Intrinsic { intrinsic: Intrinsic::TextEnd, arguments, .. }) =
            &statement.kind
            && let Atom::Local(begin) = arguments[0]
        {
            strings.insert(begin, *end);
        }
    });
    strings
}
