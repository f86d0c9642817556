//! Interrupt handlers: they must not allocate in regions; what they share with the program.
//!
//! In: a program with its regions, and which files are the program's own. Out: an error for each place where a handler, or a function that it
//! calls, allocates in a region or evacuates one; and [`Shared`]. Guarantee: a handler does not touch the pool, so it may run between any
//! two instructions that do. What handlers and the program both use is in `shared`: every access to it happens as written and as a
//! whole, after what it leads to has been written, and an evacuation that moves it masks interrupts. So a handler may follow
//! what it finds there: it was valid when it was stored, and stays so at least until the handler ends.

use clef_base::{Diagnostic, FileId, Span, Symbol, codes};
use clef_core::{
    Atom, End, Function, FunctionId, Memory, Place, Program, Rhs, Shared, Statement, Storage, callees::Callees,
};
use clef_types::{Intrinsic, Type, TypeKind};
use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
};

/// Finds what the handlers of a program share with it, and reports what they must not do, where the program's own files do so or lead
/// to it.
pub fn check(program: &mut Program, is_own: &dyn Fn(FileId) -> bool) -> Vec<Diagnostic> {
    let handlers = handlers(program);
    if handlers.is_empty() {
        return Vec::new();
    }
    let callees = Callees::of(program);
    let mut found = BTreeMap::new();
    let mut shared = Shared::default();
    for handler in handlers {
        for (id, place) in reached(program, &callees, &handler, is_own) {
            let mut look = Look {
                program,
                is_own,
                handler: &handler,
                function: &program.functions[id],
                place,
                shared: &mut shared,
                found: &mut found,
            };
            program.functions[id].body.each_statement(&mut |statement| look.statement(statement));
        }
    }
    shared_by_pointers(program, &mut shared);
    program.shared = shared;
    found.into_values().collect()
}

/// Adds the pointers to elements of shared arrays, and the arrays whose elements shared pointers may lead to.
fn shared_by_pointers(program: &mut Program, shared: &mut Shared) {
    if !program.has_pointers_to_arrays() {
        return;
    }
    let other = |ty: &Type| {
        let kind = program.types.kind(*ty);
        if let TypeKind::Array(of) = *kind {
            Some(TypeKind::NativePointer(of))
        } else if let TypeKind::NativePointer(of) = *kind {
            Some(TypeKind::Array(of))
        } else {
            None
        }
    };
    let others: Vec<TypeKind> = shared.contents.iter().filter_map(other).collect();
    shared.contents.extend(others.into_iter().map(|kind| program.types.intern(kind)));
}

/// An interrupt handler.
struct Handler {
    id: FunctionId,
    /// The interrupt.
    name: Symbol,
    span: Span,
}

fn handlers(program: &Program) -> Vec<Handler> {
    let handler = |(id, function): (FunctionId, &Function)| {
        let name = function.convention.interrupt()?;
        Some(Handler { id, name, span: function.span })
    };
    program.functions.iter().filter_map(handler).collect()
}

/// The functions that a handler reaches, each with the last place on the path in a file of the program: a call, or a function that the
/// library calls. Where there is none, it is the handler.
fn reached(
    program: &Program,
    callees: &Callees,
    handler: &Handler,
    is_own: &dyn Fn(FileId) -> bool,
) -> Vec<(FunctionId, Span)> {
    let mut found = vec![(handler.id, handler.span)];
    let mut seen = BTreeSet::from([handler.id]);
    let mut done = 0;
    while let Some(&(id, place)) = found.get(done) {
        program.functions[id].body.each(&mut |block| {
            let calls = block.statements.iter().filter_map(|statement| Some((statement.call()?, statement.place)));
            let last = if let End::TailCall { call, place, .. } = &block.end { Some((call, *place)) } else { None };
            for (call, called_at) in calls.chain(last) {
                let next = callees.of_call(program, id, call).into_iter().filter(|callee| seen.insert(*callee));
                found.extend(next.map(|callee| {
                    let definition = program.functions[callee].span;
                    let own = own_place(&program.functions[id], called_at, is_own);
                    (callee, own.or(is_own(definition.file).then_some(definition)).unwrap_or(place))
                }));
            }
        });
        done += 1;
    }
    found
}

