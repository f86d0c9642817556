//! References: where a name is used.
//!
//! In: a position. Out: places in the program, in the library, and in the tests of the project, in order.

use crate::{positions::Lines, related, view::View};
use lsp_types::{Location, ReferenceParams};

/// The uses of the name at a position, with its declaration if that is wanted.
pub(crate) fn references(view: &View<'_>, params: &ReferenceParams) -> Option<Vec<Location>> {
    let name = view.name_at(params.text_document_position.position)?;
    let with_declaration = params.context.include_declaration;
    let uses = view.index.uses_of(name.entity).filter(|name| with_declaration || !name.declares);
    let mut found: Vec<Location> = uses.filter_map(|name| view.location(name.span)).collect();
    for related in related::related(view, name.entity) {
        for name in related.uses.iter().filter(|name| with_declaration || !name.declares) {
            let file = name.span.file;
            let lines = Lines::new(&related.checked.sources.file(file).text, view.client.encoding);
            let uri = view.documents.uri(&related.checked.paths[file.0 as usize]);
            found.extend(uri.map(|uri| Location { uri, range: lines.range(name.span) }));
        }
    }
    Some(found)
}
