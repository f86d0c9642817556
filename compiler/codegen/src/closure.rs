//! Closures: making one, making a recursive group, constant ones, and reading the arity.

use crate::{code::Code, function::FunctionEmitter, symbol::slot_symbol};
use clef_base::{Span, internal::bug};
use clef_core::{
    Allocation, AllocationId, Atom, FunctionId, LocalId, MakeClosure, Region, Rhs, Statement, StatementKind, Storage,
};
use clef_mlir::{Storage as MlirStorage, Value};

/// Where a closure is made, with the name of its static slot if it has one.
enum Home<'m> {
    Static,
    Slot(String),
    Stack,
    Region { region: Value<'m>, site: Value<'m> },
    Replaced { region: Value<'m>, site: Value<'m> },
}

impl<'m> Home<'m> {
    fn storage(&self) -> MlirStorage<'_, 'm> {
        match self {
            Home::Static => MlirStorage::Static,
            Home::Slot(symbol) => MlirStorage::Slot(symbol),
            Home::Stack => MlirStorage::Stack,
            Home::Region { region, site } => MlirStorage::Region { region: *region, site: *site },
            Home::Replaced { region, site } => MlirStorage::Replaced { region: *region, site: *site },
        }
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// A closure with its captures.
    pub(crate) fn closure(&mut self, make: &MakeClosure) -> Value<'m> {
        let captures = self.captures(make);
        let home = self.home(make, captures.is_empty());
        self.closure_in(make, &home, &captures)
    }

    fn closure_in(&mut self, make: &MakeClosure, home: &Home<'m>, captures: &[Value<'m>]) -> Value<'m> {
        let signature = self.code.shared.abi(make.function).signature(&self.code.emit);
        self.code.emit.closure_make(
            self.code.shared.function_symbol(make.function),
            &signature,
            home.storage(),
            captures,
        )
    }

    /// Whether a statement makes a closure in a region where the closure whose code this is has just been freed.
    pub(crate) fn takes_place(&self, statement: &Statement, popped: &Atom) -> bool {
        let Some(Rhs::Closure(make)) = statement.rhs() else { return false };
        matches!(self.code.storage(make.allocation), Storage::Region(Region::Local(handle)) if popped.local() == Some(handle))
    }

    /// A statement that makes a closure in the place of the one whose code this is.
    pub(crate) fn replacement(&mut self, statement: &Statement) {
        self.at(statement.place);
        let StatementKind::Let(local, Rhs::Closure(make)) = &statement.kind else {
            self.code.bug("something else than a closure takes the place of one")
        };
        let captures = self.captures(make);
        let Home::Region { region, site } = self.home(make, false) else {
            self.code.bug("a closure outside of regions takes the place of one that frees itself")
        };
        let home = Home::Replaced { region, site };
        let closure = self.closure_in(make, &home, &captures);
        self.locals.bind(*local, Some(closure));
        self.note(*local);
    }

    /// Frees the closure whose code this is.
    pub(crate) fn pop_closure(&mut self, handle: &Atom) -> Option<Value<'m>> {
        let region = self.value(handle);
        match self.code.emit.arguments().first() {
            Some(closure) => self.code.emit.region_pop(region, *closure),
            None => self.code.bug("a closure frees itself outside of its code"),
        }
        None
    }

    /// Closures that may capture one another: allocates all of them, then stores the captures of all.
    pub(crate) fn closure_group(&mut self, members: &[(LocalId, MakeClosure)]) {
        for (local, make) in members {
            let home = self.home(make, false);
            let signature = self.code.shared.abi(make.function).signature(&self.code.emit);
            let symbol = self.code.shared.function_symbol(make.function);
            let closure = self.code.emit.closure_allocate(symbol, &signature, home.storage());
            self.locals.bind(*local, Some(closure));
        }
        for (local, make) in members {
            let captures = self.captures(make);
            let closure = self.value(&Atom::Local(*local));
            self.code.emit.closure_patch(closure, self.code.shared.function_symbol(make.function), &captures);
        }
    }

    /// The arity of a closure's code, as `int`.
    pub(crate) fn arity(&mut self, closure: &Atom) -> Value<'m> {
        let closure = self.value(closure);
        let arity = self.code.emit.closure_arity(closure);
        let word = self.code.word();
        if self.code.shared.layouts.word_bits() > 32 { self.code.emit.zext(arity, word) } else { arity }
    }

    fn captures(&mut self, make: &MakeClosure) -> Vec<Value<'m>> {
        self.atoms(&make.captures)
    }

    fn home(&mut self, make: &MakeClosure, empty: bool) -> Home<'m> {
        match self.code.storage(make.allocation) {
            Storage::Static if empty => Home::Static,
            Storage::Static => Home::Slot(slot_symbol(make.allocation.into_raw().into_u32())),
            Storage::Stack => Home::Stack,
            Storage::Region(region) => {
                let span = self.code.allocation(make.allocation).span;
                Home::Region { region: self.region(region), site: self.code.site(span) }
            }
        }
    }

    /// The handle of a region.
    pub(crate) fn region(&mut self, region: Region) -> Value<'m> {
        match region {
            Region::Program => self.code.program_region(),
            Region::Local(handle) => self.value(&Atom::Local(handle)),
        }
    }

    /// Ends a region.
    pub(crate) fn leave_region(&mut self, handle: &Atom) {
        let region = self.value(handle);
        self.code.emit.region_leave(region);
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// The closure of a function without captures, a constant.
    pub(crate) fn constant_closure(&mut self, function: FunctionId) -> Value<'m> {
        let signature = self.shared.abi(function).signature(&self.emit);
        self.emit.closure_make(self.shared.function_symbol(function), &signature, MlirStorage::Static, &[])
    }

    /// The entry of an allocation in the program's table.
    pub(crate) fn allocation(&self, allocation: AllocationId) -> &Allocation {
        &self.shared.program.allocations[allocation]
    }

    /// The storage that `place` assigned.
    pub(crate) fn storage(&self, allocation: AllocationId) -> Storage {
        let allocation = self.allocation(allocation);
        match &allocation.decision {
            Some(decision) => decision.storage,
            None => bug("generate", allocation.span, "an allocation has no storage"),
        }
    }

    /// The handle of the region of the program. Handles are passed and captured as pointers.
    pub(crate) fn program_region(&mut self) -> Value<'m> {
        let region = self.emit.region_program();
        self.emit.as_pointer(region)
    }

    /// Begins a region.
    pub(crate) fn enter_region(&mut self, span: Span) -> Value<'m> {
        let site = self.site(span);
        let region = self.emit.region_enter(site);
        self.emit.as_pointer(region)
    }
}
