//! What the names of the graph stand for in one function of Core.

use super::instance::Substitution;
use clef_base::HashMap;
use clef_core::{Atom, LocalId};
use clef_psg::{Mutability, VariableId};
use std::rc::Rc;

/// The place of a variable.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A value.
    Value(Atom),
    /// In a slot.
    Slot(LocalId),
    /// In a ref cell.
    Cell(LocalId),
}

impl Place {
    /// The place of a variable that a local holds, by value or by its slot.
    pub(super) fn held(mutability: Mutability, local: LocalId) -> Place {
        match mutability {
            Mutability::Immutable => Place::Value(Atom::Local(local)),
            Mutability::Mutable => Place::Slot(local),
        }
    }
}

/// The local variables and the type parameters in scope. A variable that has no place is module-level, or a function or a
/// generalised value, which have none.
pub(super) struct Environment {
    places: HashMap<VariableId, Place>,
    substitution: Rc<Substitution>,
}

impl Environment {
    /// Without variables.
    pub(super) fn new(substitution: Rc<Substitution>) -> Environment {
        Environment { places: HashMap::default(), substitution }
    }

    /// The place of a local variable.
    pub(super) fn place(&self, variable: VariableId) -> Option<&Place> {
        self.places.get(&variable)
    }

    /// Records the place of a variable.
    pub(super) fn set(&mut self, variable: VariableId, place: Place) {
        self.places.insert(variable, place);
    }

    /// The types that type parameters stand for.
    pub(super) fn substitution(&self) -> &Rc<Substitution> {
        &self.substitution
    }

    /// Replaces the types that type parameters stand for, and returns the previous ones.
    pub(super) fn substitute(&mut self, substitution: Rc<Substitution>) -> Rc<Substitution> {
        std::mem::replace(&mut self.substitution, substitution)
    }
}
