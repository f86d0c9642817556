//! Slots of mutable variables, ref cells, and module-level values.

use crate::{code::Code, function::FunctionEmitter, layout::Repr, symbol::slot_symbol};
use clef_base::{Extent, Span, Symbol};
use clef_core::{AllocationId, Atom, GlobalId, LocalId, Storage};
use clef_mlir::{Constant, Global, IntPredicate, Memory, Type as MlirType, Value};
use clef_types::{Type, TypeKind};

/// Who accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sharing {
    /// The program alone.
    Private,
    /// Interrupt handlers too: each access happens as written.
    WithHandlers,
}

impl Sharing {
    /// The access of a value with this alignment.
    pub(crate) fn access(self, align: u64) -> Memory {
        match self {
            Sharing::Private => Memory::aligned(align),
            Sharing::WithHandlers => Memory::volatile(align),
        }
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A slot in the frame, with its initial content.
    pub(crate) fn slot(&mut self, local: LocalId, value: &Atom, slot: Type) -> Option<Value<'m>> {
        let content = self.code.content(slot);
        let repr = self.code.repr(content);
        let Some(ty) = self.code.machine_type(content) else { return Some(self.code.emit.null()) };
        let access = self.code.access(&repr);
        let address = self.code.emit.alloca(ty, access.align);
        if let Some(value) = self.slot_content(self.growing.slot(&Atom::Local(local)), value) {
            self.code.emit.store(value, address, access);
        }
        Some(address)
    }

