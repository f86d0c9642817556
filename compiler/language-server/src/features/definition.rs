//! Definition: where a name is declared.
//!
//! In: a position. Out: a place in the program, or in the library's files, which are written to the user's cache.

use crate::view::View;
use lsp_types::{GotoDefinitionResponse, Position};

/// Where the name at a position is declared.
pub(crate) fn definition(view: &View<'_>, position: Position) -> Option<GotoDefinitionResponse> {
    let name = view.name_at(position)?;
    let declared = view.index.declaration(name.entity)?;
    view.location(declared).map(GotoDefinitionResponse::Scalar)
}
