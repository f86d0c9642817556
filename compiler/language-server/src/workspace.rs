//! What is checked together: the project of a file, or the file alone.
//!
//! In: a path, and the open documents. Out: a [`Unit`], and its program in a session. Reads project files, with their unsaved
//! texts; reads no source file to find the unit.

use crate::documents::Documents;
use clef_base::{Diagnostic, SourceMap};
use clef_project::is_project_file;
use clef_session::{
    Session,
    program::{self, Program},
    project,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder of a project whose files are tests, each a program with the project's files.
const TESTS: &str = "tests";

/// What is checked together.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Unit {
    /// The project of this project file.
    Project(PathBuf),
    /// A file of tests, with the project of this project file.
    Tests(PathBuf, PathBuf),
    /// A file alone.
    File(PathBuf),
}

impl Unit {
    /// The unit of a file.
    pub(crate) fn of(path: &Path, documents: &Documents) -> Unit {
        if is_project_file(path) {
            return Unit::Project(path.to_owned());
        }
        let Some((manifest, root)) = project_of(path) else { return Unit::File(path.to_owned()) };
        if path.starts_with(root.join(TESTS)) {
            return Unit::Tests(manifest, path.to_owned());
        }
        match lists(&manifest, path, documents) {
            true => Unit::Project(manifest),
            false => Unit::File(path.to_owned()),
        }
    }

    /// What a command runs or tests: the directory of a project, or a file.
    pub(crate) fn place(&self) -> &Path {
        match self {
            Unit::Project(manifest) => manifest.parent().unwrap_or(manifest),
            Unit::Tests(_, file) | Unit::File(file) => file,
        }
    }

    /// Whether the program runs its tests.
    pub(crate) fn runs_tests(&self) -> bool {
        match self {
            Unit::Tests(..) => true,
            Unit::Project(_) | Unit::File(_) => false,
        }
    }

    /// The other programs of its project: the project itself, and each file of tests.
    pub(crate) fn siblings(&self) -> Vec<Unit> {
        let (Unit::Project(manifest) | Unit::Tests(manifest, _)) = self else { return Vec::new() };
        let mut tests = Vec::new();
        if let Some(root) = manifest.parent() {
            sources(&root.join(TESTS), &mut tests);
        }
        tests.sort();
        let tests = tests.into_iter().map(|file| Unit::Tests(manifest.clone(), file));
        std::iter::once(Unit::Project(manifest.clone())).chain(tests).filter(|unit| unit != self).collect()
    }

    /// Reads its program.
    pub(crate) fn read(&self, session: &mut Session, documents: &Documents) -> Result<Program, Vec<Diagnostic>> {
        match self {
            Unit::Project(manifest) => program::read(session, std::slice::from_ref(manifest)),
            Unit::Tests(manifest, file) => program::read_with(session, std::slice::from_ref(manifest), file),
            Unit::File(file) => match documents.get(file) {
                // It may have a name without a path.
                Some(document) => {
                    let named = [(file.display().to_string(), document.text.as_str())];
                    Ok(Program::in_memory(session, named))
                }
                None => program::read(session, std::slice::from_ref(file)),
            },
        }
    }
}

/// Adds the source files of a directory and of those in it.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_source = path.extension().is_some_and(|extension| extension == "clef" || extension == "fs");
        if is_directory && !entry.file_name().to_string_lossy().starts_with('.') {
            sources(&path, found);
        } else if !is_directory && is_source {
            found.push(path);
        }
    }
}

/// The project file of the innermost directory with one, and that directory.
fn project_of(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut directories = path.ancestors().skip(1).filter(|directory| directory.is_absolute());
    directories.find_map(|directory| {
        let manifest = project::is_project(directory).then(|| project::manifest(directory)).and_then(Result::ok)??;
        Some((manifest, directory.to_owned()))
    })
}

/// Whether a project lists a file among its sources. One that cannot be read is assumed to, so that its errors are shown.
fn lists(manifest: &Path, path: &Path, documents: &Documents) -> bool {
    let unsaved = documents.get(manifest).map(|document| document.text.to_string());
    let Some(text) = unsaved.or_else(|| fs::read_to_string(manifest).ok()) else { return true };
    let mut sources = SourceMap::default();
    let file = sources.add(manifest.display().to_string(), text);
    match clef_project::read(&sources, file, manifest, &mut Vec::new()) {
        Ok(project) => project.sources.iter().any(|source| {
            source.value == path || fs::canonicalize(&source.value).is_ok_and(|canonical| canonical == path)
        }),
        Err(_) => true,
    }
}
