//! The modules of the library.

use super::examples;
use crate::cli::MachineOptions;
use clef_base::{Diagnostic, FileId, SourceMap};
use clef_descriptors::{Board, Machine};
use clef_documentation::{
    language,
    reference::{self, Module},
    site::TextPage,
};
use clef_session::{
    Session, machine,
    machine::MachineChoice,
    pipeline::analysis::{AnalysisOptions, CheckedLibrary, analyse},
};

/// Shipped boards whose libraries together have every module.
const BOARDS: [&str; 2] = ["microbit-v2", "qemu-q35"];

/// What the list of modules begins with.
pub(super) const INTRODUCTION: &str = "\
What programs can call, without `open`. Each function states its *allocation*: **none**; **static** for what is allocated once per \
program; or **region** for what is in a region, unless the compiler finds a better place for it in a program (`clefc --emit storage` \
shows that). What a function that is passed as an argument allocates does not count. *Complexity* is in the number `n` of elements, \
where functions that are passed take constant time.";

/// The page of what the language itself defines.
pub(super) fn language() -> TextPage {
    TextPage { path: "library/language.html".to_owned(), title: language::TITLE.to_owned(), text: language::page() }
}

/// The library as it is documented.
pub(super) struct Library {
    /// Its files.
    pub(super) sources: SourceMap,
    /// Its modules, each with what is said about it first.
    pub(super) modules: Vec<(Module, String)>,
}

/// The library of the requested machine, or else that of all boards. Runs its examples.
pub(super) fn library(session: &mut Session, options: &MachineOptions) -> Result<Library, Vec<Diagnostic>> {
    let choices = match options.choice() {
        MachineChoice { target: None, board: None } => {
            BOARDS.map(|board| MachineChoice { board: Some(board.to_owned()), target: None }).to_vec()
        }
        choice => vec![choice],
    };
    let mut library = Library { sources: SourceMap::default(), modules: Vec::new() };
    for choice in choices {
        let machine = machine::resolve(session, &choice, None)?;
        add(session, &machine, &mut library)?;
    }
    library.modules.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    let boards = session.resolver().shipped_boards()?;
    let texts: Vec<(String, String)> = boards.iter().map(|board| (board.name.clone(), text(board))).collect();
    for (module, note) in &mut library.modules {
        *note = on_boards(&module.name, &texts);
    }
    Ok(library)
}

/// Adds the modules of a machine's library that are not yet there.
fn add(session: &mut Session, machine: &Machine, library: &mut Library) -> Result<(), Vec<Diagnostic>> {
    let checked = CheckedLibrary::new(session, machine, false);
    let files: Vec<FileId> = checked.sources.files().map(|(file, _)| file).collect();
    let trees: Vec<_> = files.iter().map(|&file| clef_syntax::parse(&session.sources, file).0).collect();
    let mut index = analyse(session, &checked, &[], machine, AnalysisOptions::default()).index;
    let mut modules = reference::modules(&session.sources, &trees, &mut index);
    modules.retain(|module| library.modules.iter().all(|(known, _)| known.name != module.name));
    examples::run(session, &[], machine, &modules)?;
    let mut adopted: Vec<(FileId, FileId)> = Vec::new();
    for mut module in modules {
        module.move_to(&mut |file| match adopted.iter().find(|(from, _)| *from == file) {
            Some((_, to)) => *to,
            None => {
                let to = library.sources.adopt(session.sources.file(file));
                adopted.push((file, to));
                to
            }
        });
        library.modules.push((module, String::new()));
    }
    Ok(())
}

/// The text of a board's library.
fn text(board: &Board) -> String {
    clef_library::sources_for(&board.target, board).into_iter().map(|source| source.text).collect()
}

/// Which boards have a module, unless all have it.
fn on_boards(module: &str, texts: &[(String, String)]) -> String {
    let line = format!("module {module} =");
    let having: Vec<&str> = texts
        .iter()
        .filter(|(_, text)| text.lines().any(|found| found == line))
        .map(|(board, _)| board.as_str())
        .collect();
    match having.len() == texts.len() {
        true => String::new(),
        false => format!("On these boards: {}.", having.join(", ")),
    }
}
