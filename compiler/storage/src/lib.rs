//! Storage assignment: where closures, cells, arrays and nodes lie, and for how long.
//!
//! In: simplified Core. Out: Core in which every allocation has a storage with its reason, and each that lies in a region has
//! the region; bounds of what regions hold; and the errors of interrupt handlers, which must not meet memory half changed.
//! Sizes are not known here: a target's layouts are asked where bounds are computed.

pub mod interrupt;
pub mod place;
pub mod region;
pub mod timer;
