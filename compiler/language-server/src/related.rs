//! Uses in the other programs of a project: those of its tests, and for a test the project itself.
//!
//! In: an entity of a program. Out: its uses in files that are not part of that program, from checks that are made for it. Holds: an
//! entity is the same in two programs if it is declared at the same place.

use crate::{
    check::{Checked, Libraries},
    documents::Documents,
    view::View,
    workspace::Unit,
};
use clef_base::Span;
use clef_check::{Entity, Use};

/// A program of the same project, with uses of an entity that are only in it.
pub(crate) struct Related {
    pub(crate) checked: Checked,
    pub(crate) uses: Vec<Use>,
}

/// The uses of an entity in the other programs of its project.
pub(crate) fn related(view: &View<'_>, entity: Entity) -> Vec<Related> {
    let is_local = matches!(entity, Entity::Variable(variable) if !view.index.is_global(variable));
    let Some(declared) = view.index.declaration(entity) else { return Vec::new() };
    if is_local || view.is_of_library(declared.file) {
        return Vec::new();
    }
    let mut libraries = Libraries::with(view.library());
    let others = view.unit.siblings().into_iter();
    others.filter_map(|unit| in_unit(view, &mut libraries, unit, declared)).collect()
}

fn in_unit(view: &View<'_>, libraries: &mut Libraries, unit: Unit, declared: Span) -> Option<Related> {
    let checked = libraries.check(unit, view.documents);
    let file = checked.file(view.path(declared.file))?;
    let index = &checked.program.as_ref()?.analysis.index;
    let entity = index.at(file, declared.start).filter(|name| name.span.start == declared.start)?.entity;
    let is_own = |name: &&Use| view.file_with(&checked.paths[name.span.file.0 as usize]).is_none();
    let uses = index.uses_of(entity).filter(is_own).copied().collect();
    Some(Related { checked, uses })
}

/// Checks a program again, with other texts of documents. Returns the number of its errors.
pub(crate) fn errors_with(view: &View<'_>, related: &Related, documents: &Documents) -> usize {
    errors(&Libraries::with(view.library()).check(related.checked.unit.clone(), documents))
}

/// The number of errors of a check.
pub(crate) fn errors(checked: &Checked) -> usize {
    checked.diagnostics.iter().filter(|one| one.severity == clef_base::Severity::Error).count()
}
