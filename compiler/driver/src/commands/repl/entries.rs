//! From lines to entries.
//!
//! In: lines from a terminal, a pipe or a file. Out: entries and commands. A line that is complete is an entry; one of several
//! lines ends with an empty line, with `;;`, or before a line at the margin that does not continue it. Where the next line is known
//! already, in a file and in pasted text, a complete line goes on if the next continues it, and an empty line ends nothing
//! that an indented one follows.

use super::lines::{Line, Lines};
use clef_base::Diagnostic;
use clef_syntax::entry::{is_complete, is_continued};

/// The prompt of an entry.
const FIRST: &str = "> ";

/// The prompt of its further lines.
const FURTHER: &str = ". ";

/// What is read.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Read {
    /// Source text.
    Entry(String),
    /// A line that begins with a colon, without it.
    Command(String),
    /// The end of the input.
    End,
}

/// Reads the next entry.
pub(super) fn next(lines: &mut Lines) -> Result<Read, Diagnostic> {
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() { FIRST } else { FURTHER };
        let line = match lines.next(prompt)? {
            Line::Text(line) => line,
            Line::Cancelled => {
                text.clear();
                continue;
            }
            Line::End if text.trim().is_empty() => return Ok(Read::End),
            Line::End => return Ok(Read::Entry(text)),
        };
        let written = line.trim_end();
        if text.is_empty() {
            if let Some(command) = written.strip_prefix(':') {
                return Ok(Read::Command(command.to_owned()));
            }
            if written.is_empty() {
                continue;
            }
        } else if !written.is_empty() && is_over(&text, written) {
            lines.put_back(line);
            return Ok(Read::Entry(text));
        }
        if let Some(last) = written.strip_suffix(";;") {
            text.push_str(last);
            return Ok(Read::Entry(text));
        }
        let is_first = text.is_empty();
        text.push_str(written);
        text.push('\n');
        let ends = if is_first { is_complete(&text) } else { written.is_empty() };
        if ends && !goes_on(lines, &text)? {
            return Ok(Read::Entry(text));
        }
    }
}

/// Whether an entry is over before a line.
fn is_over(text: &str, line: &str) -> bool {
    let ends = is_complete(text) || text.ends_with("\n\n");
    ends && (line.starts_with(':') || !is_continued(text, line))
}

/// Whether the next line is known, and may continue an entry.
fn goes_on(lines: &mut Lines, text: &str) -> Result<bool, Diagnostic> {
    let Some(next) = lines.peek()? else { return Ok(false) };
    Ok(next.trim().is_empty() && text.ends_with('\n') && text.lines().count() > 1
        || !next.trim().is_empty() && !is_over(text, &next))
}
