//! Formatting, as `clefc fmt` does it.
//!
//! In: a text, and a range of it if not all is to be formatted. Out: edits of the lines that change. A text that does not parse is not
//! formatted; its errors are shown anyway.

use crate::{
    client::Failure,
    positions::{Encoding, Lines},
};
use clef_base::{FileId, SourceMap};
use lsp_types::{Range, TextEdit};

/// The edits that format a file, or the items of it that touch a range.
pub(crate) fn edits(
    sources: &SourceMap,
    file: FileId,
    encoding: Encoding,
    range: Option<Range>,
) -> Result<Vec<TextEdit>, Failure> {
    let text = &sources.file(file).text;
    let lines = range.map(|range| {
        // A range that ends at the start of a line does not contain that line.
        let ends_before = range.end.character == 0 && range.end.line > range.start.line;
        range.start.line as usize + 1..range.end.line as usize + if ends_before { 1 } else { 2 }
    });
    match clef_format::format(sources, file, lines) {
        Ok(formatted) => Ok(difference(text, &formatted, encoding)),
        Err(diagnostics) => {
            let first = diagnostics.first().map_or_else(String::new, |first| format!(": {}", first.message));
            Err(Failure::rejected(format!("the file cannot be formatted{first}")))
        }
    }
}

/// The edit that makes one text of another: of the lines between those that are the same at the start and at the end.
fn difference(old: &str, new: &str, encoding: Encoding) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let same_at_start = old_lines.iter().zip(&new_lines).take_while(|(old, new)| old == new).count();
    let rest = (&old_lines[same_at_start..], &new_lines[same_at_start..]);
    let same_at_end = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(old, new)| old == new).count();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let start = length(&old_lines[..same_at_start]);
    let end = start + length(&rest.0[..rest.0.len() - same_at_end]);
    let lines = Lines::new(old, encoding);
    let range = Range::new(lines.position(start), lines.position(end));
    vec![TextEdit { range, new_text: rest.1[..rest.1.len() - same_at_end].concat() }]
}