/// The innermost place in a file of the program: that of code, or of a call that was replaced by a body with the code.
fn own_place(function: &Function, place: Place, is_own: &dyn Fn(FileId) -> bool) -> Option<Span> {
    let outer = |place: &Place| Some(function.inlined[place.inlined?].call);
    iter::successors(Some(place), outer).map(|place| place.span).find(|span| is_own(span.file))
}

/// Checks one function that a handler reaches.
struct Look<'a> {
    program: &'a Program,
    is_own: &'a dyn Fn(FileId) -> bool,
    handler: &'a Handler,
    function: &'a Function,
    place: Span,
    shared: &'a mut Shared,
    found: &'a mut BTreeMap<Span, Diagnostic>,
}

impl Look<'_> {
    fn statement(&mut self, statement: &Statement) {
        for allocation in statement.allocations() {
            let decision = &self.program.allocations[allocation].decision;
            if decision.as_ref().is_some_and(|decision| matches!(decision.storage, Storage::Region(_))) {
                self.makes(statement.place);
            }
        }
        let Some(rhs) = statement.rhs() else { return };
        self.pointer(rhs);
        if let Rhs::Evacuate { .. } | Rhs::PopClosure(_) = rhs {
            self.makes(statement.place);
        }
        match rhs.accessed() {
            Some(Memory::Global(global)) => {
                if self.program.globals[global].mutable {
                    self.shared.globals.insert(global);
                }
            }
            Some(Memory::Reference(holder) | Memory::Element(holder)) => self.content(holder, None),
            Some(Memory::Field { value, case, field }) => self.content(value, Some((case, field))),
            Some(Memory::Slot(_)) | None => {}
        }
    }

    /// Memory that is accessed through a pointer is shared, as are the arrays whose elements it may be. It has no parts elsewhere.
    fn pointer(&mut self, rhs: &Rhs) {
        let Rhs::Intrinsic { intrinsic: Intrinsic::PointerRead | Intrinsic::PointerWrite, arguments, .. } = rhs else {
            return;
        };
        if let Some(pointer) = arguments[0].local() {
            self.shared.contents.insert(self.function.locals[pointer].ty);
        }
    }

    /// A cell, an array or a field of a node is shared if it can be overwritten.
    fn content(&mut self, holder: &Atom, field: Option<(usize, usize)>) {
        let Atom::Local(local) = holder else { return };
        let ty = self.function.locals[*local].ty;
        if self.is_overwritable(ty, field) {
            self.shared.contents.insert(ty);
        }
    }

    /// Whether the content of a cell or an array, or a field, can be overwritten.
    fn is_overwritable(&self, ty: Type, field: Option<(usize, usize)>) -> bool {
        match field {
            None => true,
            Some((case, field)) => {
                self.program.declared.get(&ty).is_some_and(|declared| declared.cases[case].mutable.contains(&field))
            }
        }
    }

    /// Reports something that it must not do.
    fn makes(&mut self, place: Place) {
        let is_function = self.place == self.handler.span || self.place == self.function.span;
        let (place, label) = match (own_place(self.function, place, self.is_own), is_function) {
            (Some(span), _) if span == place.span => (span, "allocated here"),
            (Some(span), _) => (span, "this call leads to it"),
            (None, false) => (self.place, "this call leads to it"),
            (None, true) => (self.place, "a call in this function leads to it"),
        };
        // One expression is reported once.
        let overlaps = |other: &Span| other.file == place.file && other.start < place.end && place.start < other.end;
        if self.found.keys().any(overlaps) {
            return;
        }
        let handler = format!("handler of the interrupt {}", self.handler.name);
        let message = "an interrupt handler cannot allocate in a region";
        let diagnostic = Diagnostic::error(codes::INTERRUPT_MEMORY, place, message)
            .label(label)
            .also(self.handler.span, handler)
            .note("an interrupt may occur while the program is allocating")
            .help("record the event in variables, cells or arrays that exist, and allocate outside of the handler");
        self.found.insert(place, diagnostic);
    }
}
