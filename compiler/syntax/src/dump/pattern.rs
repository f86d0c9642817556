//! Listings of patterns.

use super::{Dumper, collection_text, literal_text, path_text};
use crate::ast::{PatternId, PatternKind};

impl Dumper<'_> {
    fn patterns(&mut self, text: impl std::fmt::Display, patterns: &[PatternId]) {
        self.node(text, |dumper| patterns.iter().for_each(|pattern| dumper.pattern(*pattern)));
    }

    pub(super) fn pattern(&mut self, pattern: PatternId) {
        let ast = self.ast;
        match &ast.patterns[pattern].kind {
            PatternKind::Error => self.line("pattern error"),
            PatternKind::Unsupported(what) => self.line(format!("pattern unsupported {what:?}")),
            PatternKind::Wildcard => self.line("pattern _"),
            PatternKind::Name(name) => self.line(format!("pattern {}", name.symbol)),
            PatternKind::Literal { literal, negative, measure } => {
                let minus = if *negative { "-" } else { "" };
                self.node(format!("pattern literal {minus}{}", literal_text(literal)), |dumper| {
                    measure.iter().for_each(|measure| dumper.type_expr(*measure));
                });
            }
            PatternKind::Case { path, argument } => self.node(format!("pattern case {}", path_text(path)), |dumper| {
                argument.iter().for_each(|argument| dumper.pattern(*argument));
            }),
            PatternKind::Tuple(parts) => self.patterns("pattern tuple", parts),
            PatternKind::StructTuple(parts) => self.patterns("pattern struct tuple", parts),
            PatternKind::Record(fields) => self.node("pattern record", |dumper| {
                for (path, pattern) in fields {
                    dumper.patterns(format!("field {}", path_text(path)), &[*pattern]);
                }
            }),
            PatternKind::Fields(fields) => self.node("pattern fields", |dumper| {
                for (name, pattern) in fields {
                    dumper.patterns(format!("field {}", name.symbol), &[*pattern]);
                }
            }),
            PatternKind::Collection { kind, elements } => {
                self.patterns(format!("pattern {}", collection_text(*kind)), elements);
            }
            PatternKind::Cons { head, tail } => self.patterns("pattern ::", &[*head, *tail]),
            PatternKind::As { pattern, name } => self.patterns(format!("pattern as {}", name.symbol), &[*pattern]),
            PatternKind::Or(left, right) => self.patterns("pattern |", &[*left, *right]),
            PatternKind::And(left, right) => self.patterns("pattern &", &[*left, *right]),
            PatternKind::Annotated { pattern, annotation } => self.node("pattern annotated", |dumper| {
                dumper.pattern(*pattern);
                dumper.type_expr(*annotation);
            }),
        }
    }
}
