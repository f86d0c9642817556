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
        let definition = declaration.get_definition().ok_or("it has no definition")?;
        let underlying = definition.get_enum_underlying_type().ok_or("its type is unknown")?.get_canonical_type();
        let (signed, bytes) = integer(&underlying).ok_or("its values are no integers")?;
        let known = integer_name(signed, bytes).ok_or("its values are no integers")?;
        let own = definition.get_name().filter(|name| is_name(name));
        let cases =
            definition.get_children().into_iter().filter(|child| child.get_kind() == EntityKind::EnumConstantDecl);
        let cases: Vec<(Entity<'tu>, String, String)> = cases
            .filter_map(|case| {
                let (low, high) = case.get_enum_constant_value()?;
                let value = if signed { i128::from(low) } else { i128::from(high & mask(bytes)) };
                let name = case.get_name()?;
                Some((case, name, literal(signed, bytes, value)?))
            })
            .collect();
        let name = match own {
            Some(name) => name,
            // An enum that only defines constants.
            None if unnamed.is_empty() => {
                for (case, name, value) in cases {
                    if self.new_value_name(&name) {
                        let text = documentation(&case, "");
                        self.items.push(format!("{text}[<Literal>]\nlet {} = {value}\n", names::value(&name)));
                    }
                }
                return Ok(known.to_owned());
            }
            None => unnamed.to_owned(),
        };
        if cases.is_empty() {
            return Ok(known.to_owned());
        }
        let name = self.new_type_name(&name);
        let mut text = documentation(&definition, "");
        let _ = writeln!(text, "type {name} =");
        for (case, case_name, value) in cases {
            text.push_str(&documentation(&case, "    "));
            let _ = writeln!(text, "    | {} = {value}", names::value(&case_name));
        }
        self.items.push(text);
        Ok(name)
    }
}

/// The bits of an integer.
fn mask(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 }
}
