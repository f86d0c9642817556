//! Which values of a function are the only references to their nodes.
//!
//! In: a function, and what is assumed of its parameters and of the functions that it calls. Out: [`Findings`]: which of
//! its candidates can be reused, what it takes from its callers, and what it passes on. A value is *moved* where something
//! may keep it: where it becomes a part, a result, a content, or an argument that the callee takes. All other uses only
//! read it. At first every value counts as the only reference. It no longer does for a type if one of its nodes of that
//! type is moved and used again on some path, or comes from where it may be shared. A value and its parts are one value
//! ([`super::place`]): parts can be moved one by one. As in Rust, a loop must not move what was made before it, except the
//! content of a slot that it fills again.

use super::{
    held::{Held, Mask},
    place::{Place, Places},
    sites::Sites,
    solve::Summaries,
    state::{Changes, Moved, State},
};
use clef_base::{HashMap, HashSet};
use clef_core::{
    Atom, Block, Call, Callee, Convention, Declared, End, Function, FunctionId, JoinId, LocalId, Rhs, Statement,
    StatementKind,
};
use clef_types::{Intrinsic, Type, TypeKind, Types};
use std::collections::BTreeMap;

/// All types.
pub(super) const ALL: Mask = Mask::MAX;

/// The most passes over a function before nothing in it counts as the only reference.
const PASSES: usize = 6;

/// The most loops within conditions of one another that are walked twice.
const CONDITIONS: usize = 3;

/// What is known of a function.
#[derive(Default)]
pub(super) struct Findings {
    /// For each parameter the types whose nodes are moved.
    pub(super) moved: BTreeMap<LocalId, Mask>,
    /// For parameters of called functions, the types for which the argument is the only reference, among those moved.
    pub(super) passed: BTreeMap<(FunctionId, usize), Mask>,
    /// The types for which the result is the only reference.
    pub(super) result: Mask,
    /// The candidates that cannot be reused.
    pub(super) failed: Vec<LocalId>,
}

/// What it is computed from.
pub(super) struct Given<'a> {
    pub(super) types: &'a Types,
    pub(super) declared: &'a HashMap<Type, Declared>,
    pub(super) id: FunctionId,
    pub(super) function: &'a Function,
    pub(super) held: &'a Held,
    pub(super) places: &'a Places,
    pub(super) sites: &'a Sites,
    pub(super) summaries: &'a Summaries,
}

/// What a function moves, if all its candidates are reused.
pub(super) fn moves(given: &Given<'_>) -> BTreeMap<LocalId, Mask> {
    let mut walk = Walk::new(given, 0);
    walk.run();
    walk.findings.moved
}

/// The findings for a function.
pub(super) fn findings(given: &Given<'_>) -> Findings {
    let mut unique = HashMap::default();
    for _ in 0..PASSES {
        let mut walk = Walk::new(given, ALL);
        walk.unique = unique;
        walk.run();
        if !walk.changed {
            return walk.findings;
        }
        unique = walk.unique;
    }
    let mut walk = Walk::new(given, 0);
    walk.run();
    walk.findings.failed = given.sites.keys().copied().collect();
    walk.findings
}

struct Walk<'a> {
    given: &'a Given<'a>,
    /// What roots start with.
    initial: Mask,
    /// The types for which a root is the only reference.
    unique: HashMap<LocalId, Mask>,
    /// The roots that were used.
    used: HashSet<LocalId>,
    /// Whether a root lost one after it was used.
    changed: bool,
    state: State,
    /// The innermost loop; zero is none.
    inside: usize,
    loops: usize,
    /// How many conditions around the current point are walked again.
    conditions: usize,
    /// The loop in which a local is bound.
    bound: HashMap<LocalId, usize>,
    /// The content of the slot when a local was read from it.
    read: HashMap<LocalId, u32>,
    /// The first local that the content of a slot was read into.
    readers: HashMap<(LocalId, u32), LocalId>,
    /// The value that a local is the tag of.
    tags: HashMap<LocalId, LocalId>,
    /// The values that are known to be cases without fields.
    empty: HashSet<LocalId>,
    joins: HashMap<JoinId, (Vec<LocalId>, Exits)>,
    findings: Findings,
}

