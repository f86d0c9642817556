//! Storage assignment: where closures, cells, arrays and nodes are stored, and for how long.
//!
//! In: simplified Core. Out: Core in which every allocation has a storage with its reason, and a region if that is its
//! storage; bounds of the memory in regions; and the errors of interrupt handlers, which must not access memory in an
//! inconsistent state. Sizes are not known here: computing bounds asks the layouts of a target.

pub mod interrupt;
pub mod place;
pub mod placement;
pub mod region;
pub mod timer;
