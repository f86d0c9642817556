//! `clefc build FILE…`, and `clefc FILE…` for short: compiles, and writes the requested products.

use super::product_paths;
use crate::{cli::Build, commands::Outcome, terminal::Terminal};
use clef_base::{Diagnostic, codes};
use clef_descriptors::Machine;
use clef_host::output::{self, Mode};
use clef_session::{
    Session,
    emit::{Emit, Format},
    job::{Job, Purpose},
    library, machine, pipeline,
    products::{Compilation, Product},
    program::{self, Program},
};
use std::path::{Path, PathBuf};

/// Where a product goes.
enum Destination {
    StandardOutput,
    File(PathBuf),
}

impl Destination {
    fn file(&self) -> Option<&Path> {
        match self {
            Destination::StandardOutput => None,
            Destination::File(path) => Some(path),
        }
    }
}

/// Compiles, then writes all products; on an error it writes nothing.
pub(crate) fn compile(session: &mut Session, terminal: Terminal, build: &Build) -> Outcome {
    let wanted = wanted(build);
    check_options(build, &wanted, session.denies_unbounded())?;
    let program = program::read(session, &build.program.files)?;
    let purpose = match wanted.contains(&Emit::Lib) {
        true => Purpose::Library(library::identifier(&library_name(build, &program))),
        false => Purpose::Run,
    };
    let machine = machine::resolve(session, &build.program.machine.choice(), program.machine.as_ref())?;
    let job = Job::of(session, &program, machine, &build.code.choice(), purpose)?;
    for format in wanted.iter().filter_map(|product| Format::of(*product)) {
        format.check(&job.machine.board.value)?;
    }
    let destinations = destinations(build, &program, &wanted, &job.machine)?;
    let header = wanted.iter().zip(&destinations).find(|(emit, _)| **emit == Emit::Lib);
    let header = header.and_then(|(_, destination)| destination.file()).map(product_paths::header);
    let files = destinations.iter().filter_map(Destination::file).chain(header.as_deref());
    session.files.check_outputs(&files.collect::<Vec<_>>())?;
    let Compilation { products, memory, bounds, .. } = pipeline::compile(session, &job, &wanted)?;
    session.enter("write");
    let several = products.iter().filter(|(emit, _)| emit.is_text()).count() > 1;
    for ((emit, product), destination) in products.iter().zip(&destinations) {
        write(session, *emit, product, destination, several)?;
    }
    if let Some(memory) = &memory {
        terminal.memory(memory);
    }
    if let Some(bounds) = &bounds {
        terminal.bounds(&session.sources, bounds);
    }
    Ok(0)
}

/// The kinds to produce, in the order of the pipeline, each once.
fn wanted(build: &Build) -> Vec<Emit> {
    let image = build.format.unwrap_or(Format::Elf).product();
    let mut wanted = if build.emit.is_empty() { vec![image] } else { build.emit.clone() };
    wanted.sort();
    wanted.dedup();
    wanted
}

