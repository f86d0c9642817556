//! A project with one more dependency.
//!
//! In: the path of a project file, and what it shall depend on. Out: the new text of the project file. Then holds: the
//! dependency is a project whose files can come before others, it does not depend on the project, and neither it nor its
//! name is a dependency already.

use super::{find::manifest, order::ordered};
use crate::Session;
use clef_base::{Diagnostic, codes};
use clef_project::{Project, edit::with_dependency};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// A dependency to add.
pub struct Addition<'a> {
    /// The directory of a project, or its project file.
    pub path: &'a Path,
    /// Its name among the dependencies; its own name if unset.
    pub name: Option<&'a str>,
}

/// A project file to write.
pub struct Added {
    /// The name of the dependency.
    pub name: String,
    /// Its path from the project's directory.
    pub path: String,
    /// The text of the project file.
    pub text: String,
}

/// Adds a dependency to the text of a project file. Reports warnings about both projects.
pub fn added(session: &mut Session, project: &Path, addition: &Addition<'_>) -> Result<Added, Vec<Diagnostic>> {
    let own = read(session, project)?;
    let dependency = found(addition.path)?;
    let others = read(session, &dependency)?;
    let (Some(own), Some(other)) = (own.last(), others.last()) else {
        clef_base::internal::bug("add", None, "a project must be one of its projects")
    };
    let cycle = others.iter().find(|other| is_same(&other.file, &own.file));
    if cycle.is_some() {
        return Err(closes_cycle(own, other).into());
    }
    let name = addition.name.unwrap_or(&other.name);
    let text = session.files.description(&own.file, None)?;
    refuse_known(&text, own, other, name)?;
    refuse_program(session, other)?;
    let path = written(addition.path, &own.file);
    let text = with_dependency(&text, name, &path).map_err(|why| {
        let message = format!("cannot edit `{}`: {why}", own.file.display());
        Diagnostic::general(codes::MALFORMED_PROJECT, message)
            .help(format!("add the line to its dependencies: `{name} = {{ path = {path:?} }}`"))
    })?;
    Ok(Added { name: name.to_owned(), path, text })
}

/// A project after those that it depends on.
fn read(session: &mut Session, project: &Path) -> Result<Vec<Project>, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let projects = ordered(&mut session.sources, &session.files, project, &mut warnings)?;
    session.settle(warnings)?;
    Ok(projects)
}

/// The project file that a path names.
fn found(path: &Path) -> Result<PathBuf, Diagnostic> {
    let shown = path.display();
    let (code, message) = match manifest(path)? {
        Some(file) if file.exists() => return Ok(file),
        Some(_) | None if !path.exists() => (codes::UNREADABLE_FILE, format!("no such directory: `{shown}`")),
        Some(_) | None => (codes::NO_PROJECT, format!("`{shown}` is not a project")),
    };
    Err(Diagnostic::general(code, message)
        .help("name the directory of a project, or its project file: `clefc add ../util`")
        .note("only projects on this machine can be dependencies"))
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_) | Err(_), _) => false,
    }
}

fn closes_cycle(own: &Project, other: &Project) -> Diagnostic {
    let diagnostic = Diagnostic::general(codes::PROJECT_CYCLE, "a project cannot depend on itself");
    let diagnostic = match is_same(&own.file, &other.file) {
        true => diagnostic,
        false => diagnostic.note(format!("`{}` depends on `{}`", other.name, own.name)),
    };
    diagnostic.help("move shared code to a project that both depend on")
}

/// Rejects a dependency, or a name of one, that the project already has.
fn refuse_known(text: &str, own: &Project, other: &Project, name: &str) -> Result<(), Diagnostic> {
    let unsuitable = |message: String| Diagnostic::general(codes::UNSUITABLE_OPTION, message);
    for known in &own.dependencies {
        if let Ok(Some(file)) = manifest(&known.value)
            && is_same(&file, &other.file)
        {
            let message = format!("`{}` depends on `{}` already", own.name, other.name);
            return Err(unsuitable(message).at_if(Some(known.span)).help("nothing needs to be added"));
        }
    }
    if name.trim().is_empty() || name.trim() != name || name.chars().any(char::is_control) {
        let message = format!("`{}` is not a valid name for a dependency", name.escape_debug());
        return Err(unsuitable(message).help("use letters, digits, `_` and `-`: `--name util`"));
    }
    if clef_project::edit::has_dependency(text, name) {
        let message = format!("`{}` already has a dependency with the name `{name}`", own.name);
        return Err(unsuitable(message).help(format!("choose another one: `--name {name}2`")));
    }
    Ok(())
}

/// Rejects a project with a file that cannot come before others.
fn refuse_program(session: &mut Session, project: &Project) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for source in &project.sources {
        let text = match session.files.source(&source.value, Some(source.span)) {
            Ok(text) => text,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let file = session.sources.add(source.value.display().to_string(), text);
        let (tree, _) = clef_syntax::parse(&session.sources, file);
        if tree.header.is_none() {
            let message = format!("`{}` is a program, not a library", project.name);
            errors.push(
                Diagnostic::general(codes::UNSUITABLE_OPTION, message)
                    .at_if(Some(source.span))
                    .label("this file has no module declaration, so no other file can follow it")
                    .help("begin the file with `module NAME`, or move what is shared to a project of its own"),
            );
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// A path as it is written in a project file: from the directory of that file, unless it is absolute.
fn written(path: &Path, manifest: &Path) -> String {
    let directory = manifest.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(to), Ok(from), false) = (fs::canonicalize(path), fs::canonicalize(directory), path.is_absolute()) else {
        return path.display().to_string();
    };
    let shared = to.components().zip(from.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(to.components().skip(shared)).collect();
    relative.display().to_string()
}
