//! The integers of a function that are known for a call: parameters for which it passes constants, and what is computed from them.

use clef_base::HashMap;
use clef_core::{Atom, End, Function, LocalId, Program, Rhs};
use clef_types::{IntegerType, Primitive, TypeKind};

/// What a call passes: for each parameter the number, if it is known.
pub(super) type Arguments = Vec<Option<i128>>;

/// The locals that are known numbers.
#[derive(Clone, Default, Debug)]
pub(super) struct Numbers(HashMap<LocalId, i128>);

impl Numbers {
    /// The parameters for which a call passes known numbers.
    pub(super) fn of_parameters(function: &Function, arguments: &[Option<i128>]) -> Numbers {
        let known = function.params.iter().zip(arguments);
        Numbers(known.filter_map(|(parameter, number)| Some((*parameter, (*number)?))).collect())
    }

    /// Whether the parameters of a function change: it continues with others.
    pub(super) fn change_in(function: &Function) -> bool {
        let mut continues = false;
        function.body.each_end(&mut |end| continues |= matches!(end, End::Continue(_)));
        continues
    }

    /// The number that an operand is.
    pub(super) fn of(&self, atom: &Atom) -> Option<i128> {
        if let Atom::Local(local) = atom {
            return self.0.get(local).copied();
        }
        if let Atom::Integer(number, _) = atom { Some(*number) } else { None }
    }

    /// Learns a local of a function, if it is computed from known numbers.
    pub(super) fn learn(&mut self, program: &Program, function: &Function, local: LocalId, rhs: &Rhs) {
        let is_int = || *program.types.kind(function.locals[local].ty) == TypeKind::Integer(IntegerType::Int);
        let number = if let Rhs::Atom(atom) = rhs {
            self.of(atom)
        } else if let Rhs::Primitive(primitive, operands) = rhs
            && is_int()
        {
            self.result(*primitive, operands)
        } else {
            None
        };
        if let Some(number) = number {
            self.0.insert(local, number);
        }
    }

    /// The result of an operation on `int`, unless a word of 32 bits does not hold it, so that it may wrap.
    fn result(&self, primitive: Primitive, operands: &[Atom]) -> Option<i128> {
        let [left, right] = operands else { return None };
        primitive.of_ints(self.of(left)?, self.of(right)?)
    }
}
