//! How the other cases of a type are written where a pattern names one of them.
//!
//! A message about an incomplete match names missing cases. It uses the qualifier that the match itself uses, so that what it
//! proposes is a case, not a variable that matches everything.

use crate::checker::Checker;
use clef_base::Symbol;
use clef_psg::PatternId;
use clef_scopes::{PatternMeaning, TypeMeaning};
use clef_syntax::{ast::Name, print::quoted};
use clef_types::CaseId;

impl Checker<'_> {
    /// Records the qualifier of the names in a pattern: of a case, of an enum value, or of the fields of a record.
    pub(crate) fn qualify_others(&mut self, pattern: PatternId, qualifier: &[Name], case: Option<CaseId>) {
        if self.input.library {
            return;
        }
        let qualifier = match (qualifier, case) {
            ([], Some(case)) => self.qualifier_of_hidden(case),
            ([], None) => None,
            (written, _) => {
                let parts: Vec<String> = written.iter().map(|name| quoted(name.symbol.as_str()).into_owned()).collect();
                Some(Symbol::new(&parts.join(".")))
            }
        };
        if let Some(qualifier) = qualifier {
            self.deferred.qualifiers.insert(pattern, qualifier);
        }
    }

    /// The type of a case in scope, if the name of another case of that type means something else here.
    fn qualifier_of_hidden(&self, case: CaseId) -> Option<Symbol> {
        let owner = self.graph.psg.cases[case].owner;
        let declared = &self.graph.psg.declared_types[owner];
        let is_hidden = |other: &&CaseId| {
            let meaning = self.names.patterns.shown(self.graph.psg.cases[**other].name).map(|entry| entry.meaning);
            !matches!(meaning, Some(PatternMeaning::Case(found)) if found == **other)
        };
        declared.cases.iter().find(is_hidden)?;
        let meaning = self.names.types.shown(declared.name).map(|entry| &entry.meaning);
        let in_scope = matches!(meaning, Some(TypeMeaning::Declared(found)) if *found == owner);
        in_scope.then(|| Symbol::new(&quoted(declared.name.as_str())))
    }
}
