//! One function of Core: its body while it is emitted, and the values of operands.
//!
//! In: a function of Core, and a cursor at the start of its definition. Out: the definition, all of whose blocks end.
//! [`entry`](crate::entry) binds the parameters, [`block`](crate::block) emits the body, and one file per construct emits
//! what it consists of.

use crate::{
    block::Destination, code::Code, entry, exit::Exit, growing::Growing, holes::Holes, jumps::Jumps, locals::Locals,
    module::Shared, scopes::Scopes,
};
use clef_core::{Atom, FunctionId};
use clef_mlir::{Emit, Scope, Value};

/// The body of a function while it is emitted.
pub(crate) struct FunctionEmitter<'a, 'p, 'm> {
    /// What is written.
    pub(crate) code: Code<'a, 'p, 'm>,
    /// What operands refer to.
    pub(crate) locals: Locals<'a, 'p, 'm>,
    /// Where joins and restarts are.
    pub(crate) jumps: Jumps<'m>,
    /// The lists that it makes from front to back.
    pub(crate) growing: Growing<'m>,
    /// The calls of itself before which it makes the nodes for their results.
    pub(crate) holes: Holes<'m>,
    /// How the function returns.
    pub(crate) exit: Exit<'m>,
    /// What a debugger shows of it; `None` if nothing.
    pub(crate) scopes: Option<Scopes<'p, 'm>>,
}

/// Emits a function, with the cursor at its start.
pub(crate) fn emit<'m>(shared: &Shared<'_, 'm>, id: FunctionId, emit: Emit<'m>, scope: Option<Scope<'m>>) {
    let function = &shared.program.functions[id];
    let mut code = Code::new(shared, emit, function.span);
    let mut locals = Locals::new(shared, function);
    if scope.is_some() {
        code.emit.at_no_line(shared.place(function.span).0);
    }
    let mut growing = shared.growing(id);
    let mut holes = shared.holes(id, &growing);
    let (exit, jumps) = entry::enter(&mut code, &mut locals, (&mut growing, &mut holes), id);
    let scopes = scope.map(|scope| Scopes::new(function, scope));
    let mut emitter = FunctionEmitter { code, locals, jumps, growing, holes, exit, scopes };
    emitter.note_parameters();
    emitter.block(&function.body, Destination::Return);
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// The value of an operand; `None` for `unit`.
    pub(crate) fn atom(&mut self, atom: &Atom) -> Option<Value<'m>> {
        let code = &mut self.code;
        Some(match atom {
            Atom::Local(local) => return self.locals.value(*local),
            Atom::Unit => return None,
            Atom::Bool(value) => code.emit.bconst(*value),
            Atom::Integer(value, ty) => {
                let ty = code.machine_type(*ty)?;
                code.emit.iconst(ty, *value as i64)
            }
            Atom::Float(value, ty) => {
                let ty = code.machine_type(*ty)?;
                code.emit.fconst(ty, *value)
            }
            Atom::Char(value) => {
                let ty = code.emit.int(32);
                code.emit.iconst(ty, i64::from(u32::from(*value)))
            }
            Atom::String(text) => code.string_constant(*text),
            Atom::Function(function, _) => code.constant_closure(*function),
            Atom::ProgramRegion => code.program_region(),
        })
    }

    /// The value of an operand that is not `unit`.
    pub(crate) fn value(&mut self, atom: &Atom) -> Value<'m> {
        match self.atom(atom) {
            Some(value) => value,
            None => self.code.bug("a unit value is used as an operand of an operation"),
        }
    }

    /// The values of operands, without those of type `unit`.
    pub(crate) fn atoms<'x>(&mut self, atoms: impl IntoIterator<Item = &'x Atom>) -> Vec<Value<'m>> {
        atoms.into_iter().filter_map(|atom| self.atom(atom)).collect()
    }
}
