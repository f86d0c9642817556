//! `clefc add`: a dependency for a project.

use crate::{cli::Add, commands::Outcome};
use clef_base::{Diagnostic, codes};
use clef_host::{output, say};
use clef_session::{
    Session,
    project::{self, Addition},
};
use std::path::PathBuf;

/// Adds a dependency to the project file, which otherwise stays as it is.
pub(crate) fn add(session: &mut Session, add: &Add) -> Outcome {
    session.enter("add");
    let manifest = manifest(add)?;
    let addition = Addition { path: &add.path, name: add.name.as_deref() };
    let added = project::added(session, &manifest, &addition)?;
    output::replace(&manifest, &added.text)?;
    say(&format!("{}: added {} = {{ path = {:?} }}\n", manifest.display(), added.name, added.path));
    Ok(0)
}

/// The project file to edit.
fn manifest(add: &Add) -> Result<PathBuf, Diagnostic> {
    let found = match &add.to {
        Some(path) => project::manifest(path)?,
        None => project::here()?,
    };
    found.ok_or_else(|| {
        let message = match &add.to {
            Some(path) => format!("`{}` is not a project", path.display()),
            None => "no project in this directory".to_owned(),
        };
        Diagnostic::general(codes::NO_PROJECT, message)
            .help("name the directory of the project that shall have the dependency: `clefc add ../util --to app`")
    })
}
