//! What remains when all files are checked: conversions, zeros, interned types, and the analyses that need them.

pub(crate) mod conversions;
pub(crate) mod handlers;
pub(crate) mod origins;
mod priorities;
pub(crate) mod program;
pub(crate) mod zeros;
