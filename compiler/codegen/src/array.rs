//! Arrays: an address and a length; the elements are contiguous, each as large as its representation.

use crate::{code::Code, function::FunctionEmitter, layout::Repr};
use clef_base::{Bytes, Extent, Span};
use clef_core::{AllocationId, Atom, Storage};
use clef_mlir::{IntPredicate, Value};
use clef_types::{Type, TypeKind, trap::TrapCause};

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A fresh array of type `ty` with these elements.
    pub(crate) fn array(&mut self, ty: Type, elements: &[Atom], allocation: AllocationId) -> Value<'m> {
        let repr = self.code.element_repr(ty);
        let count = elements.len() as u64;
        let length = self.code.word_constant(count);
        if let Some(symbol) = self.code.shared.constant_allocation(allocation) {
            let address = self.code.emit.symbol(&symbol);
            return self.code.make_string(address, length);
        }
        let extent = self.code.shared.layouts.extent(&repr);
        let address = self.elements(extent, length, Some(count), allocation);
        for (index, element) in elements.iter().enumerate() {
            let Some(value) = self.atom(element) else { continue };
            let access = self.code.access(&repr);
            let offset = self.code.word_constant(index as u64 * extent.size.0);
            let place = self.code.emit.offset_by(address, offset);
            self.code.emit.store(value, place, access);
        }
        self.code.make_string(address, length)
    }

    /// A fresh array of type `ty` with `count` elements, all of them zero bytes.
    pub(crate) fn array_zero(&mut self, ty: Type, count: &Atom, allocation: AllocationId, span: Span) -> Value<'m> {
        let repr = self.code.element_repr(ty);
        let known = if let Atom::Integer(count, _) = count { u64::try_from(*count).ok() } else { None };
        let length = self.value(count);
        let zero = self.code.word_constant(0);
        let positive = self.code.emit.icmp(IntPredicate::Sge, length, zero);
        self.code.trap_unless(positive, TrapCause::NegativeLength, span);
        let extent = self.code.shared.layouts.extent(&repr);
        let address = self.elements(extent, length, known, allocation);
        // Elements are written before the program reads them, but evacuations read all that may be pointers. Static memory
        // is zero when the program starts, and the array is made once.
        let is_number = matches!(repr, Repr::Integer(_) | Repr::Float32 | Repr::Float64);
        let is_read = self.code.shared.evacuates && !is_number;
        if is_read && extent.size > Bytes(0) && self.code.storage(allocation) != Storage::Static {
            let size = self.code.word_constant(extent.size.0);
            let size = self.code.emit.mul(length, size);
            let byte = self.code.emit.int(8);
            let zero = self.code.emit.iconst(byte, 0);
            self.code.emit.memset(address, zero, size);
        }
        self.code.make_string(address, length)
    }

    /// The element at an index.
    pub(crate) fn array_get(&mut self, array: &Atom, index: &Atom, span: Span) -> Option<Value<'m>> {
        self.check_index(array, index, span);
        let (place, repr) = self.element_place(array, index);
        let ty = crate::abi::machine_type(&self.code.emit, &repr)?;
        let access = self.code.access_in(self.locals.atom_type(array), &repr);
        Some(self.code.load_whole(ty, place, access, &repr))
    }

    /// Overwrites the element at an index.
    pub(crate) fn array_set(&mut self, array: &Atom, index: &Atom, value: &Atom, span: Span) -> Option<Value<'m>> {
        self.check_index(array, index, span);
        self.array_put(array, index, value)
    }

    /// Writes the element at an index, which is in range.
    pub(crate) fn array_put(&mut self, array: &Atom, index: &Atom, value: &Atom) -> Option<Value<'m>> {
        let (place, repr) = self.element_place(array, index);
        if let Some(value) = self.atom(value) {
            let access = self.code.access_in(self.locals.atom_type(array), &repr);
            self.code.store_whole(value, place, access, &repr);
        }
        None
    }

    /// Traps if an index is out of range.
    fn check_index(&mut self, array: &Atom, index: &Atom, span: Span) {
        let [_, length] = self.string_parts(array);
        let index = self.value(index);
        let inside = self.code.emit.icmp(IntPredicate::Ult, index, length);
        self.code.trap_unless(inside, TrapCause::IndexOutOfRange, span);
    }

    /// The address of the element at an index, which is in range.
    fn element_place(&mut self, array: &Atom, index: &Atom) -> (Value<'m>, Repr) {
        let repr = self.code.element_repr(self.locals.atom_type(array));
        let [address, _] = self.string_parts(array);
        let index = self.value(index);
        // As an array of bytes: while MLIR is translated, LLVM does not yet know the size of a pointer of the target.
        let size = self.code.shared.layouts.extent(&repr).size;
        let bytes = self.code.emit.array(self.code.emit.int(8), u32::try_from(size.0).unwrap_or(u32::MAX));
        (self.code.emit.element(bytes, address, index), repr)
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
            return self.code.emit.null();
        }
        let align = self.code.alignment(allocation, extent);
        match (self.code.storage(allocation), known) {
            (Storage::Region(region), _) => {
                let size = self.code.array_size(count, extent);
                let region = self.region(region);
                let site = self.code.site(self.code.allocation(allocation).span);
                self.code.emit.region_allocate(region, size, align, site)
            }
            (Storage::Stack, Some(known)) => self.code.emit.alloca_bytes(self.code.known_size(known, extent), align),
            (Storage::Static, Some(known)) => {
                let byte = self.code.emit.int(8);
                let bytes = self.code.emit.array(byte, self.code.known_size(known, extent));
                self.code.static_memory(allocation, bytes, align)
            }
            (Storage::Stack | Storage::Static, None) => self.code.bug("an array of unknown length is not in a region"),
        }
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// The bytes of `known` elements in the frame or in static memory; the driver has rejected what exceeds the memory.
    fn known_size(&self, known: u64, extent: Extent) -> u32 {
        let bytes = known.checked_mul(extent.size.0).and_then(|bytes| u32::try_from(bytes).ok());
        bytes.unwrap_or_else(|| self.bug("an array is larger than the address space"))
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
            _ => self.bug("elements of a value that is not an array"),
        }
    }
}
