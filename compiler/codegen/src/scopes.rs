//! The scopes of one function, and the notes of its variables.
//!
//! In: locals as they are bound. Out: notes. What follows a binding in its block is a scope of its own, so that a variable
//! is shown once it has a value, and until another one shadows it. A local with the name, the type and the place of one that is
//! in scope is the same variable with a new value: state after an evacuation, or the parameter of a loop.
//!
//! A local that the optimiser replaced by an operand is noted as soon as its frame is entered and the operand has a value
//! there. Parameters of inlined functions are such locals.

mod ended;

use crate::{function::FunctionEmitter, layout::Repr, module::Shared};
use clef_base::{FileId, HashMap, HashSet, Span, Symbol};
use clef_core::{Atom, Copied, Function, Inlined, InlinedId, Local, LocalId, Place};
use clef_mlir::{CallPlace, Memory, Noted, Scope, Value};
use clef_types::{Type, TypeKind};

/// The largest number of nested scopes; what is deeper belongs to the last.
const MOST_SCOPES: usize = 200;

/// A variable in scope.
#[derive(Clone, Copy)]
struct Variable<'m> {
    number: usize,
    ty: Type,
    span: Span,
    /// The memory that keeps its value.
    home: Option<Value<'m>>,
    /// Whether its place was noted for the whole scope.
    is_placed: bool,
    /// What replaced it.
    operand: Option<LocalId>,
}

/// A scope and what it declares.
struct Level<'m> {
    scope: Scope<'m>,
    /// The replaced call whose frame it is in.
    inlined: Option<InlinedId>,
    variables: HashMap<Symbol, Variable<'m>>,
}

/// What a debugger shows as the frame of a call that was replaced by the body of its callee.
#[derive(Clone, Copy)]
struct Frame<'m> {
    scope: Scope<'m>,
    call: CallPlace<'m>,
}

/// The scopes at the place that is being emitted, the innermost last.
pub(crate) struct Scopes<'p, 'm> {
    function: &'p Function,
    levels: Vec<Level<'m>>,
    /// Whether the parameters are bound.
    is_in_body: bool,
    /// The replaced call whose code is being emitted.
    inlined: Option<InlinedId>,
    frames: HashMap<InlinedId, Frame<'m>>,
    /// The locals with a value here, in the order in which they were bound.
    bound: Vec<LocalId>,
    is_bound: HashSet<LocalId>,
    /// The locals that were replaced, by their frames.
    copied: HashMap<Option<InlinedId>, Vec<Replaced<'p>>>,
    /// The names and places of the variables that may point into a region which ends or is evacuated here.
    ending: HashSet<(Symbol, Span)>,
}

/// A local that was replaced by an operand.
#[derive(Clone, Copy)]
struct Replaced<'p> {
    local: LocalId,
    operand: &'p Atom,
    /// For a parameter of the function that was inlined, its position from 1.
    parameter: Option<u32>,
}

/// The number of scopes and of bound locals where a block begins.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    levels: usize,
    bound: usize,
}

impl<'p, 'm> Scopes<'p, 'm> {
    /// Those of a function at its start.
    pub(crate) fn new(function: &'p Function, scope: Scope<'m>) -> Scopes<'p, 'm> {
        Scopes {
            function,
            levels: vec![Level { scope, inlined: None, variables: HashMap::default() }],
            is_in_body: false,
            inlined: None,
            frames: HashMap::default(),
            bound: Vec::new(),
            is_bound: HashSet::default(),
            copied: replaced(function),
            ending: ended::ending(function),
        }
    }

    /// Records that a local has a value, to the end of the block.
    fn bind(&mut self, local: LocalId) {
        if self.is_bound.insert(local) {
            self.bound.push(local);
        }
    }

