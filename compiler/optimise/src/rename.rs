//! Copies code: a block of one function, for the same or another function.
//!
//! Condition: none. Every local that the block binds, every join and every allocation gets a fresh identity in the
//! function that takes the copy; the other locals that it uses must be mapped beforehand.

use clef_base::{HashMap, internal};
use clef_core::{
    Allocation, AllocationId, Atom, Block, Copied, End, Function, FunctionId, Inlined, Join, JoinId, LocalId, Moved,
    Place, Statement, StatementKind,
};
use la_arena::Arena;

/// A copy in progress.
pub(super) struct Renaming<'a> {
    /// The function that the code comes from.
    pub(super) from: &'a Function,
    /// The function that takes the copy.
    pub(super) to: &'a mut Function,
    /// Its ID.
    pub(super) id: FunctionId,
    /// The table of allocations.
    pub(super) allocations: &'a mut Arena<Allocation>,
    locals: HashMap<LocalId, LocalId>,
    joins: HashMap<JoinId, JoinId>,
    moved: Moved,
}

impl<'a> Renaming<'a> {
    /// A copy with an empty mapping of locals, in place of a call if it replaces one.
    pub(super) fn new(
        from: &'a Function,
        to: &'a mut Function,
        id: FunctionId,
        allocations: &'a mut Arena<Allocation>,
        call: Option<Inlined>,
    ) -> Renaming<'a> {
        let moved = Moved::new(call, &mut to.inlined);
        Renaming { from, to, id, allocations, locals: HashMap::default(), joins: HashMap::default(), moved }
    }

    /// Maps a local to a fresh one.
    pub(super) fn bind(&mut self, local: LocalId) -> LocalId {
        let copy = self.to.locals.alloc(self.from.locals[local].clone());
        self.locals.insert(local, copy);
        copy
    }

    /// Where code of the function is in the one that takes it.
    pub(super) fn place(&mut self, place: Place) -> Place {
        self.moved.place(place, &self.from.inlined, &mut self.to.inlined)
    }

    /// What debuggers know of the locals of the function that were replaced, after its body was copied.
    pub(super) fn copied(&mut self) {
        let space = Copied::MOST.saturating_sub(self.to.copied.len());
        for copied in self.from.copied.iter().take(space) {
            let operand = match &copied.operand {
                Atom::Local(local) => match self.locals.get(local) {
                    Some(copy) => Atom::Local(*copy),
                    None => continue,
                },
                operand @ (Atom::Unit
                | Atom::Bool(_)
                | Atom::Integer(..)
                | Atom::Float(..)
                | Atom::Char(_)
                | Atom::String(_)
                | Atom::ProgramRegion
                | Atom::Function(..)) => operand.clone(),
            };
            let (local, place) = (self.bind(copied.local), self.place(copied.place));
            self.to.copied.push(Copied { local, operand, place });
        }
    }

    /// The copy of a block.
    pub(super) fn block(&mut self, block: &Block) -> Block {
        let mut copy = block.clone();
        self.rename(&mut copy);
        copy
    }

    fn rename(&mut self, block: &mut Block) {
        for statement in &mut block.statements {
            self.statement(statement);
        }
        block.end.atoms_mut(&mut |atom| self.atom(atom));
        match &mut block.end {
            End::Join { join, scope } => self.join(join, scope),
            End::Jump(id, _) => *id = self.joins.get(id).copied().unwrap_or_else(|| self.lost("a join")),
            End::If { .. } | End::Switch { .. } => {
                block.end.blocks_mut().into_iter().for_each(|block| self.rename(block));
            }
            End::TailCall { place, .. } | End::Trap(_, place) => {
                *place = self.place(*place);
            }
            End::Yield(_) | End::Continue(_) => {}
        }
    }

    fn join(&mut self, join: &mut Join, scope: &mut Block) {
        let id = JoinId(self.to.joins);
        self.to.joins += 1;
        self.joins.insert(join.id, id);
        join.id = id;
        self.rename(scope);
        for param in &mut join.params {
            *param = self.bind(*param);
        }
        self.rename(&mut join.body);
    }

    fn statement(&mut self, statement: &mut Statement) {
        statement.place = self.place(statement.place);
        match &mut statement.kind {
            StatementKind::Let(local, rhs) => {
                rhs.atoms_mut(&mut |atom| self.atom(atom));
                rhs.blocks_mut().into_iter().for_each(|block| self.rename(block));
                if let Some(allocation) = rhs.allocation_mut() {
                    self.allocation(allocation);
                }
                *local = self.bind(*local);
            }
            StatementKind::Group(members) => {
                for (local, closure) in members.iter_mut() {
                    *local = self.bind(*local);
                    self.allocation(&mut closure.allocation);
                }
                for (_, closure) in members {
                    closure.captures.iter_mut().for_each(|atom| self.atom(atom));
                }
            }
        }
    }

    fn allocation(&mut self, allocation: &mut AllocationId) {
        let copy = Allocation { function: self.id, decision: None, ..self.allocations[*allocation].clone() };
        *allocation = self.allocations.alloc(copy);
    }

    fn atom(&self, atom: &mut Atom) {
        if let Atom::Local(local) = atom {
            *local = self.locals.get(local).copied().unwrap_or_else(|| self.lost("a local"));
        }
    }

    fn lost(&self, what: &str) -> ! {
        internal::bug(
            "simplify",
            self.from.span,
            format!("{what} of {} has no counterpart in the copy", self.from.name),
        )
    }
}
