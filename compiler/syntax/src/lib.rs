//! Source text to syntax tree.
//!
//! Three pure steps: [`lexer`] (text → tokens), [`offside`] (tokens → tokens with the layout made explicit) and
//! [`parser`] (tokens → [`ast::Ast`]). None fails: each returns what it could make, and diagnostics.

pub mod ast;
pub mod lexer;
pub mod list;
pub mod offside;
pub mod token;
