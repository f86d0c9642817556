//! The features, one file each. In: a view of a check, or a text. Out: what the editor shows.

pub(crate) mod actions;
pub(crate) mod completion;
pub(crate) mod cursor;
pub(crate) mod definition;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod highlights;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod lenses;
pub(crate) mod memory;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod selection;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod tokens;
