//! Tokens to the syntax tree, by recursive descent; operators by precedence climbing.
//!
//! In: the tokens of one file with their layout made explicit. Out: an [`Ast`] in which every index is valid, and
//! diagnostics. Never fails: what cannot be parsed is an `Error` node, whose diagnostic exists. Each construct that
//! Clef refuses is skipped as a whole and left in the tree by name, for the type checker to report.
//!
//! No path from the root of the tree to a leaf is longer than [`MAX_DEPTH`]: a file that nests deeper is reported once
//! and its rest is not read. So phases may walk the tree recursively.

mod application;
mod atoms;
mod attributes;
mod bindings;
mod blocks;
mod braces;
mod collections;
mod control;
mod cursor;
mod declarations;
mod expressions;
mod loops;
mod mentions;
pub(crate) mod operators;
mod patterns;
mod patterns_atomic;
mod recovery;
mod recursive_module;
mod refused;
mod tree;
mod type_declarations;
mod type_declarations_body;
mod types;
mod unit_groups;

use crate::{ast::Ast, token::Token};
use clef_base::{Diagnostic, FileId};

/// The longest path from the root of a tree that is built to a leaf.
pub const MAX_DEPTH: usize = 1000;

/// How deep brackets, blocks and constructs within each other are read. Less than [`MAX_DEPTH`], which also holds
/// chains such as `a + b + …`, because reading a level takes more stack than walking one: at this depth it stays well
/// below 2 MiB.
pub const MAX_NESTING: usize = 400;

/// At most so many diagnostics are made per file.
const MOST_DIAGNOSTICS: usize = 50;

/// Makes the tree of a file from its laid-out tokens.
pub fn parse_tokens(file: FileId, tokens: Vec<Token>) -> (Ast, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, tokens);
    parser.file();
    (parser.ast, parser.diagnostics)
}

/// The state of a run.
struct Parser {
    /// The tokens; the last one is the end of the file.
    tokens: Vec<Token>,
    /// Index of the next token.
    position: usize,
    ast: Ast,
    heights: tree::Heights,
    diagnostics: Vec<Diagnostic>,
    /// How many constructs are open.
    depth: usize,
    /// Whether the nesting was too deep, so that nothing further is read or reported.
    abandoned: bool,
    /// The position of the last report: there is at most one per token.
    reported: Option<usize>,
    /// Where fields of a record copy start: a line that starts there is no argument of the field before it.
    field_column: Option<u32>,
}
