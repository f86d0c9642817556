//! Visitors for Core: the operands and the nested blocks of statements and ends, for reading and for rewriting.
//!
//! Each function visits only the direct parts of its receiver; [`Block::each`] and [`Block::each_mut`] visit all nested
//! blocks, outer before inner.

use super::{
    AllocationId, Atom, Block, Call, Callee, End, LocalId, MakeClosure, Rhs, Statement, StatementKind,
    parts::call_atoms,
};

impl Block {
    /// Visits this block and all blocks within it.
    pub fn each<'block>(&'block self, visit: &mut dyn FnMut(&'block Block)) {
        visit(self);
        for statement in &self.statements {
            if let StatementKind::Let(_, rhs) = &statement.kind {
                rhs.each_block(&mut |block| block.each(visit));
            }
        }
        self.end.each_block(&mut |block| block.each(visit));
    }

    /// Visits this block and all blocks within it, for rewriting.
    pub fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        visit(self);
        for statement in &mut self.statements {
            if let StatementKind::Let(_, rhs) = &mut statement.kind {
                rhs.each_block_mut(&mut |block| block.each_mut(visit));
            }
        }
        self.end.each_block_mut(&mut |block| block.each_mut(visit));
    }

    /// Visits every operand of this block and all blocks within it.
    pub fn each_atom<'block>(&'block self, visit: &mut dyn FnMut(&'block Atom)) {
        self.each(&mut |block| {
            for statement in &block.statements {
                statement.atoms(visit);
            }
            block.end.atoms(visit);
        });
    }

    /// Visits every operand of this block and all blocks within it, for rewriting.
    pub fn each_atom_mut(&mut self, visit: &mut dyn FnMut(&mut Atom)) {
        self.each_mut(&mut |block| {
            for statement in &mut block.statements {
                statement.atoms_mut(visit);
            }
            block.end.atoms_mut(visit);
        });
    }
}

impl Statement {
    /// Visits the operands, not those in nested blocks.
    pub fn atoms<'statement>(&'statement self, visit: &mut dyn FnMut(&'statement Atom)) {
        match &self.kind {
            StatementKind::Let(_, rhs) => rhs.atoms(visit),
            StatementKind::Group(members) => {
                for atom in members.iter().flat_map(|(_, closure)| &closure.captures) {
                    visit(atom);
                }
            }
        }
    }

    /// Visits the operands, not those in nested blocks, for rewriting.
    pub fn atoms_mut(&mut self, visit: &mut dyn FnMut(&mut Atom)) {
        match &mut self.kind {
            StatementKind::Let(_, rhs) => rhs.atoms_mut(visit),
            StatementKind::Group(members) => {
                members.iter_mut().flat_map(|(_, closure)| &mut closure.captures).for_each(visit);
            }
        }
    }

    /// Whether one of the locals is an operand of the statement or in its nested blocks.
    pub fn uses_any(&self, locals: &[LocalId]) -> bool {
        let mut found = false;
        let mut look = |atom: &Atom| found |= atom.local().is_some_and(|local| locals.contains(&local));
        self.atoms(&mut look);
        if let Some(rhs) = self.rhs() {
            rhs.blocks().into_iter().for_each(|block| block.each_atom(&mut look));
        }
        found
    }

    /// The locals that the statement binds.
    pub fn bound(&self) -> Vec<LocalId> {
        match &self.kind {
            StatementKind::Let(local, _) => vec![*local],
            StatementKind::Group(members) => members.iter().map(|(local, _)| *local).collect(),
        }
    }

    /// What the statement computes, if it binds one local.
    pub fn rhs(&self) -> Option<&Rhs> {
        match &self.kind {
            StatementKind::Let(_, rhs) => Some(rhs),
            StatementKind::Group(_) => None,
        }
    }

    /// The closures that the statement makes.
    pub fn closures(&self) -> Vec<&MakeClosure> {
        match &self.kind {
            StatementKind::Let(_, Rhs::Closure(closure)) => vec![closure],
            StatementKind::Let(..) => Vec::new(),
            StatementKind::Group(members) => members.iter().map(|(_, closure)| closure).collect(),
        }
    }

