//! Which code does something with memory from before it, itself or by its calls.
//!
//! In: a program. Out: whether code may execute a statement with a property. Two are of interest: a node from before a loop
//! whose memory is used again ([`Rhs::Reuse`]) may point into the loop's regions, so an evacuation must follow nodes
//! outside of them; and memory that is overwritten drops its content.

use super::transitive::Transitive;
use clef_core::{Block, ConstantTypes, Evacuation, Function, Memory, Program, Rhs, Statement};
use clef_types::Intrinsic;

/// A property of statements.
#[derive(Clone, Copy)]
enum Property<'a> {
    Reuses,
    Overwrites(&'a Evacuation<'a>),
}

impl Property<'_> {
    /// Whether a statement of a function has it.
    fn holds(self, statement: &Statement, function: &Function) -> bool {
        match self {
            Property::Reuses => matches!(statement.rhs(), Some(Rhs::Reuse { .. })),
            Property::Overwrites(evacuation) => {
                if is_first_write(statement) {
                    return false;
                }
                let Some((memory, content)) = statement.rhs().and_then(Rhs::written) else { return false };
                evacuation.is_pointer(content, function) && !matches!(memory, Memory::Slot(_) | Memory::Global(_))
            }
        }
    }
}

/// The code with a property.
pub(super) struct Reaching<'a> {
    property: Property<'a>,
    functions: Transitive<'a>,
}

impl<'a> Reaching<'a> {
    /// The code that reuses nodes.
    pub(super) fn reuse(program: &'a Program, constants: ConstantTypes) -> Reaching<'a> {
        Reaching::of(program, constants, Property::Reuses)
    }

    /// The code that overwrites pointers in ref cells, arrays and fields.
    pub(super) fn overwriting(evacuation: &'a Evacuation<'a>, constants: ConstantTypes) -> Reaching<'a> {
        Reaching::of(evacuation.program(), constants, Property::Overwrites(evacuation))
    }

    fn of(program: &'a Program, constants: ConstantTypes, property: Property<'a>) -> Reaching<'a> {
        let functions = Transitive::new(program, constants, &|_, function| {
            let mut found = false;
            function.body.each_statement(&mut |statement| found |= property.holds(statement, function));
            found
        });
        Reaching { property, functions }
    }

    /// Whether code of a function has the property.
    pub(super) fn is_in(&self, block: &Block, function: &Function) -> bool {
        let mut found = self.functions.in_block(function, block);
        block.each_statement(&mut |statement| found |= self.property.holds(statement, function));
        found
    }

    /// Whether a statement of a function has it, without its nested blocks.
    pub(super) fn is_statement(&self, statement: &Statement, function: &Function) -> bool {
        let calls = statement.call().is_some_and(|call| self.functions.is_called(call, function));
        calls || self.property.holds(statement, function)
    }
}

/// Whether a statement writes an element of an array that has no content yet.
fn is_first_write(statement: &Statement) -> bool {
    matches!(statement.rhs(), Some(Rhs::Intrinsic { intrinsic: Intrinsic::ArrayPut, .. }))
}
