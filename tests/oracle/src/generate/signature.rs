//! Parses types, for the table of the library's functions.
//!
//! In: `name: ('a -> 'b) -> list<'a> -> list<'b>`. Out: the name, the parameters and the result.

use crate::types::{Library, Type, WIDTHS};

/// A function's name, its parameters and its result.
pub(super) fn signature(text: &str) -> Option<(&str, Vec<Type>, Type)> {
    let (name, ty) = text.split_once(": ")?;
    let mut rest = ty;
    let (parameters, result) = arrow(&mut rest)?.spine();
    rest.is_empty().then_some((name, parameters, result))
}

/// Skips a token, if it comes next, and the blanks after it.
fn skip(rest: &mut &str, token: &str) -> bool {
    let Some(behind) = rest.strip_prefix(token) else { return false };
    *rest = behind.trim_start();
    true
}

/// `a -> b`
fn arrow(rest: &mut &str) -> Option<Type> {
    let first = product(rest)?;
    if !skip(rest, "->") {
        return Some(first);
    }
    let result = arrow(rest)?;
    Some(Type::Function(Box::new(first), Box::new(result)))
}

/// `a * b`
fn product(rest: &mut &str) -> Option<Type> {
    let mut parts = vec![atom(rest)?];
    while skip(rest, "*") {
        parts.push(atom(rest)?);
    }
    Some(if parts.len() == 1 { parts.remove(0) } else { Type::Tuple(parts) })
}

/// A name, with or without arguments, or a type in parentheses.
fn atom(rest: &mut &str) -> Option<Type> {
    if skip(rest, "(") {
        let inner = arrow(rest)?;
        return skip(rest, ")").then_some(inner);
    }
    if skip(rest, "'") {
        let letter = rest.bytes().next()?;
        *rest = rest[1..].trim_start();
        return Some(Type::Variable(usize::from(letter.checked_sub(b'a')?)));
    }
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    *rest = behind.trim_start();
    let mut arguments = Vec::new();
    if skip(rest, "<") {
        arguments.push(arrow(rest)?);
        while skip(rest, ",") {
            arguments.push(arrow(rest)?);
        }
        skip(rest, ">").then_some(())?;
    }
    named(name, arguments)
}

fn named(name: &str, arguments: Vec<Type>) -> Option<Type> {
    const LIBRARY: [Library; 9] = [
        Library::Option,
        Library::Result,
        Library::Ref,
        Library::List,
        Library::Array,
        Library::Seq,
        Library::Lazy,
        Library::Map,
        Library::Set,
    ];
    const PLAIN: [Type; 6] = [Type::Unit, Type::Bool, Type::Char, Type::String, Type::Float, Type::Single];
    if arguments.is_empty() {
        let plain = PLAIN.into_iter().find(|ty| ty.text(&[]) == name);
        return plain.or_else(|| WIDTHS.into_iter().find(|width| width.name() == name).map(Type::Integer));
    }
    let library = LIBRARY.into_iter().find(|library| library.name() == name)?;
    Some(Type::Library(library, arguments))
}

#[cfg(test)]
mod tests {
    use super::signature;
    use crate::types::function;

    #[test]
    fn what_is_read_is_written_alike() {
        let text = "(('a -> ('b * int)) -> (list<'a> -> Map<'b, option<string>>))";
        let line = format!("f: {text}");
        let (name, parameters, result) = signature(&line).expect("it is a type");
        assert_eq!(name, "f");
        assert_eq!(function(&parameters, result).text(&[]), text);
    }

    #[test]
    fn what_is_no_type_is_not_read() {
        assert!(signature("f: list<").is_none());
        assert!(signature("f: unknown -> int").is_none());
    }
}
