//! Lists that are made from front to back.
//!
//! In: a program of Core whose storage is assigned. Out: of each function, the lists that it makes by putting nodes before
//! others, and then reverses in place. The *end* of such a list represents it: the address that the next node is written to.
//! At first that is its *head*, a variable in the frame. So a reversal only writes the rest of the list to the end, and reads
//! the head. (Y. Minamide, A functional representation of data structures with a hole, 1998.)
//!
//! Such a list is empty at first. It is the content of a slot which is only read to put a node before it and write it back, or
//! to reverse it; or a parameter of a function that only restarts with it, and with at most one version of it on each path.

use crate::{code::Code, function::FunctionEmitter, layout::Repr};
use clef_base::{HashMap, HashSet};
use clef_core::{
    Atom, Block, Callee, Convention, End, Function, FunctionId, JoinId, LocalId, Program, Rhs, Statement, StatementKind,
};
use clef_mlir::Value;
use clef_types::{Intrinsic, Type};

/// The lists of a function that are made from front to back.
#[derive(Default)]
pub(crate) struct Growing<'m> {
    /// The locals whose values are ends, and the slot or parameter that each list begins with.
    ends: HashMap<LocalId, LocalId>,
    slots: HashSet<LocalId>,
    /// The addresses of the heads.
    heads: HashMap<LocalId, Value<'m>>,
}

impl<'m> Growing<'m> {
    /// Those of a function; `empty` says which of its arguments are always empty lists.
    pub(crate) fn of(function: &Function, empty: Option<&[bool]>) -> Growing<'m> {
        let mut growing = Growing::default();
        let uses = Uses::of(function);
        for slot in &uses.slots {
            growing.add_slot(*slot, &uses);
        }
        for (index, param) in function.params.iter().enumerate() {
            if empty.and_then(|empty| empty.get(index)) == Some(&true) {
                let mut paths = Paths { index, ends: vec![*param], made: false, joins: HashMap::default() };
                if paths.follow(&function.body, Some(*param)) && paths.made {
                    growing.ends.extend(paths.ends.into_iter().map(|end| (end, *param)));
                }
            }
        }
        growing
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty() && self.slots.is_empty()
    }

    /// The slot or parameter that the list of an end begins with; `None` if the operand is no end.
    pub(crate) fn origin(&self, atom: &Atom) -> Option<LocalId> {
        atom.local().and_then(|local| self.ends.get(&local)).copied()
    }

    /// The address of the head of the list that begins with a slot or a parameter.
    pub(crate) fn head(&mut self, code: &mut Code<'_, '_, 'm>, origin: LocalId) -> Value<'m> {
        *self.heads.entry(origin).or_insert_with(|| {
            let (pointer, access) = (code.emit.ptr(), code.access(&Repr::Pointer));
            code.emit.alloca(pointer, access.align)
        })
    }

    /// Whether a local has no value of its type, but an end or a variable that contains one.
    pub(crate) fn contains(&self, local: LocalId) -> bool {
        self.ends.contains_key(&local) || self.slots.contains(&local)
    }

    /// The slot, if a list begins with it and this operand is that slot.
    pub(crate) fn slot(&self, atom: &Atom) -> Option<LocalId> {
        atom.local().filter(|local| self.slots.contains(local))
    }

    /// Adds a slot if all that is done with its content is to prepend and to reverse.
    fn add_slot(&mut self, slot: LocalId, uses: &Uses<'_>) {
        let Some(found) = uses.of_slots.get(&slot) else { return };
        let mut ends = Vec::new();
        let mut reverses = false;
        for (block, index) in found {
            match of_slot(block, *index, slot, uses) {
                Some(Use::Prepends(read, node)) => ends.extend([read, node]),
                Some(Use::Reverses(read)) => {
                    ends.push(read);
                    reverses = true;
                }
                Some(Use::Writes) => {}
                None => return,
            }
        }
        if reverses {
            self.slots.insert(slot);
            self.ends.extend(ends.into_iter().map(|end| (end, slot)));
        }
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Puts a node at the end of a list; the new end is in the node.
    pub(crate) fn put_at_end(&mut self, ty: Type, node: Value<'m>, end: &Atom) -> Value<'m> {
        let access = self.code.access(&Repr::Pointer);
        let end = self.value(end);
        self.code.emit.store(node, end, access);
        let rest = self.code.rest_of_node(ty);
        self.code.emit.offset(node, rest)
    }

    /// A list whose end and origin are known, before another list.
    pub(crate) fn finish_list(&mut self, (end, origin): (&Atom, LocalId), rest: &Atom) -> Value<'m> {
        let access = self.code.access(&Repr::Pointer);
        let (end, rest) = (self.value(end), self.value(rest));
        self.code.emit.store(rest, end, access);
        let head = self.growing.head(&mut self.code, origin);
        let pointer = self.code.emit.ptr();
        self.code.emit.load(pointer, head, access)
    }

    /// What is written to a slot: an empty list that grows is its head.
    pub(crate) fn slot_content(&mut self, slot: Option<LocalId>, content: &Atom) -> Option<Value<'m>> {
        match slot {
            Some(slot) if self.growing.origin(content).is_none() => Some(self.growing.head(&mut self.code, slot)),
            _ => self.atom(content),
        }
    }
}

