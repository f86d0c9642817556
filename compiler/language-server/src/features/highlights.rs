//! Highlights: where the name at the cursor is used in its file.

use crate::view::View;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Position};

/// The uses of the name at a position in its file.
pub(crate) fn highlights(view: &View<'_>, position: Position) -> Option<Vec<DocumentHighlight>> {
    let name = view.name_at(position)?;
    let lines = view.lines();
    let uses = view.index.uses_in(view.file).iter().filter(|other| other.entity == name.entity);
    let highlight = |declares| if declares { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ };
    let highlights =
        uses.map(|other| DocumentHighlight { range: lines.range(other.span), kind: Some(highlight(other.declares)) });
    Some(highlights.collect())
}
