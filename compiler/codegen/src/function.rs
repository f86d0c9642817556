//! One function: its parameters, its captures, and the values of its locals while its body is emitted.

use crate::{
    abi::{Abi, Returned, machine_type},
    block::Destination,
    foreign::Foreign,
    layout::Repr,
    module::Shared,
};
use clef_base::{Span, internal::bug};
use clef_core::{Atom, Block as CoreBlock, Convention, End, Function, FunctionId, JoinId, LocalId};
use clef_mlir::{Block, Emit, Memory, Type as MlirType, Value};
use clef_types::{IntegerType, Type, TypeKind};
use std::collections::HashMap;

/// The alignment of scratch space: that of the largest machine value.
const SCRATCH_ALIGN: u64 = 8;

/// Emits the body of one function.
pub(crate) struct FunctionEmitter<'a, 'p, 'm> {
    pub(crate) shared: &'a Shared<'p, 'm>,
    pub(crate) function: &'p Function,
    pub(crate) emit: Emit<'m>,
    /// The values of the locals bound so far; `None` for `unit`.
    values: HashMap<LocalId, Option<Value<'m>>>,
    /// The block of each join in scope.
    pub(crate) joins: HashMap<JoinId, Block<'m>>,
    /// The block at which the body starts again.
    pub(crate) restart: Option<Block<'m>>,
    /// How this function returns.
    pub(crate) returned: Returned,
    /// Where a large result goes.
    pub(crate) result_address: Option<Value<'m>>,
    /// How other languages call it, if it is exported.
    pub(crate) foreign: Option<Foreign>,
    /// Scratch space in the frame, by its size in bytes: no use of it overlaps another.
    scratch: HashMap<u32, Value<'m>>,
    /// In an interrupt handler, the call that was pending on entry, and its arguments.
    pub(crate) interrupted: Option<(Value<'m>, Value<'m>)>,
}

