//! Evacuation: the calls of the runtime.
//!
//! In: the regions to be emptied, and the roots from which their values are reachable. Out: the call, with a `pointer_tables` entry
//! for each root, and the roots after it.

use crate::function::FunctionEmitter;
use clef_base::Span;
use clef_core::{Atom, GlobalId, Move};
use clef_mlir::{IntPredicate, Memory, Type as MlirType, Value};
use clef_types::Type;

/// The arguments of an evacuation besides its regions.
pub(crate) struct Roots<'a> {
    /// Operands, of which `ty` is the tuple.
    pub(crate) operands: &'a [Atom],
    pub(crate) ty: Type,
    pub(crate) globals: &'a [GlobalId],
    pub(crate) everywhere: bool,
    pub(crate) masked: bool,
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Evacuates regions; returns the tuple of the operands after evacuation.
    pub(crate) fn evacuate(&mut self, moves: &[Move], roots: &Roots<'_>, span: Span) -> Option<Value<'m>> {
        let before = self.tuple(roots.ty, roots.operands);
        if moves.iter().any(|Move { to, .. }| to.is_some()) {
            return self.evacuate_now(moves, roots, before, span);
        }
        let types: Vec<MlirType<'m>> = self.code.machine_type(roots.ty).into_iter().collect();
        let (due, after) = (self.code.emit.block(&[]), self.code.emit.block(&types));
        for Move { from, .. } in moves {
            let region = self.value(from);
            let word = self.code.word();
            let answer = self.code.runtime("clef_region_due", word, &[region]);
            let zero = self.code.word_constant(0);
            let is_due = self.code.emit.icmp(IntPredicate::Ne, answer, zero);
            let next = self.code.emit.block(&[]);
            self.code.emit.cond_br(is_due, (due, &[]), (next, &[]));
            self.code.emit.position(next);
        }
        self.code.emit.br(after, before.as_slice());
        self.code.emit.position(due);
        let moved = self.evacuate_now(moves, roots, before, span);
        self.code.emit.br(after, moved.as_slice());
        self.code.emit.position(after);
        after.arguments().first().copied()
    }

    fn evacuate_now(
        &mut self,
        moves: &[Move],
        roots: &Roots<'_>,
        before: Option<Value<'m>>,
        span: Span,
    ) -> Option<Value<'m>> {
        let targets = moves.iter().any(|Move { to, .. }| to.is_some());
        self.code.shared.tables.note_evacuation(moves.len() == 1, targets, roots.everywhere);
        let word = u64::from(self.code.shared.layouts.word_bits() / 8);
        let table = self.code.emit.alloca_bytes((moves.len() as u64 * 2 * word) as u32, word);
        for (index, Move { from, to }) in moves.iter().enumerate() {
            let from = self.value(from);
            let to = match to {
                Some(to) => self.value(to),
                None => self.code.emit.null(),
            };
            for (half, handle) in [from, to].into_iter().enumerate() {
                let place = self.code.emit.offset(table, ((index * 2 + half) as u64 * word) as i32);
                self.code.emit.store(handle, place, Memory::aligned(word));
            }
        }
        let count = self.code.word_constant(moves.len() as u64);
        let (repr, layout) = (self.code.repr(roots.ty), self.code.shared.root_layout(roots));
        let access = self.code.access(&repr);
        let buffer = self.code.emit.alloca_bytes(layout.extent.size.0 as u32, layout.extent.align.0);
        if let Some(before) = before {
            self.code.emit.store(before, buffer, access);
        }
        for (global, offset) in roots.globals.iter().zip(&layout.globals) {
            let address = self.code.emit.symbol(self.code.shared.global_symbol(*global));
            let place = self.code.emit.offset(buffer, offset.0 as i32);
            self.code.emit.store(address, place, Memory::aligned(word));
        }
        let entries = self.code.shared.root_entries(roots, &layout);
        let entries = self.code.emit.symbol(&entries);
        let everywhere = self.code.word_constant(roots.everywhere.into());
        let site = self.code.site(span);
        let interrupts = roots.masked.then(|| self.code.runtime("clef_mask_interrupts", self.code.emit.int(32), &[]));
        self.code.runtime_effect("clef_region_evacuate", &[table, count, buffer, entries, everywhere, site]);
        if let Some(interrupts) = interrupts {
            self.code.runtime_effect("clef_restore_interrupts", &[interrupts]);
        }
        before.map(|before| self.code.emit.load(before.ty(), buffer, access))
    }
}
