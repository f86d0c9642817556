//! Code that all phases share: source text and spans, interned names, quantities with their units, and diagnostics
//! as data with their renderer.
//!
//! `base` depends on no other crate of the compiler, and reads no file: source text is passed in as strings.

pub mod codes;
mod components;
pub mod diagnostic;
pub mod internal;
pub mod parallel;
pub mod render;
pub mod source;
pub mod suggest;
pub mod symbol;
pub mod units;
pub mod visible;
pub mod words;

pub use codes::Code;
pub use components::strongly_connected_components;
pub use diagnostic::{Diagnostic, Severity};
pub use source::{FileId, SourceMap, Span};
pub use suggest::nearest;
pub use symbol::Symbol;
pub use units::{Address, Bytes, Extent, Hertz};

/// A hash map of the compiler's own keys: numbers, and short texts. Its hash function is fast, and resists no attacks.
pub type HashMap<K, V> = std::collections::HashMap<K, V, rustc_hash::FxBuildHasher>;

/// The hash function of [`HashMap`].
pub use rustc_hash::FxHasher;

/// The same for sets.
pub type HashSet<T> = std::collections::HashSet<T, rustc_hash::FxBuildHasher>;
