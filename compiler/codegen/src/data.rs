//! Tuples and values of declared types: construction and access to members.

use crate::{
    abi::machine_type,
    function::FunctionEmitter,
    layout::{Repr, UnionLayout, flatten},
};
use clef_base::internal::bug;
use clef_core::{AllocationId, Atom};
use clef_mlir::Value;
use clef_types::{Type, TypeKind};

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A tuple of a type.
    pub(crate) fn tuple(&mut self, ty: Type, parts: &[Atom]) -> Option<Value<'m>> {
        let parts: Vec<Value<'m>> = parts.iter().filter_map(|part| self.atom(part)).collect();
        let ty = self.machine_type(ty)?;
        Some(self.emit.make_record(ty, &parts))
    }

    /// A component of a tuple.
    pub(crate) fn component(&mut self, tuple: &Atom, index: usize) -> Option<Value<'m>> {
        let TypeKind::Tuple(parts) = self.kind(tuple) else {
            bug("generate", self.function.span, "a component of a value that is not a tuple")
        };
        let ty = self.machine_type(parts[index])?;
        let position = parts[..index].iter().filter(|part| self.repr(**part) != Repr::Unit).count();
        let tuple = self.value(tuple);
        Some(self.emit.extract(tuple, position, ty))
    }

    /// A value of a declared type; slots that the case does not use are undefined.
    pub(crate) fn inject(
        &mut self,
        ty: Type,
        case: usize,
        fields: &[Atom],
        allocation: Option<AllocationId>,
    ) -> Option<Value<'m>> {
        if self.shared.layouts.is_boxed(ty) {
            return Some(self.node(ty, case, fields, allocation));
        }
        let layout = self.shared.layouts.union(ty);
        let ty = self.machine_type(ty)?;
        let mut value = self.emit.undef(ty);
        if let Some(bits) = layout.tag_bits {
            let tag_type = self.emit.int(bits);
            let tag = self.emit.iconst(tag_type, case as i64);
            value = self.emit.insert(value, 0, tag);
        }
        for (field, slots) in fields.iter().zip(&layout.cases[case]) {
            let Some(whole) = self.atom(field) else { continue };
            let mut scalars = Vec::with_capacity(slots.len());
            let repr = self.atom_repr(field);
            self.take_apart(whole, &repr, &mut scalars);
            for (scalar, slot) in scalars.into_iter().zip(slots) {
                value = self.emit.insert(value, position(&layout, *slot), scalar);
            }
        }
        Some(value)
    }

    /// The tag of a value, as `int`.
    pub(crate) fn tag(&mut self, value: &Atom) -> Value<'m> {
        let ty = self.atom_type(value);
        if self.shared.layouts.is_boxed(ty) {
            return self.node_tag(ty, value);
        }
        let layout = self.shared.layouts.union(ty);
        let word = self.word();
        let Some(bits) = layout.tag_bits else { return self.emit.iconst(word, 0) };
        let value = self.value(value);
        let ty = self.emit.int(bits);
        let tag = self.emit.extract(value, 0, ty);
        if bits < self.shared.layouts.word_bits() { self.emit.zext(tag, word) } else { tag }
    }

    /// A field of a value whose case is known.
    pub(crate) fn field(&mut self, value: &Atom, case: usize, field: usize) -> Option<Value<'m>> {
        let ty = self.atom_type(value);
        if self.shared.layouts.is_boxed(ty) {
            return self.node_field(ty, value, case, field);
        }
        let layout = self.shared.layouts.union(ty);
        let repr = self.repr(self.shared.program.declared[&ty].cases[case].fields[field]);
        if repr == Repr::Unit {
            return None;
        }
        let value = self.value(value);
        let mut kinds = Vec::new();
        flatten(&repr, &mut kinds);
        let mut scalars = Vec::with_capacity(kinds.len());
        for (kind, slot) in kinds.iter().zip(&layout.cases[case][field]) {
            if let Some(ty) = machine_type(&self.emit, kind) {
                scalars.push(self.emit.extract(value, position(&layout, *slot), ty));
            }
        }
        self.put_together(&repr, &mut scalars.into_iter())
    }

    /// The representation of an operand.
    pub(crate) fn atom_repr(&self, atom: &Atom) -> Repr {
        let word = Repr::Integer(self.shared.layouts.word_bits());
        match atom {
            Atom::Unit => Repr::Unit,
            Atom::Bool(_) => Repr::Integer(1),
            Atom::Char(_) => Repr::Integer(32),
            Atom::String(_) => Repr::Struct(vec![Repr::Pointer, word]),
            Atom::ProgramRegion => Repr::Pointer,
            Atom::Local(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Function(..) => {
                self.repr(self.atom_type(atom))
            }
        }
    }

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

/// The index of a slot in the struct: after the tag.
fn position(layout: &UnionLayout, slot: usize) -> usize {
    slot + usize::from(layout.tag_bits.is_some())
}
