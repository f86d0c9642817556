//! The table of contents: from source files to products, one step after the other.
//!
//! In: a [`Job`] and the products that are wanted. Out: those products, or the diagnostics of the first step that found
//! an error. Each step says what must hold before it; later steps may rely on it.

use crate::{cli::Optimisation, emit::Emit, session::Session};
use clef_base::{Diagnostic, FileId, codes, diagnostic::has_errors};
use clef_syntax::{lexer::lex, list::list, offside::lay_out};
use clef_target::Machine;

/// What is to be compiled, and how.
pub struct Job {
    /// The source files, in the order of their dependencies.
    pub files: Vec<FileId>,
    /// For what.
    pub machine: Machine,
    /// How far to optimise.
    pub optimisation: Optimisation,
    /// Whether to add line tables.
    pub debug: bool,
}

/// Something that a compilation makes.
pub enum Product {
    /// For people.
    Text(String),
    /// For machines.
    Bytes(Vec<u8>),
}

/// The products of a run, as far as they are made.
struct Products<'a> {
    wanted: &'a [Emit],
    made: Vec<(Emit, Product)>,
}

impl Products<'_> {
    /// Makes a text, if it is wanted.
    fn text(&mut self, emit: Emit, make: impl FnOnce() -> String) {
        if self.wanted.contains(&emit) {
            self.made.push((emit, Product::Text(make())));
        }
    }

    /// Whether nothing is left to make.
    fn complete(&self) -> bool {
        self.made.len() == self.wanted.len()
    }
}

/// Compiles a job and makes the wanted products, which are in the order of the pipeline.
pub fn compile(session: &mut Session, job: &Job, wanted: &[Emit]) -> Result<Vec<(Emit, Product)>, Vec<Diagnostic>> {
    let mut products = Products { wanted, made: Vec::new() };

    // Text → tokens with layout. Before: the files are valid UTF-8.
    session.phase = "lex";
    let mut diagnostics = Vec::new();
    let mut tokens = Vec::new();
    for &file in &job.files {
        let (found, wrong) = lex(file, &session.sources.file(file).text);
        diagnostics.extend(wrong);
        let (laid_out, wrong) = lay_out(found);
        diagnostics.extend(wrong);
        tokens.push(laid_out);
    }
    products.text(Emit::Tokens, || tokens.iter().map(|tokens| list(tokens)).collect());
    if products.complete() {
        return finish(session, products, diagnostics);
    }
    let missing = Diagnostic::general(codes::UNFIT_OPTION, "later steps are missing");
    Err(vec![missing])
}

/// Runs the steps that find errors in programs.
pub fn check(session: &mut Session, files: &[FileId], _machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    let _ = (session, files);
    Ok(())
}

/// The products, unless there are errors; warnings are shown.
fn finish(
    session: &Session,
    products: Products<'_>,
    diagnostics: Vec<Diagnostic>,
) -> Result<Vec<(Emit, Product)>, Vec<Diagnostic>> {
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    session.report(&diagnostics);
    Ok(products.made)
}
