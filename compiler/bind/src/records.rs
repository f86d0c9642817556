//! Structs as records.
//!
//! A record has the layout of a struct of C, so only a struct that is laid out in another way (`packed`, `aligned`, bit fields)
//! has no record.

use crate::{
    comment::documentation,
    declarations::{Binder, is_name},
    names,
    types::{LONGEST_TUPLE, elements},
};
use clang::{Entity, EntityKind, Type, TypeKind};
use std::fmt::Write as _;

/// How many structs may be declared for the sake of each other at a time.
const DEEPEST: usize = 64;

impl<'tu> Binder<'tu> {
    /// The record of a struct; declares it if it is not known.
    pub(crate) fn record(&mut self, declaration: &Entity<'tu>, unnamed: &str) -> Result<String, String> {
        let key = key(declaration);
        if let Some(known) = self.types.get(&key) {
            return known.clone();
        }
        if self.open.iter().any(|(open, _)| *open == key) {
            return Err("it contains itself".to_owned());
        }
        if self.open.len() >= DEEPEST {
            return Err("structs lead to each other over too many steps".to_owned());
        }
        let in_c = declaration.get_name().filter(|name| is_name(name));
        let name = self.new_type_name(in_c.as_deref().unwrap_or(unnamed));
        self.open.push((key.clone(), name.clone()));
        let made = self.fields(declaration, &name, &names::renamed(in_c.as_deref(), &name));
        self.open.pop();
        let result = made.map(|text| {
            self.items.push(text);
            name
        });
        self.types.insert(key, result.clone());
        result
    }

    /// The name of the innermost struct that is being declared, if the type is that one; an error if the type is another one
    /// of these, which is declared later.
    pub(crate) fn being_declared(&self, ty: &Type<'tu>) -> Option<Result<String, String>> {
        let key = key(&ty.get_declaration()?);
        let place = self.open.iter().position(|(open, _)| *open == key)?;
        Some(match place + 1 == self.open.len() {
            true => Ok(self.open[place].1.clone()),
            false => Err("it is declared later".to_owned()),
        })
    }

    /// The text of a record, with more documentation.
    fn fields(&mut self, declaration: &Entity<'tu>, name: &str, more: &str) -> Result<String, String> {
        if declaration.get_kind() == EntityKind::UnionDecl {
            return Err("it is a union".to_owned());
        }
        let definition = declaration.get_definition().ok_or("it has no definition")?;
        let ty = definition.get_type().ok_or("its type is unknown")?;
        let fields = ty.get_fields().unwrap_or_default();
        if fields.is_empty() {
            return Err("it has no fields".to_owned());
        }
        let mut layout = Layout::default();
        let mut text = documentation(&definition, "") + more;
        let _ = writeln!(text, "type {name} =\n    {{");
        for field in &fields {
            let field_name = field.get_name().filter(|name| is_name(name)).ok_or("it has a field without a name")?;
            if field.is_bit_field() {
                return Err(format!("its field `{field_name}` is a bit field"));
            }
            let field_type = field.get_type().ok_or("the type of a field is unknown")?;
            let unnamed = format!("{}_{field_name}", name.trim_matches('`'));
            let bound = self.value_type(field_type, &unnamed);
            let bound = bound.map_err(|reason| format!("its field `{field_name}` cannot be expressed: {reason}"))?;
            layout.add(&field_type, field.get_offset_of_field().ok())?;
            text.push_str(&documentation(field, "        "));
            text.push_str(&place_of_array(&field_type, field.get_offset_of_field().ok()));
            let _ = writeln!(text, "        {}: {bound}", names::value(&field_name));
        }
        text.push_str("    }\n");
        layout.check(&ty)?;
        Ok(text)
    }
}

/// Where the elements of an array are that is a tuple of tuples: pointers to it reach them more easily.
fn place_of_array(ty: &Type<'_>, offset: Option<usize>) -> String {
    let count = elements(*ty);
    match offset.filter(|_| count > LONGEST_TUPLE) {
        Some(offset) => format!("        /// {count} elements, from the byte {} of the record on.\n", offset / 8),
        None => String::new(),
    }
}

/// Identifies a declaration: all declarations of a struct have the same.
pub(crate) fn key(declaration: &Entity<'_>) -> String {
    match declaration.get_usr() {
        Some(usr) if !usr.0.is_empty() => usr.0,
        Some(_) | None => {
            format!("{:?}", declaration.get_location().map(|location| location.get_file_location().offset))
        }
    }
}

/// The layout of a record, which is compared with that of the struct.
#[derive(Default)]
struct Layout {
    end: usize,
    align: usize,
}

/// What C says of the layout of a struct that Clef cannot follow.
const OTHER_LAYOUT: &str = "its layout is not that of its fields: it is packed or aligned, or has unnamed fields";

impl Layout {
    /// Adds a field, which in C is at an offset in bits.
    fn add(&mut self, ty: &Type<'_>, offset: Option<usize>) -> Result<(), String> {
        let (Ok(size), Ok(align)) = (ty.get_sizeof(), ty.get_alignof()) else {
            return Err("a field has no size".to_owned());
        };
        let canonical = ty.get_canonical_type().get_kind();
        let is_scalar = !matches!(canonical, TypeKind::Record | TypeKind::ConstantArray);
        let start = self.end.next_multiple_of(align.max(1));
        if offset != Some(start * 8) || is_scalar && align != size {
            return Err(OTHER_LAYOUT.to_owned());
        }
        self.end = start + size;
        self.align = self.align.max(align);
        Ok(())
    }

    /// Compares it with a struct.
    fn check(&self, ty: &Type<'_>) -> Result<(), String> {
        let size = self.end.next_multiple_of(self.align.max(1));
        match ty.get_sizeof() == Ok(size) && ty.get_alignof() == Ok(self.align) {
            true => Ok(()),
            false => Err(OTHER_LAYOUT.to_owned()),
        }
    }
}
