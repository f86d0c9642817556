//! Finds the project that a path names.
//!
//! A project is named by its file, `clef.toml` or `NAME.fidproj`, or by the directory of that file.

use clef_base::{Diagnostic, codes};
use clef_host::user_files::reason;
use clef_project::{CLEF_TOML, is_fidproj, is_project_file};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The project file that a path names; nothing if it names no project.
pub fn manifest(path: &Path) -> Result<Option<PathBuf>, Diagnostic> {
    if path.is_dir() {
        return in_directory(path).map(Some);
    }
    Ok(is_project_file(path).then(|| path.to_owned()))
}

/// The project file of the current directory, if there is one.
pub fn here() -> Result<Option<PathBuf>, Diagnostic> {
    let own = PathBuf::from(CLEF_TOML);
    if own.exists() {
        return Ok(Some(own));
    }
    match candidates(Path::new(".")) {
        Ok(found) if found.is_empty() => Ok(None),
        Ok(found) => only(Path::new("."), found).map(Some),
        Err(_) => Ok(None),
    }
}

/// Whether a path is a project file, or a directory with one.
pub fn is_project(path: &Path) -> bool {
    let holds_one = || candidates(path).is_ok_and(|found| !found.is_empty());
    is_project_file(path) || path.is_dir() && (path.join(CLEF_TOML).exists() || holds_one())
}

/// Whether there is a project file in the current directory.
pub fn is_here() -> bool {
    !matches!(here(), Ok(None))
}

fn in_directory(directory: &Path) -> Result<PathBuf, Diagnostic> {
    let own = directory.join(CLEF_TOML);
    if own.exists() {
        return Ok(own);
    }
    let found = candidates(directory).map_err(|error| {
        let message = format!("cannot read `{}`: {}", directory.display(), reason(&error));
        Diagnostic::general(codes::UNREADABLE_FILE, message)
    })?;
    only(directory, found)
}

/// The Fidelity project files in a directory, in order.
fn candidates(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = PathBuf::from(entry?.file_name());
        if is_fidproj(&name) {
            found.push(if directory == Path::new(".") { name } else { directory.join(name) });
        }
    }
    found.sort();
    Ok(found)
}

fn only(directory: &Path, mut found: Vec<PathBuf>) -> Result<PathBuf, Diagnostic> {
    let shown = directory.display();
    match found.len() {
        0 => Err(Diagnostic::general(codes::NO_PROJECT, format!("no project in `{shown}`"))
            .help(format!("pass source files, or create `{}`", directory.join(CLEF_TOML).display()))
            .note("with two lines: `name = \"hello\"` and `sources = [\"main.clef\"]`")),
        1 => Ok(found.remove(0)),
        _ => {
            let names = found.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ");
            Err(Diagnostic::general(codes::NO_PROJECT, format!("several projects in `{shown}`"))
                .note(format!("they are {names}"))
                .help("specify one of them"))
        }
    }
}
