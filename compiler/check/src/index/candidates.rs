//! What the watched name could be: the names in scope where it is, the members of a value, or the fields of a record.

use super::Index;
use clef_base::{HashMap, Symbol};
use clef_infer::{Ty, TypeConstructor};
use clef_scopes::{Entity, Entry, Module, ModuleId, Names, Place, TypeMeaning};
use clef_types::DeclaredTypeId;

/// A name that the watched one could be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The name.
    pub name: Symbol,
    /// What it would refer to.
    pub entity: Entity,
}

impl Index {
    /// The names that could replace the watched one, in alphabetical order. If it was not looked up, because it is where
    /// nothing could be parsed, they are all that an expression at the end of the program could use.
    pub fn candidates(&mut self) -> Vec<Candidate> {
        let (place, names) = match self.watched.take() {
            Some(watched) => (watched.place, watched.names),
            None => (Place::Value(Vec::new()), self.names.clone()),
        };
        let mut found: HashMap<Symbol, Entity> = HashMap::default();
        match place {
            Place::Value(qualifier) if qualifier.is_empty() => self.values_in_scope(&names, &mut found),
            Place::Value(qualifier) => self.qualified(&names, &qualifier, true, &mut found),
            Place::Pattern(qualifier) if qualifier.is_empty() => {
                let patterns = names.patterns.names().filter(|(_, entry)| names.is_visible(entry.visibility));
                found.extend(patterns.map(|(name, entry)| (name, Entity::of_pattern(&entry.meaning))));
                self.modules_and_types(&names, &mut found);
            }
            Place::Pattern(qualifier) => self.qualified(&names, &qualifier, false, &mut found),
            Place::Type(qualifier) if qualifier.is_empty() => self.modules_and_types(&names, &mut found),
            Place::Type(qualifier) => self.types_of(&names, &qualifier, &mut found),
            Place::Module(qualifier) if qualifier.is_empty() => modules_in_scope(&names, &mut found),
            Place::Module(qualifier) => {
                for module in names.find_modules(&qualifier) {
                    inner_modules(&names, module, &mut found);
                }
            }
            Place::Member(ty, members) => {
                found.extend(members);
                if let Ty::Constructor(TypeConstructor::Declared(declared), _) = self.inference.shallow(&ty) {
                    self.fields(declared, &mut found);
                }
            }
            Place::Field(Some(record)) => self.fields(record, &mut found),
            Place::Field(None) => {
                let records: Vec<DeclaredTypeId> = names.fields.names().map(|(_, entry)| entry.meaning).collect();
                for record in records {
                    self.fields(record, &mut found);
                }
            }
        }
        let mut found: Vec<Candidate> = found
            .into_iter()
            .filter(|(name, _)| is_word(*name))
            .map(|(name, entity)| Candidate { name, entity })
            .collect();
        found.sort_by_key(|candidate| candidate.name);
        found
    }

    /// Whether the watched name was looked up, and its candidates were not asked for yet.
    pub fn has_watched(&self) -> bool {
        self.watched.is_some()
    }

    /// The fields of a case that have names.
    pub fn fields_of(&self, entity: Entity) -> Vec<Candidate> {
        let Entity::Case(case) = entity else { return Vec::new() };
        let fields = self.graph.psg.cases[case].fields.iter().enumerate();
        let named = fields.filter_map(|(index, (name, _))| Some((index, (*name)?)));
        named.map(|(index, name)| Candidate { name, entity: Entity::Field(case, index) }).collect()
    }

    fn values_in_scope(&self, names: &Names, found: &mut HashMap<Symbol, Entity>) {
        self.modules_and_types(names, found);
        let values = names.values.names().filter(|(_, entry)| names.is_visible(entry.visibility));
        found.extend(values.map(|(name, entry)| (name, Entity::of_value(name, &entry.meaning))));
    }

    fn modules_and_types(&self, names: &Names, found: &mut HashMap<Symbol, Entity>) {
        modules_in_scope(names, found);
        let types = names.types.names().filter(|(_, entry)| names.is_visible(entry.visibility));
        found.extend(types.map(|(name, entry)| (name, self.entity_of_type(name, entry))));
    }