/// Rejects options that would have no effect.
fn check_options(build: &Build, wanted: &[Emit], denies_unbounded: bool) -> Result<(), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut refuse = |message: String, help: &str| {
        diagnostics.push(Diagnostic::general(codes::UNSUITABLE_OPTION, message).help(help));
    };
    let names = wanted.iter().map(|emit| format!("`{}`", emit.name())).collect::<Vec<_>>().join(", ");
    if build.output.is_some() && wanted.len() > 1 {
        refuse(
            format!("`-o` takes one file, but {} outputs are requested: {names}", wanted.len()),
            "remove `-o`, or request one output",
        );
    }
    if build.code.optimisation.is_some() && wanted.iter().all(|emit| *emit < Emit::Core) {
        refuse(format!("`-O` has no effect with {names}"), "remove it; it only affects Core and later phases");
    }
    if build.code.debug && wanted.iter().all(|emit| *emit < Emit::LlvmIr) {
        refuse(format!("`-g` has no effect with {names}"), "remove it; it only affects LLVM IR and later phases");
    }
    if !build.code.link.is_empty() && wanted.iter().all(|emit| *emit < Emit::Lib) {
        refuse(format!("`--link` has no effect with {names}"), "remove it; it only affects images and libraries");
    }
    if wanted.contains(&Emit::Lib) {
        if let Some(image) = wanted.iter().find(|emit| **emit > Emit::Lib) {
            let message = format!("a program is compiled either to a library or to an image, not to both: {names}");
            refuse(message, &format!("remove `lib` or `{}`", image.name()));
        }
        if build.code.stats {
            refuse("`--stats` has no effect with `lib`".to_owned(), "remove it; only images report their memory use");
        }
        if build.code.trap_messages {
            refuse("`--trap-messages` has no effect with `lib`".to_owned(), "remove it; libraries always have them");
        }
        if build.output.as_ref().is_some_and(|path| path.extension().is_some_and(|extension| extension == "h")) {
            refuse("the library would be overwritten by its header".to_owned(), "for example `-o libcontrol.a`");
        }
    }
    if denies_unbounded && wanted.iter().all(|emit| *emit < Emit::Elf) {
        refuse(
            format!("`--deny unbounded` has no effect with {names}"),
            "remove it; only images have bounds of stack and regions",
        );
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

/// The destination of each product.
fn destinations(
    build: &Build,
    program: &Program,
    wanted: &[Emit],
    machine: &Machine,
) -> Result<Vec<Destination>, Vec<Diagnostic>> {
    wanted.iter().map(|emit| Ok(destination(build, program, *emit, machine)?)).collect()
}

fn destination(build: &Build, program: &Program, emit: Emit, machine: &Machine) -> Result<Destination, Diagnostic> {
    let unsuitable = |message: String| Diagnostic::general(codes::UNSUITABLE_OPTION, message);
    match &build.output {
        Some(path) if path == Path::new("-") && emit.is_text() => Ok(Destination::StandardOutput),
        Some(path) if path == Path::new("-") => {
            Err(unsuitable(format!("cannot write `{}` to standard output", emit.name()))
                .help("specify a file; only text can be written to standard output"))
        }
        None if emit.is_text() => Ok(Destination::StandardOutput),
        Some(_) | None => Ok(Destination::File(
            build.output.clone().unwrap_or_else(|| product_paths::of(&program.product, emit, machine.board.value.boot)),
        )),
    }
}

/// The name of a library: that of the output file without `lib`, or else that of the program.
fn library_name(build: &Build, program: &Program) -> String {
    let file = build.output.as_ref().unwrap_or(&program.product);
    let stem = if build.output.is_some() { file.file_stem() } else { file.file_name() };
    let name = stem.unwrap_or_default().to_string_lossy().into_owned();
    match (name.strip_prefix("lib"), &build.output) {
        (Some(rest), Some(_)) if !rest.is_empty() => rest.to_owned(),
        (_, _) => name,
    }
}

/// Writes a product; if several texts go to standard output, each has a heading.
fn write(
    session: &Session,
    emit: Emit,
    product: &Product,
    destination: &Destination,
    several: bool,
) -> Result<(), Diagnostic> {
    match (destination, product) {
        (Destination::StandardOutput, Product::Text(text)) if several => {
            output::print(&format!("==== {} ====\n{text}", emit.name()))
        }
        (Destination::StandardOutput, Product::Text(text)) => output::print(text),
        (Destination::StandardOutput, Product::Bytes(_) | Product::Library(_)) => clef_base::internal::bug(
            "write",
            None::<clef_base::Span>,
            format!("{} is text but was produced as bytes", emit.name()),
        ),
        (Destination::File(path), Product::Text(text)) => session.files.write(path, text.as_bytes(), Mode::Plain),
        (Destination::File(path), Product::Library(library)) => {
            session.files.write(path, &library.archive, Mode::Plain)?;
            session.files.write(&product_paths::header(path), library.header.as_bytes(), Mode::Plain)
        }
        (Destination::File(path), Product::Bytes(bytes)) => {
            let mode = if emit == Emit::Elf { Mode::Executable } else { Mode::Plain };
            session.files.write(path, bytes, mode)
        }
    }
}
