//! Turns locals into slots, so that evacuation can overwrite them.
//!
//! In: a function and some of its locals. Out: the same function, where each of these is stored in a slot when it is
//! bound, and read from the slot at each use.

use super::super::loops::{inputs, let_};
use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, End, Function, Local, LocalId, Rhs, Statement, StatementKind};
use clef_types::{TypeKind, Types};

/// Locals that become slots.
pub(super) struct Demotion {
    pub(super) slots: HashMap<LocalId, LocalId>,
}

impl Demotion {
    pub(super) fn new(function: &mut Function, types: &mut Types, locals: &HashSet<LocalId>) -> Demotion {
        let mut sorted: Vec<LocalId> = locals.iter().copied().collect();
        sorted.sort();
        let slots = sorted.into_iter().map(|local| {
            let Local { name, ty, span } = function.locals[local].clone();
            let ty = types.intern(TypeKind::Slot(ty));
            (local, function.locals.alloc(Local { name, ty, span }))
        });
        Demotion { slots: slots.collect() }
    }

    pub(super) fn rewrite(&self, function: &mut Function) {
        if self.slots.is_empty() {
            return;
        }
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        self.block(function, &mut body);
        let given: Vec<LocalId> = inputs(function).collect();
        body.statements.splice(0..0, self.begin(function, &given));
        function.body = body;
    }

    /// Creates the slots of those of the locals that become one.
    fn begin(&self, function: &Function, locals: &[LocalId]) -> Vec<Statement> {
        let with_slot = locals.iter().filter_map(|local| Some((*local, *self.slots.get(local)?)));
        with_slot.map(|(local, slot)| let_(slot, Rhs::Slot(Atom::Local(local)), function.locals[local].span)).collect()
    }

    fn block(&self, function: &mut Function, block: &mut Block) {
        for mut statement in std::mem::take(&mut block.statements) {
            let span = statement.place.span;
            statement.atoms_mut(&mut |atom| self.read(function, atom, &mut block.statements, span));
            if let StatementKind::Let(_, rhs) = &mut statement.kind {
                rhs.blocks_mut().into_iter().for_each(|block| self.block(function, block));
            }
            let bound = statement.bound();
            block.statements.push(statement);
            block.statements.extend(self.begin(function, &bound));
        }
        let span = function.span;
        let Block { statements, end } = block;
        end.atoms_mut(&mut |atom| self.read(function, atom, statements, span));
        end.blocks_mut().into_iter().for_each(|block| self.block(function, block));
        if let End::Join { join, .. } = end {
            join.body.statements.splice(0..0, self.begin(function, &join.params));
        }
    }

    /// Replaces an operand by the content of its slot.
    fn read(&self, function: &mut Function, atom: &mut Atom, before: &mut Vec<Statement>, span: clef_base::Span) {
        if let Atom::Local(local) = atom
            && let Some(slot) = self.slots.get(local)
        {
            let copy = function.locals[*local].clone();
            let read = function.locals.alloc(copy);
            before.push(let_(read, Rhs::ReadSlot(Atom::Local(*slot)), span));
            *atom = Atom::Local(read);
        }
    }
}
