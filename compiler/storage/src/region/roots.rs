//! Writes evacuations.
//!
//! In: the regions that are emptied, and the values that may lead into them. Out: the statements that evacuate them, and
//! that replace the values by those after the evacuation.

use super::loops::let_;
use clef_base::{Span, Symbol};
use clef_core::{Atom, Block, Evacuation, Function, Local, LocalId, Move, Rhs, Statement};
use clef_types::{Type, TypeKind, Types};

/// A root of an evacuation.
pub(super) enum Root {
    /// The content of a slot, which is overwritten with the evacuated value.
    Slot(LocalId, Type),
    /// An object that does not move, but whose pointers are overwritten.
    Holder(LocalId),
}

/// What evacuations are written with.
pub(super) struct Writer<'a> {
    pub(super) evacuation: &'a Evacuation<'a>,
    pub(super) types: &'a mut Types,
}

impl Writer<'_> {
    /// How a local bound before the loop becomes a root, if what it leads to can be overwritten.
    pub(super) fn root(&self, function: &Function, local: LocalId) -> Option<Root> {
        let ty = function.locals[local].ty;
        if let TypeKind::Slot(content) = self.types.kind(ty) {
            return self.evacuation.has_pointers(*content).then_some(Root::Slot(local, *content));
        }
        self.evacuation.overwritable(ty).then_some(Root::Holder(local))
    }

    /// Evacuates regions, and writes the contents of slots back.
    pub(super) fn evacuate(
        &mut self,
        function: &mut Function,
        moves: Vec<Move>,
        (roots, everywhere): (&[Root], bool),
        span: Span,
    ) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut operands = Vec::new();
        for root in roots {
            operands.push(match root {
                Root::Holder(local) => *local,
                Root::Slot(slot, content) => {
                    let before = function.locals.alloc(Local { name: Symbol::new("before$"), ty: *content, span });
                    statements.push(let_(before, Rhs::ReadSlot(Atom::Local(*slot)), span));
                    before
                }
            });
        }
        let (evacuation, after) = self.evacuation_of(function, moves, &operands, everywhere, span);
        statements.push(evacuation);
        for (index, root) in roots.iter().enumerate() {
            let Root::Slot(slot, content) = root else { continue };
            let moved = function.locals.alloc(Local { name: Symbol::new("after$"), ty: *content, span });
            statements.push(let_(moved, Rhs::Component(Atom::Local(after), index), span));
            let written = self.new_local(function, "written$", TypeKind::Unit, span);
            statements.push(let_(written, Rhs::WriteSlot(Atom::Local(*slot), Atom::Local(moved)), span));
        }
        statements
    }

    /// The statement that evacuates regions from roots, and the tuple of the roots after it.
    pub(super) fn evacuation_of(
        &mut self,
        function: &mut Function,
        moves: Vec<Move>,
        roots: &[LocalId],
        everywhere: bool,
        span: Span,
    ) -> (Statement, LocalId) {
        let types = roots.iter().map(|root| function.locals[*root].ty).collect();
        let after = self.new_local(function, "evacuated$", TypeKind::Tuple(types), span);
        let roots = roots.iter().map(|root| Atom::Local(*root)).collect();
        (let_(after, Rhs::Evacuate { moves, roots, globals: Vec::new(), everywhere, masked: false }, span), after)
    }

    /// Wraps an iteration of a loop in a scope, so that statements can follow it.
    pub(super) fn append_iteration(&mut self, function: &mut Function, body: &mut Block, iteration: Block, span: Span) {
        let value = self.new_local(function, "iteration$", TypeKind::Unit, span);
        body.statements.push(let_(value, Rhs::Scope(Box::new(iteration)), span));
    }

    /// Ends a region.
    pub(super) fn leave(&mut self, function: &mut Function, handle: LocalId, span: Span) -> Statement {
        let left = self.new_local(function, "left$", TypeKind::Unit, span);
        let_(left, Rhs::LeaveRegion(Atom::Local(handle)), span)
    }

    fn new_local(&mut self, function: &mut Function, name: &str, kind: TypeKind, span: Span) -> LocalId {
        let ty = self.types.intern(kind);
        function.locals.alloc(Local { name: Symbol::new(name), ty, span })
    }
}
