//! `clefc target show` and `clefc board show`.

use crate::{cli::Show, commands::Outcome};
use clef_base::FileId;
use clef_descriptors::ResolvedLine;
use clef_host::output;
use clef_session::Session;

/// Shows a target.
pub(crate) fn target(session: &mut Session, show: &Show) -> Outcome {
    let described = session.resolver().target(&show.name)?;
    print(session, show, described.file, &described.lines)
}

/// Shows a board.
pub(crate) fn board(session: &mut Session, show: &Show) -> Outcome {
    let described = session.resolver().board(&show.name)?;
    print(session, show, described.file, &described.lines)
}

/// Prints the file as it is written, or all values with their locations.
fn print(session: &Session, show: &Show, file: FileId, lines: &[ResolvedLine]) -> Outcome {
    let file = session.sources.file(file);
    let text = if show.resolved { resolved(lines) } else { format!("# {}\n{}", file.name, file.text) };
    output::print(&text)?;
    Ok(0)
}

/// The column where comments start; a longer value pushes its comment to the right.
const COMMENT_COLUMN: usize = 60;

/// YAML with the origin of each value as a comment.
fn resolved(lines: &[ResolvedLine]) -> String {
    let mut text = String::new();
    for ResolvedLine { text: value, origin } in lines {
        match origin {
            Some(origin) => text.push_str(&format!("{value:COMMENT_COLUMN$}  # {origin}\n")),
            None => text.push_str(&format!("{value}\n")),
        }
    }
    text
}
