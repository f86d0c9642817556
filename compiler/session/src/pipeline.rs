//! The table of contents: from source files to products, step by step.
//!
//! In: a [`Job`] and the requested products. Out: those products, or the diagnostics of the first step that found an
//! error. Each step says what must hold before it; later steps may rely on it.

pub mod analysis;
mod back_end;
mod board;
mod front_end;
mod image;
pub mod interactive;
mod library;
mod middle_end;

use crate::{
    Session,
    emit::{Emit, Format},
    job::{Job, Purpose},
    options::LogLevelChoice,
    products::{Compilation, Product, Products},
    program::ProgramFile,
    static_data, storage_json,
};
pub(crate) use back_end::llvm_machine;
use back_end::{machine_code, sound};
use clef_base::Diagnostic;
use clef_descriptors::Machine;
use clef_image::link::{AMPLE, Sections};
use clef_library::DeviceModule;
use clef_lower::Names;
use clef_psg::{Psg, print::captures::closure_spans};
pub use front_end::uses_registers;
use front_end::{Library, check_trees, define_names, own_files, parse, tokens};
use image::{bounds, linked, sizes};
use middle_end::{checked, lowered, placed};

/// Compiles a job and makes the requested products, which are in the order of the pipeline. Reports warnings.
pub fn compile(session: &mut Session, job: &Job, wanted: &[Emit]) -> Result<Compilation, Vec<Diagnostic>> {
    let mut products = Products::new(wanted);
    let target = &job.machine.target.value;

    // Text → tokens → tree. Before: the files are valid UTF-8.
    define_names(session, &job.machine);
    products.text(Emit::Tokens, || tokens(session, &job.files));
    let (trees, diagnostics) = parse(session, job.files.iter().map(|file| file.file));
    products.text(Emit::Ast, || trees.iter().map(clef_syntax::dump::dump).collect());
    if !products.goes_on() {
        session.settle(diagnostics)?;
        return Ok(products.done);
    }

    // Trees → typed graph with captures. Before: each index of a tree is valid; what is missing is an error node.
    let library = Library::for_program(session, &job.files, &job.machine);
    let mut psg = check_trees(session, &library, &job.files, trees, diagnostics, &job.machine, job.purpose)?;
    products.done.tests.clone_from(&psg.tests);
    products.done.has_entry = psg.entry.is_some();
    psg.omitted_level = job.log_level.and_then(LogLevelChoice::omitted);
    products.text(Emit::Psg, || clef_psg::print::psg::psg_text(&psg));
    products.text(Emit::Captures, || clef_psg::print::captures::captures_text(&psg, &session.sources));
    if !products.goes_on() {
        return Ok(products.done);
    }

    // Graph → Core with storage. Before: every node has a type; no capture outlives what it refers to.
    let names = if job.keeps_variables() { Names::All } else { Names::Needed };
    let mut program = lowered(session, &psg, &job.files, &job.machine, names)?;
    program.is_library = job.purpose.library().is_some();
    // The library functions that a program uses are only visible before inlining.
    let uses = |device| program.functions.values().any(|function| library.is_of(function.span, device));
    products.done.uses_uart = uses(DeviceModule::Uart);
    let adapted = job.adapted(uses(DeviceModule::Flash), uses(DeviceModule::Watchdog));
    let job = &adapted;
    let program = placed(session, program, &job.files, &job.machine, job.optimisation)?;
    session.settle(board::unheard_log(&program, job).into_iter().collect())?;
    products.text(Emit::Core, || clef_core::print::print(&program));
    products.text(Emit::Storage, || clef_storage::place::storage(&program, &session.sources));
    products.text(Emit::StorageJson, || {
        let listing = clef_storage::place::listing(&program, &session.sources);
        storage_json::text(&listing, clef_storage::place::closures(&closure_spans(&psg), &program), &session.sources)
    });
    products.text(Emit::Layout, || clef_codegen::report::text(&program, target, &session.sources));
    if !products.goes_on() {
        return Ok(products.done);
    }

    // Core → MLIR → LLVM. Before: every allocation has its storage, and what is static can fit.
    session.enter("static data");
    let (board, own) = (&job.machine.board.value, own_files(&job.files));
    session.settle(static_data::excess(&program, target, board, &own, AMPLE).into_iter().collect())?;
    let Some(compiled) = machine_code(session, &psg, &program, job, &mut products) else {
        return Ok(products.done);
    };
    products.text(Emit::LlvmIr, || sound(compiled.ir()));
    products.text(Emit::Asm, || sound(compiled.assembly()));
    if !products.goes_on() {
        return Ok(products.done);
    }

    // LLVM → object → image, checked. Before: nothing is undefined except the builtin routines.
    session.enter("emit");
    products.bytes(Emit::Obj, || sound(compiled.object()));
    if let Some(name) = job.purpose.library()
        && products.goes_on()
    {
        let objects = sound(compiled.objects());
        let made = library::archive(session, &objects, (&psg, &program), job, name)?;
        products.done.products.push((Emit::Lib, Product::Library(made)));
    }
    if products.goes_on() {
        let objects = sound(compiled.objects());
        let image = linked(session, &objects.files, &psg, &Sections::of(&program, &job.link), job)?;
        let (bounds, calls) = bounds(session, &image, &objects, &program, &psg, job)?;
        session.settle(bounds.diagnostics(session.denies_unbounded()))?;
        for (product, format) in wanted.iter().filter_map(|product| Some((*product, Format::of(*product)?))) {
            let bytes = format.written(&image.bytes, &job.machine.board.value)?;
            products.done.products.push((product, Product::Bytes(bytes)));
        }
        products.done.sizes = Some(sizes(session, &image, &program, job)?);
        products.done.memory = Some(image.memory);
        products.done.bounds = Some(bounds);
        products.done.calls = Some(calls);
    }
    Ok(products.done)
}

/// Checks a program; returns its graph. Reports warnings.
pub fn graph(session: &mut Session, files: &[ProgramFile], machine: &Machine) -> Result<Psg, Vec<Diagnostic>> {
    define_names(session, machine);
    let (trees, diagnostics) = parse(session, files.iter().map(|file| file.file));
    let library = Library::for_program(session, files, machine);
    check_trees(session, &library, files, trees, diagnostics, machine, Purpose::Run)
}

/// Runs the steps that find errors in programs, and reports warnings.
pub fn check(session: &mut Session, files: &[ProgramFile], machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    define_names(session, machine);
    let (trees, diagnostics) = parse(session, files.iter().map(|file| file.file));
    let library = Library::for_program(session, files, machine);
    let psg = check_trees(session, &library, files, trees, diagnostics, machine, Purpose::Run)?;
    checked(session, &psg, files, machine)
}
