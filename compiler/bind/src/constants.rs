//! Macros that are constants.
//!
//! In: the macros of a header. Out: for each that is a number or a string, a literal of Clef. libclang only lists the tokens of
//! a macro, so a second text includes the header and declares a variable for each macro, whose value libclang computes.

use crate::{
    Request,
    comment::documentation,
    declarations::Binder,
    filter::Filter,
    names,
    types::{integer, literal},
};
use clang::{Entity, EntityKind, EvaluationResult, Index, TranslationUnit, TypeKind, Unsaved, token::Token};
use clef_base::HashMap;
use std::fmt::Write as _;

/// The literals of macros, by their names.
pub(crate) type Constants = HashMap<String, String>;

/// The prefix of the variables.
const VARIABLE: &str = "clef_bind_constant_";

/// Computes the values of the macros that a request wants.
pub(crate) fn read(index: &Index<'_>, unit: &TranslationUnit<'_>, request: &Request<'_>) -> Constants {
    let filter = Filter::new(request.allowed);
    let header = std::path::absolute(request.header).unwrap_or_else(|_| request.header.to_owned());
    let mut text = format!("#include \"{}\"\n", header.display());
    let mut wanted = Vec::new();
    for entity in unit.get_entity().get_children() {
        let Some(name) = entity.get_name() else { continue };
        if is_candidate(&entity) && filter.wants(&entity, &name) {
            let _ = writeln!(text, "__auto_type {VARIABLE}{} = {name};", wanted.len());
            wanted.push(name);
        }
    }
    if wanted.is_empty() {
        return Constants::default();
    }
    let file = header.with_extension("clef-bind.c");
    let mut parser = index.parser(&file);
    let arguments: Vec<&str> = request.arguments.iter().map(String::as_str).chain(["-ferror-limit=0"]).collect();
    parser.arguments(&arguments).unsaved(&[Unsaved::new(&file, text)]);
    let Ok(unit) = parser.parse() else { return Constants::default() };
    let variables = unit.get_entity().get_children().into_iter();
    let variables = variables.filter(|entity| entity.get_kind() == EntityKind::VarDecl);
    let value = |entity: Entity<'_>| {
        let number: usize = entity.get_name()?.strip_prefix(VARIABLE)?.parse().ok()?;
        Some((wanted.get(number)?.clone(), constant(&entity)?))
    };
    variables.filter_map(value).collect()
}

/// Whether a macro may be an expression: it has a body whose brackets match.
fn is_candidate(entity: &Entity<'_>) -> bool {
    if entity.get_kind() != EntityKind::MacroDefinition || entity.is_function_like_macro() || entity.is_builtin_macro()
    {
        return false;
    }
    let tokens = body(entity);
    let mut depth = 0_i32;
    for token in &tokens {
        match token.get_spelling().as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "{" | "}" | ";" | "#" => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !tokens.is_empty()
}

/// The tokens of a macro after its name.
fn body<'tu>(entity: &Entity<'tu>) -> Vec<Token<'tu>> {
    let tokens = entity.get_range().map(|range| range.tokenize()).unwrap_or_default();
    tokens.into_iter().skip(1).collect()
}

/// Whether a macro has a body, and is not one of the compiler's own.
pub(crate) fn has_body(entity: &Entity<'_>) -> bool {
    !entity.is_builtin_macro() && !body(entity).is_empty()
}

/// The literal of a variable's value.
fn constant(entity: &Entity<'_>) -> Option<String> {
    let ty = entity.get_type()?.get_canonical_type();
    match ty.get_kind() {
        TypeKind::Float | TypeKind::Double => match entity.evaluate()? {
            EvaluationResult::Float(value) if value.is_finite() => Some(match ty.get_kind() {
                TypeKind::Float => format!("{:?}f", value as f32),
                _ => format!("{value:?}"),
            }),
            _ => None,
        },
        TypeKind::Pointer if is_string(entity) => match entity.evaluate()? {
            EvaluationResult::String(text) => text.to_str().ok().map(quoted),
            _ => None,
        },
        TypeKind::Bool => match entity.evaluate()? {
            EvaluationResult::SignedInteger(value) => Some((value != 0).to_string()),
            EvaluationResult::UnsignedInteger(value) => Some((value != 0).to_string()),
            _ => None,
        },
        _ => {
            let (signed, bytes) = integer(&ty)?;
            let value = match entity.evaluate()? {
                EvaluationResult::SignedInteger(value) => i128::from(value),
                EvaluationResult::UnsignedInteger(value) => i128::from(value),
                _ => return None,
            };
            literal(signed, bytes, value)
        }
    }
}

/// Whether the value of a variable is a string in quotes.
fn is_string(entity: &Entity<'_>) -> bool {
    let mut children = entity.get_children();
    while let [only] = children.as_slice() {
        if only.get_kind() == EntityKind::StringLiteral {
            return true;
        }
        children = only.get_children();
    }
    false
}

/// A string literal.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            other if other.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

impl<'tu> Binder<'tu> {
    /// Binds a macro, if it is wanted and has a body.
    pub(crate) fn constant(&mut self, entity: &Entity<'tu>, constants: &Constants) {
        let Some(name) = entity.get_name() else { return };
        if entity.is_builtin_macro() || !self.filter.wants(entity, &name) {
            return;
        }
        if entity.is_function_like_macro() {
            return self.omit(entity, &name, "it is a macro with parameters: a function in C can use it");
        }
        match constants.get(&name) {
            Some(value) if self.new_value_name(&name) => {
                let text = documentation(entity, "");
                self.items.push(format!("{text}[<Literal>]\nlet {} = {value}\n", names::value(&name)));
            }
            Some(_) => self.omit(entity, &name, "its name is already bound"),
            None if body(entity).is_empty() => {}
            None => self.omit(entity, &name, "it is a macro whose value is no constant number or string"),
        }
    }
}
