//! The parts of an operation: its operands, its nested blocks and its allocation.
//!
//! The macro is the one list of where each operation has them. Every visitor of an [`Rhs`] is a selection of its parts, in
//! their order, for reading or for rewriting. Operands within nested blocks are not parts of the operation.

use super::{AllocationId, Atom, Block, Call, Callee, MakeClosure, Move, Reuse, Rhs};

/// A part of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Part<'rhs> {
    /// An operand.
    Atom(&'rhs Atom),
    /// A nested block.
    Block(&'rhs Block),
    /// The allocation that it performs.
    Allocation(&'rhs AllocationId),
}

/// A part of an operation, for rewriting.
#[derive(Debug)]
pub enum PartMut<'rhs> {
    /// An operand.
    Atom(&'rhs mut Atom),
    /// A nested block.
    Block(&'rhs mut Block),
    /// The allocation that it performs.
    Allocation(&'rhs mut AllocationId),
}

/// Visits the operands of a call: the closure, if the call uses one, then the arguments, then the handles of regions.
macro_rules! call_atoms {
    ($callee:expr, $arguments:expr, $regions:expr, $visit:expr, $iterate:ident) => {{
        match $callee {
            Callee::Known(_) => {}
            Callee::Direct(_, closure) | Callee::Closure(closure) => $visit(closure),
        }
        $arguments.$iterate().chain($regions.$iterate()).for_each($visit);
    }};
}
pub(crate) use call_atoms;

macro_rules! parts {
    ($rhs:expr, $visit:ident, $part:ident, $iterate:ident) => {{
        let mut atom = |atom| $visit($part::Atom(atom));
        match $rhs {
            Rhs::Atom(operand)
            | Rhs::Arity(operand)
            | Rhs::Component(operand, _)
            | Rhs::Tag(operand)
            | Rhs::Field { value: operand, .. }
            | Rhs::Slot(operand)
            | Rhs::ReadSlot(operand)
            | Rhs::ReadReference(operand)
            | Rhs::WriteGlobal(_, operand)
            | Rhs::LeaveRegion(operand)
            | Rhs::PopClosure(operand) => atom(operand),
            Rhs::WriteSlot(holder, content)
            | Rhs::WriteReference(holder, content)
            | Rhs::WriteField { value: holder, content, .. } => {
                atom(holder);
                atom(content);
            }
            Rhs::Primitive(_, operands) | Rhs::Foreign { arguments: operands, .. } | Rhs::Tuple(operands) => {
                operands.$iterate().for_each(atom);
            }
            Rhs::Intrinsic { arguments: operands, allocation, .. } => {
                operands.$iterate().for_each(atom);
                allocation.$iterate().for_each(|allocation| $visit($part::Allocation(allocation)));
            }
            Rhs::Inject { fields, allocation, reuse, .. } => {
                fields.$iterate().for_each(&mut atom);
                reuse.$iterate().for_each(|Reuse { node, .. }| atom(node));
                allocation.$iterate().for_each(|allocation| $visit($part::Allocation(allocation)));
            }
            Rhs::Concatenate { parts: operands, allocation }
            | Rhs::Closure(MakeClosure { captures: operands, allocation, .. })
            | Rhs::Array { elements: operands, allocation } => {
                operands.$iterate().for_each(atom);
                $visit($part::Allocation(allocation));
            }
            Rhs::MakeReference { value, allocation } => {
                atom(value);
                $visit($part::Allocation(allocation));
            }
            Rhs::Call(Call { callee, arguments, regions }) => {
                call_atoms!(callee, arguments, regions, &mut atom, $iterate);
            }
            Rhs::Evacuate { moves, roots, .. } => {
                for Move { from, to } in moves.$iterate() {
                    atom(from);
                    to.$iterate().for_each(&mut atom);
                }
                roots.$iterate().for_each(atom);
            }
            Rhs::Scope(block) => $visit($part::Block(block)),
            Rhs::While { condition, body } => {
                $visit($part::Block(condition));
                $visit($part::Block(body));
            }
            Rhs::ReadGlobal(_) | Rhs::FunctionAddress(_) | Rhs::EnterRegion => {}
        }
    }};
}

impl Rhs {
    /// Visits the parts.
    pub fn parts<'rhs>(&'rhs self, mut visit: impl FnMut(Part<'rhs>)) {
        parts!(self, visit, Part, iter);
    }

    /// Visits the parts, for rewriting.
    pub fn parts_mut<'rhs>(&'rhs mut self, mut visit: impl FnMut(PartMut<'rhs>)) {
        parts!(self, visit, PartMut, iter_mut);
    }

    /// Visits the operands.
    pub fn atoms<'rhs>(&'rhs self, visit: &mut dyn FnMut(&'rhs Atom)) {
        self.parts(|part| {
            if let Part::Atom(atom) = part {
                visit(atom);
            }
        });
    }

    /// Visits the operands, for rewriting.
    pub fn atoms_mut(&mut self, visit: &mut dyn FnMut(&mut Atom)) {
        self.parts_mut(|part| {
            if let PartMut::Atom(atom) = part {
                visit(atom);
            }
        });
    }

    /// Visits the nested blocks.
    pub fn each_block<'rhs>(&'rhs self, visit: &mut dyn FnMut(&'rhs Block)) {
        self.parts(|part| {
            if let Part::Block(block) = part {
                visit(block);
            }
        });
    }

    /// Visits the nested blocks, for rewriting.
    pub fn each_block_mut<'rhs>(&'rhs mut self, visit: &mut dyn FnMut(&'rhs mut Block)) {
        self.parts_mut(|part| {
            if let PartMut::Block(block) = part {
                visit(block);
            }
        });
    }

    /// The nested blocks.
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

    /// The allocation that it performs.
    pub fn allocation(&self) -> Option<AllocationId> {
        let mut found = None;
        self.parts(|part| {
            if let Part::Allocation(allocation) = part {
                found = Some(*allocation);
            }
        });
        found
    }

    /// The allocation that it performs, for renaming.
    pub fn allocation_mut(&mut self) -> Option<&mut AllocationId> {
        let mut found = None;
        self.parts_mut(|part| {
            if let PartMut::Allocation(allocation) = part {
                found = Some(allocation);
            }
        });
        found
    }
}
