//! Nodes: the values of types that contain themselves.

use crate::{
    code::Code,
    function::FunctionEmitter,
    layout::{BoxedTag, Repr},
};
use clef_core::{AllocationId, Atom, Region, Reuse, Storage};
use clef_mlir::{IntPredicate, Memory, Value};
use clef_types::Type;

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A value of a case of a boxed type: a node with its fields, or the tag of a case without fields. A field that is
    /// `None` is written later.
    pub(crate) fn node(
        &mut self,
        ty: Type,
        case: usize,
        fields: &[Option<&Atom>],
        (allocation, reuse): (Option<AllocationId>, Option<&Reuse>),
    ) -> Value<'m> {
        let tag = self.code.shared.layouts.boxed_tag(ty);
        if fields.is_empty() {
            return match tag {
                BoxedTag::Address(_) => self.code.address_tag(case),
                BoxedTag::Stored(bits) => {
                    let symbol = self.code.shared.case_symbol(ty, case, bits);
                    self.code.emit.symbol(&symbol)
                }
            };
        }
        let Some(allocation) = allocation else { self.code.bug("a node has no allocation") };
        if let Some(symbol) = self.code.shared.constant_allocation(allocation) {
            return self.code.emit.symbol(&symbol);
        }
        // The rest of a list that grows is written later.
        let end = fields.last().copied().flatten().filter(|rest| self.growing.origin(rest).is_some());
        let fields = &fields[..fields.len() - usize::from(end.is_some())];
        let node = match (reuse, self.code.storage(allocation)) {
            (Some(reuse), Storage::Region(region)) => self.reuse_node(ty, case, fields, (allocation, region), reuse),
            _ => {
                let node = self.new_node(ty, case, allocation);
                self.store_fields(ty, case, node, fields.iter().copied());
                node
            }
        };
        match end {
            Some(end) => self.put_at_end(ty, node, end),
            None => node,
        }
    }

    /// Memory for a node, with its tag.
    fn new_node(&mut self, ty: Type, case: usize, allocation: AllocationId) -> Value<'m> {
        let layout = self.code.shared.layouts.node(ty, case);
        let byte = self.code.emit.int(8);
        let bytes = self.code.emit.array(byte, layout.extent.size.0 as u32);
        let node = self.allocate(allocation, bytes, layout.extent);
        if let BoxedTag::Stored(bits) = self.code.shared.layouts.boxed_tag(ty) {
            let tag_type = self.code.emit.int(bits);
            let tag = self.code.emit.iconst(tag_type, case as i64);
            self.code.emit.store(tag, node, Memory::aligned(u64::from(bits / 8)));
        }
        node
    }

    /// Writes the fields of a node, except those that are `None`.
    fn store_fields<'f>(
        &mut self,
        ty: Type,
        case: usize,
        node: Value<'m>,
        fields: impl Iterator<Item = Option<&'f Atom>>,
    ) {
        let layout = self.code.shared.layouts.node(ty, case);
        for (field, offset) in fields.zip(&layout.offsets) {
            let Some(field) = field else { continue };
            let repr = self.locals.repr(field);
            let Some(value) = self.atom(field) else { continue };
            let access = self.code.access(&repr);
            let address = self.code.emit.offset(node, offset.0 as i32);
            self.code.emit.store(value, address, access);
        }
    }

    /// A node in the memory of another one if that is in the region, else in new memory. Then the fields that stay are
    /// copied.
    fn reuse_node(
        &mut self,
        ty: Type,
        case: usize,
        fields: &[Option<&Atom>],
        (allocation, region): (AllocationId, Region),
        Reuse { node, stays, is_certain }: &Reuse,
    ) -> Value<'m> {
        let changed = fields.iter().zip(stays).map(|(field, stays)| field.filter(|_| !stays));
        let node = self.value(node);
        if *is_certain {
            self.store_fields(ty, case, node, changed);
            return node;
        }
        let layout = self.code.shared.layouts.node(ty, case);
        let region = self.region(region);
        let size = self.code.word_constant(layout.extent.size.0);
        let word = self.code.word();
        let answer = self.code.runtime("clef_region_holds", word, &[region, node, size]);
        let zero = self.code.word_constant(0);
        let holds = self.code.emit.icmp(IntPredicate::Ne, answer, zero);
        let pointer = self.code.emit.ptr();
        let (elsewhere, made) = (self.code.emit.block(&[]), self.code.emit.block(&[pointer]));
        self.code.emit.cond_br(holds, (made, &[node]), (elsewhere, &[]));
        self.code.emit.position(elsewhere);
        let new = self.new_node(ty, case, allocation);
        for ((field, offset), _) in fields.iter().zip(&layout.offsets).zip(stays).filter(|(_, stays)| **stays) {
            let Some(repr) = field.map(|field| self.locals.repr(field)) else { continue };
            let Some(machine) = crate::abi::machine_type(&self.code.emit, &repr) else { continue };
            let access = self.code.access(&repr);
            let [from, to] = [node, new].map(|node| self.code.emit.offset(node, offset.0 as i32));
            let content = self.code.emit.load(machine, from, access);
            self.code.emit.store(content, to, access);
        }
        self.code.emit.br(made, &[new]);
        self.code.emit.position(made);
        let made = made.argument(0);
        self.store_fields(ty, case, made, changed);
        made
    }

    /// The tag of a value of a boxed type, as `int`.
    pub(crate) fn node_tag(&mut self, ty: Type, value: &Atom) -> Value<'m> {
        let cases = self.code.shared.program.declared[&ty].cases.len();
        let tag = self.code.shared.layouts.boxed_tag(ty);
        let word = self.code.word();
        let node = self.value(value);
        match tag {
            BoxedTag::Address(_) if cases == 1 => self.code.emit.iconst(word, 0),
            BoxedTag::Address(filled) => {
                let address = self.code.emit.ptrtoint(node, word);
                // Of two cases, only one is a tag: lists are compared with null.
                let (predicate, limit) = match cases {
                    2 => (IntPredicate::Eq, 1 - filled as i64),
                    _ => (IntPredicate::Ult, cases as i64),
                };
                let limit = self.code.emit.iconst(word, limit);
                let is_tag = self.code.emit.icmp(predicate, address, limit);
                let filled = self.code.emit.iconst(word, filled as i64);
                self.code.emit.select(is_tag, address, filled)
            }
            BoxedTag::Stored(bits) => {
                let ty = self.code.emit.int(bits);
                let tag = self.code.emit.load(ty, node, Memory::aligned(u64::from(bits / 8)));
                if bits < self.code.shared.layouts.word_bits() { self.code.emit.zext(tag, word) } else { tag }
            }
        }
    }

    /// A field of a value of a boxed type whose case is known.
    pub(crate) fn node_field(&mut self, ty: Type, value: &Atom, case: usize, field: usize) -> Option<Value<'m>> {
        let repr = self.code.repr(self.code.shared.program.declared[&ty].cases[case].fields[field]);
        if repr == Repr::Unit {
            return None;
        }
        let offset = self.code.shared.layouts.node(ty, case).offsets[field];
        let node = self.value(value);
        let address = self.code.emit.offset(node, offset.0 as i32);
        let access = self.code.access_in(ty, &repr);
        let machine = crate::abi::machine_type(&self.code.emit, &repr)?;
        Some(self.code.load_whole(machine, address, access, &repr))
    }

    /// Overwrites a field of a value of a boxed type whose case is known.
    pub(crate) fn write_node_field(
        &mut self,
        value: &Atom,
        case: usize,
        field: usize,
        content: &Atom,
    ) -> Option<Value<'m>> {
        let offset = self.code.shared.layouts.node(self.locals.atom_type(value), case).offsets[field];
        let repr = self.locals.repr(content);
        if repr != Repr::Unit {
            let (node, content) = (self.value(value), self.value(content));
            let address = self.code.emit.offset(node, offset.0 as i32);
            let access = self.code.access_in(self.locals.atom_type(value), &repr);
            self.code.store_whole(content, address, access, &repr);
        }
        None
    }

    /// Reverses the nodes of a list in place onto another list: a loop that writes to them.
    pub(crate) fn reverse_list(&mut self, list: &Atom, onto: &Atom, ty: Type) -> Value<'m> {
        if let Some(origin) = self.growing.origin(list) {
            return self.finish_list((list, origin), onto);
        }
        let tail = self.code.rest_of_node(ty);
        let access = self.code.access(&Repr::Pointer);
        let pointer = self.code.emit.ptr();
        let (head, iteration, end) =
            (self.code.emit.block(&[pointer, pointer]), self.code.emit.block(&[]), self.code.emit.block(&[]));
        let (list, onto) = (self.value(list), self.value(onto));
        self.code.emit.br(head, &[list, onto]);
        self.code.emit.position(head);
        let (node, before) = (head.argument(0), head.argument(1));
        let empty = self.code.emit.null();
        let done = self.code.emit.icmp(IntPredicate::Eq, node, empty);
        self.code.emit.cond_br(done, (end, &[]), (iteration, &[]));
        self.code.emit.position(iteration);
        let address = self.code.emit.offset(node, tail);
        let rest = self.code.emit.load(pointer, address, access);
        self.code.emit.store(before, address, access);
        self.code.emit.br(head, &[rest, node]);
        self.code.emit.position(end);
        before
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// The offset of the rest in a node of a list, in bytes.
    pub(crate) fn rest_of_node(&self, ty: Type) -> i32 {
        let cases = &self.shared.program.declared[&ty].cases;
        match cases.iter().position(|case| case.fields.len() == 2) {
            Some(case) => self.shared.layouts.node(ty, case).offsets[1].0 as i32,
            None => self.bug("the nodes of a list are not an element and a rest"),
        }
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
}
