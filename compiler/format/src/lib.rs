//! Formats source text in the style of Fantomas, the formatter of F#.
//!
//! In: the text of a file, and optionally which of its lines to format. Out: the formatted text, or diagnostics. The
//! result has the same tokens except for semicolons and first bars that line ends replace, the same comments in the same
//! order, and the same tree; each call checks that, and reports a defect otherwise. Formatting again changes nothing.
//!
//! - [`pieces`]: the tokens with their text, and the comments before them.
//! - [`spacing`]: the white space between two tokens on a line.
//! - [`layout`]: where lines end, and how they are indented.
//! - [`verify`]: whether the meaning is the same.
//!
//! Items with `#if` in or around them are kept as they are.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "code that matches on tokens handles a few of many kinds, and layout treats most kinds of nodes alike"
)]

mod difference;
mod layout;
mod pieces;
mod spacing;
mod verify;

pub use difference::difference;

use clef_base::{Diagnostic, FileId, SourceMap, diagnostic::has_errors};
use clef_syntax::lexer;
use std::ops::Range;

/// Formats a file of `sources`, or its items that touch `lines` (from one). Returns the text.
///
/// # Errors
/// The diagnostics of a file that does not parse, or one of a defect of the formatter.
pub fn format(sources: &SourceMap, file: FileId, lines: Option<Range<usize>>) -> Result<String, Vec<Diagnostic>> {
    let text = &sources.file(file).text;
    let (ast, diagnostics) = clef_syntax::parse(sources, file);
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    let (tokens, _) = lexer::lex(file, text, &|name| sources.is_defined(file, name));
    let pieces = pieces::divide(text, tokens);
    let spaces = spacing::spaces(&ast, &pieces);
    let formatted = layout::lay_out(&ast, text, &pieces, &spaces, lines);
    verify::same(sources, file, &ast, &pieces, &formatted).map_err(|defect| vec![*defect])?;
    Ok(formatted)
}

/// Formats a generated text. One that cannot be formatted stays as it is.
pub fn generated(text: String) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("generated.clef", text.as_str());
    format(&sources, file, None).unwrap_or(text)
}
