//! Nodes: the values of types that contain themselves.

use crate::{
    function::FunctionEmitter,
    layout::{BoxedTag, Repr},
    symbol::Generated,
};
use clef_base::internal::bug;
use clef_core::{AllocationId, Atom};
use clef_mlir::{Constant, Global, IntPredicate, Memory, Value};
use clef_types::Type;

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A value of a case of a boxed type: a node with its fields, or the tag of a case without fields.
    pub(crate) fn node(
        &mut self,
        ty: Type,
        case: usize,
        fields: &[Atom],
        allocation: Option<AllocationId>,
    ) -> Value<'m> {
        let tag = self.shared.layouts.boxed_tag(ty);
        if fields.is_empty() {
            return match tag {
                BoxedTag::Address(_) => self.address_tag(case),
                BoxedTag::Stored(bits) => self.constant_node(ty, case, bits),
            };
        }
        let Some(allocation) = allocation else { bug("generate", self.function.span, "a node has no allocation") };
        let layout = self.shared.layouts.node(ty, case);
        let byte = self.emit.int(8);
        let bytes = self.emit.array(byte, layout.extent.size.0 as u32);
        let node = self.room(allocation, bytes, layout.extent);
        if let BoxedTag::Stored(bits) = tag {
            let tag_type = self.emit.int(bits);
            let tag = self.emit.iconst(tag_type, case as i64);
            self.emit.store(tag, node, Memory::aligned(u64::from(bits / 8)));
        }
        for (field, offset) in fields.iter().zip(&layout.offsets) {
            let repr = self.atom_repr(field);
            let Some(value) = self.atom(field) else { continue };
            let access = self.access(&repr);
            let address = self.emit.offset(node, offset.0 as i32);
            self.emit.store(value, address, access);
        }
        node
    }

    /// The tag of a value of a boxed type, as `int`.
    pub(crate) fn node_tag(&mut self, ty: Type, value: &Atom) -> Value<'m> {
        let cases = self.shared.program.declared[&ty].cases.len();
        let tag = self.shared.layouts.boxed_tag(ty);
        let word = self.word();
        let node = self.value(value);
        match tag {
            BoxedTag::Address(_) if cases == 1 => self.emit.iconst(word, 0),
            BoxedTag::Address(filled) => {
                let address = self.emit.ptrtoint(node, word);
                let limit = self.emit.iconst(word, cases as i64);
                let is_tag = self.emit.icmp(IntPredicate::Ult, address, limit);
                let filled = self.emit.iconst(word, filled as i64);
                self.emit.select(is_tag, address, filled)
            }
            BoxedTag::Stored(bits) => {
                let ty = self.emit.int(bits);
                let tag = self.emit.load(ty, node, Memory::aligned(u64::from(bits / 8)));
                if bits < self.shared.layouts.word_bits() { self.emit.zext(tag, word) } else { tag }
            }
        }
    }

    /// A field of a value of a boxed type whose case is known.
    pub(crate) fn node_field(&mut self, ty: Type, value: &Atom, case: usize, field: usize) -> Option<Value<'m>> {
        let repr = self.repr(self.shared.program.declared[&ty].cases[case].fields[field]);
        if repr == Repr::Unit {
            return None;
        }
        let offset = self.shared.layouts.node(ty, case).offsets[field];
        let node = self.value(value);
        let address = self.emit.offset(node, offset.0 as i32);
        let access = self.access_in(ty, &repr);
        let machine = crate::abi::machine_type(&self.emit, &repr)?;
        Some(self.load_whole(machine, address, access, &repr))
    }

    /// Overwrites a field of a value of a boxed type whose case is known.
    pub(crate) fn write_node_field(
        &mut self,
        value: &Atom,
        case: usize,
        field: usize,
        content: &Atom,
    ) -> Option<Value<'m>> {
        let offset = self.shared.layouts.node(self.atom_type(value), case).offsets[field];
        let repr = self.atom_repr(content);
        if repr != Repr::Unit {
            let (node, content) = (self.value(value), self.value(content));
            let address = self.emit.offset(node, offset.0 as i32);
            let access = self.access_in(self.atom_type(value), &repr);
            self.store_whole(content, address, access, &repr);
        }
        None
    }

    /// Reverses the nodes of a list in place onto another list: a loop that writes to them.
    pub(crate) fn reverse_list(&mut self, list: &Atom, onto: &Atom, ty: Type) -> Value<'m> {
        let cases = self.shared.program.declared[&ty].cases.iter();
        let Some(case) = cases.clone().position(|case| case.fields.len() == 2) else {
            bug("generate", self.function.span, "a type whose nodes are not an element and a rest is reversed")
        };
        let tail = self.shared.layouts.node(ty, case).offsets[1].0 as i32;
        let access = self.access(&Repr::Pointer);
        let pointer = self.emit.ptr();
        let (head, iteration, end) = (self.emit.block(&[pointer, pointer]), self.emit.block(&[]), self.emit.block(&[]));
        let (list, onto) = (self.value(list), self.value(onto));
        self.emit.br(head, &[list, onto]);
        self.emit.position(head);
        let (node, before) = (head.argument(0), head.argument(1));
        let empty = self.emit.null();
        let done = self.emit.icmp(IntPredicate::Eq, node, empty);
        self.emit.cond_br(done, (end, &[]), (iteration, &[]));
        self.emit.position(iteration);
        let address = self.emit.offset(node, tail);
        let rest = self.emit.load(pointer, address, access);
        self.emit.store(before, address, access);
        self.emit.br(head, &[rest, node]);
        self.emit.position(end);
        before
    }

    /// A tag in place of an address.
    fn address_tag(&mut self, case: usize) -> Value<'m> {
        if case == 0 {
            return self.emit.null();
        }
        let tag = self.word_constant(case as u64);
        let pointer = self.emit.ptr();
        self.emit.inttoptr(tag, pointer)
    }

    /// The node of a case without fields, a constant that holds the tag.
    fn constant_node(&mut self, ty: Type, case: usize, bits: u32) -> Value<'m> {
        let symbol = Generated::Case.symbol(format_args!("{}.{case}", ty.number()));
        if !self.shared.build.has_symbol(&symbol) {
            let tag = Constant::Integer(self.emit.int(bits), case as i64);
            self.shared.build.global(&Global::constant(&symbol, tag).align(u64::from(bits / 8)));
        }
        self.emit.symbol(&symbol)
    }
}
