//! Interrupt handlers: they must not allocate in regions; what they share with the program.
//!
//! In: a program with its regions, and which files are the program's own. Out: an error for each place where a handler, or a function that it
//! calls, allocates in a region or evacuates one; and [`Shared`]. Guarantee: a handler does not touch the pool, so it may run between any
//! two instructions that do. What handlers and the program both use is in `shared`: every access to it happens as written and as a
//! whole, after what it leads to has been written, and an evacuation that moves or reads it masks interrupts. So a handler may
//! follow what it finds there: it was valid when it was stored, and stays so at least until the handler ends. Handlers of exceptions that
//! cannot be masked use nothing with parts in memory.

mod order;

use clef_base::{Diagnostic, FileId, HashSet, Span, Symbol, codes};
use clef_core::{
    Atom, End, Evacuation, Function, FunctionId, GlobalId, Holders, LocalId, Memory, Place, Program, Rhs, Shared,
    Statement, StatementKind, Storage, callees::Callees,
};
use clef_types::{Intrinsic, Type, TypeKind, interrupt_symbol};
use order::Order;
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
    let order = Order::of(program);
    for handler in handlers {
        for (id, place) in reached(program, &callees, &handler, is_own) {
            let mut look = Look {
                program,
                is_own,
                handler: &handler,
                function: &program.functions[id],
                place,
                id,
                order: &order,
                holders: Holders::default(),
                shared: &mut shared,
                found: &mut found,
            };
            program.functions[id].body.each_statement(&mut |statement| look.statement(statement));
        }
    }
    shared_by_pointers(program, &mut shared);
    program.shared = shared;
    mask_evacuations(program);
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

/// Masks interrupts during the evacuations that read what handlers overwrite: addresses that they store must be read with all that belongs to
/// them.
fn mask_evacuations(program: &mut Program) {
    let evacuation = Evacuation::new(program);
    let types = &program.types;
    let holders = program.shared.contents.iter().filter(|ty| evacuation.has_pointers(**ty));
    // A closure has the content of a cell that it owns.
    let read: HashSet<Type> = holders.flat_map(|ty| [Some(*ty), types.content(*ty)]).flatten().collect();
    if read.is_empty() {
        return;
    }
    let reads = |function: &Function, roots: &[Atom]| {
        let mut found = HashSet::default();
        for root in roots.iter().filter_map(Atom::local) {
            evacuation.reachable(function.locals[root].ty, &mut found);
        }
        found.iter().any(|ty| read.contains(ty))
    };
    let mut masked = Vec::new();
    for (id, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, Rhs::Evacuate { roots, .. }) = &statement.kind
                && reads(function, roots)
            {
                masked.push((id, *local));
            }
        });
    }
    let masked: HashSet<(FunctionId, LocalId)> = masked.into_iter().collect();
    for (id, function) in program.functions.iter_mut().filter(|(id, _)| masked.iter().any(|(of, _)| of == id)) {
        function.body.each_mut(&mut |block| {
            for statement in &mut block.statements {
                if let StatementKind::Let(local, Rhs::Evacuate { masked: is_masked, .. }) = &mut statement.kind {
                    *is_masked |= masked.contains(&(id, *local));
                }
            }
        });
    }
}

/// Whether the bytes of a value may be zero: it is empty, or has parts of which that holds.
fn zero_is_value(program: &Program, ty: Type) -> bool {
    match program.types.kind(ty) {
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::String
        | TypeKind::Array(_)
        | TypeKind::NativePointer(_)
        | TypeKind::Region => true,
        TypeKind::Function(..) | TypeKind::Reference(_) | TypeKind::Slot(_) | TypeKind::Parameter(_) => false,
        TypeKind::Tuple(parts) => parts.iter().all(|part| zero_is_value(program, *part)),
        // An unboxed type does not contain itself.
        TypeKind::Declared(..) => program.declared.get(&ty).is_some_and(|declared| {
            let fields = || declared.cases.iter().flat_map(|case| &case.fields);
            !declared.boxed && fields().all(|field| zero_is_value(program, *field))
        }),
    }
}

/// An interrupt handler.
struct Handler {
    id: FunctionId,
    /// The interrupt.
    name: Symbol,
    /// Whether it can be masked.
    is_masked: bool,
    span: Span,
}

fn handlers(program: &Program) -> Vec<Handler> {
    let handler = |(id, function): (FunctionId, &Function)| {
        let name = function.convention.interrupt()?;
        Some(Handler { id, name, is_masked: interrupt_symbol::is_masked(name), span: function.span })
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
    id: FunctionId,
    function: &'a Function,
    order: &'a Order,
    place: Span,
    holders: Holders,
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
            Some(Memory::Global(global)) => self.global(global, statement.place),
            Some(Memory::Reference(holder) | Memory::Element(holder)) => self.content(holder, None, statement.place),
            Some(Memory::Field { value, case, field }) => self.content(value, Some((case, field)), statement.place),
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

    fn global(&mut self, global: GlobalId, place: Place) {
        let data = &self.program.globals[global];
        if data.mutable {
            self.shared.globals.insert(global);
            self.unmasked(data.ty, place);
        }
        if !zero_is_value(self.program, data.ty) && !self.order.is_initialised(global, self.id) {
            self.shared.late.insert(global);
        }
    }

    /// A cell, an array or a field of a node is shared if it can be overwritten.
    fn content(&mut self, holder: &Atom, field: Option<(usize, usize)>, place: Place) {
        let Atom::Local(local) = holder else { return };
        let ty = self.function.locals[*local].ty;
        if let Some(content) = self.overwritable(ty, field) {
            self.shared.contents.insert(ty);
            self.unmasked(content, place);
        }
    }

    /// The type of what can be overwritten in a cell, an array or a field.
    fn overwritable(&self, ty: Type, field: Option<(usize, usize)>) -> Option<Type> {
        match field {
            None => self.program.types.content(ty),
            Some((case, field)) => {
                let case = &self.program.declared.get(&ty)?.cases[case];
                case.mutable.contains(&field).then(|| case.fields[field])
            }
        }
    }

    /// Reports data with parts in memory where the program cannot mask the handler while it changes them.
    fn unmasked(&mut self, content: Type, place: Place) {
        if self.handler.is_masked || !self.holders.holds(self.program, content) {
            return;
        }
        let message = format!("a handler of {} cannot use data with parts in memory", self.handler.name);
        let note = "this exception is never masked: it may occur while the program is writing the same memory";
        let help = "share numbers, characters and booleans, tuples, records and cases of them, and arrays of these";
        self.report(place, &message, "used here", [note, help]);
    }

    /// Reports an allocation.
    fn makes(&mut self, place: Place) {
        let message = "an interrupt handler cannot allocate in a region";
        let note = "an interrupt may occur while the program is allocating";
        let help = "record the event in variables, cells or arrays that exist, and allocate outside of the handler";
        self.report(place, message, "allocated here", [note, help]);
    }

    /// Reports something that it must not do, with a note and a help text.
    fn report(&mut self, place: Place, message: &str, label: &str, [note, help]: [&str; 2]) {
        let is_function = self.place == self.handler.span || self.place == self.function.span;
        let (place, label) = match (own_place(self.function, place, self.is_own), is_function) {
            (Some(span), _) if span == place.span => (span, label),
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
        let diagnostic = Diagnostic::error(codes::INTERRUPT_MEMORY, place, message)
            .label(label)
            .also(self.handler.span, handler)
            .note(note)
            .help(help);
        self.found.insert(place, diagnostic);
    }
}
