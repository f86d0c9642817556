//! Projects: the one that a command line names, with its dependencies.
//!
//! [`find`] finds the project file that a path names, and [`order`] reads it with its dependencies.

mod find;
pub(crate) mod order;

pub use find::{here, is_here, is_project, manifest};
