//! What a feature sees of a check.
//!
//! In: the newest check with a file, locked, and the open documents. Out: names, types, trees, and places for the editor. Holds: the
//! text of the file is the one that the editor asked about.

use crate::{
    check::{Checked, CheckedProgram, Library},
    client::Client,
    documents::Documents,
    frames::Frames,
    positions::Lines,
    storage::Allocations,
    workspace::Unit,
};
use clef_base::{Diagnostic, FileId, SourceMap, Span, Symbol};
use clef_check::{Entity, Use, index::Index};
use clef_descriptors::Machine;
use clef_documentation::language::{self, Defined};
use clef_session::{
    Session, library_files,
    options::SessionOptions,
    pipeline::analysis::{Analysis, AnalysisOptions, analyse},
    program::ProgramFile,
};
use clef_storage::place::Row;
use clef_syntax::ast::Ast;
use lsp_types::{Location, MessageType, Position, Range};
use std::{
    io, ops,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The name that is inserted at the cursor.
const MARKER: &str = "ClefcCursor";

/// What is computed while nobody types.
#[derive(Clone, Copy, Default)]
pub(crate) struct Idle<'a> {
    /// Where allocations live, once it is known.
    pub(crate) storage: Option<&'a Allocations>,
    /// What the frames of functions take, once it is known.
    pub(crate) frames: Option<&'a Frames>,
}

/// What a feature sees.
pub(crate) struct View<'a> {
    pub(crate) client: &'a Client,
    pub(crate) documents: &'a Documents,
    /// The file that the editor asks about.
    pub(crate) file: FileId,
    pub(crate) unit: &'a Unit,
    pub(crate) sources: &'a SourceMap,
    pub(crate) diagnostics: &'a [Diagnostic],
    /// The names and types of the program.
    pub(crate) index: &'a mut Index,
    /// What is computed while nobody types.
    pub(crate) idle: Idle<'a>,
    paths: &'a [PathBuf],
    trees: &'a [Ast],
    library: &'a Arc<Library>,
    files: &'a [ProgramFile],
    machine: &'a Machine,
}

