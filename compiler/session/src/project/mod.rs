//! Projects: the one that a command line names, with its dependencies.
//!
//! [`add`] adds a dependency to one. [`find`] finds the project file that a path names, and [`order`] reads it with its dependencies.

mod add;
mod find;
pub(crate) mod order;

pub use add::{Added, Addition, added};
pub use find::{here, is_here, is_project, manifest};
