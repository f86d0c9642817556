//! `NAME.fidproj`: a Fidelity project. Its name, sources, output and path dependencies are read.
//!
//! ```toml
//! [package]
//! name = "Hello"
//! [dependencies]
//! geometry = { path = "../geometry" }
//! [build]
//! sources = ["Hello.fs"]
//! output = "hello"
//! ```
//!
//! The other keys are for other compilers. One warning lists them, so that the user knows that they have no effect.

use crate::{
    Placed, Project,
    parts::{check_name, dependency_path, directory, sources},
    reader::{Fields, Report, document},
};
use clef_base::{Diagnostic, FileId, Span, codes};
use std::path::{Path, PathBuf};

/// The dependency that describes the machine; in Clef a board does.
const PLATFORM: &str = "platform";

/// Keys that do not affect the program.
const DESCRIPTIVE: [&str; 6] = ["version", "description", "authors", "license", "repository", "readme"];

/// Reads the project file at `manifest`, which is `file` of the source map.
pub(crate) fn read(
    file: FileId,
    text: &str,
    manifest: &Path,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Project, Report> {
    let table = document(file, text)?;
    let mut report = Report::new();
    let mut unread = Vec::new();
    let mut fields = Fields::new(file, &table, "a .fidproj", Span::new(file, 0, 0), &mut report);
    let name = package(&mut fields, &mut unread);
    let (sources, output) = build(&mut fields, directory(manifest), &mut unread);
    let dependencies = dependencies(&mut fields, directory(manifest), &mut unread);
    fields.finish_leniently("build");
    unread.extend(fields.unread().iter().map(|entry| Placed { value: entry.key.to_owned(), span: entry.key_span }));
    let Some(sources) = sources.filter(|_| report.is_empty()) else { return Err(report) };
    warnings.extend(unread_warning(unread));
    let stem = || manifest.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (name, output) = (name.map_or_else(stem, |name| name.value), output.map(|output| output.value));
    let file = manifest.to_owned();
    Ok(Project {
        name,
        sources,
        target: None,
        board: None,
        dependencies,
        link: Vec::new(),
        defines: Vec::new(),
        log_level: None,
        optimisation: None,
        stack: None,
        pool: None,
        output,
        file,
    })
}

fn package(fields: &mut Fields<'_, '_>, unread: &mut Vec<Placed<String>>) -> Option<Placed<String>> {
    let mut package = fields.table("package", "`[package]`")?;
    let name = package.text("name");
    if let Some(name) = &name {
        check_name(name, package.findings());
    }
    note_unread(&package, "package", unread);
    name
}

type Build = (Option<Vec<Placed<PathBuf>>>, Option<Placed<String>>);

fn build(fields: &mut Fields<'_, '_>, directory: &Path, unread: &mut Vec<Placed<String>>) -> Build {
    fields.require("build", "[build]` with a line `sources = [\"Main.fs\"]");
    let Some(mut build) = fields.table("build", "`[build]`") else { return (None, None) };
    let sources = sources(&mut build, directory);
    let output = build.text("output");
    if let Some(output) = &output {
        check_name(output, build.findings());
    }
    build.finish_leniently("sources");
    note_unread(&build, "build", unread);
    (sources, output)
}

fn dependencies(
    fields: &mut Fields<'_, '_>,
    directory: &Path,
    unread: &mut Vec<Placed<String>>,
) -> Vec<Placed<PathBuf>> {
    let Some(mut table) = fields.table("dependencies", "`[dependencies]`") else { return Vec::new() };
    let mut found = Vec::new();
    for entry in table.entries() {
        if entry.key.eq_ignore_ascii_case(PLATFORM) {
            unread.push(Placed { value: format!("dependencies.{}", entry.key), span: entry.key_span });
            continue;
        }
        match table.dependency(&entry) {
            Ok(mut dependency) => {
                found.extend(dependency_path(&mut dependency, directory));
                note_unread(&dependency, &format!("dependencies.{}", entry.key), unread);
            }
            Err(diagnostic) => table.report(diagnostic),
        }
    }
    found
}

/// Records the keys of a table that are ignored, except for the descriptive ones.
fn note_unread(fields: &Fields<'_, '_>, table: &str, unread: &mut Vec<Placed<String>>) {
    let keys = fields.unread().into_iter().filter(|entry| !DESCRIPTIVE.contains(&entry.key));
    unread.extend(keys.map(|entry| Placed { value: format!("{table}.{}", entry.key), span: entry.key_span }));
}

fn unread_warning(mut unread: Vec<Placed<String>>) -> Option<Diagnostic> {
    unread.sort_by_key(|key| key.span);
    let first = unread.first()?;
    let names = unread.iter().map(|key| format!("`{}`", key.value)).collect::<Vec<_>>().join(", ");
    let diagnostic =
        Diagnostic::warning(codes::UNREAD_PROJECT_KEYS, first.span, "some keys of this project file are ignored")
            .label("this has no effect")
            .note(format!("clefc ignores {names}"))
            .help("write a `clef.toml`, which has keys for target and board, or hide this with `--allow W0001`");
    Some(diagnostic)
}