impl<'a> View<'a> {
    /// What is seen of a check, if its program could be read.
    pub(crate) fn new(
        checked: &'a mut Checked,
        file: FileId,
        idle: Idle<'a>,
        documents: &'a Documents,
        client: &'a Client,
    ) -> Option<View<'a>> {
        let Checked { unit, sources, paths, diagnostics, program, documents: _ } = checked;
        let CheckedProgram { files, machine, library, analysis, .. } = program.as_mut()?;
        let Analysis { trees, index, .. } = analysis;
        let view = View {
            client,
            documents,
            file,
            unit,
            sources,
            diagnostics,
            index,
            idle,
            paths,
            trees,
            library,
            files,
            machine,
        };
        Some(view)
    }

    /// The text of the file.
    pub(crate) fn text(&self) -> &'a str {
        &self.sources.file(self.file).text
    }

    /// The lines of the file.
    pub(crate) fn lines(&self) -> Lines<'a> {
        Lines::new(self.text(), self.client.encoding)
    }

    /// The lines of any file.
    pub(crate) fn lines_of(&self, file: FileId) -> Lines<'a> {
        Lines::new(&self.sources.file(file).text, self.client.encoding)
    }

    /// The offset of a position in the file.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        self.lines().offset(position) as u32
    }

    /// The name at a position.
    pub(crate) fn name_at(&self, position: Position) -> Option<Use> {
        self.name_at_offset(self.offset(position))
    }

    /// The name at an offset. The module of a file without a declaration of it has a name that is not in the text.
    pub(crate) fn name_at_offset(&self, offset: u32) -> Option<Use> {
        self.index.at(self.file, offset).filter(|name| name.span.start < name.span.end)
    }

    /// The tree of the file.
    pub(crate) fn tree(&self) -> Option<&'a Ast> {
        self.tree_of(self.file)
    }

    /// The tree of any file of the program or the library.
    pub(crate) fn tree_of(&self, file: FileId) -> Option<&'a Ast> {
        let own = self.trees.iter().find(|tree| tree.file == file);
        own.or_else(|| self.library.trees.get(file.0 as usize))
    }

    /// The trees of all files: those of the program, then those of the library.
    pub(crate) fn trees(&self) -> impl Iterator<Item = &'a Ast> + use<'a> {
        self.trees.iter().chain(&self.library.trees)
    }

    /// Whether a file belongs to the library.
    pub(crate) fn is_of_library(&self, file: FileId) -> bool {
        (file.0 as usize) < self.library.trees.len()
    }

    /// Where the program makes an allocation: the innermost place that is not in the library, of the allocation itself, or of its
    /// code.
    pub(crate) fn allocated(&self, row: &Row) -> Span {
        let places = std::iter::once(&row.place).chain(&row.code);
        places.copied().find(|place| !self.is_of_library(place.file)).unwrap_or(row.place)
    }

    /// Whether an entity belongs to the library or to the language.
    pub(crate) fn is_given(&self, entity: Entity) -> bool {
        self.index.declaration(entity).is_none_or(|span| self.is_of_library(span.file))
    }

    /// The library.
    pub(crate) fn library(&self) -> &'a Arc<Library> {
        self.library
    }

    /// The path of a file.
    pub(crate) fn path(&self, file: FileId) -> &'a Path {
        &self.paths[file.0 as usize]
    }

    /// The file with a path.
    pub(crate) fn file_with(&self, path: &Path) -> Option<FileId> {
        self.paths.iter().rposition(|own| own == path).map(|index| FileId(index as u32))
    }

    /// A span for the editor. Writes the files of the library, if it is in one.
    pub(crate) fn location(&self, span: Span) -> Option<Location> {
        if self.is_of_library(span.file) {
            self.written(library_files::write(&self.library.folder, &self.library.checked.sources))?;
        }
        let uri = self.documents.uri(&self.paths[span.file.0 as usize])?;
        Some(Location { uri, range: self.lines_of(span.file).range(span) })
    }

    /// What the language itself defines, on a page about it. Writes the page to the files of the library.
    pub(crate) fn location_in_language(&self, of: Defined<'_>) -> Option<Location> {
        let line = language::line(of)? as u32;
        let page = library_files::write_page(&self.library.folder, "language.md", &language::page());
        let uri = self.documents.uri(&self.written(page)?)?;
        Some(Location { uri, range: Range::new(Position::new(line, 0), Position::new(line, 0)) })
    }

    /// What was written to the files of the library, or nothing if that is not possible, which is logged.
    fn written<T>(&self, result: io::Result<T>) -> Option<T> {
        let folder = self.library.folder.display();
        let log = |error: &io::Error| {
            self.client.log(MessageType::ERROR, format!("cannot write the library to `{folder}`: {error}"));
        };
        result.inspect_err(log).ok()
    }

    /// Whether programs of this machine are written to the flash of a board.
    pub(crate) fn has_flash(&self) -> bool {
        self.machine.board.value.flash().is_some()
    }

    /// Checks the program with a marker in place of a range of the file, and with what follows it. The index knows what the marker
    /// could be.
    pub(crate) fn with_marker(&self, replaced: ops::Range<usize>, following: &str) -> Option<Marked> {
        if self.is_of_library(self.file) {
            return None;
        }
        let mut text = self.text().to_owned();
        text.replace_range(replaced.clone(), &format!("{MARKER}{following}"));
        let (sources, mut analysis) = self.analysed([(self.file, text)], Some(Symbol::new(MARKER)));
        let place = analysis.trees.iter().position(|tree| tree.file == self.file)?;
        let tree = analysis.trees.swap_remove(place);
        let span = Span::new(self.file, replaced.start, replaced.start + MARKER.len());
        Some(Marked { index: analysis.index, tree, span, sources })
    }

    /// Checks the program with other texts of some files.
    pub(crate) fn with_texts(&self, texts: impl IntoIterator<Item = (FileId, String)>) -> Analysis {
        self.analysed(texts, None).1
    }

    fn analysed(
        &self,
        texts: impl IntoIterator<Item = (FileId, String)>,
        watch: Option<Symbol>,
    ) -> (SourceMap, Analysis) {
        let mut session = Session::new(SessionOptions::default(), |_, _| {});
        session.sources = self.sources.clone();
        for (file, text) in texts {
            session.sources.set_text(file, text);
        }
        let options = AnalysisOptions { runs_tests: self.unit.runs_tests(), watch };
        let analysis = analyse(&mut session, &self.library.checked, self.files, self.machine, options);
        (session.sources, analysis)
    }
}

/// A program with a marker at the cursor.
pub(crate) struct Marked {
    /// What is known about it.
    pub(crate) index: Index,
    /// The tree of the file.
    pub(crate) tree: Ast,
    /// The marker.
    pub(crate) span: Span,
    /// The source files.
    pub(crate) sources: SourceMap,
}
