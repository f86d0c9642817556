//! The declarations of a header, in their order: functions and names of types.

use crate::{
    Omission, comment::documentation, constants::Constants, enums, filter::Filter, names, place, records::key,
    types::OPAQUE,
};
use clang::{Entity, EntityKind, Linkage, TypeKind};
use clef_base::{HashMap, HashSet};
use std::fmt::Write as _;

/// What has been bound so far.
pub(crate) struct Binder<'tu> {
    pub(crate) filter: Filter<'tu>,
    /// The texts of the declarations.
    pub(crate) items: Vec<String>,
    /// For structs, enums and names of types, the type of Clef, or why there is none.
    pub(crate) types: HashMap<String, Result<String, String>>,
    /// The structs that are being declared, with their names.
    pub(crate) open: Vec<(String, String)>,
    type_names: HashSet<String>,
    value_names: HashSet<String>,
    /// The names in Clef of all functions and constants, also of those that have not been bound yet.
    all_values: HashSet<String>,
    omissions: Vec<Omission>,
}

impl<'tu> Binder<'tu> {
    /// A binder of the declarations that a filter wants; functions and constants have these names.
    pub(crate) fn new(filter: Filter<'tu>, all_values: HashSet<String>) -> Binder<'tu> {
        Binder {
            filter,
            items: Vec::new(),
            types: HashMap::default(),
            open: Vec::new(),
            type_names: HashSet::default(),
            value_names: HashSet::default(),
            all_values,
            omissions: Vec::new(),
        }
    }

    /// The declarations, and what was left out.
    pub(crate) fn finish(self) -> (Vec<String>, Vec<Omission>) {
        (self.items, self.omissions)
    }

    /// Binds a declaration, if it is wanted.
    pub(crate) fn declaration(&mut self, entity: &Entity<'tu>) {
        let name = entity.get_name().filter(|name| is_name(name));
        if entity.get_kind() == EntityKind::EnumDecl && enums::name(entity).is_none() {
            return self.constants_of_enum(entity);
        }
        if !self.filter.wants(entity, name.as_deref().unwrap_or_default()) {
            return;
        }
        let bound = match (entity.get_kind(), &name) {
            (EntityKind::FunctionDecl, Some(name)) => self.function(entity, name),
            (EntityKind::StructDecl | EntityKind::UnionDecl, Some(name)) => {
                if entity.get_definition().is_none() {
                    return self.opaque(entity, name);
                }
                self.record(entity, name).map(drop)
            }
            (EntityKind::EnumDecl, Some(_)) => self.enumeration(entity, "").map(drop),
            (EntityKind::TypedefDecl, Some(name)) => {
                let bound = self.abbreviation(entity);
                if bound.is_err() && is_opaque(entity) {
                    return self.opaque(entity, name);
                }
                bound.map(drop)
            }
            (EntityKind::VarDecl, Some(_)) => {
                Err("variables of C are not accessible: a function in C can return its address".to_owned())
            }
            _ => return,
        };
        if let (Err(reason), Some(name)) = (bound, name) {
            self.omit(entity, &name, &reason);
        }
    }

    /// Leaves a declaration out.
    pub(crate) fn omit(&mut self, entity: &Entity<'tu>, name: &str, reason: &str) {
        let omission = Omission { name: name.to_owned(), place: place(entity), reason: reason.to_owned() };
        if !self.omissions.contains(&omission) {
            self.items.push(format!("// `{name}` at {} is not bound: {reason}.\n", omission.place));
            self.omissions.push(omission);
        }
    }

    /// A struct whose fields are unknown.
    fn opaque(&mut self, entity: &Entity<'tu>, name: &str) {
        if self.types.insert(format!("opaque {name}"), Err("it has no definition".to_owned())).is_none() {
            let text = format!("// A pointer to `{name}` at {} is {OPAQUE}: it has no definition.\n", place(entity));
            self.items.push(text);
        }
    }

    /// The type that `typedef` names; declares it if it is not known.
    pub(crate) fn abbreviation(&mut self, declaration: &Entity<'tu>) -> Result<String, String> {
        let key = key(declaration);
        if let Some(known) = self.types.get(&key) {
            return known.clone();
        }
        let name = declaration.get_name().ok_or("it has no name")?;
        let underlying = declaration.get_typedef_underlying_type().ok_or("its type is unknown")?;
        let made = match underlying.get_canonical_type().get_kind() {
            TypeKind::Void => Err("it is `void`".to_owned()),
            _ => self.value_type(underlying, &name),
        };
        let made = made.map(|bound| {
            // `typedef struct point { … } point;`
            if bound == names::type_name(&name) {
                return bound;
            }
            let own = self.new_type_name(&name);
            let text = documentation(declaration, "") + &names::renamed(Some(&name), &own);
            self.items.push(format!("{text}type {own} = {bound}\n"));
            own
        });
        self.types.insert(key, made.clone());
        made
    }

    /// A name for a type that no other one has.
    pub(crate) fn new_type_name(&mut self, name: &str) -> String {
        self.new_name(name, |_, _| false)
    }

    /// A name for an enum, which its values are qualified with: no other type has it, and no value.
    pub(crate) fn new_enum_name(&mut self, name: &str) -> String {
        self.new_name(name, |binder, own| binder.all_values.contains(own))
    }

    fn new_name(&mut self, name: &str, is_taken: impl Fn(&Self, &str) -> bool) -> String {
        let mut name = name.to_owned();
        loop {
            let own = names::type_name(&name);
            if !is_taken(self, &own) && self.type_names.insert(own.clone()) {
                return own;
            }
            name.push('_');
        }
    }

    /// Whether a name of a value is new.
    pub(crate) fn new_value_name(&mut self, name: &str) -> bool {
        self.value_names.insert(name.to_owned())
    }

    /// A function.
    fn function(&mut self, entity: &Entity<'tu>, name: &str) -> Result<(), String> {
        if self.value_names.contains(name) {
            return Ok(());
        }
        if !has_symbol(entity) {
            return Err("it is inline or static, so it has no symbol: a function in C can call it".to_owned());
        }
        if entity.is_variadic() && entity.get_type().is_some_and(|ty| ty.get_kind() == TypeKind::FunctionPrototype) {
            return Err(
                "it takes a variable number of arguments: a function in C with fixed ones can call it".to_owned()
            );
        }
        let result = entity.get_result_type().ok_or("its result is unknown")?;
        let (mut parameters, mut names) = (Vec::new(), Vec::new());
        for (index, argument) in entity.get_arguments().unwrap_or_default().iter().enumerate() {
            let own = argument.get_name().filter(|name| is_name(name));
            let own = names::parameter(own.as_deref(), index, &names);
            let ty = argument.get_type().ok_or("the type of a parameter is unknown")?;
            let bound = self.parameter_type(ty, "Argument");
            let bound = bound.map_err(|reason| format!("its parameter `{own}` cannot be expressed: {reason}"))?;
            parameters.push(format!("({own}: {bound})"));
            names.push(own);
        }
        if parameters.is_empty() {
            parameters.push("()".to_owned());
        }
        let result = self.result_type(result).map_err(|reason| format!("its result cannot be expressed: {reason}"))?;
        let symbol = entity.get_mangled_name().filter(|symbol| is_name(symbol)).unwrap_or_else(|| name.to_owned());
        let mut text = documentation(entity, "");
        let (own, parameters) = (names::value(name), parameters.join(" "));
        let _ = writeln!(text, "[<Extern(\"{symbol}\")>]");
        let _ = writeln!(text, "let {own} {parameters} : {result} = Unchecked.defaultof<_>");
        self.new_value_name(name);
        self.items.push(text);
        Ok(())
    }
}

/// Whether a function can be called from elsewhere.
fn has_symbol(function: &Entity<'_>) -> bool {
    function.get_linkage() != Some(Linkage::Internal) && !function.is_inline_function()
}

/// The names in Clef of the functions and the constants among declarations that a filter wants.
pub(crate) fn values(entities: &[Entity<'_>], filter: &Filter<'_>, constants: &Constants) -> HashSet<String> {
    let of = |entity: &Entity<'_>| match entity.get_kind() {
        EntityKind::FunctionDecl if has_symbol(entity) => entity.get_name().into_iter().collect(),
        EntityKind::EnumDecl if enums::name(entity).is_none() => enums::case_names(entity),
        _ => Vec::new(),
    };
    let wanted = entities.iter().flat_map(|entity| {
        let names = of(entity).into_iter();
        names.filter(|name| filter.wants(entity, name))
    });
    wanted.chain(constants.keys().cloned()).map(|name| names::value(&name)).collect()
}

/// Whether a `typedef` names a struct without a definition.
fn is_opaque(declaration: &Entity<'_>) -> bool {
    let underlying = declaration.get_typedef_underlying_type().map(|ty| ty.get_canonical_type());
    let record = underlying.filter(|ty| ty.get_kind() == TypeKind::Record).and_then(|ty| ty.get_declaration());
    record.is_some_and(|record| record.get_definition().is_none())
}

/// Whether a text is an identifier: libclang describes what has no name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|other| other.is_alphanumeric() || other == '_')
}
