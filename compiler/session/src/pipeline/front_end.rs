//! From the source texts of a program to its checked graph.

use super::board;
use crate::{Session, job::Purpose, program::ProgramFile};
use clef_base::{
    Diagnostic, FileId, HashSet, Span,
    diagnostic::{has_errors, without_consequences},
    internal::bug,
};
use clef_check::{Owner, Unit};
use clef_descriptors::{Machine, Target};
use clef_library::DeviceModule;
use clef_psg::Psg;
use clef_syntax::ast::Ast;
use clef_types::{TargetFacts, console_symbol::is_of_console};

/// Defines the names of the target and the board for `#if`.
pub(super) fn define_names(session: &mut Session, machine: &Machine) {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let names = [&machine.target.value.name, &machine.board.value.name];
    session.sources.define(names.map(|name| name.chars().map(letter).collect()));
}

/// The program's own files.
pub(super) fn own_files(files: &[ProgramFile]) -> HashSet<FileId> {
    files.iter().map(|file| file.file).collect()
}

/// The target facts for the phases.
pub(super) fn facts(target: &Target) -> TargetFacts {
    TargetFacts { word_bits: target.pointer_bits.bits() }
}

pub(super) fn tokens(session: &mut Session, files: &[ProgramFile]) -> String {
    session.enter("lex");
    let laid_out = |&ProgramFile { file, .. }: &ProgramFile| {
        let is_defined = |name: &str| session.sources.is_defined(file, name);
        let (tokens, _) = clef_syntax::lexer::lex(file, &session.sources.file(file).text, &is_defined);
        clef_syntax::list::list(&clef_syntax::offside::lay_out(tokens).0)
    };
    files.iter().map(laid_out).collect()
}

pub(super) fn parse(session: &mut Session, files: impl Iterator<Item = FileId>) -> (Vec<Ast>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let Session { sources, progress, .. } = session;
    let parse_one = |file: FileId| {
        let (tree, found) = clef_syntax::parse_in_steps(sources, file, &mut |step| progress.enter(step));
        diagnostics.extend(found);
        tree
    };
    (files.map(parse_one).collect(), diagnostics)
}

/// The length of a program, in bytes, up to which it is first checked after the library files that it needs. The time that this
/// saves is constant; a program with a diagnostic is then checked again after all files.
const SHORT: usize = 1 << 16;

/// The files of the library.
pub(super) struct Library {
    files: Vec<FileId>,
    /// Those that are modules of devices.
    devices: Vec<(FileId, DeviceModule)>,
    /// The registers of the chip, which are the last file, for a program that names them.
    registers: Option<FileId>,
}

/// Whether a program uses the registers of the machine's chip that come with the compiler.
pub fn uses_registers(session: &Session, files: &[ProgramFile], machine: &Machine) -> bool {
    let files = files.iter().map(|file| session.sources.file(file.file));
    let texts = files.map(|file| (file.name.as_str(), file.text.as_str()));
    machine.board.value.registers.is_some() && clef_library::names_registers(texts)
}

impl Library {
    /// Adds the library for a program and its machine to the source files.
    pub(super) fn for_program(session: &mut Session, files: &[ProgramFile], machine: &Machine) -> Library {
        let registers = uses_registers(session, files, machine);
        Library::add(session, machine, registers)
    }

    /// Adds the library for a machine to the source files, with or without the registers of its chip.
    pub(super) fn add(session: &mut Session, machine: &Machine, registers: bool) -> Library {
        let mut library = Library { files: Vec::new(), devices: Vec::new(), registers: None };
        for source in clef_library::sources_for(&machine.target.value.name, &machine.board.value) {
            let file = session.sources.add(source.name, source.text);
            library.files.push(file);
            library.devices.extend(source.device.map(|device| (file, device)));
        }
        let registers = registers.then(|| clef_library::registers(&machine.board.value)).flatten();
        library.registers = registers.map(|source| session.sources.add(source.name, source.text));
        library.files.extend(library.registers);
        library
    }

    /// All its files, in order.
    pub(super) fn files(&self) -> impl Iterator<Item = FileId> {
        self.files.iter().copied()
    }

    /// Those that a program needs, in order.
    fn needed(&self, session: &Session, files: &[ProgramFile]) -> Vec<FileId> {
        let text = |file: FileId| session.sources.file(file).text.as_str();
        let others = || self.files().filter(|file| Some(*file) != self.registers);
        let library: Vec<&str> = others().map(text).collect();
        let program: Vec<&str> = files.iter().map(|file| text(file.file)).collect();
        let needed = clef_library::needed(&library, &program);
        let needed = others().zip(needed).filter_map(|(file, needed)| needed.then_some(file));
        needed.chain(self.registers).collect()
    }

    /// Whether a location is in a module of devices.
    pub(super) fn is_of(&self, span: Span, device: DeviceModule) -> bool {
        self.devices.contains(&(span.file, device))
    }
}

/// Checks the library and the program. Parse errors are reported together with the errors of checking.
pub(super) fn check_trees(
    session: &mut Session,
    library: &Library,
    files: &[ProgramFile],
    trees: Vec<Ast>,
    mut diagnostics: Vec<Diagnostic>,
    machine: &Machine,
    purpose: Purpose,
) -> Result<Psg, Vec<Diagnostic>> {
    let own = files.iter().zip(&trees).map(|(file, ast)| Unit { ast, owner: Owner::Project(file.project) });
    let own: Vec<Unit<'_>> = own.collect();
    let length: usize = files.iter().map(|file| session.sources.file(file.file).text.len()).sum();
    let needed = (diagnostics.is_empty() && length <= SHORT).then(|| library.needed(session, files));
    let first = needed.map(|needed| check_after(session, &needed, &own, machine, purpose));
    let (psg, found) = match first {
        Some((Some(psg), found)) if found.is_empty() => (Some(psg), found),
        Some(_) | None => check_after(session, &library.files, &own, machine, purpose),
    };
    diagnostics.extend(without_consequences(&session.sources, &diagnostics, found));
    let mut psg = match psg {
        Some(psg) if !has_errors(&diagnostics) => psg,
        Some(_) | None => return Err(diagnostics),
    };
    session.enter("escape");
    diagnostics.extend(clef_analysis::escape::check(&psg));
    diagnostics.extend(board::check(&psg, &machine.board.value, library));
    if let Purpose::Library(name) = purpose {
        // The console is that of its host.
        psg.exports.retain(|export| !is_of_console(export.symbol));
        diagnostics.extend(crate::library::check(&psg, &machine.board.value, name));
    }
    session.settle(diagnostics)?;
    Ok(psg)
}

/// Checks a program after files of the library.
fn check_after(
    session: &mut Session,
    library: &[FileId],
    own: &[Unit<'_>],
    machine: &Machine,
    purpose: Purpose,
) -> (Option<Psg>, Vec<Diagnostic>) {
    let (parsed, wrong) = parse(session, library.iter().copied());
    if let Some(first) = wrong.first() {
        bug("parse", first.primary.as_ref().map(|label| label.span), format!("the library: {}", first.message));
    }
    session.enter("check");
    let library = parsed.iter().map(|ast| Unit { ast, owner: Owner::Library });
    let units: Vec<Unit<'_>> = library.chain(own.iter().copied()).collect();
    let check = match purpose {
        Purpose::Run | Purpose::Library(_) => clef_check::check,
        Purpose::Test => clef_check::check_tests,
    };
    check(&units, &session.sources, facts(&machine.target.value))
}