    /// The scopes of the frame that is being emitted, the innermost first.
    fn in_frame(&self) -> impl Iterator<Item = &Level<'m>> {
        self.levels.iter().rev().filter(|level| level.inlined == self.inlined)
    }

    /// The innermost scope.
    fn current(&self) -> Option<Scope<'m>> {
        let frame = || self.frames.get(&self.inlined?).map(|frame| frame.scope);
        self.in_frame().next().map(|level| level.scope).or_else(frame)
    }

    /// Continues in the frame of a replaced call, or in that of the function; returns the call.
    fn enter(&mut self, shared: &Shared<'_, 'm>, inlined: Option<InlinedId>) -> Option<CallPlace<'m>> {
        self.inlined = inlined;
        Some(self.frame(shared, inlined?)?.call)
    }

    /// The frame of a replaced call.
    fn frame(&mut self, shared: &Shared<'_, 'm>, id: InlinedId) -> Option<Frame<'m>> {
        if let Some(frame) = self.frames.get(&id) {
            return Some(*frame);
        }
        let Inlined { callee, definition, call } = self.function.inlined[id];
        let around = call.inlined.and_then(|around| self.frame(shared, around));
        let caller = around.map_or(self.levels.first()?.scope, |around| around.scope);
        let (file, place) = shared.place(call.span);
        let place = (file, place.line as usize, place.column as usize);
        let call = shared.build.call_place(caller, around.map(|around| around.call), place);
        let frame = Frame { scope: shared.inlined_scope(callee, definition)?, call };
        self.frames.insert(id, frame);
        Some(frame)
    }

    /// A frame after those of its callers in the same function.
    fn frames_around(&self, inlined: Option<InlinedId>) -> Vec<Option<InlinedId>> {
        let around = |id: &InlinedId| self.function.inlined[*id].call.inlined;
        let mut frames: Vec<_> = std::iter::successors(inlined, around).map(Some).collect();
        frames.reverse();
        if frames.is_empty() { vec![None] } else { frames }
    }

    /// The file of the function whose code is being emitted.
    fn file(&self) -> FileId {
        self.inlined.map_or(self.function.span, |id| self.function.inlined[id].definition).file
    }

    fn visible(&self, name: Symbol) -> Option<Variable<'m>> {
        self.in_frame().find_map(|level| level.variables.get(&name)).copied()
    }

    fn declare(&mut self, name: Symbol, variable: Variable<'m>) {
        let inlined = self.inlined;
        if let Some(level) = self.levels.iter_mut().rev().find(|level| level.inlined == inlined) {
            level.variables.insert(name, variable);
        }
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Sets the place of what follows.
    pub(crate) fn at(&mut self, place: Place) {
        if let Some(scopes) = self.scopes.as_ref().filter(|scopes| scopes.inlined != place.inlined) {
            // What calls an inlined function may have no code of its own before.
            for inlined in scopes.frames_around(place.inlined) {
                self.enter(inlined);
            }
        }
        self.code.at(place.span);
    }

    /// Continues in the frame of a replaced call, or in that of the function.
    fn enter(&mut self, inlined: Option<InlinedId>) {
        let Some(scopes) = &mut self.scopes else { return };
        let call = scopes.enter(self.code.shared, inlined);
        self.code.emit.frame(scopes.current(), call);
        let definition = inlined.map_or(scopes.function.span, |id| scopes.function.inlined[id].definition);
        let (file, _) = self.code.shared.place(definition);
        self.code.emit.at_no_line(file);
        self.note_replaced(None);
    }

    /// Begins a block.
    pub(crate) fn begin_scope(&mut self) -> Option<Mark> {
        self.scopes.as_ref().map(|scopes| Mark { levels: scopes.levels.len(), bound: scopes.bound.len() })
    }

    /// Ends a block.
    pub(crate) fn end_scope(&mut self, mark: Option<Mark>) {
        let (Some(scopes), Some(Mark { levels, bound })) = (self.scopes.as_mut(), mark) else { return };
        scopes.levels.truncate(levels);
        for local in scopes.bound.drain(bound..) {
            scopes.is_bound.remove(&local);
        }
        let current = scopes.current();
        self.code.emit.scope(current);
    }

    /// Notes the parameters and captures of the function, whose code is in no line of the source.
    pub(crate) fn note_parameters(&mut self) {
        let Some(scopes) = &self.scopes else { return };
        let function = scopes.function;
        let (file, _) = self.code.shared.place(function.span);
        self.code.emit.at_no_line(file);
        function.params.iter().for_each(|param| self.note(*param));
        for capture in function.captures() {
            let is_shadowed = |scopes: &Scopes<'_, '_>| scopes.visible(function.locals[*capture].name).is_some();
            if !self.scopes.as_ref().is_some_and(is_shadowed) {
                self.note(*capture);
            }
        }
        if let Some(scopes) = &mut self.scopes {
            scopes.is_in_body = true;
        }
    }

    /// Notes the value of a local that was just bound.
    pub(crate) fn note(&mut self, local: LocalId) {
        let Some(scopes) = &mut self.scopes else { return };
        scopes.bind(local);
        // A list that is not one yet is no value.
        if self.growing.contains(local) {
            return;
        }
        if let Some(value) = self.locals.value(local) {
            self.note_value(local, value, None);
        }
        self.note_replaced(Some(local));
    }

    /// Notes the locals of this frame that were replaced and whose operands have values here: all of them, or those that
    /// were replaced by one local.
    fn note_replaced(&mut self, by: Option<LocalId>) {
        let (Some(scopes), Some(debug)) = (&self.scopes, &self.code.shared.debug) else { return };
        // Where variables are kept, no function is inlined.
        if debug.keeps_variables() {
            return;
        }
        let is_by = |replaced: &&Replaced<'_>| {
            by.is_none_or(|by| matches!(replaced.operand, Atom::Local(local) if *local == by))
        };
        let all = scopes.copied.get(&scopes.inlined).into_iter().flatten();
        let found: Vec<Replaced<'_>> = all.filter(is_by).copied().collect();
        for replaced in found {
            let Some(scopes) = &self.scopes else { return };
            let Replaced { local, operand, .. } = replaced;
            let Local { name, ty, .. } = scopes.function.locals[local];
            let is_known = match operand {
                Atom::Local(operand) => {
                    let has_value = scopes.is_bound.contains(operand) && !self.growing.contains(*operand);
                    has_value && scopes.function.locals[*operand].ty == ty
                }
                Atom::Integer(_, of) | Atom::Float(_, of) => *of == ty,
                Atom::Bool(_) | Atom::Char(_) => self.locals.kind(operand) == *self.code.shared.program.types.kind(ty),
                // Their constants would be parts of the image.
                Atom::Unit | Atom::String(_) | Atom::ProgramRegion | Atom::Function(..) => false,
            };
            if is_known
                && scopes.visible(name).is_none()
                && let Some(value) = self.atom(operand)
            {
                self.note_value(local, value, Some(replaced));
            }
        }
    }

    /// Notes the value of a local, which may have been replaced.
    fn note_value(&mut self, local: LocalId, value: Value<'m>, replaced: Option<Replaced<'_>>) {
        let (Some(scopes), Some(debug)) = (&mut self.scopes, &self.code.shared.debug) else { return };
        let named = &scopes.function.locals[local];
        // Neither what the compiler adds, nor what comes from another file.
        if named.name.as_str().contains('$') || named.span.file != scopes.file() {
            return;
        }
        let shared = self.code.shared;
        let is_slot = matches!(shared.program.types.kind(named.ty), TypeKind::Slot(_));
        let repr = shared.layouts.repr(named.ty);
        let parameter = replaced.and_then(|replaced| replaced.parameter);
        let known = scopes.visible(named.name).filter(|known| known.span == named.span && known.ty == named.ty);
        let variable = match known {
            Some(variable) => variable,
            None => {
                let Some(number) = shared.debug_variable(scopes.function, local, parameter) else { return };
                if parameter.is_some() {
                    let Some(scope) = scopes.current() else { return };
                    scopes.levels.push(Level { scope, inlined: scopes.inlined, variables: HashMap::default() });
                } else if let Some(scope) = new_scope(shared, scopes, local) {
                    scopes.levels.push(Level { scope, inlined: scopes.inlined, variables: HashMap::default() });
                    self.code.emit.scope(Some(scope));
                    self.code.stay();
                }
                let home = debug.keeps_variables().then(|| self.code.home(&repr)).flatten();
                let is_placed = home.is_some() && !scopes.ending.contains(&(named.name, named.span));
                if let Some(home) = home.filter(|_| is_placed) {
                    let noted = if is_slot { Noted::AddressOfAddress } else { Noted::Address };
                    self.code.emit.note_variable(number, home, noted);
                }
                let operand = replaced.and_then(|replaced| replaced.operand.local());
                let variable = Variable { number, ty: named.ty, span: named.span, home, is_placed, operand };
                scopes.declare(named.name, variable);
                variable
            }
        };
        match variable.home {
            Some(home) => {
                self.code.keep(value, home, &repr);
                if !variable.is_placed {
                    let noted = if is_slot { Noted::ValueAtAddressOfAddress } else { Noted::ValueAtAddress };
                    self.code.emit.note_variable(variable.number, home, noted);
                }
            }
            None => {
                let noted = if is_slot { Noted::ValueAtAddress } else { Noted::Value };
                self.code.emit.note_variable(variable.number, value, noted);
            }
        }
    }
}

