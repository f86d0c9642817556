//! A project with its dependencies.
//!
//! In: the path of a project file. Out: the projects in the order of their compilation, each once, every project after
//! its dependencies and the requested one last; or the diagnostics of what is missing, wrong or circular.

use super::find::manifest;
use clef_base::{Diagnostic, SourceMap, Span, codes};
use clef_host::user_files::UserFiles;
use clef_project::{Placed, Project, read};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Reads a project with its dependencies. Adds warnings to `warnings`.
pub(crate) fn ordered(
    sources: &mut SourceMap,
    files: &UserFiles,
    path: &Path,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Project>, Vec<Diagnostic>> {
    let mut walk = Walk {
        sources,
        files,
        warnings,
        errors: Vec::new(),
        read: Vec::new(),
        begun: Vec::new(),
        finished: Vec::new(),
    };
    walk.visit(path, None);
    if walk.errors.is_empty() { Ok(walk.finished) } else { Err(walk.errors) }
}

/// A depth-first walk through the dependencies.
struct Walk<'a> {
    sources: &'a mut SourceMap,
    files: &'a UserFiles,
    warnings: &'a mut Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
    /// The project files that were read, by canonical path.
    read: Vec<PathBuf>,
    /// The projects on the current path, with their paths as shown to the user.
    begun: Vec<(PathBuf, PathBuf)>,
    finished: Vec<Project>,
}

impl Walk<'_> {
    /// Adds the project of that file after its dependencies; `from` is the location that names it.
    fn visit(&mut self, path: &Path, from: Option<Span>) {
        // A file that does not exist is reported when it is read.
        let known = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(start) = self.begun.iter().position(|(begun, _)| *begun == known) {
            let cycle = self.cycle(start, path, from);
            self.errors.push(cycle);
            return;
        }
        if self.read.contains(&known) {
            return;
        }
        self.read.push(known.clone());
        let read = self.files.description(path, from).map_err(Vec::from).and_then(|text| {
            let file = self.sources.add(path.display().to_string(), text);
            read(self.sources, file, path, self.warnings)
        });
        match read {
            Ok(project) => {
                self.begun.push((known, path.to_owned()));
                for dependency in &project.dependencies {
                    self.dependency(dependency);
                }
                self.begun.pop();
                self.finished.push(project);
            }
            Err(errors) => self.errors.extend(errors),
        }
    }

    fn dependency(&mut self, dependency: &Placed<PathBuf>) {
        let Placed { value: path, span } = dependency;
        let error = match manifest(path) {
            Ok(Some(file)) => return self.visit(&file, Some(*span)),
            Err(diagnostic) => diagnostic.at_if(Some(*span)),
            Ok(None) => {
                let (code, message) = match path.exists() {
                    true => (codes::NO_PROJECT, format!("`{}` is not a project", path.display())),
                    false => (codes::UNREADABLE_FILE, format!("no such directory: `{}`", path.display())),
                };
                Diagnostic::error(code, *span, message).help("pass the directory of a project, or its project file")
            }
        };
        self.errors.push(error);
    }

    /// The error for a cycle: the projects begun from `start` on, and then `path` again.
    fn cycle(&self, start: usize, path: &Path, from: Option<Span>) -> Diagnostic {
        let shown = self.begun[start..].iter().map(|(_, shown)| shown.as_path()).chain([path]);
        let chain = shown.map(|path| path.display().to_string()).collect::<Vec<_>>().join(" → ");
        Diagnostic::general(codes::PROJECT_CYCLE, "a project cannot depend on itself")
            .at_if(from)
            .label("this closes the cycle")
            .note(format!("the cycle is {chain}"))
            .help("move shared code to a project that both depend on")
    }
}
