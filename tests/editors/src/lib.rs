//! What editors know of Clef, beside the compiler.
//!
//! - `tree`: the trees of the tree-sitter grammar and of the compiler's parser, as outlines that can be compared.
//! - `highlighting`: the grammars of editors without tree-sitter, written from the compiler's tables of tokens.
//! - `queries`: the queries of the tree-sitter grammar in the words of other editors.
//! - `vocabulary`: those tables, and the names of the library.

pub mod highlighting;
pub mod queries;
pub mod tree;
pub mod vocabulary;
