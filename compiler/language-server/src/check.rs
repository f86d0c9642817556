//! One check of a unit.
//!
//! In: a unit, and the open documents. Out: a [`Checked`]: the diagnostics, and all that is known about the program. Holds: the
//! source files start with those of the library, which is checked once for each machine.

use crate::{documents::Documents, workspace::Unit};
use clef_base::{Diagnostic, FileId, SourceMap};
use clef_descriptors::Machine;
use clef_session::{
    Session, library_files,
    machine::{self, MachineChoice},
    options::{Optimisation, SessionOptions},
    pipeline::{
        analysis::{Analysis, AnalysisOptions, CheckedLibrary, analyse},
        uses_registers,
    },
    program::{Program, ProgramFile},
};
use clef_syntax::ast::Ast;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The result of a check.
pub(crate) struct Checked {
    /// Its unit.
    pub(crate) unit: Unit,
    /// Its source files: the library, project files, descriptors, and those of the program.
    pub(crate) sources: SourceMap,
    /// The documents when it was checked.
    pub(crate) documents: Documents,
    /// The path of each source file.
    pub(crate) paths: Arc<Vec<PathBuf>>,
    /// What `clefc check` reports.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The program, unless it could not be read.
    pub(crate) program: Option<CheckedProgram>,
}

/// A program that was read.
pub(crate) struct CheckedProgram {
    pub(crate) files: Vec<ProgramFile>,
    pub(crate) machine: Machine,
    pub(crate) library: Arc<Library>,
    pub(crate) analysis: Analysis,
    /// Its optimisation level.
    pub(crate) optimisation: Optimisation,
}

/// A library, with what editors show of it.
pub(crate) struct Library {
    pub(crate) checked: CheckedLibrary,
    /// The trees of its files.
    pub(crate) trees: Vec<Ast>,
    /// The folder of its files.
    pub(crate) folder: PathBuf,
    /// The names of the target and the board, which are defined for `#if`.
    names: [String; 2],
}

impl Library {
    fn new(machine: &Machine, registers: bool) -> Library {
        let mut session = Session::new(SessionOptions::default(), |_, _| {});
        let checked = CheckedLibrary::new(&mut session, machine, registers);
        let parse = |(file, _)| clef_syntax::parse(&checked.sources, file).0;
        let trees = checked.sources.files().map(parse).collect();
        let folder = library_files::folder(&checked.sources);
        Library { checked, trees, folder, names: names(machine) }
    }

    fn is_for(&self, machine: &Machine, registers: bool) -> bool {
        self.names == names(machine) && self.checked.is_for(machine, registers)
    }
}

fn names(machine: &Machine) -> [String; 2] {
    [machine.target.value.name.clone(), machine.board.value.name.clone()]
}

/// The libraries that were checked, the last used one first.
pub(crate) struct Libraries {
    known: Vec<Arc<Library>>,
    /// The machine of files without a project.
    choice: MachineChoice,
}

/// The library that a unit needs.
struct Wanted {
    machine: Machine,
    /// Whether it has the registers of the machine's chip.
    registers: bool,
}

/// The number of libraries that are kept.
const KEPT: usize = 4;

impl Libraries {
    /// None yet.
    pub(crate) fn new(choice: MachineChoice) -> Libraries {
        Libraries { known: Vec::new(), choice }
    }

    /// Only this one.
    pub(crate) fn with(library: &Arc<Library>) -> Libraries {
        Libraries { known: vec![Arc::clone(library)], choice: MachineChoice::default() }
    }

    /// Checks a unit.
    pub(crate) fn check(&mut self, unit: Unit, documents: &Documents) -> Checked {
        // Spans are those of a session that starts with the library's files, and the program decides which library that is.
        let first = self.known.first().cloned();
        match self.check_with(&unit, documents, first) {
            Ok(checked) => checked,
            Err(wanted) => {
                let library = self.library(&wanted);
                match self.check_with(&unit, documents, Some(library)) {
                    Ok(checked) => checked,
                    // A file has changed in between.
                    Err(_) => Checked::unread(unit, documents, SourceMap::default(), Vec::new()),
                }
            }
        }
    }