impl<'a, 'p, 'm> FunctionEmitter<'a, 'p, 'm> {
    /// With the cursor at the start of the function.
    pub(crate) fn new(shared: &'a Shared<'p, 'm>, id: FunctionId, emit: Emit<'m>) -> FunctionEmitter<'a, 'p, 'm> {
        let returned = shared.abi(id).returned;
        let foreign = match shared.program.functions[id].convention {
            Convention::Exported(_) => Some(Foreign::of_exported(shared, &shared.program.functions[id])),
            Convention::Known | Convention::Closure { .. } => None,
        };
        FunctionEmitter {
            shared,
            function: &shared.program.functions[id],
            emit,
            values: HashMap::new(),
            joins: HashMap::new(),
            restart: None,
            returned,
            result_address: None,
            foreign,
            scratch: HashMap::new(),
            interrupted: None,
        }
    }

    /// Binds the parameters and captures, and emits the body.
    pub(crate) fn body(mut self) {
        if let Some(foreign) = self.foreign.clone() {
            self.save_pending_call();
            self.exported_parameters(&foreign, &self.function.params);
            return self.block(&self.function.body, Destination::Return);
        }
        let mut arguments = self.emit.arguments().into_iter();
        let closure = match &self.function.convention {
            Convention::Known | Convention::Exported(_) => None,
            Convention::Closure { .. } => arguments.next(),
        };
        if matches!(self.returned, Returned::Through(_)) {
            self.result_address = arguments.next();
        }
        if let (Convention::Closure { captures, owned, itself }, Some(closure)) = (&self.function.convention, closure) {
            self.load_captures(closure, captures, owned);
            if let Some(itself) = itself {
                self.bind(*itself, Some(closure));
            }
        }
        let mut arguments: Vec<Value<'m>> = arguments.collect();
        let regions = arguments.split_off(arguments.len() - self.function.regions.len());
        self.bind_all(&self.function.regions, &regions);
        if restarts(&self.function.body) {
            let block = self.parameter_block(&self.function.params);
            self.emit.br(block, &arguments);
            self.emit.position(block);
            self.restart = Some(block);
            self.bind_all(&self.function.params, &block.arguments());
        } else {
            self.bind_all(&self.function.params, &arguments);
        }
        self.block(&self.function.body, Destination::Return);
    }

    fn load_captures(&mut self, closure: Value<'m>, captures: &[LocalId], owned: &[LocalId]) {
        let params = self.function.params.iter().map(|param| self.function.locals[*param].ty);
        let abi = Abi::new(&self.shared.layouts, params, self.function.regions.len(), self.function.result);
        let signature = abi.signature(&self.emit);
        let mut index = 0;
        for capture in captures {
            let stored = self.shared.layouts.capture(self.function, *capture);
            let value = match (machine_type(&self.emit, &stored), owned.contains(capture)) {
                (Some(_), true) => Some(self.emit.capture_address(closure, &signature, index)),
                (Some(ty), false) => Some(self.emit.capture(closure, &signature, index, ty)),
                // A cell without bytes is never read, so any address will do.
                (None, true) => self.local_type(*capture).map(|ty| self.emit.undef(ty)),
                (None, false) => None,
            };
            index += usize::from(machine_type(&self.emit, &stored).is_some());
            self.bind(*capture, value);
        }
    }

    /// A block whose arguments are these locals.
    pub(crate) fn parameter_block(&mut self, locals: &[LocalId]) -> Block<'m> {
        let types: Vec<MlirType<'m>> = locals.iter().filter_map(|local| self.local_type(*local)).collect();
        self.emit.block(&types)
    }

    /// Binds locals to values; `unit` locals have none.
    pub(crate) fn bind_all(&mut self, locals: &[LocalId], values: &[Value<'m>]) {
        let mut values = values.iter();
        for local in locals {
            let value = self.local_type(*local).and_then(|_| values.next().copied());
            self.bind(*local, value);
        }
    }

    /// Binds a local.
    pub(crate) fn bind(&mut self, local: LocalId, value: Option<Value<'m>>) {
        self.values.insert(local, value);
    }

    /// The representation of a type.
    pub(crate) fn repr(&self, ty: Type) -> Repr {
        self.shared.layouts.repr(ty)
    }

    /// The MLIR type of a type; `None` for `unit`.
    pub(crate) fn machine_type(&self, ty: Type) -> Option<MlirType<'m>> {
        machine_type(&self.emit, &self.repr(ty))
    }

    fn local_type(&self, local: LocalId) -> Option<MlirType<'m>> {
        self.machine_type(self.function.locals[local].ty)
    }

    /// An integer of the size of a pointer.
    pub(crate) fn word(&self) -> MlirType<'m> {
        self.emit.int(self.shared.layouts.word_bits())
    }

    /// A constant of the size of a pointer.
    pub(crate) fn word_constant(&mut self, value: u64) -> Value<'m> {
        let word = self.word();
        self.emit.iconst(word, value.cast_signed())
    }

    /// Scratch space in the frame, shared by all requests for this size: its content must be read at once.
    pub(crate) fn scratch(&mut self, size: u32) -> Value<'m> {
        if let Some(room) = self.scratch.get(&size) {
            return *room;
        }
        let room = self.emit.alloca_bytes(size, SCRATCH_ALIGN);
        self.scratch.insert(size, room);
        room
    }

    /// Ordinary access to memory that holds a representation.
    pub(crate) fn access(&self, repr: &Repr) -> Memory {
        Memory::aligned(self.shared.layouts.extent(repr).align.0)
    }

    /// Sets the source location of what follows.
    pub(crate) fn at(&mut self, span: Span) {
        let (file, place) = self.shared.place(span);
        self.emit.at(file, place.line as usize, place.column as usize);
    }

    /// The value of an operand; `None` for `unit`.
    pub(crate) fn atom(&mut self, atom: &Atom) -> Option<Value<'m>> {
        Some(match atom {
            Atom::Local(local) => {
                let Some(value) = self.values.get(local) else {
                    bug("generate", self.function.locals[*local].span, "a local is used before it is bound")
                };
                return *value;
            }
            Atom::Unit => return None,
            Atom::Bool(value) => self.emit.bconst(*value),
            Atom::Integer(value, ty) => {
                let ty = self.machine_type(*ty)?;
                self.emit.iconst(ty, *value as i64)
            }
            Atom::Float(value, ty) => {
                let ty = self.machine_type(*ty)?;
                self.emit.fconst(ty, *value)
            }
            Atom::Char(value) => {
                let ty = self.emit.int(32);
                self.emit.iconst(ty, i64::from(u32::from(*value)))
            }
            Atom::String(text) => self.string_constant(*text),
            Atom::Function(function, _) => self.constant_closure(*function),
            Atom::ProgramRegion => self.program_region(),
        })
    }

    /// The value of an operand that is not `unit`.
    pub(crate) fn value(&mut self, atom: &Atom) -> Value<'m> {
        match self.atom(atom) {
            Some(value) => value,
            None => bug("generate", self.function.span, "a unit value is used as an operand of an operation"),
        }
    }

    /// The kind of an operand's type.
    pub(crate) fn kind(&self, atom: &Atom) -> TypeKind {
        match atom {
            Atom::Unit => TypeKind::Unit,
            Atom::Bool(_) => TypeKind::Bool,
            Atom::Char(_) => TypeKind::Char,
            Atom::String(_) => TypeKind::String,
            Atom::ProgramRegion => TypeKind::Region,
            Atom::Local(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Function(..) => {
                self.shared.program.types.kind(self.atom_type(atom)).clone()
            }
        }
    }

    /// The type of an operand that is not a self-describing constant.
    pub(crate) fn atom_type(&self, atom: &Atom) -> Type {
        operand_type(self.function, atom)
    }

    /// The integer type of an operand.
    pub(crate) fn integer(&self, atom: &Atom) -> Option<IntegerType> {
        match self.kind(atom) {
            TypeKind::Integer(integer) => Some(integer),
            _ => None,
        }
    }
}

/// Whether a body contains a restart of itself.
fn restarts(body: &CoreBlock) -> bool {
    let mut found = false;
    body.each(&mut |block| found |= matches!(block.end, End::Continue(_)));
    found
}

/// The type of an operand that is not a self-describing constant, such as a closure.
pub(crate) fn operand_type(function: &Function, atom: &Atom) -> Type {
    match atom {
        Atom::Local(local) => function.locals[*local].ty,
        Atom::Integer(_, ty) | Atom::Float(_, ty) | Atom::Function(_, ty) => *ty,
        Atom::Unit | Atom::Bool(_) | Atom::Char(_) | Atom::String(_) | Atom::ProgramRegion => {
            bug("generate", function.span, "a simple constant has no compound type")
        }
    }
}
