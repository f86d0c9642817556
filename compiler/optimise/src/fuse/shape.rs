//! The loops that are fused: what they look like.

use super::Uses;
use clef_core::{Atom, Block, End, LocalId, Rhs, Statement, StatementKind};
use clef_types::Primitive;

/// A place in a loop that adds a node to the list in a slot.
pub(super) struct Writer {
    /// The tag of a node.
    pub(super) case: usize,
    /// The local of the write.
    write: LocalId,
    /// The locals of the slot's content before and after.
    before: LocalId,
    after: LocalId,
    /// The element.
    element: Atom,
}

impl Writer {
    /// The one place in a loop that uses a slot.
    pub(super) fn of(whole: &Rhs, slot: LocalId, uses: &Uses) -> Option<Writer> {
        let Rhs::While { body, .. } = whole else { return None };
        let mut found = None;
        body.each(&mut |block| found = found.take().or_else(|| Writer::in_block(block, slot, uses)));
        found
    }

    fn in_block(block: &Block, slot: LocalId, uses: &Uses) -> Option<Writer> {
        let is_slot = |atom: &Atom| atom.local() == Some(slot);
        let at = block
            .statements
            .iter()
            .position(|statement| matches!(statement.rhs(), Some(Rhs::WriteSlot(written, _)) if is_slot(written)))?;
        let StatementKind::Let(write, Rhs::WriteSlot(_, content)) = &block.statements[at].kind else { return None };
        let [node] = at.checked_sub(1).map(|before| &block.statements[before..at])? else { return None };
        let StatementKind::Let(after, Rhs::Inject { case, fields, .. }) = &node.kind else { return None };
        let [element, tail] = fields.as_slice() else { return None };
        let before = tail.local()?;
        let reads = block.statements[..at].iter().any(|statement| {
            matches!(&statement.kind, StatementKind::Let(local, Rhs::ReadSlot(read)) if *local == before && is_slot(read))
        });
        let only_here = content.local() == Some(*after) && uses.count(*after) == 1 && uses.count(before) == 1;
        let element = element.clone();
        (reads && only_here).then_some(Writer { case: *case, write: *write, before, after: *after, element })
    }

    /// Works on the element instead of adding it.
    pub(super) fn replace(&self, whole: &mut Rhs, reader: Reader) {
        let Rhs::While { body, .. } = whole else { return };
        let mut work = reader.work;
        if let Some(element) = reader.element {
            work.each_atom_mut(&mut |atom| {
                if atom.local() == Some(element) {
                    *atom = self.element.clone();
                }
            });
        }
        let mut work = Some(Box::new(work));
        body.each_mut(&mut |block| {
            let is_left =
                |statement: &Statement| ![self.before, self.after].iter().any(|local| binds(statement, *local));
            let Some(at) = block.statements.iter().position(|statement| binds(statement, self.write)) else { return };
            if let (StatementKind::Let(_, write), Some(work)) = (&mut block.statements[at].kind, work.take()) {
                *write = Rhs::Scope(work);
            }
            block.statements.retain(is_left);
        });
    }
}

fn binds(statement: &Statement, local: LocalId) -> bool {
    matches!(statement.kind, StatementKind::Let(bound, _) if bound == local)
}

/// The work of a loop on the elements of a list.
pub(super) struct Reader {
    /// The element, if it is used.
    pub(super) element: Option<LocalId>,
    /// The work on it.
    pub(super) work: Block,
}

impl Reader {
    /// The work of a loop on the list of which a slot has what is left.
    pub(super) fn of(whole: &Rhs, slot: LocalId, case: usize, uses: &Uses) -> Option<Reader> {
        let reading = Reading::of(whole, uses).filter(|reading| reading.slot == slot && reading.case == case)?;
        let mut work = reading.block.clone();
        let parts = [reading.element, Some(reading.tail), Some(reading.write)];
        work.statements.retain(|statement| !parts.iter().flatten().any(|local| binds(statement, *local)));
        Some(Reader { element: reading.element, work })
    }
}

/// The parts of a loop that reads a whole list.
struct Reading<'a> {
    /// What is left.
    slot: LocalId,
    /// The tag of a node.
    case: usize,
    /// What is done for a node.
    block: &'a Block,
    /// The fields of the node, and the local of the write of the slot.
    element: Option<LocalId>,
    tail: LocalId,
    write: LocalId,
}

