//! Whether code makes garbage: whether all that it allocates, and all that it is given, is still in use when it ends.
//!
//! In: a function, and what callers may assume of the functions that it calls ([`Frugality`]). Out: whether something that
//! is allocated in regions of interest is dropped on some path, and which values are *kept*: everything that they lead to
//! at that point is reachable from what goes on afterwards. It is a backward analysis: what goes on is kept; what a kept
//! value was made of is kept; a node whose memory may be used for another one ([`Reuse`]) is kept if each field that changes
//! was read and is kept: it is not garbage in the region of the other one. A loop that makes no garbage needs no evacuation.

use super::frugal::Frugality;
use clef_base::HashMap;
use clef_core::{
    Atom, Block, Call, Declared, End, Evacuation, Function, JoinId, LocalId, Reuse, Rhs, Statement, StatementKind,
};
use clef_types::{Intrinsic, Type, TypeKind, Types};
use std::collections::{BTreeMap, BTreeSet};

/// The most values that are followed; beyond that, none of them counts as kept.
const MOST: usize = 256;

/// A part of a value: a field of a case, or a component with the case zero.
type Part = (LocalId, usize, usize);

/// What is kept at a point. `None` if the point is not reached: then everything is.
pub(super) type Point = Option<Kept>;

/// What is kept.
#[derive(Clone, Default, Debug)]
pub(super) struct Kept {
    whole: BTreeSet<LocalId>,
    parts: BTreeSet<Part>,
    /// Nodes whose memory may be used for others: the case, and the fields that change on some path.
    reused: BTreeMap<LocalId, (usize, BTreeSet<usize>)>,
}

/// What happens after a block.
pub(super) enum After<'k> {
    /// The function returns its value.
    Return,
    /// The caller does not care: the path does not lead to the next iteration.
    Leave,
    /// What is kept then, and whether the value of the block is.
    Goes(&'k Kept, bool),
}

/// What is of interest.
pub(super) struct Interest<'a> {
    /// Whether a statement itself, not a block within it, allocates in a region of interest.
    pub(super) allocates: &'a dyn Fn(&Statement) -> bool,
    /// Whether a call that ends the function does.
    pub(super) tail_allocates: &'a dyn Fn(&Call) -> bool,
    /// Which arguments of the next iteration are kept.
    pub(super) continues: &'a dyn Fn(usize) -> bool,
}

/// The analysis of one function.
pub(super) struct Analysis<'a> {
    types: &'a Types,
    function: &'a Function,
    evacuation: &'a Evacuation<'a>,
    frugality: &'a Frugality<'a>,
    interest: Interest<'a>,
    /// The slots whose addresses are known elsewhere: they are not followed.
    taken: &'a BTreeSet<LocalId>,
    /// The value that a local is the tag of.
    tags: HashMap<LocalId, LocalId>,
    /// The locals that parts of values are read into.
    read: HashMap<Part, Vec<LocalId>>,
    joins: HashMap<JoinId, (Vec<LocalId>, Point)>,
    /// Whether something is dropped.
    pub(super) garbage: bool,
}

impl<'a> Analysis<'a> {
    /// Of blocks of a function.
    pub(super) fn new(
        types: &'a Types,
        (function, blocks): (&'a Function, &[&Block]),
        evacuation: &'a Evacuation<'a>,
        frugality: &'a Frugality<'a>,
        taken: &'a BTreeSet<LocalId>,
        interest: Interest<'a>,
    ) -> Analysis<'a> {
        let mut tags = HashMap::default();
        let mut read: HashMap<Part, Vec<LocalId>> = HashMap::default();
        for block in blocks {
            block.each_statement(&mut |statement| match &statement.kind {
                StatementKind::Let(tag, Rhs::Tag(Atom::Local(of))) => {
                    tags.insert(*tag, *of);
                }
                StatementKind::Let(part, Rhs::Component(Atom::Local(of), index)) => {
                    read.entry((*of, 0, *index)).or_default().push(*part);
                }
                StatementKind::Let(part, Rhs::Field { value: Atom::Local(of), case, field }) => {
                    read.entry((*of, *case, *field)).or_default().push(*part);
                }
                StatementKind::Let(..) | StatementKind::Group(_) => {}
            });
        }
        let joins = HashMap::default();
        Analysis { types, function, evacuation, frugality, interest, taken, tags, read, joins, garbage: false }
    }

    fn ty(&self, local: LocalId) -> Type {
        self.function.locals[local].ty
    }

