//! The order in which a function binds and uses its locals, and its loops.
//!
//! In: a function. Out: an [`Order`], which says what is live through a loop. The order is that of the source text,
//! which is stricter than necessary: of two branches the second counts as after the first.

use super::loops::inputs;
use clef_base::HashMap;
use clef_core::{Atom, Block, End, Function, LocalId, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;

/// Where a function binds and uses its locals: numbers that increase in source order.
#[derive(Default)]
pub(super) struct Order {
    now: usize,
    bound: HashMap<LocalId, usize>,
    used: HashMap<LocalId, usize>,
    /// Strings under construction; evacuation follows no pointer to their memory.
    strings: Vec<LocalId>,
    /// Loops by the local that their statement binds.
    pub(super) loops: HashMap<LocalId, Loop>,
    /// The beginnings of the loops being walked, outer before inner.
    open: Vec<usize>,
}

/// Where something begins and ends.
#[derive(Clone, Copy)]
pub(super) struct Place {
    begin: usize,
    /// Uses after this point are after it.
    end: usize,
}

/// A loop.
pub(super) struct Loop {
    pub(super) place: Place,
    /// Its beginning, and those of the loops around it before it.
    begins: Vec<usize>,
}

impl Order {
    pub(super) fn of(function: &Function) -> Order {
        let mut order = Order::default();
        for local in inputs(function).chain(function.regions.iter().copied()) {
            order.bound.insert(local, 0);
        }
        order.block(&function.body);
        order
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
        self.now += 1;
        let now = self.now;
        block.end.atoms(&mut |atom| self.use_at(atom, now));
        if let End::Join { join, scope } = &block.end {
            self.block(scope);
            join.params.iter().for_each(|param| {
                self.bound.insert(*param, self.now);
            });
            self.block(&join.body);
        } else {
            block.end.blocks().into_iter().for_each(|block| self.block(block));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        self.now += 1;
        let now = self.now;
        statement.atoms(&mut |atom| self.use_at(atom, now));
        if let StatementKind::Let(local, Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, .. }) = &statement.kind {
            self.strings.push(*local);
        }
        if let StatementKind::Let(local, rhs) = &statement.kind {
            let is_loop = matches!(rhs, Rhs::While { .. });
            if is_loop {
                self.open.push(now);
            }
            rhs.blocks().into_iter().for_each(|block| self.block(block));
            if is_loop {
                let place = Place { begin: now, end: self.now };
                self.loops.insert(*local, Loop { place, begins: self.open.clone() });
                self.open.pop();
            }
        }
        self.now += 1;
        for local in statement.bound() {
            self.bound.insert(local, self.now);
        }
    }

    fn use_at(&mut self, atom: &Atom, now: usize) {
        if let Atom::Local(local) = atom {
            self.used.insert(*local, now);
        }
    }

    /// Whether a string is begun before something and finished after it.
    pub(super) fn within_string(&self, place: Place) -> bool {
        self.strings.iter().any(|string| self.lives_across(*string, place))
    }

    /// Whether a local is bound before a loop, or one around it, and used in that loop or after it. If an iteration of
    /// an outer loop uses it before the inner loop begins, the next iteration uses it after the inner loop.
    pub(super) fn lives_through(&self, local: LocalId, around: &Loop) -> bool {
        let (Some(bound), Some(used)) = (self.bound.get(&local), self.used.get(&local)) else { return false };
        let after = around.begins.partition_point(|begin| begin <= bound);
        around.begins.get(after).is_some_and(|begin| used > begin)
    }

    /// Whether a local is bound before something begins and used after it ends.
    pub(super) fn lives_across(&self, local: LocalId, place: Place) -> bool {
        self.bound.get(&local).is_some_and(|bound| *bound < place.begin)
            && self.used.get(&local).is_some_and(|used| *used > place.end)
    }
}
