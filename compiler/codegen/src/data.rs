//! Tuples and values of declared types: construction and access to members.

use crate::{
    abi::machine_type,
    code::Code,
    function::FunctionEmitter,
    layout::{Repr, UnionLayout, flatten},
};
use clef_core::{AllocationId, Atom, Reuse};
use clef_mlir::Value;
use clef_types::{Type, TypeKind};

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A tuple of a type.
    pub(crate) fn tuple(&mut self, ty: Type, parts: &[Atom]) -> Option<Value<'m>> {
        let parts = self.atoms(parts);
        let ty = self.code.machine_type(ty)?;
        Some(self.code.emit.make_record(ty, &parts))
    }

    /// A component of a tuple.
    pub(crate) fn component(&mut self, tuple: &Atom, index: usize) -> Option<Value<'m>> {
        let TypeKind::Tuple(parts) = self.locals.kind(tuple) else {
            self.code.bug("a component of a value that is not a tuple")
        };
        let ty = self.code.machine_type(parts[index])?;
        let position = parts[..index].iter().filter(|part| self.code.repr(**part) != Repr::Unit).count();
        let tuple = self.value(tuple);
        Some(self.code.emit.extract(tuple, position, ty))
    }

    /// A value of a declared type; slots that the case does not use are undefined.
    pub(crate) fn inject(
        &mut self,
        ty: Type,
        case: usize,
        fields: &[Atom],
        memory: (Option<AllocationId>, Option<&Reuse>),
    ) -> Option<Value<'m>> {
        if self.code.shared.layouts.is_boxed(ty) {
            let fields: Vec<Option<&Atom>> = fields.iter().map(Some).collect();
            return Some(self.node(ty, case, &fields, memory));
        }
        let layout = self.code.shared.layouts.union(ty);
        let ty = self.code.machine_type(ty)?;
        let mut value = self.code.emit.undef(ty);
        if let Some(bits) = layout.tag_bits {
            let tag_type = self.code.emit.int(bits);
            let tag = self.code.emit.iconst(tag_type, case as i64);
            value = self.code.emit.insert(value, 0, tag);
        }
        for (field, slots) in fields.iter().zip(&layout.cases[case]) {
            let Some(whole) = self.atom(field) else { continue };
            let mut scalars = Vec::with_capacity(slots.len());
            let repr = self.locals.repr(field);
            self.code.take_apart(whole, &repr, &mut scalars);
            let mut kinds = Vec::with_capacity(slots.len());
            flatten(&repr, &mut kinds);
            for ((scalar, kind), slot) in scalars.into_iter().zip(&kinds).zip(slots) {
                let scalar = match wider(&layout, *slot, kind) {
                    Some(bits) => self.code.emit.zext(scalar, self.code.emit.int(bits)),
                    None => scalar,
                };
                value = self.code.emit.insert(value, position(&layout, *slot), scalar);
            }
        }
        Some(value)
    }

    /// The tag of a value, as `int`.
    pub(crate) fn tag(&mut self, value: &Atom) -> Value<'m> {
        let ty = self.locals.atom_type(value);
        if self.code.shared.layouts.is_boxed(ty) {
            return self.node_tag(ty, value);
        }
        let layout = self.code.shared.layouts.union(ty);
        let word = self.code.word();
        let Some(bits) = layout.tag_bits else { return self.code.emit.iconst(word, 0) };
        let value = self.value(value);
        let ty = self.code.emit.int(bits);
        let tag = self.code.emit.extract(value, 0, ty);
        if bits < self.code.shared.layouts.word_bits() { self.code.emit.zext(tag, word) } else { tag }
    }

    /// A field of a value whose case is known.
    pub(crate) fn field(&mut self, value: &Atom, case: usize, field: usize) -> Option<Value<'m>> {
        let ty = self.locals.atom_type(value);
        if self.code.shared.layouts.is_boxed(ty) {
            return self.node_field(ty, value, case, field);
        }
        let layout = self.code.shared.layouts.union(ty);
        let repr = self.code.repr(self.code.shared.program.declared[&ty].cases[case].fields[field]);
        if repr == Repr::Unit {
            return None;
        }
        let value = self.value(value);
        let mut kinds = Vec::new();
        flatten(&repr, &mut kinds);
        let mut scalars = Vec::with_capacity(kinds.len());
        for (kind, slot) in kinds.iter().zip(&layout.cases[case][field]) {
            let Some(ty) = machine_type(&self.code.emit, kind) else { continue };
            let place = position(&layout, *slot);
            scalars.push(match wider(&layout, *slot, kind) {
                Some(bits) => {
                    let whole = self.code.emit.extract(value, place, self.code.emit.int(bits));
                    self.code.emit.trunc(whole, ty)
                }
                None => self.code.emit.extract(value, place, ty),
            });
        }
        self.code.put_together(&repr, &mut scalars.into_iter())
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// Splits a value into its machine values, left to right.
    pub(crate) fn take_apart(&mut self, value: Value<'m>, repr: &Repr, into: &mut Vec<Value<'m>>) {
        let Repr::Struct(members) = repr else { return into.push(value) };
        for (index, member) in members.iter().enumerate() {
            if let Some(ty) = machine_type(&self.emit, member) {
                let part = self.emit.extract(value, index, ty);
                self.take_apart(part, member, into);
            }
        }
    }

    /// Builds a value from its machine values.
    pub(crate) fn put_together(
        &mut self,
        repr: &Repr,
        scalars: &mut impl Iterator<Item = Value<'m>>,
    ) -> Option<Value<'m>> {
        let Repr::Struct(members) = repr else { return scalars.next() };
        let parts: Vec<Value<'m>> = members.iter().filter_map(|member| self.put_together(member, scalars)).collect();
        let ty = machine_type(&self.emit, repr)?;
        Some(self.emit.make_record(ty, &parts))
    }
}

/// The bits of a slot that is wider than an integer in it.
fn wider(layout: &UnionLayout, slot: usize, kind: &Repr) -> Option<u32> {
    match (&layout.slots[slot], kind) {
        (Repr::Integer(slot), Repr::Integer(bits)) if slot > bits => Some(*slot),
        _ => None,
    }
}

/// The index of a slot in the struct: after the tag.
fn position(layout: &UnionLayout, slot: usize) -> usize {
    slot + usize::from(layout.tag_bits.is_some())
}
