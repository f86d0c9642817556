//! Fuses loops: one that builds a list with the one that reads it, so that the list is never made.
//!
//! In: functions into which the library's functions on lists are inlined. A list is built in a loop when a slot takes the
//! nodes, last element first, and the nodes are reversed after the loop; it is read in a loop when a slot takes what is
//! left of it. Out: one loop in the place of the second one, in which the work on an element follows the work that
//! produced it; a pipeline becomes one loop, stage by stage.
//!
//! Condition: the list is used by the second loop only, one place adds elements, the second loop reads the whole list, and
//! nobody can tell that the work of both loops, and what is between them, is done in another order ([`effects`]). Memory
//! that the list would have needed does not run out any more. This is the deforestation of P. Wadler (1990) for the loops
//! to which functions on lists are already reduced.

mod effects;
mod shape;

use clef_core::{Atom, Block, Function, LocalId, Program, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;
use effects::{Effects, Place, Purity};
use shape::{Reader, Writer};
use std::collections::{HashMap, HashSet};

/// Fuses the loops of every function.
pub(super) fn fuse(program: &mut Program) {
    let mut purity = Purity::default();
    let ids: Vec<_> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        if !reverses(&program.functions[id]) {
            continue;
        }
        let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
        let uses = Uses::of(&body);
        let mut fusion = Fusion { place: Place { program, function: id, uses: &uses }, purity: &mut purity };
        body.each_mut(&mut |block| fusion.block(block));
        program.functions[id].body = body;
    }
}

fn reverses(function: &Function) -> bool {
    let mut found = false;
    function.body.each_statement(&mut |statement| found |= reversal(statement).is_some());
    found
}

/// The operands of the reversal of a fresh list: its nodes, and the list that follows them.
fn reversal(statement: &Statement) -> Option<(LocalId, LocalId)> {
    let Some(Rhs::Intrinsic { intrinsic: Intrinsic::ListReverse, arguments, .. }) = statement.rhs() else {
        return None;
    };
    let [nodes, onto] = arguments.as_slice() else { return None };
    Some((nodes.local()?, onto.local()?))
}

/// How often the locals of a function are used.
struct Uses {
    counts: HashMap<LocalId, usize>,
    /// The slots and ref cells that are only read and written, by this function.
    private: HashSet<LocalId>,
}

impl Uses {
    fn of(body: &Block) -> Uses {
        let mut counts = HashMap::new();
        body.each_atom(&mut |atom| {
            if let Some(local) = atom.local() {
                *counts.entry(local).or_insert(0) += 1;
            }
        });
        let (mut private, mut accesses) = (HashSet::new(), HashMap::new());
        body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, rhs) = &statement.kind
                && shape::content(rhs).is_some()
            {
                private.insert(*local);
            }
            let accessed =
                statement.rhs().and_then(|rhs| shape::read(rhs).or(shape::written(rhs).map(|(cell, _)| cell)));
            if let Some(cell) = accessed {
                *accesses.entry(cell).or_insert(0) += 1;
            }
        });
        private.retain(|slot| accesses.get(slot) == counts.get(slot));
        Uses { counts, private }
    }

    fn count(&self, local: LocalId) -> usize {
        self.counts.get(&local).copied().unwrap_or(0)
    }
}

struct Fusion<'a> {
    place: Place<'a>,
    purity: &'a mut Purity,
}

/// The statements of a block, of which some are taken out.
type Statements = [Option<Statement>];

/// Where the statements of a pair of loops are.
struct Pair {
    /// The slot that takes the nodes, the loop that builds the list, the read of the slot and the reversal.
    slot: usize,
    first: usize,
    read: usize,
    reversal: usize,
    writer: Writer,
    /// The slot for what is left, and the loop that reads the list.
    rest: usize,
    second: usize,
    reader: Reader,
}

