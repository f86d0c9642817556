//! What can be asked of a function.

use super::{Convention, Function, LocalId};
use crate::types::{Type, TypeKind, Types};

impl Function {
    /// The locals that hold a closure's captures; none for a known function.
    pub fn captures(&self) -> &[LocalId] {
        match &self.convention {
            Convention::Known | Convention::Exported(_) => &[],
            Convention::Closure { captures, .. } => captures,
        }
    }

    /// The local that holds the closure itself.
    pub fn itself(&self) -> Option<LocalId> {
        match &self.convention {
            Convention::Known | Convention::Exported(_) => None,
            Convention::Closure { itself, .. } => *itself,
        }
    }

    /// The type that a closure of the function has: from its explicit parameters to its result.
    pub fn closure_type(&self, types: &mut Types) -> Type {
        let params = self.params[self.lifted..].iter().rev();
        params.fold(self.result, |result, param| types.intern(TypeKind::Function(self.locals[*param].ty, result)))
    }
}
