//! Fuses loops: one that builds a list or an array with the one that reads it, so that neither is made.
//!
//! In: functions into which the library's functions on lists and arrays are inlined. Out: one loop in the place of the second
//! one, in which the work on an element follows the work that produced it; a pipeline becomes one loop, stage by stage.
//!
//! Condition: only the second loop uses the elements, one place adds them, the second loop reads all of them in the same
//! order, and nobody can tell that the work of both loops, and what is between them, is done in another order ([`effects`]).
//! Memory that they would have needed does not run out any more. This is the deforestation of P. Wadler (1990) for the loops
//! to which functions on lists and arrays are already reduced.

mod arrays;
mod effects;
mod lists;
mod loops;

use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, Function, LocalId, Program, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;
use effects::{Effects, Place, Purity};
use loops::Counting;

/// Fuses the loops of every function.
pub(super) fn fuse(program: &mut Program) {
    let mut purity = Purity::default();
    let is_interrupted = program.functions.values().any(|function| function.convention.interrupt().is_some());
    let ids: Vec<_> = program.functions.iter().map(|(id, _)| id).collect();
    for id in ids {
        if !has_candidate(&program.functions[id]) {
            continue;
        }
        // Its body is absent while it is changed, and its callees may call it.
        purity.learn(id, program);
        let mut body = std::mem::replace(&mut program.functions[id].body, Block::empty());
        let uses = Uses::of(&body);
        let place = Place { program, function: id, uses: &uses, is_interrupted };
        let mut fusion = Fusion { place, purity: &mut purity, counts: HashMap::default() };
        body.each_mut(&mut |block| fusion.block(block));
        if !fusion.counts.is_empty() {
            arrays::answer(&mut body, &fusion.counts);
        }
        program.functions[id].body = body;
    }
}

fn has_candidate(function: &Function) -> bool {
    let mut found = false;
    function.body.each_statement(&mut |statement| found |= is_candidate(statement));
    found
}

/// Whether a statement is the reversal of a list or the creation of an array.
fn is_candidate(statement: &Statement) -> bool {
    let Some(Rhs::Intrinsic { intrinsic, .. }) = statement.rhs() else { return false };
    matches!(intrinsic, Intrinsic::ListReverse | Intrinsic::ArrayZero)
}

/// How the locals of a function are used.
#[derive(Default)]
struct Uses {
    counts: HashMap<LocalId, usize>,
    /// The slots and ref cells that are only read and written, by this function.
    private: HashSet<LocalId>,
    /// What slots and ref cells begin with.
    initial: HashMap<LocalId, Atom>,
    lengths: arrays::Lengths,
    /// The results of accesses to arrays whose indices are in range.
    in_range: HashSet<LocalId>,
}

impl Uses {
    fn of(body: &Block) -> Uses {
        let mut uses = Uses::default();
        body.each_atom(&mut |atom| {
            if let Some(local) = atom.local() {
                *uses.counts.entry(local).or_insert(0) += 1;
            }
        });
        let mut accesses = HashMap::default();
        body.each_statement(&mut |statement| {
            uses.lengths.note(statement);
            let StatementKind::Let(local, rhs) = &statement.kind else { return };
            if let Some(content) = loops::content(rhs) {
                uses.initial.insert(*local, content.clone());
            }
            if let Some(cell) = loops::read(rhs).or(loops::written(rhs).map(|(cell, _)| cell)) {
                *accesses.entry(cell).or_insert(0) += 1;
            }
        });
        let is_private = |cell: &&LocalId| accesses.get(*cell) == uses.counts.get(*cell);
        uses.private = uses.initial.keys().filter(is_private).copied().collect();
        let mut in_range = HashSet::default();
        body.each_statement(&mut |statement| {
            if let Some(whole @ Rhs::While { body, .. }) = statement.rhs()
                && let Some(counting) = Counting::of(whole, &uses)
            {
                in_range.extend(uses.lengths.gets_in_range(body, &counting, &uses));
            }
        });
        Uses { in_range, ..uses }
    }

    fn count(&self, local: LocalId) -> usize {
        self.counts.get(&local).copied().unwrap_or(0)
    }
}

/// The statements of a block, of which some are taken out.
struct Statements<'a> {
    all: &'a mut [Option<Statement>],
    /// Where the locals are bound.
    places: &'a HashMap<LocalId, usize>,
}