/// What a statement does with a slot.
enum Use {
    /// It reads the content, before which a node is put, which is written to the slot.
    Prepends(LocalId, LocalId),
    /// It reads the content, which is reversed.
    Reverses(LocalId),
    /// It writes an empty list or the node.
    Writes,
}

/// The use of a slot by a statement of a block; `None` if it is another one.
fn of_slot(block: &Block, index: usize, slot: LocalId, uses: &Uses<'_>) -> Option<Use> {
    let (local, rhs) = binding(&block.statements[index])?;
    match rhs {
        Rhs::Slot(content) if local == slot => uses.is_empty(content).then_some(Use::Writes),
        Rhs::WriteSlot(target, content) if target.local() == Some(slot) => {
            (uses.is_empty(content) || uses.is_prepended(content, slot, block, index)).then_some(Use::Writes)
        }
        Rhs::ReadSlot(_) => {
            let rest = &block.statements[index + 1..];
            let next = rest.iter().position(|statement| statement.uses_any(&[local]))?;
            let (result, then) = binding(&rest[next])?;
            let is_alone = uses.count(local) == 1 && !rest[..next].iter().any(|other| other.uses_any(&[slot]));
            if !is_alone {
                return None;
            }
            if reversed(then).is_some_and(|(list, _)| list.local() == Some(local)) {
                return Some(Use::Reverses(local));
            }
            let (_, tail) = prepended(then)?;
            let last = rest[next + 1..].iter().position(|statement| statement.uses_any(&[slot, result]))?;
            let is_written = matches!(binding(&rest[next + 1 + last]), Some((_, Rhs::WriteSlot(target, content)))
                if target.local() == Some(slot) && content.local() == Some(result));
            (tail.local() == Some(local) && is_written && uses.count(result) == 1)
                .then_some(Use::Prepends(local, result))
        }
        _ => None,
    }
}

fn binding(statement: &Statement) -> Option<(LocalId, &Rhs)> {
    match &statement.kind {
        StatementKind::Let(local, rhs) => Some((*local, rhs)),
        StatementKind::Group(_) => None,
    }
}

/// The element and the rest of a new node of two fields.
fn prepended(rhs: &Rhs) -> Option<(&Atom, &Atom)> {
    match rhs {
        Rhs::Inject { fields, .. } => <&[Atom; 2]>::try_from(fields.as_slice()).ok().map(|[one, rest]| (one, rest)),
        _ => None,
    }
}

/// The operands of a reversal.
fn reversed(rhs: &Rhs) -> Option<(&Atom, &Atom)> {
    match rhs {
        Rhs::Intrinsic { intrinsic: Intrinsic::ListReverse, arguments, .. } => {
            <&[Atom; 2]>::try_from(arguments.as_slice()).ok().map(|[list, onto]| (list, onto))
        }
        _ => None,
    }
}

/// How the locals of a function are used.
struct Uses<'a> {
    counts: HashMap<LocalId, usize>,
    /// The locals that are empty lists, or constants like them.
    empty: HashSet<LocalId>,
    /// The slots, in order.
    slots: Vec<LocalId>,
    /// The statements that have a slot as an operand or bind it, by block and index. A slot that a block ends with has none.
    of_slots: HashMap<LocalId, Vec<(&'a Block, usize)>>,
}

