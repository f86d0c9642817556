//! A program: source files, a project, or texts in memory.
//!
//! In: paths or texts. Out: a [`Program`], whose files are in the source map as valid UTF-8, or diagnostics of every file that
//! cannot be used.

use crate::{
    Session,
    options::{LogLevelChoice, Optimisation},
    project::{here, manifest, order::ordered},
};
use clef_base::{Diagnostic, FileId, Span, codes};
use clef_descriptors::Bytes;
use clef_project::{Placed, Project};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A source file of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramFile {
    /// The file.
    pub file: FileId,
    /// The index of its project.
    pub project: u32,
}

/// A program to compile.
pub struct Program {
    /// Its files in the order of compilation.
    pub files: Vec<ProgramFile>,
    /// The default path of its products, without extension.
    pub product: PathBuf,
    /// Its machine, if its project names one.
    pub machine: Option<ProjectMachine>,
    /// Objects and archives that its projects name.
    pub(crate) link: Vec<Placed<PathBuf>>,
    /// The lowest level of messages that are logged, if its project sets it.
    pub(crate) log_level: Option<LogLevelChoice>,
    /// The optimisation level, if its project sets it.
    pub optimisation: Option<Optimisation>,
}

/// The machine settings of a project.
pub struct ProjectMachine {
    /// The machine; nothing for this one.
    pub(crate) named: Option<NamedMachine>,
    /// The size of the stack.
    pub(crate) stack: Option<Placed<Bytes>>,
    /// The size of the pool of regions.
    pub(crate) pool: Option<Placed<Bytes>>,
}

/// The machine that a project names.
pub(crate) enum NamedMachine {
    /// A target, for its default board.
    Target(Placed<String>),
    /// A board, and the target that it must have.
    Board(Placed<String>, Option<Placed<String>>),
}

impl Program {
    /// A program held in memory: the name and the text of each file, in the order of compilation. Diagnostics name the
    /// files by these names; nothing is read.
    pub fn in_memory<Name: Into<String>, Text: Into<String>>(
        session: &mut Session,
        files: impl IntoIterator<Item = (Name, Text)>,
    ) -> Program {
        let add = |(name, text): (Name, Text)| ProgramFile { file: session.sources.add(name, text), project: 0 };
        Program::of_files(files.into_iter().map(add).collect(), PathBuf::from("program"))
    }

    /// A program without a project.
    fn of_files(files: Vec<ProgramFile>, product: PathBuf) -> Program {
        Program { files, product, machine: None, link: Vec::new(), log_level: None, optimisation: None }
    }
}

/// What a program is made from and makes, without its texts.
pub struct Outline {
    /// The default path of its products, without extension.
    pub product: PathBuf,
    /// Its source files, its project files, and what is linked with it.
    pub inputs: Vec<PathBuf>,
}

/// The outline of what the paths name; without paths, of the project of this directory. Reads project files only.
pub fn outline(session: &mut Session, paths: &[PathBuf]) -> Result<Outline, Vec<Diagnostic>> {
    session.enter("read");
    let Some(path) = project_path(paths)? else {
        return Ok(Outline { product: product_of_files(paths), inputs: paths.to_vec() });
    };
    let mut warnings = Vec::new();
    let projects = ordered(&mut session.sources, &session.files, &path, &mut warnings)?;
    session.settle(warnings)?;
    let product = projects.last().map(product_of_project).unwrap_or_default();
    let inputs = projects.into_iter().flat_map(|Project { file, sources, link, .. }| {
        [file].into_iter().chain(sources.into_iter().chain(link).map(|placed| placed.value))
    });
    Ok(Outline { product, inputs: inputs.collect() })
}

/// The default path of the products of source files: the last file is the one that uses the others.
fn product_of_files(paths: &[PathBuf]) -> PathBuf {
    paths.last().and_then(|path| path.file_stem()).map(PathBuf::from).unwrap_or_default()
}

/// The default path of the products of a project.
fn product_of_project(project: &Project) -> PathBuf {
    project.file.with_file_name(project.output.as_ref().unwrap_or(&project.name))
}

/// Reads what the paths name; without paths, the project of this directory. Reports warnings.
pub fn read(session: &mut Session, paths: &[PathBuf]) -> Result<Program, Vec<Diagnostic>> {
    session.enter("read");
    match project_path(paths)? {
        Some(project) => read_project(session, &project, None),
        None => read_files(session, paths),
    }
}

/// Reads a project, the one of this directory if no path is given, with one more file as its last. That file replaces
/// one without a module declaration, which holds the entry point. Reports warnings.
pub fn read_with(session: &mut Session, project: &[PathBuf], last: &Path) -> Result<Program, Vec<Diagnostic>> {
    session.enter("read");
    match project_path(project)? {
        Some(project) => read_project(session, &project, Some(last)),
        None => clef_base::internal::bug("read", None, "files are not a project"),
    }
}

