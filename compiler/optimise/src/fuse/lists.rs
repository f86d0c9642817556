//! A loop that builds a list, and the one that reads it.
//!
//! A list is built when a slot takes the nodes, last element first, and the nodes are reversed after the loop; it is read when
//! a slot takes what is left of it.

use super::loops::{binds, content, flag, read, written};
use super::{Statements, Uses};
use clef_core::{Atom, Block, End, LocalId, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;

/// The operands of the reversal of a fresh list: its nodes, and the list that follows them.
pub(super) fn reversal(statement: &Statement) -> Option<(LocalId, LocalId)> {
    let Some(Rhs::Intrinsic { intrinsic: Intrinsic::ListReverse, arguments, .. }) = statement.rhs() else {
        return None;
    };
    let [nodes, onto] = arguments.as_slice() else { return None };
    Some((nodes.local()?, onto.local()?))
}

/// Where a pair of loops is of which one builds a list and the other one reads it.
pub(super) struct Pair {
    /// The loops.
    pub(super) first: usize,
    pub(super) second: usize,
    /// The slot that takes the nodes, its read, the reversal, and the slot for what is left.
    pub(super) others: [usize; 4],
    /// The slot that takes the nodes.
    pub(super) slot: LocalId,
    writer: Writer,
    pub(super) reader: Reader,
}

impl Pair {
    /// The loops around the reversal of a list.
    pub(super) fn of(statements: &Statements<'_>, reversal_at: usize, uses: &Uses) -> Option<Pair> {
        let reversed = statements.at(reversal_at)?;
        let (nodes, onto) = reversal(reversed)?;
        let [list] = reversed.bound()[..] else { return None };
        let read_at = statements.place(nodes)?;
        let slot = read(statements.rhs(read_at)?)?;
        let slot_at = statements.place(slot)?;
        let initial = content(statements.rhs(slot_at)?)?.local()?;
        let is_empty = |list| {
            let rhs = statements.place(list).and_then(|at| statements.rhs(at));
            matches!(rhs, Some(Rhs::Inject { fields, .. }) if fields.is_empty())
        };
        if [nodes, list, slot].map(|local| uses.count(local)) != [1, 1, 3] || !is_empty(initial) || !is_empty(onto) {
            return None;
        }
        let first = statements.next_loop(slot_at, slot).filter(|first| *first < read_at)?;
        let writer = Writer::of(statements.rhs(first)?, slot, uses)?;
        let rest_at = (reversal_at + 1..statements.len())
            .find(|at| statements.rhs(*at).and_then(content).is_some_and(|content| content.local() == Some(list)))?;
        let [rest] = statements.at(rest_at)?.bound()[..] else { return None };
        let second = statements.next_loop(rest_at, rest)?;
        let reader = Reader::of(statements.rhs(second)?, rest, writer.case, uses)?;
        let begins = |flag| statements.place(flag).is_some() && uses.initial.get(&flag) == Some(&Atom::Bool(true));
        let others = [slot_at, read_at, reversal_at, rest_at];
        reader.flag.is_none_or(begins).then_some(Pair { first, second, others, slot, writer, reader })
    }

    /// The second loop's work takes the place of the node that the first loop adds.
    pub(super) fn join(self, statements: &mut Statements<'_>) {
        statements.replace(self.first, self.second, &self.others, |whole| self.writer.replace(whole, self.reader));
    }
}

/// A place in a loop that adds a node to the list in a slot.
struct Writer {
    /// The tag of a node.
    case: usize,
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
    fn of(whole: &Rhs, slot: LocalId, uses: &Uses) -> Option<Writer> {
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
    fn replace(&self, whole: &mut Rhs, reader: Reader) {
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
            find(block, |rhs| matches!(rhs, Rhs::Field { value, field, .. } if is_list(value) && *field == wanted))
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
        let is_unit = |value: &Atom| *value == Atom::Unit || value.local().is_some_and(|value| binds(write, value));
        matches!(&block.end, End::Yield(value) if is_unit(value))
            && write.rhs().and_then(written) == Some((more, &Atom::Bool(false)))
    };
    let end = choice.cases().position(|(_, block)| is_end(block))?;
    let mut others = choice.cases().enumerate().filter(|(index, _)| *index != end);
    let (Some((_, (case, _))), None) = (others.next(), others.next()) else { return None };
    Some(Goes { case, reads: 1, flag: Some(more) })
}

/// The local of the first operation of a block for which a condition holds.
fn find(block: &Block, is_wanted: impl Fn(&Rhs) -> bool) -> Option<LocalId> {
    block.statements.iter().find_map(|statement| {
        let StatementKind::Let(local, rhs) = &statement.kind else { return None };
        is_wanted(rhs).then_some(*local)
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

/// Whether a loop reads a list to its end.
pub(super) fn reads_list(whole: &Rhs, uses: &Uses) -> bool {
    Reading::of(whole, uses).is_some()
}
