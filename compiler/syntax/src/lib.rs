//! Source text to syntax tree.
//!
//! Four pure steps: [`lexer`] (source text → tokens), [`habits`] (tokens → tokens without syntax of other languages),
//! [`offside`] (tokens → tokens with explicit layout) and [`parser`] (tokens → [`ast::Ast`]). None fails: each returns
//! the result it could produce, and diagnostics.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "code that matches on tokens handles a few of many kinds; trees are matched exhaustively elsewhere"
)]

pub mod ast;
pub mod bindings;
mod disguise;
pub mod dump;
pub mod elsewhere;
pub mod entry;
pub mod habits;
pub mod joining;
pub mod lexer;
pub mod list;
pub mod offside;
pub mod parser;
pub mod places;
pub mod print;
pub mod token;
pub mod written;

use ast::{Ast, ExprKind, Unsupported};
use clef_base::{
    Diagnostic, FileId, SourceMap,
    diagnostic::{has_errors, without_consequences},
};

/// Parses one file of `sources`. Returns its tree and the diagnostics of all steps in their order, without those that
/// follow from an error of an earlier step. Syntax of other languages is looked for only if the file does not parse as
/// it is, or has blocks in braces after a name, which are no expressions of Clef.
pub fn parse(sources: &SourceMap, file: FileId) -> (Ast, Vec<Diagnostic>) {
    parse_in_steps(sources, file, &mut |_| ())
}

/// Like [`parse`], and calls a function with the name of each step when it starts.
pub fn parse_in_steps(
    sources: &SourceMap,
    file: FileId,
    enter: &mut dyn FnMut(&'static str),
) -> (Ast, Vec<Diagnostic>) {
    let text = &sources.file(file).text;
    enter("lex");
    let (tokens, mut diagnostics) = lexer::lex(file, text, &|name| sources.is_defined(file, name));
    diagnostics.extend(without_consequences(sources, &diagnostics, disguise::check(file, text, &tokens)));
    let mut reading = read(file, tokens.clone(), enter);
    if has_errors(&reading.layout) || has_errors(&reading.syntax) || has_computations(&reading.ast) {
        let (translated, habits) = habits::translate(text, tokens);
        if !habits.is_empty() {
            reading = read(file, translated, enter);
            diagnostics.extend(without_consequences(sources, &diagnostics, habits));
        }
    }
    diagnostics.extend(without_consequences(sources, &diagnostics, reading.layout));
    diagnostics.extend(without_consequences(sources, &diagnostics, reading.syntax));
    (reading.ast, diagnostics)
}

/// Whether a tree has computation expressions that Clef does not have, such as `fn main() { … }`.
fn has_computations(ast: &Ast) -> bool {
    let mut kinds = ast.exprs.iter().map(|(_, expr)| &expr.kind);
    kinds.any(|kind| matches!(kind, ExprKind::Unsupported(Unsupported::ComputationExpression)))
}

/// The result of lexing and layout.
struct Reading {
    ast: Ast,
    layout: Vec<Diagnostic>,
    syntax: Vec<Diagnostic>,
}

fn read(file: FileId, tokens: Vec<token::Token>, enter: &mut dyn FnMut(&'static str)) -> Reading {
    enter("lay out");
    let (tokens, layout) = offside::lay_out(tokens);
    enter("parse");
    let (ast, syntax) = parser::parse_tokens(file, tokens);
    Reading { ast, layout, syntax }
}