    /// The closures that the statement makes, for rewriting.
    pub fn closures_mut(&mut self) -> Vec<&mut MakeClosure> {
        match &mut self.kind {
            StatementKind::Let(_, Rhs::Closure(closure)) => vec![closure],
            StatementKind::Let(..) => Vec::new(),
            StatementKind::Group(members) => members.iter_mut().map(|(_, closure)| closure).collect(),
        }
    }

    /// The call that the statement makes.
    pub fn call(&self) -> Option<&Call> {
        match &self.kind {
            StatementKind::Let(_, Rhs::Call(call)) => Some(call),
            StatementKind::Let(..) | StatementKind::Group(_) => None,
        }
    }

    /// The call that the statement makes, for rewriting.
    pub fn call_mut(&mut self) -> Option<&mut Call> {
        match &mut self.kind {
            StatementKind::Let(_, Rhs::Call(call)) => Some(call),
            StatementKind::Let(..) | StatementKind::Group(_) => None,
        }
    }

    /// The allocations that the statement makes, not those in nested blocks.
    pub fn allocations(&self) -> Vec<AllocationId> {
        match &self.kind {
            StatementKind::Let(_, rhs) => rhs.allocation().into_iter().collect(),
            StatementKind::Group(members) => members.iter().map(|(_, closure)| closure.allocation).collect(),
        }
    }
}

macro_rules! end_atoms {
    ($end:expr, $visit:expr, $iterate:ident) => {
        match $end {
            End::Yield(atom) | End::If { condition: atom, .. } | End::Switch { scrutinee: atom, .. } => $visit(atom),
            End::TailCall { call: Call { callee, arguments, regions }, .. } => {
                call_atoms!(callee, arguments, regions, $visit, $iterate);
            }
            End::Continue(atoms) | End::Jump(_, atoms) => atoms.$iterate().for_each($visit),
            End::Join { .. } | End::Trap(..) => {}
        }
    };
}

impl End {
    /// Visits the operands.
    pub fn atoms<'end>(&'end self, visit: &mut dyn FnMut(&'end Atom)) {
        end_atoms!(self, visit, iter);
    }

    /// Visits the operands, for rewriting.
    pub fn atoms_mut(&mut self, visit: &mut dyn FnMut(&mut Atom)) {
        end_atoms!(self, visit, iter_mut);
    }

    /// Visits the nested blocks; for a join, its scope before its body.
    pub fn each_block<'end>(&'end self, visit: &mut dyn FnMut(&'end Block)) {
        match self {
            End::If { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            End::Switch { cases, default, .. } => {
                cases.iter().map(|(_, block)| block).chain(default.as_deref()).for_each(visit);
            }
            End::Join { join, scope } => {
                visit(scope);
                visit(&join.body);
            }
            End::Yield(_) | End::TailCall { .. } | End::Continue(_) | End::Jump(..) | End::Trap(..) => {}
        }
    }

    /// Visits the nested blocks, for rewriting.
    pub fn each_block_mut<'end>(&'end mut self, visit: &mut dyn FnMut(&'end mut Block)) {
        match self {
            End::If { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            End::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, block)| block).chain(default.as_deref_mut()).for_each(visit);
            }
            End::Join { join, scope } => {
                visit(scope);
                visit(&mut join.body);
            }
            End::Yield(_) | End::TailCall { .. } | End::Continue(_) | End::Jump(..) | End::Trap(..) => {}
        }
    }

    /// The nested blocks, in the same order.
    pub fn blocks(&self) -> Vec<&Block> {
        let mut blocks = Vec::new();
        self.each_block(&mut |block| blocks.push(block));
        blocks
    }

    /// The nested blocks, for rewriting.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        let mut blocks = Vec::new();
        self.each_block_mut(&mut |block| blocks.push(block));
        blocks
    }

    /// The tail call, if it is one.
    pub fn call(&self) -> Option<&Call> {
        match self {
            End::TailCall { call, .. } => Some(call),
            End::Yield(_)
            | End::Continue(_)
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..)
            | End::Trap(..) => None,
        }
    }

    /// The tail call, if it is one, for rewriting.
    pub fn call_mut(&mut self) -> Option<&mut Call> {
        match self {
            End::TailCall { call, .. } => Some(call),
            End::Yield(_)
            | End::Continue(_)
            | End::If { .. }
            | End::Switch { .. }
            | End::Join { .. }
            | End::Jump(..)
            | End::Trap(..) => None,
        }
    }
}
