//! `cargo xtask bench`: compares programs in Clef with the same programs in C, Rust and OCaml, and measures the compiler and the
//! registers of chips.
//!
//! In: the programs of `bench/programs`, each in several languages, the harness of `bench/harness`, and the sequences of accesses
//! of `bench/registers`. Out: tables, and on request a file of JSON and the page `docs/benchmarks.md` with its charts.
//!
//! - All languages of a program compute the same checksum; where one does not, the task fails with the program's name.
//! - Counts of instructions are those of a run minus those of a run whose size is zero, so that the start is excluded.
//! - A rival whose compiler is not installed is absent, which is no error.

mod board;
mod build;
mod callgrind;
mod chart;
mod compiler;
mod elf;
mod json;
mod language;
mod linux;
mod measure;
mod options;
mod page;
mod programs;
mod registers;
mod sample;
mod table;

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::{cargo, target_directory},
};
use options::Options;
use sample::Results;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The directory of the products.
const DIRECTORY: &str = "target/bench";

/// Measures what the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{}", options::HELP);
        return Ok(());
    }
    let options = Options::parse(arguments)?;
    let results = if options.from.is_empty() { measured(&options)? } else { read(&options.from)? };
    print!("{}", table::all(&results));
    if let Some(file) = &options.json {
        write(Path::new(file), &json::of(&results))?;
    }
    if options.write {
        page::write_all(&results)?;
    }
    match results.failures.as_slice() {
        [] => Ok(()),
        failures => Err(format!("some benchmarks failed:\n    {}", failures.join("\n    "))),
    }
}

fn measured(options: &Options) -> Result<Results, Failure> {
    let clefc = compiler_to_measure(options)?;
    let mut results = measure::programs(options, &clefc)?;
    if options.compiler {
        results.compiler = compiler::measured(&clefc)?;
    }
    if options.registers {
        results.registers = registers::measured(&clefc, &mut results.failures)?;
    }
    Ok(results)
}

/// The results of earlier runs.
fn read(files: &[String]) -> Result<Results, Failure> {
    let mut results = Results::default();
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("cannot read `{file}`: {error}"))?;
        json::read(&text, &mut results)?;
    }
    Ok(results)
}

/// The compiler of `--clefc`, or an optimised build of this workspace.
fn compiler_to_measure(options: &Options) -> Result<PathBuf, Failure> {
    if let Some(path) = &options.clefc {
        return Ok(PathBuf::from(path));
    }
    let build = ["build", "--quiet", "--release", "--package", "clefc"];
    run_all(vec![Step { name: "build clefc", command: cargo(&build)? }])?;
    Ok(target_directory().join("release/clefc"))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

fn make_directory(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| format!("cannot make `{}`: {error}", path.display()))
}
