//! A program as an editor sees it: all that is known about it, also if it has errors.
//!
//! In: the files of a program, and the library for its machine, which is checked once for many programs. Out: an
//! [`Analysis`], with the diagnostics that `clefc check` reports; and for a program without errors, the storage of what it
//! allocates.

use super::{
    board,
    front_end::{self, define_names, facts, parse},
    middle_end::{checked, lowered, placed},
};
use crate::{Session, options::Optimisation, program::ProgramFile};
use clef_base::{
    Diagnostic, HashMap, SourceMap, Span, Symbol,
    diagnostic::{has_errors, without_consequences},
    internal::bug,
};
use clef_check::{Owner, Unit, index::Index};
use clef_descriptors::Machine;
use clef_lower::Names;
use clef_psg::{Psg, print::captures::closure_spans};
use clef_storage::place::{Listing, Representation, Row, Stored, representations};
use clef_syntax::ast::Ast;

/// The library for a machine.
pub struct CheckedLibrary {
    /// Its files. The source maps of analysed programs start with them.
    pub sources: SourceMap,
    files: front_end::Library,
    texts: Vec<clef_library::Source>,
    word_bits: u32,
    /// Whether it has the registers of the machine's chip.
    registers: bool,
    checked: clef_check::Library,
}

impl CheckedLibrary {
    /// Checks the library for a machine, with or without the registers of its chip ([`super::uses_registers`]).
    pub fn new(session: &mut Session, machine: &Machine, registers: bool) -> CheckedLibrary {
        session.sources = SourceMap::default();
        define_names(session, machine);
        let files = front_end::Library::add(session, machine, registers);
        let (trees, _) = parse(session, files.files());
        let units: Vec<Unit<'_>> = trees.iter().map(|ast| Unit { ast, owner: Owner::Library }).collect();
        let facts = facts(&machine.target.value);
        let Some(checked) = clef_check::Library::indexed(&units, &session.sources, facts) else {
            bug("check", None, "the library has no files")
        };
        let texts = clef_library::sources_for(&machine.target.value.name, &machine.board.value);
        CheckedLibrary {
            sources: session.sources.clone(),
            files,
            texts,
            word_bits: facts.word_bits,
            registers,
            checked,
        }
    }

    /// Whether it is the library for a machine, too, with or without the registers of its chip.
    pub fn is_for(&self, machine: &Machine, registers: bool) -> bool {
        self.registers == registers
            && self.word_bits == facts(&machine.target.value).word_bits
            && self.texts == clef_library::sources_for(&machine.target.value.name, &machine.board.value)
    }
}

/// What is known about a program.
pub struct Analysis {
    /// The trees of its files, in their order.
    pub trees: Vec<Ast>,
    /// Its names and types.
    pub index: Index,
    /// What `clefc check` reports.
    pub diagnostics: Vec<Diagnostic>,
}

/// How to analyse a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnalysisOptions {
    /// Whether the program runs its tests in place of its entry point.
    pub runs_tests: bool,
    /// A name to watch for, which an editor has inserted at its cursor. Only names and types are of interest then.
    pub watch: Option<Symbol>,
}

/// Analyses a program. The source files of the session start with those of the library.
pub fn analyse(
    session: &mut Session,
    library: &CheckedLibrary,
    files: &[ProgramFile],
    machine: &Machine,
    options: AnalysisOptions,
) -> Analysis {
    let (trees, mut diagnostics) = parse(session, files.iter().map(|file| file.file));
    let units = files.iter().zip(&trees).map(|(file, ast)| Unit { ast, owner: Owner::Project(file.project) });
    let units: Vec<Unit<'_>> = units.collect();
    session.enter("check");
    let (index, found) = library.checked.index(&units, &session.sources, (options.runs_tests, options.watch));
    diagnostics.extend(without_consequences(&session.sources, &diagnostics, found));
    if let (Some(psg), false, None) = (index.psg(), has_errors(&diagnostics), options.watch) {
        session.enter("escape");
        diagnostics.extend(clef_analysis::escape::check(psg));
        diagnostics.extend(board::check(psg, &machine.board.value, &library.files));
        if !has_errors(&diagnostics) {
            let (_, later) = session.collect(|session| checked(session, psg, files, machine));
            diagnostics.extend(later);
        }
    }
    let diagnostics = session.judged(diagnostics);
    Analysis { trees, index, diagnostics }
}

/// The storage of what a program allocates.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// The allocations, in the order of their places.
    pub rows: Vec<Row>,
    /// The layout of each closure, by where its function is.
    pub layouts: HashMap<Span, String>,
    /// How function values that can be overwritten are stored.
    pub stored: Vec<Stored>,
    /// The representation of each lambda and local function of the program.
    pub lambdas: HashMap<Span, Representation>,
}

/// The storage of a program without errors, at an optimisation level; nothing if a later step finds an error.
pub fn storage(
    session: &mut Session,
    psg: &Psg,
    files: &[ProgramFile],
    machine: &Machine,
    optimisation: Optimisation,
) -> Storage {
    let (program, _) = session.collect(|session| {
        let program = lowered(session, psg, files, machine, Names::Needed)?;
        placed(session, program, files, machine, optimisation)
    });
    let Some(program) = program else { return Storage::default() };
    let Listing { rows, stored, .. } = clef_storage::place::listing(&program, &session.sources);
    let layouts = clef_codegen::report::closures(&program, &machine.target.value);
    let written = closure_spans(psg);
    let representations = representations(&written, &program);
    Storage { rows, layouts, stored, lambdas: written.into_iter().zip(representations).collect() }
}