    /// Checks a unit with a library; returns what library it needs if that is another one.
    fn check_with(
        &self,
        unit: &Unit,
        documents: &Documents,
        library: Option<Arc<Library>>,
    ) -> Result<Checked, Box<Wanted>> {
        let mut session = Session::with_unsaved(SessionOptions::default(), documents.texts(), |_, _| {});
        if let Some(library) = &library {
            session.sources = library.checked.sources.clone();
        }
        let (read, mut diagnostics) = session.collect(|session| {
            let program = unit.read(session, documents)?;
            let none = MachineChoice::default();
            let choice = if let Unit::File(_) = unit { &self.choice } else { &none };
            let machine = machine::resolve(session, choice, program.machine.as_ref())?;
            Ok((program, machine))
        });
        let Some((program, machine)) = read else {
            return Ok(Checked::unread(unit.clone(), documents, session.sources, diagnostics));
        };
        let Program { files, optimisation, .. } = program;
        let registers = uses_registers(&session, &files, &machine);
        let Some(library) = library.filter(|library| library.is_for(&machine, registers)) else {
            return Err(Box::new(Wanted { machine, registers }));
        };
        let options = AnalysisOptions { runs_tests: unit.runs_tests(), watch: None };
        let analysis = analyse(&mut session, &library.checked, &files, &machine, options);
        diagnostics.extend_from_slice(&analysis.diagnostics);
        let optimisation = optimisation.unwrap_or_default();
        let paths = paths(&session.sources, Some(&library));
        let program = Some(CheckedProgram { files, machine, library, analysis, optimisation });
        Ok(Checked {
            unit: unit.clone(),
            sources: session.sources,
            documents: documents.clone(),
            paths,
            diagnostics,
            program,
        })
    }

    /// The library that is needed, which is then the first.
    fn library(&mut self, wanted: &Wanted) -> Arc<Library> {
        let Wanted { machine, registers } = wanted;
        let known = self.known.iter().position(|library| library.is_for(machine, *registers));
        let library = match known {
            Some(index) => self.known.remove(index),
            None => Arc::new(Library::new(machine, *registers)),
        };
        self.known.insert(0, Arc::clone(&library));
        self.known.truncate(KEPT);
        library
    }
}

/// The paths of source files; those of the library are in its folder.
fn paths(sources: &SourceMap, library: Option<&Library>) -> Arc<Vec<PathBuf>> {
    let count = library.map_or(0, |library| library.trees.len());
    let path = |(file, source): (FileId, &clef_base::source::SourceFile)| match library {
        Some(library) if (file.0 as usize) < count => library.folder.join(&source.name),
        Some(_) | None => {
            let path = PathBuf::from(&source.name);
            fs::canonicalize(&path).unwrap_or(path)
        }
    };
    Arc::new(sources.files().map(path).collect())
}

impl Checked {
    /// The result for a unit that cannot be read.
    fn unread(unit: Unit, documents: &Documents, sources: SourceMap, diagnostics: Vec<Diagnostic>) -> Checked {
        let paths = paths(&sources, None);
        Checked { unit, sources, documents: documents.clone(), paths, diagnostics, program: None }
    }

    /// The source file with a path.
    pub(crate) fn file(&self, path: &Path) -> Option<FileId> {
        // A file that is read twice has its newest text last.
        self.paths.iter().rposition(|own| own == path).map(|index| FileId(index as u32))
    }

    /// Whether a file belongs to the library.
    pub(crate) fn is_of_library(&self, file: FileId) -> bool {
        self.program.as_ref().is_some_and(|program| (file.0 as usize) < program.library.trees.len())
    }
}

impl CheckedProgram {
    /// The trees of all files: those of the program, then those of the library.
    pub(crate) fn trees(&self) -> impl Iterator<Item = &Ast> {
        self.analysis.trees.iter().chain(&self.library.trees)
    }
}
