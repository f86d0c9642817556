//! Types in source syntax: `(int -> 'a) -> 'a * string option`.
//!
//! In: interned types, or types of inference, through [`View`]. Out: text that parses as the same type.

use crate::Psg;
use clef_types::{Type, TypeKind};

/// What the printer needs to know of a type.
pub enum View<T> {
    /// A name: `int`, `'a`.
    Name(String),
    /// `a -> b`.
    Function(T, T),
    /// `a * b`.
    Tuple(Vec<T>),
    /// `a option` with one argument, `Result<a, b>` with more.
    Applied(String, Vec<T>),
    /// `Vec<m>`: with brackets even around one argument.
    Prefix(String, Vec<T>),
}

/// The precedence of the context.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Context {
    /// No context, or to the right of an arrow.
    Loose,
    /// To the left of an arrow.
    Argument,
    /// A component of a tuple.
    Component,
    /// Before a postfix constructor.
    Postfix,
}

/// Prints a type that `view` shows one level at a time.
pub fn write<T: Clone>(ty: T, view: &mut dyn FnMut(T) -> View<T>) -> String {
    let mut text = String::new();
    write_in(&mut text, ty, Context::Loose, view);
    text
}

fn write_in<T: Clone>(text: &mut String, ty: T, context: Context, view: &mut dyn FnMut(T) -> View<T>) {
    let parenthesised = |text: &mut String, needed: bool, inside: &mut dyn FnMut(&mut String)| {
        text.push_str(if needed { "(" } else { "" });
        inside(text);
        text.push_str(if needed { ")" } else { "" });
    };
    match view(ty) {
        View::Name(name) => text.push_str(&name),
        View::Function(argument, result) => parenthesised(text, context >= Context::Argument, &mut |text| {
            write_in(text, argument.clone(), Context::Argument, view);
            text.push_str(" -> ");
            write_in(text, result.clone(), Context::Loose, view);
        }),
        View::Tuple(parts) => parenthesised(text, context >= Context::Component, &mut |text| {
            for (index, part) in parts.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { " * " });
                write_in(text, part.clone(), Context::Component, view);
            }
        }),
        View::Applied(name, arguments) => match <[T; 1]>::try_from(arguments) {
            Ok([argument]) => {
                write_in(text, argument, Context::Postfix, view);
                text.push(' ');
                text.push_str(&name);
            }
            Err(arguments) => write_prefix(text, &name, arguments, view),
        },
        View::Prefix(name, arguments) => write_prefix(text, &name, arguments, view),
    }
}

fn write_prefix<T: Clone>(text: &mut String, name: &str, arguments: Vec<T>, view: &mut dyn FnMut(T) -> View<T>) {
    text.push_str(name);
    for (index, argument) in arguments.into_iter().enumerate() {
        text.push_str(if index == 0 { "<" } else { ", " });
        write_in(text, argument, Context::Loose, view);
    }
    text.push('>');
}

/// A type of a checked program.
pub fn type_text(psg: &Psg, ty: Type) -> String {
    write(ty, &mut |ty| view(psg, ty))
}

fn view(psg: &Psg, ty: Type) -> View<Type> {
    let applied = |name: &str, of: &Type| View::Applied(name.into(), vec![*of]);
    match psg.types.kind(ty) {
        TypeKind::Unit => View::Name("unit".into()),
        TypeKind::Bool => View::Name("bool".into()),
        TypeKind::Char => View::Name("char".into()),
        TypeKind::String => View::Name("string".into()),
        TypeKind::Integer(kind) => View::Name(kind.name().into()),
        TypeKind::Enum(id, _) => View::Name(psg.enums[*id].name.to_string()),
        TypeKind::Float32 => View::Name("float32".into()),
        TypeKind::Float64 => View::Name("float".into()),
        TypeKind::Function(argument, result) => View::Function(*argument, *result),
        TypeKind::Tuple(parts) => View::Tuple(parts.clone()),
        TypeKind::Reference(of) => applied("ref", of),
        TypeKind::Array(of) => applied("array", of),
        TypeKind::NativePointer(of) => applied("nativeptr", of),
        TypeKind::Declared(declared, arguments) => {
            let name = psg.declared_types[*declared].name.to_string();
            if arguments.is_empty() { View::Name(name) } else { View::Applied(name, arguments.clone()) }
        }
        TypeKind::Parameter(parameter) => View::Name(format!("'{}", psg.type_parameters[*parameter].name)),
        TypeKind::Slot(of) => applied("slot", of),
        TypeKind::Region => View::Name("region".into()),
    }
}
