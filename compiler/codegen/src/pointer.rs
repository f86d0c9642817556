//! Memory that the source manages itself, and device registers.

use crate::{code::Code, function::FunctionEmitter, layout::Repr, memory::Sharing};
use clef_base::{Bytes, Span, internal::bug};
use clef_core::{AllocationId, AllocationKind, Atom};
use clef_mlir::{IntPredicate, Memory, Value};
use clef_types::{Type, TypeKind, trap::TrapCause};

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Memory for `count` values, all bytes zero.
    pub(crate) fn stack_allocate(&mut self, count: &Atom, allocation: AllocationId, span: Span) -> Value<'m> {
        let AllocationKind::Memory(extent) = self.code.allocation(allocation).kind else {
            bug("generate", span, "memory for values has another kind")
        };
        let known = if let Atom::Integer(count, _) = count { u64::try_from(*count).ok() } else { None };
        let count = self.value(count);
        let zero = self.code.word_constant(0);
        let positive = self.code.emit.icmp(IntPredicate::Sge, count, zero);
        self.code.trap_unless(positive, TrapCause::NegativeLength, span);
        let address = self.elements(extent, count, known, allocation);
        if extent.size > Bytes(0) {
            let size = self.code.word_constant(extent.size.0);
            let size = self.code.emit.mul(count, size);
            let byte = self.code.emit.int(8);
            let zero = self.code.emit.iconst(byte, 0);
            self.code.emit.memset(address, zero, size);
        }
        address
    }

    /// The value that a pointer points to.
    pub(crate) fn pointer_read(&mut self, pointer: &Atom, ty: Type) -> Option<Value<'m>> {
        let (address, sharing) = (self.value(pointer), self.sharing(pointer));
        let state = self.code.mask_interrupts(sharing.access(1), &self.code.repr(ty));
        let value = self.code.load_plain_as(Some(address), ty, sharing);
        self.code.restore_interrupts(state);
        value
    }

    /// Whether interrupt handlers access memory through pointers of this type too.
    fn sharing(&self, pointer: &Atom) -> Sharing {
        let ty = self.locals.atom_type(pointer);
        match self.code.shared.program.shared.contents.contains(&ty) {
            true => Sharing::WithHandlers,
            false => Sharing::Private,
        }
    }

    /// Overwrites the value that a pointer points to.
    pub(crate) fn pointer_write(&mut self, pointer: &Atom, value: &Atom) -> Option<Value<'m>> {
        let (address, sharing) = (self.value(pointer), self.sharing(pointer));
        let (repr, shape) = (self.locals.repr(value), self.locals.shape(value));
        if let Some(value) = self.atom(value) {
            let state = self.code.mask_interrupts(sharing.access(1), &repr);
            self.code.store_plain_as(value, (&repr, &shape), address, sharing);
            self.code.restore_interrupts(state);
        }
        None
    }

    /// The pointer advanced by `count` values.
    pub(crate) fn pointer_add(&mut self, pointer: &Atom, count: &Atom, ty: Type) -> Value<'m> {
        let TypeKind::NativePointer(element) = *self.code.shared.program.types.kind(ty) else {
            self.code.bug("pointer arithmetic on a value that is not a pointer")
        };
        let size = self.code.shape(element).extent(self.code.pointer_bytes()).size.0;
        let (address, count, size) = (self.value(pointer), self.value(count), self.code.word_constant(size));
        // As integer arithmetic: LLVM must assume nothing about objects in memory of another language.
        let word = self.code.word();
        let address = self.code.emit.ptrtoint(address, word);
        let distance = self.code.emit.mul(count, size);
        let address = self.code.emit.add(address, distance);
        let pointer = self.code.emit.ptr();
        self.code.emit.inttoptr(address, pointer)
    }

    /// Reads a device register.
    pub(crate) fn volatile_read(&mut self, address: &Atom, ty: Type) -> Option<Value<'m>> {
        let machine = self.code.machine_type(ty)?;
        let access = self.code.volatile(&self.code.repr(ty));
        let address = self.device(address);
        self.order_with_devices();
        let value = self.code.emit.load(machine, address, access);
        self.order_with_devices();
        Some(value)
    }

    /// Writes a device register.
    pub(crate) fn volatile_write(&mut self, address: &Atom, value: &Atom) -> Option<Value<'m>> {
        let access = self.code.volatile(&self.locals.repr(value));
        let address = self.device(address);
        let value = self.value(value);
        self.order_with_devices();
        self.code.emit.store(value, address, access);
        self.order_with_devices();
        None
    }

    /// Keeps LLVM from moving other accesses of memory over one of a device's register: a device that knows an address may access
    /// the memory there, and does so when its registers say.
    fn order_with_devices(&mut self) {
        if self.code.shared.reveals_addresses {
            self.code.emit.compiler_fence();
        }
    }

    fn device(&mut self, address: &Atom) -> Value<'m> {
        let address = self.value(address);
        let pointer = self.code.emit.ptr();
        self.code.emit.inttoptr(address, pointer)
    }
}

impl<'m> Code<'_, '_, 'm> {
    fn volatile(&self, repr: &Repr) -> Memory {
        Memory::volatile(self.shared.layouts.extent(repr).align.0)
    }
}
