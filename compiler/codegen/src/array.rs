//! Arrays: an address and a length; the elements are contiguous, each as large as its representation.

use crate::{
    function::FunctionEmitter,
    layout::Repr,
    module::slot_symbol,
    runtime::{INDEX_OUT_OF_RANGE, NEGATIVE_LENGTH},
};
use clef_base::{Bytes, Extent, Span, internal::bug};
use clef_core::{AllocationId, Atom, Storage};
use clef_mlir::{Constant, Global, IntPredicate, Value};
use clef_types::{Type, TypeKind};

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A fresh array of type `ty` with these elements.
    pub(crate) fn array(&mut self, ty: Type, elements: &[Atom], allocation: AllocationId) -> Value<'m> {
        let repr = self.element_repr(ty);
        let count = elements.len() as u64;
        let length = self.word_constant(count);
        let extent = self.shared.layouts.extent(&repr);
        let address = self.elements(extent, length, Some(count), allocation);
        for (index, element) in elements.iter().enumerate() {
            let Some(value) = self.atom(element) else { continue };
            let access = self.access(&repr);
            let offset = self.word_constant(index as u64 * extent.size.0);
            let place = self.emit.offset_by(address, offset);
            self.emit.store(value, place, access);
        }
        self.make_string(address, length)
    }

    /// A fresh array of type `ty` with `count` elements, all of them zero bytes.
    pub(crate) fn array_zero(&mut self, ty: Type, count: &Atom, allocation: AllocationId, span: Span) -> Value<'m> {
        let repr = self.element_repr(ty);
        let known = if let Atom::Integer(count, _) = count { u64::try_from(*count).ok() } else { None };
        let length = self.value(count);
        let zero = self.word_constant(0);
        let positive = self.emit.icmp(IntPredicate::Sge, length, zero);
        self.trap_unless(positive, NEGATIVE_LENGTH, span);
        let extent = self.shared.layouts.extent(&repr);
        let address = self.elements(extent, length, known, allocation);
        // Static memory is zero when the program starts, and the array is made once.
        if extent.size > Bytes(0) && self.storage(allocation) != Storage::Static {
            let size = self.word_constant(extent.size.0);
            let size = self.emit.mul(length, size);
            let byte = self.emit.int(8);
            let zero = self.emit.iconst(byte, 0);
            self.emit.memset(address, zero, size);
        }
        self.make_string(address, length)
    }

    /// The element at an index.
    pub(crate) fn array_get(&mut self, array: &Atom, index: &Atom, span: Span) -> Option<Value<'m>> {
        let (place, repr) = self.element_place(array, index, span);
        let ty = crate::abi::machine_type(&self.emit, &repr)?;
        let access = self.access_in(self.atom_type(array), &repr);
        Some(self.load_whole(ty, place, access, &repr))
    }

    /// Overwrites the element at an index.
    pub(crate) fn array_set(&mut self, array: &Atom, index: &Atom, value: &Atom, span: Span) -> Option<Value<'m>> {
        let (place, repr) = self.element_place(array, index, span);
        if let Some(value) = self.atom(value) {
            let access = self.access_in(self.atom_type(array), &repr);
            self.store_whole(value, place, access, &repr);
        }
        None
    }

    /// The address of the element at an index; traps if the index is out of range.
    fn element_place(&mut self, array: &Atom, index: &Atom, span: Span) -> (Value<'m>, Repr) {
        let repr = self.element_repr(self.atom_type(array));
        let [address, length] = self.string_parts(array);
        let index = self.value(index);
        let inside = self.emit.icmp(IntPredicate::Ult, index, length);
        self.trap_unless(inside, INDEX_OUT_OF_RANGE, span);
        // In bytes: while MLIR is translated, LLVM does not yet know the size of a pointer of the target.
        let size = self.shared.layouts.extent(&repr).size;
        let size = self.word_constant(size.0);
        let offset = self.emit.mul(index, size);
        (self.emit.offset_by(address, offset), repr)
    }

    /// Memory for `count` elements, which is not negative. `known` is the count if it is a constant.
    pub(crate) fn elements(
        &mut self,
        extent: Extent,
        count: Value<'m>,
        known: Option<u64>,
        allocation: AllocationId,
    ) -> Value<'m> {
        if extent.size == Bytes(0) {
            return self.emit.null();
        }
        match (self.storage(allocation), known) {
            (Storage::Region(region), _) => {
                let size = self.array_size(count, extent);
                let region = self.region(region);
                let site = self.site(self.allocation(allocation).span);
                self.emit.region_allocate(region, size, extent.align.0, site)
            }
            (Storage::Stack, Some(known)) => self.emit.alloca_bytes(self.known_size(known, extent), extent.align.0),
            (Storage::Static, Some(known)) => {
                let byte = self.emit.int(8);
                let bytes = self.emit.array(byte, self.known_size(known, extent));
                let symbol = slot_symbol(allocation.into_raw().into_u32());
                self.shared.build.global(&Global::variable(&symbol, Constant::Zero(bytes)).align(extent.align.0));
                self.emit.symbol(&symbol)
            }
            (Storage::Stack | Storage::Static, None) => {
                bug("generate", self.function.span, "an array of unknown length is not in a region")
            }
        }
    }

    /// The bytes of `known` elements in the frame or in static memory; the driver has rejected what exceeds the memory.
    fn known_size(&self, known: u64, extent: Extent) -> u32 {
        let bytes = known.checked_mul(extent.size.0).and_then(|bytes| u32::try_from(bytes).ok());
        bytes.unwrap_or_else(|| bug("generate", self.function.span, "an array is larger than the address space"))
    }

    /// The bytes of `count` elements; saturates to an impossible size if the product does not fit a word.
    fn array_size(&mut self, count: Value<'m>, extent: Extent) -> Value<'m> {
        let most = (1_u64 << (self.shared.layouts.word_bits() - 1)) - 1;
        let size = self.word_constant(extent.size.0);
        let size = self.emit.mul(count, size);
        let limit = self.word_constant(most / extent.size.0);
        let fits = self.emit.icmp(IntPredicate::Ule, count, limit);
        let most = self.word_constant(most);
        self.emit.select(fits, size, most)
    }

    /// The representation of the elements of an array of a type.
    fn element_repr(&self, ty: Type) -> Repr {
        match self.shared.program.types.kind(ty) {
            TypeKind::Array(of) => self.repr(*of),
            _ => bug("generate", self.function.span, "elements of a value that is not an array"),
        }
    }
}
