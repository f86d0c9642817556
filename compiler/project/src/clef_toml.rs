//! `clef.toml`: `name` and `sources`, and optionally `target`, `board`, `link`, `defines`, `log_level`, `optimisation`,
//! `stack`, `pool` and `[dependencies]`.

use crate::{
    Placed, Project,
    log_level::log_level,
    optimisation::optimisation,
    parts::{check_name, dependency_path, directory, path, sources},
    reader::{Fields, LOCAL, Report, document},
};
use clef_base::{Diagnostic, FileId, Span, codes};
use std::path::{Path, PathBuf};

/// Reads the project file at `manifest`, which is `file` of the source map.
pub(crate) fn read(file: FileId, text: &str, manifest: &Path) -> Result<Project, Report> {
    let table = document(file, text)?;
    let mut report = Report::new();
    let mut fields = Fields::new(file, &table, "a project file", Span::new(file, 0, 0), &mut report);
    let project = project(&mut fields, manifest);
    fields.finish(explain_unknown);
    match project {
        Some(project) if report.is_empty() => Ok(project),
        Some(_) | None => Err(report),
    }
}

fn project(fields: &mut Fields<'_, '_>, manifest: &Path) -> Option<Project> {
    let directory = directory(manifest);
    fields.require("name", "name = \"hello\"");
    let name = fields.text("name");
    if let Some(name) = &name {
        check_name(name, fields.findings());
    }
    let sources = sources(fields, directory);
    let target = fields.text("target");
    let board = fields.text("board");
    let link = fields.texts("link").map(|link| link.value).unwrap_or_default();
    let link = link.into_iter().map(|text| path(directory, text, fields.findings())).collect();
    let defines = defines(fields);
    let log_level = log_level(fields);
    let optimisation = optimisation(fields);
    let (stack, pool) = (fields.size("stack"), fields.size("pool"));
    let dependencies = match fields.table("dependencies", "the dependencies") {
        Some(mut table) => dependencies(&mut table, directory),
        None => Vec::new(),
    };
    let (name, sources, file) = (name?.value, sources?, manifest.to_owned());
    let output = None;
    Some(Project {
        name,
        sources,
        target,
        board,
        dependencies,
        link,
        defines,
        log_level,
        optimisation,
        stack,
        pool,
        output,
        file,
    })
}

/// The names defined for `#if`, each an identifier.
fn defines(fields: &mut Fields<'_, '_>) -> Vec<String> {
    let defines = fields.texts("defines").map(|defines| defines.value).unwrap_or_default();
    for define in &defines {
        let mut characters = define.value.chars();
        let is_name = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && characters.all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            let message = format!("`{}` is not a valid name for `#if`", define.value);
            fields.report(
                Diagnostic::error(codes::INVALID_PROJECT_VALUE, define.span, message)
                    .help("use letters, digits and `_`, starting with a letter"),
            );
        }
    }
    defines.into_iter().map(|define| define.value).collect()
}

/// The paths of the projects that this one depends on, in the order of the file.
fn dependencies(table: &mut Fields<'_, '_>, directory: &Path) -> Vec<Placed<PathBuf>> {
    let mut found = Vec::new();
    for entry in table.entries() {
        match table.dependency(&entry) {
            Ok(mut dependency) => {
                found.extend(dependency_path(&mut dependency, directory));
                dependency.finish(|_, diagnostic| diagnostic.note(LOCAL));
            }
            Err(diagnostic) if OWN_KEYS.contains(&entry.key) => {
                let key = entry.key;
                table.report(
                    diagnostic
                        .help(format!("if this is the `{key}` of the project itself, move it above `[dependencies]`")),
                );
            }
            Err(diagnostic) => table.report(diagnostic),
        }
    }
    found
}

/// The keys of a project that are often written after a table header by mistake.
const OWN_KEYS: [&str; 10] =
    ["name", "sources", "target", "board", "link", "defines", "log_level", "optimisation", "stack", "pool"];

/// Explains keys of other project files.
fn explain_unknown(key: &str, diagnostic: Diagnostic) -> Diagnostic {
    match key {
        "package" | "project" | "build" | "compilation" => {
            diagnostic.help("the keys of a `clef.toml` are at the top, not in a table")
        }
        _ => diagnostic,
    }
}