/// The paths to where a block continues.
struct Exits {
    mark: usize,
    paths: Vec<Changes>,
}

/// Where the value of a block goes.
enum Target<'t> {
    /// It is the function's.
    Function,
    /// A scope's local, with the paths that end there.
    Scope(LocalId, &'t mut Exits),
    /// A condition or an iteration of a loop: it has no nodes.
    Loop(&'t mut Exits),
}

impl<'a> Walk<'a> {
    fn new(given: &'a Given<'a>, initial: Mask) -> Walk<'a> {
        Walk {
            given,
            initial,
            unique: HashMap::default(),
            used: HashSet::default(),
            changed: false,
            state: State::default(),
            inside: 0,
            loops: 0,
            conditions: 0,
            bound: HashMap::default(),
            read: HashMap::default(),
            readers: HashMap::default(),
            tags: HashMap::default(),
            empty: HashSet::default(),
            joins: HashMap::default(),
            findings: Findings { result: ALL, ..Findings::default() },
        }
    }

    fn run(&mut self) {
        let Given { id, function, summaries, .. } = self.given;
        for (index, param) in function.params.iter().enumerate() {
            // What a slot of a caller holds may be used there too.
            let unique = if self.is_slot(*param) { 0 } else { summaries.param(*id, index) };
            self.define(*param, unique);
        }
        for local in function.captures().iter().copied().chain(function.itself()) {
            self.define(local, 0);
        }
        self.block(&function.body, &mut Target::Function);
    }

    fn ty(&self, local: LocalId) -> Type {
        self.given.function.locals[local].ty
    }

    /// What a local, or the content of a slot, leads to.
    fn held(&self, local: LocalId) -> Mask {
        let ty = self.ty(local);
        self.given.held.of(if let TypeKind::Slot(content) = self.given.types.kind(ty) { *content } else { ty })
    }

    fn is_slot(&self, local: LocalId) -> bool {
        matches!(self.given.types.kind(self.ty(local)), TypeKind::Slot(_))
    }

    fn unique(&self, root: LocalId) -> Mask {
        self.unique.get(&root).copied().unwrap_or(self.initial)
    }

    /// Binds a local to a value that is the only reference for some types.
    fn define(&mut self, local: LocalId, unique: Mask) {
        let held = self.held(local);
        if held != 0 {
            self.bound.insert(local, self.inside);
            // In a condition, what was moved before the iteration was another value.
            self.state.forget(local);
            self.lose(local, held & !unique);
        }
    }

    /// A root is not the only reference for some types.
    fn lose(&mut self, root: LocalId, types: Mask) {
        let before = self.unique(root);
        let after = before & !types;
        self.unique.insert(root, after);
        self.changed |= after != before && self.used.contains(&root);
    }

    /// Uses a local at its place; returns the types for which it is the only reference.
    fn access(&mut self, local: LocalId, types: Mask, conflicts: impl Fn(&Moved, &Place) -> bool) -> Mask {
        let place = self.given.places.place(local);
        self.used.insert(place.root);
        let unique = self.unique(place.root) & types;
        if unique == 0 {
            return 0;
        }
        let lost = match self.owner(local, place.root) {
            None => unique,
            Some(owner) => {
                let moved = self.state.root(owner).into_iter().flat_map(|root| &root.moved);
                let conflicting = moved.filter(|moved| conflicts(moved, &place));
                conflicting.fold(0, |lost, moved| lost | (moved.types & unique))
            }
        };
        if lost != 0 {
            self.lose(place.root, lost);
        }
        unique & !lost
    }

    /// Where the moves of a local's value are recorded: its root, or a former content of that slot. None if that depends on
    /// the path.
    fn owner(&self, local: LocalId, root: LocalId) -> Option<LocalId> {
        let Some(read) = self.given.places.read(local) else { return Some(root) };
        if self.bound.get(&read) != Some(&self.inside) {
            return None;
        }
        let version = *self.read.get(&read)?;
        if version == self.state.version(root) {
            return Some(root);
        }
        let former = *self.readers.get(&(root, version))?;
        self.state.root(former).is_some_and(|content| content.is_former).then_some(former)
    }

    /// Reads the node of a local, not its parts.
    fn peek(&mut self, atom: &Atom) {
        if let Some((local, types)) = self.tracked(atom) {
            self.access(local, types, hides);
        }
    }

    /// Reads a value.
    fn borrow(&mut self, atom: &Atom, types: Mask) {
        if let Some((local, held)) = self.tracked(atom) {
            self.access(local, held & types, overlaps);
        }
    }

    /// Moves a value; returns the types for which it is the only reference. Constants have no nodes.
    fn consume(&mut self, atom: &Atom, types: Mask) -> Mask {
        let Some((local, held)) = self.tracked(atom) else { return ALL };
        if self.is_slot(local) {
            // The address of a slot: its content may be read and overwritten elsewhere.
            self.lose(local, held);
            return 0;
        }
        self.take(local, held & types, false) | !held
    }

    /// Moves the value of a local, or only its node.
    fn take(&mut self, local: LocalId, types: Mask, is_node: bool) -> Mask {
        let Place { root, path } = self.given.places.place(local);
        self.findings.moved.entry(root).and_modify(|moved| *moved |= types).or_insert(types);
        let mut unique = self.access(local, types, if is_node { hides } else { overlaps });
        if !self.is_slot(root) && self.bound.get(&root) != Some(&self.inside) {
            self.lose(root, unique);
            unique = 0;
        }
        if let Some(owner) = self.owner(local, root).filter(|_| unique != 0) {
            self.state.move_out(owner, Moved { path, is_node, types: unique });
        }
        unique
    }

    /// A local that leads to nodes, and to which.
    fn tracked(&self, atom: &Atom) -> Option<(LocalId, Mask)> {
        let local = atom.local()?;
        let held = self.held(local);
        (held != 0 && !self.empty.contains(&local)).then_some((local, held))
    }

    /// A value of several parts that are moved into it.
    fn compose<'atom>(&mut self, parts: impl IntoIterator<Item = &'atom Atom>) -> Mask {
        parts.into_iter().fold(ALL, |unique, part| unique & self.consume(part, ALL))
    }

    fn block(&mut self, block: &Block, target: &mut Target<'_>) {
        block.statements.iter().for_each(|statement| self.statement(statement));
        match &block.end {
            End::Yield(atom) => self.yields(atom, target),
            End::TailCall { call, .. } => {
                let result = self.call(call);
                self.findings.result &= result;
            }
            End::Continue(arguments) => self.arguments(self.given.id, arguments),
            End::Jump(join, arguments) => self.jump(*join, arguments),
            End::Join { join, scope } => {
                join.params.iter().for_each(|param| self.define(*param, ALL));
                let exits = Exits { mark: self.state.mark(), paths: Vec::new() };
                self.joins.insert(join.id, (join.params.clone(), exits));
                self.block(scope, target);
                if let Some((_, Exits { mark, paths })) = self.joins.remove(&join.id) {
                    self.state.restore(mark);
                    self.state.meet(&paths);
                }
                self.block(&join.body, target);
            }
            End::Switch { scrutinee, cases, default } => {
                for (case, inner) in cases {
                    let empty = self.without_fields(scrutinee, *case);
                    self.empty.extend(empty);
                    self.branch(inner, target);
                    if let Some(local) = empty {
                        self.empty.remove(&local);
                    }
                }
                default.iter().for_each(|inner| self.branch(inner, target));
            }
            End::If { .. } | End::Trap(..) => {
                block.end.blocks().into_iter().for_each(|inner| self.branch(inner, target));
            }
        }
    }

    fn branch(&mut self, block: &Block, target: &mut Target<'_>) {
        let mark = self.state.mark();
        self.block(block, target);
        self.state.restore(mark);
    }

    /// The value whose tag is tested, if it is not known yet that it has no fields in a case, but it has none.
    fn without_fields(&self, tag: &Atom, case: i128) -> Option<LocalId> {
        let of = *self.tags.get(&tag.local()?)?;
        let case = self.given.declared.get(&self.ty(of))?.cases.get(usize::try_from(case).ok()?)?;
        (case.fields.is_empty() && !self.empty.contains(&of)).then_some(of)
    }

    fn yields(&mut self, atom: &Atom, target: &mut Target<'_>) {
        let unique = self.consume(atom, ALL);
        match target {
            Target::Function => self.findings.result &= unique,
            Target::Scope(local, exits) => {
                self.lose(*local, self.held(*local) & !unique);
                exits.paths.push(self.state.changes(exits.mark));
            }
            Target::Loop(exits) => exits.paths.push(self.state.changes(exits.mark)),
        }
    }

    fn jump(&mut self, join: JoinId, arguments: &[Atom]) {
        let params = self.joins.get(&join).map(|(params, _)| params.clone()).unwrap_or_default();
        for (param, argument) in params.into_iter().zip(arguments) {
            let unique = self.consume(argument, ALL);
            self.lose(param, self.held(param) & !unique);
        }
        if let Some((_, exits)) = self.joins.get_mut(&join) {
            exits.paths.push(self.state.changes(exits.mark));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let(local, rhs) => self.rhs(*local, rhs),
            StatementKind::Group(members) => {
                for (local, closure) in members {
                    self.compose(&closure.captures);
                    self.define(*local, 0);
                }
            }
        }
    }

    fn rhs(&mut self, local: LocalId, rhs: &Rhs) {
        match rhs {
            Rhs::Atom(_) | Rhs::Component(..) | Rhs::Field { .. } | Rhs::ReadSlot(_)
                if self.given.places.is_part(local) =>
            {
                rhs.atoms(&mut |atom| self.peek(atom));
                self.bound.insert(local, self.inside);
                if self.given.places.read(local) == Some(local) {
                    let slot = self.given.places.place(local).root;
                    let version = self.state.version(slot);
                    self.read.insert(local, version);
                    self.readers.entry((slot, version)).or_insert(local);
                }
            }
            Rhs::Tag(atom) => {
                self.peek(atom);
                self.tags.extend(atom.local().map(|of| (local, of)));
            }
            Rhs::Inject { fields, .. } => {
                let unique = match self.given.sites.get(&local) {
                    Some(node) => self.make_in(local, *node, fields),
                    None => self.compose(fields),
                };
                self.define(local, unique);
            }
            Rhs::Tuple(parts) => {
                let unique = self.compose(parts);
                self.define(local, unique);
            }
            Rhs::Slot(content) => {
                let unique = self.consume(content, ALL);
                self.define(local, unique);
            }
            Rhs::WriteSlot(Atom::Local(slot), content) => {
                let unique = self.consume(content, ALL);
                let held = self.held(*slot);
                if held != 0 {
                    self.lose(*slot, held & !unique);
                    let read = self.readers.get(&(*slot, self.state.version(*slot)));
                    self.state.write(*slot, read.copied());
                }
            }
            Rhs::Call(call) => {
                let unique = self.call(call);
                self.define(local, unique);
            }
            Rhs::Intrinsic { intrinsic, arguments, .. } => {
                let unique = self.compose(arguments);
                self.define(local, if *intrinsic == Intrinsic::ListReverse { unique } else { 0 });
            }
            Rhs::Scope(block) => {
                self.define(local, ALL);
                let mut exits = Exits { mark: self.state.mark(), paths: Vec::new() };
                self.block(block, &mut Target::Scope(local, &mut exits));
                self.state.restore(exits.mark);
                self.state.meet(&exits.paths);
            }
            Rhs::While { condition, body } => self.repeat(condition, body),
            Rhs::Atom(_)
            | Rhs::Primitive(..)
            | Rhs::Concatenate { .. }
            | Rhs::Foreign { .. }
            | Rhs::FunctionAddress(_)
            | Rhs::Closure(_)
            | Rhs::Arity(_)
            | Rhs::Component(..)
            | Rhs::Array { .. }
            | Rhs::Field { .. }
            | Rhs::WriteField { .. }
            | Rhs::ReadSlot(_)
            | Rhs::WriteSlot(..)
            | Rhs::MakeReference { .. }
            | Rhs::ReadReference(_)
            | Rhs::WriteReference(..)
            | Rhs::ReadGlobal(_)
            | Rhs::WriteGlobal(..)
            | Rhs::EnterRegion
            | Rhs::LeaveRegion(_)
            | Rhs::PopClosure(_)
            | Rhs::Evacuate { .. } => {
                rhs.atoms(&mut |atom| {
                    self.consume(atom, ALL);
                });
                self.define(local, 0);
            }
        }
    }

    /// A value that is made in the memory of a node, if that node is the only reference.
    fn make_in(&mut self, made: LocalId, node: LocalId, fields: &[Atom]) -> Mask {
        let Place { root, .. } = self.given.places.place(node);
        let own = self.given.held.own(self.ty(node));
        let can = |walk: &Walk<'_>| walk.initial == 0 || walk.unique(root) & own != 0;
        if !can(self) {
            self.findings.failed.push(made);
            return self.compose(fields);
        }
        let mut unique = ALL;
        for field in fields {
            unique &= self.consume(field, ALL);
        }
        let taken = self.take(node, own, true);
        if !can(self) {
            // A pass that finds this is not the last one.
            self.findings.failed.push(made);
        }
        unique & (taken | !own)
    }

    /// A loop ends after its condition, which is executed once more than its body.
    fn repeat(&mut self, condition: &Block, body: &Block) {
        let outer = std::mem::replace(&mut self.inside, self.loops + 1);
        self.loops += 1;
        let start = self.state.mark();
        self.part_of_loop(condition);
        let without_iteration = self.state.changes(start);
        self.part_of_loop(body);
        // A slot whose content was moved must be filled again at the end of an iteration.
        for (slot, root) in self.state.changes(start) {
            let moved = root.iter().flat_map(|root| &root.moved).fold(0, |mask, moved| mask | moved.types);
            if self.bound.get(&slot).is_some_and(|bound| *bound <= outer) {
                self.lose(slot, moved);
            }
        }
        if self.conditions < CONDITIONS {
            self.conditions += 1;
            self.part_of_loop(condition);
            self.conditions -= 1;
        } else {
            without_iteration.keys().for_each(|root| self.lose(*root, ALL));
        }
        let after_iterations = self.state.changes(start);
        self.inside = outer;
        self.state.restore(start);
        self.state.meet(&[without_iteration, after_iterations]);
    }

    fn part_of_loop(&mut self, block: &Block) {
        let mut exits = Exits { mark: self.state.mark(), paths: Vec::new() };
        self.block(block, &mut Target::Loop(&mut exits));
        self.state.restore(exits.mark);
        self.state.meet(&exits.paths);
    }

    /// A call; returns the types for which its result is the only reference.
    fn call(&mut self, call: &Call) -> Mask {
        match &call.callee {
            Callee::Known(callee) => {
                self.arguments(*callee, &call.arguments);
                self.given.summaries.result(*callee)
            }
            Callee::Direct(callee, closure) => {
                self.compose(call.arguments.iter().chain([closure]));
                self.given.summaries.result(*callee)
            }
            Callee::Closure(closure) => {
                self.compose(call.arguments.iter().chain([closure]));
                0
            }
        }
    }

    /// Arguments of a known function. What it takes is moved before the others are read, since it may do both in any order.
    fn arguments(&mut self, callee: FunctionId, arguments: &[Atom]) {
        let taken: Vec<Mask> = (0..arguments.len()).map(|index| self.given.summaries.moved(callee, index)).collect();
        for (index, (argument, taken)) in arguments.iter().zip(&taken).enumerate() {
            if *taken != 0 {
                let unique = self.consume(argument, *taken) | !taken;
                self.findings.passed.entry((callee, index)).and_modify(|passed| *passed &= unique).or_insert(unique);
            }
        }
        for (argument, taken) in arguments.iter().zip(&taken) {
            if argument.local().is_some_and(|local| self.is_slot(local)) {
                self.consume(argument, ALL);
            } else {
                self.borrow(argument, !taken);
            }
        }
    }
}

/// Whether a moved part and a place share a node.
fn overlaps(moved: &Moved, place: &Place) -> bool {
    moved.path.starts_with(&place.path) || (!moved.is_node && place.path.starts_with(&moved.path))
}

/// Whether the node of a place was moved.
fn hides(moved: &Moved, place: &Place) -> bool {
    if moved.is_node { place.path == moved.path } else { place.path.starts_with(&moved.path) }
}

/// Whether callers and the analysis see all calls of a function.
pub(super) fn is_known(function: &Function) -> bool {
    function.convention == Convention::Known
}