impl<'a> Reading<'a> {
    fn of(whole: &'a Rhs, uses: &Uses) -> Option<Reading<'a>> {
        let Rhs::While { condition, body } = whole else { return None };
        let (asked, choice) = (Choice::of(condition)?, Choice::of(body)?);
        let case = asked.cases().find(|(_, block)| yields(block, &Atom::Bool(true)))?.0;
        let is_no = |(tag, block): (Option<i128>, &Block)| tag == case || yields(block, &Atom::Bool(false));
        let is_end = |(tag, block): (Option<i128>, &Block)| tag == case || yields(block, &Atom::Unit);
        if !asked.cases().all(is_no) || !choice.cases().all(is_end) {
            return None;
        }
        let block = choice.cases().find(|(tag, _)| *tag == case)?.1;
        let is_list = |atom: &Atom| atom.local() == Some(choice.list);
        let field = |wanted: usize| {
            find(block, |rhs| match rhs {
                Rhs::Field { value, field, .. } => is_list(value) && *field == wanted,
                _ => false,
            })
        };
        let (element, tail) = (field(0), field(1)?);
        let write = find(block, |rhs| match rhs {
            Rhs::WriteSlot(slot, content) => slot.local() == Some(choice.slot) && content.local() == Some(tail),
            _ => false,
        })?;
        let only_here = choice.slot == asked.slot
            && uses.private.contains(&choice.slot)
            && uses.count(choice.slot) == 3
            && uses.count(choice.list) == 2 + usize::from(element.is_some())
            && (uses.count(tail), uses.count(write)) == (1, 0);
        let case = usize::try_from(case?).ok()?;
        only_here.then_some(Reading { slot: choice.slot, case, block, element, tail, write })
    }
}

/// The local of the first operation of a block for which a condition holds.
fn find(block: &Block, is_wanted: impl Fn(&Rhs) -> bool) -> Option<LocalId> {
    block.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Let(local, rhs) if is_wanted(rhs) => Some(*local),
        _ => None,
    })
}

fn yields(block: &Block, value: &Atom) -> bool {
    block.statements.is_empty() && matches!(&block.end, End::Yield(yielded) if yielded == value)
}

/// A block that reads a slot and chooses by the tag of its content.
struct Choice<'a> {
    slot: LocalId,
    /// Its content.
    list: LocalId,
    listed: &'a [(i128, Block)],
    default: Option<&'a Block>,
}

impl<'a> Choice<'a> {
    fn of(block: &'a Block) -> Option<Choice<'a>> {
        if let [Statement { kind: StatementKind::Let(value, Rhs::Scope(inner)), .. }] = block.statements.as_slice()
            && let End::Yield(yielded) = &block.end
            && (yielded.local() == Some(*value) || *yielded == Atom::Unit)
        {
            return Choice::of(inner);
        }
        let [read, tag] = block.statements.as_slice() else { return None };
        let StatementKind::Let(list, Rhs::ReadSlot(read)) = &read.kind else { return None };
        let StatementKind::Let(tag, Rhs::Tag(tagged)) = &tag.kind else { return None };
        let End::Switch { scrutinee, cases, default } = &block.end else { return None };
        let is_of_content = tagged.local() == Some(*list) && scrutinee.local() == Some(*tag);
        let choice = Choice { slot: read.local()?, list: *list, listed: cases, default: default.as_deref() };
        is_of_content.then_some(choice)
    }

    /// The cases with their tags; the default has none.
    fn cases(&self) -> impl Iterator<Item = (Option<i128>, &'a Block)> + use<'a> {
        let listed = self.listed.iter().map(|(tag, block)| (Some(*tag), block));
        listed.chain(self.default.map(|block| (None, block)))
    }
}

/// Whether a loop is known to end: it reads a list, or counts to a number.
pub(super) fn ends(whole: &Rhs, uses: &Uses) -> bool {
    Reading::of(whole, uses).is_some() || counts(whole, uses).is_some()
}

/// Whether the loop goes on until a counter, which changes by one in each round, is a number.
fn counts(whole: &Rhs, uses: &Uses) -> Option<()> {
    let Rhs::While { condition, body } = whole else { return None };
    let [Statement { kind: StatementKind::Let(asked, Rhs::ReadSlot(more)), .. }] = condition.statements.as_slice()
    else {
        return None;
    };
    let written = |wanted: &Atom| {
        body.statements.iter().find_map(|statement| match statement.rhs() {
            Some(Rhs::WriteSlot(slot, content)) if slot == wanted => content.local(),
            _ => None,
        })
    };
    let bound = |wanted: LocalId| {
        let binding = body.statements.iter().find(|statement| binds(statement, wanted));
        binding.and_then(Statement::rhs)
    };
    let Rhs::Primitive(Primitive::NotEqual, compared) = bound(written(more)?)? else { return None };
    let [Atom::Local(index), last] = compared.as_slice() else { return None };
    let Rhs::ReadSlot(counter) = bound(*index)? else { return None };
    let Rhs::Primitive(Primitive::Add | Primitive::Subtract, step) = bound(written(counter)?)? else { return None };
    let by_one = matches!(step.as_slice(), [Atom::Local(from), Atom::Integer(1 | -1, _)] if from == index);
    let only_here =
        |slot: &Atom| slot.local().is_some_and(|slot| uses.private.contains(&slot) && uses.count(slot) == 2);
    let mut is_fixed = true;
    body.each_statement(&mut |statement| {
        is_fixed &= !last.local().is_some_and(|last| statement.bound().contains(&last));
    });
    let is_asked = matches!(&condition.end, End::Yield(value) if value.local() == Some(*asked));
    (is_asked && by_one && is_fixed && only_here(more) && only_here(counter)).then_some(())
}
