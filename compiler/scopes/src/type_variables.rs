//! The type variables that the source names: `'a`.

use clef_base::{HashMap, Span, Symbol};
use clef_infer::Ty;

/// The kind of a type variable or parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Of types.
    Type,
    /// Of units of measure.
    Measure,
}

/// A type variable that the source names.
#[derive(Clone)]
pub struct NamedType {
    /// Its type.
    pub ty: Ty,
    /// Its kind, once a use determines it.
    pub kind: Option<Kind>,
    /// Its first occurrence.
    pub span: Span,
}

/// Named type variables by their names, without the quote.
pub type NamedTypes = HashMap<Symbol, NamedType>;

/// The named type variables in scope: a table for each binding or type declaration, the innermost last.
#[derive(Clone, Default)]
pub struct TypeScopes(Vec<NamedTypes>);

impl TypeScopes {
    /// Enters a scope with some type variables in it.
    pub fn enter(&mut self, names: NamedTypes) {
        self.0.push(names);
    }

    /// Leaves the innermost scope, and returns its type variables.
    pub fn leave(&mut self) -> NamedTypes {
        self.0.pop().unwrap_or_default()
    }

    /// Declares a type variable in the innermost scope.
    pub fn declare(&mut self, name: Symbol, named: NamedType) {
        if let Some(names) = self.0.last_mut() {
            names.insert(name, named);
        }
    }

    /// The type variable in scope.
    pub fn find(&mut self, name: Symbol) -> Option<&mut NamedType> {
        self.0.iter_mut().rev().find_map(|names| names.get_mut(&name))
    }
}
