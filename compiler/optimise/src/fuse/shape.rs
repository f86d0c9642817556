//! The loops that are fused: what they look like.

use super::Uses;
use clef_core::{Atom, Block, End, LocalId, Rhs, Statement, StatementKind};
use clef_types::Primitive;

/// The content that a slot or a ref cell begins with.
pub(super) fn content(rhs: &Rhs) -> Option<&Atom> {
    if let Rhs::Slot(value) | Rhs::MakeReference { value, .. } = rhs { Some(value) } else { None }
}

/// The slot or ref cell that an operation reads.
pub(super) fn read(rhs: &Rhs) -> Option<LocalId> {
    if let Rhs::ReadSlot(cell) | Rhs::ReadReference(cell) = rhs { cell.local() } else { None }
}

/// The slot or ref cell that an operation writes, and the new content.
pub(super) fn written(rhs: &Rhs) -> Option<(LocalId, &Atom)> {
    if let Rhs::WriteSlot(cell, content) | Rhs::WriteReference(cell, content) = rhs {
        Some((cell.local()?, content))
    } else {
        None
    }
}

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
        let write_of = |statement: &Statement| {
            let (cell, content) = written(statement.rhs()?)?;
            if cell == slot { content.local() } else { None }
        };
        let at = block.statements.iter().position(|statement| write_of(statement).is_some())?;
        let content = write_of(&block.statements[at])?;
        let [write] = block.statements[at].bound()[..] else { return None };
        let [node] = at.checked_sub(1).map(|before| &block.statements[before..at])? else { return None };
        let StatementKind::Let(after, Rhs::Inject { case, fields, .. }) = &node.kind else { return None };
        let [element, tail] = fields.as_slice() else { return None };
        let before = tail.local()?;
        let is_content =
            |statement: &Statement| statement.rhs().and_then(read) == Some(slot) && binds(statement, before);
        let reads = block.statements[..at].iter().any(is_content);
        let only_here = content == *after && uses.count(*after) == 1 && uses.count(before) == 1;
        let element = element.clone();
        (reads && only_here).then_some(Writer { case: *case, write, before, after: *after, element })
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
    /// The slot that ends the loop, which must be true before, if there is one.
    pub(super) flag: Option<LocalId>,
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
        Some(Reader { element: reading.element, flag: reading.flag, work })
    }
}

/// The parts of a loop that reads a whole list.
struct Reading<'a> {
    /// What is left.
    slot: LocalId,
    /// The tag of a node.
    case: usize,
    /// The slot that ends the loop, if it does not ask itself.
    flag: Option<LocalId>,
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
        let choice = Choice::of(body)?;
        let Goes { case, reads, flag } = asks(condition, &choice).or_else(|| is_told(condition, &choice, uses))?;
        let block = choice.cases().find(|(tag, _)| *tag == case)?.1;
        let is_list = |atom: &Atom| atom.local() == Some(choice.list);
        let field = |wanted: usize| {
            find(block, |rhs| match rhs {
                Rhs::Field { value, field, .. } => is_list(value) && *field == wanted,
                _ => false,
            })
        };
        let (element, tail) = (field(0), field(1)?);
        let write = find(block, |rhs| {
            written(rhs).is_some_and(|(slot, content)| slot == choice.slot && content.local() == Some(tail))
        })?;
        let only_here = uses.private.contains(&choice.slot)
            && uses.count(choice.slot) == reads + 1
            && uses.count(choice.list) == 2 + usize::from(element.is_some())
            && (uses.count(tail), uses.count(write)) == (1, 0);
        let case = usize::try_from(case?).ok()?;
        only_here.then_some(Reading { slot: choice.slot, case, flag, block, element, tail, write })
    }
}

/// When a loop goes on.
struct Goes {
    /// The tag of what the slot has.
    case: Option<i128>,
    /// The number of reads of the slot.
    reads: usize,
    /// The slot that ends the loop.
    flag: Option<LocalId>,
}

/// Whether a loop asks what a slot has before each round.
fn asks(condition: &Block, choice: &Choice<'_>) -> Option<Goes> {
    let asked = Choice::of(condition)?;
    let case = asked.cases().find(|(_, block)| yields(block, &Atom::Bool(true)))?.0;
    let is_no = |(tag, block): (Option<i128>, &Block)| tag == case || yields(block, &Atom::Bool(false));
    let is_end = |(tag, block): (Option<i128>, &Block)| tag == case || yields(block, &Atom::Unit);
    let ends = asked.cases().all(is_no) && choice.cases().all(is_end);
    (ends && asked.slot == choice.slot).then_some(Goes { case, reads: 2, flag: None })
}

/// Whether a loop goes on until it finds no node and tells so in another slot.
fn is_told(condition: &Block, choice: &Choice<'_>, uses: &Uses) -> Option<Goes> {
    let more = flag(condition).filter(|more| uses.private.contains(more) && uses.count(*more) == 2)?;
    let is_end = |block: &Block| {
        let [write] = block.statements.as_slice() else { return false };
        let is_unit = |value: &Atom| value.local().is_none_or(|value| binds(write, value));
        matches!(&block.end, End::Yield(value) if is_unit(value))
            && write.rhs().and_then(written) == Some((more, &Atom::Bool(false)))
    };
    let end = choice.cases().position(|(_, block)| is_end(block))?;
    let mut others = choice.cases().enumerate().filter(|(index, _)| *index != end);
    let (Some((_, (case, _))), None) = (others.next(), others.next()) else { return None };
    Some(Goes { case, reads: 1, flag: Some(more) })
}

/// The slot that a condition reads.
fn flag(condition: &Block) -> Option<LocalId> {
    let [asked] = condition.statements.as_slice() else { return None };
    let more = read(asked.rhs()?)?;
    matches!(&condition.end, End::Yield(value) if value.local().is_some_and(|value| binds(asked, value)))
        .then_some(more)
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
        let [first, tag] = block.statements.as_slice() else { return None };
        let StatementKind::Let(list, reading) = &first.kind else { return None };
        let StatementKind::Let(tag, Rhs::Tag(tagged)) = &tag.kind else { return None };
        let End::Switch { scrutinee, cases, default } = &block.end else { return None };
        let is_of_content = tagged.local() == Some(*list) && scrutinee.local() == Some(*tag);
        let choice = Choice { slot: read(reading)?, list: *list, listed: cases, default: default.as_deref() };
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
    let more = flag(condition)?;
    let written = |wanted: LocalId| {
        let mut contents = body.statements.iter().filter_map(|statement| written(statement.rhs()?));
        contents.find(|(cell, _)| *cell == wanted).and_then(|(_, content)| content.local())
    };
    let bound = |wanted: LocalId| {
        let binding = body.statements.iter().find(|statement| binds(statement, wanted));
        binding.and_then(Statement::rhs)
    };
    let Rhs::Primitive(Primitive::NotEqual, compared) = bound(written(more)?)? else { return None };
    let [Atom::Local(index), last] = compared.as_slice() else { return None };
    let counter = read(bound(*index)?)?;
    let Rhs::Primitive(Primitive::Add | Primitive::Subtract, step) = bound(written(counter)?)? else { return None };
    let by_one = matches!(step.as_slice(), [Atom::Local(from), Atom::Integer(1 | -1, _)] if from == index);
    let only_here = |cell: LocalId| uses.private.contains(&cell) && uses.count(cell) == 2;
    let mut is_fixed = true;
    body.each_statement(&mut |statement| {
        is_fixed &= !last.local().is_some_and(|last| statement.bound().contains(&last));
    });
    (by_one && is_fixed && only_here(more) && only_here(counter)).then_some(())
}