impl Statements<'_> {
    fn len(&self) -> usize {
        self.all.len()
    }

    fn at(&self, index: usize) -> Option<&Statement> {
        self.all[index].as_ref()
    }

    fn rhs(&self, index: usize) -> Option<&Rhs> {
        self.at(index).and_then(Statement::rhs)
    }

    fn place(&self, local: LocalId) -> Option<usize> {
        self.places.get(&local).copied()
    }

    /// The first loop after a statement that uses a local.
    fn next_loop(&self, after: usize, local: LocalId) -> Option<usize> {
        (after + 1..self.len()).find(|index| {
            let Some(statement) = self.at(*index) else { return false };
            matches!(statement.rhs(), Some(Rhs::While { .. })) && uses(statement, &[local])
        })
    }

    /// Moves a statement to the place of another one and changes it; others are left out.
    fn replace(&mut self, from: usize, to: usize, others: &[usize], change: impl FnOnce(&mut Rhs)) {
        let mut moved = self.all[from].take();
        if let Some(Statement { kind: StatementKind::Let(_, rhs), .. }) = &mut moved {
            change(rhs);
        }
        self.all[to] = moved;
        others.iter().for_each(|other| self.all[*other] = None);
    }
}

/// Whether a statement uses one of some locals, in nested blocks too.
fn uses(statement: &Statement, locals: &[LocalId]) -> bool {
    let mut found = false;
    let mut look = |atom: &Atom| found |= atom.local().is_some_and(|local| locals.contains(&local));
    statement.atoms(&mut look);
    for block in statement.rhs().into_iter().flat_map(Rhs::blocks) {
        block.each_atom(&mut |atom| look(atom));
    }
    found
}

struct Fusion<'a> {
    place: Place<'a>,
    purity: &'a mut Purity,
    /// The lengths of the arrays that are not made any more.
    counts: HashMap<LocalId, Atom>,
}

impl Fusion<'_> {
    fn block(&mut self, block: &mut Block) {
        if !block.statements.iter().any(is_candidate) {
            return;
        }
        let mut all: Vec<_> = std::mem::take(&mut block.statements).into_iter().map(Some).collect();
        let mut places = HashMap::default();
        for (index, statement) in all.iter().flatten().enumerate() {
            places.extend(statement.bound().into_iter().map(|local| (local, index)));
        }
        let mut statements = Statements { all: &mut all, places: &places };
        for index in 0..statements.len() {
            if statements.at(index).is_some_and(is_candidate) {
                self.lists(&mut statements, index);
                self.arrays(&mut statements, index);
            }
        }
        block.statements = all.into_iter().flatten().collect();
    }

    fn lists(&mut self, statements: &mut Statements<'_>, index: usize) {
        let Some(pair) = lists::Pair::of(statements, index, self.place.uses) else { return };
        if self.commute(statements, [pair.first, pair.second], &pair.others, &pair.reader.work, &[pair.slot]) {
            pair.join(statements);
        }
    }

    fn arrays(&mut self, statements: &mut Statements<'_>, index: usize) {
        let Some(pair) = arrays::Pair::of(statements, index, self.place.uses) else { return };
        if self.commute(statements, [pair.first, pair.second], &[], &pair.work, &[pair.array]) {
            self.counts.insert(pair.array, pair.count.clone());
            pair.join(statements);
        }
    }

    /// Whether nobody can tell that the first loop, without what it does to some locals, is done with the work of the second
    /// one. Some statements between them are left out.
    fn commute(
        &mut self,
        statements: &Statements<'_>,
        [first, second]: [usize; 2],
        left_out: &[usize],
        work: &Block,
        of_the_pair: &[LocalId],
    ) -> bool {
        let Some(earlier) = statements.at(first) else { return false };
        let between: Vec<&Statement> =
            (first + 1..second).filter(|at| !left_out.contains(at)).filter_map(|at| statements.at(at)).collect();
        let moved = earlier.bound();
        let is_used = |local: &LocalId| self.place.uses.count(*local) > 0;
        if statements.at(second).is_none_or(|later| later.bound().iter().any(is_used)) {
            return false;
        }
        if between.iter().any(|statement| uses(statement, &moved)) {
            return false;
        }
        let mut before = Effects::ignoring(of_the_pair.iter().copied());
        before.add_statement(earlier, self.place, self.purity);
        // The first loop cannot know what is made after it.
        let mut after =
            Effects::ignoring(between.iter().copied().filter(|it| makes_array(it)).flat_map(Statement::bound));
        after.add_block(work, self.place, self.purity);
        between.iter().for_each(|statement| after.add_statement(statement, self.place, self.purity));
        before.commutes_with(&after)
    }
}

fn makes_array(statement: &Statement) -> bool {
    matches!(statement.rhs(), Some(Rhs::Intrinsic { intrinsic: Intrinsic::ArrayZero, .. } | Rhs::Array { .. }))
}