    fn declared(&self, ty: Type) -> Option<&'a Declared> {
        self.evacuation.program().declared.get(&ty)
    }

    fn has_pointers(&self, local: LocalId) -> bool {
        self.evacuation.has_pointers(self.ty(local))
    }

    /// Whether all that a value leads to is kept.
    pub(super) fn is_kept(&self, kept: &Kept, local: LocalId) -> bool {
        kept.whole.contains(&local) || !self.has_pointers(local) || self.is_complete(kept, local)
    }

    /// Whether all parts of a value that have pointers are kept.
    fn is_complete(&self, kept: &Kept, local: LocalId) -> bool {
        let has_part = |case: usize, field: usize| {
            let part = (local, case, field);
            let mut read = self.read.get(&part).into_iter().flatten();
            kept.parts.contains(&part) || read.any(|part| kept.whole.contains(part))
        };
        if let TypeKind::Tuple(parts) = self.types.kind(self.ty(local)) {
            let mut parts = parts.iter().enumerate();
            return parts.all(|(index, ty)| has_part(0, index) || !self.evacuation.has_pointers(*ty));
        }
        let Some(declared) = self.declared(self.ty(local)) else { return false };
        let is_kept = |case: usize, field: usize| {
            has_part(case, field) || !self.evacuation.has_pointers(declared.cases[case].fields[field])
        };
        if let Some((case, changed)) = kept.reused.get(&local) {
            return changed.iter().all(|field| is_kept(*case, *field));
        }
        // A part that was read tells the case.
        let read = kept.parts.range((local, 0, 0)..=(local, usize::MAX, usize::MAX)).next();
        let mut fields = read.map(|(_, case, _)| (0..declared.cases[*case].fields.len()).map(|field| (*case, field)));
        !declared.boxed && fields.as_mut().is_some_and(|fields| fields.all(|(case, field)| is_kept(case, field)))
    }

    fn keep(&self, kept: &mut Kept, atom: &Atom) {
        if let Some(local) = atom.local()
            && self.has_pointers(local)
            && !self.taken.contains(&local)
        {
            kept.whole.insert(local);
            if kept.whole.len() > MOST {
                *kept = Kept::default();
            }
        }
    }

    /// What is kept before a block.
    pub(super) fn block(&mut self, block: &Block, after: &After<'_>) -> Point {
        let mut point = self.end(&block.end, after);
        for statement in block.statements.iter().rev() {
            point = point.map(|kept| self.statement(statement, kept))?;
        }
        point
    }

    fn end(&mut self, end: &End, after: &After<'_>) -> Point {
        match end {
            End::Yield(value) => self.yields(value, after),
            End::TailCall { call, .. } => match after {
                After::Return => {
                    let mut kept = Kept::default();
                    self.call(call, true, (self.interest.tail_allocates)(call), &mut kept);
                    Some(kept)
                }
                After::Leave | After::Goes(..) => None,
            },
            End::Continue(arguments) => {
                let mut kept = Kept::default();
                let going = arguments.iter().enumerate().filter(|(index, _)| (self.interest.continues)(*index));
                going.for_each(|(_, argument)| self.keep(&mut kept, argument));
                Some(kept)
            }
            End::Jump(join, arguments) => {
                let (params, point) = self.joins.get(join).cloned()?;
                let mut kept = point?;
                for (param, argument) in params.into_iter().zip(arguments) {
                    if self.is_kept(&kept, param) {
                        self.keep(&mut kept, argument);
                    }
                }
                Some(kept)
            }
            End::Join { join, scope } => {
                let point = self.block(&join.body, after);
                self.joins.insert(join.id, (join.params.clone(), point));
                let point = self.block(scope, after);
                self.joins.remove(&join.id);
                point
            }
            End::Switch { scrutinee, cases, default } => {
                let mut points = Vec::new();
                for (case, block) in cases {
                    let mut point = self.block(block, after);
                    if let (Some(kept), Some(empty)) = (&mut point, self.without_fields(scrutinee, *case)) {
                        self.keep(kept, &Atom::Local(empty));
                    }
                    points.push(point);
                }
                points.extend(default.iter().map(|block| self.block(block, after)));
                self.meet(points)
            }
            End::If { then, otherwise, .. } => {
                let points = vec![self.block(then, after), self.block(otherwise, after)];
                self.meet(points)
            }
            End::Trap(..) => None,
        }
    }

    fn yields(&self, value: &Atom, after: &After<'_>) -> Point {
        let mut kept = match after {
            After::Leave => return None,
            After::Return => Kept::default(),
            After::Goes(kept, _) => Kept::clone(kept),
        };
        if let After::Return | After::Goes(_, true) = after {
            self.keep(&mut kept, value);
        }
        Some(kept)
    }

    /// The value whose tag is tested, if a case has no fields.
    fn without_fields(&self, tag: &Atom, case: i128) -> Option<LocalId> {
        let of = *self.tags.get(&tag.local()?)?;
        let case = self.declared(self.ty(of))?.cases.get(usize::try_from(case).ok()?)?;
        case.fields.is_empty().then_some(of)
    }

    /// What is kept where several paths begin.
    fn meet(&self, points: Vec<Point>) -> Point {
        let mut points = points.into_iter().flatten().map(|mut kept| {
            let found: BTreeSet<LocalId> =
                kept.reused.keys().copied().chain(kept.parts.iter().map(|(local, ..)| *local)).collect();
            let complete: Vec<LocalId> = found.into_iter().filter(|local| self.is_complete(&kept, *local)).collect();
            kept.whole.extend(complete);
            kept
        });
        let mut met = points.next()?;
        for other in points {
            met.whole.retain(|local| other.whole.contains(local));
            met.parts.retain(|part| other.parts.contains(part));
            met.reused.retain(|local, (case, changed)| match other.reused.get(local) {
                Some((same, others)) if same == case => {
                    changed.extend(others);
                    true
                }
                Some(_) | None => false,
            });
        }
        Some(met)
    }

    /// What is kept before a statement, if it is reached.
    fn statement(&mut self, statement: &Statement, mut kept: Kept) -> Point {
        let allocates = (self.interest.allocates)(statement);
        self.garbage |= self.frugality.overwrites(statement, self.function);
        let is_kept = statement.bound().iter().any(|local| self.is_kept(&kept, *local));
        let StatementKind::Let(local, rhs) = &statement.kind else {
            // Closures of a group may refer to one another.
            if is_kept {
                statement.atoms(&mut |atom| self.keep(&mut kept, atom));
            } else {
                self.garbage |= allocates;
            }
            return Some(kept);
        };
        if let Rhs::Scope(block) = rhs {
            return self.block(block, &After::Goes(&kept, is_kept));
        } else if let Rhs::While { condition, body } = rhs {
            return self.repeat(condition, body, kept);
        } else if let Rhs::Call(call) = rhs {
            self.call(call, is_kept, allocates, &mut kept);
        } else if let Rhs::WriteSlot(Atom::Local(slot), content) = rhs {
            if kept.whole.remove(slot) {
                self.keep(&mut kept, content);
            }
        } else if let Rhs::Intrinsic { intrinsic: Intrinsic::ArrayPut, arguments, .. } = rhs {
            if let [Atom::Local(array), _, content] = arguments.as_slice()
                && kept.whole.contains(array)
            {
                self.keep(&mut kept, content);
            }
        } else if is_kept {
            self.kept_statement(rhs, allocates, &mut kept);
        } else {
            self.garbage |= allocates;
            self.keep_parts(*local, rhs, &mut kept);
        }
        Some(kept)
    }

    /// What an operation with a kept result keeps.
    fn kept_statement(&mut self, rhs: &Rhs, allocates: bool, kept: &mut Kept) {
        if let Rhs::Field { value: Atom::Local(of), case, field } = rhs {
            kept.parts.insert((*of, *case, *field));
        } else if let Rhs::Component(Atom::Local(of), index) = rhs {
            kept.parts.insert((*of, 0, *index));
        } else if let Rhs::Inject { case, fields, reuse, .. } = rhs {
            if let Some(Reuse { node: Atom::Local(node), stays, .. }) = reuse {
                let changed = stays.iter().enumerate().filter_map(|(field, stays)| (!stays).then_some(field));
                kept.reused.insert(*node, (*case, changed.collect()));
            }
            fields.iter().for_each(|atom| self.keep(kept, atom));
        } else if is_made_of_operands(rhs) {
            rhs.atoms(&mut |atom| self.keep(kept, atom));
        } else {
            // A string itself is kept, its parts are not.
            self.garbage |= allocates && !matches!(rhs, Rhs::Concatenate { .. } | Rhs::Intrinsic { .. });
        }
    }

    /// Keeps what the kept parts of a value were made of.
    fn keep_parts(&self, local: LocalId, rhs: &Rhs, kept: &mut Kept) {
        let (case, parts) = match rhs {
            Rhs::Inject { case, fields, .. } => (*case, fields),
            Rhs::Tuple(parts) | Rhs::Evacuate { roots: parts, .. } => (0, parts),
            Rhs::Atom(_)
            | Rhs::Primitive(..)
            | Rhs::Intrinsic { .. }
            | Rhs::Concatenate { .. }
            | Rhs::Call(_)
            | Rhs::Foreign { .. }
            | Rhs::FunctionAddress(_)
            | Rhs::Closure(_)
            | Rhs::Arity(_)
            | Rhs::Component(..)
            | Rhs::Array { .. }
            | Rhs::Tag(_)
            | Rhs::Field { .. }
            | Rhs::WriteField { .. }
            | Rhs::Slot(_)
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
            | Rhs::Scope(_)
            | Rhs::While { .. } => return,
        };
        for (position, part) in parts.iter().enumerate() {
            if kept.parts.contains(&(local, case, position)) {
                self.keep(kept, part);
            }
        }
    }

    /// A call, whose result may be kept.
    fn call(&mut self, call: &Call, is_kept: bool, allocates: bool, kept: &mut Kept) {
        let callee = call.known_callee().filter(|_| is_kept);
        self.garbage |= allocates && !callee.is_some_and(|callee| self.frugality.is_frugal(callee));
        for (index, argument) in call.arguments.iter().enumerate() {
            if callee.is_some_and(|callee| self.frugality.keeps(callee, index)) {
                self.keep(kept, argument);
            }
        }
    }

    /// A loop: what its body does not keep is not kept before it.
    fn repeat(&mut self, condition: &Block, body: &Block, kept: Kept) -> Point {
        let before = match self.iteration(condition, body, &kept) {
            Some(before) => before,
            None => return Some(kept),
        };
        if kept.whole.is_subset(&before.whole) {
            return Some(kept);
        }
        // The iterations before the last one may drop something. Another pass would find out.
        for block in [condition, body] {
            block.each_statement(&mut |statement| self.garbage |= (self.interest.allocates)(statement));
        }
        let whole = kept.whole.intersection(&before.whole).copied();
        let mut kept = Kept { whole: whole.collect(), ..Kept::default() };
        for block in [condition, body] {
            block.each_statement(&mut |statement| {
                if let Some(Rhs::WriteSlot(Atom::Local(slot), _)) = statement.rhs() {
                    kept.whole.remove(slot);
                }
            });
        }
        Some(kept)
    }

    /// What is kept before an iteration of a loop.
    pub(super) fn iteration(&mut self, condition: &Block, body: &Block, kept: &Kept) -> Point {
        let before = self.block(body, &After::Goes(kept, false))?;
        self.block(condition, &After::Goes(&before, false))
    }

    /// Whether nothing is dropped, and values are kept at a point.
    pub(super) fn only_grows(&self, point: &Point, mut values: impl Iterator<Item = LocalId>) -> bool {
        !self.garbage && point.as_ref().is_none_or(|kept| values.all(|local| self.is_kept(kept, local)))
    }

    /// Values that are kept.
    pub(super) fn of(&self, locals: impl IntoIterator<Item = LocalId>) -> Kept {
        let mut kept = Kept::default();
        locals.into_iter().for_each(|local| self.keep(&mut kept, &Atom::Local(local)));
        kept
    }
}