/// The project file that the paths name, if they name a project.
fn project_path(paths: &[PathBuf]) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
    let [first, rest @ ..] = paths else {
        let none = || {
            Diagnostic::general(codes::NO_PROJECT, "no source file given, and no project in this directory")
                .help("pass source files in dependency order, or a project: `clefc run FILE`")
        };
        return Ok(Some(here()?.ok_or_else(none)?));
    };
    if rest.is_empty() {
        return Ok(manifest(first)?);
    }
    let is_project = |path: &&PathBuf| matches!(manifest(path), Ok(Some(_)));
    match paths.iter().find(is_project) {
        Some(project) => {
            let message = format!("cannot combine the project `{}` with other files", project.display());
            Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message)
                .help("pass only the project, which lists its files")
                .into())
        }
        None => Ok(None),
    }
}

fn read_files(session: &mut Session, paths: &[PathBuf]) -> Result<Program, Vec<Diagnostic>> {
    let mut reader = Reader { session, files: Vec::new(), seen: Vec::new(), errors: Vec::new() };
    for path in paths {
        reader.add(path, 0, None);
    }
    Ok(Program::of_files(reader.finish()?, product_of_files(paths)))
}

fn read_project(session: &mut Session, path: &Path, last: Option<&Path>) -> Result<Program, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let projects = ordered(&mut session.sources, &session.files, path, &mut warnings)?;
    session.settle(warnings)?;
    let mut reader = Reader { session, files: Vec::new(), seen: Vec::new(), errors: Vec::new() };
    for (number, project) in (0..).zip(&projects) {
        let first = reader.files.len();
        for source in &project.sources {
            reader.add(&source.value, number, Some(source.span));
        }
        for file in &reader.files[first..] {
            reader.session.sources.define_in(file.file, project.defines.iter().cloned());
        }
    }
    if let Some(last) = last {
        reader.drop_unnamed();
        reader.add(last, projects.len().saturating_sub(1) as u32, None);
        let defines = projects.last().map(|project| project.defines.clone()).unwrap_or_default();
        if let Some(file) = reader.files.last() {
            reader.session.sources.define_in(file.file, defines);
        }
    }
    let files = reader.finish()?;
    let link = projects.iter().flat_map(|project| &project.link).cloned().collect();
    let Some(project) = projects.into_iter().next_back() else {
        clef_base::internal::bug("read", None, "a project must be one of its projects")
    };
    let product = product_of_project(&project);
    let Project { target, board, log_level, optimisation, stack, pool, .. } = project;
    let named = match (board, target) {
        (Some(board), target) => Some(NamedMachine::Board(board, target)),
        (None, target) => target.map(NamedMachine::Target),
    };
    let machine = Some(ProjectMachine { named, stack, pool });
    let optimisation = optimisation.map(Optimisation::from);
    let log_level = log_level.map(LogLevelChoice::from);
    Ok(Program { files, product, machine, link, log_level, optimisation })
}

/// Reads files, each once.
struct Reader<'a> {
    session: &'a mut Session,
    files: Vec<ProgramFile>,
    /// The files by canonical path, with their locations.
    seen: Vec<(PathBuf, Option<Span>)>,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Adds a file of a project; `from` is the location that names it.
    fn add(&mut self, path: &Path, project: u32, from: Option<Span>) {
        // A file that does not exist is reported when it is read.
        let known = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some((_, first)) = self.seen.iter().find(|(seen, _)| *seen == known) {
            let code = if from.is_some() { codes::INVALID_PROJECT_VALUE } else { codes::UNSUITABLE_OPTION };
            let diagnostic = Diagnostic::general(code, format!("`{}` is given twice", path.display())).at_if(from);
            let diagnostic =
                first.iter().fold(diagnostic, |diagnostic, first| diagnostic.also(*first, "first given here"));
            self.errors.push(diagnostic.help("pass each source file once"));
            return;
        }
        self.seen.push((known, from));
        match self.session.files.source(path, from) {
            Ok(text) => {
                let file: FileId = self.session.sources.add(path.display().to_string(), text);
                self.files.push(ProgramFile { file, project });
            }
            Err(diagnostic) => self.errors.push(diagnostic),
        }
    }

    /// Drops the last file, if it has no module declaration: no other file can use it.
    fn drop_unnamed(&mut self) {
        let is_unnamed = |last: &mut ProgramFile| {
            let (tree, _) = clef_syntax::parse(&self.session.sources, last.file);
            tree.header.is_none()
        };
        self.files.pop_if(is_unnamed);
    }

    fn finish(self) -> Result<Vec<ProgramFile>, Vec<Diagnostic>> {
        if self.errors.is_empty() { Ok(self.files) } else { Err(self.errors) }
    }
}
