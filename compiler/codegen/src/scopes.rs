//! The scopes of one function, and the notes of its variables.
//!
//! In: locals as they are bound. Out: notes. What follows a binding in its block is a scope of its own, so that a variable
//! is shown once it has a value, and until another one shadows it. A local with the name, the type and the place of one that is
//! in scope is the same variable with a new value: state after an evacuation, or the parameter of a loop.

use crate::{function::FunctionEmitter, layout::Repr, module::Shared};
use clef_base::{Span, Symbol};
use clef_core::{Function, LocalId};
use clef_mlir::{Memory, Noted, Scope, Value};
use clef_types::{Type, TypeKind};
use std::collections::HashMap;

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
}

/// A scope and what it declares.
struct Level<'m> {
    scope: Scope<'m>,
    variables: HashMap<Symbol, Variable<'m>>,
}

/// The scopes at the place that is being emitted, the innermost last.
pub(crate) struct Scopes<'p, 'm> {
    function: &'p Function,
    levels: Vec<Level<'m>>,
    /// Whether the parameters are bound.
    is_in_body: bool,
}

/// The number of scopes where a block begins.
#[derive(Clone, Copy)]
pub(crate) struct Mark(usize);

impl<'p, 'm> Scopes<'p, 'm> {
    /// Those of a function at its start.
    pub(crate) fn new(function: &'p Function, scope: Scope<'m>) -> Scopes<'p, 'm> {
        Scopes { function, levels: vec![Level { scope, variables: HashMap::new() }], is_in_body: false }
    }

    /// The innermost scope.
    fn current(&self) -> Option<Scope<'m>> {
        self.levels.last().map(|level| level.scope)
    }

    fn visible(&self, name: Symbol) -> Option<Variable<'m>> {
        self.levels.iter().rev().find_map(|level| level.variables.get(&name)).copied()
    }

    fn declare(&mut self, name: Symbol, variable: Variable<'m>) {
        if let Some(level) = self.levels.last_mut() {
            level.variables.insert(name, variable);
        }
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Begins a block.
    pub(crate) fn begin_scope(&mut self) -> Option<Mark> {
        self.scopes.as_ref().map(|scopes| Mark(scopes.levels.len()))
    }

    /// Ends a block.
    pub(crate) fn end_scope(&mut self, mark: Option<Mark>) {
        let (Some(scopes), Some(Mark(levels))) = (self.scopes.as_mut(), mark) else { return };
        scopes.levels.truncate(levels);
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
        let (Some(scopes), Some(debug)) = (&mut self.scopes, &self.code.shared.debug) else { return };
        let named = &scopes.function.locals[local];
        let Some(value) = self.locals.value(local) else { return };
        // Neither what the compiler adds nor what was inlined from another file.
        if named.name.as_str().contains('$') || named.span.file != scopes.function.span.file {
            return;
        }
        let shared = self.code.shared;
        let is_slot = matches!(shared.program.types.kind(named.ty), TypeKind::Slot(_));
        let repr = shared.layouts.repr(named.ty);
        let known = scopes.visible(named.name).filter(|known| known.span == named.span && known.ty == named.ty);
        let variable = match known {
            Some(variable) => variable,
            None => {
                let Some(number) = shared.debug_variable(scopes.function, local) else { return };
                if let Some(scope) = new_scope(shared, scopes, local) {
                    scopes.levels.push(Level { scope, variables: HashMap::new() });
                    self.code.emit.scope(Some(scope));
                    self.code.stay();
                }
                let home = debug.keeps_variables().then(|| self.code.home(&repr)).flatten();
                if let Some(home) = home {
                    let noted = if is_slot { Noted::AddressOfAddress } else { Noted::Address };
                    self.code.emit.note_variable(number, home, noted);
                }
                let variable = Variable { number, ty: named.ty, span: named.span, home };
                scopes.declare(named.name, variable);
                variable
            }
        };
        match variable.home {
            Some(home) => self.code.keep(value, home, &repr),
            None => {
                let noted = if is_slot { Noted::ValueAtAddress } else { Noted::Value };
                self.code.emit.note_variable(variable.number, value, noted);
            }
        }
    }
}

/// The scope that a local opens: what follows its binding, except for parameters.
fn new_scope<'m>(shared: &Shared<'_, 'm>, scopes: &Scopes<'_, 'm>, local: LocalId) -> Option<Scope<'m>> {
    if !scopes.is_in_body || scopes.levels.len() >= MOST_SCOPES {
        return None;
    }
    let innermost = scopes.levels.last()?;
    let (_, place) = shared.place(scopes.function.locals[local].span);
    Some(shared.build.debug_block(innermost.scope, (place.line as usize, place.column as usize)))
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
