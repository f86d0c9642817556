//! The types of operands, and which types can hold memory.

use super::{Atom, Function, FunctionId, LocalId, Program};
use clef_base::HashMap;
use clef_types::{Type, TypeKind, Types};

impl Atom {
    /// The local that the operand is.
    pub fn local(&self) -> Option<LocalId> {
        if let Atom::Local(local) = self { Some(*local) } else { None }
    }

    /// The function, if the operand is a constant closure.
    pub fn function(&self) -> Option<FunctionId> {
        if let Atom::Function(function, _) = self { Some(*function) } else { None }
    }
}

/// The interned types of constants.
#[derive(Clone, Copy, Debug)]
pub struct ConstantTypes {
    unit: Type,
    bool: Type,
    char: Type,
    string: Type,
    region: Type,
}

impl ConstantTypes {
    /// Interns them.
    pub fn new(types: &mut Types) -> ConstantTypes {
        ConstantTypes {
            unit: types.intern(TypeKind::Unit),
            bool: types.intern(TypeKind::Bool),
            char: types.intern(TypeKind::Char),
            string: types.intern(TypeKind::String),
            region: types.intern(TypeKind::Region),
        }
    }

    /// The type of an operand of a function.
    pub fn of(&self, atom: &Atom, function: &Function) -> Type {
        match atom {
            Atom::Local(local) => function.locals[*local].ty,
            Atom::Unit => self.unit,
            Atom::Bool(_) => self.bool,
            Atom::Char(_) => self.char,
            Atom::String(_) => self.string,
            Atom::ProgramRegion => self.region,
            Atom::Integer(_, ty) | Atom::Float(_, ty) | Atom::Function(_, ty) => *ty,
        }
    }
}

/// Which types have values that can point to memory: those that a value of another storage can flow through.
#[derive(Debug, Default)]
pub struct Holders {
    known: HashMap<Type, bool>,
}

impl Holders {
    /// Whether a value of the type can point to an allocation or a slot.
    pub fn holds(&mut self, program: &Program, ty: Type) -> bool {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let holds = match program.types.kind(ty) {
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::Region => false,
            TypeKind::String
            | TypeKind::Function(..)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_) => true,
            TypeKind::Tuple(parts) => parts.clone().into_iter().any(|part| self.holds(program, part)),
            TypeKind::Declared(..) => {
                // A boxed value is an address. A type may contain itself: assume that it holds while visiting its fields.
                self.known.insert(ty, true);
                match program.declared.get(&ty) {
                    Some(declared) => {
                        declared.boxed
                            || declared
                                .cases
                                .iter()
                                .flat_map(|case| &case.fields)
                                .any(|&field| self.holds(program, field))
                    }
                    None => true,
                }
            }
        };
        self.known.insert(ty, holds);
        holds
    }
}
