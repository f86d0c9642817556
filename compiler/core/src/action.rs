//! What an operation does besides computing its result.
//!
//! [`Rhs::action`] is the one list of which operations access memory that can be overwritten, call, or affect regions. Passes
//! that care about a few of the operations ask here; pointers of the program and devices are not followed.

use super::{Atom, GlobalId, Rhs};
use clef_types::{Effect, Intrinsic, Reach};

/// What an operation does besides computing its result.
#[derive(Clone, Copy, Debug)]
pub enum Action<'rhs> {
    /// Nothing, except for the effect of an intrinsic and for an allocation.
    Nothing(Effect),
    /// It returns the content of memory that can be overwritten; it may trap.
    Reads(Memory<'rhs>),
    /// It overwrites memory with an operand, which is its last one; it may trap.
    Writes(Memory<'rhs>, &'rhs Atom),
    /// It calls a function.
    Calls,
    /// It begins, ends or evacuates regions, or frees something in them.
    Regions,
    /// It executes its nested blocks once.
    Nests,
    /// It executes its nested blocks repeatedly, and may not end.
    Repeats,
}

/// Memory that operations overwrite.
#[derive(Clone, Copy, Debug)]
pub enum Memory<'rhs> {
    /// The content of a slot.
    Slot(&'rhs Atom),
    /// The content of a ref cell.
    Reference(&'rhs Atom),
    /// A field of a value; only mutable fields of boxed types are overwritten alone.
    Field {
        /// The value.
        value: &'rhs Atom,
        /// The tag.
        case: usize,
        /// The position.
        field: usize,
    },
    /// An element of an array.
    Element(&'rhs Atom),
    /// A module-level value.
    Global(GlobalId),
}

impl<'rhs> Memory<'rhs> {
    /// The slot, the ref cell, the value or the array; none for a module-level value.
    pub fn holder(self) -> Option<&'rhs Atom> {
        match self {
            Memory::Slot(holder)
            | Memory::Reference(holder)
            | Memory::Field { value: holder, .. }
            | Memory::Element(holder) => Some(holder),
            Memory::Global(_) => None,
        }
    }
}

impl Rhs {
    /// What it does besides computing its result.
    pub fn action(&self) -> Action<'_> {
        match self {
            Rhs::ReadSlot(slot) => Action::Reads(Memory::Slot(slot)),
            Rhs::ReadReference(cell) => Action::Reads(Memory::Reference(cell)),
            Rhs::Field { value, case, field } => Action::Reads(Memory::Field { value, case: *case, field: *field }),
            Rhs::ReadGlobal(global) => Action::Reads(Memory::Global(*global)),
            Rhs::WriteSlot(slot, content) => Action::Writes(Memory::Slot(slot), content),
            Rhs::WriteReference(cell, content) => Action::Writes(Memory::Reference(cell), content),
            Rhs::WriteField { value, case, field, content } => {
                Action::Writes(Memory::Field { value, case: *case, field: *field }, content)
            }
            Rhs::WriteGlobal(global, content) => Action::Writes(Memory::Global(*global), content),
            Rhs::Intrinsic { intrinsic, arguments, .. } => match (intrinsic.properties().reach, &arguments[..]) {
                (Reach::ReadsElement, [array, ..]) => Action::Reads(Memory::Element(array)),
                (Reach::WritesElement, [array, .., content]) => Action::Writes(Memory::Element(array), content),
                _ => Action::Nothing(intrinsic.properties().effect),
            },
            Rhs::Call(_) | Rhs::Foreign { .. } => Action::Calls,
            Rhs::EnterRegion | Rhs::LeaveRegion(_) | Rhs::PopClosure(_) | Rhs::Evacuate { .. } => Action::Regions,
            Rhs::Scope(_) => Action::Nests,
            Rhs::While { .. } => Action::Repeats,
            Rhs::Atom(_)
            | Rhs::Primitive(..)
            | Rhs::Concatenate { .. }
            | Rhs::FunctionAddress(_)
            | Rhs::Closure(_)
            | Rhs::Arity(_)
            | Rhs::Tuple(_)
            | Rhs::Component(..)
            | Rhs::Array { .. }
            | Rhs::Inject { .. }
            | Rhs::Tag(_)
            | Rhs::Slot(_)
            | Rhs::MakeReference { .. } => Action::Nothing(Effect::Nothing),
        }
    }

    /// The memory that it overwrites, and the operand with which it does.
    pub fn written(&self) -> Option<(Memory<'_>, &Atom)> {
        if let Action::Writes(memory, content) = self.action() { Some((memory, content)) } else { None }
    }

    /// The memory that it reads or overwrites.
    pub fn accessed(&self) -> Option<Memory<'_>> {
        if let Action::Reads(memory) | Action::Writes(memory, _) = self.action() { Some(memory) } else { None }
    }

    /// The number of elements of the array, or of values in the memory, that it allocates, if it is known. An operation
    /// with a negative number traps.
    pub fn element_count(&self) -> Option<i128> {
        if let Rhs::Array { elements, .. } = self {
            return Some(elements.len() as i128);
        }
        if let Atom::Integer(count, _) = self.counted()? { Some(*count) } else { None }
    }

    /// The operand that is the number of elements of the array, or of values in the memory, that it allocates.
    pub fn counted(&self) -> Option<&Atom> {
        let Rhs::Intrinsic { intrinsic: Intrinsic::ArrayZero | Intrinsic::StackAllocate, arguments, .. } = self else {
            return None;
        };
        arguments.first()
    }

    /// The same, to be replaced.
    pub fn counted_mut(&mut self) -> Option<&mut Atom> {
        let Rhs::Intrinsic { intrinsic: Intrinsic::ArrayZero | Intrinsic::StackAllocate, arguments, .. } = self else {
            return None;
        };
        arguments.first_mut()
    }
}
