//! Expressions, one construct in each file. `dispatch` selects the file of an expression.

pub(crate) mod apply;
pub(crate) mod arrays;
pub(crate) mod comprehensions;
pub(crate) mod control;
pub(crate) mod dispatch;
pub(crate) mod for_in;
pub(crate) mod formats;
pub(crate) mod indexing;
pub(crate) mod interpolation;
pub(crate) mod lambda;
pub(crate) mod lazy;
pub(crate) mod lists;
pub(crate) mod literals;
pub(crate) mod members;
pub(crate) mod operators;
pub(crate) mod pipeline;
pub(crate) mod printf;
pub(crate) mod ranges;
pub(crate) mod records;
pub(crate) mod sequence;
pub(crate) mod unsupported;
