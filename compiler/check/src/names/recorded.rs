//! What names mean, kept for editors: qualifiers, types, and the watched name.

use crate::checker::Checker;
use clef_base::{Span, Symbol};
use clef_psg::NodeId;
use clef_scopes::{Entity, Entry, Place, TypeMeaning};
use clef_syntax::ast::{Name, Path};

impl Checker<'_> {
    /// Records the modules and types before the last segment of a path.
    pub(crate) fn record_qualifier(&mut self, segments: &[Name]) {
        if !self.recording.on {
            return;
        }
        let symbols: Vec<Symbol> = segments.iter().map(|segment| segment.symbol).collect();
        for (index, segment) in segments.iter().enumerate() {
            if let Some(&module) = self.names.find_modules(&symbols[..=index]).first() {
                self.recording.used(segment.span, Entity::of_module(module));
            } else if let Some(entry) = self.type_meaning(&symbols[..=index]) {
                self.recording.type_used(*segment, &entry);
            }
        }
    }

    /// Records a path that names a type.
    pub(crate) fn record_type(&mut self, path: &Path, entry: &Entry<TypeMeaning>) {
        if let Some((last, qualifier)) = path.segments.split_last() {
            self.record_qualifier(qualifier);
            self.recording.type_used(*last, entry);
        }
    }

    /// Keeps the names in scope, if a path contains the watched name.
    pub(crate) fn watch_path(&mut self, path: &Path, place: fn(Vec<Symbol>) -> Place) {
        if let Some(qualifier) = self.recording.watched_in(path) {
            self.recording.found(place(qualifier), &self.names);
        }
    }

    /// Keeps the type of a value, if the name after the dot is the watched one.
    pub(crate) fn watch_member(&mut self, target: NodeId, name: Name) {
        if self.recording.watches(name.symbol) {
            let ty = self.graph.type_of(target);
            let members = self.member_entities(&ty);
            self.recording.found(Place::Member(ty, members), &self.names);
        }
    }

    /// Records the declarations of the variables that the source names. Before: `sources` has the files of all variables
    /// since the last call.
    pub(crate) fn record_variables(&mut self) {
        if !self.recording.on {
            return;
        }
        let sources = self.input.sources;
        for (id, variable) in self.graph.psg.variables.iter().skip(self.recording.variables) {
            let Span { start, end, .. } = variable.span;
            let is_written = start < end && sources.text(variable.span).trim_matches('`') == variable.name.as_str();
            if is_written {
                self.recording.declared(variable.span, Entity::Variable(id));
            }
        }
        self.recording.variables = self.graph.psg.variables.len();
    }
}
