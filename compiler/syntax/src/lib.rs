//! Source text to syntax tree.
//!
//! Four pure steps: [`lexer`] (text → tokens), [`habits`] (tokens → tokens without what other languages write),
//! [`offside`] (tokens → tokens with the layout made explicit) and [`parser`] (tokens → [`ast::Ast`]). None fails: each
//! returns what it could make, and diagnostics.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a phase that looks at tokens asks for a few kinds among many; trees are matched exhaustively elsewhere"
)]

pub mod ast;
pub mod dump;
pub mod habits;
pub mod lexer;
pub mod list;
pub mod offside;
pub mod parser;
pub mod places;
pub mod print;
pub mod token;

use ast::Ast;
use clef_base::{Diagnostic, FileId, SourceMap, diagnostic::without_consequences};

/// Reads one file of `sources`: its tree, and the diagnostics of all steps in the order of the steps,
/// but for those that follow from an error of an earlier step.
pub fn parse(sources: &SourceMap, file: FileId) -> (Ast, Vec<Diagnostic>) {
    let text = &sources.file(file).text;
    let (tokens, mut diagnostics) = lexer::lex(file, text);
    let (tokens, habits) = habits::translate(text, tokens);
    let (tokens, layout) = offside::lay_out(tokens);
    let (ast, syntax) = parser::parse_tokens(file, tokens);
    diagnostics.extend(without_consequences(sources, &diagnostics, habits));
    diagnostics.extend(without_consequences(sources, &diagnostics, layout));
    diagnostics.extend(without_consequences(sources, &diagnostics, syntax));
    (ast, diagnostics)
}