    /// The content of a slot.
    pub(crate) fn read_slot(&mut self, slot: &Atom, ty: Type) -> Option<Value<'m>> {
        self.read(slot, ty)
    }

    /// The content of type `ty` at an address.
    pub(crate) fn read(&mut self, address: &Atom, ty: Type) -> Option<Value<'m>> {
        let machine = self.code.machine_type(ty)?;
        let access = self.code.access_in(self.locals.atom_type(address), &self.code.repr(ty));
        let address = self.value(address);
        Some(self.code.load_whole(machine, address, access, &self.code.repr(ty)))
    }

    /// Overwrites the content of a slot or ref cell.
    pub(crate) fn write(&mut self, address: &Atom, value: &Atom) -> Option<Value<'m>> {
        let repr = self.locals.repr(value);
        if repr != Repr::Unit {
            let access = self.code.access_in(self.locals.atom_type(address), &repr);
            let value = self.slot_content(self.growing.slot(address), value);
            let address = self.value(address);
            if let Some(value) = value {
                self.code.store_whole(value, address, access, &repr);
            }
        }
        None
    }

    /// A ref cell of type `cell`, with its initial content.
    pub(crate) fn make_reference(&mut self, value: &Atom, allocation: AllocationId, cell: Type) -> Value<'m> {
        let content = self.code.content(cell);
        let repr = self.code.repr(content);
        let Some(ty) = self.code.machine_type(content) else { return self.code.emit.null() };
        let extent = self.code.shared.layouts.extent(&repr);
        let address = self.allocate(allocation, ty, extent);
        let access = self.code.access(&repr);
        let value = self.value(value);
        self.code.emit.store(value, address, access);
        address
    }

    /// Memory for a value of a machine type, in the storage of its allocation.
    pub(crate) fn allocate(&mut self, allocation: AllocationId, ty: MlirType<'m>, extent: Extent) -> Value<'m> {
        let align = self.code.alignment(allocation, extent);
        match self.code.storage(allocation) {
            Storage::Stack => self.code.emit.alloca(ty, align),
            Storage::Static => self.code.static_memory(allocation, ty, align),
            Storage::Region(region) => {
                let region = self.region(region);
                let size = self.code.word_constant(extent.size.0);
                let site = self.code.site(self.code.allocation(allocation).span);
                self.code.emit.region_allocate(region, size, align, site)
            }
        }
    }

    /// Overwrites a module-level binding.
    pub(crate) fn write_global(&mut self, global: GlobalId, value: &Atom) -> Option<Value<'m>> {
        let repr = self.code.repr(self.code.shared.program.globals[global].ty);
        let is_constant = self.code.shared.constants.global(global).is_some();
        if repr != Repr::Unit && !is_constant {
            let access = self.code.access_global(global);
            let value = self.value(value);
            let address = self.code.emit.symbol(self.code.shared.global_symbol(global));
            self.code.store_whole(value, address, access, &repr);
            if let Some(flag) = self.code.shared.late_flag(global) {
                let (flag, set) = (self.code.emit.symbol(&flag), self.code.emit.iconst(self.code.emit.int(8), 1));
                // What was stored comes first.
                let state = self.code.mask();
                self.code.emit.store(set, flag, Memory::volatile(1));
                self.code.restore_interrupts(Some(state));
            }
        }
        None
    }

    /// The value of a module-level binding. One that a handler may read before it has been initialised is tested.
    pub(crate) fn read_global(&mut self, global: GlobalId, span: Span) -> Option<Value<'m>> {
        if let Some(flag) = self.code.shared.late_flag(global) {
            let byte = self.code.emit.int(8);
            let (flag, zero) = (self.code.emit.symbol(&flag), self.code.emit.iconst(byte, 0));
            let flag = self.code.emit.load(byte, flag, Memory::volatile(1));
            let is_ready = self.code.emit.icmp(IntPredicate::Ne, flag, zero);
            let (good, bad) = (self.code.emit.block(&[]), self.code.emit.block(&[]));
            self.code.emit.cond_br(is_ready, (good, &[]), (bad, &[]));
            self.code.emit.position(bad);
            let name = self.code.shared.program.globals[global].name;
            let name = name.as_str().rsplit('.').next().unwrap_or_default();
            let message = Symbol::new(&format!("an interrupt handler uses `{name}` before it has been initialised"));
            let message = self.string_parts(&Atom::String(message));
            self.code.trap_with(None, message, span);
            self.code.emit.position(good);
        }
        self.code.read_global(global)
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// The alignment of an allocation of this extent: at least the one in the source.
    pub(crate) fn alignment(&self, allocation: AllocationId, extent: Extent) -> u64 {
        extent.align.0.max(self.allocation(allocation).placement.align.unwrap_or(1).into())
    }

    /// The address of static memory for an allocation, in the section that the source names.
    pub(crate) fn static_memory(&mut self, allocation: AllocationId, ty: MlirType<'m>, align: u64) -> Value<'m> {
        let symbol = slot_symbol(allocation.into_raw().into_u32());
        let variable = Global::variable(&symbol, Constant::Zero(ty)).align(align);
        let variable = match self.allocation(allocation).placement.section {
            Some(section) => variable.section(section.as_str()),
            None => variable,
        };
        self.shared.build.global(&variable);
        self.emit.symbol(&symbol)
    }

    /// The value of a module-level binding.
    fn read_global(&mut self, global: GlobalId) -> Option<Value<'m>> {
        let ty = self.shared.program.globals[global].ty;
        let machine = self.machine_type(ty)?;
        let access = self.access_global(global);
        let address = self.emit.symbol(self.shared.global_symbol(global));
        Some(self.load_whole(machine, address, access, &self.repr(ty)))
    }

    /// Reads a value. A value that an interrupt handler may overwrite meanwhile is read atomically.
    pub(crate) fn load_whole(
        &mut self,
        machine: MlirType<'m>,
        address: Value<'m>,
        access: Memory,
        repr: &Repr,
    ) -> Value<'m> {
        let state = self.mask_interrupts(access, repr);
        let value = self.emit.load(machine, address, access);
        self.restore_interrupts(state);
        value
    }

    /// Writes a value. A value that an interrupt handler may read meanwhile is written atomically, and an address after what it leads
    /// to, which other accesses that are not volatile may write: masking interrupts orders all of them.
    pub(crate) fn store_whole(&mut self, value: Value<'m>, address: Value<'m>, access: Memory, repr: &Repr) {
        let state = match repr {
            Repr::Pointer if access.volatile => Some(self.mask()),
            _ => self.mask_interrupts(access, repr),
        };
        self.emit.store(value, address, access);
        self.restore_interrupts(state);
    }

    /// Masks interrupts for an access that handlers share and that takes several instructions; returns the state to
    /// restore.
    pub(crate) fn mask_interrupts(&mut self, access: Memory, repr: &Repr) -> Option<Value<'m>> {
        let word = self.shared.layouts.word_bits();
        let is_one_access = match repr {
            Repr::Unit | Repr::Pointer | Repr::Float32 => true,
            Repr::Integer(bits) => *bits <= word,
            Repr::Float64 | Repr::Struct(_) => false,
        };
        if !access.volatile || is_one_access {
            return None;
        }
        Some(self.mask())
    }

    /// Masks interrupts; returns the state to restore.
    fn mask(&mut self) -> Value<'m> {
        let state = self.emit.int(32);
        self.runtime("clef_mask_interrupts", state, &[])
    }

    pub(crate) fn restore_interrupts(&mut self, state: Option<Value<'m>>) {
        if let Some(state) = state {
            self.runtime_effect("clef_restore_interrupts", &[state]);
        }
    }

    /// Access to a module-level value.
    fn access_global(&self, global: GlobalId) -> Memory {
        let access = self.access(&self.repr(self.shared.program.globals[global].ty));
        let is_constant = self.shared.constants.global(global).is_some();
        Memory { volatile: !is_constant && self.shared.program.shared.globals.contains(&global), ..access }
    }

    /// Access to the content of a cell, an array or a node of a type.
    pub(crate) fn access_in(&self, holder: Type, repr: &Repr) -> Memory {
        Memory { volatile: self.shared.program.shared.contents.contains(&holder), ..self.access(repr) }
    }

    /// What a slot or ref cell holds.
    fn content(&self, ty: Type) -> Type {
        match self.shared.program.types.kind(ty) {
            TypeKind::Slot(content) | TypeKind::Reference(content) => *content,
            _ => self.bug("a type that is neither a slot nor a ref cell has no content"),
        }
    }
}