impl<'a> Uses<'a> {
    fn of(function: &'a Function) -> Uses<'a> {
        let mut uses = Uses {
            counts: HashMap::default(),
            empty: empty_lists(function),
            slots: Vec::new(),
            of_slots: HashMap::default(),
        };
        function.body.each(&mut |block| {
            for (index, statement) in block.statements.iter().enumerate() {
                if let Some((local, Rhs::Slot(_))) = binding(statement) {
                    uses.slots.push(local);
                    uses.of_slots.entry(local).or_default().push((block, index));
                }
            }
        });
        function.body.each(&mut |block| uses.add(block));
        uses
    }

    fn add(&mut self, block: &'a Block) {
        for (index, statement) in block.statements.iter().enumerate() {
            statement.atoms(&mut |atom| {
                let Some(local) = atom.local() else { return };
                *self.counts.entry(local).or_insert(0) += 1;
                if let Some(places) = self.of_slots.get_mut(&local) {
                    places.push((block, index));
                }
            });
        }
        block.end.atoms(&mut |atom| {
            let Some(local) = atom.local() else { return };
            *self.counts.entry(local).or_insert(0) += 1;
            self.of_slots.remove(&local);
        });
    }

    fn count(&self, local: LocalId) -> usize {
        self.counts.get(&local).copied().unwrap_or(0)
    }

    fn is_empty(&self, atom: &Atom) -> bool {
        atom.local().is_some_and(|local| self.empty.contains(&local))
    }

    /// Whether an operand, which a statement of a block writes to a slot, is a node before the content that was read from it.
    fn is_prepended(&self, node: &Atom, slot: LocalId, block: &Block, index: usize) -> bool {
        let before = &block.statements[..index];
        let read = before.iter().rposition(|statement| statement.uses_any(&[slot]));
        read.is_some_and(|read| {
            matches!(binding(&before[read]), Some((_, Rhs::ReadSlot(_))))
                && matches!(of_slot(block, read, slot, self), Some(Use::Prepends(_, made)) if node.local() == Some(made))
        })
    }
}

/// The locals of a function that are values without fields.
fn empty_lists(function: &Function) -> HashSet<LocalId> {
    let mut empty = HashSet::default();
    function.body.each_statement(&mut |statement| {
        if let Some((local, Rhs::Inject { fields, .. })) = binding(statement)
            && fields.is_empty()
        {
            empty.insert(local);
        }
    });
    empty
}

/// The paths through a function whose parameter is a list that grows.
struct Paths {
    /// That of the parameter.
    index: usize,
    /// Its versions so far.
    ends: Vec<LocalId>,
    /// Whether a version is reversed.
    made: bool,
    /// The version at the beginning of the scope of each join.
    joins: HashMap<JoinId, Option<LocalId>>,
}

impl Paths {
    /// Whether all paths through a block use only the newest version of the list; `None` when it has been reversed.
    fn follow(&mut self, block: &Block, mut newest: Option<LocalId>) -> bool {
        for statement in &block.statements {
            if !statement.uses_any(&self.ends) {
                continue;
            }
            let Some((local, rhs)) = binding(statement) else { return false };
            newest = match (prepended(rhs), reversed(rhs)) {
                (Some((element, tail)), _) if self.is(tail, newest) && !self.has(element) => {
                    self.ends.push(local);
                    Some(local)
                }
                (_, Some((list, onto))) if self.is(list, newest) && !self.has(onto) => {
                    self.made = true;
                    None
                }
                _ => return false,
            };
        }
        self.end(&block.end, newest)
    }

    fn end(&mut self, end: &End, newest: Option<LocalId>) -> bool {
        let mut used = 0;
        end.atoms(&mut |atom| used += usize::from(self.has(atom)));
        match end {
            End::Continue(arguments) => {
                used == 1 && arguments.get(self.index).is_some_and(|argument| self.is(argument, newest))
            }
            _ if used > 0 => false,
            End::Join { join, scope } => {
                self.joins.insert(join.id, newest);
                self.follow(scope, newest) && self.follow(&join.body, newest)
            }
            End::Jump(join, _) => self.joins.get(join) == Some(&newest),
            End::If { .. } | End::Switch { .. } => end.blocks().into_iter().all(|block| self.follow(block, newest)),
            End::Yield(_) | End::TailCall { .. } | End::Trap(..) => true,
        }
    }

    fn has(&self, atom: &Atom) -> bool {
        atom.local().is_some_and(|local| self.ends.contains(&local))
    }

    fn is(&self, atom: &Atom, newest: Option<LocalId>) -> bool {
        newest.is_some() && atom.local() == newest
    }
}

/// Which parameters of each function receive values without fields from all calls but those by which it restarts.
pub(crate) fn empty_arguments(program: &Program) -> HashMap<FunctionId, Vec<bool>> {
    let mut empty: HashMap<FunctionId, Vec<bool>> = HashMap::default();
    for (_, function) in program.functions.iter() {
        let values = empty_lists(function);
        function.body.each_call(&mut |call| {
            let Callee::Known(callee) = call.callee else { return };
            let is_empty = |atom: &Atom| atom.local().is_some_and(|local| values.contains(&local));
            let arguments = call.arguments.iter().map(is_empty);
            match empty.entry(callee) {
                std::collections::hash_map::Entry::Vacant(new) => {
                    new.insert(arguments.collect());
                }
                std::collections::hash_map::Entry::Occupied(mut known) => {
                    known.get_mut().iter_mut().zip(arguments).for_each(|(known, now)| *known &= now);
                }
            }
        });
    }
    empty.retain(|id, arguments| {
        program.functions[*id].convention == Convention::Known && arguments.iter().any(|is_empty| *is_empty)
    });
    empty
}
