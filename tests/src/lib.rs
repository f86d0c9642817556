//! The tests of the whole.
