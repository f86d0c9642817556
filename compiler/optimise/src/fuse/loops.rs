//! Loops, and the cells that they read and write.

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

/// Whether a statement binds a local alone.
pub(super) fn binds(statement: &Statement, local: LocalId) -> bool {
    matches!(statement.kind, StatementKind::Let(bound, _) if bound == local)
}

/// The slot that a condition reads.
pub(super) fn flag(condition: &Block) -> Option<LocalId> {
    let [asked] = condition.statements.as_slice() else { return None };
    let more = read(asked.rhs()?)?;
    matches!(&condition.end, End::Yield(value) if value.local().is_some_and(|value| binds(asked, value)))
        .then_some(more)
}

/// The parts of a loop that goes on until a counter, which changes by one in each round, is a number.
pub(super) struct Counting {
    /// The slots for whether it goes on, and for the counter.
    pub(super) flag: LocalId,
    pub(super) counter: LocalId,
    /// The counter in a round.
    pub(super) index: LocalId,
    /// Its value in the last round, which is known before.
    pub(super) last: Atom,
    /// Whether it increases.
    pub(super) is_upwards: bool,
    /// The locals of all that only counts.
    pub(super) parts: [LocalId; 5],
}

impl Counting {
    pub(super) fn of(whole: &Rhs, uses: &Uses) -> Option<Counting> {
        let Rhs::While { condition, body } = whole else { return None };
        let more = flag(condition)?;
        let write_of = |wanted: LocalId| {
            body.statements.iter().find_map(|statement| match &statement.kind {
                StatementKind::Let(local, rhs) => {
                    let (cell, content) = written(rhs)?;
                    (cell == wanted).then_some((*local, content.local()?))
                }
                StatementKind::Group(_) => None,
            })
        };
        let bound = |wanted: LocalId| body.statements.iter().find(|statement| binds(statement, wanted))?.rhs();
        let (flags, differs) = write_of(more)?;
        let Rhs::Primitive(Primitive::NotEqual, compared) = bound(differs)? else { return None };
        let [Atom::Local(index), last] = compared.as_slice() else { return None };
        let counter = read(bound(*index)?)?;
        let (counts, next) = write_of(counter)?;
        let Rhs::Primitive(primitive @ (Primitive::Add | Primitive::Subtract), step) = bound(next)? else {
            return None;
        };
        let [Atom::Local(from), Atom::Integer(step @ (1 | -1), _)] = step.as_slice() else { return None };
        let is_upwards = (*primitive == Primitive::Add) == (*step == 1);
        let only_here = |cell: LocalId| uses.private.contains(&cell) && uses.count(cell) == 2;
        let mut is_fixed = true;
        body.each_statement(&mut |statement| {
            is_fixed &= !last.local().is_some_and(|last| statement.bound().contains(&last));
        });
        let parts = [*index, differs, flags, next, counts];
        let last = last.clone();
        (from == index && is_fixed && only_here(more) && only_here(counter)).then_some(Counting {
            flag: more,
            counter,
            index: *index,
            last,
            is_upwards,
            parts,
        })
    }
}
