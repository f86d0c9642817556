//! `clefc doc`: the documentation of a program, or of the library, as a static site.
//!
//! The site is written once everything is right: the program is checked, the examples of its comments run, and every link leads
//! somewhere.

mod examples;
mod library;
mod manual;
mod pages;
mod write;

use crate::{cli::Doc, commands::Outcome};
use clef_base::{Diagnostic, Severity, SourceMap, codes, diagnostic::has_errors};
use clef_documentation::{
    reference::{self, Module},
    site::{Files, Site, broken},
};
use clef_session::{
    Session, machine,
    pipeline::{
        analysis::{Analysis, AnalysisOptions, CheckedLibrary, analyse},
        uses_registers,
    },
    program,
};

/// Makes the site and writes it.
pub(crate) fn doc(session: &mut Session, doc: &Doc) -> Outcome {
    let directory = write::Directory::prepare(&doc.output)?;
    let files = if doc.library { of_library(session, doc)? } else { of_program(session, doc)? };
    let broken = broken(&files);
    if !broken.is_empty() {
        return Err(broken.iter().map(|(page, link)| leads_nowhere(page, link)).collect());
    }
    directory.write(session, &files)?;
    Ok(0)
}

fn leads_nowhere(page: &str, link: &str) -> Diagnostic {
    Diagnostic::general(codes::BROKEN_LINK, format!("the link `{link}` of the page `{page}` leads nowhere"))
        .help("correct the link in the text of the page; `clefc explain E0962` shows how links are written")
}

/// The site of the library.
fn of_library(session: &mut Session, doc: &Doc) -> Result<Files, Vec<Diagnostic>> {
    let library = library::library(session, &doc.machine)?;
    let mut site = Site::new("Clef", &library.sources);
    if let Some(directory) = &doc.pages {
        pages::add(&mut site, directory)?;
    }
    site.modules("Library", "library", library::INTRODUCTION, library.modules);
    site.pages("Language", vec![library::language()]);
    manual::add(&mut site);
    Ok(site.finish())
}

/// The site of a program.
fn of_program(session: &mut Session, doc: &Doc) -> Result<Files, Vec<Diagnostic>> {
    // What the program is decides which library it has, and the sources start with those of the library.
    let (program, found) = session.collect(|session| program::read(session, &doc.files));
    let Some(program) = program else { return Err(found) };
    let machine = machine::resolve(session, &doc.machine.choice(), program.machine.as_ref())?;
    let registers = uses_registers(session, &program.files, &machine);
    let library = CheckedLibrary::new(session, &machine, registers);
    let program = program::read(session, &doc.files)?;
    let analysed = analyse(session, &library, &program.files, &machine, AnalysisOptions::default());
    let Analysis { trees, mut index, diagnostics } = analysed;
    if has_errors(&diagnostics) {
        return Err(diagnostics.into_iter().filter(|found| found.severity == Severity::Error).collect());
    }
    // Dependencies have documentation of their own.
    let own = program.files.iter().map(|file| file.project).max();
    let is_own = |project: u32| Some(project) == own;
    let trees: Vec<_> =
        trees.into_iter().zip(&program.files).filter(|(_, file)| is_own(file.project)).map(|(tree, _)| tree).collect();
    let modules = reference::modules(&session.sources, &trees, &mut index);
    if modules.is_empty() && doc.pages.is_none() {
        return Err(vec![nothing_to_document()]);
    }
    examples::run(session, &program.files, &machine, &modules)?;
    let name = program.product.file_name().unwrap_or_default().to_string_lossy().into_owned();
    site_of(&name, &session.sources, modules, doc)
}

fn site_of(name: &str, sources: &SourceMap, modules: Vec<Module>, doc: &Doc) -> Result<Files, Vec<Diagnostic>> {
    let mut site = Site::new(name, sources);
    if let Some(directory) = &doc.pages {
        pages::add(&mut site, directory)?;
    }
    site.modules("Modules", "modules", "", modules.into_iter().map(|module| (module, String::new())).collect());
    Ok(site.finish())
}

fn nothing_to_document() -> Diagnostic {
    Diagnostic::general(codes::UNSUITABLE_OPTION, "the program has no public module, so there is nothing to document")
        .help("put functions that other programs use into a file that starts with a module, such as `module Light`")
}
