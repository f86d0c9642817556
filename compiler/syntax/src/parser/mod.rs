//! Tokens to the syntax tree, by recursive descent; operators by precedence climbing.
//!
//! In: the tokens of one file with explicit layout. Out: an [`Ast`] in which every index is valid, and diagnostics.
//! Parsing never fails: a syntax error becomes an `Error` node with a diagnostic. Each unsupported construct is skipped
//! as a whole and kept in the tree by name, for the type checker to report.
//!
//! No path from the root of the tree to a leaf is longer than [`MAX_DEPTH`]: deeper nesting is reported once and the
//! rest of the file is not parsed. So phases may walk the tree recursively.

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
mod names;
pub mod operators;
mod patterns;
mod patterns_atomic;
mod recovery;
mod recursive_module;
mod tree;
mod type_declarations;
mod type_declarations_body;
mod types;
mod unit_groups;
mod unsupported;

use crate::{
    ast::{Ast, ExprId},
    token::Token,
};
use clef_base::{Diagnostic, FileId, HashSet, diagnostic::has_errors};

/// The maximum length of a path from the root of the tree to a leaf.
pub const MAX_DEPTH: usize = 1000;

/// The maximum nesting of brackets, blocks and constructs. It is less than [`MAX_DEPTH`], which also bounds chains such
/// as `a + b + …`, because parsing a level takes more stack than walking one: at this depth it stays well below 2 MiB.
pub const MAX_NESTING: usize = 400;

/// The maximum number of diagnostics per file.
const MAX_DIAGNOSTICS: usize = 50;

/// Parses a file from its laid-out tokens.
pub fn parse_tokens(file: FileId, tokens: Vec<Token>) -> (Ast, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, tokens);
    parser.file();
    parser.ast.is_broken = has_errors(&parser.diagnostics);
    (parser.ast, parser.diagnostics)
}

/// The state of the parser.
struct Parser {
    /// The tokens; the last one is the end of the file.
    tokens: Vec<Token>,
    /// Index of the next token.
    position: usize,
    ast: Ast,
    heights: tree::Heights,
    diagnostics: Vec<Diagnostic>,
    /// The number of open constructs.
    depth: usize,
    /// Whether the nesting was too deep; then nothing further is parsed or reported.
    abandoned: bool,
    /// The position of the last report: there is at most one per token.
    reported: Option<usize>,
    /// The column of the fields of a record copy: a line that starts there is not an argument of the previous field.
    field_column: Option<u32>,
    /// The expressions in parentheses.
    parenthesised: HashSet<ExprId>,
}
