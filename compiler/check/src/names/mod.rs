//! What names mean: variables and their captures, paths, functions of the language and of the library, and similar names for errors.

pub(crate) mod builtin;
pub(crate) mod constants;
pub(crate) mod library;
pub(crate) mod name_of;
pub(crate) mod near;
pub(crate) mod paths;
pub(crate) mod recorded;
pub(crate) mod variables;
