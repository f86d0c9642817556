//! Scopes: the modules of a program, the names in scope, and what they mean.
//!
//! In: declarations and `open`s, in the order of the source, as the checker reads them. Out: the meaning of a name or of a
//! dotted name where it is used, and whether it is visible there; for editors, the uses of each entity.
//!
//! - `meaning`: what a name can mean in an expression, in a pattern and in a type.
//! - `builtin`, `language`: what the language itself defines.
//! - `module`: modules, which keep their declarations for `open` and for dotted names.
//! - `scope`: the names in scope of one kind, a table with an undo log.
//! - `names`: all modules and scopes, and how names are looked up.
//! - `type_variables`: the type variables in scope that the source names.
//! - `recording`: what names mean, as the checker found it.
//!
//! Holds:
//!
//! - A name is looked up from the innermost scope outwards. A dotted name tries each module of its first segment, the latest
//!   first, so that `module String` in a program extends that of the library.
//! - A lookup marks the `open` that brought the name into scope as used; listing all names does not.
//! - A module keeps its number.
//!
//! This crate reports nothing and infers nothing: types are only stored.

mod builtin;
pub mod builtin_facts;
mod language;
mod meaning;
mod module;
mod names;
mod recording;
mod scope;
mod type_variables;

pub use builtin::{Builtin, Printf};
pub use meaning::{Meaning, Member, PatternMeaning, TypeMeaning};
pub use module::{Entry, Module, ModuleId, Owner, Visibility};
pub use names::{Mark, Names};
pub use recording::{Entity, Place, Recording, Use, Watched};
pub use scope::Scoped;
pub use type_variables::{Kind, NamedType, NamedTypes, TypeScopes};
