//! Definition: where a name is declared.
//!
//! In: a position. Out: a place in the program, or in the library's files, which are written to the user's cache. What the language
//! itself defines is on a page among these files.

use crate::{
    features::{cursor, hover},
    view::View,
};
use clef_check::Entity;
use clef_documentation::language::Defined;
use lsp_types::{GotoDefinitionResponse, Location, Position};

/// Where the name at a position is declared.
pub(crate) fn definition(view: &View<'_>, position: Position) -> Option<GotoDefinitionResponse> {
    declared(view, position).map(GotoDefinitionResponse::Scalar)
}

fn declared(view: &View<'_>, position: Position) -> Option<Location> {
    let Some(name) = view.name_at(position) else {
        let attribute = cursor::attribute(view, view.offset(position) as usize)?;
        return view.location_in_language(Defined::Attribute(&attribute));
    };
    let Entity::Builtin(builtin) = name.entity else { return view.location(view.index.declaration(name.entity)?) };
    let is_type = view.tree().is_some_and(|tree| hover::is_in_type(tree, name.span));
    view.location_in_language(match is_type {
        true => Defined::Type(builtin.as_str()),
        false => Defined::Value(builtin.as_str()),
    })
}
