//! The source files of a project, for the interpreter.

use crate::{ROOT, stem};
use libtest_mimic::Failed;
use std::path::{Component, Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// A source file of a program.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// Its path from the root of the test data.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The index of its project.
    pub(crate) project: u32,
    /// The names that its project defines for `#if`.
    pub(crate) defines: Vec<String>,
}

/// The files of the project in a directory: those of its dependencies come first.
pub(crate) fn files(directory: &str) -> Result<Vec<SourceFile>, Failed> {
    let mut visited = Vec::new();
    let mut files = Vec::new();
    visit(Path::new(directory), &mut visited, &mut files)?;
    Ok(files)
}

/// The project file of a directory: `clef.toml`, or that of a Fidelity project.
pub(crate) fn manifest(directory: &Path) -> Result<PathBuf, Failed> {
    let directory = Path::new(ROOT).join(directory);
    let own = directory.join("clef.toml");
    if own.exists() {
        return Ok(own);
    }
    let is_project = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "fidproj");
    let found = crate::entries(&directory)?.into_iter().find(is_project);
    found.ok_or_else(|| format!("no project in {}", directory.display()).into())
}

fn visit(directory: &Path, visited: &mut Vec<PathBuf>, files: &mut Vec<SourceFile>) -> Result<(), Failed> {
    if visited.iter().any(|known| known == directory) {
        return Ok(());
    }
    visited.push(directory.to_owned());
    let text = std::fs::read_to_string(manifest(directory)?)?;
    let table = DeTable::parse(&text).map_err(|error| format!("{}: {}", stem(directory), error.message()))?;
    if let Some(DeValue::Table(dependencies)) = table.get_ref().get("dependencies").map(|value| value.get_ref()) {
        let mut entries: Vec<_> = dependencies.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, dependency) in entries {
            // In a Fidelity project, the description of the machine.
            if key.get_ref().as_ref() == "platform" {
                continue;
            }
            let path = dependency.get_ref().get("path").and_then(|path| path.get_ref().as_str());
            visit(&joined(directory, path.unwrap_or_default()), visited, files)?;
        }
    }
    let project = files.last().map_or(0, |last| last.project + 1);
    let defines = table.get_ref().get("defines").and_then(|defines| defines.get_ref().as_array());
    let names = defines.into_iter().flat_map(|defines| defines.iter());
    let defines: Vec<String> = names.filter_map(|define| define.get_ref().as_str()).map(str::to_owned).collect();
    let build = table.get_ref().get("build").and_then(|build| build.get_ref().as_table());
    let sources = build.unwrap_or(table.get_ref()).get("sources").and_then(|sources| sources.get_ref().as_array());
    for source in sources.into_iter().flat_map(|sources| sources.iter()) {
        let path = joined(directory, source.get_ref().as_str().unwrap_or_default());
        let text = std::fs::read_to_string(Path::new(ROOT).join(&path))?;
        files.push(SourceFile { name: path.display().to_string(), text, project, defines: defines.clone() });
    }
    Ok(())
}

/// A path relative to a directory, normalised without `..`.
fn joined(directory: &Path, path: &str) -> PathBuf {
    let mut joined = directory.to_owned();
    for component in Path::new(path).components() {
        if component == Component::ParentDir && joined.file_name().is_some() {
            joined.pop();
        } else if component != Component::CurDir {
            joined.push(component);
        }
    }
    joined
}
