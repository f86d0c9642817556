//! Projects: the project that a command line names, with those that it depends on.
//!
//! [`find`] says which project file a path means, and [`order`] reads it with the projects that it depends on.

mod find;
pub(crate) mod order;

pub use find::{here, is_here, is_project, manifest};