    /// What follows a module or a type and a dot.
    fn qualified(&self, names: &Names, qualifier: &[Symbol], values: bool, found: &mut HashMap<Symbol, Entity>) {
        for module in names.find_modules(qualifier).into_iter().rev() {
            inner_modules(names, module, found);
            let Module { values: own, patterns, types, .. } = &names.modules[module];
            let types = types.iter().filter(|(_, entry)| names.is_visible(entry.visibility));
            found.extend(types.map(|(name, entry)| (*name, self.entity_of_type(*name, entry))));
            let patterns = patterns.iter().filter(|(_, entry)| names.is_visible(entry.visibility));
            found.extend(patterns.map(|(name, entry)| (*name, Entity::of_pattern(&entry.meaning))));
            if values {
                let own = own.iter().filter(|(_, entry)| names.is_visible(entry.visibility));
                found.extend(own.map(|(name, entry)| (*name, Entity::of_value(*name, &entry.meaning))));
            }
        }
        if let Some(entry) = type_in(names, qualifier) {
            self.cases(&entry.meaning, found);
        }
    }

    fn types_of(&self, names: &Names, qualifier: &[Symbol], found: &mut HashMap<Symbol, Entity>) {
        for module in names.find_modules(qualifier).into_iter().rev() {
            inner_modules(names, module, found);
            let types = names.modules[module].types.iter().filter(|(_, entry)| names.is_visible(entry.visibility));
            found.extend(types.map(|(name, entry)| (*name, self.entity_of_type(*name, entry))));
        }
    }

    fn entity_of_type(&self, name: Symbol, entry: &Entry<TypeMeaning>) -> Entity {
        let declared = self.named.get(&(entry.visibility.module, name)).copied();
        Entity::of_type(name, &entry.meaning, declared)
    }

    /// The cases of a union, and the values of an enum.
    fn cases(&self, meaning: &TypeMeaning, found: &mut HashMap<Symbol, Entity>) {
        let psg = &self.graph.psg;
        match meaning {
            TypeMeaning::Declared(declared) => {
                let cases = &psg.declared_types[*declared].cases;
                found.extend(cases.iter().map(|&case| (psg.cases[case].name, Entity::Case(case))));
            }
            TypeMeaning::Simple(Ty::Constructor(TypeConstructor::Enum(id, _), _)) => {
                let values = psg.enums[*id].values.iter().enumerate();
                found.extend(values.map(|(index, value)| (value.name, Entity::EnumValue(*id, index))));
            }
            TypeMeaning::Simple(_)
            | TypeMeaning::Reference
            | TypeMeaning::Array
            | TypeMeaning::NativePointer
            | TypeMeaning::Abbreviation(..)
            | TypeMeaning::Measure(_) => {}
        }
    }

    fn fields(&self, record: DeclaredTypeId, found: &mut HashMap<Symbol, Entity>) {
        let psg = &self.graph.psg;
        let described = &psg.declared_types[record];
        if described.kind != clef_types::DeclaredKind::Record {
            return;
        }
        for &case in &described.cases {
            let fields = psg.cases[case].fields.iter().enumerate();
            found.extend(fields.filter_map(|(index, (name, _))| Some(((*name)?, Entity::Field(case, index)))));
        }
    }
}

fn type_in<'a>(names: &'a Names, path: &[Symbol]) -> Option<&'a Entry<TypeMeaning>> {
    let (name, qualifier) = path.split_last()?;
    if qualifier.is_empty() {
        return names.types.get(*name);
    }
    names.find_modules(qualifier).into_iter().find_map(|module| names.modules[module].types.get(name))
}

fn modules_in_scope(names: &Names, found: &mut HashMap<Symbol, Entity>) {
    let modules = names.open_modules.names().filter(|(_, module)| is_of_use(names, **module));
    found.extend(modules.map(|(name, module)| (name, Entity::of_module(*module))));
}

fn inner_modules(names: &Names, module: ModuleId, found: &mut HashMap<Symbol, Entity>) {
    let modules = names.modules[module].modules.iter().filter(|(_, inner)| is_of_use(names, **inner));
    found.extend(modules.map(|(name, inner)| (*name, Entity::of_module(*inner))));
}

/// Whether the name of a module is of use: it is visible, and not one of the library whose names are in scope anyway.
fn is_of_use(names: &Names, module: ModuleId) -> bool {
    let Module { library, auto_open, visibility, path, .. } = &names.modules[module];
    let is_visible = visibility.is_none_or(|visibility| names.is_visible(visibility));
    is_visible && !(*library && (*auto_open || path == "Printf"))
}

/// Whether a name can be typed as one word, or needs backquotes: operators and generated names cannot.
fn is_word(name: Symbol) -> bool {
    let text = name.as_str();
    !text.contains('$') && text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}
