//! Enums of C as enums of Clef, and those without a name as constants.

use crate::{
    comment::documentation,
    declarations::{Binder, is_name},
    names,
    records::key,
    types::{integer, integer_name, literal},
};
use clang::{Entity, EntityKind};
use std::fmt::Write as _;

impl<'tu> Binder<'tu> {
    /// The type of an enum; declares it if it is not known.
    pub(crate) fn enumeration(&mut self, declaration: &Entity<'tu>, unnamed: &str) -> Result<String, String> {
        let key = key(declaration);
        if let Some(known) = self.types.get(&key) {
            return known.clone();
        }
        let made = self.values(declaration, unnamed);
        self.types.insert(key, made.clone());
        made
    }

    fn values(&mut self, declaration: &Entity<'tu>, unnamed: &str) -> Result<String, String> {
        let (known, cases) = cases(declaration)?;
        if cases.is_empty() {
            return Ok(known.to_owned());
        }
        let in_c = declaration.get_name().filter(|name| is_name(name));
        let name = self.new_enum_name(in_c.as_deref().unwrap_or(unnamed));
        let mut text =
            declaration.get_definition().map(|definition| documentation(&definition, "")).unwrap_or_default();
        text.push_str(&names::renamed(in_c.as_deref(), &name));
        let _ = writeln!(text, "type {name} =");
        for Case { entity, name, value, .. } in cases {
            text.push_str(&documentation(&entity, "    "));
            let _ = writeln!(text, "    | {} = {value}", names::value(&name));
        }
        self.items.push(text);
        Ok(name)
    }

    /// Binds the values of an enum without a name, which only defines constants: of the type `int` where they have it in C and no member
    /// of a struct has the type of the enum.
    pub(crate) fn constants_of_enum(&mut self, declaration: &Entity<'tu>) {
        let Ok((known, mut cases)) = cases(declaration) else { return };
        let parent = declaration.get_semantic_parent().map(|parent| parent.get_kind());
        if parent == Some(EntityKind::TranslationUnit) {
            cases.iter_mut().for_each(Case::make_int);
        }
        cases.retain(|case| self.filter.wants(&case.entity, &case.name));
        if cases.is_empty() {
            return;
        }
        self.types.insert(key(declaration), Ok(known.to_owned()));
        for Case { entity, name, value, .. } in cases {
            if self.new_value_name(&name) {
                let text = documentation(&entity, "");
                self.items.push(format!("{text}[<Literal>]\nlet {} = {value}\n", names::value(&name)));
            }
        }
    }
}

/// A value of an enum.
struct Case<'tu> {
    entity: Entity<'tu>,
    name: String,
    number: i128,
    /// The literal in Clef.
    value: String,
}

impl Case<'_> {
    /// Makes the literal one of C's `int`, the type of the values of an enum (C17, 6.7.2.2), if it has the value.
    fn make_int(&mut self) {
        if let Some(literal) = i32::try_from(self.number).ok().and_then(|number| literal(true, 4, i128::from(number))) {
            self.value = literal;
        }
    }
}

/// The integer type of an enum, and its values.
fn cases<'tu>(declaration: &Entity<'tu>) -> Result<(&'static str, Vec<Case<'tu>>), String> {
    let definition = declaration.get_definition().ok_or("it has no definition")?;
    let underlying = definition.get_enum_underlying_type().ok_or("its type is unknown")?.get_canonical_type();
    let (signed, bytes) = integer(&underlying).ok_or("its values are no integers")?;
    let known = integer_name(signed, bytes).ok_or("its values are no integers")?;
    let cases = constants(&definition).filter_map(|entity| {
        let (low, high) = entity.get_enum_constant_value()?;
        let value = if signed { i128::from(low) } else { i128::from(high & mask(bytes)) };
        Some(Case { entity, name: entity.get_name()?, number: value, value: literal(signed, bytes, value)? })
    });
    Ok((known, cases.collect()))
}

/// The declarations of the values of an enum.
fn constants<'tu>(declaration: &Entity<'tu>) -> impl Iterator<Item = Entity<'tu>> {
    let children = declaration.get_children().into_iter();
    children.filter(|child| child.get_kind() == EntityKind::EnumConstantDecl)
}

/// The name of an enum, its own or that of a `typedef`.
pub(crate) fn name(declaration: &Entity<'_>) -> Option<String> {
    let of_typedef = || declaration.get_type().map(|ty| ty.get_display_name()).filter(|name| is_name(name));
    declaration.get_name().filter(|name| is_name(name)).or_else(of_typedef)
}

/// The names of the values of an enum.
pub(crate) fn case_names(declaration: &Entity<'_>) -> Vec<String> {
    constants(declaration).filter_map(|case| case.get_name()).collect()
}

/// The bits of an integer.
fn mask(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 }
}
