//! `clef.toml`: `name` and `sources`, and as far as wanted `target`, `board`, `link`, `log_level` and `[dependencies]`.

use crate::{
    Placed, Project,
    log_level::log_level,
    parts::{check_name, dependency_path, directory, path, sources},
    reader::{Fields, LOCAL, Report, document},
};
use clef_base::{Diagnostic, FileId, Span};
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
    let log_level = log_level(fields);
    let dependencies = match fields.table("dependencies", "the dependencies") {
        Some(mut table) => dependencies(&mut table, directory),
        None => Vec::new(),
    };
    let (name, sources, file) = (name?.value, sources?, manifest.to_owned());
    Some(Project { name, sources, target, board, dependencies, link, log_level, output: None, file })
}

/// The paths of the projects that come before this one, in the order of the file.
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
                        .help(format!("if this is the `{key}` of the project itself, put it above `[dependencies]`")),
                );
            }
            Err(diagnostic) => table.report(diagnostic),
        }
    }
    found
}

/// The keys of a project that are often written below a table by mistake.
const OWN_KEYS: [&str; 6] = ["name", "sources", "target", "board", "link", "log_level"];

/// A word on keys of other project files.
fn explain_unknown(key: &str, diagnostic: Diagnostic) -> Diagnostic {
    match key {
        "package" | "project" | "build" | "compilation" => {
            diagnostic.help("a `clef.toml` has its keys at the top, under no heading")
        }
        _ => diagnostic,
    }
}
