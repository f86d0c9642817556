//! The locals of a function of Core: their types, and their values while the body is emitted.

use crate::{
    code::Code,
    foreign::shape::{Scalar, Shape},
    layout::Repr,
    module::Shared,
};
use clef_base::{HashMap, internal::bug};
use clef_core::{Atom, Function, LocalId};
use clef_mlir::{Block, Type as MlirType, Value};
use clef_types::{IntegerType, Type, TypeKind};

/// The locals of a function. A local has a value from its binding on, in whatever block that is: Core binds each once, and
/// uses it only where its binding dominates.
pub(crate) struct Locals<'a, 'p, 'm> {
    shared: &'a Shared<'p, 'm>,
    function: &'p Function,
    /// The values of the locals bound so far; `None` for `unit`.
    values: HashMap<LocalId, Option<Value<'m>>>,
}

impl<'a, 'p, 'm> Locals<'a, 'p, 'm> {
    /// None bound yet.
    pub(crate) fn new(shared: &'a Shared<'p, 'm>, function: &'p Function) -> Locals<'a, 'p, 'm> {
        Locals { shared, function, values: HashMap::default() }
    }

    /// Binds a local.
    pub(crate) fn bind(&mut self, local: LocalId, value: Option<Value<'m>>) {
        self.values.insert(local, value);
    }

    /// Binds locals to values; those whose type is `unit` have none.
    pub(crate) fn bind_all(&mut self, locals: &[LocalId], values: &[Value<'m>]) {
        let mut values = values.iter();
        for local in locals {
            let is_unit = self.shared.layouts.repr(self.type_of(*local)) == Repr::Unit;
            let value = if is_unit { None } else { values.next().copied() };
            self.bind(*local, value);
        }
    }

    /// A block whose arguments are these locals.
    pub(crate) fn parameter_block(&self, code: &mut Code<'_, '_, 'm>, locals: &[LocalId]) -> Block<'m> {
        let types: Vec<MlirType<'m>> =
            locals.iter().filter_map(|local| code.machine_type(self.type_of(*local))).collect();
        code.emit.block(&types)
    }

    /// The value of a local; `None` for `unit`.
    pub(crate) fn value(&self, local: LocalId) -> Option<Value<'m>> {
        match self.values.get(&local) {
            Some(value) => *value,
            None => bug("generate", self.function.locals[local].span, "a local is used before it is bound"),
        }
    }

    /// The type of a local.
    pub(crate) fn type_of(&self, local: LocalId) -> Type {
        self.function.locals[local].ty
    }

    /// The type of an operand that is not a self-describing constant.
    pub(crate) fn atom_type(&self, atom: &Atom) -> Type {
        operand_type(self.function, atom)
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

    /// The integer type of an operand.
    pub(crate) fn integer(&self, atom: &Atom) -> Option<IntegerType> {
        match self.kind(atom) {
            TypeKind::Integer(integer) => Some(integer),
            _ => None,
        }
    }

    /// The representation of an operand.
    pub(crate) fn repr(&self, atom: &Atom) -> Repr {
        let word = Repr::Integer(self.shared.layouts.word_bits());
        match atom {
            Atom::Unit => Repr::Unit,
            Atom::Bool(_) => Repr::Integer(1),
            Atom::Char(_) => Repr::Integer(32),
            Atom::String(_) => Repr::Struct(vec![Repr::Pointer, word]),
            Atom::ProgramRegion => Repr::Pointer,
            Atom::Local(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Function(..) => {
                self.shared.layouts.repr(self.atom_type(atom))
            }
        }
    }

    /// An operand as other languages see it.
    pub(crate) fn shape(&self, atom: &Atom) -> Shape {
        match atom {
            Atom::Unit => Shape::Nothing,
            Atom::Bool(_) => Shape::Scalar(Scalar::Truth),
            Atom::Char(_) => Shape::Scalar(Scalar::Integer { bits: 32, signed: false }),
            Atom::ProgramRegion => Shape::Scalar(Scalar::Pointer),
            Atom::Local(_) | Atom::Integer(..) | Atom::Float(..) | Atom::Function(..) | Atom::String(_) => {
                Shape::of(self.shared.program, self.atom_type(atom), self.shared.layouts.word_bits())
            }
        }
    }
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
