//! Inference of bindings and operands: generalisation, polymorphic recursion, literals, products, and the report of mismatches.

pub(crate) mod generalise;
pub(crate) mod literal_operands;
pub(crate) mod mismatch;
mod numbers;
pub(crate) mod polymorphic;
pub(crate) mod products;
