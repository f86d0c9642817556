//! Patterns of names that match nothing, such as misspelt ones.

use crate::{Request, constants, declarations::is_name, enums, filter::matches};
use clang::{Entity, EntityKind};
use clef_base::{Diagnostic, codes, suggest::nearest_names};

/// An error for each pattern that matches no name in a header or in those that it includes.
pub(crate) fn useless(entities: &[Entity<'_>], request: &Request<'_>) -> Vec<Diagnostic> {
    if request.allowed.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = entities.iter().flat_map(names).collect();
    let useless = request.allowed.iter().filter(|pattern| !names.iter().any(|name| matches(pattern, name)));
    useless.map(|pattern| error(entities, request, pattern, &names)).collect()
}

/// The names under which a declaration is bound, or would be if Clef could express it.
fn names(entity: &Entity<'_>) -> Vec<String> {
    let own = || entity.get_name().into_iter().filter(|name| is_name(name)).collect();
    match entity.get_kind() {
        EntityKind::MacroDefinition if constants::has_body(entity) => own(),
        EntityKind::EnumDecl if enums::name(entity).is_none() => enums::case_names(entity),
        EntityKind::FunctionDecl
        | EntityKind::StructDecl
        | EntityKind::UnionDecl
        | EntityKind::EnumDecl
        | EntityKind::TypedefDecl
        | EntityKind::VarDecl => own(),
        _ => Vec::new(),
    }
}

fn error(entities: &[Entity<'_>], request: &Request<'_>, pattern: &str, names: &[String]) -> Diagnostic {
    let header = request.header.file_name().unwrap_or_default().to_string_lossy();
    let message = format!("`--allowlist {pattern}` matches no name in `{header}` or in the headers that it includes");
    let diagnostic = Diagnostic::general(codes::UNSUITABLE_OPTION, message);
    let enums = entities.iter().filter(|entity| entity.get_kind() == EntityKind::EnumDecl);
    let of_enum = |entity: &Entity<'_>| {
        let owner = enums::name(entity)?;
        let case = enums::case_names(entity).into_iter().find(|case| matches(pattern, case))?;
        Some(format!(
            "`{case}` is a value of the enum `{owner}`, which has all of its values: use `--allowlist {owner}`"
        ))
    };
    if let Some(help) = enums.filter_map(of_enum).next() {
        return diagnostic.help(help);
    }
    match nearest_names(pattern, names.iter().map(String::as_str)).first() {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help("a pattern matches the whole name; `*` stands for any characters"),
    }
}