impl Fusion<'_> {
    fn block(&mut self, block: &mut Block) {
        if !block.statements.iter().any(|statement| reversal(statement).is_some()) {
            return;
        }
        let mut statements: Vec<_> = std::mem::take(&mut block.statements).into_iter().map(Some).collect();
        let mut places = HashMap::new();
        for (index, statement) in statements.iter().flatten().enumerate() {
            places.extend(statement.bound().into_iter().map(|local| (local, index)));
        }
        for index in 0..statements.len() {
            if let Some(pair) = self.pair(&statements, &places, index)
                && self.commute(&statements, &pair)
            {
                join(&mut statements, pair);
            }
        }
        block.statements = statements.into_iter().flatten().collect();
    }

    /// The loops around the reversal of a list.
    fn pair(&self, statements: &Statements, places: &HashMap<LocalId, usize>, reversal_at: usize) -> Option<Pair> {
        let reversed = statements[reversal_at].as_ref()?;
        let (nodes, onto) = reversal(reversed)?;
        let place = |local: LocalId| places.get(&local).copied();
        let [list] = reversed.bound()[..] else { return None };
        let read = place(nodes)?;
        let slot = shape::read(rhs(statements, read)?)?;
        let slot_at = place(slot)?;
        let initial = shape::content(rhs(statements, slot_at)?)?;
        let is_empty = |list| matches!(rhs(statements, list), Some(Rhs::Inject { fields, .. }) if fields.is_empty());
        let counts = [nodes, list, slot].map(|local| self.place.uses.count(local));
        if counts != [1, 1, 3] || !is_empty(place(initial.local()?)?) || !is_empty(place(onto)?) {
            return None;
        }
        let first = (slot_at + 1..read).find(|index| is_loop(statements, *index) && uses(statements, *index, slot))?;
        let writer = Writer::of(rhs(statements, first)?, slot, self.place.uses)?;
        let is_rest = |index: &usize| {
            rhs(statements, *index).and_then(shape::content).is_some_and(|content| content.local() == Some(list))
        };
        let rest_at = (reversal_at + 1..statements.len()).find(is_rest)?;
        let rest = statements[rest_at].as_ref()?.bound()[0];
        let second = (rest_at + 1..statements.len())
            .find(|index| is_loop(statements, *index) && uses(statements, *index, rest))?;
        let reader = Reader::of(rhs(statements, second)?, rest, writer.case, self.place.uses)?;
        let begins = |flag: LocalId| {
            place(flag)
                .and_then(|at| shape::content(rhs(statements, at)?))
                .is_some_and(|value| *value == Atom::Bool(true))
        };
        if !reader.flag.is_none_or(begins) {
            return None;
        }
        Some(Pair { slot: slot_at, first, read, reversal: reversal_at, writer, rest: rest_at, second, reader })
    }

    /// Whether nobody can tell that the first loop runs with the second one.
    fn commute(&mut self, statements: &Statements, pair: &Pair) -> bool {
        let Some(first) = &statements[pair.first] else { return false };
        let mut work = Effects::default();
        work.add_statement(first, self.place, self.purity);
        statements[pair.slot].iter().flat_map(Statement::bound).for_each(|slot| work.forget(slot));
        let mut other = Effects::default();
        other.add_block(&pair.reader.work, self.place, self.purity);
        for index in pair.first + 1..pair.second {
            if ![pair.read, pair.reversal, pair.rest].contains(&index)
                && let Some(statement) = &statements[index]
            {
                if statement_uses(statement, &first.bound()) {
                    return false;
                }
                other.add_statement(statement, self.place, self.purity);
            }
        }
        work.commutes_with(&other)
    }
}

fn rhs(statements: &Statements, index: usize) -> Option<&Rhs> {
    statements[index].as_ref().and_then(Statement::rhs)
}

fn is_loop(statements: &Statements, index: usize) -> bool {
    matches!(rhs(statements, index), Some(Rhs::While { .. }))
}

/// Whether a statement uses a local, in nested blocks too.
fn uses(statements: &Statements, index: usize, local: LocalId) -> bool {
    statements[index].as_ref().is_some_and(|statement| statement_uses(statement, &[local]))
}

fn statement_uses(statement: &Statement, locals: &[LocalId]) -> bool {
    let mut found = false;
    let mut look = |atom: &Atom| found |= atom.local().is_some_and(|local| locals.contains(&local));
    statement.atoms(&mut look);
    for block in statement.rhs().into_iter().flat_map(Rhs::blocks) {
        block.each_atom(&mut |atom| look(atom));
    }
    found
}

/// The second loop's work takes the place of the node that the first loop adds, and the first loop that of the second one.
fn join(statements: &mut Statements, pair: Pair) {
    let Pair { slot, first, read, reversal, writer, rest, second, reader } = pair;
    let mut fused = statements[first].take();
    if let Some(Statement { kind: StatementKind::Let(_, whole), .. }) = &mut fused {
        writer.replace(whole, reader);
    }
    statements[second] = fused;
    for index in [slot, read, reversal, rest] {
        statements[index] = None;
    }
}
