//! Patterns, and the variables that they bind.

pub(crate) mod case_fields;
pub(crate) mod pattern;
pub(crate) mod qualifiers;