/// Whether all operands are part of the result, which is not a case.
fn is_made_of_operands(rhs: &Rhs) -> bool {
    matches!(
        rhs,
        Rhs::Atom(_)
            | Rhs::Tuple(_)
            | Rhs::Array { .. }
            | Rhs::MakeReference { .. }
            | Rhs::Closure(_)
            | Rhs::Slot(_)
            | Rhs::ReadSlot(_)
            | Rhs::Intrinsic { intrinsic: Intrinsic::TextEnd | Intrinsic::ListReverse, .. }
    )
}

/// The slots of a function that are used in other ways than by reading and writing them, and those of other functions.
pub(super) fn taken_slots(types: &Types, function: &Function) -> BTreeSet<LocalId> {
    let mut taken = BTreeSet::new();
    let mut take = |atom: &Atom| {
        let slot = atom.local().filter(|local| matches!(types.kind(function.locals[*local].ty), TypeKind::Slot(_)));
        taken.extend(slot);
    };
    function.body.each(&mut |block| {
        for statement in &block.statements {
            match statement.rhs() {
                Some(Rhs::ReadSlot(_)) => {}
                Some(Rhs::WriteSlot(_, content)) => take(content),
                _ => statement.atoms(&mut take),
            }
        }
        block.end.atoms(&mut take);
    });
    function.params.iter().chain(function.captures()).for_each(|given| take(&Atom::Local(*given)));
    taken
}