/// The locals of a function that were replaced, by their frames, parameters first.
fn replaced(function: &Function) -> HashMap<Option<InlinedId>, Vec<Replaced<'_>>> {
    let mut frames: HashMap<Option<InlinedId>, Vec<Replaced<'_>>> = HashMap::default();
    let is_parameter =
        |copied: &&Copied| copied.place.inlined.is_some_and(|id| copied.place.span == function.inlined[id].definition);
    let (parameters, others): (Vec<&Copied>, Vec<&Copied>) = function.copied.iter().partition(is_parameter);
    for Copied { local, operand, place } in parameters {
        let frame = frames.entry(place.inlined).or_default();
        let parameter = Some(frame.len() as u32 + 1);
        frame.push(Replaced { local: *local, operand, parameter });
    }
    for Copied { local, operand, place } in others {
        frames.entry(place.inlined).or_default().push(Replaced { local: *local, operand, parameter: None });
    }
    frames
}

/// The scope that a local opens: what follows its binding, except for parameters.
fn new_scope<'m>(shared: &Shared<'_, 'm>, scopes: &Scopes<'_, 'm>, local: LocalId) -> Option<Scope<'m>> {
    if !scopes.is_in_body || scopes.levels.len() >= MOST_SCOPES {
        return None;
    }
    let innermost = scopes.current()?;
    let (_, place) = shared.place(scopes.function.locals[local].span);
    Some(shared.build.debug_block(innermost, (place.line as usize, place.column as usize)))
}

impl<'m> crate::code::Code<'_, '_, 'm> {
    /// Memory in the frame for a value.
    fn home(&mut self, repr: &Repr) -> Option<Value<'m>> {
        let ty = crate::abi::machine_type(&self.emit, repr)?;
        let align = self.access(repr).align;
        Some(self.emit.alloca(ty, align))
    }

    /// Writes a value to its memory, whoever reads it.
    fn keep(&mut self, value: Value<'m>, home: Value<'m>, repr: &Repr) {
        let access = self.access(repr);
        self.emit.store(value, home, Memory { volatile: true, ..access });
    }
}
